import Automata
import Foundation
import Ink

/// A layout for an automaton without positions.
///
/// The column of a state is its distance from an initial state. The order within a column follows
/// the barycentres of the neighbours, in sweeps to both sides (Sugiyama, Tagawa & Toda, 1981).
struct LayeredLayout {
  /// The position of each state, in canvas points.
  let places: [Vector]

  private static let columnWidth = 270.0
  private static let rowHeight = 210.0
  private static let sweeps = 8

  init(_ automaton: Automaton) {
    let count = automaton.states.count
    let numbers = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, $0) })
    var next = [Set<Int>](repeating: [], count: count)
    var neighbours = [Set<Int>](repeating: [], count: count)
    for transition in automaton.transitions {
      guard let start = numbers[transition.start], let end = numbers[transition.end], start != end
      else { continue }
      next[start].insert(end)
      neighbours[start].insert(end)
      neighbours[end].insert(start)
    }

    // Breadth-first search; unreachable states start again on the left.
    var column = [Int?](repeating: nil, count: count)
    var columns: [[Int]] = []
    func place(_ state: Int, _ number: Int) {
      column[state] = number
      if number == columns.count { columns.append([]) }
      columns[number].append(state)
    }
    let initial = automaton.states.indices.filter { automaton.states[$0].isInitial }
    for roots in [initial] + automaton.states.indices.map({ [$0] }) {
      var queue = roots.filter { column[$0] == nil }
      for root in queue { place(root, 0) }
      var done = 0
      while done < queue.count {
        let state = queue[done]
        done += 1
        for follower in next[state].sorted() where column[follower] == nil {
          place(follower, column[state]! + 1)
          queue.append(follower)
        }
      }
    }

    // Rows are counted from the centre of a column.
    var row = [Double](repeating: 0, count: count)
    func settle(_ states: [Int]) {
      for (position, state) in states.enumerated() {
        row[state] = Double(position) - Double(states.count - 1) / 2
      }
    }
    for states in columns { settle(states) }
    for sweep in 0..<Self.sweeps {
      let order = sweep.isMultiple(of: 2) ? Array(columns.indices) : columns.indices.reversed()
      for number in order {
        func middle(_ state: Int) -> Double {
          let others = neighbours[state].filter { column[$0] != number }
          return others.isEmpty
            ? row[state] : others.reduce(0) { $0 + row[$1] } / Double(others.count)
        }
        let middles = columns[number].map { ($0, middle($0)) }
        // The sort is stable, so that the same automaton gives the same picture.
        columns[number] = middles.enumerated()
          .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element.0)
        settle(columns[number])
      }
    }

    let tallest = columns.map(\.count).max() ?? 0
    places = (0..<count).map { state in
      Vector(
        200 + Self.columnWidth * Double(column[state] ?? 0),
        200 + Self.rowHeight * (row[state] + Double(max(0, tallest - 1)) / 2))
    }
  }
}
