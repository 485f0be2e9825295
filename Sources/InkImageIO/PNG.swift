import CPNG
import Foundation
import InkRaster

/// Reads and writes PNGs with libpng's simplified interface.
public enum PNG {
  /// The largest picture that is read, in pixels; a larger one is refused before any is decoded.
  public static let maximumPixels = 1 << 26

  /// The longest file that is read, in bytes.
  public static let longestFile = 1 << 28

  /// The bits of libpng's formats that say that a pixel has alpha and that it has three colours.
  private static let alpha = png_uint_32(PNG_FORMAT_FLAG_ALPHA)
  private static let color = png_uint_32(PNG_FORMAT_FLAG_COLOR)

  /// Returns whether `data` starts as a PNG.
  public static func isPNG(_ data: Data) -> Bool {
    data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  /// Reads any PNG as 8-bit grey.
  ///
  /// Transparent pixels become black if the ink is light, and white if it is dark.
  ///
  /// - Throws: `PictureError` naming `path` where the data is no PNG, damaged or too large.
  public static func decode(_ data: Data, path: String) throws(PictureError) -> Bitmap {
    let (image, samples) = try samples(data, path: path) { format in format & alpha }
    return Bitmap(width: Int(image.width), height: Int(image.height), pixels: samples)
  }

  /// Reads any PNG as a photograph; transparent pixels become the background of the ink.
  ///
  /// - Throws: `PictureError` naming `path` where the data is no PNG, damaged or too large.
  public static func photograph(_ data: Data, path: String) throws(PictureError) -> Photograph {
    let (image, samples) = try samples(data, path: path) { format in
      format & alpha != 0 ? alpha : format & color
    }
    return Photograph(
      width: Int(image.width), height: Int(image.height),
      channels: image.format & color == 0 ? 1 : 3, samples: samples)
  }

  /// Decodes a PNG to the format that `choose` returns for that of the file, without its alpha.
  private static func samples(
    _ data: Data, path: String, choose: (png_uint_32) -> png_uint_32
  ) throws(PictureError) -> (image: png_image, samples: [UInt8]) {
    guard isPNG(data) else {
      throw PictureError(
        path: path, expected: "a PNG", found: data.isEmpty ? "an empty file" : "something else")
    }
    let result = try withoutTexts(data, path: path).withUnsafeBytes {
      bytes -> Result<(png_image, [UInt8]), PictureError> in
      var image = png_image()
      image.version = png_uint_32(PNG_IMAGE_VERSION)
      defer { png_image_free(&image) }
      func failure() -> Result<(png_image, [UInt8]), PictureError> {
        let message = withUnsafeBytes(of: image.message) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .failure(
          PictureError(path: path, expected: "a whole PNG", found: "libpng: \(message)"))
      }
      guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else {
        return failure()
      }
      let (width, height) = (Int(image.width), Int(image.height))
      guard width * height <= maximumPixels else {
        return .failure(
          PictureError(
            path: path, expected: "at most \(maximumPixels) pixels", found: "\(width) × \(height)"))
      }
      // A byte of deflated data gives at most 1,032 bytes of pixels, which hold 8 pixels each.
      guard width * height <= data.count * 1032 * 8 else {
        return .failure(
          PictureError(
            path: path, expected: "the data of \(width) × \(height) pixels",
            found: "\(data.count) bytes"))
      }
      image.format = choose(image.format)
      // Cameras and scanners write 16 bits with the same curve as 8 bits.
      image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
      let channels = (image.format & alpha == 0 ? 0 : 1) + (image.format & color == 0 ? 1 : 3)
      var samples = [UInt8](repeating: 0, count: width * height * channels)
      let read = samples.withUnsafeMutableBytes {
        png_image_finish_read(&image, nil, $0.baseAddress, 0, nil)
      }
      guard read != 0 else { return failure() }
      return .success((image, image.format & alpha == 0 ? samples : composited(samples)))
    }
    return try result.get()
  }

  /// The chunks with texts about the picture.
  private static let texts = ["tEXt", "zTXt", "iTXt"].map { Data($0.utf8) }

  /// Returns a PNG without the texts before its pixels.
  ///
  /// libpng would keep them all, and unpack each to up to 8 MB. It also allocates the length that a
  /// chunk declares before it reads the chunk.
  ///
  /// - Throws: `PictureError` if a chunk before the pixels does not end in the file.
  static func withoutTexts(_ data: Data, path: String) throws(PictureError) -> Data {
    try without(texts, in: data, path: path)
  }

  /// Returns a PNG without the chunks of `types` before its pixels.
  ///
  /// - Throws: `PictureError` if a chunk before the pixels does not end in the file.
  static func without(
    _ types: [Data], in data: Data, path: String
  ) throws(PictureError) -> Data {
    // A chunk is its length in 32 big-endian bits, its type, its content, and its checksum.
    var start = data.startIndex + 8
    // What was kept, and where what follows it begins.
    var (kept, next) = (Data(), data.startIndex)
    while data.endIndex - start >= 8 {
      let length = data[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = data[start + 4..<start + 8]
      guard type != Data("IDAT".utf8) else { break }
      guard length <= data.endIndex - start - 12 else {
        throw PictureError(
          path: path, expected: "a whole PNG",
          found: "a file that ends in a chunk of \(length) bytes")
      }
      // Before the header, nothing is allowed.
      if types.contains(type), start > data.startIndex + 8 {
        kept += data[next..<start]
        next = start + length + 12
      }
      start += length + 12
    }
    return kept.isEmpty ? data : kept + data[next...]
  }

  /// Reads the PNG file at `path` as 8-bit grey.
  ///
  /// - Throws: `PictureError` if it cannot be read.
  public static func read(path: String) throws(PictureError) -> Bitmap {
    try decode(contents(of: path), path: path)
  }

  /// Returns the bytes of the picture at `path`.
  static func contents(of path: String) throws(PictureError) -> Data {
    let handle = FileHandle(forReadingAtPath: path)
    defer { try? handle?.close() }
    // The size of a pipe is unknown.
    guard let data = try? handle?.read(upToCount: longestFile + 1) ?? Data(), handle != nil else {
      throw PictureError(path: path, expected: "a readable file", found: "none")
    }
    guard data.count <= longestFile else {
      throw PictureError(path: path, expected: "at most \(longestFile >> 20) MiB", found: "more")
    }
    return data
  }

  /// Returns the picture as an 8-bit grey PNG.
  ///
  /// - Throws: `PictureError` if libpng refuses, as for a picture without pixels.
  public static func encode(_ bitmap: Bitmap) throws(PictureError) -> Data {
    try encode(
      bitmap.pixels, width: bitmap.width, height: bitmap.height, format: PNG_FORMAT_GRAY)
  }

  /// Returns the picture as an 8-bit RGB PNG.
  ///
  /// - Throws: `PictureError` if libpng refuses, as for a picture without pixels.
  public static func encode(_ picture: ColorPicture) throws(PictureError) -> Data {
    try encode(
      picture.samples, width: picture.width, height: picture.height, format: PNG_FORMAT_RGB)
  }

  /// Returns the picture as an 8-bit PNG, grey or RGB.
  ///
  /// - Throws: `PictureError` if libpng refuses, as for a picture without pixels.
  public static func encode(_ photograph: Photograph) throws(PictureError) -> Data {
    try encode(
      photograph.samples, width: photograph.width, height: photograph.height,
      format: photograph.channels == 1 ? png_uint_32(PNG_FORMAT_GRAY) : png_uint_32(PNG_FORMAT_RGB))
  }

  /// Returns the picture as an 8-bit grey PNG with alpha.
  static func encode(_ picture: SVGRenderer.Translucent) throws(PictureError) -> Data {
    var samples = picture.samples
    for index in stride(from: 0, to: samples.count, by: 2) where samples[index + 1] > 0 {
      // PNG does not multiply grey by alpha.
      let (grey, alpha) = (Int(samples[index]), Int(samples[index + 1]))
      samples[index] = UInt8(min(255, (grey * 255 + alpha / 2) / alpha))
    }
    return try encode(
      samples, width: picture.width, height: picture.height, format: PNG_FORMAT_GA)
  }

  private static func encode(
    _ samples: [UInt8], width: Int, height: Int, format: some BinaryInteger
  ) throws(PictureError) -> Data {
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
      throw PictureError(
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
