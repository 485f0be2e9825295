import CZlib
import Foundation
import Ink
import InkNetwork

/// The members of a ZIP file, in the order of its directory (PKWARE's APPNOTE, sections 4.3 and 4.4).
///
/// It reads the part of the format that NumPy writes: members that are stored or deflated.
struct ZipArchive: ModelFileReader {
  /// A member of the archive and its position in the file.
  struct Member {
    let name: String
    fileprivate let method: Int
    fileprivate let packedCount: Int
    fileprivate let count: Int
    fileprivate let offset: Int
  }

  let members: [Member]
  private let bytes: [UInt8]
  let path: String

  init(_ data: Data, path: String) throws(ModelError) {
    let bytes = [UInt8](data)
    func mismatch(_ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: "archive", expected: expected, found: found)
    }
    // Only a comment of up to 64 KiB can follow the end of the directory.
    let lowest = max(0, bytes.count - 22 - 65_535)
    guard bytes.count >= 22,
      let end = (lowest...bytes.count - 22).last(where: {
        Self.number(bytes, $0, 4) == 0x0605_4B50
      })
    else { throw mismatch("a ZIP file", "something else") }
    var members: [Member] = []
    var place = Self.number(bytes, end + 16, 4)
    for _ in 0..<Self.number(bytes, end + 10, 2) {
      guard place + 46 <= end, Self.number(bytes, place, 4) == 0x0201_4B50 else {
        throw mismatch("a whole directory", "an end after \(members.count.counted("member"))")
      }
      let nameCount = Self.number(bytes, place + 28, 2)
      guard place + 46 + nameCount <= end else {
        throw mismatch("a whole directory", "a long name")
      }
      members.append(
        Member(
          name: String(decoding: bytes[place + 46..<place + 46 + nameCount], as: UTF8.self),
          method: Self.number(bytes, place + 10, 2),
          packedCount: Self.number(bytes, place + 20, 4),
          count: Self.number(bytes, place + 24, 4), offset: Self.number(bytes, place + 42, 4)))
      place +=
        46 + nameCount + Self.number(bytes, place + 30, 2) + Self.number(bytes, place + 32, 2)
    }
    self.members = members
    self.bytes = bytes
    self.path = path
  }

  /// Returns the content of a member.
  ///
  /// - Throws: `ModelError` if the member is damaged or has more than `most` bytes.
  func content(of member: Member, most: Int) throws(ModelError) -> [UInt8] {
    let name = member.name
    guard member.count <= most else {
      throw mismatch(name, "at most \(most) bytes", "\(member.count)")
    }
    let header = member.offset
    guard header + 30 <= bytes.count, Self.number(bytes, header, 4) == 0x0403_4B50 else {
      throw mismatch(name, "a member at the position in the directory", "something else")
    }
    let start =
      header + 30 + Self.number(bytes, header + 26, 2) + Self.number(bytes, header + 28, 2)
    guard start + member.packedCount <= bytes.count else {
      throw mismatch(name, member.packedCount.counted("byte"), "the end of the file")
    }
    let packed = bytes[start..<start + member.packedCount]
    switch member.method {
    case 0:
      guard member.packedCount == member.count else {
        throw mismatch(name, member.count.counted("byte"), "\(member.packedCount)")
      }
      return Array(packed)
    case 8:
      guard let content = Self.inflated(packed, count: member.count) else {
        throw mismatch(name, "\(member.count.counted("byte")) of deflated data", "damaged data")
      }
      return content
    default: throw mismatch(name, "stored or deflated data", "method \(member.method)")
    }
  }

  /// Returns the decompressed data (RFC 1951), or `nil` if they do not have exactly `count` bytes.
  private static func inflated(_ packed: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
    var stream = z_stream()
    guard
      inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { inflateEnd(&stream) }
    // One byte more than expected, to detect a longer stream.
    var content = [UInt8](repeating: 0, count: count + 1)
    let status = packed.withUnsafeBufferPointer { packed in
      content.withUnsafeMutableBufferPointer { content in
        stream.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
        stream.avail_in = UInt32(packed.count)
        stream.next_out = content.baseAddress
        stream.avail_out = UInt32(content.count)
        return inflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END, Int(stream.total_out) == count else { return nil }
    content.removeLast()
    return content
  }

  /// Returns `count` bytes as a little-endian number.
  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
