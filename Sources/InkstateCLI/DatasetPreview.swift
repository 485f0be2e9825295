import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkRaster
import SafeFiles
import SeededRandom

/// Draws a contact sheet of examples.
struct DatasetPreview: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Draw some examples of every class on one PNG.",
    discussion: """
      With --augmented, each row shows one example: first the original, then random variations. \
      With --kinds, the sheet has one section for each kind instead of each class. A kind is the \
      value of the attribute `kind`, such as `ring` or `zigzag`.

      Example: inkstate dataset preview datasets/synthetic.ndjson --augmented \
      --output runs/preview.png
      """)

  @Argument(help: "A data set in any format, or a divided data set (its train part is used).")
  var data: String

  @Option(help: "The number of pictures in a row.")
  var columns = 16

  @Option(help: "The number of rows for each class.")
  var rows = 3

  @Flag(help: "Show the random variations that training uses.")
  var augmented = false

  @Flag(help: "Show a section for each kind instead of each class.")
  var kinds = false

  @Option(
    help:
      "The augmentation to show: \(Augmentation.named.keys.sorted().alternatives), or a JSON file.")
  var augment = "any-angle"

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    try check("--columns", columns, in: 1...100)
    try check("--rows", rows, in: 1...100)
  }

  func run() throws {
    try output.check(inputs: [data])
    let rasterizer = try raster.rasterizer()
    let dataset = try DataSource.load(data, part: .train, loading: loading).dataset
    let augmentation = try Augmentation.named(augment)
    var generator = SeededGenerator(seed: seed)
    let groups = Dictionary(grouping: dataset.examples) { example in
      kinds ? "\(example.label): \(example.kind)" : example.label
    }
    let pixels = groups.count * rows * columns * raster.size * raster.size
    guard pixels <= 100_000_000 else {
      throw ValidationError(
        "the sheet would have \(pixels) pixels, and at most 100 million are allowed; lower --rows, "
          + "--columns or --size"
      )
    }
    let sections = try groups.keys.sorted().map { title -> ContactSheet.Section in
      let members = groups[title]!
      let picked = generator.permutation(members.count)
        .prefix(augmented ? rows : rows * columns).map { members[$0] }
      let bitmaps = try picked.flatMap { example -> [Bitmap] in
        let plain = rasterizer.fit(try example.bitmap(rasterizer))
        guard augmented else { return [plain] }
        return [plain]
          + (try (1..<columns).map { _ in
            try augmentation.bitmap(of: example, rasterizer: rasterizer, using: &generator)
          })
      }
      return ContactSheet.Section(title: "\(title) (\(members.count))", bitmaps: bitmaps)
    }
    try FileTree.write(
      try PNG.encode(ContactSheet(sections, columns: columns).render()), to: output.output)
    let count =
      kinds ? sections.count.counted("kind") : sections.count.counted("class", "classes")
    Terminal.show("\(count) on \(output.output)")
  }
}
