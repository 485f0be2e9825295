import Foundation

/// An error whose description is its `localizedDescription` as well.
///
/// Without it, apps show "The operation could not be completed" and the name of a type.
package protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
  /// The error in one line.
  public var errorDescription: String? { description }
}
