import Foundation
import InkDatasets
import SafeFiles

/// The names of documents, models and learners: they are file names as well, and never paths.
enum FileName {
  /// The most characters of a name.
  static let mostCharacters = 60
  /// The most characters that are taken of a name that may get a number behind it.
  static let mostWishedCharacters = 50

  /// Whether `text` is such a name: letters, digits, spaces, `-` and `_`.
  static func isFine(_ text: String) -> Bool {
    (1...mostCharacters).contains(text.count) && text.utf8.count <= 200
      && text.unicodeScalars.allSatisfy(isFine) && text.first != " " && text.last != " "
  }

  /// Refuses `text` where it is no such name; `what` says whose name it is.
  static func check(_ text: String, of what: String) throws(Problem) {
    guard isFine(text) else {
      throw Problem(
        "`\(text.prefix(80))` cannot be the name of a \(what). Use up "
          + "to \(mostCharacters) letters, digits, spaces, - and _.")
    }
  }

  /// The one spelling of a name that is used: letters with accents have several.
  static func spelled(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

  /// The nearest name to `wish` that is fine and not `taken`.
  static func free(_ wish: String, or otherwise: String, taken: Set<String>) -> String {
    let usable = spelled(wish).unicodeScalars.filter(isFine).prefix(mostWishedCharacters)
    let plain = String(String.UnicodeScalarView(usable)).trimmingCharacters(in: .whitespaces)
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
      .map { spelled(String($0.dropLast(ending.count + 1))) }.filter(isFine)
  }

  /// The path of the file called `name` in `folder`, whichever way it is spelled on the disk; where there
  /// is none, the path of a new one.
  static func path(of name: String, in folder: String, ending: String) -> String {
    let path = "\(folder)/\(name).\(ending)"
    guard !FileTree.exists(path), name.contains(where: { !$0.isASCII }) else { return path }
    // Texts are equal here, however their accents are spelled.
    let file = FileTree.names(in: folder).first { $0 == "\(name).\(ending)" }
    return file.map { "\(folder)/\($0)" } ?? path
  }

  private static func isFine(_ scalar: Unicode.Scalar) -> Bool {
    CharacterSet.alphanumerics.contains(scalar) || " -_".unicodeScalars.contains(scalar)
  }
}
