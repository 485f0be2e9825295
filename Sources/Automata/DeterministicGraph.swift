/// A deterministic automaton with numbered states and symbols; a missing transition rejects.
struct DeterministicGraph {
  var symbols: [String]
  /// `[state · symbols + symbol]`: the next state, or −1.
  var next: [Int32]
  var isFinal: [Bool]
  var initial: Int
  /// The name of each state.
  var names: [String]

  var stateCount: Int { isFinal.count }

  func target(_ state: Int, _ symbol: Int) -> Int? {
    let target = next[state * symbols.count + symbol]
    return target < 0 ? nil : Int(target)
  }

  /// The automaton with state ids `q0`, `q1`, … and one transition for each pair of states.
  var automaton: Automaton {
    let states = (0..<stateCount).map {
      Automaton.State("q\($0)", name: names[$0], isInitial: $0 == initial, isFinal: isFinal[$0])
    }
    var transitions: [Automaton.Transition] = []
    for state in 0..<stateCount {
      // Sorted by target and, for one target, by symbol.
      let edges = symbols.indices.compactMap { symbol in
        target(state, symbol).map { (target: $0, symbol: symbol) }
      }.sorted { $0 < $1 }
      var position = 0
      while position < edges.count {
        let target = edges[position].target
        var read: [String] = []
        while position < edges.count, edges[position].target == target {
          read.append(symbols[edges[position].symbol])
          position += 1
        }
        transitions.append(
          .init(
            "t\(transitions.count)", from: states[state].id, to: states[target].id, symbols: read))
      }
    }
    return Automaton(unchecked: states, transitions, alphabet: symbols)
  }

  /// Returns the graph with a trap state, if a transition is missing.
  func completed() -> DeterministicGraph {
    guard next.contains(-1) else { return self }
    var result = self
    let trap = Int32(stateCount)
    result.next = next.map { $0 < 0 ? trap : $0 } + symbols.map { _ in trap }
    result.isFinal.append(false)
    result.names.append("trap")
    return result
  }

  /// Returns the graph without dead states, with its states in breadth-first order by symbols.
  func trimmed() -> DeterministicGraph {
    let count = symbols.count
    let sources = Lists(
      count: stateCount,
      next.indices.lazy.filter { next[$0] >= 0 }.map { (Int(next[$0]), Int32($0 / count)) })
    var isProductive = isFinal
    var open = isFinal.indices.filter { isFinal[$0] }
    while let state = open.popLast() {
      for place in sources.places(of: state) {
        let source = Int(sources.elements[place])
        guard !isProductive[source] else { continue }
        isProductive[source] = true
        open.append(source)
      }
    }
    var order = [initial]
    var numbers = [Int32](repeating: -1, count: stateCount)
    numbers[initial] = 0
    var position = 0
    while position < order.count {
      for symbol in symbols.indices {
        guard let target = target(order[position], symbol), isProductive[target],
          numbers[target] < 0
        else { continue }
        numbers[target] = Int32(order.count)
        order.append(target)
      }
      position += 1
    }
    var result = self
    result.initial = 0
    result.isFinal = order.map { isFinal[$0] }
    result.names = order.map { names[$0] }
    result.next.removeLast((stateCount - order.count) * symbols.count)
    for (number, state) in order.enumerated() {
      for symbol in symbols.indices {
        let target = target(state, symbol)
        result.next[number * symbols.count + symbol] =
          target.map { isProductive[$0] ? numbers[$0] : -1 } ?? -1
      }
    }
    return result
  }
}
