import CPNG
import Foundation
import InkRaster

/// Reads and writes PNGs with libpng's simplified interface.
public enum PNG {
  /// The largest picture that is read, in pixels; a larger one is refused before any is decoded.
  public static let mostPixels = 1 << 26

  /// The longest file that is read, in bytes.
  public static let longestFile = 1 << 28

  /// Returns whether `data` starts as a PNG.
  public static func isPNG(_ data: Data) -> Bool {
    data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  /// Reads any PNG as 8-bit grey.
  ///
  /// Transparent pixels become black if the ink is light, and white if it is dark.
  ///
  /// - Throws: `PNGError` naming `path` where the data is no PNG, broken or too large.
  public static func decode(_ data: Data, path: String) throws(PNGError) -> Bitmap {
    guard isPNG(data) else {
      throw PNGError(
        path: path, expected: "a PNG", found: data.isEmpty ? "an empty file" : "something else")
    }
    let result = data.withUnsafeBytes { bytes -> Result<Bitmap, PNGError> in
      var image = png_image()
      image.version = png_uint_32(PNG_IMAGE_VERSION)
      defer { png_image_free(&image) }
      func failure() -> Result<Bitmap, PNGError> {
        let message = withUnsafeBytes(of: image.message) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .failure(PNGError(path: path, expected: "a whole PNG", found: "libpng: \(message)"))
      }
      guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else {
        return failure()
      }
      let (width, height) = (Int(image.width), Int(image.height))
      guard width * height <= mostPixels else {
        return .failure(
          PNGError(
            path: path, expected: "at most \(mostPixels) pixels", found: "\(width) × \(height)"))
      }
      let hasAlpha = image.format & png_uint_32(PNG_FORMAT_FLAG_ALPHA) != 0
      let channels = hasAlpha ? 2 : 1
      image.format &= png_uint_32(PNG_FORMAT_FLAG_ALPHA)
      var samples = [UInt8](repeating: 0, count: width * height * channels)
      let read = samples.withUnsafeMutableBytes {
        png_image_finish_read(&image, nil, $0.baseAddress, 0, nil)
      }
      guard read != 0 else { return failure() }
      return .success(
        Bitmap(
          width: width, height: height, pixels: hasAlpha ? composited(samples) : samples))
    }
    return try result.get()
  }

  /// Reads the PNG file at `path` as 8-bit grey.
  ///
  /// - Throws: `PNGError` if it cannot be read.
  public static func read(path: String) throws(PNGError) -> Bitmap {
    let handle = FileHandle(forReadingAtPath: path)
    defer { try? handle?.close() }
    // The size of a pipe is unknown.
    guard let data = try? handle?.read(upToCount: longestFile + 1) ?? Data(), handle != nil else {
      throw PNGError(path: path, expected: "a readable file", found: "none")
    }
    guard data.count <= longestFile else {
      throw PNGError(path: path, expected: "at most \(longestFile >> 20) MiB", found: "more")
    }
    return try decode(data, path: path)
  }

  /// Returns the picture as an 8-bit grey PNG.
  ///
  /// - Throws: `PNGError` if libpng refuses, as for a picture without pixels.
  public static func encode(_ bitmap: Bitmap) throws(PNGError) -> Data {
    try encode(
      bitmap.pixels, width: bitmap.width, height: bitmap.height, format: PNG_FORMAT_GRAY)
  }

  /// Returns the picture as an 8-bit RGB PNG.
  ///
  /// - Throws: `PNGError` if libpng refuses, as for a picture without pixels.
  public static func encode(_ picture: ColorPicture) throws(PNGError) -> Data {
    try encode(
      picture.samples, width: picture.width, height: picture.height, format: PNG_FORMAT_RGB)
  }

  private static func encode(
    _ samples: [UInt8], width: Int, height: Int, format: some BinaryInteger
  ) throws(PNGError) -> Data {
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    image.width = png_uint_32(width)
    image.height = png_uint_32(height)
    image.format = png_uint_32(format)
    defer { png_image_free(&image) }
    // Room for the deflated data at its longest, so that one pass is enough.
    let rows = samples.count + height
    var data = Data(count: rows + rows / 1000 + 1024)
    var count = data.count
    let written = data.withUnsafeMutableBytes { out in
      png_image_write_to_memory(&image, out.baseAddress, &count, 0, samples, 0, nil)
    }
    guard written != 0 else {
      throw PNGError(
        path: "PNG", expected: "a picture that libpng writes", found: "\(width) × \(height) pixels")
    }
    return data.prefix(count)
  }

  /// Lays grey with alpha, `[pixel][grey, alpha]`, over the background that shows its ink.
  private static func composited(_ samples: [UInt8]) -> [UInt8] {
    var weight = 0
    var brightness = 0
    for index in stride(from: 0, to: samples.count, by: 2) {
      weight += Int(samples[index + 1])
      brightness += Int(samples[index]) * Int(samples[index + 1])
    }
    // A picture that is opaque all over never shows its background.
    let background = brightness * 2 < weight * 255 ? 255 : 0
    return stride(from: 0, to: samples.count, by: 2).map { index in
      let alpha = Int(samples[index + 1])
      let sum = Int(samples[index]) * alpha + background * (255 - alpha)
      return UInt8((sum + 127) / 255)
    }
  }
}

/// A PNG that cannot be read or written.
public struct PNGError: Error, Hashable, CustomStringConvertible {
  /// The file.
  public var path: String
  /// The expected value.
  public var expected: String
  /// The found value.
  public var found: String

  /// The error in one line.
  public var description: String { "\(path): expected \(expected), found \(found)" }
}
