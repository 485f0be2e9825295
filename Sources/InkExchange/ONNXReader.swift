import Foundation
import Ink
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Reads an ONNX graph that is one chain of layers, with channels first or last.
struct ONNXReader: ModelFileReader {
  let path: String

  func model(_ data: Data, _ options: ImportOptions) throws(ModelError) -> Model {
    let file = try decode(
      Onnx_ModelProto.self, from: data, ProtobufFields.onnx, kind: "an ONNX model")
    guard !file.graph.node.isEmpty else { throw mismatch("graph", "nodes", "none") }
    var walk = try Walk(file.graph, path: path)
    try walk.run()
    let metadata = Dictionary(file.metadataProps.map { ($0.key, $0.value) }) { first, _ in first }
    var about = ["author": metadata["author"] ?? "", "license": metadata["license"] ?? ""]
    about["description"] = file.docString
    return try walk.chain.model(
      .init(
        labels: nil, inputScale: walk.inputScale,
        about: about.filter { !$0.value.isEmpty }, metadata: metadata), options)
  }

  /// A walk through the graph from the input to the output.
  private struct Walk: ModelFileReader {
    let path: String
    private let constants: Constants
    /// The nodes that read each value, except those that only read its shape.
    private let readers: [String: [Onnx_NodeProto]]
    private let nodeCount: Int
    private let outputs: Set<String>
    private var value: String
    /// The axes of the current value, as indices into `[batch, channels, height, width]`.
    private var axes: [Int]
    private(set) var chain: LayerChain
    /// The factor by which the graph multiplies grey values.
    private(set) var inputScale: Float?

    init(_ graph: Onnx_GraphProto, path: String) throws(ModelError) {
      func mismatch(_ place: String, _ expected: String, _ found: String) -> ModelError {
        ModelError(path: path, field: place, expected: expected, found: found)
      }
      self.path = path
      let constants = Constants(graph, path: path)
      self.constants = constants
      nodeCount = graph.node.count
      outputs = Set(graph.output.map(\.name))
      var readers: [String: [Onnx_NodeProto]] = [:]
      for node in graph.node where node.opType != "Shape" {
        for name in Set(node.input) { readers[name, default: []].append(node) }
      }
      self.readers = readers
      // Old files list their constants as inputs too.
      let inputs = graph.input.filter { !constants.contains($0.name) }
      guard inputs.count == 1, let input = inputs.first else {
        throw mismatch("input", "one picture", "\(inputs.count) inputs")
      }
      value = input.name
      // Integers can only be grey values from 0 to 255.
      let type = Onnx_TensorProto.DataType(rawValue: Int(input.type.tensorType.elemType))
      if let type, ![.undefined, .float, .double, .float16].contains(type) { inputScale = 1 }
      let lengths = input.type.tensorType.shape.dim.map(\.dimValue)
      let sides: ArraySlice<Int64>
      switch lengths.count {
      case 4 where lengths[1] == 1: (axes, sides) = ([0, 1, 2, 3], lengths[2...3])
      case 4 where lengths[3] == 1: (axes, sides) = ([0, 2, 3, 1], lengths[1...2])
      default:
        throw mismatch(
          "input `\(input.name)`", "[batch, 1, rows, columns] or [batch, rows, columns, 1]",
          "\(lengths)")
      }
      guard let size = sides.first, sides.last == size, (4...512).contains(size) else {
        throw mismatch(
          "input `\(input.name)`", "as many rows as columns, 4 to 512",
          "\(sides.map(String.init).joined(separator: " × ")) (0 is a size that may vary)")
      }
      chain = LayerChain(inputSize: Int(size), path: path)
    }

    mutating func run() throws(ModelError) {
      var steps = 0
      while let node = try nextNode() {
        steps += 1
        guard steps <= nodeCount else { throw mismatch("graph", "an end", "a circle") }
        try add(node, at: "node `\(node.name)` (\(node.opType))")
        value = node.output.first ?? ""
      }
      guard outputs.contains(value) else {
        throw mismatch("graph", "one chain from the input to the output", "an end at `\(value)`")
      }
    }

    private func nextNode() throws(ModelError) -> Onnx_NodeProto? {
      let next = readers[value] ?? []
      guard next.count <= 1 else {
        throw mismatch(
          "value `\(value)`", "one chain of nodes",
          "\(next.count) nodes that read it: "
            + next.prefix(3).map { "\($0.opType)" }.joined(separator: ", "))
      }
      return next.first
    }

    private mutating func add(_ node: Onnx_NodeProto, at place: String) throws(ModelError) {
      let attributes = try Attributes(node, path: path, at: place)
      switch node.opType {
      case "Conv": try addConvolution(node, attributes, at: place)
      case "MaxPool": try addPooling(attributes, at: place)
      case "Relu": try chain.addReLU(at: place)
      case "BatchNormalization":
        guard axes == [0, 1, 2, 3] || chain.planes == nil else {
          throw mismatch(place, "channels first", "channels last")
        }
        guard (attributes.int("training_mode") ?? 0) == 0 else {
          throw mismatch(place, "stored statistics", "training_mode")
        }
        try chain.addBatchNormalization(
          scale: constant(node, 1, at: place), shift: constant(node, 2, at: place),
          mean: constant(node, 3, at: place), variance: constant(node, 4, at: place),
          epsilon: attributes.float("epsilon") ?? 1e-5, at: place)
      case "Flatten":
        guard (attributes.int("axis") ?? 1) == 1 else {
          throw mismatch(place, "axis 1", "\(attributes.int("axis") ?? 1)")
        }
        try flatten(at: place)
      case "Reshape": try reshape(node, at: place)
      case "Transpose": try transpose(attributes, at: place)
      case "Gemm": try addProduct(node, attributes, at: place)
      case "MatMul":
        let weight = try tensor(node, 1, at: place)
        try addDense(weight, isTransposed: false, bias: nil, at: place)
      case "Add":
        let (constant, _) = try otherInput(node, at: place)
        let values = try constants.floats(constant, at: place)
        guard chain.hasLayers || values.allSatisfy({ $0 == 0 }) else {
          throw mismatch(place, "a layer before what is added", "the picture")
        }
        if chain.hasLayers { try chain.addBias(perOutput(constant, values, at: place), at: place) }
      case "Mul", "Div":
        let (constant, isSecond) = try otherInput(node, at: place)
        let values = try constants.floats(constant, at: place)
        guard isSecond || node.opType == "Mul" else {
          throw mismatch(place, "a constant to divide by", "one that is divided")
        }
        let factors = node.opType == "Mul" ? values : values.map { 1 / $0 }
        if factors.count == 1, !chain.hasLayers {
          inputScale = (inputScale ?? 1) * factors[0]
        } else if factors.count == 1, chain.outputCount != 1 {
          try chain.addScale(Double(factors[0]), at: place)
        } else {
          // A batch normalisation that was simplified to a multiplication.
          try chain.multiplyOutputs(perOutput(constant, factors, at: place), at: place)
        }
      case "Softmax", "LogSoftmax":
        let axis = attributes.int("axis") ?? -1
        guard axis == -1 || axis == 1 else { throw mismatch(place, "axis 1 or -1", "\(axis)") }
        try chain.addSoftmax(at: place)
      case "Cast":
        let type = Onnx_TensorProto.DataType(rawValue: attributes.int("to") ?? 0)
        guard type == .float || type == .double || type == .float16 else {
          throw mismatch(
            place, "a cast to floating-point numbers", "to \(attributes.int("to") ?? 0)")
        }
      case "Identity", "Dropout": break
      default:
        throw mismatch(
          place,
          "Conv, MaxPool, Relu, BatchNormalization, Flatten, Reshape, Transpose, Gemm, MatMul, Add, "
            + "Mul, Div, Softmax, Dropout, Cast or Identity", node.opType)
      }
    }

    private mutating func addConvolution(
      _ node: Onnx_NodeProto, _ attributes: Attributes, at place: String
    ) throws(ModelError) {
      try useChannelsFirst(at: place)
      let weight = try tensor(node, 1, at: place)
      guard weight.dims.count == 4, let filters = Int(exactly: weight.dims[0]),
        (1...65_536).contains(filters)
      else { throw mismatch(place, "weights with 4 axes", "\(weight.dims)") }
      var window = LayerChain.Window(kernel: weight.dims[2...].map { Int(clamping: $0) })
      window.stride = attributes.ints("strides") ?? [1, 1]
      window.dilation = attributes.ints("dilations") ?? [1, 1]
      window.groups = attributes.int("group") ?? 1
      switch attributes.text("auto_pad") {
      case "SAME_UPPER"?, "SAME_LOWER"?: window.edges = nil
      case nil, ""?, "NOTSET"?, "VALID"?: window.edges = attributes.ints("pads") ?? [0, 0, 0, 0]
      case let other?: throw mismatch(place, "a padding of ONNX", other)
      }
      let bias = try optionalConstant(node, 2, at: place)
      try chain.addConvolution(
        filters: filters, window, weight: constants.floats(weight, at: place), bias: bias,
        at: place)
    }

    private mutating func addPooling(_ attributes: Attributes, at place: String) throws(ModelError)
    {
      try useChannelsFirst(at: place)
      let kernel = attributes.ints("kernel_shape") ?? []
      guard (attributes.ints("dilations") ?? [1, 1]) == [1, 1] else {
        throw mismatch(place, "dilation 1", "\(attributes.ints("dilations") ?? [])")
      }
      let padding = attributes.text("auto_pad") ?? "NOTSET"
      try chain.addMaxPooling(
        kernel: kernel, stride: attributes.ints("strides") ?? kernel.map { _ in 1 },
        edges: attributes.ints("pads") ?? [0, 0, 0, 0],
        roundsUp: attributes.int("ceil_mode") == 1 || padding.hasPrefix("SAME"), at: place)
    }

    private mutating func addProduct(
      _ node: Onnx_NodeProto, _ attributes: Attributes, at place: String
    ) throws(ModelError) {
      guard (attributes.float("alpha") ?? 1) == 1, (attributes.float("beta") ?? 1) == 1,
        (attributes.int("transA") ?? 0) == 0
      else { throw mismatch(place, "no alpha, beta or transA", "one of them") }
      let weight = try tensor(node, 1, at: place)
      let isTransposed = attributes.int("transB") == 1
      var bias = try optionalConstant(node, 2, at: place)
      if let one = bias, one.count == 1, weight.dims.count == 2 {
        let units = weight.dims[isTransposed ? 0 : 1]
        bias = [Float](repeating: one[0], count: Int(min(65_536, max(1, units))))
      }
      try addDense(weight, isTransposed: isTransposed, bias: bias, at: place)
    }

    /// Adds a dense layer; `weight` is `[inputs, units]`, or `[units, inputs]` if it is transposed.
    private mutating func addDense(
      _ weight: Onnx_TensorProto, isTransposed: Bool, bias: [Float]?, at place: String
    ) throws(ModelError) {
      guard weight.dims.count == 2, weight.dims.allSatisfy({ (1...(1 << 24)).contains($0) }) else {
        throw mismatch(place, "weights with 2 axes", "\(weight.dims)")
      }
      guard chain.planes == nil else { throw mismatch(place, "a vector to work on", "planes") }
      var values = try constants.floats(weight, at: place)
      let (rows, columns) = (Int(weight.dims[0]), Int(weight.dims[1]))
      if !isTransposed {
        let original = values
        for row in 0..<rows {
          for column in 0..<columns {
            values[column * rows + row] = original[row * columns + column]
          }
        }
      }
      try chain.addDense(
        units: isTransposed ? rows : columns, weight: values, bias: bias, at: place)
    }

    /// Returns `values` of `constant`, after checking that there is one for each channel or unit.
    private func perOutput(
      _ constant: Onnx_TensorProto, _ values: [Float], at place: String
    ) throws(ModelError) -> [Float] {
      // The shape without leading ones: [channels, 1, 1] or [units].
      let axes = Array(constant.dims.drop { $0 == 1 })
      let count = Int64(chain.outputCount)
      let expected = chain.planes == nil ? [count] : [count, 1, 1]
      guard axes == expected || count == 1 && values.count == 1, self.axes == [0, 1, 2, 3] else {
        throw mismatch(place, "a constant of shape \(expected)", "one of \(constant.dims)")
      }
      return values
    }

    // MARK: Shapes

    /// Checks that the channels are first; with one channel, the order does not matter.
    private mutating func useChannelsFirst(at place: String) throws(ModelError) {
      if chain.planes?.channels == 1, axes == [0, 2, 3, 1] { axes = [0, 1, 2, 3] }
      guard axes == [0, 1, 2, 3] else { throw mismatch(place, "channels first", "axes \(axes)") }
    }

    private mutating func flatten(at place: String) throws(ModelError) {
      guard axes == [0, 1, 2, 3] || axes == [0, 2, 3, 1] else {
        throw mismatch(place, "channels first or last", "axes \(axes)")
      }
      try chain.addFlatten(channelsLast: axes != [0, 1, 2, 3], at: place)
      axes = [0, 1, 2, 3]
    }

    private mutating func transpose(_ attributes: Attributes, at place: String) throws(ModelError) {
      let order = attributes.ints("perm") ?? [3, 2, 1, 0]
      guard chain.planes != nil, order.sorted() == [0, 1, 2, 3] else {
        throw mismatch(place, "an order of 4 axes", "\(order)")
      }
      axes = order.map { axes[$0] }
    }

    /// Flattens planes, or moves the axis of a single channel.
    private mutating func reshape(_ node: Onnx_NodeProto, at place: String) throws(ModelError) {
      let shape = node.input.count > 1 ? constants.tensor(node.input[1]) : nil
      let lengths = try shape.map { shape throws(ModelError) in
        try constants.integers(shape, at: place)
      }
      guard let planes = chain.planes else {
        guard lengths?.count == 2 else { throw mismatch(place, "2 axes", "\(lengths ?? [])") }
        return
      }
      // A shape that the graph computes keeps the batch. The next layers check the sizes.
      guard let lengths, lengths.count != 2 else { return try flatten(at: place) }
      let (rows, columns) = (Int64(planes.height), Int64(planes.width))
      guard planes.channels == 1, axes == [0, 1, 2, 3] || axes == [0, 2, 3, 1],
        lengths.count == 4
      else { throw mismatch(place, "a flattening", "a shape of \(lengths)") }
      switch Array(lengths.dropFirst()) {
      case [1, rows, columns]: axes = [0, 1, 2, 3]
      case [rows, columns, 1]: axes = [0, 2, 3, 1]
      default:
        throw mismatch(place, "\(rows) rows and \(columns) columns", "a shape of \(lengths)")
      }
    }

    // MARK: Constants

    private func tensor(
      _ node: Onnx_NodeProto, _ index: Int, at place: String
    ) throws(ModelError) -> Onnx_TensorProto {
      guard node.input.count > index, let tensor = constants.tensor(node.input[index]) else {
        throw mismatch(place, "a constant as input \(index + 1)", "none")
      }
      return tensor
    }

    private func constant(
      _ node: Onnx_NodeProto, _ index: Int, at place: String
    ) throws(ModelError) -> [Float] {
      try constants.floats(tensor(node, index, at: place), at: place)
    }

    /// Returns the constant at `index`, or `nil` if it is omitted; then its name may be empty.
    private func optionalConstant(
      _ node: Onnx_NodeProto, _ index: Int, at place: String
    ) throws(ModelError) -> [Float]? {
      guard node.input.count > index, !node.input[index].isEmpty else { return nil }
      return try constant(node, index, at: place)
    }

    /// Returns the constant input of a node with two inputs, and whether it is the second one.
    private func otherInput(
      _ node: Onnx_NodeProto, at place: String
    ) throws(ModelError) -> (Onnx_TensorProto, isSecond: Bool) {
      guard node.input.count == 2 else { throw mismatch(place, "2 inputs", "\(node.input.count)") }
      let isSecond = node.input[0] == value
      return (try tensor(node, isSecond ? 1 : 0, at: place), isSecond)
    }
  }

  /// The attributes of a node by name.
  private struct Attributes {
    private let byName: [String: Onnx_AttributeProto]

    init(_ node: Onnx_NodeProto, path: String, at place: String) throws(ModelError) {
      for attribute in node.attribute {
        // The decoder treats a field with the wrong wire type as absent.
        let numbers = ProtobufFields.numbers(in: attribute.unknownFields.data)
        if let number = numbers.first(where: [2, 3, 4, 7, 8, 20].contains) {
          throw ModelError(
            path: path, field: "\(place), \(attribute.name)",
            expected: "field \(number) with its own wire type", found: "another wire type")
        }
      }
      byName = Dictionary(node.attribute.map { ($0.name, $0) }) { first, _ in first }
    }

    func int(_ name: String) -> Int? { byName[name].map { Int(clamping: $0.i) } }
    func float(_ name: String) -> Float? { byName[name]?.f }
    func ints(_ name: String) -> [Int]? { byName[name]?.ints.map { Int(clamping: $0) } }
    func text(_ name: String) -> String? {
      byName[name].map { String(decoding: $0.s, as: UTF8.self) }
    }
  }
}

/// The constants of an ONNX graph.
struct Constants: ModelFileReader {
  private let byName: [String: Onnx_TensorProto]
  let path: String

  init(_ graph: Onnx_GraphProto, path: String) {
    self.path = path
    var byName = Dictionary(graph.initializer.map { ($0.name, $0) }) { first, _ in first }
    for node in graph.node where node.output.count == 1 {
      switch node.opType {
      case "Constant":
        byName[node.output[0]] = node.attribute.first.flatMap(Self.constant)
      case "Identity": byName[node.output[0]] = node.input.first.flatMap { byName[$0] }
      default: break
      }
    }
    self.byName = byName
  }

  /// Returns the value of a `Constant` node.
  private static func constant(_ attribute: Onnx_AttributeProto) -> Onnx_TensorProto? {
    switch attribute.name {
    case "value": return attribute.t
    case "value_float", "value_floats":
      let values = attribute.name == "value_float" ? [attribute.f] : attribute.floats
      return .with {
        $0.dataType = Int32(Onnx_TensorProto.DataType.float.rawValue)
        $0.dims = [Int64(values.count)]
        $0.floatData = values
      }
    case "value_int", "value_ints":
      let values = attribute.name == "value_int" ? [attribute.i] : attribute.ints
      return .with {
        $0.dataType = Int32(Onnx_TensorProto.DataType.int64.rawValue)
        $0.dims = [Int64(values.count)]
        $0.int64Data = values
      }
    default: return nil
    }
  }

  func contains(_ name: String) -> Bool { byName[name] != nil }

  func tensor(_ name: String) -> Onnx_TensorProto? { byName[name] }

  /// Returns the values of a tensor of 16, 32 or 64 bits.
  func floats(_ tensor: Onnx_TensorProto, at place: String) throws(ModelError) -> [Float] {
    let count = tensor.dims.reduce((Int64(1), false)) {
      let product = $0.0.multipliedReportingOverflow(by: $1)
      return (product.partialValue, $0.1 || product.overflow || $1 < 0)
    }
    let name = "\(place), `\(tensor.name)`"
    guard !count.1, Int(count.0) <= Architecture.mostParameters else {
      throw mismatch(name, "at most \(Architecture.mostParameters) values", "\(tensor.dims)")
    }
    let type = Onnx_TensorProto.DataType(rawValue: Int(tensor.dataType))
    let widths: [Onnx_TensorProto.DataType: Int] = [.float16: 2, .float: 4, .double: 8]
    guard let type, let width = widths[type] else {
      throw mismatch(name, "numbers of 16, 32 or 64 bits", "data type \(tensor.dataType)")
    }
    let raw =
      tensor.dataLocation == .external
      ? try external(tensor, count: Int(count.0) * width, at: name) : tensor.rawData
    let values =
      switch type {
      case _ where !raw.isEmpty: raw.floats(width: width)
      case .double: tensor.doubleData.map(Float.init)
      case .float16:
        tensor.int32Data.map { HalfPrecision.float(UInt16(truncatingIfNeeded: $0)) }
      default: tensor.floatData
      }
    guard Int64(values.count) == count.0 else {
      throw mismatch(name, "the number of values of its shape \(tensor.dims)", "\(values.count)")
    }
    return values
  }

  /// Returns the values of a tensor of 64-bit integers.
  func integers(_ tensor: Onnx_TensorProto, at place: String) throws(ModelError) -> [Int64] {
    guard Int(tensor.dataType) == Onnx_TensorProto.DataType.int64.rawValue else {
      throw mismatch(place, "integers of 64 bits", "data type \(tensor.dataType)")
    }
    guard tensor.rawData.isEmpty else {
      return tensor.rawData.numbers { (bits: UInt64) in Int64(bitPattern: bits) }
    }
    return tensor.int64Data
  }

  /// Returns the values of a tensor from a separate file, as PyTorch writes it.
  private func external(
    _ tensor: Onnx_TensorProto, count: Int, at name: String
  ) throws(ModelError) -> Data {
    let entries = Dictionary(tensor.externalData.map { ($0.key, $0.value) }) { first, _ in first }
    // Only a file name is allowed, so that a model cannot read files in other folders.
    guard let location = entries["location"], !location.isEmpty, !location.contains("/"),
      !location.contains("\\"), location != ".."
    else { throw mismatch(name, "a file beside the model's", entries["location"] ?? "none") }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let file = folder.appendingPathComponent(location).path
    guard let handle = FileHandle(forReadingAtPath: file) else {
      throw mismatch(name, "the file `\(location)` beside the model's", "none")
    }
    defer { try? handle.close() }
    guard let offset = UInt64(entries["offset"] ?? "0") else {
      throw mismatch(name, "an offset in `\(location)`", entries["offset"] ?? "none")
    }
    guard (entries["length"] ?? "\(count)") == "\(count)" else {
      throw mismatch(name, "\(count.counted("byte")) in `\(location)`", entries["length"] ?? "none")
    }
    guard let size = try? handle.seekToEnd(), offset <= size, UInt64(count) <= size - offset,
      (try? handle.seek(toOffset: offset)) != nil, let data = try? handle.read(upToCount: count),
      data.count == count
    else {
      throw mismatch(name, "\(count.counted("byte")) from \(offset) on in `\(location)`", "fewer")
    }
    return data
  }
}
