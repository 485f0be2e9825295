/// The result of running a word.
public struct Run: Hashable, Sendable {
  /// The reason why a word is rejected.
  public enum Rejection: Hashable, Sendable {
    /// The run ends in no final state.
    case notFinal
    /// After this many symbols, no transition reads the next one.
    case stuck(position: Int)
    /// The symbol at this position, counted from 0, is not in the alphabet.
    case unknownSymbol(String, position: Int)
    /// The automaton has no initial state.
    case noInitialState
  }

  /// The reason why the word is rejected, or `nil` if it is accepted.
  public var rejection: Rejection?
  /// The ids of the states in which the run ends, in the automaton's order.
  public var endStates: [String]
  /// The numbers of symbols after which the run is in a final state; 0 is the start.
  public var finalPositions: [Int]

  /// Whether the word is accepted.
  public var isAccepted: Bool { rejection == nil }
}

/// The steps of a run.
public struct Trace: Hashable, Sendable {
  /// The states after one symbol.
  public struct Step: Hashable, Sendable {
    /// The symbol, or `nil` for the start.
    public var symbol: String?
    /// The ids of the states, including those reached by ε-transitions, in the automaton's order.
    public var states: [String]
    /// Where labels of several symbols have been read in part: the name of the state before the
    /// label, a dot and what was read.
    public var unfinished: [String] = []
    /// The ids of the transitions that were taken, including ε-transitions, in the automaton's
    /// order.
    public var transitions: [String]
  }

  /// The start, then one step for each symbol, until no state is left.
  public var steps: [Step]
  /// The result of the run.
  public var run: Run
  /// The ids of the transitions on one accepting path, or `nil` if the word is rejected.
  public var path: [String]?
}

extension Automaton {
  /// Returns the symbols that `word` consists of.
  ///
  /// White space and commas separate symbols, unless they are symbols themselves. What is not
  /// separated is split by longest match. A character that starts no symbol is a symbol of its own,
  /// and a run reports it as unknown. The word `ε` is the empty word, unless `ε` is a symbol.
  public func symbols(of word: String) -> [String] {
    let known = Set(alphabet)
    let lengths = Set(known.map(\.count)).sorted(by: >)
    var symbols: [String] = []
    var rest = word[...]
    while let first = rest.first {
      let longest = lengths.lazy.map { rest.prefix($0) }.first { known.contains(String($0)) }
      let isSeparator = first.isWhitespace || first == ","
      if longest != nil || !isSeparator { symbols.append(String(longest ?? rest.prefix(1))) }
      rest = rest[(longest ?? rest.prefix(1)).endIndex...]
    }
    return symbols == ["ε"] && !known.contains("ε") ? [] : symbols
  }

  /// Returns the symbols of `word` as text: without separators if that is unambiguous, otherwise
  /// separated by spaces.
  public func text(of word: [String]) -> String {
    let joined = word.joined()
    return symbols(of: joined) == word ? joined : word.joined(separator: " ")
  }

  /// The symbols of several characters.
  public var longSymbols: [String] { alphabet.filter { $0.count > 1 } }

  /// Returns whether `word` is accepted.
  public func accepts(_ word: [String]) -> Bool { run(word).isAccepted }

  /// Runs `word`.
  public func run(_ word: [String]) -> Run { trace(word, keepsSteps: false).run }

  /// Runs `word` and keeps every step.
  public func trace(_ word: [String]) -> Trace { trace(word, keepsSteps: true) }

  private func trace(_ word: [String], keepsSteps: Bool) -> Trace {
    let expansion = expansion
    let graph = Graph(expansion.automaton)
    let symbolIndex = Dictionary(uniqueKeysWithValues: graph.symbols.enumerated().map { ($1, $0) })
    var marks = Marks(count: graph.stateCount)
    var current = graph.closure(of: graph.initial, &marks)
    var trace = Trace(
      steps: [], run: Run(rejection: nil, endStates: [], finalPositions: []), path: nil)
    var sets = [current]
    let drawnCount = states.count
    func ids(_ states: [Int]) -> [String] {
      states.filter { $0 < drawnCount }.map { self.states[$0].id }
    }
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
          unfinished: current.filter { $0 >= drawnCount }.map {
            expansion.automaton.states[$0].name
          },
          transitions: Set(taken.flatMap { expansion.origins[$0] }).sorted().map {
            transitions[$0].id
          }))
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
      let indices = Dictionary(
        uniqueKeysWithValues: states.enumerated().map { ($1.id, $0) })
      trace.path = path(through: sets, reading: word.map { symbolIndex[$0]! }, in: graph)
        // A label of several symbols counts where its last one is read.
        .filter { indices[expansion.automaton.transitions[$0].end] ?? drawnCount < drawnCount }
        .map { transitions[expansion.origins[$0][0]].id }
    }
    return trace
  }

  /// Returns the transitions of one path through the sets of states, found from its end.
  private func path(through sets: [[Int]], reading word: [Int], in graph: Graph) -> [Int] {
    var reversed: [Int] = []
    var goals = Set(sets[word.count].filter { graph.isFinal[$0] })
    for position in stride(from: word.count, through: 0, by: -1) {
      // Follows ε-transitions backwards to a state that was entered by a symbol, or to the start.
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

  /// Returns the start of the shortest ε-path, and its transitions from the last to the first.
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
    preconditionFailure("every state of a closure is reachable by ε-transitions")
  }

  /// Returns the ids of the states reachable from `states` by ε-transitions, including `states`, in
  /// the automaton's order.
  public func epsilonClosure(of states: Set<String>) -> [String] {
    let graph = Graph(self)
    var marks = Marks(count: graph.stateCount)
    let starts = self.states.indices.filter { states.contains(self.states[$0].id) }
    return graph.closure(of: starts, &marks).map { self.states[$0].id }
  }
}
