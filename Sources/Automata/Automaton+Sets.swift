import DisjointSets
import Foundation

/// A set operation on the languages of two automata.
public enum Combination: String, Hashable, Sendable, CaseIterable {
  /// The words that at least one automaton accepts.
  case union
  /// The words that both automata accept.
  case intersection
  /// The words that only the first automaton accepts.
  case difference
}

extension Automaton {
  /// Returns a deterministic automaton for all words over the alphabet that this one rejects.
  ///
  /// - Throws: `AutomatonError` if the result exceeds the limit.
  public func complement(limit: Limit = .standard) throws(AutomatonError) -> Automaton {
    var graph = try subsets(limit: limit).completed()
    graph.isFinal = graph.isFinal.map { !$0 }
    return graph.automaton
  }

  /// Returns the product automaton over both alphabets, which is deterministic.
  ///
  /// - Throws: `AutomatonError` if the result exceeds the limit.
  public func combined(
    with other: Automaton, by combination: Combination, limit: Limit = .standard
  ) throws(AutomatonError) -> Automaton {
    var pairs = try Pairs(self, other, isNamed: true, limit: limit)
    var next: [Int32] = []
    var position = 0
    while position < pairs.all.count {
      for symbol in pairs.symbols.indices {
        next.append(Int32(pairs.step(from: position, reading: symbol)))
      }
      position += 1
      try limit.check("product", states: pairs.all.count)
      try limit.check("product", tableEntries: next.count)
    }
    return DeterministicGraph(
      symbols: pairs.symbols, next: next,
      isFinal: pairs.all.indices.map { index in
        let (mine, theirs) = pairs.isFinal(index)
        return switch combination {
        case .union: mine || theirs
        case .intersection: mine && theirs
        case .difference: mine && !theirs
        }
      }, initial: 0, names: pairs.names
    ).automaton
  }

  /// Returns the shortest word that only one automaton accepts, or `nil` if they are equivalent.
  ///
  /// Of several words, the first by symbols is returned.
  ///
  /// - Throws: `AutomatonError` if the computation exceeds the limit.
  public func counterexample(
    to other: Automaton, limit: Limit = .standard
  ) throws(AutomatonError) -> [String]? {
    let mine = try subsets(extra: other.alphabet, names: .none, limit: limit).completed()
    let theirs = try other.subsets(extra: alphabet, names: .none, limit: limit).completed()
    let symbolCount = mine.symbols.count
    // Each set has states that have to be equivalent (Hopcroft & Karp, 1971); theirs are numbered after mine. A pair
    // in one set is skipped: where it differs on a word, an earlier pair does too. So there are fewer steps than states.
    var sets = DisjointSets(count: mine.stateCount + theirs.stateCount)
    sets.join(mine.initial, into: mine.stateCount + theirs.initial)
    var steps = [
      Step(mine: Int32(mine.initial), theirs: Int32(theirs.initial), from: -1, symbol: -1)
    ]
    var position = 0
    while position < steps.count {
      let step = steps[position]
      guard mine.isFinal[Int(step.mine)] == theirs.isFinal[Int(step.theirs)] else {
        var word: [String] = []
        var here = step
        while here.from >= 0 {
          word.append(mine.symbols[Int(here.symbol)])
          here = steps[Int(here.from)]
        }
        return word.reversed()
      }
      for symbol in 0..<symbolCount {
        let one = mine.next[Int(step.mine) * symbolCount + symbol]
        let two = theirs.next[Int(step.theirs) * symbolCount + symbol]
        let myRoot = sets.root(of: Int(one))
        let theirRoot = sets.root(of: mine.stateCount + Int(two))
        guard myRoot != theirRoot else { continue }
        sets.join(myRoot, into: theirRoot)
        steps.append(Step(mine: one, theirs: two, from: Int32(position), symbol: Int32(symbol)))
      }
      position += 1
    }
    return nil
  }

  /// Returns the share, from 0 to 1, of the words of at most `length` symbols that both automata accept
  /// or both reject.
  ///
  /// The words are those over the alphabet of this automaton, so that a symbol that only the other one has does
  /// not count.
  ///
  /// - Precondition: `length` is not negative.
  /// - Throws: `AutomatonError` if the computation exceeds the limit.
  public func agreement(
    with other: Automaton, upTo length: Int, limit: Limit = .standard
  ) throws(AutomatonError) -> Double {
    precondition(length >= 0, "a length is not negative")
    var pairs = try Pairs(self, other, isNamed: false, limit: limit)
    // The share of the words of one length that lead to each pair.
    var shares = [0: 1.0]
    var (agreeing, all) = (0.0, 0.0)
    let own = Set(alphabet)
    let symbols = pairs.symbols.indices.filter { own.contains(pairs.symbols[$0]) }
    let symbolCount = symbols.count
    for step in 0...length {
      // The words of one length, as a share of those of the greatest length; small ones vanish.
      let weight = symbolCount > 1 ? pow(Double(symbolCount), Double(step - length)) : 1
      for (pair, share) in shares {
        let (mine, theirs) = pairs.isFinal(pair)
        if mine == theirs { agreeing += share * weight }
      }
      all += weight
      guard step < length, symbolCount > 0 else { break }
      var next: [Int: Double] = [:]
      for (pair, share) in shares {
        for symbol in symbols {
          next[pairs.step(from: pair, reading: symbol), default: 0] +=
            share / Double(symbolCount)
        }
      }
      shares = next
      try limit.check("comparison", states: pairs.all.count)
    }
    return agreeing / all
  }

  /// Returns whether both automata accept the same words.
  ///
  /// - Throws: `AutomatonError` if the computation exceeds the limit.
  public func isEquivalent(
    to other: Automaton, limit: Limit = .standard
  ) throws(AutomatonError) -> Bool {
    try counterexample(to: other, limit: limit) == nil
  }
}

/// A pair of states that the same word reaches: the last symbol of the word, and the step before it.
private struct Step {
  var mine: Int32
  var theirs: Int32
  /// The number of the step before, or −1 for the empty word.
  var from: Int32
  var symbol: Int32
}

/// Reachable pairs of states of two automata, numbered in breadth-first order.
private struct Pairs {
  struct Pair {
    var mine: Int32
    var theirs: Int32

    /// The pair as one number.
    var key: UInt64 { UInt64(UInt32(mine)) << 32 | UInt64(UInt32(theirs)) }
  }

  let symbols: [String]
  private(set) var all: [Pair] = []
  private var numbers = NumberTable()
  private let mine: DeterministicGraph
  private let theirs: DeterministicGraph

  init(
    _ one: Automaton, _ other: Automaton, isNamed: Bool, limit: Limit
  ) throws(AutomatonError) {
    let names: Automaton.SetNames = isNamed ? .whole : .none
    mine = try one.subsets(extra: other.alphabet, names: names, limit: limit).completed()
    theirs = try other.subsets(extra: one.alphabet, names: names, limit: limit).completed()
    symbols = mine.symbols
    _ = number(of: Pair(mine: Int32(mine.initial), theirs: Int32(theirs.initial)))
  }

  private mutating func number(of pair: Pair) -> Int {
    let (number, isNew) = numbers.insert(pair.key)
    if isNew { all.append(pair) }
    return number
  }

  mutating func step(from index: Int, reading symbol: Int) -> Int {
    let pair = all[index]
    return number(
      of: Pair(
        mine: mine.next[Int(pair.mine) * symbols.count + symbol],
        theirs: theirs.next[Int(pair.theirs) * symbols.count + symbol]))
  }

  func isFinal(_ index: Int) -> (mine: Bool, theirs: Bool) {
    (mine.isFinal[Int(all[index].mine)], theirs.isFinal[Int(all[index].theirs)])
  }

  var names: [String] {
    all.map { "(\(mine.names[Int($0.mine)]),\(theirs.names[Int($0.theirs)]))" }
  }
}
