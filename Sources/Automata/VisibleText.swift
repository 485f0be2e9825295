/// The rule that symbols and names consist of visible characters.
///
/// With invisible characters, two symbols could look the same and be different.
public enum VisibleText {
  /// Throws if `text` contains a control character or another invisible one, such as U+200B, if it
  /// starts with a mark that combines with a character before it, such as U+0301, or if it ends with
  /// one that combines with a character after it, such as U+0600.
  ///
  /// - Throws: `AutomatonError` with the first such character.
  public static func check(_ text: String, at place: String) throws(AutomatonError) {
    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices where isInvisible(at: index, of: scalars) {
      throw AutomatonError(
        at: place, expected: "only visible characters",
        found: "\(description(scalars[index])); delete it")
    }
    guard standsAlone(text) else {
      let startCombines = "(\(text)".count < text.count + 1
      let scalar = startCombines ? scalars[0] : scalars[scalars.count - 1]
      throw AutomatonError(
        at: place, expected: "text whose first and last characters stand alone",
        found: "\(description(scalar)), which combines with its neighbour")
    }
  }

  /// Returns whether `text` between quotes or parentheses keeps its characters.
  static func standsAlone(_ text: String) -> Bool { "(\(text))".count == text.count + 2 }

  private static let annotationMarks: ClosedRange<Unicode.Scalar> = "\u{FFF9}"..."\u{FFFB}"
  private static let joiners: ClosedRange<Unicode.Scalar> = "\u{200C}"..."\u{200D}"
  /// The first character after Latin, Greek and Cyrillic; joiners have a meaning in later scripts.
  private static let firstJoined: Unicode.Scalar = "\u{590}"

  private static func isInvisible(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    let scalar = scalars[index]
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    guard scalar.properties.isDefaultIgnorableCodePoint else {
      return annotationMarks.contains(scalar)
    }
    // In emoji and some scripts, joiners change how the neighbouring characters look.
    let before = index > 0 ? scalars[index - 1] : nil
    let after = index + 1 < scalars.count ? scalars[index + 1] : nil
    if scalar.properties.isVariationSelector {
      return !(before.map { !$0.isASCII && isVisible($0) } ?? false || after == "\u{20E3}")
    }
    if joiners.contains(scalar), let before, let after {
      return
        !(before >= firstJoined && after >= firstJoined
        && (isVisible(before) || before.properties.isVariationSelector) && isVisible(after))
    }
    return true
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.properties.isDefaultIgnorableCodePoint && scalar.properties.generalCategory != .control
  }

  /// `U+200B (zero width space)`.
  private static func description(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return scalar.properties.name.map { "\(code) (\($0.lowercased()))" } ?? code
  }
}
