import Foundation
import InkNetwork
import InkRecognizer

/// A file format for exported models.
public enum ExportForm: String, Sendable, CaseIterable {
  /// Apple's neural-network classifier, `.mlmodel`.
  case coreml
  /// ONNX, which most other tools read, `.onnx`.
  case onnx
  /// The format of this package with batch normalisation folded; other tools can read it too.
  case safetensors
  /// One Swift file without dependencies.
  case swift

  /// The extension of file names, without the dot.
  public var fileExtension: String {
    switch self {
    case .coreml: "mlmodel"
    case .onnx: "onnx"
    case .safetensors: "safetensors"
    case .swift: "swift"
    }
  }
}

extension Model {
  /// Returns the model as a file in another format; `name` is the name of the Swift type.
  ///
  /// Batch normalisation is folded into the layers before it, and dropout is left out. All formats give
  /// the same probabilities, including the temperature. The thresholds for rejection are in the metadata.
  ///
  /// - Throws: `ModelError` if a folded weight overflows, or if a number of the decision is out of range.
  public func exported(as form: ExportForm, name: String = "InkModel") throws -> Data {
    try checkDecision()
    let model = try foldingBatchNormalization()
    guard architecture.isChain || form == .safetensors else {
      throw ModelError(
        path: "model", field: "architecture", expected: "a chain of layers, or .safetensors",
        found: "nodes that read other nodes than the previous one")
    }
    switch form {
    case .coreml: return try CoreMLWriter(model).data()
    case .onnx: return try ONNXWriter(model).data()
    case .safetensors: return try model.encoded()
    case .swift: return Data(SwiftWriter(model, name: name).text.utf8)
    }
  }

  /// The description in the provenance, or a sentence about the network.
  var summary: String {
    provenance["description"]
      ?? "Classifies drawings of \((rasterizer ?? .standard).size) × "
      + "\((rasterizer ?? .standard).size) pixels, bright ink on black, as "
      + "\(labels.joined(separator: ", ")) (Inkstate, network \(architecture.name))."
  }
}
