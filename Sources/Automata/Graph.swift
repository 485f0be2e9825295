/// An automaton in numbers: states and symbols are counted from 0, the ways from a state lie together.
struct Graph {
  /// A way that reads a symbol, or, among ``epsilonEdges`` ones, none.
  struct Edge: Hashable {
    var symbol: Int
    var target: Int
    /// Its place among the automaton's transitions.
    var transition: Int
  }

  let symbols: [String]
  /// For each state, the ways that read, by symbol and target.
  let edges: [[Edge]]
  /// For each state, the ways that read nothing.
  let epsilonEdges: [[Edge]]
  let initial: [Int]
  let isFinal: [Bool]

  var stateCount: Int { edges.count }

  /// Lays `automaton` out; `extra` symbols are counted as well.
  init(_ automaton: Automaton, extra: [String] = []) {
    symbols = extra.isEmpty ? automaton.alphabet : Set(automaton.alphabet + extra).sorted()
    let symbolIndex = Dictionary(uniqueKeysWithValues: symbols.enumerated().map { ($1, $0) })
    let stateIndex = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, $0) })
    var edges = [[Edge]](repeating: [], count: automaton.states.count)
    var epsilonEdges = edges
    for (index, transition) in automaton.transitions.enumerated() {
      guard let start = stateIndex[transition.start], let end = stateIndex[transition.end] else {
        preconditionFailure("an automaton has the states of its transitions")
      }
      for symbol in transition.symbols {
        edges[start].append(Edge(symbol: symbolIndex[symbol]!, target: end, transition: index))
      }
      if transition.includesEpsilon {
        epsilonEdges[start].append(Edge(symbol: -1, target: end, transition: index))
      }
    }
    for state in edges.indices {
      edges[state].sort {
        ($0.symbol, $0.target, $0.transition) < ($1.symbol, $1.target, $1.transition)
      }
    }
    self.edges = edges
    self.epsilonEdges = epsilonEdges
    initial = automaton.states.indices.filter { automaton.states[$0].isInitial }
    isFinal = automaton.states.map(\.isFinal)
  }

  /// The ways from `state` that read `symbol`.
  func edges(from state: Int, reading symbol: Int) -> ArraySlice<Edge> {
    let all = edges[state]
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].symbol < symbol { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < all.count, all[end].symbol == symbol { end += 1 }
    return all[low..<end]
  }

  /// The states that are reached without reading, sorted, those of `states` among them.
  func closure(of states: some Sequence<Int>, _ marks: inout Marks) -> [Int] {
    marks.begin()
    var reached: [Int] = []
    for state in states where marks.insert(state) { reached.append(state) }
    var next = 0
    while next < reached.count {
      for edge in epsilonEdges[reached[next]] where marks.insert(edge.target) {
        reached.append(edge.target)
      }
      next += 1
    }
    return reached.sorted()
  }

  /// The states that are reached by reading `symbol` in one of `states` and then nothing more.
  func step(_ states: [Int], reading symbol: Int, _ marks: inout Marks) -> [Int] {
    closure(of: states.flatMap { edges(from: $0, reading: symbol).map(\.target) }, &marks)
  }

  /// The symbols that can be read in one of `states`, sorted.
  func symbols(readableIn states: [Int]) -> [Int] {
    if states.count == 1 {
      var symbols: [Int] = []
      for edge in edges[states[0]] where edge.symbol != symbols.last { symbols.append(edge.symbol) }
      return symbols
    }
    return Set(states.flatMap { edges[$0].map(\.symbol) }).sorted()
  }

  /// Whether a word may end in one of `states`.
  func accepts(in states: [Int]) -> Bool { states.contains { isFinal[$0] } }

  /// Which states are reached from the initial ones.
  var reachable: [Bool] { reached(from: initial) { edges[$0] + epsilonEdges[$0] } }

  /// From which states a final one is reached.
  var coaccessible: [Bool] {
    let sources = sources
    return reached(from: isFinal.indices.filter { isFinal[$0] }) { sources[$0] }
  }

  /// For each state, the ways that end there, each with the state where it begins as its target.
  var sources: [[Edge]] {
    var sources = [[Edge]](repeating: [], count: stateCount)
    for state in edges.indices {
      for edge in edges[state] + epsilonEdges[state] {
        sources[edge.target].append(
          Edge(symbol: edge.symbol, target: state, transition: edge.transition))
      }
    }
    return sources
  }

  private func reached(from starts: [Int], _ next: (Int) -> [Edge]) -> [Bool] {
    var isReached = [Bool](repeating: false, count: stateCount)
    var open = starts
    for start in starts { isReached[start] = true }
    while let state = open.popLast() {
      for edge in next(state) where !isReached[edge.target] {
        isReached[edge.target] = true
        open.append(edge.target)
      }
    }
    return isReached
  }
}

/// A set of states that is emptied at no cost, for use again and again.
struct Marks {
  private var rounds: [Int]
  private var round = 0

  init(count: Int) { rounds = [Int](repeating: 0, count: count) }

  /// Forgets all marks.
  mutating func begin() { round += 1 }

  /// Marks `state`; returns whether it was not marked.
  mutating func insert(_ state: Int) -> Bool {
    if rounds[state] == round { return false }
    rounds[state] = round
    return true
  }
}
