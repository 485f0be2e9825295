extension Int {
  /// Returns the number with the noun that it counts: `1 state`, `2 states`.
  ///
  /// `plural` is for nouns that do not only take an s.
  package func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
