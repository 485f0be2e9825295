import ArgumentParser
import Foundation
import InkDatasets
import InkImageIO
import ParallelLoops
import SafeFiles

/// Composes pages with automata as people draw and photograph them.
struct DatasetComposePages: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Compose pages with automata, and the class of each pixel.",
    discussion: """
      The result is a folder with pictures, masks and classes.tsv: nothing, ring, line, head and \
      writing. A mask has a cell for 2 × 2 pixels. pages.tsv names the writer of each page, and truth.json \
      has the automaton of each page that shows it whole, with names and symbols. drawings.ndjson has the \
      same pages as strokes, before the camera turned them, with what each stroke is.

      The data are single characters, words, or both. All writing of a page is that of one person. \
      With --shapes, rings, arrows and heads of some pages are recorded as well. With --writers \
      instead of data, everything is synthetic. The seed and the number of a page decide everything.

      With --rows, the result is a PNG that shows everything that differs from page to page at both \
      ends of its range.

      Example: inkstate dataset compose pages --writers 20 --count 10 --output runs/pages

      Example: inkstate dataset compose pages --writers 5 --rows --output runs/rows.png
      """)

  @Argument(help: "Data sets with characters or words, points and writers.")
  var data: [String] = []

  @Option(help: "A data set with the labels state and transition.")
  var shapes: String?

  @Option(help: "The number of synthetic writers, instead of data.")
  var writers: Int?

  @Option(help: "The number of pages.")
  var count = 100

  @Option(help: "The width of a page, in pixels.")
  var width = 384

  @Option(help: "The height of a page, in pixels.")
  var height = 384

  @Option(
    help: ArgumentHelp(
      "How many times as wide and as high a picture is as a page: large pictures show small writing as cameras "
        + "do. The masks stay as they are, so that only pages enlarged 1 or 2 times are read as a data set.",
      valueName: "factor"))
  var enlarge = 1.0

  @Flag(help: "Draw writing that is large and sharp enough to be read, to train readers on it.")
  var legible = false

  @Flag(help: "Show what differs from page to page, at both ends of its range.")
  var rows = false

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @Option(help: "The number of CPU cores to use; it does not change the result. (default: all)")
  var threads: Int?

  @OptionGroup var wordList: WordListOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try check("--count", count, in: 1...10_000_000)
    try check("--width", width, in: 32...4096)
    try check("--height", height, in: 32...4096)
    try check("--enlarge", enlarge, in: 1...8)
    let size = pictureSize
    guard size.width * size.height <= SegmentationPage.maximumPixels else {
      throw ValidationError(
        "--width, --height and --enlarge give pictures of \(size.width) × \(size.height), which have more than "
          + "\(SegmentationPage.maximumPixels / 1_000_000) megapixels")
    }
    if let writers { try check("--writers", writers, in: 1...100_000) }
    _ = try workerCount(threads)
    guard data.isEmpty == (writers != nil) else {
      throw ValidationError(
        data.isEmpty
          ? "give data sets with characters or words, or --writers for synthetic ones"
          : "give data sets or --writers, but not both")
    }
  }

  func run() throws {
    try output.check(inputs: data + [shapes, wordList.words].compactMap { $0 })
    let composer = PageComposer(
      seed: seed, width: width, height: height, variety: legible ? .legible : PageVariety(),
      enlargement: enlarge, writers: try pageWriters(),
      shapes: try shapes.map {
        try PageShapes.all(in: try loading.load($0).dataset, from: $0)
      } ?? [])
    if rows {
      try showRows(composer)
    } else {
      try compose(composer)
    }
  }

  /// The width and height of the pictures, in pixels.
  private var pictureSize: (width: Int, height: Int) {
    (Int(Double(width) * enlarge), Int(Double(height) * enlarge))
  }

  private func pageWriters() throws -> [PageWriter] {
    let vocabulary = try wordList.listed()
    if let writers {
      return PageWriter.synthetic(count: writers, seed: seed, vocabulary: vocabulary)
    }
    var dataset = Dataset([])
    for path in data { dataset.examples += try loading.load(path).dataset.examples }
    let writers = try PageWriter.all(
      in: dataset, from: data, seed: seed, vocabulary: vocabulary)
    Terminal.say("\(writers.count.counted("writer"))")
    return writers
  }

  /// So many pages are in memory at once.
  private static let batch = 64

  private var loop: ParallelLoop {
    get throws { ParallelLoop(workers: try workerCount(threads)) }
  }

  private func compose(_ composer: PageComposer) throws {
    let progress = WorkProgress(count: count, unit: "pages")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var composing = 0.0
    var truth: [String: PageTruth] = [:]
    try SegmentationWriter.write(to: output.output, classes: SegmentationClass.pages) { writer in
      for first in stride(from: 0, to: count, by: Self.batch) {
        let size = min(Self.batch, count - first)
        let start = Date()
        let pages = try loop.map(size) { index, _ in composer.picture(first + index) }
        composing += Date().timeIntervalSince(start)
        let encoded = try loop.map(size) { index, _ in
          Result {
            let page = pages[index]
            let name = page.page.writer.split(separator: "/", maxSplits: 1).map(String.init)
            return try SegmentationWriter.EncodedPage(
              page.photograph, mask: page.mask, writer: name.last, source: name.first)
          }
        }
        var drawings = Data()
        for (index, (page, encoded)) in zip(pages, encoded).enumerated() {
          let name = try writer.add(encoded.get())
          guard let automaton = PageTruth(page.page) else { continue }
          truth[name] = automaton
          let drawing = PageDrawing(composer.page(first + index), named: name)
          drawings += try encoder.encode(drawing) + Data("\n".utf8)
        }
        try writer.append(drawings, to: "drawings.ndjson")
        progress.reach(first + size)
      }
      try writer.add(encoder.encode(truth), named: "truth.json")
    }
    progress.end()
    let size = pictureSize
    Terminal.show(
      "\(count.counted("page")) of \(size.width) × \(size.height) in \(output.output)")
    Terminal.say(
      "\(truth.count.counted("page")) with a whole automaton in truth.json; of the others, a part is outside"
    )
    Terminal.say("composed at \((Double(count) / max(1e-9, composing)).fixed(0)) pages a second")
  }

  private func showRows(_ composer: PageComposer) throws {
    let ends = PageTrait.allCases.flatMap { trait in
      PageVariety()[trait].ends.enumerated().map { number, values in
        var composer = composer
        composer.variety = .showing(trait, values)
        return (composer, trait.rawValue, "\(trait.name) \(trait.endNames[number])")
      }
    }
    let progress = WorkProgress(count: ends.count, unit: "pages")
    let items = try loop.map(ends.count) { index, _ in
      let (composer, number, title) = ends[index]
      let page = composer.picture(number)
      return PageSheet.Item(page.photograph, mask: page.mask, title: title)
    }
    progress.end()
    let sheet = PageSheet(items, classes: SegmentationClass.pages, columns: 4, side: 240)
    try FileTree.write(PNG.encode(sheet.render()), to: output.output)
    Terminal.show("\(PageTrait.allCases.count.counted("row")) on \(output.output)")
  }
}

extension PageTrait {
  /// The names of the ends of the range.
  fileprivate var endNames: [String] {
    switch people {
    case .range(let range, _, _): [range.lowerBound, range.upperBound].map { $0.fixed(2) }
    case .chance: ["never", "always"]
    case .choice: choiceNames ?? []
    }
  }
}
