import ArgumentParser
import Ink
import InkDatasets
import InkRaster

/// Generates synthetic recordings.
struct DatasetSynthesize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize",
    abstract: "Generate synthetic drawings of automaton elements or digits.",
    discussion: """
      Each synthetic writer has a slant, a speed, a tremor, a style of arrow head and other habits. \
      The pen follows minimum-jerk profiles (Flash & Hogan, 1985).

      With --form npy the drawings are rasterised now. Training then reads the pictures from disk, \
      so a data set can be larger than memory.

      Example: inkstate dataset synthesize --writers 40 --per-class 10 --seed 1 \
      --output runs/synthetic.ndjson

      Example: inkstate dataset synthesize --writers 20 --per-class 25 --form npy \
      --output runs/pictures
      """)

  @Option(help: "The number of writers.")
  var writers = 40

  @Option(help: "The number of drawings of each class by each writer.")
  var perClass = 10

  @Option(help: "What to draw.")
  var repertoire = Synthesizer.Repertoire.automata

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @Option(help: "The output format: recordings as ndjson, or pictures as folder, idx or npy.")
  var form = DatasetFormat.ndjson

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard form != .strips else {
      throw ValidationError(
        "--form: strips hold lines of writing, not drawings; use ndjson, folder, idx or npy")
    }
    guard (1...1_000_000).contains(writers), (1...1_000_000).contains(perClass),
      writers * perClass <= 1_000_000
    else {
      throw ValidationError(
        "--writers and --per-class must be 1 or more and their product at most 1000000, not "
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
      return recordings.map { Example($0, label: $0.label!, origin: output.output) }
    }
    try form.write(
      examples, count: count, labels: repertoire.labels, rasterizer: .standard,
      to: output.output)
    progress.end()
    Terminal.show(
      "\(count.counted("synthetic recording")) by \(writers.counted("writer")) in \(output.output)")
  }
}
