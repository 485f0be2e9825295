import ArgumentParser
import Ink
import InkDatasets
import InkRaster

/// Rasterises a data set.
struct DatasetRender: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draw a data set as pictures, for other programs to train on.",
    discussion: """
      Example: inkstate dataset render datasets/synthetic.ndjson --form npy --output runs/rendered
      """)

  @Argument(help: "A data set in any form.")
  var data: String

  @Option(
    help: """
      folder: PNGs in one folder a class; idx: as MNIST; npy: as NumPy, uint8 [n, size, size].
      """)
  var form: DatasetForm = .folder

  @OptionGroup var output: OutputOptions
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions

  func run() throws {
    guard form != .ndjson else {
      throw ValidationError("--form: expected folder, idx or npy, found ndjson, which holds ink")
    }
    try output.check(inputs: [data])
    let dataset = try loading.load(data).dataset
    try form.write(dataset, rasterizer: try raster.rasterizer(), to: output.output)
    Terminal.show(
      "\(dataset.examples.count.counted("picture")) of \(raster.size) × \(raster.size) in \(output.output)"
    )
  }
}
