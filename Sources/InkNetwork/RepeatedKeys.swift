import Foundation

/// Finds a key that an object in JSON has twice, which readers of JSON pass over.
///
/// What is no JSON has none.
struct RepeatedKeys {
  private let bytes: [UInt8]
  private var place = 0

  init(_ json: Data) {
    bytes = [UInt8](json)
  }

  /// Returns the first key that stands twice in the same object, or `nil`.
  mutating func first() -> String? {
    // The keys of each object around the current place; an array has none.
    var objects: [Set<String>?] = []
    var isKeyNext = false
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "{"):
        objects.append([])
        isKeyNext = true
      case UInt8(ascii: "["):
        objects.append(nil)
        isKeyNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = objects.popLast()
        isKeyNext = false
      case UInt8(ascii: ","): isKeyNext = objects.last.map { $0 != nil } ?? false
      case UInt8(ascii: "\""):
        let text = text()
        guard isKeyNext, let index = objects.indices.last else { continue }
        isKeyNext = false
        if objects[index]?.insert(text).inserted == false { return text }
      default: break
      }
    }
    return nil
  }

  /// The text from here to its closing quote, with escapes resolved.
  private mutating func text() -> String {
    let start = place - 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    place = min(place + 1, bytes.count)
    let quoted = bytes[start..<place]
    guard quoted.contains(UInt8(ascii: "\\")),
      let text = try? JSONDecoder().decode(String.self, from: Data(quoted))
    else { return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self) }
    return text
  }
}
