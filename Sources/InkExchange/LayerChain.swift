import Foundation
import Ink
import InkNetwork
import InkRaster
import InkRecognizer

/// The layers of an imported network, which an importer adds one after another.
///
/// A layer that this package does not support gives an error with the name of the layer.
struct LayerChain: ModelFileReader {
  let path: String
  private let inputSize: Int
  private var layers: [Layer] = []
  private var weights: [String: Tensor] = [:]
  private var parameterCount = 0
  private var shape: Shape
  /// The planes that were flattened with the channels last, if there are any.
  ///
  /// The weights of the next dense layer are reordered to channels first.
  private var channelsLast: (channels: Int, height: Int, width: Int)?
  private var isOver = false
  /// The divisor of the logits before the softmax.
  private(set) var temperature = 1.0

  /// Creates a chain whose input is a grey picture of `inputSize` rows and columns.
  init(inputSize: Int, path: String) {
    self.path = path
    self.inputSize = inputSize
    shape = .planes(channels: 1, height: inputSize, width: inputSize)
  }

  /// The shape that the next layer reads, or `nil` if it reads a vector.
  var planes: (channels: Int, height: Int, width: Int)? {
    guard case .planes(let channels, let height, let width) = shape else { return nil }
    return (channels, height, width)
  }

  /// Whether the chain ends with a softmax.
  var isComplete: Bool { isOver }

  /// Whether the chain has a layer.
  var hasLayers: Bool { !layers.isEmpty }

  /// Adds a layer without parameters.
  mutating func add(_ layer: Layer, at place: String) throws(ModelError) {
    guard !isOver else { throw mismatch(place, "nothing after the softmax", layer.kind) }
    guard temperature == 1 else {
      throw mismatch(place, "a softmax after scaled logits", layer.kind)
    }
    do {
      shape = try layer.definition.outputShape(of: [shape])
    } catch {
      throw mismatch(place, "\(layer.kind) with \(error.expected)", error.found)
    }
    layers.append(layer)
  }

  private mutating func store(
    _ role: Parameter.Role, _ values: [Float], _ shape: [Int], at place: String
  ) throws(ModelError) {
    guard values.count == shape.reduce(1, *) else {
      throw mismatch(
        place, "\(shape.map(String.init).joined(separator: " × ")) values", "\(values.count)")
    }
    parameterCount += values.count
    guard parameterCount <= Architecture.mostParameters else {
      throw mismatch(
        place, "at most \(Architecture.mostParameters) parameters in all", "more")
    }
    weights[Parameter.name(node: layers.count - 1, role)] = Tensor(shape: shape, values: values)
  }

  /// The attributes of a convolution: lists contain height and width.
  struct Window {
    var kernel: [Int]
    var stride = [1, 1]
    var dilation = [1, 1]
    var groups = 1
    /// The padding above, left, below and right; `nil` for the padding that keeps the size.
    var edges: [Int]? = [0, 0, 0, 0]
  }

  /// Adds a convolution; `weight` is `[filters, channels, kernel, kernel]`.
  mutating func addConvolution(
    filters: Int, _ window: Window, weight: [Float], bias: [Float]?, at place: String
  ) throws(ModelError) {
    guard let kernel = window.kernel.first, window.kernel == [kernel, kernel] else {
      throw mismatch(place, "a square kernel", "\(window.kernel)")
    }
    guard window.stride == [1, 1] else { throw mismatch(place, "stride 1", "\(window.stride)") }
    guard window.dilation == [1, 1] else {
      throw mismatch(place, "dilation 1", "\(window.dilation)")
    }
    guard window.groups == 1 else { throw mismatch(place, "1 group", "\(window.groups)") }
    let half = kernel / 2
    let padding: Convolution.Padding
    switch window.edges {
    case nil, [half, half, half, half]?: padding = .same
    case [0, 0, 0, 0]?: padding = .valid
    case let edges?:
      throw mismatch(place, "no padding, or \(half) on each side", "\(edges)")
    }
    guard let channels = planes?.channels else {
      throw mismatch(place, "planes to work on", "a vector of \(shape)")
    }
    try add(.convolution(filters: filters, kernel: kernel, padding: padding), at: place)
    try store(.weight, weight, [filters, channels, kernel, kernel], at: place)
    try store(.bias, bias ?? [Float](repeating: 0, count: filters), [filters], at: place)
  }

  /// Adds a dense layer; `weight` is `[units, inputs]`.
  mutating func addDense(
    units: Int, weight: [Float], bias: [Float]?, at place: String
  ) throws(ModelError) {
    let inputs = shape.count
    try add(.dense(units: units), at: place)
    var weight = weight
    if let (channels, height, width) = channelsLast, weight.count == units * inputs {
      var reordered = weight
      let area = height * width
      for unit in 0..<units {
        for channel in 0..<channels {
          for pixel in 0..<area {
            reordered[unit * inputs + channel * area + pixel] =
              weight[unit * inputs + pixel * channels + channel]
          }
        }
      }
      weight = reordered
    }
    channelsLast = nil
    try store(.weight, weight, [units, inputs], at: place)
    try store(.bias, bias ?? [Float](repeating: 0, count: units), [units], at: place)
  }

  /// The number of channels or units that the next layer reads.
  var outputCount: Int { shape.channelCount }

  /// Adds `values`, one for each output, to the bias of the convolution or dense layer right before.
  mutating func addBias(_ values: [Float], at place: String) throws(ModelError) {
    try changeOutputs(by: values, at: place) { weight, bias, value in bias += value }
  }

  /// Multiplies the outputs of the convolution or dense layer right before by `values`, one for each.
  mutating func multiplyOutputs(_ values: [Float], at place: String) throws(ModelError) {
    try changeOutputs(by: values, at: place) { weight, bias, value in
      for index in weight.indices { weight[index] *= value }
      bias *= value
    }
  }

  private mutating func changeOutputs(
    by values: [Float], at place: String,
    _ change: (_ weight: inout ArraySlice<Float>, _ bias: inout Float, _ value: Float) -> Void
  ) throws(ModelError) {
    let name = "\(layers.count - 1)"
    guard var weight = weights["\(name).weight"], var bias = weights["\(name).bias"],
      layers.last != .batchNormalization
    else { throw mismatch(place, "a convolution or a dense layer right before it", "none") }
    guard !isOver, temperature == 1 else {
      throw mismatch(place, "nothing after the logits but a softmax", "values for each output")
    }
    guard bias.values.count == values.count else {
      throw mismatch(
        place, "\(bias.values.count.counted("value")), one an output", "\(values.count)")
    }
    let length = weight.values.count / values.count
    for (output, value) in values.enumerated() {
      let range = output * length..<(output + 1) * length
      change(&weight.values[range], &bias.values[output], value)
    }
    weights["\(name).weight"] = weight
    weights["\(name).bias"] = bias
  }

  /// Adds a batch normalisation; each list has one value for each channel.
  mutating func addBatchNormalization(
    scale: [Float]?, shift: [Float]?, mean: [Float], variance: [Float], epsilon: Float,
    at place: String
  ) throws(ModelError) {
    try add(.batchNormalization, at: place)
    let channels = shape.channelCount
    guard channelsLast == nil else {
      throw mismatch(place, "no batch normalisation right after flattening", "one")
    }
    for count in [variance.count, scale?.count ?? channels] where count != channels {
      throw mismatch(place, "\(channels) values, one a channel", "\(count)")
    }
    // This package has one ε. The scale compensates for a different ε in the file.
    guard shift?.count ?? channels == channels, mean.count == channels else {
      throw mismatch(place, "\(channels) values, one a channel", "\(shift?.count ?? mean.count)")
    }
    let scale = (0..<channels).map { channel in
      (scale?[channel] ?? 1)
        * ((variance[channel] + BatchNormalization.epsilon) / (variance[channel] + epsilon))
        .squareRoot()
    }
    try store(.weight, scale, [channels], at: place)
    try store(.bias, shift ?? [Float](repeating: 0, count: channels), [channels], at: place)
    try store(.runningMean, mean, [channels], at: place)
    try store(.runningVariance, variance, [channels], at: place)
  }

  mutating func addReLU(at place: String) throws(ModelError) { try add(.relu, at: place) }

  /// Adds a max-pooling; `kernel` and `stride` contain height and width.
  mutating func addMaxPooling(
    kernel: [Int], stride: [Int], edges: [Int] = [0, 0, 0, 0], roundsUp: Bool = false,
    at place: String
  ) throws(ModelError) {
    guard let size = kernel.first, kernel == [size, size] else {
      throw mismatch(place, "a square window", "\(kernel)")
    }
    guard stride == kernel else { throw mismatch(place, "stride \(size)", "\(stride)") }
    guard edges.allSatisfy({ $0 == 0 }) else { throw mismatch(place, "no padding", "\(edges)") }
    if roundsUp, size > 0, let planes {
      guard planes.height % size == 0, planes.width % size == 0 else {
        throw mismatch(
          place, "a pooling that leaves out incomplete windows",
          "one that does not, on \(shape)")
      }
    }
    try add(.maxPooling(size: size), at: place)
  }

  /// Adds a flattening, unless the next layer reads a vector already.
  mutating func addFlatten(channelsLast isLast: Bool = false, at place: String) throws(ModelError) {
    guard let planes else { return }
    try add(.flatten, at: place)
    if isLast, planes.channels > 1, planes.height * planes.width > 1 { channelsLast = planes }
  }

  /// Adds a multiplication of the logits before the softmax.
  mutating func addScale(_ factor: Double, at place: String) throws(ModelError) {
    guard case .dense? = layers.last, !isOver, factor.isFinite, factor > 0 else {
      throw mismatch(place, "a positive factor on the logits only", "\(factor)")
    }
    temperature /= factor
  }

  mutating func addSoftmax(at place: String) throws(ModelError) {
    guard case .vector = shape, !isOver, case .dense? = layers.last else {
      throw mismatch(place, "a softmax of a dense layer's logits, at the end", "another one")
    }
    isOver = true
  }

  /// The content of a file besides its layers.
  struct Description {
    var labels: [String]?
    /// The factor for grey values, or `nil` if the file does not contain it.
    var inputScale: Float?
    /// Author, licence and description, as far as the file has them.
    var about: [String: String] = [:]
    /// The metadata that this package wrote.
    var metadata: [String: String] = [:]
  }

  /// Returns the model; its labels are those of `options`, of this package's metadata or of the file.
  func model(_ description: Description, _ options: ImportOptions) throws(ModelError) -> Model {
    if let given = options.inputScale, let known = description.inputScale {
      throw mismatch(
        "--input-scale", "no option, because the file has the scale \(known)", "\(given)")
    }
    guard description.metadata["inkstate_format"] != nil else {
      return try foreignModel(description, options)
    }
    for (name, value) in [("--margin", options.margin), ("--pen-width", options.penWidth)] {
      if let value {
        throw mismatch(name, "no option, because the file has the preprocessing", "\(value)")
      }
    }
    let model = try ownModel(description)
    return try options.labels.map { labels throws(ModelError) in
      try model.renamingLabels(to: labels, path: path)
    } ?? model
  }

  private func foreignModel(
    _ description: Description, _ options: ImportOptions
  ) throws(ModelError) -> Model {
    let architecture = try architecture()
    guard let labels = options.labels ?? description.labels else {
      throw mismatch(
        "labels", "\(architecture.classCount.counted("label")) in the file, or --labels", "none")
    }
    let rasterizer: Rasterizer
    do {
      rasterizer = try Rasterizer(
        size: inputSize, margin: options.margin ?? Rasterizer.standard.margin,
        penWidth: options.penWidth ?? Rasterizer.standard.penWidth)
    } catch {
      throw mismatch("raster", "a margin and a pen that fit", "\(error)")
    }
    var provenance = description.about
    provenance["imported_from"] = FileManager.default.displayName(atPath: path)
    return try Model(
      network: TrainedNetwork(architecture, weights: weights, path: path), labels: labels,
      preprocessing: .raster(
        rasterizer, scale: options.inputScale ?? description.inputScale ?? 1 / 255),
      decision: Model.Decision(
        temperature: temperature, rejectedLabel: Model.Decision.rejectedLabel(among: labels)),
      provenance: provenance, path: path)
  }

  /// Returns a model that this package wrote, after checking that its layers match its metadata.
  ///
  /// Dropout is only in the metadata.
  private func ownModel(_ description: Description) throws(ModelError) -> Model {
    let read = try architecture()
    guard let text = description.metadata["architecture"],
      let stored = try? JSONDecoder().decode(Architecture.self, from: Data(text.utf8))
    else { throw mismatch("architecture", "the description of a network in the metadata", "none") }
    var renamed: [String: Tensor] = [:]
    var next = 0
    for (index, layer) in stored.layers.enumerated() {
      if case .dropout = layer { continue }
      guard next < read.layers.count, Self.isSame(layer, read.layers[next]) else {
        throw mismatch(
          "architecture", "the layers of the network in the metadata",
          "`\(layer.kind)` at layer \(index), which is not in the network")
      }
      for parameter in read.parameters where parameter.node == next {
        renamed[Parameter.name(node: index, parameter.role)] = weights[parameter.name]
      }
      next += 1
    }
    guard next == read.layers.count else {
      throw mismatch(
        "architecture", "the layers of the network in the metadata", "fewer layers")
    }
    let model = try Model(metadata: description.metadata, weights: renamed, path: path)
    // Another program may have changed one and not the other.
    if let labels = description.labels, labels != model.labels {
      throw mismatch(
        "labels", "those of the metadata, \(model.labels.joined(separator: ", "))",
        labels.joined(separator: ", "))
    }
    if let scale = description.inputScale, scale != model.preprocessing.scale {
      throw mismatch(
        "input_scale", "that of the preprocessing, \(scale)", "\(model.preprocessing.scale)")
    }
    guard abs(model.decision.temperature - temperature) <= 1e-5 * temperature else {
      throw mismatch(
        "decision.temperature", "that of the network, \(temperature)",
        "\(model.decision.temperature)")
    }
    return model
  }

  /// Whether two layers compute the same; padding does not matter for a kernel of 1.
  private static func isSame(_ one: Layer, _ other: Layer) -> Bool {
    if case .convolution(let one) = one, case .convolution(let other) = other, one.kernel == 1 {
      return other.kernel == 1 && one.filters == other.filters
    }
    return one == other
  }

  private func architecture() throws(ModelError) -> Architecture {
    do {
      let architecture = try Architecture(name: "imported", inputSize: inputSize, layers: layers)
      for name in Architecture.names {
        // Some networks are too deep for a small picture.
        guard
          let known = try? Architecture.named(
            name, classCount: architecture.classCount, inputSize: inputSize)
        else { continue }
        let knownLayers = known.layers.filter { if case .dropout = $0 { false } else { true } }
        if knownLayers == layers {
          return try Architecture(name: name, inputSize: inputSize, layers: layers)
        }
      }
      return architecture
    } catch {
      throw mismatch(
        error.layer.map { "layer \($0 + 1)" } ?? "network", error.expected, error.found)
    }
  }
}

extension Model {
  /// Returns the same model with other labels, in the same order.
  fileprivate func renamingLabels(
    to labels: [String], path: String
  ) throws(ModelError) -> Model {
    guard labels.count == self.labels.count else {
      throw ModelError(
        path: path, field: "labels", expected: "\(self.labels.count), one a class",
        found: "\(labels.count)")
    }
    let names = Dictionary(zip(self.labels, labels)) { first, _ in first }
    func renamed(_ thresholds: [String: Double]) -> [String: Double] {
      Dictionary(thresholds.map { (names[$0] ?? $0, $1) }) { first, _ in first }
    }
    var decision = decision
    decision.leastProbabilities = renamed(decision.leastProbabilities)
    decision.leastMargins = renamed(decision.leastMargins)
    decision.rejectedLabel = decision.rejectedLabel.flatMap { names[$0] }
    return try Model(
      network: network, labels: labels, preprocessing: preprocessing, decision: decision,
      provenance: provenance, path: path)
  }
}
