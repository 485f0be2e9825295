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
    guard graph.names.contains("") else { return graph.automaton }
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
    // The states from which a symbol leads to a state, `[state · symbols + symbol]`.
    let sources = Lists(
      count: count * symbolCount,
      complete.next.indices.lazy.map { index in
        let (state, symbol) = index.quotientAndRemainder(dividingBy: symbolCount)
        return (Int(complete.next[index]) * symbolCount + symbol, Int32(state))
      })
    var partition = Partition(count: count)
    partition.mark(complete.isFinal.indices.lazy.filter { complete.isFinal[$0] }.map(Int32.init))
    _ = partition.splitMarked()

    // Splitters as block · symbols + symbol.
    var waiting = Array(0..<partition.blockCount * symbolCount)
    var isWaiting = [Bool](repeating: true, count: waiting.count)
    isWaiting += [Bool](repeating: false, count: count * symbolCount)
    while let splitter = waiting.popLast() {
      isWaiting[splitter] = false
      let (block, symbol) = splitter.quotientAndRemainder(dividingBy: symbolCount)
      // Copies the block, because a slice would make marking copy the whole partition.
      for state in Array(partition.members(of: block)) {
        partition.mark(sources[Int(state) * symbolCount + symbol])
      }
      for (old, new) in partition.splitMarked() {
        let smaller =
          partition.members(of: new).count <= partition.members(of: old).count ? new : old
        for symbol in 0..<symbolCount {
          // If the old block is still waiting, both parts have to wait.
          let part = isWaiting[old * symbolCount + symbol] ? new : smaller
          let splitter = part * symbolCount + symbol
          if !isWaiting[splitter] {
            isWaiting[splitter] = true
            waiting.append(splitter)
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
      guard let state = members.first.map(Int.init) else { continue }
      result.isFinal[block] = complete.isFinal[state]
      result.names[block] = name(ofMerged: members, longest: longestName)
      for symbol in 0..<symbolCount {
        result.next[block * symbolCount + symbol] = Int32(
          partition.block(of: Int(complete.next[state * symbolCount + symbol])))
      }
    }
    return result
  }

  private func name(ofMerged members: ArraySlice<Int32>, longest: Int) -> String {
    // The added trap state is not one of the automaton's states.
    let members = members.map(Int.init).filter { $0 < stateCount }
    if members.count == 1 { return names[members[0]] }
    guard members.count <= longest, !members.contains(where: { names[$0].isEmpty }) else {
      return ""
    }
    // Sorted so that q2 comes before q10.
    let parts = members.map { names[$0] }.sorted { ($0.count, $0) < ($1.count, $1) }
    let name = Automaton.nameOfSet(parts)
    return name.count <= longest ? name : ""
  }

  /// A partition of the states; splitting takes time proportional to the number of marked states.
  private struct Partition {
    private var elements: [Int32]
    private var places: [Int32]
    private var blocks: [Int32]
    private var ranges: [Range<Int>]
    private var markedCounts: [Int]
    private var touched: [Int] = []

    init(count: Int) {
      elements = Array(0..<Int32(count))
      places = elements
      blocks = [Int32](repeating: 0, count: count)
      ranges = [0..<count]
      markedCounts = [0]
    }

    var blockCount: Int { ranges.count }

    func block(of state: Int) -> Int { Int(blocks[state]) }

    func members(of block: Int) -> ArraySlice<Int32> { elements[ranges[block]] }

    /// Moves states to the front of their blocks.
    mutating func mark(_ states: some Sequence<Int32>) {
      for state in states {
        let block = Int(blocks[Int(state)])
        let border = ranges[block].lowerBound + markedCounts[block]
        let place = Int(places[Int(state)])
        guard place >= border else { continue }
        if markedCounts[block] == 0 { touched.append(block) }
        markedCounts[block] += 1
        let other = elements[border]
        elements.swapAt(border, place)
        (places[Int(state)], places[Int(other)]) = (Int32(border), Int32(place))
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
        for place in range.lowerBound..<border { blocks[Int(elements[place])] = Int32(new) }
        pairs.append((block, new))
      }
      return pairs
    }
  }
}
