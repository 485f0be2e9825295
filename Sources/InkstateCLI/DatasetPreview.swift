import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkRaster

/// Draws a contact sheet.
struct DatasetPreview: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Draw some examples of every class on one PNG, to look at.",
    discussion: """
      With --augmented, every row is one example, first as it is, then varied. With --kinds there \
      is a section for each kind (the attribute `kind`, such as `ring` or `zigzag`) and not for \
      each class.

      Example: inkstate dataset preview datasets/synthetic.ndjson --augmented \
      --output runs/preview.png
      """)

  @Argument(help: "A data set in any form, or a divided one (its train part).")
  var data: String

  @Option(help: "The pictures in a row.")
  var columns = 16

  @Option(help: "The rows of a class.")
  var rows = 3

  @Flag(help: "Show how examples are varied while training.")
  var augmented = false

  @Flag(help: "Show every kind by itself.")
  var kinds = false

  @Option(help: "With --augmented: \(Augmentation.named.keys.sorted().words), or a JSON file.")
  var augment = "any-angle"

  @Option(help: "The start of all random choices.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions

  func validate() throws {
    guard (1...100).contains(columns), (1...100).contains(rows) else {
      throw ValidationError(
        "--columns, --rows: expected 1 to 100, found \(columns) and \(rows)")
    }
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
        "--rows, --columns, --size: expected a sheet of at most 100 million pixels, found \(pixels)"
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
