import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkExchange
import InkNetwork
import InkRaster
import InkRecognizer

/// Takes over a model of another tool.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take over a model of another tool: Core ML, ONNX or NumPy's weights.",
    discussion: """
      Takes neural-network classifiers of one chain of layers: convolution, batch normalisation, ReLU, \
      max-pooling, flatten, dense, softmax. Turi Create's drawing classifiers (.mlmodel) are such. \
      Weights alone (.npz) need --architecture; they lie as Keras or as PyTorch and BNNS have them.

      The network saw drawings with its own pen and margin: give them, so that recordings are drawn \
      the same for it.

      Example: inkstate import Tests/InkExchangeTests/References/turi-create.mlmodel \
      --margin 0 --pen-width 1 --output runs/drawings.safetensors
      """)

  @Argument(help: "The file: .mlmodel, .onnx or .npz.")
  var file: String

  @Option(help: "The labels in order, with commas between them; instead of the file's.")
  var labels: String?

  @Option(
    help: """
      For .npz, the network: \(Architecture.names.words), or a JSON file that describes one.
      """)
  var architecture: String?

  @Option(
    help: "For .npz, how weights lie: \(WeightLayout.allCases.words). (default: found out)")
  var layout: WeightLayout?

  @Option(help: "For .npz, what batch normalisation adds to the variance.")
  var epsilon: Float?

  @Option(
    help: """
      What grey values of 0 to 255 are multiplied with, where the file does not say it. \
      (default: 1/255)
      """)
  var inputScale: Float?

  @Option(help: "For .npz with a named network, the rows and columns of a picture. (default: 28)")
  var size: Int?

  @Option(help: "The free space around the ink that it was trained with, in pixels. (default: 1)")
  var margin: Double?

  @Option(help: "The width of the line that it was trained with, in pixels. (default: 1.75)")
  var penWidth: Double?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if !file.lowercased().hasSuffix(".npz") {
      let given: [(String, Bool)] = [
        ("--architecture", architecture != nil), ("--layout", layout != nil),
        ("--epsilon", epsilon != nil), ("--size", size != nil),
      ]
      if let (name, _) = given.first(where: \.1) {
        throw ValidationError("\(name) is for .npz files only, and \(file) is none")
      }
    }
    if let inputScale, !(inputScale.isFinite && inputScale > 0) {
      throw ValidationError("--input-scale: expected a number above 0, found \(inputScale)")
    }
    if let epsilon, !(epsilon.isFinite && epsilon >= 0) {
      throw ValidationError("--epsilon: expected 0 or more, found \(epsilon)")
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
    if let architecture {
      guard let labels = options.labels else {
        throw ValidationError("--architecture: name the labels as well, with --labels")
      }
      options.architecture = try Architecture.described(
        by: architecture, classCount: labels.count, inputSize: size ?? 28)
    }
    let model = try Model.imported(path: file, options: options)
    try FileTree.write(model.encoded(), to: output.output)
    let network = model.architecture
    print(
      "\(output.output): \(network.name), \(network.layers.count.counted("layer")), "
        + "\(network.parameterCount.counted("parameter")), \(model.labels.joined(separator: ", "))")
  }
}

extension WeightLayout: ExpressibleByArgument {}
