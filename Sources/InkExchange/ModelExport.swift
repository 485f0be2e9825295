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
  /// With `hasState`, the states of recurrent layers are additional inputs and outputs of Core ML and ONNX
  /// files. A stream can then be read piece by piece.
  ///
  /// - Throws: `ModelError` if a folded weight overflows, if a number of the decision is out of range, or if
  ///   the format does not support a layer.
  public func exported(
    as form: ExportForm, name: String = "InkModel", withState hasState: Bool = false
  ) throws -> Data {
    try checkDecision()
    let model = try foldingBatchNormalization()
    if form == .safetensors { return try model.encoded() }
    return try NetworkExport(
      network: model.network, labels: labels, temperature: decision.temperature,
      imageScales: preprocessing.map { $0.greyScale ?? 1 }, summary: summary,
      provenance: provenance,
      metadata: model.metadata, hasState: hasState
    ).encoded(as: form, name: name)
  }

  /// The description in the provenance, or a sentence about the network.
  var summary: String {
    if let description = provenance["description"] { return description }
    let labels = labels.joined(separator: ", ")
    let origin = "(Inkstate, network \(architecture.name))"
    if answersCells { return "Classifies the cells of pages as \(labels) \(origin)." }
    guard let rasterizer else { return "Classifies series as \(labels) \(origin)." }
    let strokes = readsStrokes ? " and series of their strokes," : ""
    return
      "Classifies drawings of \(rasterizer.size) × \(rasterizer.size) pixels, bright ink on black,"
      + "\(strokes) as \(labels) \(origin)."
  }
}
