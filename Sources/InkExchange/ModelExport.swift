import Foundation
import InkNetwork
import InkRecognizer

/// The forms in which a model leaves this package.
public enum ExportForm: String, Sendable, CaseIterable {
  /// Apple's neural-network classifier, `.mlmodel`.
  case coreml
  /// The exchange form of most other tools, `.onnx`.
  case onnx
  /// This package's own form, without batch normalisation, which other tools can read as well.
  case safetensors
  /// One file of Swift that depends on nothing.
  case swift

  /// The ending of such a file's name, without the point.
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
  /// The model as the bytes of a file in another form; `name` is what Swift calls it.
  ///
  /// Batch normalisation is folded into the layers before it, dropout is left out. All forms give the
  /// same probabilities, the temperature included; what refuses an answer, the thresholds, goes along as
  /// metadata.
  ///
  /// With `hasState`, Core ML and ONNX files have the states of recurrent layers as inputs and outputs more, so
  /// that a stream can be read piece by piece.
  ///
  /// - Throws: `ModelError` where a folded weight is too large for a number, a number of the decision is out
  ///   of range, or the form does not have a layer.
  public func exported(
    as form: ExportForm, name: String = "InkModel", withState hasState: Bool = false
  ) throws -> Data {
    try checkDecision()
    let model = try foldingBatchNormalization()
    if form == .safetensors { return try model.encoded() }
    return try NetworkExport(
      network: model.network, labels: labels, temperature: decision.temperature,
      imageScale: preprocessing.scale, summary: summary, provenance: provenance,
      metadata: model.metadata, hasState: hasState
    ).encoded(as: form, name: name)
  }

  /// What the network is, in a sentence, where its provenance has none.
  var summary: String {
    provenance["description"]
      ?? "Tells \(labels.joined(separator: ", ")) in drawings of \(preprocessing.rasterizer.size) × "
      + "\(preprocessing.rasterizer.size) pixels, bright ink on black (Inkstate, network "
      + "\(architecture.name))."
  }
}
