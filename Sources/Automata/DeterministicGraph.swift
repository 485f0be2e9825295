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
      var symbolsByTarget: [Int: [String]] = [:]
      for symbol in symbols.indices {
        if let target = target(state, symbol) {
          symbolsByTarget[target, default: []].append(symbols[symbol])
        }
      }
      for (target, symbols) in symbolsByTarget.sorted(by: { $0.key < $1.key }) {
        transitions.append(
          .init("t\(transitions.count)", from: "q\(state)", to: "q\(target)", symbols: symbols))
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
    var sources = [[Int32]](repeating: [], count: stateCount)
    for state in 0..<stateCount {
      for symbol in symbols.indices {
        if let target = target(state, symbol) { sources[target].append(Int32(state)) }
      }
    }
    var isProductive = isFinal
    var open = isFinal.indices.filter { isFinal[$0] }
    while let state = open.popLast() {
      for source in sources[state] where !isProductive[Int(source)] {
        isProductive[Int(source)] = true
        open.append(Int(source))
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
    result.next = order.flatMap { state in
      symbols.indices.map { symbol in
        guard let target = target(state, symbol), isProductive[target] else { return -1 }
        return numbers[target]
      }
    }
    return result
  }
}
