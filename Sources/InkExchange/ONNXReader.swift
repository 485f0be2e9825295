import Foundation
import Ink
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Reads an ONNX graph of layers, with channels first or last, and steps first or after the batch.
struct ONNXReader: ModelFileReader {
  let path: String

  func model(_ data: Data, _ options: ImportOptions) throws(ModelError) -> Model {
    let (graph, description) = try read(data)
    return try graph.model(description, options)
  }

  /// Returns the layers and what else is in the file.
  func read(_ data: Data) throws(ModelError) -> (LayerGraph, LayerGraph.Description) {
    let file = try decode(
      Onnx_ModelProto.self, from: data, ProtobufFields.onnx, kind: "an ONNX model")
    guard !file.graph.node.isEmpty else { throw mismatch("graph", "nodes", "none") }
    let metadata = Dictionary(file.metadataProps.map { ($0.key, $0.value) }) { first, _ in first }
    var walk = try Walk(
      file.graph, path: path, stored: LayerGraph.architecture(in: metadata, path: path))
    try walk.run()
    var about = ["author": metadata["author"] ?? "", "license": metadata["license"] ?? ""]
    about["description"] = file.docString
    return (
      walk.graph,
      .init(
        labels: nil, inputScale: walk.inputScale,
        about: about.filter { !$0.value.isEmpty }, metadata: metadata)
    )
  }

  /// The content of an axis of a value.
  private enum Axis: String, CustomStringConvertible {
    case batch, channel, row, column, step
    /// The directions of a recurrent layer.
    case direction
    /// The rows of a picture with one channel, one after the other.
    case pixel
    /// An axis of length 1.
    case one

    var description: String { rawValue }
  }

  /// A value of the file: one of the graph's, with the order of its axes.
  private struct Value {
    var source: Architecture.Source
    var axes: [Axis]
    /// Zeros before and after the steps, which the next convolution adds.
    var padding = [0, 0]
    /// The means of windows of the planes, which are flattened next.
    var pooling: MeanPooling?
    /// What the file multiplies an input with and adds to it, before the first layer.
    var scale: Float = 1
    var shift: Float = 0

    /// The axes without those of length 1.
    var longAxes: [Axis] { axes.filter { $0 != .one } }
  }

  private static let planeAxes: [Axis] = [.batch, .channel, .row, .column]
  private static let seriesAxes: [Axis] = [.batch, .step, .channel]
  private static let vectorAxes: [Axis] = [.batch, .channel]
  private static let pixelAxes: [Axis] = [.batch, .pixel]
  /// The maximum length of a series whose length the file does not give.
  private static let maxLength = 4096

  /// A walk through the nodes, in their order.
  private struct Walk: ModelFileReader {
    let path: String
    private let constants: Constants
    private let nodes: [Onnx_NodeProto]
    /// The nodes that read each value, except those that only read its shape.
    private let readers: [String: [Int]]
    /// The node that computes each value.
    private let writers: [String: Int]
    private let output: String
    private let hasOneInput: Bool
    /// The inputs that are the initial state of a recurrent layer.
    private let states: Set<String>
    private var values: [String: Value] = [:]
    /// The nodes that are part of a layer which was added before.
    private var used: Set<Int> = []
    private(set) var graph: LayerGraph
    /// The factor by which the graph multiplies grey values.
    private(set) var inputScale: Float?
    /// Whether this package wrote the file.
    private let isOwn: Bool

    init(_ file: Onnx_GraphProto, path: String, stored: Architecture?) throws(ModelError) {
      func mismatch(_ place: String, _ expected: String, _ found: String) -> ModelError {
        ModelError(path: path, field: place, expected: expected, found: found)
      }
      self.path = path
      isOwn = stored != nil
      let constants = Constants(file, path: path)
      self.constants = constants
      nodes = file.node
      var readers: [String: [Int]] = [:]
      var writers: [String: Int] = [:]
      var states: Set<String> = []
      var stateOutputs: Set<String> = []
      for (index, node) in file.node.enumerated() {
        for name in node.output where !name.isEmpty {
          guard writers.updateValue(index, forKey: name) == nil else {
            throw mismatch("value `\(name)`", "one node that computes it", "2 nodes")
          }
        }
        if node.opType != "Shape" {
          for name in Set(node.input) { readers[name, default: []].append(index) }
        }
        if ["GRU", "LSTM"].contains(node.opType) {
          states.formUnion(node.input.dropFirst(5))
          stateOutputs.formUnion(node.output.dropFirst())
        }
      }
      self.readers = readers
      self.writers = writers
      self.states = states
      // The fields of cells are some channels of what the probabilities are made of.
      let slices = Set(file.node.filter { $0.opType == "Slice" }.flatMap(\.output))
      let all = file.output.map(\.name).filter { !stateOutputs.contains($0) }
      let outputs = all.count > 1 ? all.filter { !slices.contains($0) } : all
      let ends = outputs.filter { readers[$0] == nil }
      guard let output = ends.first ?? outputs.first, ends.count <= 1 else {
        throw mismatch("graph", "one output", "\(ends.count): \(ends.joined(separator: ", "))")
      }
      self.output = output
      // Old files list their constants as inputs too.
      let inputs = file.input.filter { !constants.contains($0.name) && !states.contains($0.name) }
      guard !inputs.isEmpty else { throw mismatch("input", "an input", "none") }
      hasOneInput = inputs.count == 1
      var scale: Float?
      var forms: [NetworkInput] = []
      for (index, input) in inputs.enumerated() {
        let axes: [Axis]
        if let stored {
          axes = try Self.axes(of: input, stored: stored, path: path)
        } else {
          let form: NetworkInput.Form
          (axes, form) = try Self.form(
            of: input, reader: { readers[$0]?.first.map { file.node[$0] } }, path: path)
          forms.append(.init(name: input.name, form: form))
          // Integers can only be grey values from 0 to 255.
          let type = Onnx_TensorProto.DataType(rawValue: Int(input.type.tensorType.elemType))
          if let type, ![.undefined, .float, .double, .float16].contains(type) { scale = 1 }
        }
        let place = stored?.inputs.firstIndex { $0.name == input.name } ?? index
        values[input.name] = Value(source: .input(place), axes: axes)
      }
      inputScale = scale
      graph = LayerGraph(inputs: stored?.inputs ?? forms, path: path)
    }

    /// Returns the axes of an input of a file that this package wrote.
    private static func axes(
      of input: Onnx_ValueInfoProto, stored: Architecture, path: String
    ) throws(ModelError) -> [Axis] {
      let lengths = input.type.tensorType.shape.dim.dropFirst().map(\.dimValue)
      guard let known = stored.inputs.first(where: { $0.name == input.name }),
        ONNXWriter.lengths(of: known, multiple: 1).map(\.dimValue) == lengths
      else {
        throw ModelError(
          path: path, field: "input `\(input.name)`", expected: "an input of the metadata",
          found: "\(lengths)")
      }
      switch known.form {
      case .image, .page: return planeAxes
      case .series: return seriesAxes
      case .vector: return vectorAxes
      }
    }

    /// Returns the axes and the form of an input of another program.
    private static func form(
      of input: Onnx_ValueInfoProto, reader: (String) -> Onnx_NodeProto?, path: String
    ) throws(ModelError) -> ([Axis], NetworkInput.Form) {
      func mismatch(_ expected: String, _ found: String) -> ModelError {
        ModelError(
          path: path, field: "input `\(input.name)`", expected: expected, found: found)
      }
      let lengths = input.type.tensorType.shape.dim.map(\.dimValue)
      switch lengths.count {
      case 2:
        guard (1...1 << 20).contains(lengths[1]) else {
          throw mismatch("a vector [batch, count]", "\(lengths)")
        }
        let side = Int(Double(lengths[1]).squareRoot())
        // Classifiers of pictures often read the pixels as a vector.
        if side * side == lengths[1], (minimumFlatSide...512).contains(side) {
          return (pixelAxes, NetworkInput.picture(size: side).form)
        }
        return (vectorAxes, .vector(count: Int(lengths[1])))
      case 3
      where lengths[1] == lengths[2] && (4...512).contains(lengths[1])
        && isPicture(input.name, reader):
        return ([.batch, .row, .column], NetworkInput.picture(size: Int(lengths[1])).form)
      case 3:
        let axes = axes(ofSeries: input.name, reader)
        let channels = lengths[axes.firstIndex(of: .channel)!]
        let length = lengths[axes.firstIndex(of: .step)!]
        guard (1...4096).contains(channels), (0...1 << 20).contains(length) else {
          throw mismatch("a series with 1 to 4096 channels", "\(lengths)")
        }
        return (
          axes,
          .series(
            channels: Int(channels),
            length: length == 0 ? .variable(1...maxLength) : .fixed(Int(length)))
        )
      case 4 where lengths[1] == 1 && lengths[2] == 0 && lengths[3] == 0:
        return (planeAxes, .page(channels: 1, heights: pageSides, widths: pageSides))
      case 4:
        let isLast = lengths[1] != 1 && lengths[3] == 1
        guard lengths[1] == 1 || isLast else { fallthrough }
        let sides = isLast ? lengths[1...2] : lengths[2...3]
        guard let size = sides.first, sides.last == size, (4...512).contains(size) else {
          throw mismatch(
            "as many rows as columns, 4 to 512",
            "\(sides.map(String.init).joined(separator: " × ")) (0 is a size that may vary)")
        }
        return (
          isLast ? [.batch, .row, .column, .channel] : planeAxes,
          .image(channels: 1, height: Int(size), width: .fixed(Int(size)))
        )
      default:
        throw mismatch(
          "[batch, 1, rows, columns], [batch, rows, columns, 1], [batch, length, channels] or "
            + "[batch, count]", "\(lengths)")
      }
    }

    /// The sides of a picture of any size, multiples of those of all its cells.
    private static let pageSides = 64...4096

    /// The least side of a picture whose pixels are a vector: shorter vectors are rather measurements.
    private static let minimumFlatSide = 16

    /// Whether the first layer shows that an input `[batch, n, n]` is a picture, and not a series.
    private static func isPicture(_ input: String, _ reader: (String) -> Onnx_NodeProto?) -> Bool {
      var name = input
      for _ in 0..<32 {
        guard let node = reader(name), let next = node.output.first else { return false }
        switch node.opType {
        case "Reshape", "Flatten": return true
        case "Unsqueeze":
          // A convolution over planes has weights with four axes.
          return reader(next).map { $0.opType == "Conv" || $0.opType == "Unsqueeze" } ?? false
        case "Identity", "Cast", "Add", "Sub", "Mul", "Div": name = next
        default: return false
        }
      }
      return false
    }

    /// Returns the order of batch, steps and channels, which the first layer shows.
    private static func axes(
      ofSeries input: String, _ reader: (String) -> Onnx_NodeProto?
    ) -> [Axis] {
      var order = [0, 1, 2]
      var name = input
      for _ in 0..<32 {
        guard let node = reader(name), let next = node.output.first else { break }
        var axes = ONNXReader.seriesAxes
        switch node.opType {
        case "Transpose":
          let permutation = node.attribute.first { $0.name == "perm" }?.ints ?? [2, 1, 0]
          guard permutation.sorted() == [0, 1, 2] else { return axes }
          order = permutation.map { order[Int($0)] }
          name = next
          continue
        case "Identity", "Cast", "Relu", "Dropout", "Pad", "Add", "Sub", "Mul", "Div":
          name = next
          continue
        case "Conv", "BatchNormalization", "GlobalAveragePool", "GlobalMaxPool":
          axes = [.batch, .channel, .step]
        case "GRU", "LSTM":
          let layout = node.attribute.first { $0.name == "layout" }?.i ?? 0
          if layout == 0 { axes = [.step, .batch, .channel] }
        default: break
        }
        var result = axes
        for (place, axis) in zip(order, axes) { result[place] = axis }
        return result
      }
      return ONNXReader.seriesAxes
    }

    mutating func run() throws(ModelError) {
      let needed = try neededNodes()
      for index in needed.sorted() where !["", "ai.onnx"].contains(nodes[index].domain) {
        let node = nodes[index]
        throw mismatch(
          "node `\(node.name)` (\(node.opType))", "an operator of ONNX itself",
          "one of the domain `\(node.domain)`")
      }
      /// Values that only shapes are computed from.
      var shapes: Set<String> = []
      for (index, node) in nodes.enumerated() where needed.contains(index) && !used.contains(index)
      {
        // Many programs do not name nodes.
        let place =
          (node.name.isEmpty ? "node \(index + 1)" : "node `\(node.name)`") + " (\(node.opType))"
        for name in node.input where !name.isEmpty {
          guard
            values[name] != nil || constants.contains(name) || shapes.contains(name)
              || states.contains(name)
          else { throw mismatch(place, "inputs that nodes before it compute", "`\(name)`") }
        }
        let isShape =
          node.opType == "Shape" || !node.input.contains { values[$0] != nil }
        guard !isShape else {
          shapes.formUnion(node.output)
          continue
        }
        guard let name = node.output.first else { throw mismatch(place, "an output", "none") }
        values[name] = try value(of: node, at: place)
      }
      guard values[output] != nil else {
        throw mismatch("graph", "a node that computes the output `\(output)`", "none")
      }
    }

    /// Returns the nodes that the output depends on.
    private func neededNodes() throws(ModelError) -> Set<Int> {
      guard let last = writers[output] else {
        throw mismatch("graph", "a node that computes the output `\(output)`", "none")
      }
      var needed: Set<Int> = [last]
      var open = [last]
      while let index = open.popLast() {
        for name in nodes[index].input {
          if let writer = writers[name], needed.insert(writer).inserted { open.append(writer) }
        }
      }
      return needed
    }

    /// Returns the first output of a node, after adding its layer.
    private mutating func value(
      of node: Onnx_NodeProto, at place: String
    ) throws(ModelError) -> Value {
      let attributes = try Attributes(node, path: path, at: place)
      // The first input that is no constant.
      let index = node.input.firstIndex { values[$0] != nil }!
      var value = values[node.input[index]]!
      graph.current = value.source
      if value.padding != [0, 0], node.opType != "Conv" {
        throw mismatch(place, "a convolution after the padding", node.opType)
      }
      if value.pooling != nil,
        !["Flatten", "Reshape", "Squeeze", "Identity", "Cast", "Dropout"].contains(node.opType)
      {
        throw mismatch(
          place, "a flattening and a dense layer after an average pooling", node.opType)
      }
      if try scaleInput(node, &value, at: place) { return value }
      if !["Identity", "Cast", "Transpose", "Squeeze", "Unsqueeze"].contains(node.opType) {
        try addInputScale(&value, at: place)
        values[node.input[index]] = value
      }
      switch node.opType {
      case "Conv": try addConvolution(node, attributes, &value, at: place)
      case "MaxPool", "AveragePool": try addPooling(node.opType, attributes, &value, at: place)
      case "Relu": try graph.add(.relu, at: place)
      case "BatchNormalization":
        try useVector(&value, at: place)
        guard value.axes.count >= 2, value.axes[0] == .batch, value.axes[1] == .channel else {
          throw mismatch(place, "channels first", "channels last")
        }
        guard (attributes.int("training_mode") ?? 0) == 0 else {
          throw mismatch(place, "stored statistics", "training_mode")
        }
        try graph.addBatchNormalization(
          scale: constant(node, 1, at: place), shift: constant(node, 2, at: place),
          mean: constant(node, 3, at: place), variance: constant(node, 4, at: place),
          epsilon: attributes.float("epsilon") ?? 1e-5, at: place)
      case "Flatten":
        guard (attributes.int("axis") ?? 1) == 1 else {
          throw mismatch(place, "axis 1", "\(attributes.int("axis") ?? 1)")
        }
        try flatten(&value, at: place)
      case "Reshape": try reshape(node, &value, at: place)
      case "Transpose":
        let order = attributes.ints("perm") ?? value.axes.indices.reversed()
        guard order.sorted() == Array(value.axes.indices) else {
          throw mismatch(place, "an order of \(value.axes.count) axes", "\(order)")
        }
        value.axes = order.map { value.axes[$0] }
      case "Squeeze":
        let removed = try axes(node, attributes, count: value.axes.count, at: place)
        let places = removed ?? value.axes.indices.filter { value.axes[$0] == .one }
        if value.pooling?.planeCount == 1,
          places.allSatisfy({ [.row, .column].contains(value.axes[$0]) })
        {
          try flatten(&value, at: place)
          break
        }
        let hasOneChannel = graph.planes?.channels == 1
        guard
          places.allSatisfy({
            value.axes[$0] == .one || value.axes[$0] == .channel && hasOneChannel
          })
        else { throw mismatch(place, "axes of length 1", "\(places)") }
        value.axes = value.axes.indices.filter { !places.contains($0) }.map { value.axes[$0] }
      case "Unsqueeze":
        let count = value.axes.count
        for axis in (try axes(node, attributes, count: count + 1, at: place) ?? []).sorted() {
          guard axis <= value.axes.count, value.axes.count < 8 else {
            throw mismatch(place, "an axis of the value", "\(axis)")
          }
          value.axes.insert(.one, at: axis)
        }
      case "Pad": try pad(node, attributes, &value, at: place)
      case "Gemm":
        try useVector(&value, at: place)
        try addProduct(node, attributes, value, at: place)
      case "MatMul":
        guard index == 0 else { throw mismatch(place, "a constant as input 2", "a value") }
        try useVector(&value, at: place)
        if let sum = try addAttention(node, &value, at: place) {
          values[nodes[sum].output[0]] = Value(source: graph.current, axes: value.axes)
          return Value(source: graph.current, axes: value.axes)
        }
        let weight = try tensor(node, 1, at: place)
        try addDense(weight, value, isTransposed: false, bias: nil, at: place)
      case "Add", "Sub":
        let (constant, isSecond) = try otherInput(node, at: place)
        guard isSecond || node.opType == "Add" else {
          throw mismatch(place, "a constant that is subtracted", "a value that is")
        }
        let numbers = try constants.floats(constant, at: place)
        try checkOnlyReader(node.input[index], at: place)
        try graph.addBias(
          perOutput(
            constant, node.opType == "Add" ? numbers : numbers.map { -$0 }, value, at: place),
          at: place)
      case "Mul", "Div":
        try multiply(node, value, node.input[index], at: place)
      case "Softmax", "LogSoftmax":
        let axis = attributes.int("axis") ?? -1
        let normalized = axis < 0 ? axis + value.axes.count : axis
        guard value.axes.indices.contains(normalized), value.axes[normalized] == .channel else {
          throw mismatch(place, "axis 1 or -1", "\(axis)")
        }
        try graph.addSoftmax(at: place)
      case "Sigmoid": try graph.addSigmoid(at: place)
      case "GRU", "LSTM": try addRecurrent(node, attributes, &value, at: place)
      case "LayerNormalization":
        let axis = attributes.int("axis") ?? -1
        guard axis == -1 || axis == value.axes.count - 1, value.axes.last == .channel else {
          throw mismatch(place, "a normalisation over the channels", "axis \(axis)")
        }
        try graph.addLayerNormalization(
          scale: constant(node, 1, at: place), shift: optionalConstant(node, 2, at: place),
          epsilon: attributes.float("epsilon") ?? 1e-5, at: place)
      case "ReduceMax", "ReduceMean":
        let places = try axes(node, attributes, count: value.axes.count, at: place) ?? []
        if let planes = graph.planes, node.opType == "ReduceMean",
          Set(places.map { value.axes[$0] }) == [.row, .column]
        {
          let kernel = [planes.height, planes.width]
          value.pooling = try graph.meanPooling(kernel: kernel, stride: kernel, at: place)
          if attributes.int("keepdims") ?? 1 == 0 { try flatten(&value, at: place) }
          break
        }
        try poolOverTime(
          node.opType == "ReduceMax" ? .max : .mean, places,
          keepsAxes: (attributes.int("keepdims") ?? 1) == 1, &value, at: place)
      case "GlobalMaxPool", "GlobalAveragePool":
        guard value.axes.prefix(2) == [.batch, .channel] else {
          throw mismatch(place, "channels first", "\(value.axes)")
        }
        if let planes = graph.planes, node.opType == "GlobalAveragePool" {
          let kernel = [planes.height, planes.width]
          value.pooling = try graph.meanPooling(kernel: kernel, stride: kernel, at: place)
          break
        }
        try poolOverTime(
          node.opType == "GlobalMaxPool" ? .max : .mean, Array(value.axes.indices.dropFirst(2)),
          keepsAxes: true, &value, at: place)
      case "Resize", "Upsample": try addUpsampling(node, attributes, &value, at: place)
      case "Slice" where graph.planes != nil: try takeClasses(node, value, at: place)
      case "Concat": try concatenate(node, attributes, value, at: place)
      case "Cast":
        let type = Onnx_TensorProto.DataType(rawValue: attributes.int("to") ?? 0)
        guard type == .float || type == .double || type == .float16 else {
          throw mismatch(
            place, "a cast to floating-point numbers", "to \(attributes.int("to") ?? 0)")
        }
      case "Identity", "Dropout": break
      case "Slice", "Gather":
        throw mismatch(
          place, "all steps, pooled by ReduceMax, ReduceMean or attention", "some of them")
      default:
        throw mismatch(
          place,
          "Conv, MaxPool, AveragePool, Relu, BatchNormalization, Flatten, Reshape, Transpose, Gemm, "
            + "MatMul, Add, Sub, Mul, Div, Softmax, Sigmoid, GRU, LSTM, LayerNormalization, "
            + "ReduceMax, ReduceMean, GlobalMaxPool, GlobalAveragePool, Concat, Resize, Pad, Squeeze, "
            + "Unsqueeze, Dropout, Cast or Identity", node.opType)
      }
      value.source = graph.current
      return value
    }

    /// Follows what the file multiplies an input with and adds to it; returns whether `node` does so.
    private func scaleInput(
      _ node: Onnx_NodeProto, _ value: inout Value, at place: String
    ) throws(ModelError) -> Bool {
      guard ["Add", "Sub", "Mul", "Div"].contains(node.opType), graph.layer == nil else {
        return false
      }
      let (constant, isSecond) = try otherInput(node, at: place)
      let numbers = try constants.floats(constant, at: place)
      guard let number = numbers.first, numbers.allSatisfy({ $0 == number }), number.isFinite else {
        throw mismatch(
          place, "the same number for all values of an input", "\(numbers.count) numbers")
      }
      switch node.opType {
      case "Add": value.shift += number
      case "Sub":
        if !isSecond { (value.scale, value.shift) = (-value.scale, -value.shift) }
        value.shift += isSecond ? -number : number
      case "Mul": (value.scale, value.shift) = (value.scale * number, value.shift * number)
      default:
        guard isSecond, number != 0 else {
          throw mismatch(place, "a constant to divide by", "another division")
        }
        (value.scale, value.shift) = (value.scale / number, value.shift / number)
      }
      guard value.scale.isFinite, value.scale != 0, value.shift.isFinite else {
        throw mismatch(place, "a number that is not 0", "\(number)")
      }
      return true
    }

    /// Adds what the file multiplies an input with and adds to it.
    ///
    /// Grey values are from 0 to 255 if the results of these are small, and from 0 to 1 otherwise.
    private mutating func addInputScale(_ value: inout Value, at place: String) throws(ModelError) {
      guard value.scale != 1 || value.shift != 0 else { return }
      var scale = value.scale
      if graph.planes != nil {
        let ends = [abs(value.shift), abs(255 * scale + value.shift)]
        if isOwn || inputScale != nil || ends.max()! <= Self.maximumInput {
          inputScale = (inputScale ?? 1) * abs(scale)
          scale = scale < 0 ? -1 : 1
        }
      }
      if scale != 1 || value.shift != 0 {
        try graph.addInputScale(scale, shift: value.shift, at: place)
      }
      value.source = graph.current
      (value.scale, value.shift) = (1, 0)
    }

    /// The largest input that a network is trained with: grey values with mean 0 and deviation 1 are below 4.
    private static let maximumInput: Float = 16

    /// Checks that only one node reads the value `name`, whose layer is going to be changed.
    private func checkOnlyReader(_ name: String, at place: String) throws(ModelError) {
      let count = readers[name]?.count ?? 0
      guard count == 1, name != output else {
        throw mismatch(
          place, "one node that reads `\(name)`", "\(count) nodes, which need it without this")
      }
    }

    // MARK: Layers

    private mutating func addConvolution(
      _ node: Onnx_NodeProto, _ attributes: Attributes, _ value: inout Value, at place: String
    ) throws(ModelError) {
      let weight = try tensor(node, 1, at: place)
      guard let filters = weight.dims.first.flatMap({ Int(exactly: $0) }),
        (1...65_536).contains(filters)
      else { throw mismatch(place, "1 to 65536 filters", "\(weight.dims)") }
      let bias = try optionalConstant(node, 2, at: place)
      let kernel = weight.dims.dropFirst(2).map { Int(clamping: $0) }
      let count = kernel.count
      let strides = attributes.ints("strides") ?? [Int](repeating: 1, count: count)
      let dilations = attributes.ints("dilations") ?? [Int](repeating: 1, count: count)
      let groups = attributes.int("group") ?? 1
      let edges: [Int]?
      let padding = attributes.text("auto_pad")
      switch padding {
      case "SAME_LOWER"? where graph.series == nil && strides.allSatisfy({ $0 == 1 }):
        edges = kernel.map { $0 / 2 } + kernel.map { ($0 - 1) / 2 }
      case "SAME_UPPER"?, "SAME_LOWER"?: edges = nil
      case nil, ""?, "NOTSET"?, "VALID"?:
        edges = attributes.ints("pads") ?? [Int](repeating: 0, count: 2 * count)
      case let other?: throw mismatch(place, "a padding of ONNX", other)
      }
      guard strides.count == count, dilations.count == count, edges?.count ?? 2 * count == 2 * count
      else { throw mismatch(place, "attributes for \(count) axes", "others") }
      if graph.series != nil {
        let axes = value.axes
        guard axes.count == count + 2, axes.prefix(2) == [.batch, .channel],
          let step = axes.firstIndex(of: .step),
          axes.indices.allSatisfy({
            $0 < 2 || $0 == step || axes[$0] == .one && kernel[$0 - 2] == 1
          })
        else { throw mismatch(place, "[batch, channels, steps]", "\(axes)") }
        var window = LayerGraph.SeriesWindow(kernel: kernel[step - 2])
        (window.stride, window.dilation) = (strides[step - 2], dilations[step - 2])
        window.groups = groups
        if let edges {
          window.edges = [
            edges[step - 2] + value.padding[0], edges[count + step - 2] + value.padding[1],
          ]
        } else if value.padding != [0, 0] || window.stride != 1 {
          window.edges = nil
        } else {
          let all = window.kernel - 1
          let before = padding == "SAME_LOWER" ? all - all / 2 : all / 2
          window.edges = [before, all - before]
        }
        value.padding = [0, 0]
        return try graph.addSeriesConvolution(
          filters: filters, window, weight: constants.floats(weight, at: place), bias: bias,
          at: place)
      }
      guard count == 2 else { throw mismatch(place, "weights with 4 axes", "\(weight.dims)") }
      try useChannelsFirst(&value, at: place)
      var window = LayerGraph.Window(kernel: kernel)
      (window.stride, window.dilation, window.groups) = (strides, dilations, groups)
      window.edges = edges
      try graph.addConvolution(
        filters: filters, window, weight: constants.floats(weight, at: place), bias: bias,
        at: place)
    }

    private mutating func addPooling(
      _ operation: String, _ attributes: Attributes, _ value: inout Value, at place: String
    ) throws(ModelError) {
      try useChannelsFirst(&value, at: place)
      let kernel = attributes.ints("kernel_shape") ?? []
      guard (attributes.ints("dilations") ?? [1, 1]) == [1, 1] else {
        throw mismatch(place, "dilation 1", "\(attributes.ints("dilations") ?? [])")
      }
      let padding = attributes.text("auto_pad") ?? "NOTSET"
      let stride = attributes.ints("strides") ?? kernel.map { _ in 1 }
      let edges = attributes.ints("pads") ?? [0, 0, 0, 0]
      let roundsUp = attributes.int("ceil_mode") == 1 || padding.hasPrefix("SAME")
      guard operation == "AveragePool" else {
        return try graph.addMaxPooling(
          kernel: kernel, stride: stride, edges: edges, roundsUp: roundsUp, at: place)
      }
      guard !padding.hasPrefix("SAME") || stride == kernel else {
        throw mismatch(place, "windows side by side, or padding as numbers", padding)
      }
      value.pooling = try graph.meanPooling(
        kernel: kernel, stride: stride, edges: edges,
        countsPadding: attributes.int("count_include_pad") == 1, roundsUp: roundsUp, at: place)
    }

    private mutating func addProduct(
      _ node: Onnx_NodeProto, _ attributes: Attributes, _ value: Value, at place: String
    ) throws(ModelError) {
      guard (attributes.float("alpha") ?? 1) == 1, (attributes.float("beta") ?? 1) == 1,
        (attributes.int("transA") ?? 0) == 0
      else { throw mismatch(place, "alpha 1, beta 1 and no transA", "others") }
      let weight = try tensor(node, 1, at: place)
      let isTransposed = attributes.int("transB") == 1
      var bias = try optionalConstant(node, 2, at: place)
      if let one = bias, one.count == 1, weight.dims.count == 2 {
        let units = weight.dims[isTransposed ? 0 : 1]
        bias = [Float](repeating: one[0], count: Int(min(65_536, max(1, units))))
      }
      try addDense(weight, value, isTransposed: isTransposed, bias: bias, at: place)
    }

    /// Adds a dense layer; `weight` is `[inputs, units]`, or `[units, inputs]` if it is transposed.
    private mutating func addDense(
      _ weight: Onnx_TensorProto, _ value: Value, isTransposed: Bool, bias: [Float]?,
      at place: String
    ) throws(ModelError) {
      guard weight.dims.count == 2, weight.dims.allSatisfy({ (1...(1 << 24)).contains($0) }) else {
        throw mismatch(place, "weights with 2 axes", "\(weight.dims)")
      }
      guard graph.planes == nil else { throw mismatch(place, "a vector to work on", "planes") }
      guard value.axes.last == .channel else {
        throw mismatch(place, "channels as the last axis", "\(value.axes)")
      }
      var values = try constants.floats(weight, at: place)
      let (rows, columns) = (Int(weight.dims[0]), Int(weight.dims[1]))
      if !isTransposed {
        values = WeightArchive.transposed(values, shape: [rows, columns], axes: [1, 0])
      }
      try graph.addDense(
        units: isTransposed ? rows : columns, weight: values, bias: bias, at: place)
    }

    private mutating func multiply(
      _ node: Onnx_NodeProto, _ value: Value, _ name: String, at place: String
    ) throws(ModelError) {
      let (constant, isSecond) = try otherInput(node, at: place)
      let values = try constants.floats(constant, at: place)
      guard isSecond || node.opType == "Mul" else {
        throw mismatch(place, "a constant to divide by", "one that is divided")
      }
      let factors = node.opType == "Mul" ? values : values.map { 1 / $0 }
      if factors.count == 1, graph.outputCount != 1 {
        try graph.addScale(Double(factors[0]), at: place)
      } else {
        // A batch normalisation that was simplified to a multiplication.
        try checkOnlyReader(name, at: place)
        try graph.multiplyOutputs(perOutput(constant, factors, value, at: place), at: place)
      }
    }

    /// Returns `values` of `constant`, after checking that there is one for each channel or unit.
    private func perOutput(
      _ constant: Onnx_TensorProto, _ values: [Float], _ value: Value, at place: String
    ) throws(ModelError) -> [Float] {
      // The shape without leading ones: [channels, 1, 1] or [units].
      let axes = Array(constant.dims.drop { $0 == 1 })
      let count = Int64(graph.outputCount)
      let channel = value.axes.lastIndex(of: .channel) ?? 0
      let expected =
        [count] + [Int64](repeating: 1, count: value.axes.count - 1 - channel)
      guard axes == expected || count == 1 && values.count == 1 else {
        throw mismatch(place, "a constant of shape \(expected)", "one of \(constant.dims)")
      }
      return values
    }

    /// Adds attention over time, if the product of `node` is the first of its nodes.
    ///
    /// They are the product with one vector, softmax over the steps, and the sum of the steps times their
    /// shares. Returns the index of the last one.
    private mutating func addAttention(
      _ node: Onnx_NodeProto, _ value: inout Value, at place: String
    ) throws(ModelError) -> Int? {
      guard graph.series != nil, value.axes.last == .channel,
        let step = value.axes.firstIndex(of: .step), let name = node.output.first,
        let weight = constants.tensor(node.input[1]), weight.dims.last == 1, weight.dims.count == 2,
        let softmax = reader(of: name, "Softmax"), let shares = nodes[softmax].output.first
      else { return nil }
      let axis = try Attributes(nodes[softmax], path: path, at: place).int("axis") ?? -1
      guard axis == step, let product = reader(of: shares, "Mul"),
        Set(nodes[product].input) == [node.input[0], shares],
        let sum = nodes[product].output.first.flatMap({ reader(of: $0, "ReduceSum") })
      else { return nil }
      let attributes = try Attributes(nodes[sum], path: path, at: place)
      let places = try axes(nodes[sum], attributes, count: value.axes.count, at: place)
      guard places == [step], nodes[sum].output.count == 1 else { return nil }
      try graph.addAttention(weight: constants.floats(weight, at: place), at: place)
      if attributes.int("keepdims") ?? 1 == 1 {
        value.axes[step] = .one
      } else {
        value.axes.remove(at: step)
      }
      used.formUnion([softmax, product, sum])
      return sum
    }

    /// Returns the only node that reads a value, if it is an `operation`.
    private func reader(of name: String, _ operation: String) -> Int? {
      guard let found = readers[name], found.count == 1, nodes[found[0]].opType == operation else {
        return nil
      }
      return found[0]
    }

    private mutating func addRecurrent(
      _ node: Onnx_NodeProto, _ attributes: Attributes, _ value: inout Value, at place: String
    ) throws(ModelError) {
      let isGRU = node.opType == "GRU"
      let direction: Direction
      switch attributes.text("direction") ?? "forward" {
      case "forward": direction = .forward
      case "reverse": direction = .backward
      case "bidirectional": direction = .both
      case let other: throw mismatch(place, "a direction of ONNX", other)
      }
      guard
        attributes.texts("activations") == nil
          || attributes.texts("activations")
            == [[String]](
              repeating: isGRU ? ["Sigmoid", "Tanh"] : ["Sigmoid", "Tanh", "Tanh"],
              count: direction.passes.count
            ).flatMap({ $0 })
      else {
        throw mismatch(
          place, "sigmoid and tanh", attributes.texts("activations")!.joined(separator: ", "))
      }
      for (name, expected) in [("linear_before_reset", 1), ("input_forget", 0)]
      where (name == "linear_before_reset") == isGRU && (attributes.int(name) ?? 0) != expected {
        throw mismatch(place, "\(name) \(expected)", "\(attributes.int(name) ?? 0)")
      }
      guard attributes.float("clip") == nil else { throw mismatch(place, "no clip", "one") }
      let isBatchFirst = (attributes.int("layout") ?? 0) == 1
      guard value.axes == (isBatchFirst ? ONNXReader.seriesAxes : [.step, .batch, .channel]) else {
        throw mismatch(
          place, isBatchFirst ? "[batch, steps, channels]" : "[steps, batch, channels]",
          "\(value.axes)")
      }
      if node.input.count > 4, !node.input[4].isEmpty {
        throw mismatch(place, "no lengths of series", "`\(node.input[4])`")
      }
      for name in node.input.dropFirst(5).prefix(isGRU ? 1 : 2) where !name.isEmpty {
        guard isState(name) else {
          throw mismatch(
            place, "a first state of zeros, or one that is an input of the file", "`\(name)`")
        }
      }
      if node.input.count > 7, !node.input[7].isEmpty {
        throw mismatch(place, "no peepholes", "`\(node.input[7])`")
      }
      let weight = try tensor(node, 1, at: place)
      let gates = isGRU ? [1, 0, 2] : [0, 2, 3, 1]
      let sides = direction.passes.count
      guard weight.dims.count == 3, weight.dims[0] == sides,
        (1...4096).contains(weight.dims[1] / Int64(gates.count)),
        weight.dims[1] % Int64(gates.count) == 0, (1...1 << 20).contains(weight.dims[2])
      else {
        throw mismatch(
          place, "weights [\(sides), \(gates.count) · units, channels]", "\(weight.dims)")
      }
      let units = Int(weight.dims[1]) / gates.count
      let rows = gates.count * units
      let inputWeight = try constants.floats(weight, at: place)
      let stateWeight = try constant(node, 2, at: place)
      let bias =
        try optionalConstant(node, 3, at: place) ?? [Float](repeating: 0, count: 2 * sides * rows)
      let lengths = [inputWeight.count / sides, rows * units, 2 * rows]
      guard stateWeight.count == sides * lengths[1], bias.count == sides * lengths[2] else {
        throw mismatch(
          place, "\(sides * lengths[1]) weights of the state and \(sides * lengths[2]) biases",
          "\(stateWeight.count) and \(bias.count)")
      }
      let arrays = (0..<sides).map { side in
        func part(_ values: [Float], _ length: Int, _ start: Int = 0, _ count: Int? = nil)
          -> [Float]
        {
          let first = side * length + start
          return reordered(Array(values[first..<first + (count ?? length)]), gates: gates)
        }
        return [
          part(inputWeight, lengths[0]), part(stateWeight, lengths[1]),
          part(bias, lengths[2], 0, rows), part(bias, lengths[2], rows, rows),
        ]
      }
      let layer: Layer =
        isGRU
        ? .gru(units: units, direction: direction) : .lstm(units: units, direction: direction)
      try graph.addRecurrent(layer, units: units, arrays, at: place)
      let axis = sides == 1 ? Axis.one : .direction
      value.axes =
        isBatchFirst ? [.batch, .step, axis, .channel] : [.step, axis, .batch, .channel]
    }

    /// Whether a value is the zeros at the start of a recurrent layer, or an input of the file.
    private func isState(_ name: String) -> Bool {
      var name = name
      for _ in 0..<32 {
        if let constant = constants.tensor(name) {
          return (try? constants.floats(constant, at: name).allSatisfy { $0 == 0 }) ?? false
        }
        guard let writer = writers[name] else { return states.contains(name) }
        let node = nodes[writer]
        switch node.opType {
        case "ConstantOfShape":
          guard let value = node.attribute.first(where: { $0.name == "value" })?.t else {
            return true
          }
          return (try? constants.floats(value, at: name).allSatisfy { $0 == 0 }) ?? false
        case "Expand", "Slice", "Identity", "Unsqueeze", "Squeeze", "Transpose", "Reshape", "Cast",
          "Tile":
          guard let first = node.input.first else { return false }
          name = first
        default: return false
        }
      }
      return false
    }

    private mutating func poolOverTime(
      _ method: TimePooling.Method, _ places: [Int], keepsAxes: Bool, _ value: inout Value,
      at place: String
    ) throws(ModelError) {
      let step = value.axes.firstIndex(of: .step)
      guard let step, places.contains(step),
        places.allSatisfy({ $0 == step || value.axes[$0] == .one })
      else { throw mismatch(place, "the steps of a series", "axes \(places)") }
      try graph.add(.timePooling(method), at: place)
      if keepsAxes {
        value.axes[step] = .one
      } else {
        value.axes = value.axes.indices.filter { !places.contains($0) }.map { value.axes[$0] }
      }
    }

    private mutating func concatenate(
      _ node: Onnx_NodeProto, _ attributes: Attributes, _ value: Value, at place: String
    ) throws(ModelError) {
      let axis = attributes.int("axis") ?? -1
      let normalized = axis < 0 ? axis + value.axes.count : axis
      guard value.axes.indices.contains(normalized), value.axes[normalized] == .channel else {
        throw mismatch(place, "channels", "axis \(axis)")
      }
      var sources: [Architecture.Source] = []
      for name in node.input {
        guard let part = values[name], part.axes == value.axes else {
          throw mismatch(place, "values with the same axes", "`\(name)`")
        }
        sources.append(part.source)
      }
      if sources.count > 1 { try graph.add(.concatenation, from: sources, at: place) }
    }

    /// Adds an upsampling by 2 that repeats values.
    private mutating func addUpsampling(
      _ node: Onnx_NodeProto, _ attributes: Attributes, _ value: inout Value, at place: String
    ) throws(ModelError) {
      try useChannelsFirst(&value, at: place)
      let mode = attributes.text("mode") ?? "nearest"
      let transform = attributes.text("coordinate_transformation_mode") ?? "half_pixel"
      let rounding = attributes.text("nearest_mode") ?? "round_prefer_floor"
      // All of these choose the same values where the factor is 2.
      let isUsual =
        node.opType == "Upsample"
        || transform == "asymmetric" && ["floor", "round_prefer_floor"].contains(rounding)
        || ["half_pixel", "pytorch_half_pixel"].contains(transform)
          && ["round_prefer_floor", "round_prefer_ceil"].contains(rounding)
      guard mode == "nearest", isUsual else {
        throw mismatch(
          place, "nearest values, as PyTorch's Upsample takes them",
          "\(mode), \(transform), \(rounding)")
      }
      let scales = try optionalConstant(node, node.opType == "Resize" ? 2 : 1, at: place)
      guard scales == [1, 1, 2, 2] else {
        throw mismatch(
          place, "constant scales of 1, 1, 2, 2", scales.map { "\($0)" } ?? "none")
      }
      try graph.add(.upsampling, at: place)
    }

    /// Takes the first channels of the last planes as the classes of cells.
    private mutating func takeClasses(
      _ node: Onnx_NodeProto, _ value: Value, at place: String
    ) throws(ModelError) {
      var bounds: [Int] = []
      for index in 1...4 where index < node.input.count {
        guard let tensor = constants.tensor(node.input[index]), tensor.dims.reduce(1, *) == 1,
          let number = try constants.integers(tensor, at: place).first
        else { throw mismatch(place, "some channels of planes", "others") }
        bounds.append(Int(clamping: number))
      }
      guard value.axes == ONNXReader.planeAxes, bounds.count >= 3, bounds[0] == 0, bounds[2] == 1,
        bounds.count == 3 || bounds[3] == 1
      else { throw mismatch(place, "the first channels of planes", "others") }
      try graph.setCellClasses(bounds[1], at: place)
    }

    // MARK: Shapes

    /// Whether a value is planes of one channel whose rows follow each other, whatever axes of length 1.
    private func isPicture(_ value: Value) -> Bool {
      graph.planes?.channels == 1
        && [[.batch, .row, .column], ONNXReader.pixelAxes].contains(
          value.longAxes.filter { $0 != .channel })
    }

    /// Checks that the channels are first; with one channel, the order does not matter.
    private func useChannelsFirst(_ value: inout Value, at place: String) throws(ModelError) {
      if isPicture(value), value.axes.count == 4 { value.axes = ONNXReader.planeAxes }
      guard value.axes == ONNXReader.planeAxes else {
        throw mismatch(place, "channels first", "axes \(value.axes)")
      }
    }

    /// Flattens a picture whose pixels the file has as a vector.
    private mutating func useVector(_ value: inout Value, at place: String) throws(ModelError) {
      guard value.axes == ONNXReader.pixelAxes else { return }
      try graph.addFlatten(at: place)
      value.axes = ONNXReader.vectorAxes
    }

    private mutating func flatten(_ value: inout Value, at place: String) throws(ModelError) {
      // The file may scale the pixels after this, or arrange them in rows again.
      if hasOneInput, graph.layer == nil, isPicture(value), value.pooling == nil {
        value.axes = ONNXReader.pixelAxes
        return
      }
      let isExchanged: Bool
      switch value.longAxes {
      case _ where isPicture(value): isExchanged = false
      case ONNXReader.planeAxes, ONNXReader.seriesAxes, ONNXReader.vectorAxes: isExchanged = false
      case [.batch, .row, .column, .channel], [.batch, .channel, .step]: isExchanged = true
      default: throw mismatch(place, "channels first or last", "axes \(value.axes)")
      }
      try graph.addFlatten(exchanged: isExchanged, pooling: value.pooling, at: place)
      value.axes = ONNXReader.vectorAxes
      value.pooling = nil
    }

    /// Flattens, joins the directions of a recurrent layer, makes columns steps, or moves axes of length 1.
    private mutating func reshape(
      _ node: Onnx_NodeProto, _ value: inout Value, at place: String
    ) throws(ModelError) {
      let shape = node.input.count > 1 ? constants.tensor(node.input[1]) : nil
      let lengths = try shape.map { shape throws(ModelError) in
        try constants.integers(shape, at: place)
      }
      if graph.planes != nil {
        guard value.longAxes == [.batch, .column, .channel, .row] else {
          return try reshapePlanes(node, lengths, &value, at: place)
        }
        guard lengths?.count ?? 3 == 3 else {
          throw mismatch(place, "[batch, columns, channels · rows]", "\(lengths ?? [])")
        }
        try graph.add(.columns, at: place)
        value.axes = ONNXReader.seriesAxes
        return
      }
      let axes = value.longAxes
      // A recurrent layer has its directions, one or two, before the channels.
      let joined = axes.filter { $0 != .direction }
      if graph.series != nil,
        [[.direction, .channel], [.one, .channel]].contains(value.axes.suffix(2)),
        lengths == nil || lengths?.count == joined.count
      {
        value.axes = joined
        return
      }
      guard !axes.contains(.direction) else {
        throw mismatch(place, "the directions next to the channels", "axes \(value.axes)")
      }
      guard lengths?.count ?? 2 == 2 else {
        throw mismatch(place, "2 axes", "\(lengths ?? [])")
      }
      try flatten(&value, at: place)
    }

    /// Flattens planes, or moves the axis of a single channel.
    private mutating func reshapePlanes(
      _ node: Onnx_NodeProto, _ lengths: [Int64]?, _ value: inout Value, at place: String
    ) throws(ModelError) {
      // A shape that the graph computes keeps the batch. The next layers check the sizes.
      guard let lengths, lengths.count != 2, let planes = graph.planes else {
        guard lengths == nil, isPicture(value), let name = node.output.first,
          reader(of: name, "Conv") != nil
        else { return try flatten(&value, at: place) }
        value.axes = ONNXReader.planeAxes
        return
      }
      let (rows, columns) = (Int64(planes.height), Int64(planes.width))
      guard isPicture(value), value.pooling == nil, !lengths.isEmpty else {
        throw mismatch(place, "a flattening", "a shape of \(lengths)")
      }
      // 0 copies a length, and -1 is the rest.
      var sizes = lengths.enumerated().dropFirst().map { index, length -> Int64 in
        guard length == 0, value.axes.indices.contains(index) else { return length }
        switch value.axes[index] {
        case .row: return rows
        case .column: return columns
        case .pixel: return rows * columns
        case .batch, .channel, .step, .direction, .one: return 1
        }
      }
      let known = sizes.filter { $0 > 0 }.reduce(1) { min($0 * min($1, 1 << 20), 1 << 40) }
      if let rest = sizes.firstIndex(of: -1) { sizes[rest] = rows * columns / known }
      switch sizes {
      case [1, rows, columns]: value.axes = ONNXReader.planeAxes
      case [rows, columns, 1]: value.axes = [.batch, .row, .column, .channel]
      case [rows, columns]: value.axes = [.batch, .row, .column]
      default:
        throw mismatch(place, "\(rows) rows and \(columns) columns", "a shape of \(lengths)")
      }
    }

    /// Keeps zeros before and after the steps for the next convolution.
    private func pad(
      _ node: Onnx_NodeProto, _ attributes: Attributes, _ value: inout Value, at place: String
    ) throws(ModelError) {
      let count = value.axes.count
      let pads = try node.input.count > 1 ? integers(node, 1, at: place) : attributes.ints("pads")
      guard (attributes.text("mode") ?? "constant") == "constant",
        try optionalConstant(node, 2, at: place)?.allSatisfy({ $0 == 0 }) ?? true,
        (attributes.float("value") ?? 0) == 0, node.input.count < 4 || node.input[3].isEmpty,
        let pads, pads.count == 2 * count, let step = value.axes.firstIndex(of: .step),
        pads.indices.allSatisfy({ $0 % count == step || pads[$0] == 0 }),
        (0...1024).contains(pads[step]), (0...1024).contains(pads[count + step])
      else { throw mismatch(place, "zeros before or after the steps of a series", "others") }
      value.padding = [pads[step], pads[count + step]]
    }

    // MARK: Constants

    /// Returns the axes that a node works on, counted from the first, or `nil` if it does not have them.
    private func axes(
      _ node: Onnx_NodeProto, _ attributes: Attributes, count: Int, at place: String
    ) throws(ModelError) -> [Int]? {
      guard
        let axes = try node.input.count > 1 ? integers(node, 1, at: place) : attributes.ints("axes")
      else { return nil }
      let normalized = axes.map { $0 < 0 ? $0 + count : $0 }
      guard normalized.allSatisfy({ (0..<count).contains($0) }),
        Set(normalized).count == normalized.count
      else { throw mismatch(place, "axes of the value", "\(axes)") }
      return normalized
    }

    /// Returns the integers at `index`.
    private func integers(
      _ node: Onnx_NodeProto, _ index: Int, at place: String
    ) throws(ModelError) -> [Int] {
      try constants.integers(tensor(node, index, at: place), at: place).map { Int(clamping: $0) }
    }

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
      let isSecond = values[node.input[0]] != nil
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
        if let number = numbers.first(where: [2, 3, 4, 7, 8, 9, 20].contains) {
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
    func texts(_ name: String) -> [String]? {
      byName[name].map { $0.strings.map { String(decoding: $0, as: UTF8.self) } }
    }
    func text(_ name: String) -> String? {
      byName[name].map { String(decoding: $0.s, as: UTF8.self) }
    }
  }
}

/// The constants of an ONNX graph.
struct Constants: ModelFileReader {
  private var byName: [String: Onnx_TensorProto]
  let path: String

  init(_ graph: Onnx_GraphProto, path: String) {
    self.path = path
    byName = Dictionary(graph.initializer.map { ($0.name, $0) }) { first, _ in first }
    var room = Architecture.maximumParameters
    for node in graph.node where node.output.count == 1 {
      if node.opType == "Constant" {
        byName[node.output[0]] = node.attribute.first.flatMap(Self.constant)
      } else if let input = node.input.first.flatMap({ byName[$0] }),
        let folded = folded(node, input, room: room)
      {
        byName[node.output[0]] = folded
        room -= folded.floatData.count
      }
    }
  }

  /// Returns what a node computes of constants, or `nil` for a node that is not followed.
  ///
  /// The result has at most `room` values.
  private func folded(
    _ node: Onnx_NodeProto, _ input: Onnx_TensorProto, room: Int
  ) -> Onnx_TensorProto? {
    guard node.opType != "Identity" else { return input }
    guard Self.foldable.contains(node.opType),
      let values = try? floats(input, at: node.name), values.count <= room
    else { return nil }
    let shape = input.dims.map(Int.init)
    func attribute(_ name: String) -> [Int]? {
      node.attribute.first { $0.name == name }.map {
        ($0.ints.isEmpty ? [$0.i] : $0.ints).map { Int(clamping: $0) }
      }
    }
    /// The integers of the second input, or of an attribute in older files.
    func integers(_ name: String) -> [Int]? {
      guard node.input.count > 1, !node.input[1].isEmpty else { return attribute(name) }
      return byName[node.input[1]].flatMap { try? self.integers($0, at: node.name) }?
        .map { Int(clamping: $0) }
    }
    func result(_ values: [Float], _ shape: [Int]) -> Onnx_TensorProto {
      .with {
        $0.name = node.output[0]
        $0.dataType = Int32(Onnx_TensorProto.DataType.float.rawValue)
        $0.dims = shape.map(Int64.init)
        $0.floatData = values
      }
    }
    switch node.opType {
    case "Reshape":
      guard var sizes = integers("shape") else { return nil }
      for index in sizes.indices where sizes[index] == 0 && shape.indices.contains(index) {
        sizes[index] = shape[index]
      }
      let known = sizes.filter { $0 != -1 }.reduce(1) { $0.multipliedReportingOverflow(by: $1).0 }
      if let rest = sizes.firstIndex(of: -1), known > 0 { sizes[rest] = values.count / known }
      let count = sizes.reduce(1) { $0.multipliedReportingOverflow(by: $1).0 }
      guard sizes.allSatisfy({ $0 > 0 }), count == values.count else { return nil }
      return result(values, sizes)
    case "Flatten":
      let axis = attribute("axis")?.first ?? 1
      let normalized = axis < 0 ? axis + shape.count : axis
      guard (0...shape.count).contains(normalized) else { return nil }
      let rows = shape[..<normalized].reduce(1, *)
      return result(values, [rows, rows == 0 ? 0 : values.count / rows])
    case "Transpose":
      let order = attribute("perm") ?? shape.indices.reversed()
      guard order.sorted() == Array(shape.indices) else { return nil }
      return result(
        WeightArchive.transposed(values, shape: shape, axes: order), order.map { shape[$0] })
    case "Squeeze":
      let axes = integers("axes")?.map { $0 < 0 ? $0 + shape.count : $0 }
      let places = axes ?? shape.indices.filter { shape[$0] == 1 }
      guard places.allSatisfy({ shape.indices.contains($0) && shape[$0] == 1 }) else { return nil }
      return result(
        values, shape.indices.filter { !places.contains($0) }.map { shape[$0] })
    case "Unsqueeze":
      guard let axes = integers("axes"), axes.count <= 8 else { return nil }
      var sizes = shape
      for axis in axes.map({ $0 < 0 ? $0 + shape.count + axes.count : $0 }).sorted() {
        guard (0...sizes.count).contains(axis) else { return nil }
        sizes.insert(1, at: axis)
      }
      return result(values, sizes)
    case "Cast":
      let type = attribute("to")?.first.flatMap(Onnx_TensorProto.DataType.init)
      guard type == .float || type == .double else { return nil }
      return result(values, shape)
    case "Sqrt": return result(values.map { $0.squareRoot() }, shape)
    case "Neg": return result(values.map { -$0 }, shape)
    case "Reciprocal": return result(values.map { 1 / $0 }, shape)
    case let operation:
      let combine: (Float, Float) -> Float
      switch operation {
      case "Add": combine = (+)
      case "Sub": combine = (-)
      case "Mul": combine = (*)
      case "Div": combine = (/)
      default: return nil
      }
      guard node.input.count == 2, let other = byName[node.input[1]],
        let others = try? floats(other, at: node.name)
      else { return nil }
      let otherShape = other.dims.map(Int.init)
      // The same shape, or one number.
      guard shape == otherShape || values.count == 1 || others.count == 1,
        !values.isEmpty, !others.isEmpty
      else { return nil }
      let longer = values.count >= others.count ? shape : otherShape
      return result(
        (0..<max(values.count, others.count)).map { index in
          combine(
            values[values.count == 1 ? 0 : index], others[others.count == 1 ? 0 : index])
        }, longer)
    }
  }

  /// The operators whose results are known if their inputs are.
  private static let foldable: Set = [
    "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Cast", "Sqrt", "Neg", "Reciprocal",
    "Add", "Sub", "Mul", "Div",
  ]

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
    guard !count.1, Int(count.0) <= Architecture.maximumParameters else {
      throw mismatch(name, "at most \(Architecture.maximumParameters) values", "\(tensor.dims)")
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
