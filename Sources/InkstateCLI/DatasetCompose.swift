import ArgumentParser
import Ink
import InkDatasets
import InkRaster
import SafeFiles

/// Composes drawings out of recorded ink.
struct DatasetCompose: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compose",
    abstract: """
      Compose self-loops, bent arrows and single arrow heads from recorded rings and arrows, or \
      lines of writing from recorded characters.
      """,
    discussion: """
      All ink of one drawing comes from one writer. Rings come from drawings with the label \
      state, shafts and heads from drawings with the label transition. datasets/LABELS.md describes \
      the results.

      With --lines, the data are single characters, and the results are lines of writing with their \
      text as the label: names of states (q0, mostly with a small low subscript), symbols, lists \
      (a,b), numbers, expressions (i++), spellings of the empty word, short words and random letters. \
      Punctuation, signs and λ are drawn where a writer did not record them, and ε is the writer's \
      mirrored 3; the attribute drawn lists these characters.

      Example: inkstate dataset compose datasets/synthetic.ndjson --per-writer 40 --seed 1 \
      --output runs/composed.ndjson
      """)

  @Argument(
    help: "A data set with points, writers and the labels state and transition, or characters.")
  var data: String

  @Option(help: "The number of drawings of each kind for each writer.")
  var perWriter = 40

  @Flag(help: "Compose lines of writing from single characters.")
  var lines = false

  @Flag(help: "With --lines: write _ before subscripts in the labels, as in q_0 instead of q0.")
  var markSubscripts = false

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try check("--per-writer", perWriter, in: 1...100_000)
    guard lines || !markSubscripts else {
      throw ValidationError("--mark-subscripts needs --lines")
    }
  }

  func run() throws {
    try output.check(inputs: [data])
    let dataset = try loading.load(data).dataset
    let composed =
      lines
      ? LineComposer(seed: seed, marksSubscripts: markSubscripts)
        .compose(from: dataset, perHand: perWriter)
      : Composer(seed: seed).compose(from: dataset, perHand: perWriter)
    guard !composed.examples.isEmpty else {
      throw FileError(
        path: data,
        expected:
          "\(lines ? "single characters" : "rings or arrows") with points and known writers",
        found: "none")
    }
    try DatasetForm.ndjson.write(composed, rasterizer: .standard, to: output.output)
    let writers = Set(composed.examples.map(\.hand)).count
    Terminal.show(
      "\(composed.examples.count.counted(lines ? "line" : "drawing")) composed by \(writers.counted("writer")) in "
        + output.output)
  }
}
