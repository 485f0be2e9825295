import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import JSONReading

/// The nodes of an imported network, which an importer adds one after another.
///
/// Each method adds a layer that reads ``current``, and makes its value the current one. A layer that this
/// package does not support gives an error with the name of the layer.
struct LayerGraph: ModelFileReader {
  let path: String
  let inputs: [NetworkInput]
  private let inputShapes: [Shape]
  private var nodes: [Architecture.Node] = []
  private var shapes: [Shape] = []
  private var weights: [String: Tensor] = [:]
  private var parameterCount = 0
  /// The value that the next layer reads.
  var current: Architecture.Source = .input(0)
  /// The axes of values that were flattened with their axes exchanged, `[outer, inner]` in this package.
  ///
  /// The weights of the next dense layer are reordered.
  private var exchanged: [Architecture.Source: (outer: Int, inner: Int)] = [:]
  /// The means that the file computes before it flattens planes, for the flattened values.
  private var pooled: [Architecture.Source: MeanPooling] = [:]
  /// Whether the graph ends with a softmax.
  private(set) var isComplete = false
  /// The number of classes of the cells, if the last planes have fields as well.
  private var cellClassCount: Int?
  /// The divisor of the logits before the softmax.
  private(set) var temperature = 1.0

  /// Creates a graph without nodes.
  init(inputs: [NetworkInput], path: String) {
    self.path = path
    self.inputs = inputs
    inputShapes = inputs.map { input in
      switch input.form {
      case .image(let channels, let height, let width):
        .planes(channels: channels, height: height, width: width.bounds.upperBound)
      case .page(let channels, let heights, let widths):
        .planes(channels: channels, height: heights.upperBound, width: widths.upperBound)
      case .series(let channels, let length):
        .series(length: length.bounds.upperBound, channels: channels)
      case .vector(let count): .vector(count)
      }
    }
  }

  /// The shape of a value at its longest.
  func shape(of source: Architecture.Source) -> Shape {
    switch source {
    case .input(let index): inputShapes[index]
    case .node(let index): shapes[index]
    }
  }

  private var shape: Shape { shape(of: current) }

  /// The layer that computes the current value, or `nil` if it is an input.
  var layer: Layer? {
    if case .node(let index) = current { nodes[index].layer } else { nil }
  }

  /// The shape that the next layer reads, or `nil` if it does not read planes.
  var planes: (channels: Int, height: Int, width: Int)? {
    guard case .planes(let channels, let height, let width) = shape else { return nil }
    return (channels, height, width)
  }

  /// The shape that the next layer reads, or `nil` if it does not read a series.
  var series: (length: Int, channels: Int)? {
    guard case .series(let length, let channels) = shape else { return nil }
    return (length, channels)
  }

  /// Adds a layer without parameters; without `sources`, it reads the current value.
  mutating func add(
    _ layer: Layer, from sources: [Architecture.Source]? = nil, at place: String
  ) throws(ModelError) {
    guard !isComplete else { throw mismatch(place, "nothing after the softmax", layer.kind) }
    guard temperature == 1 else {
      throw mismatch(place, "a softmax after scaled logits", layer.kind)
    }
    let sources = sources ?? [current]
    let counts = type(of: layer.definition).sourceCounts
    guard counts.contains(sources.count) else {
      throw mismatch(
        place, "\(counts.lowerBound) to \(counts.upperBound) sources", "\(sources.count)")
    }
    if sources.contains(where: { pooled[$0] != nil }) {
      guard case .dense = layer else {
        throw mismatch(place, "a dense layer after an average pooling and a flattening", layer.kind)
      }
    }
    if let source = sources.first(where: { exchanged[$0] != nil }) {
      if layer.export.isElementwise {
        exchanged[.node(nodes.count)] = exchanged[source]
      } else {
        guard case .dense = layer else {
          throw mismatch(
            place, "a dense layer after a flattening with channels last or steps last", layer.kind)
        }
      }
    }
    let next: Shape
    do {
      next = try layer.definition.outputShape(of: sources.map(shape(of:)))
    } catch {
      throw mismatch(place, "\(layer.kind) with \(error.expected)", error.found)
    }
    // A row of many upsamplings would have more than an integer counts.
    let exponent = Architecture.maximumValueExponents.page
    guard next.count <= 1 << exponent else {
      throw mismatch(place, "at most 2^\(exponent) values an example", "\(next)")
    }
    shapes.append(next)
    nodes.append(.init(layer, from: sources))
    current = .node(nodes.count - 1)
  }

  private mutating func store(
    _ role: Parameter.Role, _ values: [Float], _ shape: [Int], at place: String
  ) throws(ModelError) {
    guard values.count == shape.reduce(1, *) else {
      throw mismatch(
        place, "\(shape.map(String.init).joined(separator: " × ")) values", "\(values.count)")
    }
    parameterCount += values.count
    guard parameterCount <= Architecture.maximumParameters else {
      throw mismatch(
        place, "at most \(Architecture.maximumParameters) parameters in all", "more")
    }
    weights[Parameter.name(node: nodes.count - 1, role)] = Tensor(shape: shape, values: values)
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

  /// The attributes of a convolution over time.
  struct SeriesWindow {
    var kernel: Int
    var stride = 1
    var dilation = 1
    var groups = 1
    /// The padding before and after; `nil` for the padding that keeps the length.
    var edges: [Int]? = [0, 0]
  }

  /// Adds a convolution over time; `weight` is `[filters, channels, kernel]`.
  mutating func addSeriesConvolution(
    filters: Int, _ window: SeriesWindow, weight: [Float], bias: [Float]?, at place: String
  ) throws(ModelError) {
    let kernel = window.kernel
    guard (1...1024).contains(kernel) else {
      throw mismatch(place, "a kernel of 1 to 1024 steps", "\(kernel)")
    }
    guard window.dilation == 1 else { throw mismatch(place, "dilation 1", "\(window.dilation)") }
    guard window.groups == 1 else { throw mismatch(place, "1 group", "\(window.groups)") }
    guard let channels = series?.channels else {
      throw mismatch(place, "a series to work on", "\(shape)")
    }
    let before = (kernel - 1) / 2
    let padding: SeriesConvolution.Padding
    switch window.edges {
    case [0, 0]?: padding = .valid
    case [before, kernel - 1 - before]?: padding = .same
    case [kernel - 1, 0]?: padding = .causal
    case nil where window.stride == 1: padding = .same
    case let edges:
      throw mismatch(
        place,
        "no padding, \(before) steps before and \(kernel - 1 - before) after, or \(kernel - 1) before",
        edges.map { "\($0)" } ?? "a padding that depends on the length")
    }
    try add(
      .seriesConvolution(
        filters: filters, kernel: kernel, stride: window.stride, padding: padding), at: place)
    guard weight.count == filters * channels * kernel else {
      throw mismatch(place, "\(filters) × \(channels) × \(kernel) values", "\(weight.count)")
    }
    try store(
      .weight,
      WeightArchive.transposed(weight, shape: [filters, channels, kernel], axes: [0, 2, 1]),
      [filters, kernel, channels], at: place)
    try store(.bias, bias ?? [Float](repeating: 0, count: filters), [filters], at: place)
  }

  /// Adds a GRU or an LSTM; `values` are the stored arrays of each direction in this package's order.
  mutating func addRecurrent(
    _ layer: Layer, units: Int, _ values: [[[Float]]], at place: String
  ) throws(ModelError) {
    guard let channels = series?.channels else {
      throw mismatch(place, "a series to work on", "\(shape)")
    }
    try add(layer, at: place)
    let rows = (values[0][2].count / units) * units
    guard let direction = layer.recurrent?.direction else {
      preconditionFailure("\(layer.kind) is not recurrent")
    }
    for (pass, arrays) in zip(direction.passes, values) {
      for (role, (array, shape)) in zip(
        pass.roles, zip(arrays, [[rows, channels], [rows, units], [rows], [rows]]))
      {
        try store(role, array, shape, at: place)
      }
    }
  }

  /// Makes one GRU of the two last layers, if one of them reads forwards and the other backwards what it
  /// reads; returns whether they are such layers.
  mutating func joinDirections(_ sources: [Architecture.Source]) -> Bool {
    let first = nodes.count - 2
    guard first >= 0, sources == [.node(first), .node(first + 1)],
      case .series(let length, _) = shapes[first],
      case .gru(let forward) = nodes[first].layer, case .gru(let backward) = nodes[first + 1].layer,
      forward.direction == .forward, backward.direction == .backward,
      forward.units == backward.units, nodes[first].sources == nodes[first + 1].sources
    else { return false }
    let layer = Layer.gru(units: forward.units, direction: .both)
    for role in Direction.backward.passes[0].roles {
      weights[Parameter.name(node: first, role)] = weights.removeValue(
        forKey: Parameter.name(node: first + 1, role))
    }
    nodes.removeLast()
    shapes.removeLast()
    nodes[first].layer = layer
    shapes[first] = .series(length: length, channels: 2 * forward.units)
    current = .node(first)
    return true
  }

  /// Adds a layer normalisation; each list has one value for each channel.
  mutating func addLayerNormalization(
    scale: [Float], shift: [Float]?, epsilon: Float, at place: String
  ) throws(ModelError) {
    guard abs(epsilon - LayerNormalization.epsilon) <= 1e-3 * LayerNormalization.epsilon else {
      throw mismatch(place, "an ε of \(LayerNormalization.epsilon)", "\(epsilon)")
    }
    try add(.layerNormalization, at: place)
    let channels = shape.channelCount
    try store(.weight, scale, [channels], at: place)
    try store(.bias, shift ?? [Float](repeating: 0, count: channels), [channels], at: place)
  }

  /// Adds attention over time; `weight` has one value for each channel.
  mutating func addAttention(weight: [Float], at place: String) throws(ModelError) {
    try add(.timePooling(.attention), at: place)
    try store(.weight, weight, [shape.channelCount], at: place)
  }

  /// Adds a convolution; `weight` is `[filters, channels, kernel, kernel]`.
  mutating func addConvolution(
    filters: Int, _ window: Window, weight: [Float], bias: [Float]?, at place: String
  ) throws(ModelError) {
    guard let kernel = window.kernel.first, window.kernel == [kernel, kernel],
      (1...31).contains(kernel)
    else { throw mismatch(place, "a square kernel of 1 to 31", "\(window.kernel)") }
    guard window.stride == [1, 1] || window.stride == [2, 2] else {
      throw mismatch(place, "stride 1 or 2", "\(window.stride)")
    }
    let stride = window.stride[0]
    guard window.dilation == [1, 1] else {
      throw mismatch(place, "dilation 1", "\(window.dilation)")
    }
    guard window.groups == 1 else { throw mismatch(place, "1 group", "\(window.groups)") }
    guard let channels = planes?.channels else {
      throw mismatch(place, "planes to work on", "a vector of \(shape)")
    }
    let half = kernel / 2
    var (weight, size) = (weight, kernel)
    let padding: Convolution.Padding
    switch window.edges {
    case [half, half, half, half]? where kernel % 2 == 1: padding = .same
    case [0, 0, 0, 0]?: padding = .valid
    case let edges where stride > 1:
      throw mismatch(
        place, "no padding, or \(half) on each side",
        edges.map { "\($0)" } ?? "one that depends on the size")
    case let edges:
      // Zeros before and after keep the size. With zeros around it, the kernel has them on both sides alike.
      let edges = edges ?? [(kernel - 1) / 2, (kernel - 1) / 2, half, half]
      guard edges[0] + edges[2] == kernel - 1, edges[1] + edges[3] == kernel - 1 else {
        throw mismatch(
          place, "no padding, or padding that keeps the size, \(kernel - 1) in all", "\(edges)")
      }
      guard weight.count == filters * channels * kernel * kernel else {
        throw mismatch(
          place, "\(filters) × \(channels) × \(kernel) × \(kernel) values", "\(weight.count)")
      }
      padding = .same
      let most = edges.max()!
      size = 2 * most + 1
      weight = Self.widened(
        weight, kernel: kernel, to: size, top: most - edges[0], left: most - edges[1])
    }
    if padding == .valid, kernel % 2 == 0 {
      throw mismatch(
        place, "an odd kernel, or padding that keeps the size", "a kernel of \(kernel) × \(kernel)")
    }
    try add(
      .convolution(filters: filters, kernel: size, stride: stride, padding: padding), at: place)
    try store(.weight, weight, [filters, channels, size, size], at: place)
    try store(.bias, bias ?? [Float](repeating: 0, count: filters), [filters], at: place)
  }

  /// Returns square kernels with zeros around them; `top` and `left` are their places in the larger ones.
  private static func widened(
    _ weight: [Float], kernel: Int, to size: Int, top: Int, left: Int
  ) -> [Float] {
    guard size != kernel else { return weight }
    var result = [Float](repeating: 0, count: weight.count / (kernel * kernel) * size * size)
    for (index, value) in weight.enumerated() {
      let (plane, row, column) = (
        index / (kernel * kernel), index / kernel % kernel, index % kernel
      )
      result[(plane * size + top + row) * size + left + column] = value
    }
    return result
  }

  /// Adds the multiplication and addition with which a file begins; each channel has the same.
  mutating func addInputScale(_ scale: Float, shift: Float, at place: String) throws(ModelError) {
    let channels = shape.channelCount
    try addBatchNormalization(
      scale: [Float](repeating: scale, count: channels),
      shift: [Float](repeating: shift, count: channels),
      mean: [Float](repeating: 0, count: channels),
      variance: [Float](repeating: 1, count: channels), epsilon: 0, at: place)
  }

  /// Adds a dense layer; `weight` is `[units, inputs]`.
  mutating func addDense(
    units: Int, weight: [Float], bias: [Float]?, at place: String
  ) throws(ModelError) {
    let inputs = series?.channels ?? shape.count
    let (exchange, pooling) = (exchanged[current], pooled[current])
    try add(.dense(units: units), at: place)
    var weight = weight
    if let (outer, inner) = exchange, weight.count == units * outer * inner {
      weight = WeightArchive.transposed(weight, shape: [units, inner, outer], axes: [0, 2, 1])
    }
    if let pooling {
      let count = pooling.channels * pooling.planeCount
      guard weight.count == units * count else {
        throw mismatch(place, "\(units) × \(count) values", "\(weight.count)")
      }
      weight = pooling.weights(for: weight, units: units)
    }
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
    guard case .node(let index) = current else {
      throw mismatch(place, "a convolution or a dense layer right before it", "an input")
    }
    guard nodes[index].layer.export.isProduct else {
      throw mismatch(place, "a convolution or a dense layer right before it", "none")
    }
    let (weightName, biasName) = (
      Parameter.name(node: index, .weight), Parameter.name(node: index, .bias)
    )
    var (weight, bias) = (weights[weightName]!, weights[biasName]!)
    guard !isComplete, temperature == 1 else {
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
    (weights[weightName], weights[biasName]) = (weight, bias)
  }

  /// Adds a batch normalisation; each list has one value for each channel.
  mutating func addBatchNormalization(
    scale: [Float]?, shift: [Float]?, mean: [Float], variance: [Float], epsilon: Float,
    at place: String
  ) throws(ModelError) {
    try add(.batchNormalization, at: place)
    let channels = shape.channelCount
    for values in [variance, scale, shift, mean] {
      guard let count = values?.count, count != channels else { continue }
      throw mismatch(place, "\(channels) values, one a channel", "\(count)")
    }
    // This package has one ε. The scale compensates for a different ε in the file.
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

  /// Returns the average pooling of the current planes; `kernel` and `stride` contain height and width.
  ///
  /// It is no layer. The flattening after it takes it to the dense layer; see ``MeanPooling``.
  func meanPooling(
    kernel: [Int], stride: [Int], edges: [Int] = [0, 0, 0, 0], countsPadding: Bool = false,
    roundsUp: Bool = false, at place: String
  ) throws(ModelError) -> MeanPooling {
    guard let planes else { throw mismatch(place, "planes to work on", "\(shape)") }
    func isInside(_ axis: Int, _ size: Int) -> Bool {
      let (window, step) = (kernel[axis], stride[axis])
      let (before, after) = (edges[axis], edges[axis + 2])
      guard (1...512).contains(window), (1...512).contains(step) else { return false }
      guard (0..<window).contains(before), (0..<window).contains(after) else { return false }
      return window <= size + before + after
    }
    guard kernel.count == 2, stride.count == 2, edges.count == 4, isInside(0, planes.height),
      isInside(1, planes.width)
    else {
      throw mismatch(
        place, "windows inside \(shape)",
        "a kernel of \(kernel), a stride of \(stride) and padding of \(edges)")
    }
    func isComplete(_ axis: Int, _ size: Int) -> Bool {
      (size + edges[axis] + edges[axis + 2] - kernel[axis]) % stride[axis] == 0
    }
    if roundsUp, !isComplete(0, planes.height) || !isComplete(1, planes.width) {
      throw mismatch(
        place, "a pooling that leaves out incomplete windows", "one that does not, on \(shape)")
    }
    return MeanPooling(
      channels: planes.channels, height: planes.height, width: planes.width, kernel: kernel,
      stride: stride, edges: edges, countsPadding: countsPadding)
  }

  /// Adds a flattening, unless the next layer reads a vector already.
  ///
  /// `isExchanged` says that the file has the channels of planes last, or the steps of a series; `pooling` is
  /// the average pooling right before.
  mutating func addFlatten(
    exchanged isExchanged: Bool = false, pooling: MeanPooling? = nil, at place: String
  ) throws(ModelError) {
    let axes: (outer: Int, inner: Int)
    switch shape {
    case .planes(let channels, let height, let width):
      axes = (channels, pooling?.planeCount ?? height * width)
    case .series(let length, let channels):
      if let input = inputs.first(where: { $0.hasVariableLength }) {
        throw mismatch(
          place, "a pooling over time, because the length of `\(input.name)` varies", "a flattening"
        )
      }
      axes = (length, channels)
    case .vector: return
    }
    try add(.flatten, at: place)
    if isExchanged, axes.outer > 1, axes.inner > 1 { exchanged[current] = axes }
    pooled[current] = pooling
  }

  /// Adds a multiplication of the logits before the softmax.
  mutating func addScale(_ factor: Double, at place: String) throws(ModelError) {
    guard makesLogits, !isComplete, factor.isFinite, factor > 0 else {
      throw mismatch(place, "a positive factor on the logits only", "\(factor)")
    }
    temperature /= factor
  }

  /// Adds a sigmoid of one logit, the probability of the second of two classes.
  ///
  /// It is a softmax whose first logit is 0.
  mutating func addSigmoid(at place: String) throws(ModelError) {
    guard !isComplete, case .node(let index) = current, index == nodes.count - 1,
      case .dense(let dense) = nodes[index].layer
    else { throw mismatch(place, "a sigmoid of a dense layer's logit, at the end", "another one") }
    guard dense.units == 1 else {
      throw mismatch(
        place, "a softmax, or a sigmoid of one logit", "a sigmoid of \(dense.units) logits")
    }
    let weightName = Parameter.name(node: index, .weight)
    let biasName = Parameter.name(node: index, .bias)
    let (weight, bias) = (weights[weightName]!.values, weights[biasName]!.values)
    nodes[index].layer = .dense(units: 2)
    shapes[index] = .vector(2)
    weights[weightName] = Tensor(
      shape: [2, weight.count], values: [Float](repeating: 0, count: weight.count) + weight)
    weights[biasName] = Tensor(shape: [2], values: [0] + bias)
    parameterCount += weight.count + 1
    isComplete = true
  }

  mutating func addSoftmax(at place: String) throws(ModelError) {
    guard !isComplete, makesLogits else {
      throw mismatch(place, "a softmax of a dense layer's logits, at the end", "another one")
    }
    isComplete = true
  }

  /// Whether the current value can be logits: those of a dense layer, or of the cells of a picture.
  private var makesLogits: Bool {
    switch layer {
    case .dense?: true
    case .convolution(let layer)?: layer.kernel == 1 && layer.stride == 1
    default: false
    }
  }

  /// Takes the first channels of the cells as logits, and the others as fields.
  mutating func setCellClasses(_ count: Int, at place: String) throws(ModelError) {
    guard makesLogits, !isComplete, cellClassCount == nil, let planes,
      (2..<planes.channels) ~= count
    else {
      throw mismatch(
        place, "the first channels of the last convolution as classes", "other channels")
    }
    cellClassCount = count
  }

  /// Whether these channels are all those after the classes of the cells.
  func areCellFields(from start: Int, to end: Int) -> Bool {
    cellClassCount == start && planes?.channels == end
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
    let given = [
      ("--margin", options.margin.map { "\($0)" }),
      ("--pen-width", options.penWidth.map { "\($0)" }),
      ("--pictures", options.pictures.map { $0.examples.count.counted("picture") }),
    ]
    for (name, value) in given {
      if let value {
        throw mismatch(name, "no option, because the file has the preprocessing", value)
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
    let network = try network(nil)
    let architecture = network.architecture
    guard let labels = options.labels ?? description.labels else {
      throw mismatch(
        "labels", "\(architecture.classCount.counted("label")) in the file, or --labels", "none")
    }
    var preprocessing: [Preprocessing] = []
    for input in architecture.inputs {
      if case .distributionPerCell = architecture.output {
        preprocessing.append(.page(.standard))
        continue
      }
      preprocessing.append(try self.preprocessing(of: input, description, options))
    }
    let fields =
      if case .distributionPerCell(let count) = architecture.output {
        (0..<count).map { "field \($0 + 1)" }
      } else { [String]() }
    var provenance = description.about
    provenance["imported_from"] = FileManager.default.displayName(atPath: path)
    return try Model(
      network: network, labels: labels,
      preprocessing: preprocessing,
      decision: Model.Decision(
        temperature: temperature, rejectedLabel: Model.Decision.rejectedLabel(among: labels)),
      provenance: provenance, fields: fields, path: path)
  }

  /// Returns how the input of a network of another program is made.
  private func preprocessing(
    of input: NetworkInput, _ description: Description, _ options: ImportOptions
  ) throws(ModelError) -> Preprocessing {
    let place = "input `\(input.name)`"
    switch input.form {
    case .image(1, let size, .fixed(let width)) where size == width:
      do {
        return .raster(
          try options.rasterizer(size: size),
          scale: options.inputScale ?? description.inputScale ?? 1 / 255)
      } catch {
        throw mismatch("raster", "a margin and a pen that fit", "\(error)")
      }
    case .series(let channels, let length):
      // The files have no names of channels, but those of inputs with one.
      let names = channels == 1 ? [input.name] : (1...channels).map { "\(input.name) \($0)" }
      do {
        guard case .fixed(let steps) = length else {
          return .series(try SeriesPreparation(channels: names), window: nil)
        }
        return .series(
          try SeriesPreparation(channels: names),
          window: try SlidingWindows(length: steps, stride: steps))
      } catch {
        throw mismatch(place, "a series that can be prepared", "\(error)")
      }
    case .image, .page: throw mismatch(place, "a square grey picture", "another picture")
    case .vector(let count):
      throw mismatch(
        place, "a picture or a series; Inkstate has no preprocessing for vectors",
        "a vector of \(count)")
    }
  }

  /// Returns the architecture in the metadata that this package wrote, or `nil` if there are none.
  static func architecture(
    in metadata: [String: String], path: String
  ) throws(ModelError) -> Architecture? {
    guard metadata["inkstate_format"] != nil else { return nil }
    guard let text = metadata["architecture"] else {
      throw ModelError(
        path: path, field: "architecture",
        expected: "the description of a network in the metadata", found: "none")
    }
    do {
      return try Architecture(strictJSON: Data(text.utf8), name: "\(path), architecture")
    } catch let error as ArchitectureError {
      throw ModelError(
        path: path, field: "architecture", expected: error.expected, found: error.found)
    } catch {
      throw ModelError(json: error, path: "\(path), architecture")
    }
  }

  /// Returns the network.
  ///
  /// With `stored`, the architecture in the metadata, it is that one, after checking that the nodes match.
  /// Dropout is only in the metadata.
  func network(_ stored: Architecture?) throws(ModelError) -> TrainedNetwork {
    let output: Architecture.Output =
      switch shape {
      case .series: .distributionPerStep
      case .planes(let channels, _, _):
        .distributionPerCell(fields: channels - (cellClassCount ?? channels))
      case .vector: .distribution
      }
    let read = Self.simplified(nodes, sources: nodes.map { $0.sources! }, shape: shape(of:))
    guard let stored else {
      return try TrainedNetwork(
        architecture(read, output), weights: renamed(read, Array(read.indices)), path: path)
    }
    let expected = Self.simplified(
      stored.nodes, sources: stored.sources, shape: stored.shape(of:))
    for (index, node) in expected.enumerated() {
      guard index < read.count, node.layer.export.isEquivalent(to: read[index].layer.export),
        node.sources == read[index].sources
      else {
        throw mismatch(
          "architecture", "the layers of the network in the metadata",
          "`\(node.layer.kind)` at layer \(node.index), which is not in the network")
      }
    }
    guard expected.count == read.count, inputs == stored.inputs, output == stored.output else {
      throw mismatch(
        "architecture", "the layers of the network in the metadata", "other layers or inputs")
    }
    return try TrainedNetwork(
      stored, weights: renamed(read, expected.map(\.index)), path: path)
  }

  /// A node of a simplified graph, with its index before.
  private typealias SimpleNode = (index: Int, layer: Layer, sources: [Architecture.Source])

  /// Returns the nodes that change values; a dense layer reads the parts of a concatenation of vectors.
  private static func simplified(
    _ nodes: [Architecture.Node], sources: [[Architecture.Source]],
    shape: (Architecture.Source) -> Shape
  ) -> [SimpleNode] {
    /// The nodes that read each value, also through nodes that do not change it.
    var readers = [[Int]](repeating: [], count: nodes.count)
    for index in nodes.indices.reversed() {
      let isSame = nodes[index].layer.export.isIdentity(on: shape(sources[index][0]))
      for case .node(let source) in sources[index] {
        readers[source] += isSame ? readers[index] : [index]
      }
    }
    func isDense(_ index: Int) -> Bool {
      if case .dense = nodes[index].layer { true } else { false }
    }
    var result: [SimpleNode] = []
    /// The simplified sources that replace the value of each node.
    var values: [[Architecture.Source]] = []
    for (index, node) in nodes.enumerated() {
      let read = sources[index].flatMap { source -> [Architecture.Source] in
        if case .node(let other) = source { values[other] } else { [source] }
      }
      let readShape = shape(sources[index][0])
      if node.layer.export.isIdentity(on: readShape) {
        values.append(read)
      } else if case .concatenation = node.layer, case .vector = readShape,
        read.count <= Dense.sourceCounts.upperBound,
        readers[index].allSatisfy({ isDense($0) && sources[$0].count == 1 })
      {
        values.append(read)
      } else {
        values.append([.node(result.count)])
        result.append((index, node.layer, read))
      }
    }
    return result
  }

  /// Returns the weights of `nodes` for nodes with the indices `numbers`.
  private func renamed(_ nodes: [SimpleNode], _ numbers: [Int]) -> [String: Tensor] {
    let indices = Dictionary(
      zip(nodes.map { "\($0.index)" }, numbers)
    ) { first, _ in first }
    return Dictionary(
      weights.map { name, tensor in
        let dot = name.firstIndex(of: ".")!
        return ("\(indices[String(name[..<dot])]!)\(name[dot...])", tensor)
      }
    ) { first, _ in first }
  }

  /// Returns a model that this package wrote, after checking that its layers match its metadata.
  private func ownModel(_ description: Description) throws(ModelError) -> Model {
    let network = try network(Self.architecture(in: description.metadata, path: path))
    let model = try Model(metadata: description.metadata, weights: network.weights, path: path)
    // Another program may have changed one and not the other.
    if let labels = description.labels, labels != model.labels {
      throw mismatch(
        "labels", "those of the metadata, \(model.labels.joined(separator: ", "))",
        labels.joined(separator: ", "))
    }
    let scales = model.preprocessing.compactMap(\.greyScale)
    if let scale = description.inputScale, let other = scales.first(where: { $0 != scale }) {
      throw mismatch("input_scale", "that of the preprocessing, \(scale)", "\(other)")
    }
    guard abs(model.decision.temperature - temperature) <= 1e-5 * temperature else {
      throw mismatch(
        "decision.temperature", "that of the network, \(temperature)",
        "\(model.decision.temperature)")
    }
    return model
  }

  /// Returns the architecture of a network of another program, named if this package has it.
  private func architecture(
    _ read: [SimpleNode], _ output: Architecture.Output
  ) throws(ModelError) -> Architecture {
    let nodes = read.map { Architecture.Node($0.layer, from: $0.sources) }
    do {
      let architecture = try Architecture(
        name: "imported", inputs: fittingInputs(nodes, output), nodes: nodes, output: output)
      guard architecture.isChain, let size = architecture.pictureSize else { return architecture }
      for name in Architecture.names {
        // Some networks are too deep for a small picture.
        guard
          let known = try? Architecture.named(
            name, classCount: architecture.classCount, inputSize: size)
        else { continue }
        let knownLayers = known.layers.filter { if case .dropout = $0 { false } else { true } }
        if knownLayers == architecture.layers {
          return try Architecture(name: name, inputSize: size, layers: architecture.layers)
        }
      }
      return architecture
    } catch {
      throw mismatch(
        error.layer.map { "layer \($0 + 1)" } ?? "network", error.expected, error.found)
    }
  }

  /// Returns the inputs; series of variable length are at least as long as the layers need.
  private func fittingInputs(
    _ nodes: [Architecture.Node], _ output: Architecture.Output
  ) -> [NetworkInput] {
    guard inputs.contains(where: \.hasVariableLength) else { return inputs }
    func longer(_ least: Int) -> [NetworkInput] {
      self.inputs.map { input in
        guard case .series(let channels, .variable(let bounds)) = input.form else { return input }
        return NetworkInput(
          name: input.name,
          form: .series(
            channels: channels,
            length: .variable(min(least, bounds.upperBound)...bounds.upperBound)))
      }
    }
    var (least, most) = (1, inputShapes.map { $0.count / $0.channelCount }.max() ?? 1)
    while least < most {
      let middle = (least + most) / 2
      let fits =
        (try? Architecture(
          name: "", inputs: longer(middle), nodes: nodes, output: output)) != nil
      if fits { most = middle } else { least = middle + 1 }
    }
    return longer(least)
  }
}

extension NetworkInput {
  /// Whether the input is a series whose length differs between examples.
  fileprivate var hasVariableLength: Bool {
    if case .series(_, .variable) = form { true } else { false }
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
    decision.minimumProbabilities = renamed(decision.minimumProbabilities)
    decision.minimumMargins = renamed(decision.minimumMargins)
    decision.rejectedLabel = decision.rejectedLabel.flatMap { names[$0] }
    return try Model(
      network: network, labels: labels, preprocessing: preprocessing, decision: decision,
      provenance: provenance, letters: letters, fields: fields, path: path)
  }
}

extension ImportOptions {
  /// Returns what makes pictures of `size` × `size` for a network that says nothing about its pictures.
  ///
  /// - Throws: `RasterError` if margin and pen do not fit the size.
  fileprivate func rasterizer(size: Int) throws(RasterError) -> Rasterizer {
    if let pictures {
      return try pictures.rasterizer(size: size, margin: margin, penWidth: penWidth)
    }
    let plain = try Rasterizer(
      size: size, margin: margin ?? Rasterizer.standard.margin,
      penWidth: penWidth ?? Rasterizer.standard.penWidth)
    let isGiven = margin != nil
    return plain.with(
      pictures: isGiven ? try .margin(plain.margin, size: size) : try .whole(size: size))
  }
}
