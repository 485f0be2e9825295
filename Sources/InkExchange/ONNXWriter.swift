import Foundation
import Ink
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Writes a network as ONNX, operator set 17.
///
/// Pictures go in as `[batch, channels, height, width]`, grey values times the input scale, series as
/// `[batch, length, channels]` and vectors as `[batch, count]`. `probabilities` are `[batch, classes]`, or
/// `[batch, length, classes]`. Where there is a distribution for each cell, they are
/// `[batch, classes, rows, columns]`, and `fields` are `[batch, fields, rows, columns]`.
struct ONNXWriter {
  let content: NetworkExport
  var nodes: [Onnx_NodeProto] = []
  private var constants: [Onnx_TensorProto] = []
  var inputs: [Onnx_ValueInfoProto] = []
  var outputs: [Onnx_ValueInfoProto] = []
  var names = UniqueNames()
  /// The names of the values in the file.
  private var values: [Architecture.Source: String] = [:]

  private static let output = "probabilities"
  private static let fields = "fields"
  private static let batch = Onnx_TensorShapeProto.Dimension.with { $0.dimParam = "batch" }

  /// Creates a writer of `content`, whose batch normalisations are already folded where possible.
  init(_ content: NetworkExport) {
    self.content = content
    let architecture = content.architecture
    for (index, input) in architecture.inputs.enumerated() {
      let name = names.name(input.name)
      values[.input(index)] = name
      inputs.append(
        Self.description(name, Self.lengths(of: input, multiple: content.architecture.sideMultiple))
      )
    }
    let output = names.name(Self.output)
    for (index, layer) in architecture.layers.enumerated() {
      let node = ExportedNode(
        index, of: content.network, named: names.name("\(layer.kind)\(index)"), reading: values)
      values[.node(index)] = layer.export.add(node, to: &self)
    }
    var logits = values[.node(architecture.nodes.count - 1)]!
    if let fields = content.cellFields, fields > 0 {
      let all = logits
      logits = channels(0..<architecture.classCount, of: all, as: names.name("logits"))
      let output = channels(
        architecture.classCount..<architecture.classCount + fields, of: all,
        as: names.name(Self.fields))
      outputs.append(Self.description(output, Self.cells(fields)))
    }
    if content.temperature != 1 {
      let factor = constant("temperature.factor", [1], [Float(1 / content.temperature)])
      logits = append("Mul", names.name("temperature"), [logits, factor])
    }
    append("Softmax", output, [logits], [.integer("axis", content.cellFields == nil ? -1 : 1)])
    var lengths = [Int64(architecture.classCount)].map { count in
      Onnx_TensorShapeProto.Dimension.with { $0.dimValue = count }
    }
    if architecture.output == .distributionPerStep {
      lengths.insert(.with { $0.dimParam = "steps" }, at: 0)
    }
    if content.cellFields != nil { lengths = Self.cells(architecture.classCount) }
    outputs.insert(Self.description(output, lengths), at: 0)
  }

  /// The axes of so many planes of cells.
  private static func cells(_ count: Int) -> [Onnx_TensorShapeProto.Dimension] {
    [
      .with { $0.dimValue = Int64(count) }, .with { $0.dimParam = "rows" },
      .with { $0.dimParam = "columns" },
    ]
  }

  /// Adds a node that takes some channels of planes.
  private mutating func channels(
    _ range: Range<Int>, of planes: String, as name: String
  ) -> String {
    let bounds = [range.lowerBound, range.upperBound, 1].enumerated().map {
      integers("\(name).\(["first", "end", "axis"][$0])", [$1])
    }
    return append("Slice", name, [planes] + bounds)
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

  /// The axes of `input` after the batch; those whose length varies have a name, and the sides of a page are
  /// multiples of `multiple`.
  static func lengths(
    of input: NetworkInput, multiple: Int
  ) -> [Onnx_TensorShapeProto.Dimension] {
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
    case .page(let channels, let heights, let widths):
      let sides = multiple > 1 ? ", a multiple of \(multiple)" : ""
      return [
        fixed(channels), dimension(.variable(heights), "height\(sides)"),
        dimension(.variable(widths), "width\(sides)"),
      ]
    case .series(let channels, let length): return [dimension(length, "length"), fixed(channels)]
    case .vector(let count): return [fixed(count)]
    }
  }

  /// A value `[batch, …]` of 32-bit numbers; `batchAxis` is the place of the batch.
  static func description(
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

  // MARK: Nodes and constants

  /// The stored arrays of node `index` as constants of their own names.
  mutating func stored(_ index: Int) -> [String] {
    content.architecture.parameters.filter { $0.node == index }.map { parameter in
      constant(parameter.name, parameter.shape, content.network.values(index, parameter.role))
    }
  }

  mutating func constant(_ name: String, _ shape: [Int], _ values: [Float]) -> String {
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

  mutating func integers(_ name: String, _ values: [Int]) -> String {
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

  mutating func joined(_ read: [String], _ name: String, axis: Int = -1) -> String {
    append("Concat", name, read, [.integer("axis", axis)])
  }

  mutating func transpose(_ value: String, _ order: [Int], _ name: String) -> String {
    transpose(value, order, as: names.name(name))
  }

  mutating func transpose(_ value: String, _ order: [Int], as name: String) -> String {
    append("Transpose", name, [value], [.integers("perm", order)])
  }

  /// Adds a node named after its output.
  @discardableResult mutating func append(
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
