import Foundation
import InkDatasets

/// What documents, models and learners may be called: names that are files' names as well, and no paths.
enum FileName {
  /// Whether `text` is one: letters, digits, spaces, `-` and `_`.
  static func isFine(_ text: String) -> Bool {
    (1...60).contains(text.count) && text.utf8.count <= 200
      && text.unicodeScalars.allSatisfy(isFine) && text.first != " " && text.last != " "
  }

  /// The one spelling of a name that is used, for letters with accents have several.
  static func spelled(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

  /// The nearest name to `wish` that is fine and not `taken`.
  static func free(_ wish: String, or otherwise: String, taken: Set<String>) -> String {
    let plain = String(
      String.UnicodeScalarView(spelled(wish).unicodeScalars.filter(isFine).prefix(50))
    )
    .trimmingCharacters(in: .whitespaces)
    let stem = isFine(plain) ? plain : otherwise
    // Some disks do not tell capitals from small letters.
    let taken = Set(taken.map { $0.lowercased() })
    var name = stem
    var number = 2
    while taken.contains(name.lowercased()) {
      name = "\(stem) \(number)"
      number += 1
    }
    return name
  }

  /// The fine names of the files in `folder` that end in `.ending`.
  static func all(in folder: String, ending: String) -> [String] {
    FileTree.names(in: folder).filter { $0.hasSuffix(".\(ending)") }
      .map { String($0.dropLast(ending.count + 1)) }.filter(isFine)
  }

  private static func isFine(_ scalar: Unicode.Scalar) -> Bool {
    CharacterSet.alphanumerics.contains(scalar) || " -_".unicodeScalars.contains(scalar)
  }
}

/// What cannot be done, in words for the page.
struct Problem: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
