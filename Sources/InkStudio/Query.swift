import Foundation
import Hummingbird

/// The parameters in an address, decoded as a form: `+` is a space, `%2B` a plus.
struct Query {
  private var pairs: [(name: String, value: String)] = []

  /// - Throws: `Problem` where a value is no percent-encoded UTF-8.
  init(_ text: String?) throws(Problem) {
    for pair in (text ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      pairs.append(
        (try Self.decoded(parts[0]), parts.count > 1 ? try Self.decoded(parts[1]) : ""))
    }
  }

  private static func decoded(_ text: Substring) throws(Problem) -> String {
    guard let value = text.replacing("+", with: " ").removingPercentEncoding else {
      throw Problem("The address has text that is not percent-encoded UTF-8: `\(text.prefix(40))`.")
    }
    return value
  }

  /// The first value of that name.
  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// All values of that name.
  func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }
}
