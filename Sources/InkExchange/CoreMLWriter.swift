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
  private let content: NetworkExport
  private var layers: [CoreML_Specification_NeuralNetworkLayer] = []
  private var names = UniqueNames()
  private var stateInputs: [CoreML_Specification_FeatureDescription] = []
  private var stateOutputs: [CoreML_Specification_FeatureDescription] = []
  /// The names of the values in the file.
  private var values: [Architecture.Source: String] = [:]
  private let label: String
  private let probabilities: String
  /// Whether a series is reversed.
  private var reverses = false

  /// The axes of a sequence with its steps as columns, and back.
  static let stepsAsColumns: [UInt64] = [3, 1, 2, 0]
  /// The axes of a step with its channels as columns, and back.
  static let channelsAsColumns: [UInt64] = [0, 3, 2, 1]
  /// The axes of a sequence with its steps as channels and its channels as columns.
  static let stepsAsChannels: [UInt64] = [2, 0, 3, 1]

  /// Creates a writer of `content`, whose batch normalisations are already folded where possible.
  ///
  /// - Throws: `ModelError` naming the input that Core ML does not have.
  init(_ content: NetworkExport) throws(ModelError) {
    self.content = content
    let architecture = content.architecture
    for (index, input) in architecture.inputs.enumerated() {
      values[.input(index)] = names.name(input.name)
      if case .image(let channels, _, .variable) = input.form, channels > 1 {
        throw ModelError(
          path: "coreml", field: "input `\(input.name)`",
          expected: "a grey picture, because only images can have a width that varies",
          found: "\(channels) channels")
      }
    }
    label = names.name("label")
    probabilities = names.name("labelProbabilities")
    for index in architecture.nodes.indices { values[.node(index)] = add(index) }
    var logits = values[.node(architecture.nodes.count - 1)]!
    if content.temperature != 1 {
      logits = append(names.name("temperature"), [logits]) {
        $0.activation.linear.alpha = Float(1 / content.temperature)
      }
    }
    append(probabilities, [logits]) { $0.softmax = .init() }
  }

  func data() throws -> Data {
    var file = CoreML_Specification_Model()
    file.specificationVersion = reverses ? 4 : content.hasVariableWidth ? 3 : 1
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
    case .distributionPerStep:
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
      Self.feature(input, named: values[.input(index)]!)
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
    case .image(let channels, let height, let width):
      return array(
        name, [channels, height, width.bounds.upperBound],
        "A picture, [channels, height, width], its values times the input scale")
    case .series(let channels, let length):
      return array(
        name, [channels],
        "A series, [length, 1, channels], step after step: \(length.text) steps")
    case .vector(let count): return array(name, [count], "A vector")
    }
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

  /// Adds node `index` and returns the name of its output.
  private mutating func add(_ index: Int) -> String {
    let architecture = content.architecture
    let network = content.network
    let layer = architecture.nodes[index].layer
    let read = architecture.sources[index].map { values[$0]! }
    let shapes = architecture.sourceShapes(of: index)
    let channels = shapes[0].channelCount
    let name = names.name("\(layer.kind)\(index)")
    func weights(_ role: Parameter.Role) -> CoreML_Specification_WeightParams {
      .with { $0.floatValue = network.values(index, role) }
    }
    switch layer {
    case .convolution(let layer):
      return append(name, read) {
        $0.convolution.outputChannels = UInt64(layer.filters)
        $0.convolution.kernelChannels = UInt64(channels)
        $0.convolution.nGroups = 1
        $0.convolution.kernelSize = [UInt64(layer.kernel), UInt64(layer.kernel)]
        $0.convolution.stride = [1, 1]
        $0.convolution.dilationFactor = [1, 1]
        switch layer.padding {
        case .same: $0.convolution.same = .init()
        case .valid: $0.convolution.valid = .init()
        }
        $0.convolution.hasBias_p = true
        $0.convolution.weights = weights(.weight)
        $0.convolution.bias = weights(.bias)
      }
    case .batchNormalization:
      return append(name, read) {
        $0.batchnorm.channels = UInt64(channels)
        $0.batchnorm.epsilon = BatchNormalization.epsilon
        $0.batchnorm.gamma = weights(.weight)
        $0.batchnorm.beta = weights(.bias)
        $0.batchnorm.mean = weights(.runningMean)
        $0.batchnorm.variance = weights(.runningVariance)
      }
    case .relu: return append(name, read) { $0.activation.reLu = .init() }
    case .maxPooling(let layer):
      return append(name, read) {
        $0.pooling.type = .max
        $0.pooling.kernelSize = [UInt64(layer.size), UInt64(layer.size)]
        $0.pooling.stride = [UInt64(layer.size), UInt64(layer.size)]
        $0.pooling.valid = .init()
      }
    case .flatten:
      var value = read[0]
      if case .series = shapes[0] { value = permute(value, Self.stepsAsChannels, "\(name).steps") }
      return append(name, [value]) { $0.flatten.mode = .channelFirst }
    case .dense(let layer):
      let input = read.count == 1 ? read[0] : joined(read, names.name("\(name).inputs"))
      return append(name, [input]) {
        $0.innerProduct.inputChannels = UInt64(shapes.reduce(0) { $0 + $1.channelCount })
        $0.innerProduct.outputChannels = UInt64(layer.units)
        $0.innerProduct.hasBias_p = true
        $0.innerProduct.weights = weights(.weight)
        $0.innerProduct.bias = weights(.bias)
      }
    case .dropout: return read[0]
    case .seriesConvolution(let layer):
      let columns = permute(read[0], Self.stepsAsColumns, "\(name).columns")
      let weight = WeightArchive.transposed(
        network.values(index, .weight), shape: [layer.filters, layer.kernel, channels],
        axes: [0, 2, 1])
      let convolved = append(names.name("\(name).convolved"), [columns]) {
        $0.convolution.outputChannels = UInt64(layer.filters)
        $0.convolution.kernelChannels = UInt64(channels)
        $0.convolution.nGroups = 1
        $0.convolution.kernelSize = [1, UInt64(layer.kernel)]
        $0.convolution.stride = [1, UInt64(layer.stride)]
        $0.convolution.dilationFactor = [1, 1]
        $0.convolution.valid.paddingAmounts.borderAmounts = [
          .init(),
          .with {
            ($0.startEdgeSize, $0.endEdgeSize) = (UInt64(layer.before), UInt64(layer.after))
          },
        ]
        $0.convolution.hasBias_p = true
        $0.convolution.weights.floatValue = weight
        $0.convolution.bias = weights(.bias)
      }
      return permute(convolved, Self.stepsAsColumns, as: name)
    case .gru(let layer):
      let sides = layer.direction.passes.map { pass in
        let side =
          layer.direction == .both
          ? names.name("\(name).\(pass.isBackward ? "backward" : "forward")") : name
        guard pass.isBackward else { return addGRU(layer, index, pass, read[0], side) }
        return reversing(read[0], as: side) { $0.addGRU(layer, index, pass, $1, $2) }
      }
      return sides.count == 1 ? sides[0] : joined(sides, name)
    case .lstm(let layer):
      guard layer.direction == .backward else { return addLSTM(layer, index, read[0], name) }
      return reversing(read[0], as: name) { $0.addLSTM(layer, index, $1, $2) }
    case .timePooling(let layer):
      guard layer.method == .attention else {
        let columns = permute(read[0], Self.stepsAsColumns, "\(name).columns")
        return append(name, [columns]) {
          $0.pooling.type = layer.method == .max ? .max : .average
          $0.pooling.valid = .init()
          $0.pooling.globalPooling = true
        }
      }
      let scores = append(names.name("\(name).scores"), read) {
        $0.innerProduct.inputChannels = UInt64(channels)
        $0.innerProduct.outputChannels = 1
        $0.innerProduct.weights = weights(.weight)
      }
      // Softmax works on channels.
      let logits = permute(scores, Self.stepsAsChannels, "\(name).logits")
      let shares = append(names.name("\(name).shares"), [logits]) { $0.softmax = .init() }
      let steps = permute(read[0], Self.stepsAsChannels, "\(name).steps")
      let parts = append(names.name("\(name).parts"), [steps, shares]) { $0.multiply = .init() }
      let sum = append(names.name("\(name).sum"), [parts]) {
        $0.reduce.mode = .sum
        $0.reduce.axis = .c
      }
      return permute(sum, Self.channelsAsColumns, as: name)
    case .layerNormalization:
      let columns = permute(read[0], Self.channelsAsColumns, "\(name).columns")
      let one = CoreML_Specification_WeightParams.with { $0.floatValue = [1] }
      let zero = CoreML_Specification_WeightParams.with { $0.floatValue = [0] }
      let normalized = append(names.name("\(name).normalized"), [columns]) {
        $0.batchnorm.channels = 1
        $0.batchnorm.computeMeanVar = true
        $0.batchnorm.instanceNormalization = true
        $0.batchnorm.epsilon = LayerNormalization.epsilon
        ($0.batchnorm.gamma, $0.batchnorm.beta) = (one, zero)
        ($0.batchnorm.mean, $0.batchnorm.variance) = (zero, one)
      }
      let turned = permute(normalized, Self.channelsAsColumns, "\(name).turned")
      return append(name, [turned]) {
        $0.scale.shapeScale = [UInt64(channels)]
        $0.scale.scale = weights(.weight)
        $0.scale.hasBias_p = true
        $0.scale.shapeBias = [UInt64(channels)]
        $0.scale.bias = weights(.bias)
      }
    case .concatenation: return joined(read, name)
    case .columns:
      let steps = permute(read[0], Self.stepsAsColumns, "\(name).steps")
      return append(name, [steps]) { $0.flatten.mode = .channelFirst }
    }
  }

  /// Adds what `add` makes of the reversed steps of `input`, and reverses its output, which gets `name`.
  ///
  /// Core ML's own way to read a series backwards does not define the order of its outputs.
  private mutating func reversing(
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

  /// Adds one direction of a GRU.
  ///
  /// Core ML has one bias for each gate:
  ///
  ///     n = tanh(Wn · x + bn + r ⊙ (Vn · h′))
  ///
  /// The bias cn of the state, where there is one, is the product with one more unit, whose state is
  /// always 1: it begins with 1, and its gate z is 1.
  private mutating func addGRU(
    _ layer: GRU, _ index: Int, _ pass: Direction.Pass, _ input: String, _ name: String
  ) -> String {
    let units = layer.units
    let values = pass.roles.map { content.network.values(index, $0) }
    let inputs = values[0].count / (3 * units)
    func rows(_ gate: Int, _ values: [Float]) -> [Float] {
      let length = values.count / 3
      return Array(values[gate * length..<(gate + 1) * length])
    }
    let stateBias = rows(2, values[3])
    let hasConstant = stateBias.contains { $0 != 0 }
    let size = units + (hasConstant ? 1 : 0)
    let weights = (0..<3).map { gate -> [Float] in
      rows(gate, values[0]) + [Float](repeating: 0, count: (size - units) * inputs)
    }
    let recursions = (0..<3).map { gate -> [Float] in
      let own = rows(gate, values[1])
      guard hasConstant else { return own }
      var recursion: [Float] = []
      for unit in 0..<units {
        recursion += own[unit * units..<(unit + 1) * units]
        recursion.append(gate == 2 ? stateBias[unit] : 0)
      }
      return recursion + [Float](repeating: 0, count: size)
    }
    let biases = (0..<3).map { gate -> [Float] in
      let own = rows(gate, values[2])
      let sums = gate == 2 ? own : zip(own, rows(gate, values[3])).map { $0 + $1 }
      // σ(100) is 1.
      return hasConstant ? sums + [gate == 1 ? 100 : 0] : sums
    }
    var state: String?
    if content.hasState { state = stateInput("\(name).state", units) }
    if hasConstant {
      let count = state == nil ? size : 1
      let constant = append(names.name("\(name).one"), []) {
        $0.loadConstant.shape = [UInt64(count), 1, 1]
        $0.loadConstant.data.floatValue = [Float](repeating: 0, count: count - 1) + [1]
      }
      state = state.map { joined([$0, constant], names.name("\(name).start")) } ?? constant
    }
    let output = hasConstant ? names.name("\(name).outputs") : name
    let next = hasConstant ? names.name("\(name).last") : names.name("\(name).state.next")
    append(output, [input] + (state.map { [$0] } ?? []), also: state == nil ? [] : [next]) {
      $0.gru.inputVectorSize = UInt64(inputs)
      $0.gru.outputVectorSize = UInt64(size)
      $0.gru.activations = [Self.sigmoid, Self.tanh]
      $0.gru.sequenceOutput = true
      $0.gru.hasBiasVectors_p = true
      $0.gru.resetGateWeightMatrix.floatValue = weights[0]
      $0.gru.updateGateWeightMatrix.floatValue = weights[1]
      $0.gru.outputGateWeightMatrix.floatValue = weights[2]
      $0.gru.resetGateRecursionMatrix.floatValue = recursions[0]
      $0.gru.updateGateRecursionMatrix.floatValue = recursions[1]
      $0.gru.outputGateRecursionMatrix.floatValue = recursions[2]
      $0.gru.resetGateBiasVector.floatValue = biases[0]
      $0.gru.updateGateBiasVector.floatValue = biases[1]
      $0.gru.outputGateBiasVector.floatValue = biases[2]
    }
    guard hasConstant else {
      if content.hasState { stateOutput(next, units) }
      return name
    }
    func slice(_ value: String, as name: String) -> String {
      append(name, [value]) {
        $0.slice.endIndex = Int64(units)
        $0.slice.stride = 1
        $0.slice.axis = .channelAxis
      }
    }
    if content.hasState {
      let after = names.name("\(name).state.next")
      stateOutput(slice(next, as: after), units)
    }
    return slice(output, as: name)
  }

  /// Adds an LSTM, which reads forwards or in both directions, or one direction of it; both biases of a gate
  /// are one in Core ML.
  private mutating func addLSTM(
    _ layer: LSTM, _ index: Int, _ input: String, _ name: String
  ) -> String {
    let inputs = content.architecture.inputShape(of: index).channelCount
    let parameters = CoreML_Specification_LSTMParams.with {
      $0.sequenceOutput = true
      $0.hasBiasVectors_p = true
      $0.cellClipThreshold = Self.cellClip
    }
    let sides = layer.direction.passes.map { pass in
      let values = pass.roles.map { content.network.values(index, $0) }
      return Self.weights(values, bias: zip(values[2], values[3]).map { $0 + $1 })
    }
    guard layer.direction != .both else {
      return append(name, [input]) {
        $0.biDirectionalLstm.inputVectorSize = UInt64(inputs)
        $0.biDirectionalLstm.outputVectorSize = UInt64(layer.units)
        $0.biDirectionalLstm.activationsForwardLstm = [Self.sigmoid, Self.tanh, Self.tanh]
        $0.biDirectionalLstm.activationsBackwardLstm = [Self.sigmoid, Self.tanh, Self.tanh]
        $0.biDirectionalLstm.params = parameters
        $0.biDirectionalLstm.weightParams = sides
      }
    }
    var (before, after): ([String], [String]) = ([], [])
    if content.hasState {
      for state in ["state", "cell"] {
        before.append(stateInput("\(name).\(state)", layer.units))
        after.append(names.name("\(name).\(state).next"))
        stateOutput(after[after.count - 1], layer.units)
      }
    }
    return append(name, [input] + before, also: after) {
      $0.uniDirectionalLstm.inputVectorSize = UInt64(inputs)
      $0.uniDirectionalLstm.outputVectorSize = UInt64(layer.units)
      $0.uniDirectionalLstm.activations = [Self.sigmoid, Self.tanh, Self.tanh]
      $0.uniDirectionalLstm.params = parameters
      $0.uniDirectionalLstm.weightParams = sides[0]
    }
  }

  /// What Core ML limits cells to; this is its usual limit, which no cell reaches.
  private static let cellClip: Float = 50_000
  private static let sigmoid = CoreML_Specification_ActivationParams.with { $0.sigmoid = .init() }
  private static let tanh = CoreML_Specification_ActivationParams.with { $0.tanh = .init() }

  /// The weights of an LSTM over its input and its state, and its biases, gates in the order i, f, g, o.
  private static func weights(
    _ values: [[Float]], bias: [Float]
  ) -> CoreML_Specification_LSTMWeightParams {
    func gate(_ gate: Int, _ values: [Float]) -> CoreML_Specification_WeightParams {
      let length = values.count / 4
      return .with { $0.floatValue = Array(values[gate * length..<(gate + 1) * length]) }
    }
    return .with {
      $0.inputGateWeightMatrix = gate(0, values[0])
      $0.forgetGateWeightMatrix = gate(1, values[0])
      $0.blockInputWeightMatrix = gate(2, values[0])
      $0.outputGateWeightMatrix = gate(3, values[0])
      $0.inputGateRecursionMatrix = gate(0, values[1])
      $0.forgetGateRecursionMatrix = gate(1, values[1])
      $0.blockInputRecursionMatrix = gate(2, values[1])
      $0.outputGateRecursionMatrix = gate(3, values[1])
      $0.inputGateBiasVector = gate(0, bias)
      $0.forgetGateBiasVector = gate(1, bias)
      $0.blockInputBiasVector = gate(2, bias)
      $0.outputGateBiasVector = gate(3, bias)
    }
  }

  private mutating func stateInput(_ name: String, _ units: Int) -> String {
    let name = names.name(name)
    var feature = Self.array(name, [units], "The state before the first step; nothing at the start")
    feature.type.isOptional = true
    stateInputs.append(feature)
    return name
  }

  private mutating func stateOutput(_ name: String, _ units: Int) {
    stateOutputs.append(Self.array(name, [units], "The state after the last step"))
  }

  private mutating func joined(_ read: [String], _ name: String) -> String {
    append(name, read) { $0.concat = .init() }
  }

  private mutating func permute(_ value: String, _ axes: [UInt64], _ name: String) -> String {
    permute(value, axes, as: names.name(name))
  }

  private mutating func permute(_ value: String, _ axes: [UInt64], as name: String) -> String {
    append(name, [value]) { $0.permute.axis = axes }
  }

  /// Adds a layer named after its first output; `also` are its other outputs.
  @discardableResult private mutating func append(
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
