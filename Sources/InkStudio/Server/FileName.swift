import ErrorText
import Foundation
import InkDatasets
import SafeFiles

/// A wish for a name that is not valid or that something else has.
struct NameProblem: DescribedError {
  var description: String
  /// A name near it that is valid and not used.
  var freeName: String
}

/// The names of documents, models and learners, which are also file names.
enum FileName {
  /// The maximum number of characters of a name.
  static let maximumCharacters = 60
  /// The maximum number of characters that are kept of a name to which a number may be added.
  static let maximumWishedCharacters = 50

  /// The characters of names, as the content of a character class in a regular expression.
  ///
  /// ``isValid(_:)`` accepts the same characters.
  static let characterClass = #"\p{L}\p{M}\p{N} _\-.,()+&!'"#
  private static let punctuation = " _-.,()+&!'".unicodeScalars

  /// Whether `text` is a valid name: letters, digits, spaces and some punctuation.
  ///
  /// A name with a dot at its start is hidden, and some file systems remove one at its end.
  static func isValid(_ text: String) -> Bool {
    (1...maximumCharacters).contains(text.count) && text.utf8.count <= 200
      && text.unicodeScalars.allSatisfy(isValid)
      && [text.first, text.last].allSatisfy { $0 != " " && $0 != "." }
  }

  /// Throws if `text` is not a valid name; `what` is the thing that has the name.
  static func check(_ text: String, of what: String) throws(StudioError) {
    guard isValid(text) else {
      throw StudioError(
        "`\(text.prefix(80))` cannot be the name of a \(what). Use up to \(maximumCharacters) letters, "
          + "digits, spaces and - _ . , ( ) + & ! ', and no dot at an end.")
    }
  }

  /// Throws if a new thing cannot have a name; `used` are the names of others.
  static func checkNew(
    _ name: String, of what: String, used: Set<String>
  ) throws(NameProblem) {
    let freeName = unused(name, or: what, used: used)
    // Some file systems do not distinguish upper case and lower case.
    let isUsed = used.contains { $0.lowercased() == name.lowercased() }
    guard isUsed || !isValid(name) else { return }
    var problem = NameProblem(
      description: "Another \(what) has the name “\(name)”. Choose another name.",
      freeName: freeName)
    if !isUsed {
      do { try check(name, of: what) } catch { problem.description = error.description }
    }
    throw problem
  }

  /// Returns a name in Unicode's composed form, because letters with accents have several encodings.
  static func normalized(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

  /// Returns a valid name close to `wish` that is not in `used`.
  static func unused(_ wish: String, or otherwise: String, used: Set<String>) -> String {
    let usable = normalized(wish).unicodeScalars.filter(isValid).prefix(maximumWishedCharacters)
    let plain = String(String.UnicodeScalarView(usable))
      .trimmingCharacters(in: CharacterSet(charactersIn: " ."))
    let stem = isValid(plain) ? plain : otherwise
    // Some file systems do not distinguish upper case and lower case.
    let used = Set(used.map { $0.lowercased() })
    var name = stem
    var number = 2
    while used.contains(name.lowercased()) {
      name = "\(stem) \(number)"
      number += 1
    }
    return name
  }

  /// Returns the valid names of the files in `folder` with the extension `ending`.
  static func all(in folder: String, ending: String) -> [String] {
    FileTree.names(in: folder).filter { $0.hasSuffix(".\(ending)") }
      .map { normalized(String($0.dropLast(ending.count + 1))) }.filter(isValid)
  }

  /// Returns the path of the file `name` in `folder`, in the encoding that it has on disk.
  ///
  /// If there is no such file, this is the path of a new one.
  static func path(of name: String, in folder: String, ending: String) -> String {
    let path = "\(folder)/\(name).\(ending)"
    guard !FileTree.exists(path), name.contains(where: { !$0.isASCII }) else { return path }
    // Swift's strings are equal if only the encoding of their accents differs.
    let file = FileTree.names(in: folder).first { $0 == "\(name).\(ending)" }
    return file.map { "\(folder)/\($0)" } ?? path
  }

  private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
    CharacterSet.alphanumerics.contains(scalar) || punctuation.contains(scalar)
  }
}
