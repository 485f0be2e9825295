import Foundation
import InkRaster

extension PNG {
  /// What the header of a PNG says.
  public struct Header: Hashable, Sendable {
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int
    /// The bits of a sample.
    public var bits: Int
    /// The kind of samples, by PNG's number: 0 is grey.
    fileprivate var kind: UInt8

    /// The samples in words.
    fileprivate var words: String {
      switch kind {
      case 0: "\(bits) bit\(bits == 1 ? "" : "s")"
      case 3: "colours of a palette"
      case 4: "grey with transparency"
      default: "colours"
      }
    }
  }

  /// Returns the header of a PNG, or `nil` if `data` does not start as one.
  public static func header(of data: Data) -> Header? {
    let bytes = [UInt8](data.prefix(26))
    guard isPNG(data), bytes.count == 26 else { return nil }
    func number(_ start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    return Header(
      width: number(16), height: number(20), bits: Int(bytes[24]), kind: bytes[25])
  }

  /// The chunks that change what samples mean.
  private static let meanings = ["gAMA", "cHRM", "iCCP", "sRGB", "sBIT", "tRNS"].map {
    Data($0.utf8)
  }

  /// Reads an 8-bit grey PNG whose samples are numbers, not light.
  ///
  /// - Throws: `PictureError` naming `path` where the data is another PNG, none, or damaged.
  public static func numbers(_ data: Data, path: String) throws(PictureError) -> Bitmap {
    guard let header = header(of: data) else {
      throw PictureError(
        path: path, expected: "a PNG", found: data.isEmpty ? "an empty file" : "something else")
    }
    guard header.bits == 8, header.kind == 0 else {
      throw PictureError(
        path: path, expected: "a PNG of 8-bit grey numbers", found: header.words)
    }
    return try decode(without(meanings, in: data, path: path), path: path)
  }
}
