/// An automaton as a graph with numbered states and symbols.
struct Graph {
  /// An edge of a transition for one symbol, or for ε in ``epsilonEdges``.
  struct Edge: Hashable {
    var symbol: Int
    var target: Int
    /// The index of the transition in the automaton.
    var transition: Int
  }

  let symbols: [String]
  /// For each state, the edges that read a symbol, sorted by symbol and target.
  let edges: [[Edge]]
  /// For each state, the ε-edges.
  let epsilonEdges: [[Edge]]
  let initial: [Int]
  let isFinal: [Bool]

  var stateCount: Int { edges.count }

  /// Creates the graph of `automaton`; `extra` symbols get numbers as well.
  ///
  /// The labels of the transitions are the symbols, whatever they read.
  init(_ automaton: Automaton, extra: [String] = []) {
    let labels = automaton.labels
    symbols = extra.isEmpty ? labels : Set(labels + extra).sorted()
    let symbolIndex = Dictionary(uniqueKeysWithValues: symbols.enumerated().map { ($1, $0) })
    let stateIndex = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, $0) })
    var edges = [[Edge]](repeating: [], count: automaton.states.count)
    var epsilonEdges = edges
    for (index, transition) in automaton.transitions.enumerated() {
      guard let start = stateIndex[transition.start], let end = stateIndex[transition.end] else {
        preconditionFailure("the states of every transition exist")
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

  /// Returns the edges from `state` that read `symbol`.
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

  /// Returns the ε-closure of `states`, sorted.
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

  /// Returns the ε-closure of the states reached from `states` by `symbol`.
  func step(_ states: [Int], reading symbol: Int, _ marks: inout Marks) -> [Int] {
    closure(of: states.flatMap { edges(from: $0, reading: symbol).map(\.target) }, &marks)
  }

  /// Returns the symbols that can be read in one of `states`, sorted.
  func symbols(readableIn states: [Int]) -> [Int] {
    if states.count == 1 {
      var symbols: [Int] = []
      for edge in edges[states[0]] where edge.symbol != symbols.last { symbols.append(edge.symbol) }
      return symbols
    }
    return Set(states.flatMap { edges[$0].map(\.symbol) }).sorted()
  }

  /// Returns whether one of `states` is final.
  func accepts(in states: [Int]) -> Bool { states.contains { isFinal[$0] } }

  /// Whether each state is reachable from an initial state.
  var reachable: [Bool] { reached(from: initial) { edges[$0] + epsilonEdges[$0] } }

  /// Whether a final state is reachable from each state.
  var coaccessible: [Bool] {
    let sources = sources
    return reached(from: isFinal.indices.filter { isFinal[$0] }) { sources[$0] }
  }

  /// For each state, the incoming edges, reversed.
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

/// A reusable set of states that is cleared in constant time.
struct Marks {
  private var rounds: [Int]
  private var round = 0

  init(count: Int) { rounds = [Int](repeating: 0, count: count) }

  /// Clears the set.
  mutating func begin() { round += 1 }

  /// Inserts `state`; returns whether it is new.
  mutating func insert(_ state: Int) -> Bool {
    if rounds[state] == round { return false }
    rounds[state] = round
    return true
  }
}
