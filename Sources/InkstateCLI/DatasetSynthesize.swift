import ArgumentParser
import Ink
import InkDatasets
import InkRaster

/// Invents recordings.
struct DatasetSynthesize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize",
    abstract: "Invent writers and let them draw the editor's signs, or digits.",
    discussion: """
      Every writer has a slant, a speed, a tremor, a kind of arrow head and other habits; the pen \
      moves along minimum-jerk profiles (Flash & Hogan, 1985).

      With --form npy the drawings are rasterised at once; their pictures stay on disk when they are \
      trained on, so that there may be more of them than memory holds.

      Example: inkstate dataset synthesize --writers 40 --per-class 10 --seed 1 \
      --output runs/synthetic.ndjson

      Example: inkstate dataset synthesize --writers 100 --per-class 25 --form npy \
      --output runs/pictures
      """)

  @Option(help: "The number of writers.")
  var writers = 40

  @Option(help: "The drawings of each class by each writer.")
  var perClass = 10

  @Option(help: "What they draw: \(Synthesizer.Repertoire.allCases.words).")
  var repertoire = Synthesizer.Repertoire.automata

  @Option(help: "The start of all random choices.")
  var seed: UInt64 = 1

  @Option(help: "How they are written: \(DatasetForm.allCases.words).")
  var form = DatasetForm.ndjson

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...1_000_000).contains(writers), (1...1_000_000).contains(perClass),
      writers * perClass <= 1_000_000
    else {
      throw ValidationError(
        "--writers, --per-class: expected 1 or more and at most 1000000 together, found "
          + "\(writers) and \(perClass)")
    }
  }

  func run() throws {
    try output.check()
    let synthesizer = Synthesizer(seed: seed, repertoire: repertoire)
    let count = writers * perClass * repertoire.labels.count
    let progress = WorkProgress(count: count, unit: "drawings")
    let examples = (0..<writers).lazy.flatMap { writer in
      let recordings = synthesizer.recordings(by: writer, perClass: perClass)
      progress.add(recordings.count)
      return recordings.map { Example($0, label: $0.label ?? "other", origin: output.output) }
    }
    try form.write(
      examples, count: count, labels: repertoire.labels, rasterizer: .standard,
      to: output.output)
    progress.end()
    Terminal.show(
      "\(count.counted("synthetic recording")) by \(writers.counted("writer")) in \(output.output)")
  }
}
