import Foundation
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer

/// The properties of a model that its file does not contain.
public struct ImportOptions: Sendable {
  /// The labels, in order; they replace the labels of the file.
  public var labels: [String]?
  /// The network, for files that contain only weights.
  public var architecture: Architecture?
  /// The layout of the weights in such files; `nil` detects it.
  public var layout: WeightLayout?
  /// The ε of batch normalisation in such files; `nil` is the default of the layout's framework.
  public var epsilon: Float?
  /// The factor for grey values from 0 to 255, if the file does not contain it.
  public var inputScale: Float?
  /// The margin around the ink in the training pictures, in pixels.
  ///
  /// With `nil`, drawings have the margin of ``pictures`` or the standard margin, and pictures of every
  /// size are scaled as a whole unless there are ``pictures``.
  public var margin: Double?
  /// The pen width in the training pictures, in pixels; `nil` is that of ``pictures`` or the standard
  /// width.
  public var penWidth: Double?
  /// Training pictures, on which margin, pen width and the place of the ink are measured.
  public var pictures: Dataset?

  /// Creates the default options.
  public init() {}
}

extension Model {
  /// Reads a model of another program: Core ML (`.mlmodel`), ONNX (`.onnx`) or NumPy weights (`.npz`).
  ///
  /// - Throws: `ModelError` that names the layer or field that cannot be imported.
  public static func imported(
    path: String, options: ImportOptions = ImportOptions()
  ) throws(ModelError) -> Model {
    func mismatch(_ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: "file", expected: expected, found: found)
    }
    let ending = path.lowercased().split(separator: ".").last.map(String.init) ?? ""
    guard ["mlmodel", "onnx", "npz"].contains(ending) else {
      throw ModelError(
        path: path,
        problem: ending == "mlpackage"
          ? ".mlpackage files contain ML programs, which cannot be imported; save a .mlmodel"
          : "only files with the extension .mlmodel, .onnx or .npz can be imported")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let size = attributes?[.size] as? Int, size > maximumBytes {
      throw mismatch("at most \(maximumBytes >> 20) MiB", "\(size >> 20) MiB")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ModelError(path: path, problem: "the file is missing or cannot be read")
    }
    switch ending {
    case "mlmodel": return try CoreMLReader(path: path).model(data, options)
    case "onnx": return try ONNXReader(path: path).model(data, options)
    default: return try WeightArchive(path: path).model(data, options)
    }
  }

  /// The maximum size of a file: that of the largest network in double precision.
  private static let maximumBytes = 8 * Architecture.maximumParameters + (8 << 20)
}
