import Foundation
import Ink
import SafeFiles

/// The names of the classes of an array: the lines of `classes.txt` beside it, or the numbers
/// themselves where there is no such file.
struct ClassNames {
  /// The lines of `classes.txt`.
  let names: [String]?

  /// Reads the names for the array of labels at `path`.
  init(for path: String) {
    names = Self.lines(of: "\(FileTree.folder(of: path))/classes.txt")
  }

  /// Returns the label with this number, which item `index` of the array at `path` has.
  func label(_ number: Int, of path: String, item index: Int) throws(FileError) -> String {
    guard let names else { return String(number) }
    guard names.indices.contains(number) else {
      throw FileError(
        path: "\(path), item \(index + 1)",
        expected: "a label below \(names.count), the number of classes in classes.txt",
        found: "\(number)")
    }
    return names[number]
  }

  /// Returns the lines of a text file that are not empty, or `nil` if there is no file.
  static func lines(of path: String) -> [String]? {
    FileManager.default.contents(atPath: path).map {
      String(decoding: $0, as: UTF8.self).split { $0.isNewline }.map(String.init)
    }
  }
}
