import ArgumentParser
import Ink
import InkDatasets
import InkRaster
import SafeFiles

/// Composes drawings out of recorded ink.
struct DatasetCompose: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compose",
    abstract:
      "Compose self-loops, bent arrows and single arrow heads from recorded rings and arrows.",
    discussion: """
      All ink of one drawing comes from one writer. Rings come from drawings with the label \
      state, shafts and heads from drawings with the label transition. datasets/LABELS.md describes \
      the results.

      Example: inkstate dataset compose datasets/synthetic.ndjson --per-writer 40 --seed 1 \
      --output runs/composed.ndjson
      """)

  @Argument(help: "A data set with points, writers and the labels state and transition.")
  var data: String

  @Option(help: "The number of drawings of each kind for each writer.")
  var perWriter = 40

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws { try check("--per-writer", perWriter, in: 1...100_000) }

  func run() throws {
    try output.check(inputs: [data])
    let composed = Composer(seed: seed).compose(
      from: try loading.load(data).dataset, perHand: perWriter)
    guard !composed.examples.isEmpty else {
      throw FileError(
        path: data, expected: "rings or arrows with points and known writers", found: "none")
    }
    try DatasetForm.ndjson.write(composed, rasterizer: .standard, to: output.output)
    let writers = Set(composed.examples.map(\.hand)).count
    Terminal.show(
      "\(composed.examples.count.counted("drawing")) composed by \(writers.counted("writer")) in "
        + output.output)
  }
}
