import CJPEG
import Foundation

/// Reads and writes JPEGs with libjpeg-turbo.
public enum JPEG {
  /// Returns whether `data` starts as a JPEG.
  public static func isJPEG(_ data: Data) -> Bool { data.starts(with: [0xFF, 0xD8, 0xFF]) }

  /// Reads any JPEG, turned upright as its EXIF data say.
  ///
  /// Of a file that ends early, the picture has what is there.
  ///
  /// - Throws: `PictureError` naming `path` where the data is no JPEG, cannot be decoded or is too large.
  public static func decode(_ data: Data, path: String) throws(PictureError) -> Photograph {
    try decode(data, path: path, brightnessFor: nil)
  }

  /// Reads any JPEG like ``decode(_:path:)``, or, with `longerSide`, only what shows its brightness then:
  /// without colours where the file has them apart, at the smallest of 1, 1/2, 1/4 and 1/8 of its size
  /// with at least so many pixels on the longer side.
  ///
  /// The smaller inverse cosine transforms of libjpeg-turbo give about the mean of the pixels.
  static func decode(
    _ data: Data, path: String, brightnessFor longerSide: Int?
  ) throws(PictureError) -> Photograph {
    guard isJPEG(data) else {
      throw PictureError(
        path: path, expected: "a JPEG", found: data.isEmpty ? "an empty file" : "something else")
    }
    let marks = Marks(data)
    let result = data.withUnsafeBytes { bytes -> Result<Photograph, PictureError> in
      decode(
        bytes.bindMemory(to: UInt8.self), marks: marks, path: path, brightnessFor: longerSide)
    }
    return try result.get().turned(orientation: marks.orientation)
  }

  /// Writes `photograph` as a JPEG of this quality, from 1 to 100.
  ///
  /// - Throws: `PictureError` if libjpeg-turbo refuses, for example a picture without pixels.
  public static func encode(_ photograph: Photograph, quality: Int) throws(PictureError) -> Data {
    func failure(_ message: String) -> PictureError {
      PictureError(
        path: "\(photograph.width) × \(photograph.height)", expected: "a picture for a JPEG",
        found: message)
    }
    guard let encoder = tjInitCompress() else { throw failure("no memory for an encoder") }
    defer { tjDestroy(encoder) }
    var (bytes, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
    defer { tjFree(bytes) }
    let isGrey = photograph.channels == 1
    let status = tjCompress2(
      encoder, photograph.samples, CInt(photograph.width), 0, CInt(photograph.height),
      (isGrey ? TJPF_GRAY : TJPF_RGB).rawValue, &bytes, &count,
      CInt((isGrey ? TJSAMP_GRAY : TJSAMP_420).rawValue), CInt(quality), 0)
    guard status == 0, let bytes else {
      throw failure("libjpeg-turbo: \(String(cString: tjGetErrorStr2(encoder)))")
    }
    return Data(bytes: bytes, count: Int(count))
  }

  /// The size of a JPEG as it is stored, or `nil` where its header cannot be read.
  static func size(of data: Data) -> (width: Int, height: Int)? {
    guard isJPEG(data), let decoder = tjInitDecompress() else { return nil }
    defer { tjDestroy(decoder) }
    return data.withUnsafeBytes {
      header(of: $0.bindMemory(to: UInt8.self), decoder).map { (Int($0.width), Int($0.height)) }
    }
  }

  private static func header(
    of bytes: UnsafeBufferPointer<UInt8>, _ decoder: tjhandle
  ) -> (width: CInt, height: CInt, colors: CInt)? {
    var (width, height, subsampling, colors) = (CInt(0), CInt(0), CInt(0), CInt(0))
    let status = tjDecompressHeader3(
      decoder, bytes.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colors)
    // A file that ends within its header gives a warning only.
    guard status == 0 || tjGetErrorCode(decoder) == TJERR_WARNING.rawValue, width > 0, height > 0
    else { return nil }
    return (width, height, colors)
  }

  private static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, marks: Marks, path: String,
    brightnessFor longerSide: Int?
  ) -> Result<Photograph, PictureError> {
    guard let decoder = tjInitDecompress() else {
      return .failure(
        PictureError(path: path, expected: "memory for a JPEG decoder", found: "none"))
    }
    defer { tjDestroy(decoder) }
    func failure() -> Result<Photograph, PictureError> {
      let message = String(cString: tjGetErrorStr2(decoder))
      return .failure(
        PictureError(path: path, expected: "a whole JPEG", found: "libjpeg-turbo: \(message)"))
    }
    guard let header = header(of: bytes, decoder) else { return failure() }
    let colors = header.colors
    var (width, height) = (header.width, header.height)
    var pixels = Int(width) * Int(height)
    guard pixels <= PNG.maximumPixels else {
      return .failure(
        PictureError(
          path: path, expected: "at most \(PNG.maximumPixels) pixels", found: "\(width) × \(height)"
        ))
    }
    // The emptiest block of 16 × 16 pixels needs 6 bits.
    guard pixels <= bytes.count * 512 else {
      return .failure(
        PictureError(
          path: path, expected: "the data of \(width) × \(height) pixels",
          found: "\(bytes.count) bytes"))
    }
    if let longerSide {
      // A decoder that is asked for fewer pixels takes the largest fraction with at most so many.
      let longer = max(width, height)
      let parts = [8, 4, 2].first { Int(longer / $0) >= longerSide } ?? 1
      (width, height) = ((width + parts - 1) / parts, (height + parts - 1) / parts)
      pixels = Int(width) * Int(height)
    }
    let isCMYK = colors == TJCS_CMYK.rawValue || colors == TJCS_YCCK.rawValue
    let isGrey = colors == TJCS_GRAY.rawValue || longerSide != nil && !isCMYK
    let (format, channels) =
      isGrey ? (TJPF_GRAY, 1) : isCMYK ? (TJPF_CMYK, 4) : (TJPF_RGB, 3)
    // Where data are missing, the picture is white.
    var samples = [UInt8](repeating: isCMYK && !marks.isAdobe ? 0 : 255, count: pixels * channels)
    let status = samples.withUnsafeMutableBufferPointer { buffer in
      tjDecompress2(
        decoder, bytes.baseAddress, UInt(bytes.count), buffer.baseAddress, width, 0, height,
        format.rawValue, TJFLAG_LIMITSCANS)
    }
    guard status == 0 || tjGetErrorCode(decoder) == TJERR_WARNING.rawValue else {
      return failure()
    }
    if isCMYK { samples = converted(cmyk: samples, isInverted: marks.isAdobe) }
    return .success(
      Photograph(
        width: Int(width), height: Int(height), channels: isGrey ? 1 : 3, samples: samples,
        isDamaged: status != 0))
  }

  /// Returns red, green and blue for cyan, magenta, yellow and black.
  private static func converted(cmyk samples: [UInt8], isInverted: Bool) -> [UInt8] {
    let flip: UInt8 = isInverted ? 0 : 255
    return [UInt8](unsafeUninitializedCapacity: samples.count / 4 * 3) { target, count in
      for pixel in 0..<samples.count / 4 {
        let light = Int(samples[pixel * 4 + 3] ^ flip)
        for channel in 0..<3 {
          let value = Int(samples[pixel * 4 + channel] ^ flip)
          target[pixel * 3 + channel] = UInt8((value * light + 127) / 255)
        }
      }
      count = samples.count / 4 * 3
    }
  }

  /// What the segments before the picture say.
  private struct Marks {
    /// How the camera was held, as EXIF numbers it; 1 is upright.
    var orientation = 1
    /// Whether Adobe's mark is there: its files have inverted CMYK.
    var isAdobe = false

    init(_ data: Data) {
      let bytes = [UInt8](data.prefix(1 << 18))
      var start = 2
      // Segments are a mark of two bytes, their length with its own two bytes, and the content.
      while start + 4 <= bytes.count, bytes[start] == 0xFF {
        let mark = bytes[start + 1]
        let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
        let end = start + 2 + length
        guard mark != 0xDA, length >= 2, end <= bytes.count else { return }
        let content = bytes[(start + 4)..<end]
        if mark == 0xE1, content.starts(with: Array("Exif\0\0".utf8)) {
          orientation = Self.orientation(tiff: Array(content.dropFirst(6))) ?? orientation
        } else if mark == 0xEE, content.starts(with: Array("Adobe".utf8)) {
          isAdobe = true
        }
        start = end
      }
    }

    private static func orientation(tiff: [UInt8]) -> Int? {
      guard tiff.count >= 8 else { return nil }
      let isLittle = tiff[0] == UInt8(ascii: "I")
      func number(at index: Int, bytes: Int) -> Int? {
        guard index >= 0, index + bytes <= tiff.count else { return nil }
        let digits = tiff[index..<index + bytes]
        return (isLittle ? digits.reversed() : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
      }
      guard let directory = number(at: 4, bytes: 4),
        let count = number(at: directory, bytes: 2)
      else { return nil }
      for entry in 0..<count {
        let start = directory + 2 + entry * 12
        guard let tag = number(at: start, bytes: 2) else { return nil }
        if tag == 0x0112 { return number(at: start + 8, bytes: 2) }
      }
      return nil
    }
  }
}
