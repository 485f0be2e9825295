import CJPEG
import Foundation
import Fuzzing
import InkImageIO
import InkRaster

/// The most pixels of pictures that are decoded here, so that a step is short; larger ones differ
/// only in their size.
private let mostPixels = 1 << 18

private func bitmap(_ width: Int, _ height: Int) -> Bitmap {
  Bitmap(
    width: width, height: height,
    pixels: (0..<width * height).map { UInt8(truncatingIfNeeded: $0 * $0 / 3) })
}

/// A photograph of noise as JPEG; the project writes none.
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
      guard width.multipliedReportingOverflow(by: height).partialValue <= mostPixels else { return }
      _ = try PNG.photograph(data, path: "input")
      let read = try PNG.decode(data, path: "input")
      let again = try PNG.decode(PNG.encode(read), path: "again")
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
      guard pixelCount(ofJPEG: data) <= mostPixels else { return }
      _ = try JPEG.decode(data, path: "input")
    }),
]
