import Foundation

/// What is wrong with a text in JSON, where decoders do not tell.
package enum JSONProblem {
  /// What keeps `data` from being JSON, and where; `nil` for JSON.
  package static func description(of data: Data) -> String? {
    guard !data.isEmpty else { return "an empty file" }
    do { _ = try JSONSerialization.jsonObject(with: data) } catch {
      let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
      return (detail ?? "something else").trimmingCharacters(in: ["."])
    }
    return nil
  }

  /// The first key that occurs twice in one object of `data`, which is well-formed JSON.
  ///
  /// A decoder would keep one of them without a word.
  package static func repeatedKey(in data: Data) -> String? {
    data.withUnsafeBytes { bytes in
      /// The keys so far of every object around a place; `nil` for a list.
      var open: [Set<String>?] = []
      var isKeyNext = false
      var index = 0
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: "{"):
          open.append([])
          isKeyNext = true
        case UInt8(ascii: "["):
          open.append(nil)
          isKeyNext = false
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        case UInt8(ascii: ","): isKeyNext = open.last.map { $0 != nil } ?? false
        case UInt8(ascii: ":"): isKeyNext = false
        case UInt8(ascii: "\""):
          let start = index
          index += 1
          while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
          }
          guard isKeyNext, index < bytes.count else { break }
          let inner = bytes[start + 1..<index]
          var key = String(decoding: inner, as: UTF8.self)
          if inner.contains(UInt8(ascii: "\\")),
            let plain = try? JSONDecoder().decode(String.self, from: Data(bytes[start...index]))
          {
            key = plain
          }
          if open[open.count - 1]?.insert(key).inserted == false { return key }
        default: break
        }
        index += 1
      }
      return nil
    }
  }
}
