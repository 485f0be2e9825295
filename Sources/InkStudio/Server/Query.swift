import Foundation
import Hummingbird

/// The parameters in an address, decoded like a form: `+` is a space, `%2B` a plus.
struct Query {
  private var pairs: [(name: String, value: String)] = []

  /// Reads the parameters.
  ///
  /// - Throws: `StudioError` if a value is not percent-encoded UTF-8.
  init(_ text: String?) throws(StudioError) {
    for pair in (text ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      pairs.append(
        (try Self.decoded(parts[0]), parts.count > 1 ? try Self.decoded(parts[1]) : ""))
    }
  }

  private static func decoded(_ text: Substring) throws(StudioError) -> String {
    guard let value = text.replacing("+", with: " ").removingPercentEncoding else {
      throw StudioError(
        "The address has text that is not percent-encoded UTF-8: `\(text.prefix(40))`.")
    }
    return value
  }

  /// The first value of a parameter.
  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// Returns all values of a parameter.
  func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }
}
