/// Text of other programs with indices, entities or commands, as plain characters.
package enum Typeset {
  // MARK: Indices

  private static let belows: [Character: Character] = [
    "0": "₀", "1": "₁", "2": "₂", "3": "₃", "4": "₄", "5": "₅", "6": "₆", "7": "₇", "8": "₈",
    "9": "₉", "+": "₊", "-": "₋", "=": "₌", "(": "₍", ")": "₎", "a": "ₐ", "e": "ₑ", "h": "ₕ",
    "i": "ᵢ", "j": "ⱼ", "k": "ₖ", "l": "ₗ", "m": "ₘ", "n": "ₙ", "o": "ₒ", "p": "ₚ", "r": "ᵣ",
    "s": "ₛ", "t": "ₜ", "u": "ᵤ", "v": "ᵥ", "x": "ₓ",
  ]
  private static let aboves: [Character: Character] = [
    "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸",
    "9": "⁹", "+": "⁺", "-": "⁻", "=": "⁼", "(": "⁽", ")": "⁾", "n": "ⁿ", "i": "ⁱ", "'": "′",
    "′": "′", "*": "*",
  ]

  /// Returns text below the line: `₁₀`, or `_{ab}` where a character has no such form.
  static func index(_ text: String) -> String {
    let characters = text.compactMap { belows[$0] }
    guard characters.count < text.count else { return String(characters) }
    return text.count == 1 ? "_\(text)" : "_{\(text)}"
  }

  /// Returns text above the line: `²`, or `^{ab}` where a character has no such form.
  static func power(_ text: String) -> String {
    let characters = text.compactMap { aboves[$0] }
    guard characters.count < text.count else { return String(characters) }
    return text.count == 1 ? "^\(text)" : "^{\(text)}"
  }

  // MARK: Entities

  /// Replaces entities such as `&lt;`, `&#955;` and `&#x3bb;`; unknown ones stay.
  static func withoutEntities(_ text: String) -> String {
    guard text.contains("&") else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[rest.index(after: start)...]
      guard let end = rest.prefix(longestEntity).firstIndex(of: ";"),
        let character = entity(rest[..<end])
      else {
        result += "&"
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static let longestEntity = 12

  private static func entity(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return entities[String(name)] }
    let digits = name.dropFirst()
    let value =
      digits.first?.lowercased() == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard let value, value >= 32 || value == 9 || value == 10, let scalar = Unicode.Scalar(value)
    else { return nil }
    return String(scalar)
  }

  private static let entities: [String: String] = {
    var table = [
      "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "ensp": " ", "emsp": " ",
      "thinsp": " ", "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "ldquo": "“",
      "rdquo": "”", "bull": "•", "hellip": "…", "prime": "′", "Prime": "″", "larr": "←",
      "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔", "rArr": "⇒", "lArr": "⇐", "hArr": "⇔",
      "forall": "∀", "exist": "∃", "empty": "∅", "emptyset": "∅", "isin": "∈", "notin": "∉",
      "minus": "−", "lowast": "∗", "infin": "∞", "and": "∧", "or": "∨", "cap": "∩", "cup": "∪",
      "ne": "≠", "equiv": "≡", "le": "≤", "ge": "≥", "sub": "⊂", "sup": "⊃", "sube": "⊆",
      "supe": "⊇", "oplus": "⊕", "otimes": "⊗", "perp": "⊥", "bot": "⊥", "top": "⊤", "sdot": "⋅",
      "epsi": "ε", "varepsilon": "ε", "epsiv": "ϵ", "square": "□", "squ": "□", "star": "☆",
      "lbrace": "{", "rbrace": "}", "lcub": "{", "rcub": "}", "lbrack": "[", "rbrack": "]",
      "lpar": "(", "rpar": ")", "vert": "|", "verbar": "|", "bsol": "\\", "sol": "/",
      "comma": ",", "colon": ":", "semi": ";", "num": "#", "dollar": "$", "percnt": "%",
      "ast": "*", "plus": "+", "equals": "=", "quest": "?", "excl": "!", "commat": "@",
      "lowbar": "_", "grave": "`", "Hat": "^", "tilde": "˜", "OElig": "Œ", "oelig": "œ",
      "thetasym": "ϑ", "upsih": "ϒ", "piv": "ϖ", "sigmaf": "ς", "loz": "◊",
    ]
    let latin = """
      nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 \
      sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc \
      Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
      Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute \
      acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde \
      ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
      """
    for (offset, name) in latin.split(separator: " ").enumerated() {
      table[String(name)] = String(UnicodeScalar(160 + UInt32(offset))!)
    }
    table["nbsp"] = " "
    for (name, letter) in greek { table[name] = letter }
    table["phi"] = "φ"
    return table
  }()

  /// The Greek letters by their names in HTML and TeX.
  package static let greek: [String: String] = {
    let names = [
      "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
      "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon",
      "phi", "chi", "psi", "omega",
    ]
    var table: [String: String] = [:]
    for (offset, name) in names.enumerated() {
      table[name] = String(UnicodeScalar(0x3B1 + UInt32(offset))!)
      guard name != "varsigma" else { continue }
      let capital = name.prefix(1).uppercased() + name.dropFirst()
      table[capital] = String(UnicodeScalar(0x391 + UInt32(offset))!)
    }
    return table
  }()

  // MARK: TeX

  /// Returns the characters that LaTeX would show for `text`; lines are separated by line ends.
  ///
  /// Commands for fonts are left out; other unknown commands stay.
  static func tex(_ text: String) -> String { read(text).shown }

  /// Returns the characters that LaTeX would show for `text`, and the first command that is not known.
  static func read(_ text: String) -> (shown: String, unknown: String?) {
    var reader = TeXReader(rest: text[...])
    let shown = reader.read(depth: 0)
    return (shown, reader.unknown)
  }

  /// The characters of commands of TeX without arguments.
  fileprivate static let commands: [String: String] = {
    var table = greek
    for (name, text) in [
      ("varepsilon", "ε"), ("varphi", "φ"), ("vartheta", "ϑ"), ("o", "o"), ("emptyset", "∅"),
      ("varnothing", "∅"), ("to", "→"), ("rightarrow", "→"), ("Rightarrow", "⇒"),
      ("leftarrow", "←"), ("textbackslash", "\\"), ("backslash", "\\"), ("textasciitilde", "~"),
      ("sim", "~"), ("textasciicircum", "^"), ("square", "□"), ("Box", "□"), ("sqcup", "⊔"),
      ("textvisiblespace", "␣"), ("vert", "|"), ("mid", "|"), ("textbar", "|"), ("lbrace", "{"),
      ("rbrace", "}"), ("textless", "<"), ("textgreater", ">"), ("lt", "<"), ("gt", ">"),
      ("langle", "⟨"), ("rangle", "⟩"), ("ldots", "…"), ("dots", "…"), ("cdot", "·"),
      ("times", "×"), ("ast", "*"), ("star", "⋆"), ("prime", "′"), ("bot", "⊥"), ("top", "⊤"),
      ("cup", "∪"), ("cap", "∩"), ("in", "∈"), ("neq", "≠"), ("vdash", "⊢"), ("triangleright", "▷"),
      ("rhd", "▷"), ("textquotesingle", "'"), ("textquotedbl", "\""), ("textunderscore", "_"),
      ("textdollar", "$"), ("colon", ":"), ("quad", " "), ("qquad", " "), ("newline", "\n"),
      ("sharp", "♯"), ("dagger", "†"), ("flat", "♭"), ("natural", "♮"), ("cdots", "…"),
      ("textellipsis", "…"), ("lbrack", "["), ("rbrack", "]"), ("lvert", "|"), ("rvert", "|"),
      ("circ", "∘"), ("bullet", "•"), ("textbullet", "•"), ("diamond", "⋄"), ("ell", "ℓ"),
      ("S", "§"), ("pm", "±"), ("leq", "≤"), ("geq", "≥"), ("infty", "∞"),
    ] {
      table[name] = text
    }
    return table
  }()

  /// The commands that change the look of what follows and show nothing themselves.
  fileprivate static let fonts: Set<String> = [
    "text", "textrm", "textbf", "textit", "texttt", "textsf", "textsc", "textup", "emph", "mathrm",
    "mathbf", "mathit", "mathtt", "mathsf", "mathcal", "mathbb", "mathscr", "mathnormal", "mbox",
    "hbox", "ensuremath", "tt", "bf", "it", "sf", "rm", "em", "small", "footnotesize", "scriptsize",
    "tiny", "normalsize", "large", "Large", "huge", "ttfamily", "bfseries", "itshape", "sffamily",
    "strut", "mathstrut", "displaystyle", "textstyle", "scriptstyle", "left", "right", "big", "Big",
    "boldsymbol", "bm", "operatorname", "centering", "LARGE", "Huge", "mdseries", "upshape",
    "rmfamily", "normalfont", "selectfont", "textnormal", "textmd", "textsl", "bigl", "bigr",
    "Bigl",
    "Bigr", "hline", "shortstack", "substack", "makecell", "noindent", "protect", "relax", "hfill",
  ]

  /// The commands whose first argument is not shown.
  fileprivate static let withHiddenArgument: Set<String> = [
    "color", "textcolor", "colorbox", "hspace", "vspace", "phantom", "hphantom", "vphantom",
    "rotatebox", "scalebox", "raisebox", "parbox",
  ]

  /// The environments that arrange rows; those that begin with the description of their columns are true.
  fileprivate static let environments = [
    "array": true, "tabular": true, "matrix": false, "smallmatrix": false, "aligned": false,
    "gathered": false, "split": false, "center": false,
  ]
}

/// Reads TeX from left to right.
private struct TeXReader {
  var rest: Substring
  /// The first command that is not known.
  private(set) var unknown: String?
  /// The number of open environments, in which `&` separates columns.
  private var environmentCount = 0
  private static let deepest = 40

  init(rest: Substring) { self.rest = rest }

  /// Reads up to the end, or the brace that closes the group.
  mutating func read(depth: Int) -> String {
    var result = ""
    while let character = rest.popFirst() {
      switch character {
      case "}" where depth > 0: return result
      case "$", "}": break
      case "{": result += depth < Self.deepest ? read(depth: depth + 1) : ""
      case "~": result += " "
      case "&" where environmentCount > 0: result += ","
      case "_": result += Typeset.index(argument(depth))
      case "^": result += Typeset.power(argument(depth))
      case "%":
        rest = rest.drop { !$0.isNewline }
      case "\\": result += command(depth)
      default: result += character.isNewline ? " " : String(character)
      }
    }
    return result
  }

  private mutating func argument(_ depth: Int) -> String {
    rest = rest.drop { $0.isWhitespace }
    guard let character = rest.popFirst() else { return "" }
    switch character {
    case "{": return depth < Self.deepest ? read(depth: depth + 1) : ""
    case "\\": return command(depth)
    default: return String(character)
    }
  }

  private mutating func command(_ depth: Int) -> String {
    let name = String(rest.prefix { $0.isASCII && $0.isLetter })
    guard !name.isEmpty else {
      guard let sign = rest.popFirst() else { return "\\" }
      switch sign {
      case "\\": return "\n"
      case ",", ";", ":", "!", "(", ")", "[", "]", "/", "-": return ""
      default: return String(sign)
      }
    }
    rest = rest.dropFirst(name.count).drop { $0.isWhitespace }
    if let text = Typeset.commands[name] { return text }
    if name == "textsubscript" { return Typeset.index(argument(depth)) }
    if name == "textsuperscript" { return Typeset.power(argument(depth)) }
    if name == "char", rest.first == "`" { rest.removeFirst() }
    if Typeset.withHiddenArgument.contains(name) {
      skipOptionalArgument()
      _ = hiddenArgument()
      return ""
    }
    if Typeset.fonts.contains(name) || name == "char" {
      if name == "shortstack" || name == "makecell" { skipOptionalArgument() }
      return ""
    }
    if name == "begin" || name == "end" {
      let environment = hiddenArgument()
      if let hasColumns = Typeset.environments[environment] {
        environmentCount += name == "begin" ? 1 : -1
        if name == "begin" {
          skipOptionalArgument()
          if hasColumns { _ = hiddenArgument() }
        }
        return ""
      }
    }
    unknown = unknown ?? name
    return "\\\(name)"
  }

  private mutating func skipOptionalArgument() {
    rest = rest.drop { $0.isWhitespace }
    guard rest.first == "[", let end = rest.firstIndex(of: "]") else { return }
    rest = rest[rest.index(after: end)...]
  }

  /// Reads an argument that is not shown.
  private mutating func hiddenArgument() -> String {
    rest = rest.drop { $0.isWhitespace }
    guard rest.first == "{" else { return rest.popFirst().map { String($0) } ?? "" }
    var depth = 0
    for index in rest.indices {
      if rest[index] == "{" { depth += 1 }
      if rest[index] == "}" { depth -= 1 }
      guard depth == 0 else { continue }
      let argument = String(rest[..<index].dropFirst())
      rest = rest[rest.index(after: index)...]
      return argument
    }
    rest = rest[rest.endIndex...]
    return ""
  }
}
