extension Automaton {
  /// The shortest accepted word, or `nil` if no word is accepted.
  ///
  /// Of several words, it is the first by symbols.
  public var shortestWord: [String]? {
    let graph = Graph(expanded)
    // The distance of each state to a final state in symbols; ε-transitions cost nothing.
    let sources = graph.sources
    var distances = [Int](repeating: .max, count: graph.stateCount)
    var level = graph.isFinal.indices.filter { graph.isFinal[$0] }
    for state in level { distances[state] = 0 }
    var distance = 0
    while !level.isEmpty {
      var next: [Int] = []
      while let state = level.popLast() {
        guard distances[state] == distance else { continue }
        for edge in sources[state] {
          if edge.symbol < 0, distances[edge.target] > distance {
            distances[edge.target] = distance
            level.append(edge.target)
          } else if edge.symbol >= 0, distances[edge.target] > distance + 1 {
            distances[edge.target] = distance + 1
            next.append(edge.target)
          }
        }
      }
      level = next
      distance += 1
    }

    var marks = Marks(count: graph.stateCount)
    var current = graph.closure(of: graph.initial, &marks)
    guard var left = current.map({ distances[$0] }).min(), left < .max else { return nil }
    var word: [String] = []
    while left > 0 {
      let symbol = graph.symbols(readableIn: current).first { symbol in
        current.contains { state in
          graph.edges(from: state, reading: symbol).contains { distances[$0.target] == left - 1 }
        }
      }
      guard let symbol else { preconditionFailure("a finite distance belongs to a path") }
      word.append(graph.symbols[symbol])
      current = graph.step(current, reading: symbol, &marks)
      left -= 1
    }
    return word
  }

  /// Returns the first `count` accepted words, ordered by length and then by symbols.
  ///
  /// - Throws: `AutomatonError` if the computation needs more room than the limit's transitions.
  public func acceptedStrings(
    first count: Int, limit: Limit = .standard
  ) throws(AutomatonError) -> [[String]] {
    let graph = Graph(expanded.trimmed)
    var marks = Marks(count: graph.stateCount)
    let start = graph.closure(of: graph.initial, &marks)
    let sources = graph.sources
    /// Returns `states` and the states that reach them by ε-transitions.
    func epsilonPredecessors(_ states: Set<Int>) -> Set<Int> {
      var result = states
      var open = Array(states)
      while let state = open.popLast() {
        for edge in sources[state] where edge.symbol < 0 && result.insert(edge.target).inserted {
          open.append(edge.target)
        }
      }
      return result
    }
    var canEnd = [epsilonPredecessors(Set(graph.isFinal.indices.filter { graph.isFinal[$0] }))]
    var words: [[String]] = []
    var emptyLengths = 0
    var room = canEnd[0].count

    /// Adds the accepted words of `length`, and follows only paths that can end after that many
    /// symbols.
    func collect(length: Int) {
      guard start.contains(where: canEnd[length].contains) else { return }
      var ways: [(states: [Int], symbols: ArraySlice<Int>)] = [
        (start, graph.symbols(readableIn: start)[...])
      ]
      var word: [String] = []
      while !ways.isEmpty, words.count < count {
        if ways.count > length { words.append(word) }
        guard ways.count <= length, let symbol = ways[ways.count - 1].symbols.popFirst() else {
          ways.removeLast()
          _ = word.popLast()
          continue
        }
        let target = graph.step(ways[ways.count - 1].states, reading: symbol, &marks)
        guard target.contains(where: canEnd[length - ways.count].contains) else { continue }
        ways.append((target, graph.symbols(readableIn: target)[...]))
        word.append(graph.symbols[symbol])
      }
    }

    var length = 0
    // If so many consecutive lengths have no word, there is no longer word.
    while words.count < count, emptyLengths <= graph.stateCount {
      let before = words.count
      collect(length: length)
      emptyLengths = words.count == before ? emptyLengths + 1 : 0
      var previous: Set<Int> = []
      for state in canEnd[length] {
        for edge in sources[state] where edge.symbol >= 0 { previous.insert(edge.target) }
      }
      if previous.isEmpty { break }
      canEnd.append(epsilonPredecessors(previous))
      room += canEnd[length + 1].count
      try limit.check("list of words", transitions: room)
      length += 1
    }
    return words
  }
}
