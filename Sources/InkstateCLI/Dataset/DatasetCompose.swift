import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkRaster
import SafeFiles

/// The group of commands that compose drawings out of recorded ink.
struct DatasetCompose: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compose",
    abstract: "Compose strokes, lines of writing, automata or pages from recorded ink.",
    discussion: """
      All ink of one drawing comes from one writer.

      Example: inkstate dataset compose automata --writers 20 --per-writer 5 --output runs/drawings.ndjson
      """,
    subcommands: [Strokes.self, Lines.self, Automata.self, DatasetComposePages.self],
    defaultSubcommand: Strokes.self)

  struct Strokes: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "strokes",
      abstract: "Compose self-loops, bent arrows and single arrow heads from rings and arrows.",
      discussion: """
        Rings come from drawings with the label state, shafts and heads from drawings with the label \
        transition. datasets/LABELS.md describes the results.

        Example: inkstate dataset compose strokes datasets/synthetic.ndjson --per-writer 10 \
        --output runs/composed.ndjson
        """)

    @Argument(help: "A data set with points, writers and the labels state and transition.")
    var data: String

    @OptionGroup var composition: CompositionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var loading: LoadingOptions

    func run() throws {
      try output.check(inputs: [data])
      let composed = StrokeComposer(seed: composition.seed)
        .compose(from: try loading.load(data).dataset, perWriter: composition.perWriter)
      guard !composed.examples.isEmpty else {
        throw FileError(
          path: data, expected: "rings or arrows with points and known writers", found: "none")
      }
      try DatasetFormat.ndjson.write(composed, rasterizer: .standard, to: output.output)
      output.report(composed.examples.count, "drawing", writers: composed.handCount)
    }
  }

  struct Lines: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "lines",
      abstract: "Compose lines of writing from single characters, with their texts as labels.",
      discussion: """
        The lines are names of states (q0, mostly with a small low subscript), symbols, lists (a,b), \
        numbers, expressions (i++), spellings of the empty word, short words, random letters, signs, outputs \
        (0/1), conditions (x==0), transitions of Turing machines and pushdown automata (0/1,R), descriptions \
        (State 5) and patterns ([a-z]). \
        Punctuation, signs and λ are drawn where a writer did not record them, and ε is the writer's \
        mirrored 3, or c with a bar; the attribute drawn lists these characters.

        Some synthetic drawings that are no writing, such as scribbles and arrows, are added with the label \
        U+FFFD (\(Recording.noWriting)), so that a reader learns to reject them. `dataset import --map \
        zigzag=\(Recording.noWriting) --others drop` makes such examples of recordings.

        Example: inkstate dataset synthesize --repertoire digits --output runs/digits.ndjson

        Example: inkstate dataset compose lines runs/digits.ndjson --per-writer 10 --output runs/lines.ndjson
        """)

    @Argument(help: "A data set of single characters with points and writers.")
    var data: String

    @Flag(help: "Write _ before subscripts in the labels, as in q_0 instead of q0.")
    var markSubscripts = false

    @Option(help: "The share of drawings that are no writing.")
    var noWriting = 0.08

    @OptionGroup var composition: CompositionOptions
    @OptionGroup var wordList: WordListOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var loading: LoadingOptions

    func validate() throws { try check("--no-writing", noWriting, in: 0...0.9) }

    func run() throws {
      try output.check(inputs: [data, wordList.words].compactMap { $0 })
      let composer = LineComposer(
        seed: composition.seed, marksSubscripts: markSubscripts, vocabulary: try wordList.listed())
      var composed = composer.compose(
        from: try loading.load(data).dataset, perWriter: composition.perWriter)
      guard !composed.examples.isEmpty else {
        throw FileError(
          path: data, expected: "single characters with points and known writers", found: "none")
      }
      let (count, writers) = (composed.examples.count, composed.handCount)
      composed.add(composer.noWriting(beside: composed, share: noWriting))
      try DatasetFormat.ndjson.write(composed, rasterizer: .standard, to: output.output)
      output.report(count, "line", writers: writers, others: composed.examples.count - count)
    }
  }

  struct Automata: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "automata",
      abstract: "Compose whole drawings of automata, with their truth.",
      discussion: """
        The truth is in the fields automaton and strokes, as inkstate automaton recognize has them. The \
        characters come from the data, or are synthetic with --writers. The rings and arrows are drawn; with \
        --shapes, those of two thirds of the writers are recorded ones.

        Example: inkstate dataset compose automata --writers 20 --per-writer 5 --output runs/drawings.ndjson
        """)

    @Argument(
      help: "A data set of single characters with points and writers, who wrote all ten digits.")
    var data: String?

    @Option(help: "A data set with the labels state and transition.")
    var shapes: String?

    @Option(help: "The number of synthetic writers, instead of data.")
    var writers: Int?

    @Flag(help: "Compose the seven automata in Examples/Automata, not random ones.")
    var known = false

    @OptionGroup var composition: CompositionOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var loading: LoadingOptions

    func validate() throws {
      if let writers { try check("--writers", writers, in: 1...100_000) }
      guard (data == nil) == (writers != nil) else {
        throw ValidationError(
          data == nil
            ? "give a data set, or --writers for synthetic drawings"
            : "give a data set or --writers, but not both")
      }
    }

    func run() throws {
      try output.check(inputs: [data, shapes].compactMap { $0 })
      let composer = DiagramComposer(seed: composition.seed)
      let perWriter = composition.perWriter
      let shapes =
        try shapes.map {
          try PageShapes.all(in: try loading.load($0).dataset, from: $0)
        } ?? []
      let hands =
        if let data {
          composer.writers(of: try loading.load(data).dataset, shapes: shapes)
        } else {
          composer.syntheticWriters(count: writers ?? 0, shapes: shapes)
        }
      let all: [String?] = known ? DiagramComposer.knownAutomata : [nil]
      let names = all.filter { name in
        hands.contains { composer.drawing(0, by: $0, known: name) != nil }
      }
      guard !names.isEmpty else {
        throw FileError(
          path: data ?? "--writers",
          expected: known
            ? "a writer with the letters and digits of one of the seven automata"
            : "a writer with all ten digits",
          found: "none")
      }
      if names.count < all.count {
        let missing = all.filter { !names.contains($0) }.compactMap(\.self)
        Terminal.say(
          "left out: \(missing.joined(separator: ", ")), whose letters and digits no writer has")
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
      output.report(count, "drawing", writers: writerCount)
    }
  }
}

/// How much is composed.
struct CompositionOptions: ParsableArguments {
  @Option(
    help:
      "The number of drawings for each writer: of each kind, of each known automaton, or in all.")
  var perWriter = 40

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  func validate() throws { try check("--per-writer", perWriter, in: 1...100_000) }
}

/// Words that are written besides those of diagrams.
struct WordListOptions: ParsableArguments {
  @Option(
    help: """
      A text file with words, one per line, that are written besides those of diagrams, alone and in names such as \
      doorOpen, door_open and Door101, and in conditions and descriptions. Each writer writes those of which all \
      letters were recorded.
      """)
  var words: String?

  /// Returns the words of the file; none without one.
  func listed() throws -> [String] {
    guard let words else { return [] }
    let listed = try TextOptions.words(in: words)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard !listed.isEmpty else {
      throw FileError(path: words, expected: "words, one per line", found: "none")
    }
    return listed
  }
}

extension Dataset {
  fileprivate var handCount: Int { Set(examples.map(\.hand)).count }
}

extension OutputOptions {
  /// Prints how many drawings by how many writers were written, and how many that are no writing.
  fileprivate func report(_ count: Int, _ noun: String, writers: Int, others: Int = 0) {
    Terminal.show(
      "\(count.counted(noun)) composed by \(writers.counted("writer"))"
        + (others > 0
          ? ", and \(others.counted("drawing")) that \(others == 1 ? "is" : "are") no writing,"
          : "")
        + " in \(output)")
  }
}
