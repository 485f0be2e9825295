import Foundation
import JSONReading

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
        let quoted = quoted()
        guard isKeyNext, let index = objects.indices.last else { continue }
        isKeyNext = false
        let key = text(quoted)
        if objects[index]?.insert(key).inserted == false { return key }
      default: break
      }
    }
    return nil
  }

  /// Moves past the closing quote of the text that begins here; returns the text with its quotes.
  private mutating func quoted() -> ArraySlice<UInt8> {
    let start = place - 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    place = min(place + 1, bytes.count)
    return bytes[start..<place]
  }

  /// What a text between quotes says, with its escapes resolved.
  private func text(_ quoted: ArraySlice<UInt8>) -> String {
    guard quoted.contains(UInt8(ascii: "\\")),
      let text = try? String(json: Data(quoted))
    else { return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self) }
    return text
  }
}
