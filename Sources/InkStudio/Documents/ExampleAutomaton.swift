import Automata

/// An automaton that can be opened as an example.
struct ExampleAutomaton: Sendable {
  /// An arrow with its symbols, separated by commas; `ε` is the empty word.
  private typealias Arrow = (from: String, to: String, symbols: String)

  /// What it shows, for people.
  let title: String
  /// The automaton, without positions.
  let automaton: Automaton

  private init(_ title: String, _ states: String, final: String, _ arrows: [Arrow]) {
    self.title = title
    let names = states.map(String.init)
    let states = names.map {
      Automaton.State($0, isInitial: $0 == names[0], isFinal: final.contains($0))
    }
    let transitions = arrows.enumerated().map { index, arrow in
      let symbols = arrow.symbols.split(separator: ",").map(String.init)
      return Automaton.Transition(
        "t\(index)", from: arrow.from, to: arrow.to, symbols: symbols.filter { $0 != "ε" },
        includesEpsilon: symbols.contains("ε"))
    }
    do { automaton = try Automaton(states: states, transitions: transitions) } catch {
      preconditionFailure("the example \(title) is an automaton: \(error)")
    }
  }

  /// All examples, the simplest first; the first state of each is initial.
  static let all = [
    ExampleAutomaton(
      "Three words", "123", final: "3", [("1", "2", "A,B"), ("1", "3", "B"), ("2", "3", "A")]),
    ExampleAutomaton(
      "Three words and cycles", "123", final: "3",
      [("1", "2", "A,B"), ("1", "3", "B"), ("2", "3", "A"), ("2", "2", "B"), ("3", "1", "A")]),
    ExampleAutomaton(
      "Nondeterministic", "123", final: "13",
      [("1", "1", "D"), ("1", "2", "E"), ("1", "3", "E"), ("2", "3", "F")]),
    ExampleAutomaton(
      "With an ε-transition", "SEDC", final: "E",
      [("S", "E", "A"), ("E", "D", "ε"), ("D", "C", "B"), ("C", "E", "B")]),
    ExampleAutomaton(
      "Repetitions of 10", "AB", final: "A", [("A", "B", "1"), ("B", "A", "0")]),
    ExampleAutomaton(
      "Words that start with 011", "ABCD", final: "D",
      [("A", "B", "0"), ("B", "C", "1"), ("C", "D", "1"), ("D", "D", "0,1")]),
    ExampleAutomaton(
      "Binary numbers with remainder 2 modulo 3", "ABC", final: "C",
      [
        ("A", "A", "0"), ("A", "B", "1"), ("B", "C", "0"), ("B", "A", "1"), ("C", "B", "0"),
        ("C", "C", "1"),
      ]),
  ]
}
