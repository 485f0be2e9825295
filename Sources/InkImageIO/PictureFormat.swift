import Foundation

/// The format of a picture file.
public enum PictureFormat: String, Hashable, Sendable, CaseIterable {
  /// Scalable vector graphics.
  case svg
  /// A bitmap.
  case png
  /// A page with lines and text.
  case pdf

  /// The extension of file names.
  public var ending: String { rawValue }

  /// The media type.
  public var mediaType: String {
    switch self {
    case .svg: "image/svg+xml"
    case .png: "image/png"
    case .pdf: "application/pdf"
    }
  }

  /// Creates the format for the extension of `path`, or `nil` if it is not that of a picture.
  public init?(path: String) {
    let path = path.lowercased()
    guard let form = Self.allCases.first(where: { path.hasSuffix(".\($0.ending)") }) else {
      return nil
    }
    self = form
  }

  /// The largest scale of a PNG.
  public static let maximumScale = 100.0

  /// Returns a PNG of the picture that `svg` describes: `scale` pixels per unit, with transparent
  /// background where the document covers nothing if `isTransparent`.
  ///
  /// - Throws: `SVGError` or `PictureError` if it cannot be rendered or encoded, or would be too large.
  public static func pngData(of svg: String, scale: Double, isTransparent: Bool) throws -> Data {
    let picture = try SVGRenderer.load().translucent(svg, scale: scale, shrinks: false)
    guard isTransparent else { return try PNG.encode(picture.onWhite) }
    return try PNG.encode(picture)
  }

  /// Returns the file of a picture, which `svg` describes; `scale` is the pixels of a PNG per unit, of a
  /// large picture fewer.
  ///
  /// - Throws: `SVGError` or `PictureError` if a PNG or PDF cannot be rendered or encoded.
  public func data(of svg: String, scale: Double = 1) throws -> Data {
    switch self {
    case .svg: Data(svg.utf8)
    case .png: try PNG.encode(SVGRenderer.load().bitmap(svg, scale: scale))
    case .pdf: try SVGRenderer.load().pdf(svg)
    }
  }
}
