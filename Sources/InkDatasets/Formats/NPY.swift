import Foundation
import Ink
import SafeFiles

/// NumPy's format for one array (NEP 1): a magic text, a version, a header in Python's notation,
/// then the values.
///
/// Pictures are `uint8` arrays; series are arrays of any numbers. All are in C order.
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
    try header(of: path, onlyBytes: true)
  }

  /// Reads the header of a file with numbers of any type that can be read.
  static func anyHeader(of path: String) throws(FileError) -> Header {
    try header(of: path, onlyBytes: false)
  }

  private static func header(of path: String, onlyBytes: Bool) throws(FileError) -> Header {
    func refuse(_ expected: String, _ found: String) -> FileError {
      FileError(path: path, expected: expected, found: found)
    }
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: longestHeader) ?? Data(),
      let end = try? handle.seekToEnd()
    else { throw refuse("a readable file", "none") }
    try? handle.close()
    let header = try header(in: [UInt8](data), path: path)
    guard !onlyBytes || header.type == "|u1" || header.type == "u1" else {
      throw refuse("uint8 values ('|u1')", "'\(header.type)'")
    }
    guard let size = Self.size(of: header.type) else {
      throw refuse("little-endian numbers, such as '<f4' or '|u1'", "'\(header.type)'")
    }
    guard !header.isFortran else { throw refuse("C order", "Fortran order") }
    let (bytes, overflow) = header.count.multipliedReportingOverflow(by: size)
    guard !header.shape.isEmpty, !overflow, bytes == Int(end) - header.offset else {
      throw refuse(
        "values of shape \(header.shape.map(String.init).joined(separator: " × "))",
        (Int(end) - header.offset).counted("byte"))
    }
    return header
  }

  /// The size of a value of a type, in bytes, or `nil` if the type cannot be read.
  private static func size(of type: String) -> Int? {
    switch type {
    case "|u1", "u1", "|i1", "i1": 1
    case "<u2", "<i2": 2
    case "<u4", "<i4", "<f4": 4
    case "<u8", "<i8", "<f8": 8
    default: nil
    }
  }

  /// Calls `body` with the values of each item along the first axis.
  ///
  /// Only one item is in memory. Items without values are left out.
  static func forEachItem(_ path: String, _ body: (Int, [Double]) throws -> Void) throws {
    let header = try anyHeader(of: path)
    // Where there are no values, the other sizes are not bounded by the size of the file.
    guard header.count > 0 else { return }
    let size = size(of: header.type)!
    let count = header.shape.dropFirst().reduce(1, *)
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    defer { try? handle.close() }
    try handle.seek(toOffset: UInt64(header.offset))
    for item in 0..<header.shape[0] {
      let data = try handle.read(upToCount: count * size) ?? Data()
      guard data.count == count * size else {
        throw FileError(
          path: path, expected: header.shape[0].counted("item"), found: "\(item)")
      }
      try body(item, values(in: data, type: header.type))
    }
  }

  private static func values(in data: Data, type: String) -> [Double] {
    func values<Value: BitwiseCopyable>(_ convert: (Value) -> Double) -> [Double] {
      data.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: MemoryLayout<Value>.size).map {
          convert(bytes.loadUnaligned(fromByteOffset: $0, as: Value.self))
        }
      }
    }
    switch type {
    case "|u1", "u1": return values { (value: UInt8) in Double(value) }
    case "|i1", "i1": return values { (value: Int8) in Double(value) }
    case "<u2": return values { (value: UInt16) in Double(UInt16(littleEndian: value)) }
    case "<i2": return values { (value: Int16) in Double(Int16(littleEndian: value)) }
    case "<u4": return values { (value: UInt32) in Double(UInt32(littleEndian: value)) }
    case "<i4": return values { (value: Int32) in Double(Int32(littleEndian: value)) }
    case "<u8": return values { (value: UInt64) in Double(UInt64(littleEndian: value)) }
    case "<i8": return values { (value: Int64) in Double(Int64(littleEndian: value)) }
    case "<f4":
      return values { (value: UInt32) in
        Double(Float(bitPattern: UInt32(littleEndian: value)))
      }
    default:
      return values { (value: UInt64) in Double(bitPattern: UInt64(littleEndian: value)) }
    }
  }

  /// The maximum length of a header, in bytes.
  private static let longestHeader = 1 << 17

  /// Reads one file.
  static func read(_ path: String) throws(FileError) -> IDX.Content {
    let header = try header(of: path)
    guard header.count <= IDX.maximumBytes else {
      throw FileError(
        path: path, expected: "at most \(IDX.maximumBytes >> 20) MiB",
        found: "\(header.count >> 20) MiB")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    return IDX.Content(shape: header.shape, values: Array(data[header.offset...]))
  }

  /// Returns an array of 32-bit floating-point numbers of `shape`.
  package static func encode(_ values: [Float], shape: [Int]) -> Data {
    precondition(values.count == shape.reduce(1, *), "as many values as the shape has")
    var data = header(shape: shape, type: "<f4")
    data.reserveCapacity(data.count + 4 * values.count)
    for value in values {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
    }
    return data
  }

  /// Returns the header of an array of `shape`.
  static func header(shape: [Int], type: String = "|u1") -> Data {
    let lengths = shape.map(String.init).joined(separator: ", ")
    let comma = shape.count == 1 ? "," : ""
    var header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(lengths)\(comma)), }"
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
