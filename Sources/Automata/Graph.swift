/// An automaton as a graph with numbered states and symbols.
struct Graph {
  /// An edge of a transition for one symbol, or for ε in ``epsilonEdges``.
  struct Edge: Hashable {
    /// The number of the symbol, or −1 for ε.
    var symbol: Int { Int(symbolNumber) }
    var target: Int { Int(targetNumber) }
    /// The index of the transition in the automaton.
    var transition: Int { Int(transitionNumber) }
    private let symbolNumber: Int32
    private let targetNumber: Int32
    private let transitionNumber: Int32

    init(symbol: Int, target: Int, transition: Int) {
      symbolNumber = Int32(symbol)
      targetNumber = Int32(target)
      transitionNumber = Int32(transition)
    }
  }

  let symbols: [String]
  /// For each state, the edges that read a symbol, sorted by symbol and target.
  let edges: Lists<Edge>
  /// For each state, the ε-edges.
  let epsilonEdges: Lists<Edge>
  let initial: [Int]
  let isFinal: [Bool]

  var stateCount: Int { edges.count }

  /// Creates the graph of `automaton`; `extra` symbols get numbers as well.
  ///
  /// The labels of the transitions are the symbols, whatever they read.
  init(_ automaton: Automaton, extra: [String] = []) {
    symbols = automaton.labels(and: extra)
    var symbolNumbers = TextNumbers(symbols)
    var edges: [(list: Int, element: Edge)] = []
    var epsilonEdges = edges
    edges.reserveCapacity(automaton.transitions.count)
    let transitions = automaton.transitions
    // By index: copying each transition took half of the time.
    for index in transitions.indices {
      let (start, end) = (Int(automaton.ends[index].start), Int(automaton.ends[index].end))
      for place in transitions[index].symbols.indices {
        let symbol = symbolNumbers.number(of: transitions[index].symbols[place])!
        edges.append((start, Edge(symbol: symbol, target: end, transition: index)))
      }
      if transitions[index].includesEpsilon {
        epsilonEdges.append((start, Edge(symbol: -1, target: end, transition: index)))
      }
    }
    self.edges = Lists(count: automaton.states.count, edges).sorted {
      ($0.symbol, $0.target, $0.transition) < ($1.symbol, $1.target, $1.transition)
    }
    self.epsilonEdges = Lists(count: automaton.states.count, epsilonEdges)
    initial = automaton.states.indices.filter { automaton.states[$0].isInitial }
    isFinal = automaton.states.map(\.isFinal)
  }

  /// Returns the edges from `state` that read `symbol`.
  func edges(from state: Int, reading symbol: Int) -> ArraySlice<Edge> {
    let all = edges[state]
    var (low, high) = (all.startIndex, all.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].symbol < symbol { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < all.endIndex, all[end].symbol == symbol { end += 1 }
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
  var reachable: [Bool] { reached(from: initial, along: [edges, epsilonEdges]) }

  /// Whether a final state is reachable from each state.
  var coaccessible: [Bool] {
    reached(from: isFinal.indices.filter { isFinal[$0] }, along: [sources])
  }

  /// For each state, the incoming edges, reversed.
  var sources: Lists<Edge> {
    var sources: [(list: Int, element: Edge)] = []
    for state in edges.indices {
      for list in [edges[state], epsilonEdges[state]] {
        for edge in list {
          sources.append(
            (
              edge.target,
              Edge(symbol: edge.symbol, target: state, transition: edge.transition)
            ))
        }
      }
    }
    return Lists(count: stateCount, sources)
  }

  private func reached(from starts: [Int], along edges: [Lists<Edge>]) -> [Bool] {
    var isReached = [Bool](repeating: false, count: stateCount)
    var open = starts
    for start in starts { isReached[start] = true }
    while let state = open.popLast() {
      for lists in edges {
        for edge in lists[state] where !isReached[edge.target] {
          isReached[edge.target] = true
          open.append(edge.target)
        }
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
