extension Character {
  /// The letters whose capital differs in its size only.
  private static let sameInBothCases = Set<Character>("ckopsuvwxzCKOPSUVWXZ")

  /// Whether it is a letter whose small and capital forms differ in their size only.
  package var isSameInBothCases: Bool { Self.sameInBothCases.contains(self) }
}

extension String {
  /// Returns the text with one character for all that look like it: `o` for `O` and `0`, `l` for `1`
  /// and `I`.
  ///
  /// With `cases`, small letters also stand for capitals that differ from them in their size only.
  package func folded(cases: Bool) -> String {
    String(
      map { character in
        switch character {
        case "0", "O": "o"
        case "1", "I": "l"
        default:
          cases && character.isSameInBothCases ? Character(character.lowercased()) : character
        }
      })
  }
}
