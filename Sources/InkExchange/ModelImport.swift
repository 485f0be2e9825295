import Foundation
import InkNetwork
import InkRaster
import InkRecognizer

/// What an importer is told that a file does not say.
public struct ImportOptions: Sendable {
  /// What the classes are called, in order; instead of the file's labels.
  public var labels: [String]?
  /// The network, for files with weights only.
  public var architecture: Architecture?
  /// How weights lie in such files; `nil` to find out.
  public var layout: WeightLayout?
  /// What a batch normalisation in such files adds to the variance; `nil` for the layout's usual one.
  public var epsilon: Float?
  /// What grey values of 0…255 are multiplied with, where the file does not say it.
  public var inputScale: Float?
  /// The free space around the ink that the network was trained with, in pixels; `nil` for the usual.
  public var margin: Double?
  /// The width of the line that the network was trained with, in pixels; `nil` for the usual.
  public var penWidth: Double?

  /// Makes the usual options.
  public init() {}
}

extension Model {
  /// Reads a network that another program wrote: Core ML (`.mlmodel`), ONNX (`.onnx`) or NumPy's weights
  /// (`.npz`).
  ///
  /// - Throws: `ModelError` naming the layer or field that cannot be taken over.
  public static func imported(
    path: String, options: ImportOptions = ImportOptions()
  ) throws(ModelError) -> Model {
    func refuse(_ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: "file", expected: expected, found: found)
    }
    let ending = path.lowercased().split(separator: ".").last.map(String.init) ?? ""
    guard ["mlmodel", "onnx", "npz"].contains(ending) else {
      throw ModelError(
        path: path,
        problem: ending == "mlpackage"
          ? ".mlpackage holds ML programs, which cannot be taken over; save a .mlmodel"
          : "only names that end in .mlmodel, .onnx or .npz can be taken over")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let size = attributes?[.size] as? Int, size > mostBytes {
      throw refuse("at most \(mostBytes >> 20) MiB", "\(size >> 20) MiB")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ModelError(path: path, problem: "the file is missing or cannot be read")
    }
    switch ending {
    case "mlmodel": return try CoreMLReader(path: path).model(data, options)
    case "onnx": return try ONNXReader(path: path).model(data, options)
    default: return try WeightArchive.model(data, path: path, options)
    }
  }

  /// Files with more than the largest network has in double precision are none.
  private static let mostBytes = 8 * Architecture.mostParameters + (8 << 20)
}
