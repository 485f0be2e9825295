import Automata

/// A conversion of an automaton to another one, which becomes a new document.
struct Conversion: Sendable {
  /// The name in addresses.
  let name: String
  /// What the button says.
  let title: String
  /// What the result is called, after the name of the document.
  let adjective: String
  let convert: @Sendable (Automaton) throws(AutomatonError) -> Automaton

  /// The maximum size of results.
  static let limit = Limit(states: 2000, transitions: 200_000, tableEntries: 500_000)

  /// All conversions, in the order of the page.
  static let all = [
    Conversion(name: "determinize", title: "Make deterministic", adjective: "deterministic") {
      (automaton) throws(AutomatonError) in try automaton.determinized(limit: limit)
    },
    Conversion(name: "minimize", title: "Minimise automaton", adjective: "minimal") {
      (automaton) throws(AutomatonError) in try automaton.minimized(limit: limit)
    },
    Conversion(name: "complement", title: "Build complement", adjective: "complement") {
      (automaton) throws(AutomatonError) in try automaton.complement(limit: limit)
    },
    Conversion(name: "reverse", title: "Reverse automaton", adjective: "reversed") {
      (automaton) throws(AutomatonError) in automaton.reversed
    },
    Conversion(name: "removeEpsilon", title: "Remove ε-transitions", adjective: "without ε") {
      (automaton) throws(AutomatonError) in try automaton.withoutEpsilon(limit: limit)
    },
    Conversion(name: "complete", title: "Complete automaton", adjective: "complete") {
      (automaton) throws(AutomatonError) in try automaton.completed(limit: limit)
    },
    Conversion(name: "trim", title: "Remove dead states", adjective: "trimmed") {
      (automaton) throws(AutomatonError) in automaton.trimmed
    },
  ]

  /// The combinations of two automata, by their names in addresses.
  static let combinations: [(name: String, title: String, value: Combination)] = [
    ("union", "Build union", .union), ("intersection", "Build intersection", .intersection),
    ("difference", "Build difference", .difference),
  ]
}
