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
    let states = (0..<stateCount).map { state in
      Automaton.State(
        String("q", state), name: names[state], isInitial: state == initial,
        isFinal: isFinal[state])
    }
    // Transitions that read one symbol share its list.
    let lists = symbols.map { [$0] }
    var transitions: [Automaton.Transition] = []
    var ends: [Automaton.Ends] = []
    var edges: [(target: Int32, symbol: Int)] = []
    for state in 0..<stateCount {
      edges.removeAll(keepingCapacity: true)
      for symbol in symbols.indices {
        let target = next[state * symbols.count + symbol]
        if target >= 0 { edges.append((target, symbol)) }
      }
      // Sorted by target and, for one target, by symbol.
      edges.sort { $0 < $1 }
      var position = 0
      while position < edges.count {
        let (target, symbol) = edges[position]
        var read = lists[symbol]
        position += 1
        while position < edges.count, edges[position].target == target {
          read.append(symbols[edges[position].symbol])
          position += 1
        }
        transitions.append(
          .init(
            String("t", transitions.count), from: states[state].id, to: states[Int(target)].id,
            symbols: read))
        ends.append(.init(start: Int32(state), end: target))
      }
    }
    return Automaton(states, transitions, ends, alphabet: symbols, .symbols)
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

  /// Returns the graph of the states that can be reached, in breadth-first order by symbols.
  func ordered() -> DeterministicGraph {
    var order = [initial]
    var numbers = [Int32](repeating: -1, count: stateCount)
    numbers[initial] = 0
    var result = DeterministicGraph(symbols: symbols, next: [], isFinal: [], initial: 0, names: [])
    result.next.reserveCapacity(next.count)
    var position = 0
    while position < order.count {
      for symbol in symbols.indices {
        guard let target = target(order[position], symbol) else {
          result.next.append(-1)
          continue
        }
        if numbers[target] < 0 {
          numbers[target] = Int32(order.count)
          order.append(target)
        }
        result.next.append(numbers[target])
      }
      position += 1
    }
    result.isFinal = order.map { isFinal[$0] }
    result.names = order.map { names[$0] }
    return result
  }
}

extension DeterministicGraph {
  /// Creates the graph of an automaton over its labels, each of which is one symbol, and `extra` symbols.
  ///
  /// It is `nil` if the automaton is not deterministic, or if most of a table of all states would be empty.
  init?(_ automaton: Automaton, extra: [String], names: [String], limit: Limit) {
    let (states, transitions) = (automaton.states, automaton.transitions)
    let initial = states.indices.filter { states[$0].isInitial }
    guard initial.count == 1, !transitions.contains(where: \.includesEpsilon) else { return nil }
    let symbols = automaton.labels(and: extra)
    let most = min(limit.tableEntries, 64 * transitions.reduce(16) { $0 + $1.symbols.count })
    guard states.count <= most / max(1, symbols.count) else { return nil }
    var next = [Int32](repeating: -1, count: states.count * symbols.count)
    var symbolNumbers = TextNumbers(symbols)
    for (index, ends) in automaton.ends.enumerated() {
      // By index: copying each transition takes half of the time.
      for place in transitions[index].symbols.indices {
        let symbol = symbolNumbers.number(of: transitions[index].symbols[place])!
        let entry = Int(ends.start) * symbols.count + symbol
        guard next[entry] < 0 || next[entry] == ends.end else { return nil }
        next[entry] = ends.end
      }
    }
    self.init(
      symbols: symbols, next: next, isFinal: states.map(\.isFinal), initial: initial[0],
      names: names)
  }
}

extension String {
  /// Creates a letter and a number that is not negative, such as `q12`.
  ///
  /// An interpolation takes four times as long.
  fileprivate init(_ letter: Unicode.Scalar, _ number: Int) {
    var (digits, power) = (1, 10)
    while power <= number { (digits, power) = (digits + 1, power * 10) }
    self.init(unsafeUninitializedCapacity: digits + 1) { text in
      text[0] = UInt8(ascii: letter)
      var rest = number
      for place in (1...digits).reversed() {
        text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      return digits + 1
    }
  }
}
