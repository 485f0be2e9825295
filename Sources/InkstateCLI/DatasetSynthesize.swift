import ArgumentParser
import InkDatasets
import InkRaster

/// Invents recordings.
struct DatasetSynthesize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize",
    abstract: "Invent writers and let them draw states, transitions, cycles and other things.",
    discussion: """
      Every writer has a slant, a speed, a tremor, a kind of arrow head and other habits; the pen \
      moves along minimum-jerk profiles (Flash & Hogan, 1985).

      Example: inkstate dataset synthesize --writers 40 --per-class 10 --seed 1 \
      --output runs/synthetic.ndjson
      """)

  @Option(help: "The number of writers.")
  var writers = 40

  @Option(help: "The drawings of each class by each writer.")
  var perClass = 10

  @Option(help: "The start of all random choices.")
  var seed: UInt64 = 1

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
    let examples = Synthesizer(seed: seed).recordings(writers: writers, perClass: perClass).map {
      Example($0, label: $0.label ?? "other", origin: output.output)
    }
    try DatasetForm.ndjson.write(
      Dataset(examples), rasterizer: .standard, to: output.output)
    print("\(examples.count) synthetic recordings by \(writers) writers in \(output.output)")
  }
}
