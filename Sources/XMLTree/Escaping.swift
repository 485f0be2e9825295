extension String {
  /// The text as XML and HTML have it, in elements and in quoted attributes.
  ///
  /// Characters that XML does not allow (XML 1.0, section 2.2) become U+FFFD.
  package var escapedForMarkup: String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "\0"..<"\t", "\u{B}"..<"\r", "\u{E}"..<" ", "\u{FFFE}", "\u{FFFF}":
        escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
