import Automata

/// A machine beyond finite automata that can be opened as an example.
struct ExampleMachine: Sendable {
  /// What it shows, for people.
  let title: String
  /// The machine, without positions.
  let drawn: PlacedAutomaton

  private init(
    _ title: String, _ kind: Machine.Kind, _ states: [String], final: String? = nil,
    _ arrows: [(from: Int, to: Int, rules: [String])]
  ) {
    self.title = title
    let states = states.enumerated().map { index, name in
      Automaton.State("s\(index)", name: name, isInitial: index == 0, isFinal: name == final)
    }
    let transitions = arrows.enumerated().map { index, arrow in
      Automaton.Transition(
        "t\(index)", from: "s\(arrow.from)", to: "s\(arrow.to)", symbols: arrow.rules)
    }
    do {
      let automaton = try Automaton(states: states, transitions: transitions)
      _ = try Machine(automaton, kind: kind)
      drawn = PlacedAutomaton(automaton: automaton, kind: kind)
    } catch {
      preconditionFailure("the example \(title) is a machine: \(error)")
    }
  }

  /// One example of each kind; the first state of each is initial.
  static let all = [
    ExampleMachine(
      "Moore: remainder modulo 3", .moore, ["q0/0", "q1/1", "q2/2"],
      [
        (0, 0, ["0"]), (0, 1, ["1"]), (1, 2, ["0"]), (1, 0, ["1"]), (2, 1, ["0"]), (2, 2, ["1"]),
      ]),
    ExampleMachine(
      "Mealy: changes of a signal", .mealy, ["low", "high"],
      [(0, 0, ["0/0"]), (0, 1, ["1/1"]), (1, 1, ["1/0"]), (1, 0, ["0/1"])]),
    ExampleMachine(
      "Pushdown: as many a as b", .pushdown, ["q0", "q1", "q2"], final: "q2",
      [
        (0, 0, ["a, Z → AZ", "a, A → AA"]), (0, 1, ["ε, ε → ε"]), (1, 1, ["b, A → ε"]),
        (1, 2, ["ε, Z → Z"]),
      ]),
    ExampleMachine(
      "Turing: add one in binary", .turing, ["right", "carry", "done"], final: "done",
      [
        (0, 0, ["0 → 0, R", "1 → 1, R"]), (0, 1, ["□ → □, L"]), (1, 1, ["1 → 0, L"]),
        (1, 2, ["0 → 1, S", "□ → 1, S"]),
      ]),
  ]
}
