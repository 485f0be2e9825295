import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkEvaluation
import InkImageIO
import InkRaster
import InkReader
import InkRecognizer
import InkTracing
import InkTraining
import ParallelLoops
import SafeFiles

/// The group of commands that make examples of pages whose truth is known.
struct DatasetCut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Cut the writing out of pages, or measure their lines, rows and turns.",
    discussion: """
      The models that come with inkstate learn from the examples what writing in photographs looks like, which lines \
      of a page are arrows, which rows its writing is in, and which way it lies.

      Example: inkstate dataset cut labels runs/pages --output runs/labels
      """,
    subcommands: [Labels.self, Arrows.self, Rows.self, Turns.self])

  struct Labels: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "labels",
      abstract: "Cut names and symbols as strips with their texts.",
      discussion: """
        The folder has pages and truth.json, as `inkstate dataset compose pages` writes it. Writing is cut out as \
        `inkstate automaton recognize` does before it reads it. Texts of several lines are left out, those that \
        the network for pages does not see, or not apart from something else, those that are too narrow for the \
        reader, and pages with too much detail for a drawing.

        Example: inkstate dataset cut labels runs/pages --output runs/labels
        """)

    @OptionGroup var pages: KnownPages
    @OptionGroup var output: OutputOptions

    func run() throws {
      let reader = try Reader.released()
      let examples = try pages.cut(into: output) { page, network in
        try Self.examples(of: page, with: network, for: reader)
      }.flatMap(\.self)
      guard !examples.isEmpty else {
        throw FileError(
          path: pages.folder,
          expected: "pages with writing that can be seen, as dataset compose pages makes them",
          found: "none")
      }
      try DatasetFormat.strips.write(Dataset(examples), rasterizer: nil, to: output.output)
      Terminal.show("\(examples.count.counted("example")) in \(output.output)")
    }

    /// The width of a letter, as a share of the height of its strip, below which its text was written upwards or
    /// downwards.
    private static let narrowest = 0.1

    /// Returns the writing of a page; none of a page with too much detail, which could not be read either.
    private static func examples(
      of page: KnownPages.Page, with network: PageNetwork, for reader: Reader
    ) throws -> [Example] {
      let texts = (page.truth.writing ?? []).filter { text in
        !text.text.contains("\n") && !text.label.isEmpty
      }
      guard !texts.isEmpty else { return [] }
      guard let picture = try page.traced() else { return [] }
      let scale = Double(picture.page.width) / Double(picture.width)
      let writing = KnownWriting(
        texts: texts.map { $0.strokes.map { $0.map { Vector($0[0], $0[1]) * scale } } })
      let strips = writing.strips(
        in: picture, turnedBy: (page.truth.turned ?? 0) * .pi / 180, with: network, workers: 1)
      return zip(texts, strips).compactMap { text, strip in
        guard let strip,
          Double(strip.width) > narrowest * Double(strip.height * text.label.count),
          CTCLoss.minimumSteps(for: text.label) <= reader.stepCount(of: strip)
        else { return nil }
        return Example(
          .strip(strip), label: text.label, writer: page.truth.writer, origin: page.path)
      }
    }
  }

  struct Arrows: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "arrows",
      abstract: "Measure the lines of pages that may be arrows.",
      discussion: """
        The folder has pages and truth.json, as `inkstate dataset compose pages` writes it. The output is NDJSON: for \
        each page with a truth, its states and the automaton of each, and the measures and the way, in pixels, of \
        each line, of the heads of chosen lines, and of what may mark initial states. models/train/fit-arrows.py fits \
        the networks to them that tell arrows from other lines.

        Example: inkstate dataset cut arrows runs/pages --output runs/arrows.ndjson
        """)

    @OptionGroup var pages: KnownPages
    @OptionGroup var output: OutputOptions

    func run() throws {
      try pages.measure(into: output) { page, network in
        PageMeasures(
          of: try Bitmap.read(path: page.path), named: page.name, with: network, workers: 1)
      }
    }
  }

  struct Rows: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rows",
      abstract: "Measure the rows that the writing of pages may be in.",
      discussion: """
        The folder has pages and truth.json, as `inkstate dataset compose pages` writes it. The output is NDJSON: for \
        each page with a truth, the writing in states and at arrows, with the ways in which it may be divided into \
        rows, what is read then, and the measures of each. models/train/fit-rows.py fits the weights to them by which \
        rows are chosen. Pages turned by 45 degrees or more, and those with too much detail for a drawing, have no \
        writing here.

        Example: inkstate dataset cut rows runs/pages --output runs/rows.ndjson
        """)

    @OptionGroup var pages: KnownPages
    @OptionGroup var output: OutputOptions

    func run() throws {
      try pages.measureUpright(into: output) { RowMeasures(of: $0, named: $1, with: $2) }
    }
  }

  struct Turns: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "turns",
      abstract: "Measure pages at each quarter turn.",
      discussion: """
        The folder has pages and truth.json, as `inkstate dataset compose pages` writes it. The output is NDJSON: for \
        each page with a truth, after 0 to 3 quarter turns clockwise, how well its writing can be read (the mean \
        score of a character), the numbers of characters that are read and of the marks that they are read in, and \
        how sure the network is of what it sees. models/train/fit-turns.py fits the weights to them by which the turn \
        is chosen. Pages turned by 45 degrees or more, and those with too much detail for a drawing, have no turns \
        here.

        Example: inkstate dataset cut turns runs/pages --output runs/turns.ndjson
        """)

    @OptionGroup var pages: KnownPages
    @OptionGroup var output: OutputOptions

    func run() throws {
      try pages.measureUpright(into: output) { TurnMeasures(of: $0, named: $1, with: $2) }
    }
  }
}

/// A folder with pages whose truth is known.
struct KnownPages: ParsableArguments {
  /// A page.
  struct Page {
    let name: String
    let path: String
    let truth: PageTruth

    /// Returns the strokes of the page; `nil` if it has too much detail for a drawing.
    func traced() throws -> TracedDrawing? {
      do {
        return try Tracer().trace(Photograph.read(path: path))
      } catch TracingError.tooMuchDetail {
        return nil
      }
    }
  }

  @Argument(help: "A folder with pages and truth.json.")
  var folder: String

  /// So many pages are read before progress is shown.
  private static let batch = 64
  /// The degrees by which pages are turned that have to be turned back before they are read.
  private static let uprightLimit = 45.0

  /// Writes what `measure` finds on each page, as NDJSON.
  fileprivate func measure(
    into output: OutputOptions, _ measure: @Sendable (Page, PageNetwork) throws -> some Encodable
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let rows = try cut(into: output) { try encoder.encode(measure($0, $1)) }
    try FileTree.write(
      rows.reduce(into: Data()) { $0 += $1 + Data("\n".utf8) }, to: output.output)
    Terminal.show("\(rows.count.counted("page")) in \(output.output)")
  }

  /// Writes what `measure` finds on each page, as NDJSON.
  ///
  /// It gets the strokes of a page, or `nil` if the page has to be turned back or has too much detail for a drawing; its
  /// name; and the released recogniser.
  fileprivate func measureUpright(
    into output: OutputOptions,
    _ measure: @Sendable (TracedDrawing?, String, DiagramRecognizer) throws -> some Encodable
  ) throws {
    let recognizer = try DiagramRecognizer.released()
    try self.measure(into: output) { page, _ in
      let isUpright = abs(page.truth.turned ?? 0) < Self.uprightLimit
      return try measure(isUpright ? page.traced() : nil, page.name, recognizer)
    }
  }

  /// Returns what `cut` finds on each page, in the order of their names.
  fileprivate func cut<Found: Sendable>(
    into output: OutputOptions, _ cut: @Sendable (Page, PageNetwork) throws -> Found
  ) throws -> [Found] {
    try output.check(inputs: [folder])
    let truths = try PageTruth.read(folder: folder)
    let network = try PageNetwork.released()
    let names = truths.keys.sorted()
    let progress = WorkProgress(count: names.count, unit: "pages")
    let loop = ParallelLoop(workers: ProcessInfo.processInfo.activeProcessorCount)
    var results: [Found] = []
    for first in stride(from: 0, to: names.count, by: Self.batch) {
      let size = min(Self.batch, names.count - first)
      let found = loop.map(size) { index, _ in
        Result {
          let name = names[first + index]
          let path = try PageTruth.path(of: name, in: folder)
          return try cut(Page(name: name, path: path, truth: truths[name]!), network)
        }
      }
      results += try found.map { try $0.get() }
      progress.reach(first + size)
    }
    progress.end()
    return results
  }
}
