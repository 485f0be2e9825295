import Automata
import SeededRandom

/// A random automaton with ε-transitions over `a`, `b`, … .
func randomAutomaton(seed: UInt64, states: Int = 6, symbols: Int = 2) -> Automaton {
  var generator = SeededGenerator(seed: seed)
  let alphabet = ["a", "b", "c", "d"].prefix(symbols)
  let made = (0..<states).map {
    Automaton.State(
      "s\($0)", isInitial: $0 == 0 || generator.chance(0.1), isFinal: generator.chance(0.3))
  }
  let transitions = (0..<generator.index(below: 3 * states + 1)).map { index in
    Automaton.Transition(
      "t\(index)", from: "s\(generator.index(below: states))",
      to: "s\(generator.index(below: states))",
      symbols: alphabet.filter { _ in generator.chance(0.5) },
      includesEpsilon: generator.chance(0.15))
  }
  guard let automaton = try? Automaton(states: made, transitions: transitions) else {
    preconditionFailure("ids and ends fit")
  }
  return automaton
}

/// All words over the alphabet up to a length.
func allWords(upTo length: Int, over alphabet: [String] = ["a", "b"]) -> [[String]] {
  var words: [[String]] = [[]]
  var level: [[String]] = [[]]
  for _ in 0..<length {
    level = level.flatMap { word in alphabet.map { word + [$0] } }
    words += level
  }
  return words
}

/// The words of `automaton` found in the plainest way: every state that could be reached is tried.
func acceptsPlainly(_ automaton: Automaton, _ word: [String]) -> Bool {
  func closure(_ states: Set<String>) -> Set<String> {
    var all = states
    var size = -1
    while size != all.count {
      size = all.count
      for transition in automaton.transitions
      where transition.includesEpsilon && all.contains(transition.start) {
        all.insert(transition.end)
      }
    }
    return all
  }
  var current = closure(Set(automaton.initialStates))
  for symbol in word {
    current = closure(
      Set(
        automaton.transitions.filter {
          current.contains($0.start) && $0.symbols.contains(symbol)
        }.map(\.end)))
  }
  return !current.isDisjoint(with: automaton.finalStates)
}
