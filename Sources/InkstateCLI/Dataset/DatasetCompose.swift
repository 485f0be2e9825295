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
      Compose self-loops, bent arrows and single arrow heads from recorded rings and arrows, lines \
      of writing from recorded characters, or whole drawings of automata.
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

      With --automata, the results are whole drawings of automata, with the truth in the fields \
      automaton and strokes, as inkstate automaton recognize has them. The characters come from the \
      data, and the rings and arrows from --shapes or from synthetic writers. With --writers instead \
      of data, everything is synthetic.

      Example: inkstate dataset compose datasets/synthetic.ndjson --per-writer 40 --seed 1 \
      --output runs/composed.ndjson

      Example: inkstate dataset compose --automata --writers 20 --per-writer 5 --output runs/drawings.ndjson
      """)

  @Argument(
    help: "A data set with points, writers and the labels state and transition, or characters.")
  var data: String?

  @Option(help: "The number of drawings of each kind for each writer.")
  var perWriter = 40

  @Flag(help: "Compose lines of writing from single characters.")
  var lines = false

  @Flag(help: "Compose whole drawings of automata.")
  var automata = false

  @Option(help: "With --automata: a data set with the labels state and transition.")
  var shapes: String?

  @Option(help: "With --automata: the number of synthetic writers, instead of data.")
  var writers: Int?

  @Flag(help: "With --automata: compose the seven automata in Examples/Automata, not random ones.")
  var known = false

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
    if let writers { try check("--writers", writers, in: 1...100_000) }
    guard lines || !markSubscripts else {
      throw ValidationError("--mark-subscripts needs --lines")
    }
    guard lines || noWriting == nil else { throw ValidationError("--no-writing needs --lines") }
    try check("--no-writing", noWriting ?? 0, in: 0...0.9)
    guard !lines || !automata else {
      throw ValidationError("--lines and --automata make different data; give one")
    }
    guard automata || writers == nil && shapes == nil && !known else {
      throw ValidationError("--writers, --shapes and --known need --automata")
    }
    guard (data == nil) == (writers != nil) else {
      throw ValidationError(
        data == nil
          ? "give a data set\(automata ? ", or --writers for synthetic drawings" : "")"
          : "give a data set or --writers, but not both")
    }
  }

  func run() throws {
    try output.check(inputs: [data, shapes].compactMap { $0 })
    if automata { return try composeAutomata() }
    guard let data else { return }
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
    try DatasetFormat.ndjson.write(composed, rasterizer: .standard, to: output.output)
    let written = composed.examples.filter { $0.label != Recording.noWriting }
    report(
      written.count, lines ? "line" : "drawing", writers: Set(written.map(\.hand)).count,
      others: composed.examples.count - written.count)
  }

  private func composedLines(_ dataset: Dataset) -> Dataset {
    let composer = LineComposer(seed: seed, marksSubscripts: markSubscripts)
    var composed = composer.compose(from: dataset, perHand: perWriter)
    composed.add(composer.noWriting(beside: composed, share: noWriting ?? 0.08))
    return composed
  }

  private func composeAutomata() throws {
    let composer = DiagramComposer(seed: seed)
    let names: [String?] = known ? DiagramComposer.knownAutomata : [nil]
    let hands =
      if let data {
        composer.writers(
          of: try loading.load(data).dataset,
          shapes: try shapes.map { try loading.load($0).dataset } ?? Dataset([]))
      } else {
        composer.syntheticWriters(count: writers ?? 0)
      }
    let isAble = hands.contains { hand in
      names.contains { composer.drawing(0, by: hand, known: $0) != nil }
    }
    guard isAble else {
      throw FileError(
        path: data ?? "--writers", expected: "writers of all digits, and of letters for --known",
        found: "none")
    }
    // One drawing at a time, because all of them can be large.
    var (count, writerCount) = (0, 0)
    let drawings = hands.lazy.flatMap { hand in
      let drawings = names.lazy.flatMap { name in
        (0..<perWriter).lazy.compactMap { composer.drawing($0, by: hand, known: name) }
      }
      var isFirst = true
      return drawings.map { drawing in
        count += 1
        if isFirst { (isFirst, writerCount) = (false, writerCount + 1) }
        return drawing
      }
    }
    try DatasetFormat.ndjson.write(
      drawings, count: hands.count * names.count * perWriter, labels: [DiagramComposer.label],
      rasterizer: nil, to: output.output)
    report(count, "drawing", writers: writerCount)
  }

  private func report(_ count: Int, _ noun: String, writers: Int, others: Int = 0) {
    Terminal.show(
      "\(count.counted(noun)) composed by \(writers.counted("writer"))"
        + (others > 0
          ? ", and \(others.counted("drawing")) that \(others == 1 ? "is" : "are") no writing,"
          : "")
        + " in \(output.output)")
  }
}
