import Foundation
import JSONReading

/// The keys of JSON that another program writes, to find those that a hand misspelt.
///
/// The program may write keys that are not known here. A key that is almost a known one is a mistake,
/// and what it says would be lost.
struct KeySpelling: ExpressibleByDictionaryLiteral {
  /// The known keys of the objects at each path, such as `states.*`; the objects of a list have its path.
  private let known: [String: Set<String>]

  init(dictionaryLiteral elements: (String, Set<String>)...) {
    known = Dictionary(uniqueKeysWithValues: elements)
  }

  /// Throws for the first key that is almost a known one.
  ///
  /// - Throws: `AutomatonError` with the place of the object.
  func check(_ data: Data, name: String) throws(AutomatonError) {
    guard let value = try? JSON(json: data) else { return }
    try check(value, path: "", at: name)
  }

  private func check(_ value: JSON, path: String, at place: String) throws(AutomatonError) {
    switch value {
    case .leaf: return
    case .list(let values):
      for (index, value) in values.enumerated() {
        try check(value, path: path, at: "\(place)[\(index)]")
      }
    case .object(let members):
      let keys = known[path] ?? []
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        let meant = keys.sorted().first { Self.isMeant(key, $0) }
        if !keys.contains(key), let meant {
          throw AutomatonError(at: place, expected: "the key `\(meant)`", found: "`\(key)`")
        }
        let paths = [key, "*"].map { path.isEmpty ? $0 : "\(path).\($0)" }
        guard let next = paths.first(where: { path in known.keys.contains { $0.hasPrefix(path) } })
        else { continue }
        try check(value, path: next, at: path.isEmpty ? "\(place), \(key)" : "\(place).\(key)")
      }
    }
  }

  /// The number of characters of keys that are compared letter by letter.
  private static let shortest = 4

  /// Returns whether a key was probably meant as another one: in other capitals, with signs between its
  /// words, or with one letter too many, too few, wrong or at its neighbour's place.
  private static func isMeant(_ key: String, _ known: String) -> Bool {
    // Databases write such keys.
    guard !key.hasPrefix("_") else { return false }
    let one = Array(key.lowercased().filter { $0.isLetter || $0.isNumber })
    let other = Array(known.lowercased())
    if one == other { return true }
    guard min(one.count, other.count) >= shortest, abs(one.count - other.count) < 2 else {
      return false
    }
    let start = zip(one, other).prefix { $0 == $1 }.count
    let (rest, otherRest) = (one[start...], other[start...])
    if one.count > other.count { return rest.dropFirst().elementsEqual(otherRest) }
    if one.count < other.count { return rest.elementsEqual(otherRest.dropFirst()) }
    if rest.dropFirst().elementsEqual(otherRest.dropFirst()) { return true }
    return rest.dropFirst(2).elementsEqual(otherRest.dropFirst(2))
      && rest.prefix(2).elementsEqual(otherRest.prefix(2).reversed())
  }

  /// A JSON value down to the depth of the known keys.
  private enum JSON: Decodable {
    case leaf
    case list([JSON])
    case object([String: JSON])

    private static let deepest = 4

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if decoder.codingPath.count > Self.deepest {
        self = .leaf
      } else if let values = try? container.decode([String: JSON].self) {
        self = .object(values)
      } else if let values = try? container.decode([JSON].self) {
        self = .list(values)
      } else {
        self = .leaf
      }
    }
  }
}
