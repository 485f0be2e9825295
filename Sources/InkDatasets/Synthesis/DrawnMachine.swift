import Foundation
import Ink
import SeededRandom

/// An automaton to draw.
struct DrawnMachine {
  struct State {
    var name: LineText?
    var isInitial = false
    var isFinal = false
  }

  struct Edge {
    var from: Int
    var to: Int
    var symbols: [String]
  }

  var states: [State]
  /// The transitions; `nil` if they are chosen when the states have their places.
  var edges: [Edge]?
  var alphabet: [Character]
  var isDeterministic = false
  var hasEpsilon = false

  /// Returns an automaton whose names and symbols are written with `characters`, or `nil` if they
  /// are not enough.
  static func random(
    _ characters: Set<Character>, using generator: inout SeededGenerator
  ) -> DrawnMachine? {
    let alphabets = ["ab", "ab", "ab", "abc", "01", "01", "01", "012", "123", "xy", "AB", "abcd"]
      .map(Array.init).filter { $0.allSatisfy(characters.contains) }
    guard !alphabets.isEmpty else { return nil }
    // Most drawings have three to five states.
    let count = generator.pick([2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 9, 10])
    guard let names = names(count, of: characters, using: &generator) else { return nil }
    var machine = DrawnMachine(
      states: names.map { State(name: $0) }, edges: nil, alphabet: generator.pick(alphabets),
      isDeterministic: generator.chance(0.4))
    machine.hasEpsilon =
      !machine.isDeterministic && characters.contains("ε") && generator.chance(0.35)
    if generator.chance(0.97) {
      machine.states[generator.chance(0.9) ? 0 : generator.index(below: count)].isInitial = true
    }
    let finals = generator.chance(0.03) ? 0 : 1 + (generator.chance(0.25) ? 1 : 0)
    for _ in 0..<finals {
      let last = generator.chance(0.5) ? count - 1 : generator.index(below: count)
      machine.states[last].isFinal = true
    }
    return machine
  }

  private static func names(
    _ count: Int, of characters: Set<Character>, using generator: inout SeededGenerator
  ) -> [LineText?]? {
    let digits = Array("0123456789")
    guard digits.allSatisfy(characters.contains) else { return nil }
    if generator.chance(0.04) { return Array(repeating: nil, count: count) }
    func numbered(_ letter: Character, from first: Int) -> [LineText?] {
      let isSubscript = generator.chance(0.6)
      return (0..<count).map {
        LineText([letter]).followed(by: String(first + $0), subscripted: isSubscript)
      }
    }
    switch generator.index(below: 20) {
    case 0..<8 where characters.contains("q"):
      return numbered("q", from: generator.chance(0.75) ? 0 : 1)
    case 8..<11:
      let letters = ["s", "F", "S", "p", "A"].map(Character.init).filter(characters.contains)
      if !letters.isEmpty {
        return numbered(generator.pick(letters), from: generator.index(below: 2))
      }
    case 11..<15 where count <= 6 && "ABCDEF".allSatisfy(characters.contains):
      return Array("ABCDEF").prefix(count).map { LineText([$0]) }
    case 15 where count <= 4 && "abcd".allSatisfy(characters.contains):
      return Array("abcd").prefix(count).map { LineText([$0]) }
    case 16 where "SEABCD".allSatisfy(characters.contains) && count <= 6:
      return Array("SABCDE").prefix(count - 1).map { LineText([$0]) } + [LineText("E")]
    default: break
    }
    let first = generator.chance(0.7) ? 1 : 0
    return (0..<count).map { LineText(String(first + $0)) }
  }

  /// The seven automata in `Examples/Automata`, by name.
  static let known: [String: DrawnMachine] = [
    "a": machine("1 2 3", finals: [2], "1A2 1B2 1B3 2A3"),
    "a-prime": machine("1 2 3", finals: [2], "1A2 1B2 1B3 2A3 2B2 3A1"),
    "b": machine("1 2 3", finals: [0, 2], "1D1 1E2 1E3 2F3"),
    "c": machine("S D C E", finals: [3], "SAE EεD DBC CBE"),
    "d": machine("S T", finals: [0], "S1T T0S"),
    "e": machine("a b c d", finals: [3], "a0b b1c c1d d0d d1d"),
    "mod3": machine("A B C", finals: [2], "A0A A1B B0C B1A C0B C1C"),
  ]

  /// Whether all its names and symbols can be written with `characters`.
  func isWritten(with characters: Set<Character>) -> Bool {
    let texts =
      states.compactMap { $0.name?.spelled(markingSubscripts: false) }
      + (edges ?? []).flatMap(\.symbols)
    return texts.joined().allSatisfy(characters.contains)
  }

  /// Returns an automaton whose first state is initial; a transition is its source, symbol and
  /// target.
  private static func machine(
    _ names: String, finals: Set<Int>, _ transitions: String
  ) -> DrawnMachine {
    let names = names.split(separator: " ").map { $0.first! }
    var edges: [Edge] = []
    for letters in transitions.split(separator: " ").map(Array.init) {
      let (from, to) = (names.firstIndex(of: letters[0])!, names.firstIndex(of: letters[2])!)
      if let index = edges.firstIndex(where: { $0.from == from && $0.to == to }) {
        edges[index].symbols.append(String(letters[1]))
      } else {
        edges.append(Edge(from: from, to: to, symbols: [String(letters[1])]))
      }
    }
    return DrawnMachine(
      states: names.indices.map {
        State(name: LineText([names[$0]]), isInitial: $0 == 0, isFinal: finals.contains($0))
      }, edges: edges, alphabet: [])
  }

  /// Returns the states' transitions, between states at `centers`, which are about `distance` from
  /// their neighbours.
  func edges(
    between centers: [Vector], distance: Double, using generator: inout SeededGenerator
  ) -> [Edge] {
    if let edges { return edges }
    var pairs: [(from: Int, to: Int)] = []
    func near(_ state: Int, among others: [Int]) -> Int? {
      let weights = others.map { exp(-1.6 * centers[state].distance(to: centers[$0]) / distance) }
      var rest = generator.uniform() * weights.reduce(0, +)
      for (other, weight) in zip(others, weights) {
        rest -= weight
        if rest <= 0 { return other }
      }
      return others.last
    }
    func add(_ from: Int, _ to: Int) {
      if !pairs.contains(where: { $0 == (from, to) }) { pairs.append((from, to)) }
    }
    for state in 1..<states.count {
      guard let other = near(state, among: Array(0..<state)) else { continue }
      if generator.chance(0.85) { add(other, state) } else { add(state, other) }
    }
    for _ in 0..<Int(Double(states.count) * generator.uniform(0.3...1.3)) {
      let state = generator.index(below: states.count)
      let kind = generator.uniform()
      if kind < 0.3 {
        add(state, state)
      } else if kind < 0.55 {
        let pair = generator.pick(pairs)
        add(pair.to, pair.from)
      } else if let other = near(state, among: states.indices.filter { $0 != state }) {
        add(state, other)
      }
    }
    return labelled(pairs, using: &generator)
  }

  private func labelled(
    _ pairs: [(from: Int, to: Int)], using generator: inout SeededGenerator
  ) -> [Edge] {
    var used: [Int: Set<Character>] = [:]
    return pairs.compactMap { pair in
      let free =
        isDeterministic ? alphabet.filter { !used[pair.from, default: []].contains($0) } : alphabet
      if hasEpsilon, generator.chance(0.3) {
        return Edge(from: pair.from, to: pair.to, symbols: ["ε"])
      }
      guard !free.isEmpty else { return nil }
      let most = min(free.count, generator.chance(0.75) ? 1 : generator.chance(0.75) ? 2 : 3)
      var symbols = generator.permutation(free.count).prefix(most).map { free[$0] }
      if generator.chance(0.75) { symbols.sort() }
      used[pair.from, default: []].formUnion(symbols)
      return Edge(from: pair.from, to: pair.to, symbols: symbols.map(String.init))
    }
  }
}
