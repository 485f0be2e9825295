extension Int {
  /// Returns the number with the noun that it counts: `1 state`, `2 states`.
  ///
  /// `plural` is for nouns that do not only take an s.
  package func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}

extension Double {
  /// The number, without `.0` if it is whole.
  package var shortText: String {
    self == rounded() && magnitude < 1e15 ? "\(Int(self))" : "\(self)"
  }
}
