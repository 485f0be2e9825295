import CJPEG
import Foundation
import Fuzzing
import InkRaster

@testable import InkImageIO

/// The most pixels of pictures that are decoded here, so that a step is short; larger ones differ
/// only in their size, or are refused.
private let maximumPixels = 1 << 18

private func bitmap(_ width: Int, _ height: Int) -> Bitmap {
  Bitmap(
    width: width, height: height,
    pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: $0 * $0 / 3) })
}

/// A photograph of noise as JPEG, in forms that the project does not write.
private func jpeg(_ format: TJPF, _ subsampling: TJSAMP, flags: Int32 = 0) -> Data {
  let samples = (0..<24 * 17 * 4).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
  let encoder = tjInitCompress()
  defer { tjDestroy(encoder) }
  var file: UnsafeMutablePointer<UInt8>?
  var size: UInt = 0
  tjCompress2(
    encoder, samples, 24, 0, 17, format.rawValue, &file, &size, Int32(subsampling.rawValue), 60,
    flags)
  defer { tjFree(file) }
  return Data(bytes: file!, count: Int(size))
}

/// The samples of colours, or the grey for each of them.
private func colors(_ photograph: Photograph) -> [UInt8] {
  photograph.channels == 3
    ? photograph.samples : photograph.samples.flatMap { [$0, $0, $0] }
}

/// Requires that a photograph is written as PNG in colours, and on a transparent ground, and read again.
private func requireWritable(_ photograph: Photograph) throws {
  var picture = ColorPicture(
    width: photograph.width, height: photograph.height, color: .init(0, 0, 0))
  let samples = colors(photograph)
  for row in 0..<photograph.height {
    for column in 0..<photograph.width {
      let start = (row * photograph.width + column) * 3
      picture.fill(
        rows: row..<row + 1, columns: column..<column + 1,
        color: .init(samples[start], samples[start + 1], samples[start + 2]))
    }
  }
  let written = try PNG.encode(picture)
  let again = required("what was written is read") { try PNG.photograph(written, path: "again") }
  require(colors(again) == samples, "other colours after writing them")
  // Black ink where the photograph is red; decoding lays it on white. Without any ink, it is black.
  guard stride(from: 0, to: samples.count, by: 3).contains(where: { samples[$0] > 0 }) else {
    return
  }
  let ink = SVGRenderer.Translucent(
    width: photograph.width, height: photograph.height,
    samples: stride(from: 0, to: samples.count, by: 3).flatMap { [0, samples[$0]] })
  let writtenInk = try PNG.encode(ink)
  let inkAgain = required("written ink is read") { try PNG.decode(writtenInk, path: "ink") }
  require(inkAgain == ink.onWhite, "other ink after writing it")
}

private let pngFile = InputPath("picture.png")

/// The width times the height that a JPEG promises.
private func pixelCount(ofJPEG data: Data) -> Int {
  let decoder = tjInitDecompress()
  defer { tjDestroy(decoder) }
  var (width, height, subsampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
  _ = data.withUnsafeBytes {
    tjDecompressHeader3(
      decoder, $0.bindMemory(to: UInt8.self).baseAddress, UInt($0.count), &width, &height,
      &subsampling, &space)
  }
  return Int(width) * Int(height)
}

let pictureFuzzers = [
  Fuzzer(
    "png",
    dictionary: ["IHDR", "PLTE", "tRNS", "IDAT", "IEND", "gAMA", "sRGB", "iCCP", "cHRM", "sBIT"],
    seeds: {
      try [PNG.encode(bitmap(5, 4)), PNG.encode(bitmap(28, 28))]
        + [PNG.encode(ColorPicture(width: 6, height: 3, color: .init(1, 2, 3)))]
        + Fuzzer.files("Examples/Ink/ring.png")
    },
    read: { data in
      let size = data.dropFirst(16).prefix(8).map(Int.init)
      let width = size.prefix(4).reduce(0) { $0 << 8 | $1 }
      let height = size.dropFirst(4).reduce(0) { $0 << 8 | $1 }
      let pixels = width.multipliedReportingOverflow(by: height).partialValue
      guard pixels <= maximumPixels || pixels > PNG.maximumPixels else { return }
      try requireWritable(PNG.photograph(data, path: "input"))
      let read = try PNG.read(path: pngFile(data))
      let written = try PNG.encode(read)
      let again = required("what was written is read") { try PNG.decode(written, path: "again") }
      require(again == read, "another bitmap after writing it")
    }),
  Fuzzer(
    "jpeg", dictionary: ["\u{0}", "JFIF", "Exif", "Adobe", "MM", "II", "ICC_PROFILE"],
    seeds: {
      [
        jpeg(TJPF_RGB, TJSAMP_420), jpeg(TJPF_RGB, TJSAMP_444, flags: TJFLAG_PROGRESSIVE),
        jpeg(TJPF_GRAY, TJSAMP_GRAY), jpeg(TJPF_CMYK, TJSAMP_444),
      ]
    },
    read: { data in
      let pixels = pixelCount(ofJPEG: data)
      guard pixels <= maximumPixels || pixels > PNG.maximumPixels else { return }
      let read = try JPEG.decode(data, path: "input")
      let written = try JPEG.encode(read, quality: 90)
      let again = required("what was written is read") { try JPEG.decode(written, path: "again") }
      require(
        (again.width, again.height, again.channels) == (read.width, read.height, read.channels)
          && !again.isDamaged, "another picture after writing it")
    }),
]
