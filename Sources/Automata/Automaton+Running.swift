/// What a word did to an automaton.
public struct Run: Hashable, Sendable {
  /// Why a word is not accepted.
  public enum Rejection: Hashable, Sendable {
    /// It ends in no final state.
    case notFinal
    /// After so many symbols there was no way on.
    case stuck(position: Int)
    /// The automaton has no such symbol; the position counts from 0.
    case unknownSymbol(String, position: Int)
    /// There is nowhere to begin.
    case noInitialState
  }

  /// Why it is not accepted, or `nil` where it is.
  public var rejection: Rejection?
  /// The ids of the states that it ends in, in the automaton's order.
  public var endStates: [String]
  /// After how many symbols a final state was reached, 0 for the beginning.
  public var finalPositions: [Int]

  /// Whether the word is accepted.
  public var isAccepted: Bool { rejection == nil }
}

/// A word step by step.
public struct Trace: Hashable, Sendable {
  /// Where the automaton is after a symbol.
  public struct Step: Hashable, Sendable {
    /// The symbol, `nil` for the beginning.
    public var symbol: String?
    /// The ids of the states, those reached without reading among them, in the automaton's order.
    public var states: [String]
    /// The ids of the transitions that were taken, reading or not, in the automaton's order.
    public var transitions: [String]
  }

  /// The beginning, then a step a symbol, up to the first after which there is no state.
  public var steps: [Step]
  /// What came out.
  public var run: Run
  /// For an accepted word, the ids of the transitions of one way to a final state.
  public var path: [String]?
}

extension Automaton {
  /// Returns the symbols that `word` consists of.
  ///
  /// Where every symbol of the alphabet is one character, each character of the word is a symbol.
  /// Where a symbol has several characters, the longest symbol that fits is taken, and commas separate
  /// symbols. White space separates symbols in both cases. A symbol that is a comma or white space
  /// itself is read as a symbol. A character that begins no symbol stands for itself, and a run
  /// reports it as unknown. A word that is only `ε` is the empty word, unless `ε` is a symbol.
  public func symbols(of word: String) -> [String] {
    let known = Set(alphabet)
    let lengths = Set(known.map(\.count)).sorted(by: >)
    let hasLongSymbols = lengths.first ?? 1 > 1
    var symbols: [String] = []
    var rest = word[...]
    while let first = rest.first {
      let longest = lengths.lazy.map { rest.prefix($0) }.first { known.contains(String($0)) }
      let isSeparator = first.isWhitespace || hasLongSymbols && first == ","
      if longest != nil || !isSeparator { symbols.append(String(longest ?? rest.prefix(1))) }
      rest = rest[(longest ?? rest.prefix(1)).endIndex...]
    }
    return symbols == ["ε"] && !known.contains("ε") ? [] : symbols
  }

  /// Returns text that is read as the symbols of `word`: without separators where that is unambiguous,
  /// otherwise with spaces.
  public func text(of word: [String]) -> String {
    let joined = word.joined()
    return symbols(of: joined) == word ? joined : word.joined(separator: " ")
  }

  /// The symbols that have several characters.
  public var longSymbols: [String] { alphabet.filter { $0.count > 1 } }

  /// Whether `word` is accepted.
  public func accepts(_ word: [String]) -> Bool { run(word).isAccepted }

  /// Reads `word`.
  public func run(_ word: [String]) -> Run { trace(word, keepsSteps: false).run }

  /// Reads `word` and remembers every step.
  public func trace(_ word: [String]) -> Trace { trace(word, keepsSteps: true) }

  private func trace(_ word: [String], keepsSteps: Bool) -> Trace {
    let graph = Graph(self)
    let symbolIndex = Dictionary(uniqueKeysWithValues: graph.symbols.enumerated().map { ($1, $0) })
    var marks = Marks(count: graph.stateCount)
    var current = graph.closure(of: graph.initial, &marks)
    var trace = Trace(
      steps: [], run: Run(rejection: nil, endStates: [], finalPositions: []), path: nil)
    var sets = [current]
    func ids(_ states: [Int]) -> [String] { states.map { self.states[$0].id } }
    func record(_ symbol: String?, from before: [Int], reading index: Int?) {
      guard keepsSteps else { return }
      var taken = Set<Int>()
      if let index {
        for state in before {
          taken.formUnion(graph.edges(from: state, reading: index).map(\.transition))
        }
      }
      for state in current { taken.formUnion(graph.epsilonEdges[state].map(\.transition)) }
      trace.steps.append(
        .init(
          symbol: symbol, states: ids(current),
          transitions: taken.sorted().map { transitions[$0].id }))
    }

    record(nil, from: [], reading: nil)
    if current.isEmpty { trace.run.rejection = .noInitialState }
    if graph.accepts(in: current) { trace.run.finalPositions.append(0) }
    if trace.run.rejection == nil {
      for (position, symbol) in word.enumerated() {
        guard let index = symbolIndex[symbol] else {
          trace.run.rejection = .unknownSymbol(symbol, position: position)
          current = []
          break
        }
        let before = current
        current = graph.step(before, reading: index, &marks)
        record(symbol, from: before, reading: index)
        if keepsSteps { sets.append(current) }
        guard !current.isEmpty else {
          trace.run.rejection = .stuck(position: position)
          break
        }
        if graph.accepts(in: current) { trace.run.finalPositions.append(position + 1) }
      }
    }
    trace.run.endStates = ids(current)
    if trace.run.rejection == nil, !graph.accepts(in: current) { trace.run.rejection = .notFinal }
    if keepsSteps, trace.run.isAccepted {
      trace.path = path(through: sets, reading: word.map { symbolIndex[$0]! }, in: graph)
        .map { transitions[$0].id }
    }
    return trace
  }

  /// The transitions of one way through the sets of states that a word led to, found from its end.
  private func path(through sets: [[Int]], reading word: [Int], in graph: Graph) -> [Int] {
    var reversed: [Int] = []
    var goals = Set(sets[word.count].filter { graph.isFinal[$0] })
    for position in stride(from: word.count, through: 0, by: -1) {
      // Backwards through what reads nothing, to a state that was entered by reading or at the start.
      let entered: Set<Int> =
        position == 0
        ? Set(graph.initial)
        : Set(
          sets[position - 1].flatMap { state in
            graph.edges(from: state, reading: word[position - 1]).map(\.target)
          })
      let epsilonPath = shortestEpsilonPath(
        from: entered, to: goals, within: sets[position], in: graph)
      reversed += epsilonPath.reversed
      guard position > 0 else { break }
      for state in sets[position - 1] {
        guard
          let edge = graph.edges(from: state, reading: word[position - 1]).first(where: {
            $0.target == epsilonPath.start
          })
        else { continue }
        reversed.append(edge.transition)
        goals = [state]
        break
      }
    }
    return reversed.reversed()
  }

  /// Where the shortest way without reading begins, and its transitions from the last to the first.
  private func shortestEpsilonPath(
    from starts: Set<Int>, to goals: Set<Int>, within states: [Int], in graph: Graph
  ) -> (start: Int, reversed: [Int]) {
    var cameBy: [Int: (state: Int, transition: Int)] = [:]
    var open = states.filter(starts.contains)
    var known = Set(open)
    var next = 0
    while next < open.count {
      let state = open[next]
      next += 1
      if goals.contains(state) {
        var transitions: [Int] = []
        var here = state
        while let before = cameBy[here] {
          transitions.append(before.transition)
          here = before.state
        }
        return (here, transitions)
      }
      for edge in graph.epsilonEdges[state] where known.insert(edge.target).inserted {
        cameBy[edge.target] = (state, edge.transition)
        open.append(edge.target)
      }
    }
    preconditionFailure("a set of states is reached from where it was entered")
  }

  /// The ids of the states that are reached from `states` without reading, in the automaton's order,
  /// those of `states` among them.
  public func epsilonClosure(of states: Set<String>) -> [String] {
    let graph = Graph(self)
    var marks = Marks(count: graph.stateCount)
    let starts = self.states.indices.filter { states.contains(self.states[$0].id) }
    return graph.closure(of: starts, &marks).map { self.states[$0].id }
  }
}
