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
      .merged(longestName: Self.longestSetName).ordered()
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
  /// Returns the graph with equivalent states merged, without those that lead to no final state
  /// (Hopcroft, 1971).
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
    // Splitters as block · symbols + symbol.
    var waiting: [Int] = []
    var isWaiting = [Bool](repeating: false, count: count * symbolCount)
    func wait(for old: Int, _ new: Int, smaller: Int) {
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
    // States that lead to no final state are equivalent.
    let isDead = complete.deadStates(sources)
    for part in [isDead, complete.isFinal] {
      for state in 0..<count where part[state] { partition.mark(Int32(state)) }
      partition.splitMarked(wait)
    }
    var marked: [Int32] = []
    while let splitter = waiting.popLast() {
      isWaiting[splitter] = false
      let (block, symbol) = splitter.quotientAndRemainder(dividingBy: symbolCount)
      // First all of them, because marking moves the states of a block.
      marked.removeAll(keepingCapacity: true)
      for state in partition.members(of: block) {
        for place in sources.places(of: Int(state) * symbolCount + symbol) {
          marked.append(sources.elements[place])
        }
      }
      for state in marked { partition.mark(state) }
      partition.splitMarked(wait)
    }

    let blocks = partition.blockCount
    var result = DeterministicGraph(
      symbols: symbols, next: [], isFinal: [], initial: partition.block(of: initial), names: [])
    result.next.reserveCapacity(blocks * symbolCount)
    for block in 0..<blocks {
      let members = partition.members(of: block)
      let state = Int(members.first!)
      result.isFinal.append(complete.isFinal[state])
      result.names.append(
        isDead[state] ? names[initial] : name(ofMerged: members, longest: longestName))
      for symbol in 0..<symbolCount {
        let target = Int(complete.next[state * symbolCount + symbol])
        result.next.append(isDead[target] ? -1 : Int32(partition.block(of: target)))
      }
    }
    return result
  }

  /// Returns for each state whether it is dead: no final state can be reached from it.
  private func deadStates(_ sources: Lists<Int32>) -> [Bool] {
    var isDead = isFinal.map { !$0 }
    var open = isFinal.indices.filter { isFinal[$0] }
    while let state = open.popLast() {
      for list in state * symbols.count..<(state + 1) * symbols.count {
        for place in sources.places(of: list) {
          let source = Int(sources.elements[place])
          guard isDead[source] else { continue }
          isDead[source] = false
          open.append(source)
        }
      }
    }
    return isDead
  }

  private func name(ofMerged members: ArraySlice<Int32>, longest: Int) -> String {
    var parts = members.map { names[Int($0)] }
    if parts.count == 1 { return parts[0] }
    guard parts.count <= longest, !parts.contains("") else { return "" }
    // Sorted so that q2 comes before q10.
    parts.sort { ($0.count, $0) < ($1.count, $1) }
    let name = Automaton.nameOfSet(parts)
    // A text has at most as many characters as bytes, and bytes are counted faster.
    return name.utf8.count <= longest || name.count <= longest ? name : ""
  }

  /// A partition of the states; splitting takes time proportional to the number of marked states.
  private struct Partition {
    private struct Block {
      /// Where its states are among the members; the marked ones come first.
      var start: Int32
      var end: Int32
      /// The end of the marked ones.
      var border: Int32
    }

    /// The states, block after block.
    private var members: [Int32]
    /// The block of each state, and where the state is among the members.
    private var states: [(block: Int32, place: Int32)]
    private var blocks: [Block]
    /// The blocks that have marked states.
    private var touched: [Int32] = []

    init(count: Int) {
      members = Array(0..<Int32(count))
      states = members.map { (0, $0) }
      blocks = [Block(start: 0, end: Int32(count), border: 0)]
    }

    var blockCount: Int { blocks.count }

    func block(of state: Int) -> Int { Int(states[state].block) }

    func members(of block: Int) -> ArraySlice<Int32> {
      members[Int(blocks[block].start)..<Int(blocks[block].end)]
    }

    /// Moves a state to the marked ones of its block.
    mutating func mark(_ state: Int32) {
      let (block, place) = states[Int(state)]
      let border = blocks[Int(block)].border
      // A block of one state has nothing to split.
      guard place >= border, blocks[Int(block)].end - blocks[Int(block)].start > 1 else { return }
      if border == blocks[Int(block)].start { touched.append(block) }
      blocks[Int(block)].border = border + 1
      let other = members[Int(border)]
      members[Int(place)] = other
      members[Int(border)] = state
      states[Int(other)].place = place
      states[Int(state)].place = border
    }

    /// Splits each block into its marked states, which are a new block, and its unmarked ones.
    ///
    /// `body` gets the old, the new and the smaller block.
    mutating func splitMarked(_ body: (_ old: Int, _ new: Int, _ smaller: Int) -> Void) {
      for old in touched.map(Int.init) {
        let block = blocks[old]
        guard block.border < block.end else {
          blocks[old].border = block.start
          continue
        }
        let new = blocks.count
        blocks[old].start = block.border
        blocks.append(Block(start: block.start, end: block.border, border: block.start))
        for place in block.start..<block.border {
          states[Int(members[Int(place)])].block = Int32(new)
        }
        body(old, new, block.border - block.start <= block.end - block.border ? new : old)
      }
      touched.removeAll(keepingCapacity: true)
    }
  }
}
