import Foundation
import InkImageIO
import InkRaster
import InkRecognizer

extension PageRecognizer {
  /// How much larger than the network sees it a JPEG is decoded at least.
  ///
  /// In 28 photographs, 99.95 % of the cells have the class then that they have with all pixels, at least
  /// 99.8 % in each; with a margin of 1, 99.7 % and 99.0 %.
  private static let margin = 1.5

  /// Reads a PNG or a JPEG for this recogniser, upright and grey, which looks at it with a longer side of
  /// `longerSide` pixels, or else as its model says.
  ///
  /// The network sees a photograph much smaller than it was taken, so not all of a JPEG is decoded.
  ///
  /// - Throws: `PictureError` naming `path` where the data is neither, damaged, cut off or has more than
  ///   ``maximumPixels``.
  package func readPicture(
    _ data: Data, path: String, longerSide: Int? = nil
  ) throws(PictureError) -> Bitmap {
    if let (width, height) = Photograph.size(of: data), width * height > Self.maximumPixels {
      throw PictureError(
        path: path, expected: "at most \(Self.maximumPixels / 1_000_000) megapixels",
        found: "\(width) × \(height)")
    }
    let least = Self.margin * Double(longerSide ?? self.longerSide)
    return try Bitmap.decode(data, path: path, longerSide: Int(least))
  }
}
