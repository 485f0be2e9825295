/// A label of Graphviz in HTML: its text, and its cells if it is a table.
struct MarkupLabel {
  /// The texts of the cells of a table; one for other labels.
  private(set) var fields: [String] = [""]

  /// The maximum depth of nested tags.
  private static let deepest = 100
  private static let known: Set<String> = [
    "b", "i", "u", "o", "s", "sub", "sup", "br", "font", "table", "tr", "td", "img", "hr", "vr",
  ]

  /// A problem, and the number of characters before it.
  struct Problem: Error {
    var expected: String
    var found: String
    var offset: Int
  }

  /// Reads the text between the outer angle brackets.
  init(_ text: String) throws(Problem) {
    var open: [(name: String, text: String)] = []
    var current = ""
    var hasCells = false
    var rest = text[...]
    func problem(_ expected: String, _ found: String) -> Problem {
      Problem(
        expected: expected, found: found,
        offset: text.distance(from: text.startIndex, to: rest.startIndex))
    }
    while let character = rest.first {
      guard character == "<" else {
        let plain = rest.prefix { $0 != "<" }
        rest = rest[plain.endIndex...]
        current += Self.collapsed(Typeset.withoutEntities(String(plain)))
        continue
      }
      if rest.hasPrefix("<!--") {
        guard let end = rest.firstRange(of: "-->") else { throw problem("`-->`", "none") }
        rest = rest[end.upperBound...]
        continue
      }
      guard let end = Self.end(ofTag: rest) else { throw problem("a closed tag", "none") }
      var tag = rest[rest.index(after: rest.startIndex)..<end]
      let isClosing = tag.first == "/"
      if isClosing { tag.removeFirst() }
      let isEmpty = tag.last == "/"
      let name = tag.prefix { $0.isLetter }.lowercased()
      guard Self.known.contains(name) else { throw problem("a tag of Graphviz", "`<\(tag)>`") }
      if isClosing {
        guard let last = open.popLast(), last.name == name else {
          throw problem("the end of the tag that was opened last", "`</\(tag)>`")
        }
        switch name {
        case "sub": current = last.text + Typeset.index(current)
        case "sup": current = last.text + Typeset.power(current)
        case "td":
          hasCells = true
          fields.append(current.trimmingSpace)
          current = last.text
        default: current = last.text + current
        }
      } else if name == "br" {
        current += "\n"
        // `<BR></BR>` is allowed.
        if !isEmpty, rest[rest.index(after: end)...].prefix(4).lowercased() == "</br" {
          open.append((name, current))
          current = ""
        }
      } else if !isEmpty, !["img", "hr", "vr"].contains(name) {
        guard open.count < Self.deepest else {
          throw problem("at most \(Self.deepest) nested tags", "more")
        }
        open.append((name, current))
        current = ""
      }
      rest = rest[rest.index(after: end)...]
    }
    if let last = open.last { throw problem("`</\(last.name.uppercased())>`", "the end") }
    if hasCells { fields.removeFirst() } else { fields = [current] }
  }

  /// Returns the position of the `>` of the tag at the start of `text`; quotes may contain others.
  private static func end(ofTag text: Substring) -> Substring.Index? {
    var quote: Character?
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == ">" {
        return index
      }
    }
    return nil
  }

  /// Returns `text` with each run of white space as one space.
  private static func collapsed(_ text: String) -> String {
    var result = ""
    for character in text {
      if !character.isWhitespace {
        result.append(character)
      } else if result.last != " " {
        result.append(" ")
      }
    }
    return result
  }
}
