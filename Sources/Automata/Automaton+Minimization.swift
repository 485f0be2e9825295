extension Automaton {
  /// Returns the minimal deterministic automaton of the same language, without a trap state.
  ///
  /// Its states are ordered by the words that reach them. Equivalent automata over the same
  /// alphabet therefore give the same result, except for the names. A state that is not merged
  /// keeps the name from ``determinized(addsTrap:limit:)``. Merged states are named as a set,
  /// `{q1,q2}`. If that name is longer than ``longestSetName``, the first free name of q0, q1, … is
  /// used.
  ///
  /// - Throws: `AutomatonError` if the result exceeds the limit.
  public func minimized(limit: Limit = .standard) throws(AutomatonError) -> Automaton {
    var graph = try subsets(names: .short(Self.longestSetName), limit: limit)
      .trimmed().merged(longestName: Self.longestSetName).trimmed()
    let taken = Set(states.map(\.name) + graph.names)
    var number = 0
    for state in graph.names.indices where graph.names[state].isEmpty {
      while taken.contains("q\(number)") { number += 1 }
      graph.names[state] = "q\(number)"
      number += 1
    }
    return graph.automaton
  }

  /// The maximum length of the name of merged states, in characters.
  public static let longestSetName = 24
}

extension DeterministicGraph {
  /// Returns the graph with equivalent states merged (Hopcroft, 1971).
  ///
  /// Splitters, each a block and a symbol, refine the partition. When a block is split, only the
  /// smaller part becomes a splitter, which gives O(n log n). Merged states are named as a set of
  /// at most `longestName` characters; a longer name is left empty.
  func merged(longestName: Int) -> DeterministicGraph {
    let complete = completed()
    let (count, symbolCount) = (complete.stateCount, symbols.count)
    let sources = InverseTable(complete)
    var partition = Partition(count: count)
    partition.mark(complete.isFinal.indices.filter { complete.isFinal[$0] })
    _ = partition.splitMarked()

    var waiting: [(block: Int, symbol: Int)] = []
    var isWaiting = Set<Int>()
    func wait(_ block: Int) {
      for symbol in 0..<symbolCount where isWaiting.insert(block * symbolCount + symbol).inserted {
        waiting.append((block, symbol))
      }
    }
    for block in 0..<partition.blockCount { wait(block) }
    while let (block, symbol) = waiting.popLast() {
      isWaiting.remove(block * symbolCount + symbol)
      // Copies the block, because a slice would make marking copy the whole partition.
      for state in Array(partition.members(of: block)) {
        partition.mark(sources.sources(of: state, symbol))
      }
      for (old, new) in partition.splitMarked() {
        let smaller =
          partition.members(of: new).count <= partition.members(of: old).count ? new : old
        for symbol in 0..<symbolCount {
          // If the old block is still waiting, both parts have to wait.
          let part = isWaiting.contains(old * symbolCount + symbol) ? new : smaller
          if isWaiting.insert(part * symbolCount + symbol).inserted {
            waiting.append((part, symbol))
          }
        }
      }
    }

    let blocks = partition.blockCount
    var result = DeterministicGraph(
      symbols: symbols, next: [Int32](repeating: -1, count: blocks * symbolCount),
      isFinal: [Bool](repeating: false, count: blocks), initial: partition.block(of: initial),
      names: [String](repeating: "", count: blocks))
    for block in 0..<blocks {
      let members = partition.members(of: block)
      guard let state = members.first else { continue }
      result.isFinal[block] = complete.isFinal[state]
      result.names[block] = name(ofMerged: members, longest: longestName)
      for symbol in 0..<symbolCount {
        result.next[block * symbolCount + symbol] = Int32(
          partition.block(of: Int(complete.next[state * symbolCount + symbol])))
      }
    }
    return result
  }

  private func name(ofMerged members: ArraySlice<Int>, longest: Int) -> String {
    // The added trap state is not one of the automaton's states.
    let members = members.filter { $0 < stateCount }
    if members.count == 1 { return names[members[0]] }
    guard members.count <= longest, !members.contains(where: { names[$0].isEmpty }) else {
      return ""
    }
    // Sorted so that q2 comes before q10.
    let parts = members.map { names[$0] }.sorted { ($0.count, $0) < ($1.count, $1) }
    let name = Automaton.nameOfSet(parts)
    return name.count <= longest ? name : ""
  }

  /// The transposed transition table: the predecessors of each state by symbol.
  private struct InverseTable {
    private let starts: [Int32]
    private let states: [Int32]
    private let symbolCount: Int

    init(_ graph: DeterministicGraph) {
      symbolCount = graph.symbols.count
      var counts = [Int32](repeating: 0, count: graph.next.count + 1)
      for (index, target) in graph.next.enumerated() {
        counts[Int(target) * symbolCount + index % symbolCount + 1] += 1
      }
      for index in 1..<counts.count { counts[index] += counts[index - 1] }
      starts = counts
      var places = counts
      var states = [Int32](repeating: 0, count: graph.next.count)
      for (index, target) in graph.next.enumerated() {
        let slot = Int(target) * symbolCount + index % symbolCount
        states[Int(places[slot])] = Int32(index / symbolCount)
        places[slot] += 1
      }
      self.states = states
    }

    func sources(of state: Int, _ symbol: Int) -> some Sequence<Int> {
      let slot = state * symbolCount + symbol
      return states[Int(starts[slot])..<Int(starts[slot + 1])].lazy.map(Int.init)
    }
  }

  /// A partition of the states; splitting takes time proportional to the number of marked states.
  private struct Partition {
    private var elements: [Int]
    private var places: [Int]
    private var blocks: [Int]
    private var ranges: [Range<Int>]
    private var markedCounts: [Int]
    private var touched: [Int] = []

    init(count: Int) {
      elements = Array(0..<count)
      places = elements
      blocks = [Int](repeating: 0, count: count)
      ranges = [0..<count]
      markedCounts = [0]
    }

    var blockCount: Int { ranges.count }

    func block(of state: Int) -> Int { blocks[state] }

    func members(of block: Int) -> ArraySlice<Int> { elements[ranges[block]] }

    /// Moves states to the front of their blocks.
    mutating func mark(_ states: some Sequence<Int>) {
      for state in states {
        let block = blocks[state]
        let border = ranges[block].lowerBound + markedCounts[block]
        guard places[state] >= border else { continue }
        if markedCounts[block] == 0 { touched.append(block) }
        markedCounts[block] += 1
        let (other, place) = (elements[border], places[state])
        elements.swapAt(border, place)
        (places[state], places[other]) = (border, place)
      }
    }

    /// Splits each block into its marked and unmarked states; returns the old and the new blocks.
    mutating func splitMarked() -> [(old: Int, new: Int)] {
      var pairs: [(old: Int, new: Int)] = []
      defer { touched = [] }
      for block in touched {
        let range = ranges[block]
        let border = range.lowerBound + markedCounts[block]
        markedCounts[block] = 0
        guard border < range.upperBound else { continue }
        let new = ranges.count
        ranges.append(range.lowerBound..<border)
        ranges[block] = border..<range.upperBound
        markedCounts.append(0)
        for place in range.lowerBound..<border { blocks[elements[place]] = new }
        pairs.append((block, new))
      }
      return pairs
    }
  }
}
