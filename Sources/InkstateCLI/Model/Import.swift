import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkExchange
import InkNetwork
import InkRaster
import InkRecognizer
import SafeFiles

/// Imports a model of another tool.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a model from Core ML, ONNX or NumPy weights.",
    discussion: """
      Imports classifiers of pictures and of series, and networks with an answer for each cell of a page, with \
      convolution, pooling, upsampling, normalisation, ReLU, dense, GRU and LSTM layers and one or several \
      inputs. Turi Create's drawing and activity classifiers (.mlmodel) are examples. The error for any other \
      layer names it. A .npz file holds weights only, of \
      layers that form one chain and read pictures, so it needs --architecture; its arrays can have the \
      layout of Keras or of PyTorch and BNNS.

      For a network that reads pictures, give the pen width and margin of its training pictures, or some \
      of these pictures, on which both are measured. Drawings are then rendered in the same way, \
      and pictures are cropped to their ink and framed so. Without them, pictures are scaled as a whole.

      Example: inkstate import Tests/InkExchangeTests/References/turi-create.mlmodel \
      --margin 0 --pen-width 1 --output runs/drawings.safetensors
      """)

  @Argument(help: "The file: .mlmodel, .onnx or .npz.")
  var file: String

  @Option(help: "The labels in order, separated by commas. (default: those in the file)")
  var labels: String?

  @Option(
    help: """
      For .npz: the network, \(Architecture.names.alternatives), or a JSON file that describes it.
      """)
  var architecture: String?

  @Option(
    help:
      "For .npz: the layout of the arrays, \(WeightLayout.allCases.alternatives). (default: detected)"
  )
  var layout: WeightLayout?

  @Option(help: "For .npz: the epsilon of batch normalisation.")
  var epsilon: Float?

  @Option(
    help: """
      The factor for grey values of 0 to 255, if the file does not contain it. (default: 1/255)
      """)
  var inputScale: Float?

  @Option(help: "For .npz with a named network: the width and height of a picture. (default: 28)")
  var size: Int?

  @Option(help: "The margin of the training pictures, in pixels. (default: 1 for drawings)")
  var margin: Double?

  @Option(help: "The pen width of the training pictures, in pixels. (default: 1.75)")
  var penWidth: Double?

  @Option(
    help: """
      A data set with training pictures of the network, on which margin, pen width and the place of \
      the ink are measured.
      """)
  var pictures: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if !file.lowercased().hasSuffix(".npz") {
      let given: [(String, Bool)] = [
        ("--architecture", architecture != nil), ("--layout", layout != nil),
        ("--epsilon", epsilon != nil), ("--size", size != nil),
      ]
      if let (name, _) = given.first(where: \.1) {
        throw ValidationError("\(name) is only for .npz files; leave it out for \(file)")
      }
    }
    if let inputScale, !(inputScale.isFinite && inputScale > 0) {
      throw ValidationError("--input-scale: \(inputScale) is not a number above 0")
    }
    if let epsilon, !(epsilon.isFinite && epsilon >= 0) {
      throw ValidationError("--epsilon: \(epsilon) is not 0 or more")
    }
  }

  func run() throws {
    try output.check(inputs: [file])
    var options = ImportOptions()
    options.labels = labels?.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    options.layout = layout
    options.epsilon = epsilon
    options.inputScale = inputScale
    options.margin = margin
    options.penWidth = penWidth
    if let pictures {
      let loaded = try Dataset.load(pictures)
      Terminal.report(loaded, path: pictures)
      options.pictures = loaded.dataset
    }
    if let architecture {
      guard let labels = options.labels else {
        throw ValidationError("--architecture needs the labels; name them with --labels")
      }
      options.architecture = try Architecture.described(
        by: architecture, classCount: labels.count, inputSize: size ?? 28)
    }
    let model = try Model.imported(path: file, options: options)
    try FileTree.write(model.encoded(), to: output.output)
    let network = model.architecture
    print(
      "\(output.output): \(network.name), \(network.layers.count.counted("layer")), "
        + "\(network.parameterCount.counted("parameter")), \(model.labelList)"
    )
    if model.provenance["imported_from"] != nil, let rasterizer = model.rasterizer {
      Terminal.say(assumption(about: rasterizer))
    }
  }
}

extension Import {
  /// Says how drawings and pictures become inputs of a network whose file does not say it.
  private func assumption(about rasterizer: Rasterizer) -> String {
    let drawings =
      "drawings get margin \(rasterizer.margin) and pen width \(rasterizer.penWidth) pixels"
    if pictures != nil {
      return
        "measured on \(pictures!): \(drawings); pictures: \(rasterizer.pictures?.summary ?? "")"
    }
    if margin != nil {
      return
        "assumed: \(drawings), and pictures of every size are cropped to their ink and get this "
        + "margin" + (penWidth == nil ? " (--pen-width overrides the pen width)" : "")
    }
    return "assumed: \(drawings), and pictures of every size are scaled as a whole (--margin and "
      + "--pen-width override this, or --pictures with some of the training pictures)"
  }
}

extension WeightLayout: ExpressibleByArgument {}
