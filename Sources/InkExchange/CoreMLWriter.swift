import Foundation
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Writes a model as a Core ML neural-network classifier, specification version 1 (iOS 11, macOS 10.13).
struct CoreMLWriter {
  private typealias Specification = CoreML_Specification_Model
  private let model: Model
  private var layers: [CoreML_Specification_NeuralNetworkLayer] = []
  private var blob = Self.input

  static let input = "image"
  private static let label = "label"
  private static let probabilities = "labelProbabilities"

  /// Creates a writer of `model`, whose batch normalisations are already folded where possible.
  init(_ model: Model) {
    self.model = model
    for (index, layer) in model.architecture.layers.enumerated() {
      if let exported = ExportedLayer(index, of: model.network) {
        append("\(layer.kind)\(index)", exported.coreML)
      }
    }
    if model.decision.temperature != 1 {
      append("temperature") {
        $0.activation.linear.alpha = Float(1 / model.decision.temperature)
      }
    }
    append(Self.probabilities) { $0.softmax = .init() }
  }

  func data() throws -> Data {
    var file = Specification()
    file.specificationVersion = 1
    file.description_p = description
    var network = CoreML_Specification_NeuralNetworkClassifier()
    network.layers = layers
    var preprocessing = CoreML_Specification_NeuralNetworkPreprocessing()
    preprocessing.featureName = Self.input
    preprocessing.scaler.channelScale = model.pictureScale ?? 1
    network.preprocessing = [preprocessing]
    network.stringClassLabels.vector = model.labels
    network.labelProbabilityLayerName = Self.probabilities
    file.neuralNetworkClassifier = network
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    return try file.serializedData(partial: false, options: options)
  }

  private var description: CoreML_Specification_ModelDescription {
    var description = CoreML_Specification_ModelDescription()
    var image = CoreML_Specification_FeatureDescription()
    image.name = Self.input
    image.shortDescription = "A drawing, bright ink on black"
    image.type.imageType.width = Int64((model.rasterizer ?? .standard).size)
    image.type.imageType.height = Int64((model.rasterizer ?? .standard).size)
    image.type.imageType.colorSpace = .grayscale
    description.input = [image]
    var label = CoreML_Specification_FeatureDescription()
    label.name = Self.label
    label.shortDescription = "The most likely label"
    label.type.stringType = .init()
    var probabilities = CoreML_Specification_FeatureDescription()
    probabilities.name = Self.probabilities
    probabilities.shortDescription = "The probability of each label"
    probabilities.type.dictionaryType.stringKeyType = .init()
    description.output = [label, probabilities]
    description.predictedFeatureName = Self.label
    description.predictedProbabilitiesName = Self.probabilities
    description.metadata.shortDescription = model.summary
    description.metadata.author = model.provenance["author"] ?? ""
    description.metadata.license = model.provenance["license"] ?? ""
    description.metadata.versionString = model.provenance["version"] ?? ""
    description.metadata.userDefined = model.metadata
    return description
  }

  private mutating func append(
    _ name: String, _ fill: (inout CoreML_Specification_NeuralNetworkLayer) -> Void
  ) {
    var layer = CoreML_Specification_NeuralNetworkLayer()
    layer.name = name
    layer.input = [blob]
    layer.output = [name]
    fill(&layer)
    layers.append(layer)
    blob = name
  }
}
