import InkNetwork
import InkRaster

/// How a drawing becomes the input of a network: the same in training and in use, for it is stored in the
/// model.
public enum Preprocessing: Hashable, Sendable {
  /// A grey picture of 0…255, times `scale`.
  case raster(Rasterizer, scale: Float)

  /// Draws with `rasterizer`; grey values become numbers from 0 to 1.
  public static func raster(_ rasterizer: Rasterizer) -> Preprocessing {
    .raster(rasterizer, scale: 1 / 255)
  }

  /// What draws pictures.
  public var rasterizer: Rasterizer {
    switch self {
    case .raster(let rasterizer, _): rasterizer
    }
  }

  /// What grey values are multiplied with.
  public var scale: Float {
    switch self {
    case .raster(_, let scale): scale
    }
  }

  /// Checks that a network takes what this makes.
  func check(for architecture: Architecture, path: String) throws(ModelError) {
    guard let size = architecture.pictureSize else {
      throw ModelError(
        path: path, field: "architecture", expected: "one square grey picture as the input",
        found: "another input")
    }
    guard rasterizer.size == size else {
      throw ModelError(
        path: path, field: "raster", expected: "a size of \(size)", found: "\(rasterizer.size)")
    }
    guard scale.isFinite, scale > 0 else {
      throw ModelError(
        path: path, field: "scale", expected: "a positive number", found: "\(scale)")
    }
  }
}

/// `{"kind": "raster", "raster": {"size": 28, "margin": 1, "penWidth": 1.75}, "scale": 0.003921569}`
extension Preprocessing: Codable {
  private enum CodingKeys: CodingKey {
    case kind, raster, scale
  }

  private enum Kind: String, Codable {
    case raster
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form, `RasterError` where the numbers do not fit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .raster:
      self = .raster(
        try container.decode(Rasterizer.self, forKey: .raster),
        scale: try container.decode(Float.self, forKey: .scale))
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .raster(let rasterizer, let scale):
      try container.encode(Kind.raster, forKey: .kind)
      try container.encode(rasterizer, forKey: .raster)
      try container.encode(scale, forKey: .scale)
    }
  }
}
