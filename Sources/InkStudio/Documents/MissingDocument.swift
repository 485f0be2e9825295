import ErrorText

/// An error for a missing document, with what happened to it as far as it is known.
struct MissingDocument: DescribedError, Equatable {
  /// The name in the request.
  var name: String
  /// The current name of the document, if it was renamed.
  var newName: String?
  /// Whether the document was deleted.
  var isDeleted = false
  /// Whether another document has the name now.
  var isReplaced = false

  var description: String {
    if let newName { return "The document \(name) was renamed to \(newName)." }
    if isDeleted { return "The document \(name) was deleted." }
    if isReplaced { return "\(name) is another document now. Open it again." }
    return "There is no document \(name)."
  }
}
