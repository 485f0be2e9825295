import Ink
import InkDatasets
import InkDiagram
import InkReader

/// How well the automata in the pictures of a folder were recognised.
///
/// Letters that look alike count as one, as do `e`, `eps` and `ε` as a symbol; spaces do not count.
public struct PictureEvaluation: Codable, Sendable {
  /// The first thing that is wrong in a picture; each is looked for where everything before it is right.
  public enum Cause: String, CaseIterable, Codable, Sendable {
    /// The answer is that there is no automaton.
    case noAutomaton = "no automaton"
    /// The number of states.
    case states
    /// Which states are final.
    case final = "final states"
    /// Transitions that were missed or are none.
    case transitions
    /// Nothing but the direction of transitions.
    case directions
    /// Which states are initial.
    case initial = "initial states"
    /// Everything was found, but not as it belongs together.
    case ends
    /// The symbols of transitions.
    case symbols
    /// The names of states.
    case names
  }

  /// One picture.
  public struct Picture: Codable, Sendable {
    /// The name of its file.
    public let name: String
    /// Its kind, as the truth has it.
    public let kind: String?
    /// What was found, compared with the truth.
    public let comparison: DiagramComparison
    /// What is wrong first; `nil` if everything is right.
    public let cause: Cause?

    /// Compares what was found in a picture, in its pixels, with the truth.
    public init(_ found: Diagram, name: String, truth: PageTruth) {
      (self.name, kind) = (name, truth.kind)
      let isNameless = truth.nameless == true
      comparison = DiagramComparison(
        found.folded(nameless: isNameless), truth: truth.diagram.folded(nameless: isNameless))
      cause =
        found.states.isEmpty && !truth.states.isEmpty ? .noAutomaton : Cause(first: comparison)
    }

    /// `everything`, `structure` or what is wrong first, and the numbers of states and transitions.
    public var line: String {
      func counts(_ elements: DiagramComparison.Elements) -> String {
        let (truth, answer) = (
          elements.found + elements.missed, elements.found + elements.wrong
        )
        return "\(answer) of \(truth)"
      }
      let result = cause.map {
        isStructureRight ? "structure right, not the \($0.rawValue)" : "wrong: \($0.rawValue)"
      }
      return "\(name): \(result ?? "everything right"), states \(counts(comparison.states)), "
        + "transitions \(counts(comparison.transitions))"
    }

    /// Whether everything but names and symbols is right.
    public var isStructureRight: Bool { comparison.structure.right == 1 }
  }

  /// The pictures, by name.
  public let pictures: [Picture]

  /// Creates an evaluation.
  public init(_ pictures: [Picture]) { self.pictures = pictures }

  /// The sum of all comparisons.
  public var comparison: DiagramComparison {
    pictures.reduce(into: DiagramComparison()) { $0 += $1.comparison }
  }

  /// The report for a terminal: each picture, then sums by kind, and what was wrong first.
  public var lines: [String] { pictures.map(\.line) + summary }

  /// The sums.
  var summary: [String] {
    let kinds = Dictionary(grouping: pictures, by: { $0.kind ?? "" }).sorted { $0.key < $1.key }
    var lines = kinds.count > 1 ? kinds.map { line($0.value, kind: $0.key) } : []
    lines.append(line(pictures, kind: nil))
    let sum = comparison
    func found(_ name: String, _ elements: DiagramComparison.Elements) -> String {
      "\(name): \(elements.found) found, \(elements.missed) missed, \(elements.wrong) wrong"
    }
    lines += [
      found("states", sum.states),
      found("transitions", sum.transitions) + ", \(sum.reversed) of them reversed",
      found("initial states", sum.initial), found("final states", sum.final),
      "names: \(sum.names.right) of \(sum.names.count) right",
      "symbols: \(sum.symbols.right) of \(sum.symbols.count) right",
    ]
    let causes = Cause.allCases.compactMap { cause in
      let count = pictures.count { $0.cause == cause }
      return count > 0 ? "\(cause.rawValue) \(count)" : nil
    }
    if !causes.isEmpty { lines.append("wrong first: " + causes.joined(separator: ", ")) }
    return lines
  }

  private func line(_ some: [Picture], kind: String?) -> String {
    func share(_ isRight: (Picture) -> Bool) -> String {
      let count = some.count(where: isRight)
      return "\(count) (\((100 * Double(count) / Double(max(1, some.count))).fixed(0)) %)"
    }
    return
      "\(kind.map { $0.isEmpty ? "no kind: " : "\($0): " } ?? "")\(some.count.counted("picture")): "
      + "structure \(share(\.isStructureRight)), everything \(share { $0.cause == nil }), number of states "
      + share { $0.comparison.states.missed + $0.comparison.states.wrong == 0 }
  }
}

extension PictureEvaluation.Cause {
  /// The first cause in a comparison; `nil` if everything is right.
  fileprivate init?(first comparison: DiagramComparison) {
    func isWrong(_ elements: DiagramComparison.Elements) -> Bool {
      elements.missed + elements.wrong > 0
    }
    if comparison.structure.right == 1 {
      if comparison.exact.right == 1 { return nil }
      let areSymbolsRight = comparison.symbols.right == comparison.symbols.count
      let areNamesRight = comparison.names.right == comparison.names.count
      self = areSymbolsRight && !areNamesRight ? .names : .symbols
      return
    }
    let (transitions, reversed) = (comparison.transitions, comparison.reversed)
    if isWrong(comparison.states) {
      self = .states
    } else if isWrong(comparison.final) {
      self = .final
    } else if transitions.missed > reversed || transitions.wrong > reversed {
      self = .transitions
    } else if reversed > 0 {
      self = .directions
    } else if isWrong(comparison.initial) {
      self = .initial
    } else {
      self = .ends
    }
  }
}

extension Diagram {
  /// Returns the diagram with one letter for all that look like it, and without spaces; without names where they
  /// do not count.
  fileprivate func folded(nameless: Bool) -> Diagram {
    func folded(_ text: String) -> String { text.filter { !$0.isWhitespace }.folded(cases: true) }
    var diagram = self
    for index in states.indices {
      diagram.states[index].name = nameless ? "" : folded(states[index].name)
    }
    for index in transitions.indices {
      diagram.transitions[index].symbols = transitions[index].symbols.map { symbol in
        ["e", "E", "eps"].contains(symbol) ? "ε" : folded(symbol)
      }.filter { !$0.isEmpty }
    }
    return diagram
  }
}
