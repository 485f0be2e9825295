import Automata

/// The language of an automaton over `a` and `b`, found by trying words: an oracle for the operations
/// that shares no code with them.
public struct AutomatonOracle {
  /// A set of states as bits.
  private typealias States = [UInt64]

  /// The words of at most 5 symbols, by length and then by symbols; word number `i` is bit `i` of a
  /// language.
  public static let words: [[String]] = {
    var words: [[String]] = [[]]
    for index in 0..<31 { words += [words[index] + ["a"], words[index] + ["b"]] }
    return words
  }()

  /// All words of at most 5 symbols.
  public static let everything: UInt64 = (1 << 63) - 1

  private let start: States
  private let final: States
  /// The states after one symbol, by state, with those that ε leads to.
  private let next: [[States]]
  private let stateCount: Int

  /// Looks at each transition once.
  public init(_ automaton: Automaton) {
    let numbers = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, $0) })
    let count = automaton.states.count
    let empty = States(repeating: 0, count: (count + 63) / 64)
    var direct = Array(repeating: [[Int]](repeating: [], count: count), count: 3)
    for transition in automaton.transitions {
      let (start, end) = (numbers[transition.start]!, numbers[transition.end]!)
      if transition.includesEpsilon { direct[2][start].append(end) }
      for (number, symbol) in ["a", "b"].enumerated() where transition.symbols.contains(symbol) {
        direct[number][start].append(end)
      }
    }
    func closed(_ states: [Int]) -> States {
      var (result, open) = (empty, states)
      while let state = open.popLast() {
        guard result[state / 64] >> UInt64(state % 64) & 1 == 0 else { continue }
        result[state / 64] |= 1 << UInt64(state % 64)
        open += direct[2][state]
      }
      return result
    }
    next = (0..<2).map { symbol in direct[symbol].map(closed) }
    start = closed(automaton.states.indices.filter { automaton.states[$0].isInitial })
    var final = empty
    for (state, value) in automaton.states.enumerated() where value.isFinal {
      final[state / 64] |= 1 << UInt64(state % 64)
    }
    self.final = final
    stateCount = count
  }

  private func step(_ states: States, _ symbol: Int) -> States {
    var result = States(repeating: 0, count: states.count)
    for (index, part) in states.enumerated() {
      var rest = part
      while rest != 0 {
        let state = 64 * index + rest.trailingZeroBitCount
        rest &= rest - 1
        for place in result.indices { result[place] |= next[symbol][state][place] }
      }
    }
    return result
  }

  private func accepts(_ states: States) -> Bool { zip(states, final).contains { $0 & $1 != 0 } }

  /// The accepted words among ``words``.
  public var language: UInt64 {
    var sets = [start]
    var result: UInt64 = accepts(start) ? 1 : 0
    for index in 0..<31 {
      for symbol in 0..<2 {
        sets.append(step(sets[index], symbol))
        if accepts(sets[sets.count - 1]) { result |= 1 << UInt64(sets.count - 1) }
      }
    }
    return result
  }

  /// Whether both accept the same words, of any length.
  public func isEquivalent(to other: AutomatonOracle) -> Bool {
    var seen: Set<[States]> = [[start, other.start]]
    var open = [[start, other.start]]
    while let pair = open.popLast() {
      guard accepts(pair[0]) == other.accepts(pair[1]) else { return false }
      for symbol in 0..<2 {
        let next = [step(pair[0], symbol), other.step(pair[1], symbol)]
        if seen.insert(next).inserted { open.append(next) }
      }
    }
    return true
  }

  /// The number of states of the minimal automaton without a trap; 1 if no word is accepted.
  public var minimalStateCount: Int {
    // The reachable sets, cut finer and finer (Moore, 1956).
    var numbers = [start: 0]
    var (sets, ways): ([States], [[Int]]) = ([start], [])
    while ways.count < sets.count {
      let set = sets[ways.count]
      ways.append(
        (0..<2).map { symbol in
          let target = step(set, symbol)
          if let number = numbers[target] { return number }
          numbers[target] = sets.count
          sets.append(target)
          return sets.count - 1
        })
    }
    var classes = sets.map { accepts($0) ? 1 : 0 }
    while true {
      var keys: [[Int]: Int] = [:]
      let finer = sets.indices.map { state in
        let key = [classes[state], classes[ways[state][0]], classes[ways[state][1]]]
        if let number = keys[key] { return number }
        keys[key] = keys.count
        return keys.count - 1
      }
      if Set(finer).count == Set(classes).count { break }
      classes = finer
    }
    // A class is of use if a final one can be reached from it.
    var useful = Set(sets.indices.filter { accepts(sets[$0]) }.map { classes[$0] })
    while true {
      let more = useful.union(
        sets.indices.filter { ways[$0].contains { useful.contains(classes[$0]) } }
          .map { classes[$0] })
      if more == useful { break }
      useful = more
    }
    return max(1, useful.count)
  }
}
