import Foundation
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Reads a Core ML neural-network classifier that is one chain of layers.
///
/// The drawing classifiers of Turi Create are such models.
struct CoreMLReader: ModelFileReader {
  let path: String

  private typealias Layer = CoreML_Specification_NeuralNetworkLayer

  func model(_ data: Data, _ options: ImportOptions) throws(ModelError) -> Model {
    let file = try decode(
      CoreML_Specification_Model.self, from: data, ProtobufFields.coreML, kind: "a Core ML model")
    guard case .neuralNetworkClassifier(let network)? = file.type else {
      let kind = Self.firstField(of: file.unknownFields).flatMap { number in
        Self.modelKinds[number] ?? (number >= 200 ? "a model of kind \(number)" : nil)
      }
      throw mismatch("model", "a neural-network classifier", kind ?? "none")
    }
    let image = try image(of: file.description_p)
    var chain = LayerChain(inputSize: Int(image.type.imageType.width), path: path)
    var blob = image.name
    for layer in network.layers {
      guard layer.input == [blob], layer.output.count == 1 else {
        throw mismatch(
          "layer `\(layer.name)`", "one chain of layers, so `\(blob)` as its input",
          layer.input.map { "`\($0)`" }.joined(separator: ", "))
      }
      blob = layer.output[0]
      try add(layer, to: &chain)
    }
    guard chain.isComplete else {
      throw mismatch("network", "a softmax at the end", "none")
    }
    let answer = network.labelProbabilityLayerName
    guard answer.isEmpty || answer == blob else {
      throw mismatch("network", "`\(blob)`, the last layer's output, as the answer", "`\(answer)`")
    }
    let metadata = file.description_p.metadata
    var about = ["author": metadata.author, "license": metadata.license]
    about["description"] = metadata.shortDescription
    return try chain.model(
      .init(
        labels: labels(of: network), inputScale: try scale(network.preprocessing, of: image.name),
        about: about.filter { !$0.value.isEmpty }, metadata: metadata.userDefined), options)
  }

  private func image(
    of description: CoreML_Specification_ModelDescription
  ) throws(ModelError) -> CoreML_Specification_FeatureDescription {
    guard description.input.count == 1 else {
      throw mismatch("input", "one picture", "\(description.input.count) inputs")
    }
    let input = description.input[0]
    let place = "input `\(input.name)`"
    guard case .imageType(let image)? = input.type.type else {
      throw mismatch(place, "a picture", "another kind")
    }
    guard image.colorSpace == .grayscale else {
      throw mismatch(place, "a grey picture", "\(image.colorSpace)")
    }
    guard image.width == image.height, (4...512).contains(image.width) else {
      throw mismatch(
        place, "as many rows as columns, 4 to 512", "\(image.width) × \(image.height)")
    }
    return input
  }

  private func labels(of network: CoreML_Specification_NeuralNetworkClassifier) -> [String]? {
    switch network.classLabels {
    case .stringClassLabels(let labels)?: labels.vector
    case .int64ClassLabels(let labels)?: labels.vector.map(String.init)
    case nil: nil
    }
  }

  private func scale(
    _ preprocessing: [CoreML_Specification_NeuralNetworkPreprocessing], of input: String
  ) throws(ModelError) -> Float {
    var scale: Float = 1
    for step in preprocessing {
      guard step.featureName.isEmpty || step.featureName == input else {
        throw mismatch("preprocessing", "one of `\(input)`", "`\(step.featureName)`")
      }
      switch step.preprocessor {
      case .scaler(let scaler)?:
        guard scaler.grayBias == 0 else {
          throw mismatch("preprocessing", "no bias", "\(scaler.grayBias)")
        }
        // A file without a scale has 0.
        if scaler.channelScale != 0 { scale *= scaler.channelScale }
      case .meanImage?: throw mismatch("preprocessing", "no mean image", "one")
      case nil: break
      }
    }
    return scale
  }

  private func add(_ layer: Layer, to chain: inout LayerChain) throws(ModelError) {
    let place = "layer `\(layer.name)`"
    try checkWireTypes(layer, at: place)
    switch layer.layer {
    case .convolution(let convolution)?: try add(convolution, to: &chain, at: place)
    case .pooling(let pooling)?: try add(pooling, to: &chain, at: place)
    case .activation(let activation)?:
      switch activation.nonlinearityType {
      case .reLu?: try chain.addReLU(at: place)
      case .linear(let linear)?:
        guard linear.beta == 0 else { throw mismatch(place, "no shift", "\(linear.beta)") }
        try chain.addScale(Double(linear.alpha), at: place)
      case nil:
        let kind = Self.firstField(of: activation.unknownFields).map {
          Self.activationKinds[$0] ?? "kind \($0)"
        }
        throw mismatch(place, "a ReLU activation", kind ?? "none")
      }
    case .innerProduct(let product)?:
      // Core ML accepts planes of 1 × 1 as the input of an inner product.
      try chain.addFlatten(at: place)
      let units = try count(product.outputChannels, "units", at: place)
      try chain.addDense(
        units: units, weight: values(product.weights, at: place),
        bias: product.hasBias_p ? values(product.bias, at: place) : nil, at: place)
    case .batchnorm(let normalization)?:
      guard !normalization.computeMeanVar, !normalization.instanceNormalization else {
        throw mismatch(
          place, "stored statistics", "a normalisation with the statistics of each picture")
      }
      try chain.addBatchNormalization(
        scale: normalization.hasGamma ? values(normalization.gamma, at: place) : nil,
        shift: normalization.hasBeta ? values(normalization.beta, at: place) : nil,
        mean: values(normalization.mean, at: place),
        variance: values(normalization.variance, at: place),
        epsilon: normalization.epsilon == 0 ? 1e-5 : normalization.epsilon, at: place)
    case .flatten(let flatten)?:
      try chain.addFlatten(channelsLast: flatten.mode == .channelLast, at: place)
    case .flattenTo2D(let flatten)?:
      guard flatten.axis == 1 else { throw mismatch(place, "axis 1", "\(flatten.axis)") }
      try chain.addFlatten(at: place)
    case .reshapeStatic(let reshape)?:
      // The shape of a vector for a batch of one drawing.
      guard reshape.targetShape.dropLast().allSatisfy({ $0 == 1 }) else {
        throw mismatch(place, "a flattening", "a shape of \(reshape.targetShape)")
      }
      try chain.addFlatten(at: place)
    case .softmax?: try chain.addSoftmax(at: place)
    case .softmaxNd(let softmax)?:
      guard softmax.axis == 1 || softmax.axis == -1 else {
        throw mismatch(place, "axis 1", "\(softmax.axis)")
      }
      try chain.addSoftmax(at: place)
    case nil:
      let kind = Self.firstField(of: layer.unknownFields).map {
        Self.layerKinds[$0] ?? "a layer of kind \($0)"
      }
      throw mismatch(
        place,
        "a convolution, pooling, activation, flatten, inner product, batch normalisation or softmax",
        kind ?? "nothing")
    }
  }

  private func add(
    _ convolution: CoreML_Specification_ConvolutionLayerParams, to chain: inout LayerChain,
    at place: String
  ) throws(ModelError) {
    guard !convolution.isDeconvolution else {
      throw mismatch(place, "a convolution", "a deconvolution")
    }
    var window = LayerChain.Window(
      kernel: try pair(convolution.kernelSize, or: 3, "kernel", at: place))
    window.stride = try pair(convolution.stride, or: 1, "stride", at: place)
    window.dilation = try pair(convolution.dilationFactor, or: 1, "dilation", at: place)
    window.groups =
      convolution.nGroups == 0 ? 1 : try count(convolution.nGroups, "groups", at: place)
    switch convolution.convolutionPaddingType {
    case .same?: window.edges = nil
    case .valid(let valid)?: window.edges = try edges(valid.paddingAmounts, at: place)
    case nil: break
    }
    let filters = try count(convolution.outputChannels, "filters", at: place)
    if let channels = chain.planes?.channels, convolution.kernelChannels != UInt64(channels) {
      throw mismatch(place, "\(channels) channels", "\(convolution.kernelChannels)")
    }
    try chain.addConvolution(
      filters: filters, window, weight: values(convolution.weights, at: place),
      bias: convolution.hasBias_p ? values(convolution.bias, at: place) : nil, at: place)
  }

  private func add(
    _ pooling: CoreML_Specification_PoolingLayerParams, to chain: inout LayerChain,
    at place: String
  ) throws(ModelError) {
    guard pooling.type == .max, !pooling.globalPooling else {
      throw mismatch(
        place, "max-pooling", pooling.globalPooling ? "global pooling" : "\(pooling.type) pooling")
    }
    let kernel = try pair(pooling.kernelSize, or: 3, "window", at: place)
    let stride = try pair(pooling.stride, or: 1, "stride", at: place)
    switch pooling.poolingPaddingType {
    case .valid(let valid)?:
      try chain.addMaxPooling(
        kernel: kernel, stride: stride, edges: edges(valid.paddingAmounts, at: place), at: place)
    case .includeLastPixel(let complete)?:
      try chain.addMaxPooling(
        kernel: kernel, stride: stride, edges: numbers(complete.paddingAmounts, at: place),
        roundsUp: true, at: place)
    case .same?:
      try chain.addMaxPooling(kernel: kernel, stride: stride, roundsUp: true, at: place)
    case nil: try chain.addMaxPooling(kernel: kernel, stride: stride, at: place)
    }
  }

  /// Throws if a known field has the wrong wire type; the decoder would treat it as absent.
  private func checkWireTypes(_ layer: Layer, at place: String) throws(ModelError) {
    let unknown: UnknownStorage
    let known: Set<Int>
    switch layer.layer {
    case .convolution(let convolution)?:
      (unknown, known) = (
        convolution.unknownFields, [1, 2, 10, 20, 30, 40, 50, 51, 60, 70, 90, 91]
      )
    case .pooling(let pooling)?:
      (unknown, known) = (pooling.unknownFields, [1, 10, 20, 30, 31, 32, 60])
    case .innerProduct(let product)?:
      (unknown, known) = (product.unknownFields, [1, 2, 10, 20, 21])
    case .batchnorm(let normalization)?:
      (unknown, known) = (normalization.unknownFields, [1, 5, 6, 10, 15, 16, 17, 18])
    case .flatten(let flatten)?: (unknown, known) = (flatten.unknownFields, [1])
    case .flattenTo2D(let flatten)?: (unknown, known) = (flatten.unknownFields, [1])
    case .reshapeStatic(let reshape)?: (unknown, known) = (reshape.unknownFields, [1])
    case .activation(let activation)?:
      (unknown, known) = (activation.linear.unknownFields, [1, 2])
    case .softmax?, .softmaxNd?, nil: return
    }
    if let number = ProtobufFields.numbers(in: unknown.data).first(where: known.contains) {
      throw mismatch(place, "field \(number) with its own wire type", "another wire type")
    }
  }

  // MARK: Values

  private func count(_ value: UInt64, _ name: String, at place: String) throws(ModelError) -> Int {
    guard (1...65_536).contains(value) else {
      throw mismatch(place, "1 to 65536 \(name)", "\(value)")
    }
    return Int(value)
  }

  private func numbers(_ values: [UInt64], at place: String) throws(ModelError) -> [Int] {
    guard values.allSatisfy({ $0 <= 65_536 }) else {
      throw mismatch(place, "sizes of up to 65536", "\(values.max() ?? 0)")
    }
    return values.map(Int.init)
  }

  /// Returns height and width; without values, both are `standard`.
  private func pair(
    _ values: [UInt64], or standard: Int, _ name: String, at place: String
  ) throws(ModelError) -> [Int] {
    guard !values.isEmpty else { return [standard, standard] }
    guard values.count == 2 else {
      throw mismatch(place, "two sizes of a \(name)", "\(values.count)")
    }
    return try numbers(values, at: place)
  }

  /// Returns the padding above, left, below and right.
  private func edges(
    _ amounts: CoreML_Specification_BorderAmounts, at place: String
  ) throws(ModelError) -> [Int] {
    guard !amounts.borderAmounts.isEmpty else { return [0, 0, 0, 0] }
    guard amounts.borderAmounts.count == 2 else {
      throw mismatch(place, "two pairs of edges", "\(amounts.borderAmounts.count)")
    }
    return try numbers(
      amounts.borderAmounts.map(\.startEdgeSize) + amounts.borderAmounts.map(\.endEdgeSize),
      at: place)
  }

  private func values(
    _ weights: CoreML_Specification_WeightParams, at place: String
  ) throws(ModelError) -> [Float] {
    guard weights.unknownFields.data.isEmpty else {
      throw mismatch(place, "weights of 16 or 32 bits", "quantised ones")
    }
    guard !weights.float16Value.isEmpty else { return weights.floatValue }
    return weights.float16Value.floats(width: 2)
  }

  /// Returns the number of the first field that is not in this package's subset of Core ML.
  private static func firstField(of unknown: UnknownStorage) -> Int? {
    ProtobufFields.numbers(in: unknown.data).first
  }

  private static let modelKinds = [
    200: "a pipeline of classifiers", 202: "a pipeline", 303: "a neural-network regressor",
    400: "a linear classifier", 402: "a tree ensemble", 404: "a nearest-neighbour classifier",
    500: "a neural network without labels", 502: "an ML program", 555: "a custom model",
  ]
  private static let activationKinds = [
    15: "leaky ReLU", 20: "thresholded ReLU", 25: "parametric ReLU", 30: "tanh", 31: "scaled tanh",
    40: "sigmoid", 41: "hard sigmoid", 50: "ELU", 60: "softsign", 70: "softplus",
    71: "parametric softplus",
  ]
  private static let layerKinds = [
    150: "embedding", 165: "mean and variance normalisation", 170: "L2 normalisation",
    180: "local response normalisation", 190: "crop", 200: "padding", 210: "upsampling",
    211: "bilinear resizing", 220: "a unary function", 230: "addition", 231: "multiplication",
    240: "average", 245: "scale", 250: "bias", 260: "maximum", 261: "minimum", 270: "dot product",
    280: "reduction", 290: "a constant", 300: "reshape", 310: "permute", 320: "concatenation",
    330: "split", 340: "repetition of sequences", 345: "reorganisation of data", 350: "slice",
    400: "a simple recurrent layer", 410: "GRU", 420: "LSTM", 430: "bidirectional LSTM",
    500: "a custom layer", 985: "transpose", 1045: "batched matrix product",
    1150: "rank-preserving reshape",
  ]
}
