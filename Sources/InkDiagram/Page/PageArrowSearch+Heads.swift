import Ink

/// The heads of arrows.
extension PageArrowSearch {
  /// Decides which way arrows between states lead.
  func direct(_ arrows: inout [PageArrow]) {
    let heads = ownHeads(of: arrows)
    for number in arrows.indices where arrows[number].from != nil {
      let odds = lines.networks.directions(heads[number])
      arrows[number].direction = odds.forward - odds.backward
      arrows[number].hasTwoHeads = odds.both > max(odds.forward, odds.backward)
      if arrows[number].direction < 0 { arrows[number].turn() }
    }
  }

  /// Turns doubtful arrows of states that no arrow leads to: in an automaton, only the initial state is one.
  func turnToUnreached(
    _ arrows: inout [PageArrow], besides markers: [PageArrow], automata: [Int]
  ) {
    var counts = [Int](repeating: 0, count: lines.states.count)
    for arrow in arrows + markers where arrow.from != arrow.to {
      counts[arrow.to!] += 1
      if arrow.hasTwoHeads { counts[arrow.from!] += 1 }
    }
    let unreached = counts.indices.filter { counts[$0] == 0 }
    let byAutomaton = Dictionary(grouping: unreached) { automata[$0] }
    let marked = Set(markers.map { automata[$0.to!] })
    for (automaton, states) in byAutomaton.sorted(by: { $0.key < $1.key }) {
      let turns = states.compactMap { state in
        arrows.indices.filter {
          arrows[$0].from == state && arrows[$0].to != state && !arrows[$0].hasTwoHeads
        }.min { arrows[$0].direction < arrows[$1].direction }
      }.sorted { arrows[$0].direction < arrows[$1].direction }
      // Without an initial arrow, the likeliest of them is the initial state.
      let most = marked.contains(automaton) ? states.count : states.count - 1
      for turn in turns.prefix(most)
      where arrows[turn].direction < lines.decoding.reachedOdds && counts[arrows[turn].to!] > 1 {
        counts[arrows[turn].to!] -= 1
        counts[arrows[turn].from!] += 1
        arrows[turn].turn()
      }
    }
  }

  /// Returns the heads of each arrow; each cell of a head belongs to the arrow that it lies along.
  func ownHeads(of arrows: [PageArrow]) -> [PageHeads] {
    var owners = [Int?](repeating: nil, count: lines.levels.count)
    var costs = [Double](repeating: .infinity, count: lines.levels.count)
    for (number, arrow) in arrows.enumerated() {
      for (index, place) in arrow.path.enumerated() {
        let way = lines.way(arrow.path, at: index)
        let toEnd = Double(min(index, arrow.path.count - 1 - index))
        lines.forEachCell(near: place) { column, row in
          let cell = row * lines.cells.columns + column
          guard lines.head(cell) > lines.decoding.ownedHead else { return }
          let aside = Vector(Double(column - Int(place.x)), Double(row - Int(place.y)))
          let cost =
            aside.length
            + lines.decoding.headTurned * (1 - abs(lines.towards(cell).dot(way)))
            + lines.decoding.headFar * max(0, toEnd - lines.scale)
          if cost < costs[cell] { (costs[cell], owners[cell]) = (cost, number) }
        }
      }
    }
    return arrows.indices.map { number in
      lines.heads(along: arrows[number].path) {
        owners[$0] == number || lines.head($0) <= lines.decoding.ownedHead
      }
    }
  }
}
