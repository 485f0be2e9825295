/// The parts of a label: symbols that commas, line ends or spaces separate.
///
/// A backslash or quotes make a character with a meaning a part of a symbol. Braces or brackets around a
/// list, and the dollar signs of TeX, are no part of it. `0, 1, …, 9` has all digits.
struct LabelList {
  struct Item {
    var text = ""
    /// The text with its escapes.
    var written = ""
    /// Whether a backslash or quotes were used, so that the text has no other meaning.
    var isLiteral = false

    var isEpsilon: Bool { !isLiteral && LabelList.epsilons.contains(text) }
    var isLambda: Bool { !isLiteral && LabelList.lambdas.contains(text) }
    fileprivate var isEllipsis: Bool { !isLiteral && LabelList.ellipses.contains(text) }

    /// Whether its author may have meant several symbols: `0-9`, `a..c`, `a+b`, `a; b`.
    fileprivate var isDoubtful: Bool {
      guard !isLiteral, text.utf8.count > 1 else { return false }
      let signs = Array(text)
      let hasEnds = signs.count == 3 && LabelList.isPlain(signs[0]) && LabelList.isPlain(signs[2])
      return hasEnds && "-–+".contains(signs[1])
        || text.contains("..") || text.contains("…") || text.count > 1 && text.contains(";")
        || text.contains(" or ")
    }

    /// Whether it is an input and an output: `a/x`.
    var hasOutput: Bool {
      guard !isLiteral, let slash = text.firstIndex(of: "/") else { return false }
      return slash != text.startIndex && text.index(after: slash) != text.endIndex
        && text.lastIndex(of: "/") == slash
    }

    /// The symbols of a range such as `[a-d]` or `[a-cx]`, or itself; `nil` for a range that cannot be read.
    var range: [String]? {
      guard !isLiteral, text.count > 2, text.hasPrefix("["), text.hasSuffix("]") else {
        return [text]
      }
      let inner = Array(text.dropFirst().dropLast())
      guard inner[0] != "^" else { return nil }
      var symbols: [String] = []
      var index = 0
      while index < inner.count {
        guard index + 2 < inner.count, inner[index + 1] == "-" else {
          symbols.append(String(inner[index]))
          index += 1
          continue
        }
        let ends = (inner[index].unicodeScalars.first!, inner[index + 2].unicodeScalars.first!)
        guard ends.0 <= ends.1, ends.1.value - ends.0.value < 1000 else { return nil }
        for value in ends.0.value...ends.1.value {
          guard let scalar = Unicode.Scalar(value) else { return nil }
          symbols.append(String(scalar))
        }
        index += 3
      }
      return symbols
    }
  }

  /// What cannot be read in a label.
  struct Problem {
    var expected: String
    var found: String
  }

  static let epsilons: Set<String> = [
    "ε", "ϵ", "ɛ", "𝜀", "𝜖", "eps", "epsilon", "Epsilon", "varepsilon", #"\epsilon"#,
    #"\varepsilon"#, #"\e"#, "@epsilon", "<eps>",
  ]
  static let lambdas: Set<String> = ["λ", "lambda", #"\lambda"#]
  private static let ellipses: Set<String> = [
    "…", "⋯", "..", "...", #"\dots"#, #"\ldots"#, #"\cdots"#,
  ]
  /// The characters that are escaped in every symbol.
  private static let special: Set<Character> = [
    ",", ";", "\\", "\"", "'", "ε", "ϵ", "ɛ", "𝜀", "𝜖", "λ", "/", "[", "{", "→", ">",
  ]
  /// The characters that have a meaning only in symbols of several characters.
  private static let specialInside: Set<Character> = ["$", "|", "("]
  /// The characters that a backslash makes a part of a symbol.
  private static let escapable = special.union(specialInside).union([".", "…", "⋯"])

  private(set) var items: [Item] = []
  /// What of the label cannot be read, if the labels are symbols.
  private(set) var problem: Problem?
  /// The parts in which `|` separates symbols.
  private var alternatives: [String] = []

  init(_ label: String) {
    // Most labels are one letter or digit.
    if label.utf8.count == 1, Self.isPlain(label.first!) {
      items = [Item(text: label, written: label)]
      return
    }
    let text = Self.withoutTeX(label)
    if let command = text.unknown {
      problem = Problem(
        expected: "symbols without TeX's command \\\(command), which is not read", found: label)
    }
    let list = Self.unwrapped(text.shown)
    for part in Self.parts(list.text) {
      let pieces = Self.alternatives(part)
      if pieces.count > 1 { alternatives.append(String(part.map(\.character))) }
      for piece in pieces { add(piece, isInBrackets: list.isInBrackets) }
    }
    expandEllipses(of: label)
    if problem == nil { problem = Self.openGroup(in: items) }
  }

  /// Adds the symbols of a part between commas.
  private mutating func add(_ part: [Sign], isInBrackets: Bool) {
    let items = part.split(whereSeparator: \.isSpace).map { Item($0) }
    if items.count > 1, items.contains(where: { ["&", "|", "∧", "∨"].contains($0.written) }) {
      problem = Problem(
        expected: "symbols, separated by commas", found: String(part.map(\.character)))
    }
    // `a b` are two symbols; `push button` is one.
    let areShort = items.allSatisfy {
      $0.text.count == 1 || $0.isEpsilon || $0.isLambda || $0.isEllipsis
    }
    if areShort || items.count < 2 {
      self.items += items
    } else {
      self.items.append(Item(part))
    }
    // `[0-9, a-f]` has two ranges.
    if isInBrackets, let last = self.items.last, !last.isLiteral, last.text.count == 3,
      Array(last.text)[1] == "-"
    {
      self.items[self.items.count - 1].text = "[\(last.text)]"
    }
  }

  /// Replaces `…` between two symbols by a range from one to the other.
  private mutating func expandEllipses(of label: String) {
    guard items.count > 1 else { return }
    for index in items.indices where items[index].isEllipsis {
      guard index > 0, index + 1 < items.count,
        let first = Self.plainEnd(items[index - 1]), let last = Self.plainEnd(items[index + 1]),
        first <= last, first.isNumber == last.isNumber, first.isUppercase == last.isUppercase
      else {
        problem = Problem(
          expected: "… between two digits or letters, as in 0, 1, …, 9", found: label)
        return
      }
      items[index].text = "[\(first)-\(last)]"
    }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }

  private static func plainEnd(_ item: Item) -> Character? {
    item.text.count == 1 ? item.text.first.flatMap { isPlain($0) ? $0 : nil } : nil
  }

  /// Returns the problem of a pair such as `(a, b)`, which can be one symbol or two.
  private static func openGroup(in items: [Item]) -> Problem? {
    /// The ends of groups after an item.
    var ends: [Character: String] = [:]
    for item in items.reversed() where !item.isLiteral && item.text.utf8.count > 1 {
      let (first, last) = (item.text.first!, item.text.last!)
      if let close = ["(": ")", "[": "]", "{": "}"][first] as Character?, let end = ends[close],
        !item.text.contains(close)
      {
        return Problem(
          expected: "symbols, separated by commas (put one that has a comma in quotes)",
          found: "\(item.text), … \(end)")
      }
      if ")]}".contains(last), item.text.count > 1 { ends[last] = item.text }
    }
    return nil
  }

  /// Returns what a person should know about how labels were read, in one line for each kind.
  static func remarks(about lists: [LabelList]) -> [String] {
    func shown(_ texts: [String]) -> String {
      var known: Set<String> = []
      let unique = texts.filter { known.insert($0).inserted }
      return unique.prefix(10).map { "`\($0)`" }.joined(separator: ", ")
        + (unique.count > 10 ? ", …" : "")
    }
    var remarks: [String] = []
    let alternatives = lists.flatMap(\.alternatives)
    if !alternatives.isEmpty {
      remarks.append("| between symbols is read as “or”: \(shown(alternatives))")
    }
    let doubtful = lists.flatMap(\.items).filter(\.isDoubtful).map(\.text)
    if !doubtful.isEmpty {
      remarks.append(
        "one symbol each: \(shown(doubtful)) (write a range as [0-9], and several symbols as a, b)")
    }
    return remarks
  }

  /// Returns a symbol so that it is read from a label again.
  static func escaped(_ symbol: String) -> String {
    if epsilons.contains(symbol) || lambdas.contains(symbol), symbol.count > 1,
      symbol.allSatisfy(\.isLetter)
    {
      return "\"\(symbol)\""
    }
    if ellipses.contains(symbol), !symbol.hasPrefix("\\") { return "\\\(symbol)" }
    let special = symbol.count > 1 ? special.union(specialInside) : special
    return symbol.map { special.contains($0) || $0.isWhitespace ? "\\\($0)" : "\($0)" }.joined()
  }

  // MARK: Signs around symbols

  /// Returns the label with TeX's mathematics, `$a$` or `$$a$$`, as it is shown, and a command in it that
  /// is not known.
  private static func withoutTeX(_ label: String) -> (shown: String, unknown: String?) {
    guard label.contains("$") else { return (label, nil) }
    let characters = Array(label.replacing("$$", with: "$"))
    let signs = characters.indices.filter {
      characters[$0] == "$" && ($0 == 0 || characters[$0 - 1] != "\\")
    }
    guard !signs.isEmpty, signs.count.isMultiple(of: 2) else { return (label, nil) }
    var shown = ""
    var unknown: String?
    var index = 0
    for (open, close) in stride(from: 0, to: signs.count, by: 2).map({ (signs[$0], signs[$0 + 1]) })
    {
      func isOutside(_ index: Int, _ edges: String) -> Bool {
        !characters.indices.contains(index) || characters[index].isWhitespace
          || edges.contains(characters[index])
      }
      let inner = String(characters[open + 1..<close])
      guard isOutside(open - 1, ",{["), isOutside(close + 1, ",}]"),
        let first = inner.trimmingSpace.first, first != ","
      else { return (label, nil) }
      shown += String(characters[index..<open])
      let text = Typeset.read(inner)
      shown += text.shown
      unknown = unknown ?? text.unknown
      index = close + 1
    }
    return (shown + String(characters[index...]), unknown)
  }

  /// Returns a list without the braces or brackets around it; a range such as `[a-c]` stays.
  private static func unwrapped(_ label: String) -> (text: String, isInBrackets: Bool) {
    // White space at the end can be escaped, so that only what is in braces loses its own.
    var label = label
    var text = label.trimmingSpace
    while true {
      let isInBrackets = text.hasPrefix("[") && text.hasSuffix("]") && text.contains(",")
      guard text.count > 2, isInBrackets || text.hasPrefix("{") && text.hasSuffix("}"),
        isOneGroup(text)
      else { return (label, false) }
      let inner = String(text.dropFirst().dropLast()).trimmingSpace
      guard let first = inner.first, first != ",", inner.last != "," else { return (label, false) }
      if isInBrackets { return (inner, true) }
      (label, text) = (inner, inner)
    }
  }

  /// Returns whether the first bracket is closed by the last character.
  private static func isOneGroup(_ text: String) -> Bool {
    var depth = 0
    var isEscaped = false
    for (index, character) in text.enumerated() {
      defer { isEscaped = character == "\\" && !isEscaped }
      if isEscaped { continue }
      if "[{".contains(character) { depth += 1 }
      if "]}".contains(character) { depth -= 1 }
      if depth == 0 { return index == text.count - 1 }
    }
    return false
  }

  /// Splits a part at `|` between symbols: `0|1`, or `0 | 1`.
  private static func alternatives(_ part: [Sign]) -> [[Sign]] {
    var pieces = part.split(
      omittingEmptySubsequences: false, whereSeparator: { $0.character == "|" && !$0.isLiteral }
    ).map { Array($0.drop(while: \.isSpace)) }
    for index in pieces.indices {
      while pieces[index].last?.isSpace ?? false { pieces[index].removeLast() }
    }
    let areSymbols = pieces.allSatisfy { piece in
      !piece.isEmpty && !piece.contains { $0.isSpace || "&∧∨!¬".contains($0.character) }
    }
    return areSymbols ? pieces : [part]
  }

  /// A character, and whether it has no meaning of its own.
  fileprivate struct Sign {
    var character: Character
    var isLiteral: Bool

    var isSpace: Bool { character.isWhitespace && !isLiteral }
  }

  /// Splits a label at commas and line ends that are not escaped; parts have no space at their ends.
  private static func parts(_ label: String) -> [[Sign]] {
    var parts: [[Sign]] = [[]]
    var rest = label[...]
    while let character = rest.popFirst() {
      if character == "\\", let next = rest.first, escapable.contains(next) || next.isWhitespace {
        rest.removeFirst()
        parts[parts.count - 1].append(Sign(character: next, isLiteral: true))
      } else if character == "\"", parts.last!.allSatisfy(\.isSpace),
        let end = rest.firstIndex(of: "\""), end != rest.startIndex
      {
        parts[parts.count - 1] = rest[..<end].map { Sign(character: $0, isLiteral: true) }
        rest = rest[rest.index(after: end)...]
      } else if character == "," || character.isNewline {
        parts.append([])
      } else if character == "/" {
        // `a / x` is one rule.
        while parts.last!.last?.isSpace ?? false { parts[parts.count - 1].removeLast() }
        parts[parts.count - 1].append(Sign(character: character, isLiteral: false))
        rest = rest.drop { $0.isWhitespace && !$0.isNewline }
      } else {
        parts[parts.count - 1].append(Sign(character: character, isLiteral: false))
      }
    }
    return parts.map { part in
      var part = Array(part.drop(while: \.isSpace))
      while part.last?.isSpace ?? false { part.removeLast() }
      return part
    }.filter { !$0.isEmpty }
  }
}

extension LabelList.Item {
  fileprivate init(_ signs: some Collection<LabelList.Sign>) {
    text = String(signs.map(\.character))
    isLiteral = signs.contains(where: \.isLiteral)
    written = signs.map { $0.isLiteral ? "\\\($0.character)" : "\($0.character)" }.joined()
  }
}
