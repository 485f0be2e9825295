import Foundation
import Ink
import InkNetwork
import InkRaster
import InkRecognizer

/// A network as an importer meets it, layer after layer, in this package's terms.
///
/// Whatever it cannot say is refused by the name of the layer.
struct LayerChain {
  private let path: String
  private let inputSize: Int
  private var layers: [Layer] = []
  private var weights: [String: Tensor] = [:]
  private var parameterCount = 0
  private var shape: Shape
  /// Planes whose values were flattened with the channels last; the next dense layer's weights are put
  /// in this package's order.
  private var channelsLast: (channels: Int, height: Int, width: Int)?
  private var isOver = false
  /// What the logits are divided by before the softmax.
  private(set) var temperature = 1.0

  /// A chain that begins with a grey picture of `inputSize` rows and columns.
  init(inputSize: Int, path: String) {
    self.path = path
    self.inputSize = inputSize
    shape = .planes(channels: 1, height: inputSize, width: inputSize)
  }

  func refuse(_ place: String, _ expected: String, _ found: String) -> ModelError {
    ModelError(path: path, field: place, expected: expected, found: found)
  }

  /// `[channels, height, width]` of what the next layer reads, `nil` for a vector.
  var planes: (channels: Int, height: Int, width: Int)? {
    guard case .planes(let channels, let height, let width) = shape else { return nil }
    return (channels, height, width)
  }

  /// Whether the softmax has come.
  var isComplete: Bool { isOver }

  /// Whether there is a layer yet.
  var hasLayers: Bool { !layers.isEmpty }

  /// Adds a layer without parameters.
  mutating func add(_ layer: Layer, at place: String) throws(ModelError) {
    guard !isOver else { throw refuse(place, "nothing after the softmax", layer.kind) }
    guard temperature == 1 else { throw refuse(place, "a softmax after scaled logits", layer.kind) }
    do {
      shape = try layer.definition.outputShape(of: [shape])
    } catch {
      throw refuse(place, "\(layer.kind) with \(error.expected)", error.found)
    }
    layers.append(layer)
  }

  private mutating func store(
    _ role: Parameter.Role, _ values: [Float], _ shape: [Int], at place: String
  ) throws(ModelError) {
    guard values.count == shape.reduce(1, *) else {
      throw refuse(
        place, "\(shape.map(String.init).joined(separator: " × ")) values", "\(values.count)")
    }
    parameterCount += values.count
    guard parameterCount <= Architecture.mostParameters else {
      throw refuse(
        place, "at most \(Architecture.mostParameters) parameters in all", "more")
    }
    weights[Parameter.name(node: layers.count - 1, role)] = Tensor(shape: shape, values: values)
  }

  /// What a convolution is besides its weights: lists are of height and width, `edges` of the rows above,
  /// the columns to the left, the rows below and the columns to the right.
  struct Window {
    var kernel: [Int]
    var stride = [1, 1]
    var dilation = [1, 1]
    var groups = 1
    /// `nil` for as many zeros as keep the size.
    var edges: [Int]? = [0, 0, 0, 0]
  }

  /// Adds a convolution; `weight` is `[filters, channels, kernel, kernel]`.
  mutating func addConvolution(
    filters: Int, _ window: Window, weight: [Float], bias: [Float]?, at place: String
  ) throws(ModelError) {
    guard let kernel = window.kernel.first, window.kernel == [kernel, kernel] else {
      throw refuse(place, "a square kernel", "\(window.kernel)")
    }
    guard window.stride == [1, 1] else { throw refuse(place, "stride 1", "\(window.stride)") }
    guard window.dilation == [1, 1] else { throw refuse(place, "dilation 1", "\(window.dilation)") }
    guard window.groups == 1 else { throw refuse(place, "1 group", "\(window.groups)") }
    let half = kernel / 2
    let padding: Convolution.Padding
    switch window.edges {
    case nil, [half, half, half, half]?: padding = .same
    case [0, 0, 0, 0]?: padding = .valid
    case let edges?:
      throw refuse(place, "no padding, or \(half) on each side", "\(edges)")
    }
    guard let channels = planes?.channels else {
      throw refuse(place, "planes to work on", "a vector of \(shape)")
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

  /// The channels or units of what the next layer reads.
  var outputCount: Int { shape.channelCount }

  /// Adds to the bias of the convolution or dense layer right before, an output at a time.
  mutating func addBias(_ values: [Float], at place: String) throws(ModelError) {
    try changeOutputs(by: values, at: place) { weight, bias, value in bias += value }
  }

  /// Multiplies the outputs of the convolution or dense layer right before.
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
    else { throw refuse(place, "a convolution or a dense layer right before it", "none") }
    guard !isOver, temperature == 1 else {
      throw refuse(place, "nothing after the logits but a softmax", "values for each output")
    }
    guard bias.values.count == values.count else {
      throw refuse(place, "\(bias.values.count.counted("value")), one an output", "\(values.count)")
    }
    let length = weight.values.count / values.count
    for (output, value) in values.enumerated() {
      let range = output * length..<(output + 1) * length
      change(&weight.values[range], &bias.values[output], value)
    }
    weights["\(name).weight"] = weight
    weights["\(name).bias"] = bias
  }

  /// Adds a batch normalisation with its statistics, `[channels]` each.
  mutating func addBatchNormalization(
    scale: [Float]?, shift: [Float]?, mean: [Float], variance: [Float], epsilon: Float,
    at place: String
  ) throws(ModelError) {
    try add(.batchNormalization, at: place)
    let channels = shape.channelCount
    guard channelsLast == nil else {
      throw refuse(place, "no batch normalisation right after flattening", "one")
    }
    for count in [variance.count, scale?.count ?? channels] where count != channels {
      throw refuse(place, "\(channels) values, one a channel", "\(count)")
    }
    // This package has one ε; the scale makes up for another.
    guard shift?.count ?? channels == channels, mean.count == channels else {
      throw refuse(place, "\(channels) values, one a channel", "\(shift?.count ?? mean.count)")
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

  /// Adds a max-pooling; `kernel` and `stride` are of height and width.
  mutating func addMaxPooling(
    kernel: [Int], stride: [Int], edges: [Int] = [0, 0, 0, 0], roundsUp: Bool = false,
    at place: String
  ) throws(ModelError) {
    guard let size = kernel.first, kernel == [size, size] else {
      throw refuse(place, "a square window", "\(kernel)")
    }
    guard stride == kernel else { throw refuse(place, "stride \(size)", "\(stride)") }
    guard edges.allSatisfy({ $0 == 0 }) else { throw refuse(place, "no padding", "\(edges)") }
    if roundsUp, size > 0, let planes {
      guard planes.height % size == 0, planes.width % size == 0 else {
        throw refuse(
          place, "a pooling that leaves out what does not fill a window",
          "one that does not, on \(shape)")
      }
    }
    try add(.maxPooling(size: size), at: place)
  }

  /// Adds a flattening; nothing where there is a vector already.
  mutating func addFlatten(channelsLast isLast: Bool = false, at place: String) throws(ModelError) {
    guard let planes else { return }
    try add(.flatten, at: place)
    if isLast, planes.channels > 1, planes.height * planes.width > 1 { channelsLast = planes }
  }

  /// Adds what multiplies the logits before the softmax.
  mutating func addScale(_ factor: Double, at place: String) throws(ModelError) {
    guard case .dense? = layers.last, !isOver, factor.isFinite, factor > 0 else {
      throw refuse(place, "a positive factor on the logits only", "\(factor)")
    }
    temperature /= factor
  }

  mutating func addSoftmax(at place: String) throws(ModelError) {
    guard case .vector = shape, !isOver, case .dense? = layers.last else {
      throw refuse(place, "a softmax of a dense layer's logits, at the end", "another one")
    }
    isOver = true
  }

  /// What a file says beside its layers.
  struct Description {
    var labels: [String]?
    /// `nil` where the file does not say it.
    var inputScale: Float?
    /// Author, licence and description, where they are known.
    var about: [String: String] = [:]
    /// What this package wrote into it.
    var metadata: [String: String] = [:]
  }

  /// The model, with the labels of `options`, of this package or of the file.
  func model(_ description: Description, _ options: ImportOptions) throws(ModelError) -> Model {
    if let given = options.inputScale, let known = description.inputScale {
      throw refuse("--input-scale", "none, for the file says \(known)", "\(given)")
    }
    guard description.metadata["inkstate_format"] != nil else {
      return try foreignModel(description, options)
    }
    for (name, value) in [("--margin", options.margin), ("--pen-width", options.penWidth)] {
      if let value {
        throw refuse(name, "none, for the file says how drawings are drawn", "\(value)")
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
      throw refuse(
        "labels", "\(architecture.classCount.counted("label")) in the file, or --labels", "none")
    }
    let rasterizer: Rasterizer
    do {
      rasterizer = try Rasterizer(
        size: inputSize, margin: options.margin ?? Rasterizer.standard.margin,
        penWidth: options.penWidth ?? Rasterizer.standard.penWidth)
    } catch {
      throw refuse("raster", "a margin and a pen that fit", "\(error)")
    }
    var provenance = description.about
    provenance["imported_from"] = FileManager.default.displayName(atPath: path)
    return try Model(
      network: TrainedNetwork(architecture, weights: weights, path: path), labels: labels,
      preprocessing: .raster(
        rasterizer, scale: options.inputScale ?? description.inputScale ?? 1 / 255),
      decision: Model.Decision(
        temperature: temperature, rejectedLabel: labels.contains("other") ? "other" : nil),
      provenance: provenance, path: path)
  }

  /// A model that this package wrote: the layers have to be those that it says, but for dropout.
  private func ownModel(_ description: Description) throws(ModelError) -> Model {
    let read = try architecture()
    guard let text = description.metadata["architecture"],
      let stored = try? JSONDecoder().decode(Architecture.self, from: Data(text.utf8))
    else { throw refuse("architecture", "the description of a network in the metadata", "none") }
    var renamed: [String: Tensor] = [:]
    var next = 0
    for (index, layer) in stored.layers.enumerated() {
      if case .dropout = layer { continue }
      guard next < read.layers.count, Self.isSame(layer, read.layers[next]) else {
        throw refuse(
          "architecture", "in the metadata what the network has",
          "`\(layer.kind)` at layer \(index), not in the network")
      }
      for parameter in read.parameters where parameter.node == next {
        renamed[Parameter.name(node: index, parameter.role)] = weights[parameter.name]
      }
      next += 1
    }
    guard next == read.layers.count else {
      throw refuse(
        "architecture", "in the metadata what the network has", "fewer layers there")
    }
    let model = try Model(metadata: description.metadata, weights: renamed, path: path)
    // Somebody may have changed one and not the other.
    if let labels = description.labels, labels != model.labels {
      throw refuse(
        "labels", "those of the metadata, \(model.labels.joined(separator: ", "))",
        labels.joined(separator: ", "))
    }
    if let scale = description.inputScale, scale != model.preprocessing.scale {
      throw refuse(
        "input_scale", "that of the preprocessing, \(scale)", "\(model.preprocessing.scale)")
    }
    guard abs(model.decision.temperature - temperature) <= 1e-5 * temperature else {
      throw refuse(
        "decision.temperature", "that of the network, \(temperature)",
        "\(model.decision.temperature)")
    }
    return model
  }

  /// Whether two layers calculate the same: padding means nothing to a kernel of 1.
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
        // Some are too deep for a small picture.
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
      throw refuse(
        error.layer.map { "layer \($0 + 1)" } ?? "network", error.expected, error.found)
    }
  }
}

extension Model {
  /// The same model with other labels, in the same order.
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
