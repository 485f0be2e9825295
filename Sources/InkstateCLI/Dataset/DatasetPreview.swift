import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkRaster
import InkSeries
import SafeFiles
import SeededRandom

/// Draws a contact sheet of examples.
struct DatasetPreview: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Draw some examples of every class on one PNG.",
    discussion: """
      Series are shown as curves over their whole length, with a colour and a scale for each \
      channel. Labelled spans are shown one by one.

      With --augmented, each row shows one example: first the original, then random variations. \
      With --kinds, the sheet has one section for each kind instead of each class. A kind is the \
      value of the attribute `kind`, such as `ring` or `zigzag`.

      With --lines, drawings and pictures are lines of writing. They are shown as a reader sees them, \
      32 pixels high, each above its text and with a section for each kind. Strips with labels.tsv are \
      always shown so.

      Pages with masks (a folder with pictures, masks and classes.tsv) are shown with their classes as \
      colours.

      Example: inkstate dataset preview datasets/synthetic.ndjson --augmented \
      --output runs/preview.png
      """)

  @Argument(help: "A data set in any format, or a divided data set (its train part is used).")
  var data: String

  @Option(
    help: "The number of pictures in a row. (default: 16, 6 with curves or lines, 3 with pages)")
  var columns: Int?

  @Option(help: "The number of rows for each class.")
  var rows = 3

  @Flag(help: "Show random variations of each example, as --augment has them.")
  var augmented = false

  @Flag(help: "Show a section for each kind instead of each class.")
  var kinds = false

  @Flag(help: "Show lines of writing with their texts.")
  var lines = false

  @Option(
    help: """
      The augmentation to show: \(Augmentation.named.keys.sorted().alternatives), for series \
      \(SeriesAugmentation.named.keys.sorted().alternatives), or a JSON file. (default: any-angle, \
      for series mild, for lines line)
      """)
  var augment: String?

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try InkstateCLI.check("--columns", columns ?? 1, in: 1...100)
    try InkstateCLI.check("--rows", rows, in: 1...100)
  }

  func run() throws {
    try output.check(inputs: [data])
    if SegmentationDataset.isOne(data) {
      return try SegmentationPages(path: data)
        .preview(columns: columns ?? 3, rows: rows, seed: seed, to: output.output)
    }
    let dataset = try DataSource.load(data, part: .train, loading: loading).dataset
    let rasterizer = try raster.rasterizer(for: dataset)
    var generator = SeededGenerator(seed: seed)
    if lines || dataset.examples.contains(where: \.isStrip) {
      let sheet = try writing(of: dataset, using: &generator)
      try FileTree.write(sheet.png, to: output.output)
      Terminal.show("\(sheet.lines.counted("line")) on \(output.output)")
      return
    }
    let sheet =
      dataset.examples.contains(where: \.isSeries)
      ? try curves(of: dataset, using: &generator)
      : try pictures(of: dataset, rasterizer: rasterizer, using: &generator)
    try FileTree.write(sheet.png, to: output.output)
    let count =
      kinds ? sheet.sections.counted("kind") : sheet.sections.counted("class", "classes")
    Terminal.show("\(count) on \(output.output)")
  }

  /// Throws if a sheet of `pixels` would be too large.
  private func check(pixels: Int) throws {
    guard pixels <= 100_000_000 else {
      throw ValidationError(
        "the sheet would have \(pixels) pixels, and at most 100 million are allowed; lower --rows, "
          + "--columns or --size"
      )
    }
  }

  private func pictures(
    of dataset: Dataset, rasterizer: Rasterizer, using generator: inout SeededGenerator
  ) throws -> (png: Data, sections: Int) {
    let columns = columns ?? 16
    let augmentation = try Augmentation.named(augment ?? "any-angle")
    let groups = Dictionary(grouping: dataset.examples) { example in
      kinds ? "\(example.label): \(example.kind)" : example.label
    }
    let side = ContactSheet.standardZoom * raster.size
    try check(pixels: groups.count * rows * columns * side * side)
    let sections = try groups.keys.sorted().map { title -> ContactSheet.Section in
      let members = groups[title]!
      let picked = generator.permutation(members.count)
        .prefix(augmented ? rows : rows * columns).map { members[$0] }
      let bitmaps = try picked.flatMap { example -> [Bitmap] in
        let plain = try example.bitmap(rasterizer)
        guard augmented else { return [plain] }
        return [plain]
          + (try (1..<columns).map { _ in
            try augmentation.bitmap(of: example, rasterizer: rasterizer, using: &generator)
          })
      }
      return ContactSheet.Section(title: "\(title) (\(members.count))", bitmaps: bitmaps)
    }
    return (try PNG.encode(ContactSheet(sections, columns: columns).render()), sections.count)
  }

  private func writing(
    of dataset: Dataset, using generator: inout SeededGenerator
  ) throws -> (png: Data, lines: Int) {
    let columns = columns ?? 6
    let rasterizer = LineRasterizer.standard
    let augmentation = try Augmentation.named(augment ?? "line")
    let groups = Dictionary(grouping: dataset.examples) { example in
      example.attributes["kind"] == nil ? "lines" : example.kind
    }
    try check(
      pixels: groups.count * rows * columns * ContactSheet.lineWidth * 2 * rasterizer.height)
    let sections = try groups.keys.sorted().map { title -> ContactSheet.Section in
      let members = groups[title]!
      let picked = generator.permutation(members.count)
        .prefix(augmented ? rows : rows * columns).map { members[$0] }
      let lines = try picked.flatMap { example -> [(bitmap: Bitmap, text: String)] in
        let plain = (try example.line(rasterizer).bitmap, example.label)
        guard augmented else { return [plain] }
        return [plain]
          + (try (1..<columns).map { _ in
            let line = try augmentation.line(
              of: example, rasterizer: rasterizer, using: &generator)
            return (line.bitmap, example.label)
          })
      }
      return ContactSheet.Section(title: "\(title) (\(members.count))", pictures: lines)
    }
    let count = sections.reduce(0) { $0 + $1.pictures.count }
    return (
      try PNG.encode(ContactSheet(lines: sections, columns: columns).render()), count
    )
  }

  private func curves(
    of dataset: Dataset, using generator: inout SeededGenerator
  ) throws -> (png: Data, sections: Int) {
    let columns = columns ?? 6
    let augmentation = try SeriesAugmentation.named(augment ?? "mild")
    var groups: [String: [Series]] = [:]
    for example in dataset.examples {
      guard case .series(let series) = example.content else {
        throw FileError(
          path: example.origin, expected: "series only", found: "a drawing or picture among them")
      }
      for span in example.spans { groups[span.label, default: []].append(series.part(span.range)) }
      guard example.spans.isEmpty else { continue }
      let title = kinds ? "\(example.label): \(example.kind)" : example.label
      groups[title, default: []].append(series)
    }
    try check(
      pixels: groups.count * rows * columns * CurveSheet.cellWidth * CurveSheet.cellHeight)
    let sections = groups.keys.sorted().map { title -> CurveSheet.Section in
      let members = groups[title]!
      let picked = generator.permutation(members.count)
        .prefix(augmented ? rows : rows * columns).map { members[$0] }
      let series = picked.flatMap { series -> [Series] in
        guard augmented else { return [series] }
        return [series]
          + (1..<columns).map { _ in augmentation.vary(series, using: &generator) }
      }
      return CurveSheet.Section(title: "\(title) (\(members.count))", series: series)
    }
    return (try PNG.encode(CurveSheet(sections, columns: columns).render()), sections.count)
  }
}
