import Foundation
import Ink
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Writes a network as ONNX, operator set 17.
///
/// Pictures go in as `[batch, channels, height, width]`, grey values times the input scale, series as
/// `[batch, length, channels]` and vectors as `[batch, count]`. `probabilities` are `[batch, classes]`, or
/// `[batch, length, classes]`.
struct ONNXWriter {
  private let content: NetworkExport
  private var nodes: [Onnx_NodeProto] = []
  private var constants: [Onnx_TensorProto] = []
  private var inputs: [Onnx_ValueInfoProto] = []
  private var outputs: [Onnx_ValueInfoProto] = []
  private var names = UniqueNames()
  /// The names of the values in the file.
  private var values: [Architecture.Source: String] = [:]

  private static let output = "probabilities"
  private static let batch = Onnx_TensorShapeProto.Dimension.with { $0.dimParam = "batch" }

  /// Creates a writer of `content`, whose batch normalisations are already folded where possible.
  init(_ content: NetworkExport) {
    self.content = content
    let architecture = content.architecture
    for (index, input) in architecture.inputs.enumerated() {
      let name = names.name(input.name)
      values[.input(index)] = name
      inputs.append(Self.description(name, Self.lengths(of: input)))
    }
    let output = names.name(Self.output)
    for index in architecture.nodes.indices { values[.node(index)] = add(index) }
    var logits = values[.node(architecture.nodes.count - 1)]!
    if content.temperature != 1 {
      let factor = constant("temperature.factor", [1], [Float(1 / content.temperature)])
      logits = append("Mul", names.name("temperature"), [logits, factor])
    }
    append("Softmax", output, [logits], [.integer("axis", -1)])
    var lengths = [Int64(architecture.classCount)].map { count in
      Onnx_TensorShapeProto.Dimension.with { $0.dimValue = count }
    }
    if architecture.output == .distributionPerStep {
      lengths.insert(.with { $0.dimParam = "steps" }, at: 0)
    }
    outputs.insert(Self.description(output, lengths), at: 0)
  }

  func data() throws -> Data {
    var file = Onnx_ModelProto()
    // Version 8 is the first with operator set 17 (ONNX 1.12).
    file.irVersion = 8
    file.opsetImport = [.with { $0.version = 17 }]
    file.producerName = "inkstate"
    file.producerVersion = Version.current
    file.docString = content.summary
    file.graph.name = content.architecture.name
    file.graph.node = nodes
    file.graph.initializer = constants
    file.graph.input = inputs
    file.graph.output = outputs
    var metadata = content.metadata
    for key in ["author", "license"] { metadata[key] = content.provenance[key] }
    file.metadataProps = metadata.sorted { $0.key < $1.key }.map { key, value in
      .with { ($0.key, $0.value) = (key, value) }
    }
    return try file.serializedData()
  }

  /// The axes of `input` after the batch; those whose length varies have a name.
  static func lengths(of input: NetworkInput) -> [Onnx_TensorShapeProto.Dimension] {
    func fixed(_ length: Int) -> Onnx_TensorShapeProto.Dimension {
      .with { $0.dimValue = Int64(length) }
    }
    func dimension(_ extent: NetworkInput.Extent, _ what: String) -> Onnx_TensorShapeProto.Dimension
    {
      switch extent {
      case .fixed(let length): fixed(length)
      case .variable: .with { $0.dimParam = "\(input.name) \(what)" }
      }
    }
    switch input.form {
    case .image(let channels, let height, let width):
      return [fixed(channels), fixed(height), dimension(width, "width")]
    case .series(let channels, let length): return [dimension(length, "length"), fixed(channels)]
    case .vector(let count): return [fixed(count)]
    }
  }

  /// A value `[batch, …]` of 32-bit numbers; `batchAxis` is the place of the batch.
  private static func description(
    _ name: String, _ lengths: [Onnx_TensorShapeProto.Dimension], batchAxis: Int = 0
  ) -> Onnx_ValueInfoProto {
    .with {
      $0.name = name
      $0.type.tensorType.elemType = Int32(Onnx_TensorProto.DataType.float.rawValue)
      var axes = lengths
      axes.insert(batch, at: batchAxis)
      $0.type.tensorType.shape.dim = axes
    }
  }

  // MARK: Layers

  /// Adds node `index` and returns the name of its output.
  private mutating func add(_ index: Int) -> String {
    let architecture = content.architecture
    let layer = architecture.nodes[index].layer
    let read = architecture.sources[index].map { values[$0]! }
    let shapes = architecture.sourceShapes(of: index)
    let isSeries = if case .series = shapes[0] { true } else { false }
    let name = names.name("\(layer.kind)\(index)")
    switch layer {
    case .convolution(let layer):
      return append(
        "Conv", name, [read[0]] + stored(index),
        [
          .integers("kernel_shape", [layer.kernel, layer.kernel]),
          .integers("pads", [Int](repeating: layer.pad, count: 4)),
        ])
    case .batchNormalization:
      let parameters = stored(index)
      let epsilon = [Onnx_AttributeProto.number("epsilon", BatchNormalization.epsilon)]
      guard isSeries else { return append("BatchNormalization", name, read + parameters, epsilon) }
      let columns = transpose(read[0], [0, 2, 1], "\(name).channels")
      let normalized = append(
        "BatchNormalization", names.name("\(name).normalized"), [columns] + parameters, epsilon)
      return transpose(normalized, [0, 2, 1], as: name)
    case .relu: return append("Relu", name, read)
    case .maxPooling(let layer):
      return append(
        "MaxPool", name, read,
        [
          .integers("kernel_shape", [layer.size, layer.size]),
          .integers("strides", [layer.size, layer.size]),
        ])
    case .flatten: return append("Flatten", name, read, [.integer("axis", 1)])
    case .dense(let layer):
      guard isSeries else {
        let input = read.count == 1 ? read[0] : joined(read, names.name("\(name).inputs"))
        return append("Gemm", name, [input] + stored(index), [.integer("transB", 1)])
      }
      let inputs = shapes[0].channelCount
      let weight = constant(
        "\(index).weight", [inputs, layer.units],
        WeightArchive.transposed(
          content.network.values(index, .weight), shape: [layer.units, inputs], axes: [1, 0]))
      let bias = constant("\(index).bias", [layer.units], content.network.values(index, .bias))
      let product = append("MatMul", names.name("\(name).product"), [read[0], weight])
      return append("Add", name, [product, bias])
    case .dropout: return read[0]
    case .seriesConvolution(let layer):
      let channels = shapes[0].channelCount
      let weight = constant(
        "\(index).weight", [layer.filters, channels, layer.kernel],
        WeightArchive.transposed(
          content.network.values(index, .weight), shape: [layer.filters, layer.kernel, channels],
          axes: [0, 2, 1]))
      let bias = constant("\(index).bias", [layer.filters], content.network.values(index, .bias))
      let columns = transpose(read[0], [0, 2, 1], "\(name).channels")
      let convolved = append(
        "Conv", names.name("\(name).convolved"), [columns, weight, bias],
        [
          .integers("kernel_shape", [layer.kernel]), .integers("strides", [layer.stride]),
          .integers("pads", [layer.before, layer.after]),
        ])
      return transpose(convolved, [0, 2, 1], as: name)
    case .gru(let layer):
      // z, r, h
      return addRecurrent(
        "GRU", index, read[0], units: layer.units, layer.direction, gates: [1, 0, 2], name,
        [.integer("linear_before_reset", 1)])
    case .lstm(let layer):
      // i, o, f, c
      return addRecurrent(
        "LSTM", index, read[0], units: layer.units, layer.direction, gates: [0, 3, 1, 2], name, [])
    case .timePooling(let layer):
      switch layer.method {
      case .max, .mean:
        return append(
          layer.method == .max ? "ReduceMax" : "ReduceMean", name, read,
          [.integers("axes", [1]), .integer("keepdims", 0)])
      case .attention:
        let weight = constant(
          "\(index).weight", [shapes[0].channelCount, 1], content.network.values(index, .weight))
        let scores = append("MatMul", names.name("\(name).scores"), [read[0], weight])
        let shares = append(
          "Softmax", names.name("\(name).shares"), [scores], [.integer("axis", 1)])
        let parts = append("Mul", names.name("\(name).parts"), [read[0], shares])
        let axes = integers("\(name).axes", [1])
        return append("ReduceSum", name, [parts, axes], [.integer("keepdims", 0)])
      }
    case .layerNormalization:
      return append(
        "LayerNormalization", name, read + stored(index),
        [.integer("axis", -1), .number("epsilon", LayerNormalization.epsilon)])
    case .concatenation: return joined(read, name)
    case .columns:
      let turned = transpose(read[0], [0, 3, 1, 2], "\(name).turned")
      let shape = integers("\(name).shape", [0, 0, architecture.outputShapes[index].channelCount])
      return append("Reshape", name, [turned, shape])
    }
  }

  private mutating func addRecurrent(
    _ operation: String, _ index: Int, _ input: String, units: Int, _ direction: Direction,
    gates: [Int], _ name: String, _ attributes: [Onnx_AttributeProto]
  ) -> String {
    let passes = direction.passes
    let roles = passes.map(\.roles)
    func values(_ parts: [Int]) -> [Float] {
      roles.flatMap { pass in
        parts.flatMap { reordered(content.network.values(index, pass[$0]), gates: gates) }
      }
    }
    let rows = gates.count * units
    let channels = content.architecture.inputShape(of: index).channelCount
    let weight = constant("\(name).W", [passes.count, rows, channels], values([0]))
    let recursion = constant("\(name).R", [passes.count, rows, units], values([1]))
    let bias = constant("\(name).B", [passes.count, 2 * rows], values([2, 3]))
    let steps = transpose(input, [1, 0, 2], "\(name).steps")
    let directionName =
      switch direction {
      case .forward: "forward"
      case .backward: "reverse"
      case .both: "bidirectional"
      }
    var read = [steps, weight, recursion, bias]
    var written = [names.name("\(name).outputs")]
    if content.hasState {
      // No lengths of series: all steps count.
      read.append("")
      for state in operation == "GRU" ? ["state"] : ["state", "cell"] {
        let lengths = [1, units].map { length in
          Onnx_TensorShapeProto.Dimension.with { $0.dimValue = Int64(length) }
        }
        let (before, after) = (names.name("\(name).\(state)"), names.name("\(name).\(state).next"))
        inputs.append(Self.description(before, lengths, batchAxis: 1))
        outputs.append(Self.description(after, lengths, batchAxis: 1))
        read.append(before)
        written.append(after)
      }
    }
    nodes.append(
      .with {
        $0.name = written[0]
        $0.opType = operation
        $0.input = read
        $0.output = written
        $0.attribute =
          [.integer("hidden_size", units), .text("direction", directionName)] + attributes
      })
    let turned = transpose(written[0], [2, 0, 1, 3], "\(name).turned")
    let shape = integers("\(name).shape", [0, 0, passes.count * units])
    return append("Reshape", name, [turned, shape])
  }

  // MARK: Nodes and constants

  /// The stored arrays of node `index` as constants of their own names.
  private mutating func stored(_ index: Int) -> [String] {
    content.architecture.parameters.filter { $0.node == index }.map { parameter in
      constant(parameter.name, parameter.shape, content.network.values(index, parameter.role))
    }
  }

  private mutating func constant(_ name: String, _ shape: [Int], _ values: [Float]) -> String {
    let name = names.name(name)
    constants.append(
      .with {
        $0.name = name
        $0.dims = shape.map(Int64.init)
        $0.dataType = Int32(Onnx_TensorProto.DataType.float.rawValue)
        $0.rawData = Data(littleEndian: values)
      })
    return name
  }

  private mutating func integers(_ name: String, _ values: [Int]) -> String {
    let name = names.name(name)
    constants.append(
      .with {
        $0.name = name
        $0.dims = [Int64(values.count)]
        $0.dataType = Int32(Onnx_TensorProto.DataType.int64.rawValue)
        $0.int64Data = values.map(Int64.init)
      })
    return name
  }

  private mutating func joined(_ read: [String], _ name: String) -> String {
    append("Concat", name, read, [.integer("axis", -1)])
  }

  private mutating func transpose(_ value: String, _ order: [Int], _ name: String) -> String {
    transpose(value, order, as: names.name(name))
  }

  private mutating func transpose(_ value: String, _ order: [Int], as name: String) -> String {
    append("Transpose", name, [value], [.integers("perm", order)])
  }

  /// Adds a node named after its output.
  @discardableResult private mutating func append(
    _ operation: String, _ name: String, _ read: [String],
    _ attributes: [Onnx_AttributeProto] = []
  ) -> String {
    nodes.append(
      .with {
        $0.name = name
        $0.opType = operation
        $0.input = read
        $0.output = [name]
        $0.attribute = attributes
      })
    return name
  }
}

extension Onnx_AttributeProto {
  static func integer(_ name: String, _ value: Int) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.i) = (name, .int, Int64(value)) }
  }

  static func integers(_ name: String, _ values: [Int]) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.ints) = (name, .ints, values.map(Int64.init)) }
  }

  static func number(_ name: String, _ value: Float) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.f) = (name, .float, value) }
  }

  static func text(_ name: String, _ value: String) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.s) = (name, .string, Data(value.utf8)) }
  }
}
