import Automata

/// A conversion of an automaton to another one, which becomes a new document.
extension Conversion {
  /// What the button says.
  var title: String {
    switch self {
    case .determinize: "Make deterministic"
    case .minimize: "Minimise automaton"
    case .complement: "Build complement"
    case .reverse: "Reverse automaton"
    case .removeEpsilon: "Remove ε-transitions"
    case .complete: "Complete automaton"
    case .trim: "Remove dead states"
    }
  }

  /// What the result is called, after the name of the document.
  var adjective: String {
    switch self {
    case .determinize: "deterministic"
    case .minimize: "minimal"
    case .complement: "complement"
    case .reverse: "reversed"
    case .removeEpsilon: "without ε"
    case .complete: "complete"
    case .trim: "trimmed"
    }
  }

  /// The maximum size of results in the studio.
  static let limit = Limit(states: 2000, transitions: 200_000, tableEntries: 500_000)

  /// The combinations of two automata, by their names in addresses.
  static let combinations: [(name: String, title: String, value: Combination)] = [
    ("union", "Build union", .union), ("intersection", "Build intersection", .intersection),
    ("difference", "Build difference", .difference),
  ]
}
