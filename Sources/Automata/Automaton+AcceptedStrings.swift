extension Automaton {
  /// The shortest word that is accepted, and of these the first by symbols; `nil` where there is none.
  public var shortestWord: [String]? {
    let graph = Graph(self)
    // How many symbols lead from each state to a final one; ways without reading cost nothing.
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
      guard let symbol else { preconditionFailure("a distance is that of a way") }
      word.append(graph.symbols[symbol])
      current = graph.step(current, reading: symbol, &marks)
      left -= 1
    }
    return word
  }

  /// The first `count` words that are accepted, shorter ones first, then by symbols; fewer where there
  /// are no more.
  ///
  /// - Throws: `AutomatonError` where the sets of states on the way take more room than the limit's
  ///   transitions.
  public func acceptedStrings(
    first count: Int, limit: Limit = .standard
  ) throws(AutomatonError) -> [[String]] {
    let graph = Graph(trimmed)
    var marks = Marks(count: graph.stateCount)
    let start = graph.closure(of: graph.initial, &marks)
    let sources = graph.sources
    /// The states from which exactly so many symbols lead to a final one.
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

    /// Adds the words of `length`, into no way that cannot end in so many symbols.
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
    // No word of so many lengths in a row: there are no longer ones.
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
