import Foundation
import InkRaster
import ParallelLoops

/// A picture as a camera or scanner gives it: grey or colour, upright.
public struct Photograph: Hashable, Sendable {
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// 1 for grey, 3 for red, green and blue.
  public let channels: Int
  /// The samples, `[height, width, channels]`, 0 is black.
  public let samples: [UInt8]
  /// Whether the file ended early or is damaged, so that a part of the picture is missing.
  public let isDamaged: Bool

  /// Creates a picture of `samples`, `[height, width, channels]`.
  ///
  /// - Precondition: there are as many samples as the numbers say; `channels` is 1 or 3.
  public init(
    width: Int, height: Int, channels: Int, samples: [UInt8], isDamaged: Bool = false
  ) {
    precondition(
      (channels == 1 || channels == 3) && samples.count == width * height * channels,
      "a photograph of \(width) × \(height) × \(channels) has not \(samples.count) samples")
    (self.width, self.height, self.channels) = (width, height, channels)
    self.samples = samples
    self.isDamaged = isDamaged
  }

  /// The extensions of the names of files that can be read.
  public static let endings = ["png", "jpg", "jpeg"]

  /// Returns whether the name of a file ends like that of a picture.
  public static func isName(_ path: String) -> Bool {
    endings.contains { path.lowercased().hasSuffix(".\($0)") }
  }

  /// Returns whether `data` starts as a PNG or a JPEG.
  public static func isPhotograph(_ data: Data) -> Bool { PNG.isPNG(data) || JPEG.isJPEG(data) }

  /// Returns the name of the format in which `data` starts, if it is one of pictures that cannot be read.
  public static func otherFormat(of data: Data) -> String? {
    let bytes = [UInt8](data.prefix(12))
    func has(_ text: String, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: text.utf8)
    }
    if has("GIF8") { return "a GIF" }
    if has("RIFF"), has("WEBP", at: 8) { return "a WebP picture" }
    if has("ftyphei", at: 4) || has("ftypmif1", at: 4) { return "an HEIC photograph" }
    if has("ftypavif", at: 4) { return "an AVIF picture" }
    if has("II*\0") || has("MM\0*") { return "a TIFF" }
    if has("%PDF-") { return "a PDF" }
    return nil
  }

  /// Returns the width and height that a PNG or a JPEG says it has, before a JPEG is turned upright.
  public static func size(of data: Data) -> (width: Int, height: Int)? {
    PNG.header(of: data).map { ($0.width, $0.height) } ?? JPEG.size(of: data)
  }

  /// Reads a PNG or a JPEG, turned upright.
  ///
  /// - Throws: `PictureError` naming `path` where the data is neither, cannot be decoded or is too large.
  public static func decode(_ data: Data, path: String) throws(PictureError) -> Photograph {
    try decode(data, path: path, brightnessFor: nil)
  }

  /// Reads a PNG or a JPEG; of a JPEG, only what shows its brightness with a longer side of `longerSide`
  /// pixels, if that is given.
  fileprivate static func decode(
    _ data: Data, path: String, brightnessFor longerSide: Int?
  ) throws(PictureError) -> Photograph {
    if PNG.isPNG(data) { return try PNG.photograph(data, path: path) }
    if JPEG.isJPEG(data) {
      return try JPEG.decode(data, path: path, brightnessFor: longerSide)
    }
    throw PictureError(
      path: path, expected: "a PNG or a JPEG",
      found: data.isEmpty ? "an empty file" : otherFormat(of: data) ?? "something else")
  }

  /// Reads the PNG or JPEG at `path`, turned upright.
  ///
  /// - Throws: `PictureError` if it cannot be read.
  public static func read(path: String) throws(PictureError) -> Photograph {
    try decode(PNG.contents(of: path), path: path)
  }

  /// The loop over rows, on all cores.
  fileprivate static let loop = ParallelLoop(workers: ProcessInfo.processInfo.activeProcessorCount)

  /// Returns the picture turned upright, for the number that EXIF gives to how it was taken.
  func turned(orientation: Int) -> Photograph {
    guard (2...8).contains(orientation) else { return self }
    let isTransposed = orientation >= 5
    let (newWidth, newHeight) = isTransposed ? (height, width) : (width, height)
    // The source of the new pixel 0, 0 and the steps in the source per new column and row.
    let flipsX = [2, 3, 7, 8].contains(orientation)
    let flipsY = [3, 4, 6, 7].contains(orientation)
    let origin = (flipsY ? height - 1 : 0) * width + (flipsX ? width - 1 : 0)
    let stepX = flipsX ? -1 : 1
    let stepY = flipsY ? -width : width
    let (columnStep, rowStep) = isTransposed ? (stepY, stepX) : (stepX, stepY)
    let channels = channels
    let turned = [UInt8](unsafeUninitializedCapacity: samples.count) { buffer, count in
      samples.withUnsafeBufferPointer { samples in
        // Every task writes rows of its own.
        nonisolated(unsafe) let (target, source) = (buffer, samples)
        // Tiles keep the columns of the source in the cache.
        let tile = 64
        Self.loop.run((newHeight + tile - 1) / tile) { band, _ in
          let rows = band * tile..<min((band + 1) * tile, newHeight)
          for left in stride(from: 0, to: newWidth, by: tile) {
            for row in rows {
              var from = (origin + left * columnStep + row * rowStep) * channels
              var to = (row * newWidth + left) * channels
              for _ in left..<min(left + tile, newWidth) {
                target[to] = source[from]
                if channels == 3 {
                  target[to + 1] = source[from + 1]
                  target[to + 2] = source[from + 2]
                }
                from += columnStep * channels
                to += channels
              }
            }
          }
        }
      }
      count = samples.count
    }
    return Photograph(
      width: newWidth, height: newHeight, channels: channels, samples: turned,
      isDamaged: isDamaged)
  }
}

extension Bitmap {
  /// Reads a PNG or a JPEG as 8-bit grey; a JPEG is turned upright.
  ///
  /// With `longerSide`, for a use that makes larger pictures smaller: a JPEG of at least twice as many
  /// pixels there is decoded at a half, a quarter or an eighth of its size, but not at less than `longerSide`.
  ///
  /// - Throws: `PictureError` naming `path` where the data is neither, damaged, cut off or too large.
  public static func decode(
    _ data: Data, path: String, longerSide: Int? = nil
  ) throws(PictureError) -> Bitmap {
    if PNG.isPNG(data) { return try PNG.decode(data, path: path) }
    let photograph = try Photograph.decode(data, path: path, brightnessFor: longerSide)
    guard !photograph.isDamaged else {
      throw PictureError(path: path, expected: "a whole JPEG", found: "the start of one")
    }
    return photograph.grey
  }

  /// Reads the PNG or JPEG at `path` as 8-bit grey.
  ///
  /// - Throws: `PictureError` if it cannot be read.
  public static func read(path: String) throws(PictureError) -> Bitmap {
    try decode(PNG.contents(of: path), path: path)
  }
}

extension Photograph {
  /// The picture in grey: the luma of ITU-R BT.601, as JPEG stores it.
  public var grey: Bitmap {
    guard channels == 3 else { return Bitmap(width: width, height: height, pixels: samples) }
    let pixels = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
      samples.withUnsafeBufferPointer { samples in
        // Every task writes a row of its own.
        nonisolated(unsafe) let (pixels, samples) = (buffer, samples)
        Self.loop.run(height) { row, _ in
          for pixel in row * width..<(row + 1) * width {
            let red = 299 * UInt32(samples[3 * pixel])
            let green = 587 * UInt32(samples[3 * pixel + 1])
            let blue = 114 * UInt32(samples[3 * pixel + 2])
            pixels[pixel] = UInt8((red + green + blue + 500) / 1000)
          }
        }
      }
      count = width * height
    }
    return Bitmap(width: width, height: height, pixels: pixels)
  }
}
