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
      mirrored 3; the attribute drawn lists these characters. Some synthetic drawings that are no \
      writing, such as scribbles and arrows, are added with the label U+FFFD (\(Recording.noWriting)), so \
      that a reader learns to reject them. `dataset import --map zigzag=\(Recording.noWriting) --others drop` makes \
      such examples of recordings.

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

  @Option(
    help: ArgumentHelp(
      "With --lines: the share of drawings that are no writing. (default: 0.08)",
      valueName: "share"))
  var noWriting: Double?

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try check("--per-writer", perWriter, in: 1...100_000)
    guard lines || !markSubscripts else {
      throw ValidationError("--mark-subscripts needs --lines")
    }
    guard lines || noWriting == nil else { throw ValidationError("--no-writing needs --lines") }
    try check("--no-writing", noWriting ?? 0, in: 0...0.9)
  }

  func run() throws {
    try output.check(inputs: [data])
    let dataset = try loading.load(data).dataset
    let composed =
      lines
      ? composedLines(dataset)
      : Composer(seed: seed)
        .compose(from: dataset, perHand: perWriter)
    guard !composed.examples.isEmpty else {
      throw FileError(
        path: data,
        expected:
          "\(lines ? "single characters" : "rings or arrows") with points and known writers",
        found: "none")
    }
    try DatasetForm.ndjson.write(composed, rasterizer: .standard, to: output.output)
    let written = composed.examples.filter { $0.label != Recording.noWriting }
    let otherCount = composed.examples.count - written.count
    Terminal.show(
      "\(written.count.counted(lines ? "line" : "drawing")) composed by "
        + Set(written.map(\.hand)).count.counted("writer")
        + (otherCount > 0
          ? ", and \(otherCount.counted("drawing")) that \(otherCount == 1 ? "is" : "are") no writing,"
          : "") + " in \(output.output)")
  }

  private func composedLines(_ dataset: Dataset) -> Dataset {
    let composer = LineComposer(seed: seed, marksSubscripts: markSubscripts)
    var composed = composer.compose(from: dataset, perHand: perWriter)
    composed.add(composer.noWriting(beside: composed, share: noWriting ?? 0.08))
    return composed
  }
}
