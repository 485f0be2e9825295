import Foundation
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Writes a network as a Core ML neural network, specification version 1 (iOS 11, macOS 10.13); version 3 (iOS 12,
/// macOS 10.14) if the width of a picture varies; version 4 (iOS 13, macOS 10.15) if a layer reads series from
/// the last step to the first, because only that version can reverse them.
///
/// Core ML's values have the axes `[sequence, batch, channel, height, width]`. A series goes in as
/// `[length, 1, channels]`: its steps are the sequence. A grey picture is an image, other pictures and
/// vectors are arrays.
struct CoreMLWriter {
  let content: NetworkExport
  private var layers: [CoreML_Specification_NeuralNetworkLayer] = []
  var names = UniqueNames()
  private var stateInputs: [CoreML_Specification_FeatureDescription] = []
  private var stateOutputs: [CoreML_Specification_FeatureDescription] = []
  /// The names of the values in the file.
  private var values: [Architecture.Source: String] = [:]
  private let label: String
  private let probabilities: String
  /// The output with the fields of cells, and their number.
  private var fields: (name: String, count: Int)?
  /// Whether a series is reversed.
  private var reverses = false

  /// The axes of a sequence with its steps as columns, and back.
  static let stepsAsColumns: [UInt64] = [3, 1, 2, 0]
  /// The axes of a step with its channels as columns, and back.
  static let channelsAsColumns: [UInt64] = [0, 3, 2, 1]
  /// The axes of a sequence with its steps as channels and its channels as columns.
  static let stepsAsChannels: [UInt64] = [2, 0, 3, 1]

  /// Creates a writer of `content`, whose batch normalisations are already folded where possible.
  init(_ content: NetworkExport) {
    self.content = content
    let architecture = content.architecture
    for (index, input) in architecture.inputs.enumerated() {
      values[.input(index)] = names.name(input.name)
    }
    label = names.name("label")
    probabilities = names.name("labelProbabilities")
    for (index, layer) in architecture.layers.enumerated() {
      let node = ExportedNode(
        index, of: content.network, named: names.name("\(layer.kind)\(index)"), reading: values)
      values[.node(index)] = layer.export.add(node, to: &self)
    }
    var logits = values[.node(architecture.nodes.count - 1)]!
    if let count = content.cellFields, count > 0 {
      let all = logits
      logits = channels(0..<architecture.classCount, of: all, as: names.name("logits"))
      let name = channels(
        architecture.classCount..<architecture.classCount + count, of: all,
        as: names.name("fields"))
      fields = (name, count)
    }
    if content.temperature != 1 {
      logits = append(names.name("temperature"), [logits]) {
        $0.activation.linear.alpha = Float(1 / content.temperature)
      }
    }
    append(probabilities, [logits]) { $0.softmax = .init() }
  }

  func data() throws -> Data {
    var file = CoreML_Specification_Model()
    file.specificationVersion =
      reverses ? 4 : content.hasVariableWidth || content.readsPages ? 3 : 1
    file.description_p = description
    let preprocessing = content.architecture.inputs.indices.filter(isImage).map { index in
      CoreML_Specification_NeuralNetworkPreprocessing.with {
        $0.featureName = values[.input(index)]!
        $0.scaler.channelScale = content.imageScales[index]
      }
    }
    switch content.architecture.output {
    case .distribution:
      var network = CoreML_Specification_NeuralNetworkClassifier()
      network.layers = layers
      network.preprocessing = preprocessing
      network.stringClassLabels.vector = content.labels
      network.labelProbabilityLayerName = probabilities
      file.neuralNetworkClassifier = network
    case .distributionPerStep, .distributionPerCell:
      // A classifier has one answer.
      file.neuralNetwork.layers = layers
      file.neuralNetwork.preprocessing = preprocessing
    }
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    return try file.serializedData(partial: false, options: options)
  }

  /// Whether input `index` is an image of Core ML.
  private func isImage(_ index: Int) -> Bool {
    if case .image(1, _, _) = content.architecture.inputs[index].form { true } else { false }
  }

  // MARK: Description

  private var description: CoreML_Specification_ModelDescription {
    var description = CoreML_Specification_ModelDescription()
    description.input = content.architecture.inputs.enumerated().map { index, input in
      var feature = Self.feature(input, named: values[.input(index)]!)
      if case .page = input.form {
        feature.shortDescription += ", its sides multiples of \(content.architecture.sideMultiple)"
      }
      return feature
    }
    description.input += stateInputs
    switch content.architecture.output {
    case .distribution:
      var label = CoreML_Specification_FeatureDescription()
      label.name = self.label
      label.shortDescription = "The most likely label"
      label.type.stringType = .init()
      var probabilities = CoreML_Specification_FeatureDescription()
      probabilities.name = self.probabilities
      probabilities.shortDescription = "The probability of each label"
      probabilities.type.dictionaryType.stringKeyType = .init()
      description.output = [label, probabilities]
      description.predictedFeatureName = self.label
      description.predictedProbabilitiesName = self.probabilities
    case .distributionPerCell:
      let planes = content.architecture.outputShapes[content.architecture.nodes.count - 1]
      guard case .planes(_, let rows, let columns) = planes else {
        preconditionFailure("cells are planes")
      }
      description.output = [
        Self.array(
          probabilities, [content.architecture.classCount, rows, columns],
          "The probability of each label for each cell: "
            + content.labels.joined(separator: ", "))
      ]
      if let fields {
        description.output.append(
          Self.array(
            fields.name, [fields.count, rows, columns], "What is measured in each cell"))
      }
    case .distributionPerStep:
      let labels = content.labels.joined(separator: ", ")
      description.output = [
        Self.array(
          probabilities, [content.architecture.classCount],
          "The probability of the blank and of each label, step after step: \(labels)")
      ]
    }
    description.output += stateOutputs
    description.metadata.shortDescription = content.summary
    description.metadata.author = content.provenance["author"] ?? ""
    description.metadata.license = content.provenance["license"] ?? ""
    description.metadata.versionString = content.provenance["version"] ?? ""
    description.metadata.userDefined = content.metadata
    return description
  }

  /// Returns the Core ML description of `input`.
  static func feature(
    _ input: NetworkInput, named name: String
  ) -> CoreML_Specification_FeatureDescription {
    switch input.form {
    case .image(1, let height, let width):
      var image = CoreML_Specification_FeatureDescription()
      image.name = name
      image.shortDescription = "A drawing, bright ink on black"
      image.type.imageType.width = Int64(width.bounds.upperBound)
      image.type.imageType.height = Int64(height)
      image.type.imageType.colorSpace = .grayscale
      if case .variable(let widths) = width {
        image.type.imageType.imageSizeRange.widthRange = .with {
          $0.lowerBound = UInt64(widths.lowerBound)
          $0.upperBound = Int64(widths.upperBound)
        }
        image.type.imageType.imageSizeRange.heightRange = .with {
          $0.lowerBound = UInt64(height)
          $0.upperBound = Int64(height)
        }
      }
      return image
    case .image(let channels, let height, .fixed(let width)):
      return array(
        name, [channels, height, width],
        "A picture, [channels, height, width], its values times the input scale")
    case .image(let channels, let height, .variable(let widths)):
      return planes(
        name, [channels...channels, height...height, widths],
        "A line of writing, [channels, height, width], its values times the input scale")
    case .page(let channels, let heights, let widths):
      return planes(
        name, [channels...channels, heights, widths],
        "A page, [channels, height, width], prepared as the metadata say")
    case .series(let channels, let length):
      return array(
        name, [channels],
        "A series, [length, 1, channels], step after step: \(length.text) steps")
    case .vector(let count): return array(name, [count], "A vector")
    }
  }

  /// Returns the description of planes whose sizes vary.
  private static func planes(
    _ name: String, _ sizes: [ClosedRange<Int>], _ text: String
  ) -> CoreML_Specification_FeatureDescription {
    var planes = array(name, sizes.map(\.upperBound), text)
    planes.type.multiArrayType.shapeRange.sizeRanges = sizes.map { size in
      .with { ($0.lowerBound, $0.upperBound) = (UInt64(size.lowerBound), Int64(size.upperBound)) }
    }
    return planes
  }

  private static func array(
    _ name: String, _ shape: [Int], _ text: String
  ) -> CoreML_Specification_FeatureDescription {
    .with {
      $0.name = name
      $0.shortDescription = text
      $0.type.multiArrayType.shape = shape.map(Int64.init)
      $0.type.multiArrayType.dataType = .float32
    }
  }

  // MARK: Layers

  /// Adds what `add` makes of the reversed steps of `input`, and reverses its output, which gets `name`.
  ///
  /// Core ML's own way to read a series backwards does not define the order of its outputs.
  mutating func reversing(
    _ input: String, as name: String, _ add: (inout CoreMLWriter, String, String) -> String
  ) -> String {
    reverses = true
    func reverse(_ value: String, as name: String) -> String {
      append(name, [value]) { $0.reverse.reverseDim = Self.reversedSteps }
    }
    let turned = reverse(input, as: names.name("\(name).reversed"))
    let output = add(&self, turned, names.name("\(name).turned"))
    return reverse(output, as: name)
  }

  /// The first of the five axes of a value.
  static let reversedSteps = [true, false, false, false, false]

  static let sigmoid = CoreML_Specification_ActivationParams.with { $0.sigmoid = .init() }
  static let tanh = CoreML_Specification_ActivationParams.with { $0.tanh = .init() }

  mutating func stateInput(_ name: String, _ units: Int) -> String {
    let name = names.name(name)
    var feature = Self.array(name, [units], "The state before the first step; nothing at the start")
    feature.type.isOptional = true
    stateInputs.append(feature)
    return name
  }

  mutating func stateOutput(_ name: String, _ units: Int) {
    stateOutputs.append(Self.array(name, [units], "The state after the last step"))
  }

  mutating func joined(_ read: [String], _ name: String) -> String {
    append(name, read) { $0.concat = .init() }
  }

  /// Adds a layer that takes some channels of planes.
  private mutating func channels(
    _ range: Range<Int>, of planes: String, as name: String
  ) -> String {
    append(name, [planes]) {
      $0.slice.startIndex = Int64(range.lowerBound)
      $0.slice.endIndex = Int64(range.upperBound)
      $0.slice.stride = 1
      $0.slice.axis = .channelAxis
    }
  }

  mutating func permute(_ value: String, _ axes: [UInt64], _ name: String) -> String {
    permute(value, axes, as: names.name(name))
  }

  mutating func permute(_ value: String, _ axes: [UInt64], as name: String) -> String {
    append(name, [value]) { $0.permute.axis = axes }
  }

  /// Adds a layer named after its first output; `also` are its other outputs.
  @discardableResult mutating func append(
    _ name: String, _ read: [String], also: [String] = [],
    _ fill: (inout CoreML_Specification_NeuralNetworkLayer) -> Void
  ) -> String {
    var layer = CoreML_Specification_NeuralNetworkLayer()
    layer.name = name
    layer.input = read
    layer.output = [name] + also
    fill(&layer)
    layers.append(layer)
    return name
  }
}
