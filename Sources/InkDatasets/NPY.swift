import Foundation
import Ink
import SafeFiles

/// NumPy's format for one array (NEP 1): a magic text, a version, a header in Python's notation,
/// then the values.
///
/// As data, only `uint8` arrays in C order are read and written.
package enum NPY {
  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

  /// Returns whether the file starts as an NPY file.
  static func isOne(_ path: String) -> Bool {
    // Detecting the format would consume the first bytes of a pipe.
    guard FileTree.isRegular(path), let handle = FileHandle(forReadingAtPath: path) else {
      return false
    }
    defer { try? handle.close() }
    return ((try? handle.read(upToCount: 6)) ?? Data()).elementsEqual(magic)
  }

  /// The header: NumPy's type name, the memory order, the shape and the offset of the values.
  package struct Header {
    package var type: String
    /// Whether the first axis changes fastest.
    package var isFortran: Bool
    package var shape: [Int]
    package var offset: Int
    /// The number of values in the shape.
    package var count: Int
  }

  /// Reads the header; `path` is the name in errors.
  package static func header(in bytes: [UInt8], path: String) throws(FileError) -> Header {
    func refuse(_ expected: String, _ found: String) -> FileError {
      FileError(path: path, expected: expected, found: found)
    }
    guard bytes.starts(with: magic), bytes.count >= 12 else {
      throw refuse("an NPY file", bytes.isEmpty ? "an empty file" : "something else")
    }
    let lengthSize = bytes[6] == 1 ? 2 : 4
    let length = bytes[8..<8 + lengthSize].reversed().reduce(0) { $0 << 8 | Int($1) }
    let start = 8 + lengthSize + length
    guard start <= bytes.count else {
      throw refuse("a header of \(length.counted("byte"))", "fewer")
    }
    let header = String(decoding: bytes[8 + lengthSize..<start], as: UTF8.self)
    guard let type = value(of: "descr", in: header) else { throw refuse("a descr", "none") }
    let order = value(of: "fortran_order", in: header)
    guard order == "False" || order == "True" else {
      throw refuse("fortran_order, True or False", order ?? "none")
    }
    guard let shape = shape(in: header) else { throw refuse("a shape", "none") }
    let (count, overflow) = shape.reduce((1, false)) {
      let product = $0.0.multipliedReportingOverflow(by: $1)
      return (product.partialValue, $0.1 || product.overflow)
    }
    guard !overflow else { throw refuse("a shape that fits", "\(shape)") }
    return Header(
      type: type.trimmingCharacters(in: ["'"]), isFortran: order == "True", shape: shape,
      offset: start, count: count)
  }

  /// Reads the header of a file with `uint8` values.
  static func header(of path: String) throws(FileError) -> Header {
    func refuse(_ expected: String, _ found: String) -> FileError {
      FileError(path: path, expected: expected, found: found)
    }
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: longestHeader),
      let size = try? handle.seekToEnd()
    else { throw refuse("a readable file", "none") }
    try? handle.close()
    let header = try header(in: [UInt8](data), path: path)
    guard header.type == "|u1" || header.type == "u1" else {
      throw refuse("uint8 values ('|u1')", "'\(header.type)'")
    }
    guard !header.isFortran else { throw refuse("C order", "Fortran order") }
    guard !header.shape.isEmpty, header.count == Int(size) - header.offset else {
      throw refuse(
        "values of shape \(header.shape.map(String.init).joined(separator: " × "))",
        (Int(size) - header.offset).counted("byte"))
    }
    return header
  }

  /// The maximum length of a header, in bytes.
  private static let longestHeader = 1 << 17

  /// Reads one file.
  static func read(_ path: String) throws(FileError) -> IDX.Content {
    let header = try header(of: path)
    guard header.count <= IDX.mostBytes else {
      throw FileError(
        path: path, expected: "at most \(IDX.mostBytes >> 20) MiB",
        found: "\(header.count >> 20) MiB")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    return IDX.Content(shape: header.shape, values: Array(data[header.offset...]))
  }

  /// Returns the header of an array of `shape`.
  static func header(shape: [Int]) -> Data {
    let lengths = shape.map(String.init).joined(separator: ", ")
    let comma = shape.count == 1 ? "," : ""
    var header = "{'descr': '|u1', 'fortran_order': False, 'shape': (\(lengths)\(comma)), }"
    // The values start at a multiple of 64 bytes.
    header += String(repeating: " ", count: (64 - (header.utf8.count + 11) % 64) % 64) + "\n"
    var data = Data(magic + [1, 0])
    withUnsafeBytes(of: UInt16(header.utf8.count).littleEndian) { data.append(contentsOf: $0) }
    data.append(contentsOf: header.utf8)
    return data
  }

  /// The text after `'key':` up to the next comma.
  private static func value(of key: String, in header: String) -> String? {
    guard let range = header.range(of: "'\(key)':") else { return nil }
    let rest = header[range.upperBound...].prefix { $0 != "," && $0 != "}" }
    return rest.trimmingCharacters(in: .whitespaces)
  }

  private static func shape(in header: String) -> [Int]? {
    guard let start = header.range(of: "'shape':"),
      let open = header[start.upperBound...].firstIndex(of: "("),
      let close = header[open...].firstIndex(of: ")")
    else { return nil }
    let parts = header[header.index(after: open)..<close].split(separator: ",")
    let lengths = parts.map { Int($0.trimmingCharacters(in: .whitespaces)) }
    guard lengths.allSatisfy({ ($0 ?? -1) >= 0 }) else { return nil }
    return lengths.compactMap { $0 }
  }
}
