import Foundation
import XMLTree

extension XMLElementTree {
  /// The root of the XML in `data`, from the file `path`.
  static func root(of data: Data, path: String) throws(InkError) -> XMLElementTree {
    do {
      return try XMLTreeParser().parse(data)
    } catch {
      throw InkError(
        at: Place(file: path, line: error.line), expected: error.expected, found: error.found)
    }
  }

  func error(in file: String, expected: String, found: String) -> InkError {
    InkError(at: Place(file: file, line: line), expected: expected, found: found)
  }
}
