import Foundation
import Ink

extension Document {
  /// The document as a LaTeX file that draws it with TikZ, states and arrows where they are.
  ///
  /// States are nodes of the `automata` library. Arrows begin and end at these nodes, so that they follow
  /// a state that is moved in the file.
  public var tikz: String {
    let nodes = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($1.id, "n\($0)") })
    var lines: [String] = []
    for state in states {
      // The two rings of a final state are on both sides of the circle that TikZ measures.
      let rings = rings(of: state).map { $0 * Self.pointsPerUnit }
      let inset = rings[0] - rings[rings.count - 1]
      var options = ["state", "minimum size=\(number(2 * rings[0] - inset))pt"]
      if state.isFinal {
        let space = number(max(0, inset - Self.lineWidth))
        let beside = number((inset + Self.lineWidth) / 2)
        options += ["accepting", "double distance=\(space)pt", "outer sep=\(beside)pt"]
      }
      lines.append(
        "\\node[\(options.joined(separator: ", "))] (\(nodes[state.id]!)) at "
          + "\(coordinate(state.center)) {\(state.name.texName)};")
    }
    for transition in transitions {
      guard let appearance = appearance(of: transition) else { continue }
      let start = transition.start.flatMap { nodes[$0] }.map { "(\($0))" }
      let end = transition.end.flatMap { nodes[$0] }.map { "(\($0))" }
      var path = start ?? coordinate(appearance.curves[0].start)
      for (index, curve) in appearance.curves.enumerated() {
        let isLast = index == appearance.curves.count - 1
        path +=
          " .. controls \(coordinate(curve.controls.0)) and \(coordinate(curve.controls.1)) .. "
          + (isLast ? end ?? coordinate(curve.end) : coordinate(curve.end))
      }
      lines.append("\\draw[->\(transition.isDangling ? ", dashed" : "")] \(path);")
      let label = labelLines(of: transition).map(\.texLabel)
      if !label.isEmpty {
        let options = label.count > 1 ? "[align=center] " : ""
        lines.append(
          "\\node \(options)at \(coordinate(appearance.label)) {"
            + "\(label.joined(separator: #" \\ "#))};")
      }
    }
    let unit = "\(number(Self.pointsPerUnit))pt"
    return #"""
      % Compile with pdflatex. To use the picture in a document, copy the tikzpicture, and the
      % \usetikzlibrary line into its preamble.
      \documentclass[tikz, border=5pt]{standalone}
      \usepackage{amssymb}
      \usetikzlibrary{automata, arrows.meta}
      \begin{document}
      \begin{tikzpicture}[x=\#(unit), y=-\#(unit), >=Stealth, semithick,
          every state/.style={inner sep=0pt}]
      \#(lines.map { "  " + $0 }.joined(separator: "\n"))
      \end{tikzpicture}
      \end{document}

      """#
  }

  /// The size of a canvas point, in points of TeX; the text of the canvas has the size of TeX's then.
  private static let pointsPerUnit = 0.45
  /// The width of TikZ's semithick lines, in points.
  private static let lineWidth = 0.6

  private func coordinate(_ place: Vector) -> String { "(\(number(place.x)), \(number(place.y)))" }
}

/// Returns a number with two decimals at most, and never an exponent.
private func number(_ value: Double) -> String {
  let hundredths = Int64(max(-1e15, min(1e15, (value * 100).rounded())))
  let (whole, part) = (abs(hundredths) / 100, abs(hundredths) % 100)
  let sign = hundredths < 0 ? "-" : ""
  return part == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
}

extension String {
  /// The name of a state in TeX: a letter with an index and primes in mathematics, as `q_0'` or `q0`;
  /// other characters as they look.
  fileprivate var texName: String {
    Self.indexed(self).map { "$\($0)$" }
      ?? ShownText(self).parts.map { shown in
        let text = shown.text.map(Self.text).joined()
        return shown.isIndex ? "\\textsubscript{\(text)}" : text
      }.joined()
  }

  /// A list of symbols in TeX: a letter with primes in mathematics, and other symbols character by
  /// character, because `a1`, `a_1` and `ab`, `a_b` are different symbols.
  fileprivate var texLabel: String {
    split(separator: ", ", omittingEmptySubsequences: false).map { part in
      Self.primed(String(part)).map { "$\($0)$" } ?? part.map(Self.text).joined()
    }.joined(separator: ", ")
  }

  /// Returns `text` in mathematics if it is a letter with primes, else `nil`.
  private static func primed(_ text: String) -> String? {
    text.contains("_") || text.contains(where: \.isNumber) ? nil : indexed(text)
  }

  /// Returns `text` in mathematics if it is a letter with an index and primes, else `nil`.
  private static func indexed(_ text: String) -> String? {
    guard let match = text.wholeMatch(of: /(\p{L})(?:_?([0-9]+)|_([A-Za-z]))?(['′’]*)/) else {
      return nil
    }
    let letter = greek[String(match.1)] ?? String(match.1)
    guard letter.hasPrefix("\\") || letter.allSatisfy(\.isASCII) else { return nil }
    let index = (match.2 ?? match.3).map { "_{\($0)}" } ?? ""
    return letter + index + String(repeating: "'", count: match.4.count)
  }

  private static func text(_ character: Character) -> String {
    if let name = greek[String(character)] { return "$\(name)$" }
    if let digit = character.unicodeScalars.first, (0x2080...0x2089).contains(digit.value) {
      return "$_{\(digit.value - 0x2080)}$"
    }
    switch character {
    case "\\": return #"\textbackslash{}"#
    case "{", "}", "$", "&", "#", "%", "_": return "\\\(character)"
    case "~": return #"\textasciitilde{}"#
    case "^": return #"\textasciicircum{}"#
    case "<", ">", "|": return "$\(character == "|" ? "\\vert" : String(character))$"
    case "′", "’", "'": return "$'$"
    case "□": return #"$\square$"#
    case "∅": return #"$\varnothing$"#
    case "→": return #"$\rightarrow$"#
    case "⊔", "␣": return #"\textvisiblespace{}"#
    default: return String(character)
    }
  }

  private static let greek: [String: String] = {
    let names = [
      "alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota", "kappa",
      "lambda", "mu", "nu", "xi", "o", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "varphi",
      "chi", "psi", "omega",
    ]
    var table = ["ϵ": "\\epsilon"]
    for (offset, name) in names.enumerated() {
      table[String(UnicodeScalar(0x3B1 + UInt32(offset))!)] = name == "o" ? "o" : "\\\(name)"
    }
    for (letter, name) in [
      ("Γ", "Gamma"), ("Δ", "Delta"), ("Θ", "Theta"), ("Λ", "Lambda"), ("Ξ", "Xi"), ("Π", "Pi"),
      ("Σ", "Sigma"), ("Υ", "Upsilon"), ("Φ", "Phi"), ("Ψ", "Psi"), ("Ω", "Omega"),
    ] {
      table[letter] = "\\\(name)"
    }
    return table
  }()
}
