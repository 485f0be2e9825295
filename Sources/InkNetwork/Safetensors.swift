import ErrorText
import Foundation
import JSONReading

/// An array of numbers with its shape.
public struct Tensor: Hashable, Sendable {
  /// The lengths of the axes, slowest first.
  public var shape: [Int]
  /// The values, row-major.
  public var values: [Float]

  /// Makes a tensor.
  ///
  /// - Precondition: there are as many values as the shape says.
  public init(shape: [Int], values: [Float]) {
    precondition(
      shape.reduce(1, *) == values.count, "\(shape) does not hold \(values.count) values")
    self.shape = shape
    self.values = values
  }
}

/// Named tensors with text metadata in one file, in the safetensors format.
///
/// Eight bytes of little-endian header length N, N bytes of JSON (`name` → `dtype`, `shape`,
/// `data_offsets`, and `__metadata__`), then the values. As the format demands, the tensors cover
/// the data without holes or overlap, and no key comes twice. Only `F32` is used.
public struct Safetensors: Hashable, Sendable {
  /// What the file says about itself.
  public var metadata: [String: String]
  /// The tensors by name.
  public var tensors: [String: Tensor]

  /// The longest header that is read, in bytes; the format's own limit is 100 MB.
  static let longestHeader = 4 << 20

  /// Makes a file's content.
  public init(metadata: [String: String], tensors: [String: Tensor]) {
    self.metadata = metadata
    self.tensors = tensors
  }

  /// The content as bytes; the same content gives the same bytes.
  public func encoded() throws -> Data {
    var header: [String: Entry] = [:]
    var offset = 0
    let names = tensors.keys.sorted()
    for name in names {
      let length = tensors[name]!.values.count * 4
      header[name] = .tensor(
        dtype: "F32", shape: tensors[name]!.shape, start: offset, end: offset + length)
      offset += length
    }
    header["__metadata__"] = .metadata(metadata)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var json = try encoder.encode(header)
    // The values start at a multiple of 8 bytes.
    json.append(contentsOf: [UInt8](repeating: 0x20, count: (8 - json.count % 8) % 8))

    var data = Data(capacity: 8 + json.count + offset)
    withUnsafeBytes(of: UInt64(json.count).littleEndian) { data.append(contentsOf: $0) }
    data.append(json)
    for name in names {
      let words = tensors[name]!.values.map { $0.bitPattern.littleEndian }
      words.withUnsafeBytes { data.append(contentsOf: $0) }
    }
    return data
  }

  /// Reads a file's content.
  ///
  /// - Throws: `ModelError` naming the `path` and the field that is wrong.
  public init(_ data: Data, path: String) throws(ModelError) {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    let isNone = ModelError(
      path: path, problem: "this is not a model file (.safetensors, as `inkstate train` writes it)")
    let length = data.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard data.count >= 8, length <= UInt64(Self.longestHeader),
      data.dropFirst(8).first ?? UInt8(ascii: "{") == UInt8(ascii: "{")
    else { throw isNone }
    guard length <= UInt64(data.count - 8) else {
      throw ModelError(
        path: path,
        problem: "the file is cut off: its header has \(length) bytes, and only "
          + "\(data.count - 8) are there")
    }
    let bodyStart = data.startIndex + 8 + Int(length)
    let json = data[data.startIndex + 8..<bodyStart]
    let header: [String: Entry]
    if let plain = Self.plainHeader(json) {
      header = plain
    } else {
      do {
        header = try [String: Entry](strictJSON: json, name: "\(path), header")
      } catch {
        throw ModelError(json: error, path: path)
      }
    }
    let bodyLength = data.count - 8 - Int(length)

    metadata = [:]
    tensors = [:]
    var spans: [(start: Int, end: Int, name: String)] = []
    for (name, entry) in header {
      switch entry {
      case .metadata(let values):
        guard name == "__metadata__" else { throw refuse(name, "a tensor", "texts") }
        metadata = values
      case .tensor(let dtype, let shape, let start, let end):
        guard name != "__metadata__" else { throw refuse(name, "texts", "a tensor") }
        guard dtype == "F32" else { throw refuse("\(name).dtype", "F32", dtype) }
        guard shape.count <= 8, shape.allSatisfy({ $0 >= 0 && $0 <= 1 << 28 }) else {
          throw refuse("\(name).shape", "up to 8 axes of up to 2^28", "\(shape)")
        }
        guard start >= 0, start <= end, end <= bodyLength else {
          throw refuse(
            "\(name).data_offsets", "offsets within 0…\(bodyLength)", "\(start)…\(end)")
        }
        let count = shape.reduce((1, false)) {
          let product = $0.0.multipliedReportingOverflow(by: $1)
          return (product.partialValue, $0.1 || product.overflow)
        }
        guard !count.1, count.0 <= bodyLength / 4, count.0 * 4 == end - start else {
          throw refuse(
            "\(name).data_offsets", "4 bytes a value of \(shape)", "\(end - start) bytes")
        }
        spans.append((start, end, name))
        tensors[name] = Tensor(
          shape: shape,
          values: Self.floats(data[(bodyStart + start)..<(bodyStart + end)]))
      }
    }
    var position = 0
    for span in spans.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
      guard span.start == position else {
        throw refuse(
          "\(span.name).data_offsets", "a start at \(position), without hole or overlap",
          "\(span.start)")
      }
      position = span.end
    }
    guard position == bodyLength else {
      throw refuse("data", "\(position) bytes", "\(bodyLength)")
    }
  }

  private static func floats(_ bytes: Data) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      [Float](unsafeUninitializedCapacity: bytes.count / 4) { values, count in
        for index in values.indices {
          values[index] = Float(
            bitPattern: UInt32(
              littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
        }
        count = values.count
      }
    }
  }

  /// Reads a header in the form that is usually written, or returns `nil` for any other one: starting
  /// `JSONDecoder` takes longer than all the rest of reading a small model.
  private static func plainHeader(_ json: Data) -> [String: Entry]? {
    json.withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      var header: [String: Entry] = [:]
      guard
        cursor.object({ cursor, name in
          guard header[name] == nil, let entry = Entry(&cursor, isMetadata: name == "__metadata__")
          else { return false }
          header[name] = entry
          return true
        }) != nil, cursor.isAtEnd()
      else { return nil }
      return header
    }
  }

  /// One entry of the header.
  private enum Entry: Codable {
    case metadata([String: String])
    case tensor(dtype: String, shape: [Int], start: Int, end: Int)

    enum CodingKeys: String, CodingKey {
      case dtype, shape
      case offsets = "data_offsets"
    }

    /// Reads an entry in the usual form.
    init?(_ cursor: inout JSONCursor, isMetadata: Bool) {
      if isMetadata {
        var values: [String: String] = [:]
        guard
          cursor.object({ cursor, key in
            guard values[key] == nil, let text = cursor.text() else { return false }
            values[key] = text
            return true
          }) != nil
        else { return nil }
        self = .metadata(values)
        return
      }
      func integers(_ cursor: inout JSONCursor) -> [Int]? {
        var values: [Int] = []
        return cursor.list {
          guard let value = $0.integer() else { return false }
          values.append(value)
          return true
        }.map { values }
      }
      var (dtype, shape, offsets): (String?, [Int]?, [Int]?)
      guard
        cursor.object({ cursor, key in
          switch CodingKeys(rawValue: key) {
          case .dtype where dtype == nil:
            dtype = cursor.text()
            return dtype != nil
          case .shape where shape == nil:
            shape = integers(&cursor)
            return shape != nil
          case .offsets where offsets == nil:
            offsets = integers(&cursor)
            return offsets != nil
          default: return false
          }
        }) != nil, let dtype, let shape, let offsets, offsets.count == 2
      else { return nil }
      self = .tensor(dtype: dtype, shape: shape, start: offsets[0], end: offsets[1])
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if container.contains(.dtype) {
        let offsets = try container.decode([Int].self, forKey: .offsets)
        guard offsets.count == 2 else {
          throw DecodingError.dataCorruptedError(
            forKey: .offsets, in: container,
            debugDescription: "expected two offsets, found \(offsets.count)")
        }
        self = .tensor(
          dtype: try container.decode(String.self, forKey: .dtype),
          shape: try container.decode([Int].self, forKey: .shape),
          start: offsets[0], end: offsets[1])
      } else {
        self = .metadata(try decoder.singleValueContainer().decode([String: String].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .metadata(let values):
        var container = encoder.singleValueContainer()
        try container.encode(values)
      case .tensor(let dtype, let shape, let start, let end):
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(dtype, forKey: .dtype)
        try container.encode(shape, forKey: .shape)
        try container.encode([start, end], forKey: .offsets)
      }
    }
  }
}

/// A model file that cannot be used: which one, which field of it, and what is wrong.
public struct ModelError: DescribedError, Hashable {
  /// The file, and the part of it where one is to blame.
  public var place: String
  /// What is wrong there, and what to do.
  public var problem: String

  /// Makes the error of a `problem` with the whole file.
  public init(path: String, problem: String) {
    place = path
    self.problem = problem
  }

  /// Makes the error of having `found` something else than was `expected` in `field`.
  public init(path: String, field: String, expected: String, found: String) {
    place = "\(path), \(field)"
    problem = "expected \(expected), found \(found)"
  }

  /// Makes the error of reading JSON in `path`.
  package init(json error: any Error, path: String) {
    guard let error = error as? JSONError else {
      self.init(path: path, problem: "\(error)")
      return
    }
    self.init(
      path: error.place, problem: "expected \(error.expected), found \(error.found)")
  }

  /// The error in one line.
  public var description: String { "\(place): \(problem)" }
}
