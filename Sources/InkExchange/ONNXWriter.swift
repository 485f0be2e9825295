import Foundation
import Ink
import InkNetwork
import InkRecognizer
import SwiftProtobuf

/// Writes a model as ONNX, operator set 17.
///
/// The input `image` has the shape `[batch, 1, size, size]` and contains grey values times the input
/// scale. The output `probabilities` has the shape `[batch, classes]`.
struct ONNXWriter {
  private let model: Model
  private var nodes: [Onnx_NodeProto] = []
  private var constants: [Onnx_TensorProto] = []
  private var value = Self.input

  private static let input = "image"
  private static let output = "probabilities"

  /// Creates a writer of `model`, whose batch normalisations are already folded where possible.
  init(_ model: Model) {
    self.model = model
    for (index, layer) in model.architecture.layers.enumerated() {
      guard let exported = ExportedLayer(index, of: model.network) else { continue }
      let parameters = model.architecture.parameters.filter { $0.node == index }
      for parameter in parameters {
        constants.append(
          Self.tensor(
            parameter.name, parameter.shape, model.network.values(index, parameter.role)))
      }
      append(
        exported.onnx.operation, "\(layer.kind)\(index)", parameters.map(\.name),
        exported.onnx.attributes)
    }
    if model.decision.temperature != 1 {
      constants.append(
        Self.tensor("temperature.factor", [1], [Float(1 / model.decision.temperature)]))
      append("Mul", "temperature", ["temperature.factor"])
    }
    append("Softmax", Self.output, [], [.integer("axis", -1)])
  }

  func data() throws -> Data {
    var file = Onnx_ModelProto()
    // Version 8 is the first with operator set 17 (ONNX 1.12).
    file.irVersion = 8
    file.opsetImport = [.with { $0.version = 17 }]
    file.producerName = "inkstate"
    file.producerVersion = Version.current
    file.docString = model.summary
    file.graph.name = model.architecture.name
    file.graph.node = nodes
    file.graph.initializer = constants
    let size = Int64((model.rasterizer ?? .standard).size)
    file.graph.input = [Self.description(Self.input, [1, size, size])]
    file.graph.output = [Self.description(Self.output, [Int64(model.labels.count)])]
    var metadata = model.metadata
    for key in ["author", "license"] { metadata[key] = model.provenance[key] }
    file.metadataProps = metadata.sorted { $0.key < $1.key }.map { key, value in
      .with { ($0.key, $0.value) = (key, value) }
    }
    return try file.serializedData()
  }

  /// Returns the description of a value `[batch, …]` of 32-bit numbers.
  private static func description(_ name: String, _ lengths: [Int64]) -> Onnx_ValueInfoProto {
    .with {
      $0.name = name
      $0.type.tensorType.elemType = Int32(Onnx_TensorProto.DataType.float.rawValue)
      $0.type.tensorType.shape.dim =
        [.with { $0.dimParam = "batch" }] + lengths.map { length in .with { $0.dimValue = length } }
    }
  }

  private static func tensor(
    _ name: String, _ shape: [Int], _ values: [Float]
  ) -> Onnx_TensorProto {
    .with {
      $0.name = name
      $0.dims = shape.map(Int64.init)
      $0.dataType = Int32(Onnx_TensorProto.DataType.float.rawValue)
      $0.rawData = values.map(\.bitPattern.littleEndian).withUnsafeBytes { Data($0) }
    }
  }

  /// Adds a node that reads the current value and `constants`; its output has the name of the node.
  private mutating func append(
    _ operation: String, _ name: String, _ constants: [String],
    _ attributes: [Onnx_AttributeProto] = []
  ) {
    nodes.append(
      .with {
        $0.name = name
        $0.opType = operation
        $0.input = [value] + constants
        $0.output = [name]
        $0.attribute = attributes
      })
    value = name
  }
}
