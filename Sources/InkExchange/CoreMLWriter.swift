import Foundation
import InkNetwork
import SwiftProtobuf

/// A model as a Core ML neural-network classifier, specification version 1 (iOS 11, macOS 10.13).
struct CoreMLWriter {
  private typealias Specification = CoreML_Specification_Model
  private let model: Model
  private var layers: [CoreML_Specification_NeuralNetworkLayer] = []
  private var blob = Self.input

  static let input = "image"
  private static let label = "label"
  private static let probabilities = "labelProbabilities"

  /// Takes a model without batch normalisations that could be folded.
  init(_ model: Model) {
    self.model = model
    for index in model.architecture.layers.indices { add(index) }
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
    preprocessing.scaler.channelScale = model.inputScale
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
    image.type.imageType.width = Int64(model.architecture.inputSize)
    image.type.imageType.height = Int64(model.architecture.inputSize)
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

  private mutating func add(_ index: Int) {
    let layer = model.architecture.layers[index]
    let shape = model.architecture.shapes[index]
    let name = "\(layer.kind)\(index)"
    let weights = Dictionary(
      uniqueKeysWithValues: model.architecture.parameters.filter { $0.layer == index }.map {
        parameter in
        (
          parameter.role,
          CoreML_Specification_WeightParams.with {
            $0.floatValue = model.values(index, parameter.role)
          }
        )
      })
    switch layer {
    case .convolution(let filters, let kernel, let padding):
      append(name) {
        $0.convolution.outputChannels = UInt64(filters)
        $0.convolution.kernelChannels = UInt64(shape.channelCount)
        $0.convolution.nGroups = 1
        $0.convolution.kernelSize = [UInt64(kernel), UInt64(kernel)]
        $0.convolution.stride = [1, 1]
        $0.convolution.dilationFactor = [1, 1]
        switch padding {
        case .same: $0.convolution.same = .init()
        case .valid: $0.convolution.valid = .init()
        }
        $0.convolution.hasBias_p = true
        $0.convolution.weights = weights[.weight]!
        $0.convolution.bias = weights[.bias]!
      }
    case .batchNormalization:
      append(name) {
        $0.batchnorm.channels = UInt64(shape.channelCount)
        $0.batchnorm.epsilon = batchNormalizationEpsilon
        $0.batchnorm.gamma = weights[.weight]!
        $0.batchnorm.beta = weights[.bias]!
        $0.batchnorm.mean = weights[.runningMean]!
        $0.batchnorm.variance = weights[.runningVariance]!
      }
    case .relu: append(name) { $0.activation.reLu = .init() }
    case .maxPooling(let size):
      append(name) {
        $0.pooling.type = .max
        $0.pooling.kernelSize = [UInt64(size), UInt64(size)]
        $0.pooling.stride = [UInt64(size), UInt64(size)]
        $0.pooling.valid = .init()
      }
    case .flatten: append(name) { $0.flatten.mode = .channelFirst }
    case .dense(let units):
      append(name) {
        $0.innerProduct.inputChannels = UInt64(shape.count)
        $0.innerProduct.outputChannels = UInt64(units)
        $0.innerProduct.hasBias_p = true
        $0.innerProduct.weights = weights[.weight]!
        $0.innerProduct.bias = weights[.bias]!
      }
    case .dropout: break
    }
  }
}
