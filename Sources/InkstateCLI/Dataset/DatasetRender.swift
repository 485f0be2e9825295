import ArgumentParser
import Ink
import InkDatasets
import InkRaster

/// Renders a data set as pictures.
struct DatasetRender: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a data set as pictures, for training in other programs.",
    discussion: """
      Example: inkstate dataset render datasets/synthetic.ndjson --form npy --output runs/rendered
      """)

  @Argument(help: "A data set in any format.")
  var data: String

  @Option(
    help: """
      The format: folder (PNGs, one folder per class), idx (as MNIST), npy (NumPy, uint8 \
      [n, size, size]) or, for strips with lines of writing, strips; ndjson has no pictures.
      """)
  var form: DatasetFormat = .folder

  @OptionGroup var output: OutputOptions
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions

  func run() throws {
    guard form != .ndjson else {
      throw ValidationError("--form: ndjson holds ink, not pictures; use folder, idx or npy")
    }
    try output.check(inputs: [data])
    let dataset = try loading.load(data).dataset
    try form.write(dataset, rasterizer: try raster.rasterizer(for: dataset), to: output.output)
    Terminal.show(
      "\(dataset.examples.count.counted("picture")) of \(raster.size) × \(raster.size) in \(output.output)"
    )
  }
}
