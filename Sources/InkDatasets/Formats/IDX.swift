import CZlib
import Foundation
import Ink
import InkRaster
import SafeFiles

/// The format of MNIST (LeCun, Cortes & Burges): two zero bytes, the type (8 for unsigned bytes),
/// the number of axes, each length as 32 big-endian bits, then the values.
///
/// `.gz` is unpacked.
enum IDX {
  /// The maximum size of the values, in bytes.
  static let maximumBytes = 600 << 20
  /// The maximum number of pictures or labels.
  static let maximumItems = 2_000_000

  /// An array of unsigned bytes.
  struct Content {
    var shape: [Int]
    var values: [UInt8]
  }

  /// Returns whether the first uncompressed bytes are those of an IDX file.
  static func isOne(_ path: String) -> Bool {
    guard let file = try? GZipFile(reading: path), let start = try? file.read(4) else {
      return false
    }
    return start.count == 4 && start[0] == 0 && start[1] == 0 && start[2] == 8
      && (1...3).contains(start[3])
  }

  /// Reads one file, compressed or not.
  static func read(_ path: String) throws(FileError) -> Content {
    let reader = try Reader(path)
    let values = try reader.next(reader.count)
    try reader.finish()
    return Content(shape: reader.shape, values: values)
  }

  /// Reads the values of a file, compressed or not, in parts, up to the number in its header.
  final class Reader {
    let shape: [Int]
    let count: Int
    private let path: String
    private let file: GZipFile
    private var read = 0

    /// Reads the header.
    init(_ path: String) throws(FileError) {
      func refuse(_ expected: String, _ found: String) -> FileError {
        FileError(path: path, expected: expected, found: found)
      }
      self.path = path
      file = try GZipFile(reading: path)
      let start = try file.read(4)
      guard start.count == 4, start[0] == 0, start[1] == 0 else {
        throw refuse("an IDX file", start.isEmpty ? "an empty file" : "something else")
      }
      guard start[2] == 8 else { throw refuse("unsigned bytes (type 8)", "type \(start[2])") }
      guard (1...3).contains(start[3]) else { throw refuse("1 to 3 axes", "\(start[3])") }
      let lengths = try file.read(4 * Int(start[3]))
      guard lengths.count == 4 * Int(start[3]) else { throw refuse("a whole header", "its start") }
      let shape = (0..<Int(start[3])).map { axis in
        lengths[4 * axis..<4 * axis + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      let (count, overflow) = shape.reduce((1, false)) {
        let product = $0.0.multipliedReportingOverflow(by: $1)
        return (product.partialValue, $0.1 || product.overflow)
      }
      guard !overflow, count <= maximumBytes, shape[0] <= maximumItems else {
        throw refuse(
          "at most \(maximumBytes >> 20) MiB of values and \(maximumItems) items",
          "\(shape.map(String.init).joined(separator: " × ")) promised")
      }
      (self.shape, self.count) = (shape, count)
    }

    /// The next `number` values.
    func next(_ number: Int) throws(FileError) -> [UInt8] {
      let values = try file.read(number)
      read += values.count
      guard values.count == number else {
        throw FileError(
          path: path, expected: "\(count.counted("value")), as the header says", found: "\(read)")
      }
      return values
    }

    /// Throws if there are bytes after the last value.
    func finish() throws(FileError) {
      guard try file.read(1).isEmpty else {
        throw FileError(path: path, expected: count.counted("value"), found: "more")
      }
    }
  }

  /// Writes one file, compressed where its name ends in `.gz`.
  static func write(_ content: Content, to path: String) throws(POSIXError) {
    var bytes: [UInt8] = [0, 0, 8, UInt8(content.shape.count)]
    for length in content.shape {
      withUnsafeBytes(of: UInt32(length).bigEndian) { bytes.append(contentsOf: $0) }
    }
    try GZipFile.write(bytes + content.values, to: path)
  }
}

/// The uncompressed bytes of a file, read with zlib.
final class GZipFile {
  private let path: String
  private let file: gzFile

  init(reading path: String) throws(FileError) {
    // Detecting the format would consume the first bytes of a pipe.
    guard FileTree.isRegular(path), let file = gzopen(path, "rb") else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    self.path = path
    self.file = file
  }

  deinit {
    gzclose(file)
  }

  /// The next `count` bytes, or fewer where the file ends.
  func read(_ count: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    let block = 1 << 20
    var chunk = [UInt8](repeating: 0, count: min(block, count))
    while bytes.count < count {
      let wanted = min(block, count - bytes.count)
      let got = gzread(file, &chunk, UInt32(wanted))
      guard got >= 0 else {
        throw FileError(path: path, expected: "whole gzip data", found: "damaged data")
      }
      bytes.append(contentsOf: chunk.prefix(Int(got)))
      if got < wanted { break }
    }
    return bytes
  }

  /// Writes a file, compressed where its name ends in `.gz`.
  static func write(_ bytes: [UInt8], to path: String) throws(POSIXError) {
    errno = 0
    // "T" writes without compression.
    guard let file = gzopen(path, path.hasSuffix(".gz") ? "wb9" : "wbT") else { throw .last }
    var failure: POSIXError?
    for start in stride(from: 0, to: bytes.count, by: 1 << 24) where failure == nil {
      let block = bytes[start..<min(bytes.count, start + 1 << 24)]
      let written = block.withUnsafeBytes { gzwrite(file, $0.baseAddress, UInt32($0.count)) }
      if Int(written) != block.count { failure = .last }
    }
    if gzclose(file) != Z_OK, failure == nil { failure = .last }
    if let failure { throw failure }
  }
}
