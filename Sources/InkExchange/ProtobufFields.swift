import Foundation

/// Counts the fields of a file in protobuf's wire format before it is decoded.
///
/// A message of two bytes needs a hundred times as much memory when it is decoded. Without the count, a
/// small file with many messages could fill the memory. Source: protobuf.dev, "Encoding".
enum ProtobufFields {
  /// The messages in a message, by field number.
  struct Schema: ExpressibleByDictionaryLiteral {
    let messages: [Int: Schema]

    init(dictionaryLiteral messages: (Int, Schema)...) {
      self.messages = Dictionary(uniqueKeysWithValues: messages)
    }
  }

  /// The maximum number of fields; no network of this package has more.
  static let most = 200_000

  private static let leaf: Schema = [:]
  private static let entry = leaf
  private static let weights = leaf

  /// A neural network of Core ML.
  private static let network: Schema = [
    1: [
      100: [50: [1: [10: leaf]], 90: weights, 91: weights],
      120: [30: [1: [10: leaf]], 32: leaf],
      130: [5: leaf],
      140: [20: weights, 21: weights],
      160: [15: weights, 16: weights, 17: weights, 18: weights],
      245: leaf, 290: leaf, 300: leaf, 310: leaf,
      410: [10: leaf], 420: [10: leaf, 20: leaf],
      430: [10: leaf, 11: leaf, 20: leaf], 960: leaf, 1140: leaf,
    ],
    2: [10: leaf], 100: leaf, 101: leaf,
  ]

  /// The messages in Core ML files that can occur many times.
  static let coreML: Schema = [
    2: [
      1: [3: [5: leaf]], 10: [3: [5: leaf]],
      100: [100: entry],
    ],
    403: network, 500: network,
  ]

  private static let tensor: Schema = [13: entry]
  private static let value: Schema = [2: [1: [2: [1: leaf]]]]

  /// The messages in ONNX files that can occur many times.
  static let onnx: Schema = [
    7: [
      1: [5: [5: tensor]], 5: tensor, 11: value, 12: value,
    ],
    8: leaf, 14: entry,
  ]

  /// Returns the number of fields in `data` and in the messages of `schema` in it.
  ///
  /// The count ends after ``most`` fields, and at damaged data, which the decoder reports.
  static func count(in data: Data, _ schema: Schema) -> Int {
    data.withUnsafeBytes { bytes in count(bytes[...], schema, room: most) }
  }

  private static func count(
    _ bytes: Slice<UnsafeRawBufferPointer>, _ schema: Schema, room: Int
  ) -> Int {
    var count = 0
    walk(bytes) { number, content in
      count += 1
      if let content, let inner = schema.messages[number] {
        count += Self.count(content, inner, room: room - count)
      }
      return count <= room
    }
    return count
  }

  /// Returns the field numbers in `data`, in order.
  static func numbers(in data: Data) -> [Int] {
    var numbers: [Int] = []
    data.withUnsafeBytes { bytes in
      walk(bytes[...]) { number, _ in
        numbers.append(number)
        return numbers.count < most
      }
    }
    return numbers
  }

  /// Visits each field until the end, damaged data, or until `visit` returns false.
  ///
  /// Only fields with a length have a content.
  private static func walk(
    _ bytes: Slice<UnsafeRawBufferPointer>,
    _ visit: (_ number: Int, _ content: Slice<UnsafeRawBufferPointer>?) -> Bool
  ) {
    var place = bytes.startIndex
    func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 64, by: 7) {
        guard place < bytes.endIndex else { return nil }
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }
    while place < bytes.endIndex {
      guard let tag = varint() else { return }
      var content: Slice<UnsafeRawBufferPointer>?
      switch tag & 7 {
      case 0: guard varint() != nil else { return }
      case 1: place += 8
      case 5: place += 4
      case 2:
        guard let length = varint(), length <= UInt64(bytes.endIndex - place) else { return }
        content = bytes[place..<place + Int(length)]
        place += Int(length)
      // Groups are deprecated. The start and end of a group are counted as fields.
      default: break
      }
      guard place <= bytes.endIndex, visit(Int(clamping: tag >> 3), content) else { return }
    }
  }
}
