import Foundation
import Ink

/// The heads of arrows.
extension PageArrowSearch {
  /// Decides which way arrows between states lead.
  func direct(_ arrows: inout [PageArrow]) {
    let heads = ownHeads(of: arrows)
    for number in arrows.indices where arrows[number].from != nil {
      let odds = PageArrowOdds.directions(heads[number])
      arrows[number].direction = odds.forward - odds.backward
      arrows[number].hasTwoHeads = odds.both > max(odds.forward, odds.backward)
      if arrows[number].direction < 0 { arrows[number].turn() }
    }
  }

  /// Turns doubtful arrows of states that no arrow leads to: in an automaton, only the initial state is one.
  func turnToUnreached(
    _ arrows: inout [PageArrow], besides markers: [PageArrow], _ odds: PageArrowOdds
  ) {
    var counts = [Int](repeating: 0, count: lines.states.count)
    for arrow in arrows + markers where arrow.from != arrow.to {
      counts[arrow.to!] += 1
      if arrow.hasTwoHeads { counts[arrow.from!] += 1 }
    }
    let unreached = counts.indices.filter { counts[$0] == 0 }
    let byAutomaton = Dictionary(grouping: unreached) { odds.automaton[$0] }
    for (automaton, states) in byAutomaton.sorted(by: { $0.key < $1.key }) {
      let turns = states.compactMap { state in
        arrows.indices.filter {
          arrows[$0].from == state && arrows[$0].to != state && !arrows[$0].hasTwoHeads
        }.min { arrows[$0].direction < arrows[$1].direction }
      }.sorted { arrows[$0].direction < arrows[$1].direction }
      // Without an initial arrow, the likeliest of them is the initial state.
      let most = odds.hasInitial(automaton) ? states.count : states.count - 1
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
    let reach = lines.headReach
    var owners = [Int?](repeating: nil, count: lines.levels.count)
    var costs = [Double](repeating: .infinity, count: lines.levels.count)
    for (number, arrow) in arrows.enumerated() {
      for (index, place) in arrow.path.enumerated() {
        let way = lines.way(arrow.path, at: index)
        let toEnd = Double(min(index, arrow.path.count - 1 - index))
        for down in stride(from: -reach, through: reach, by: 1) {
          for across in stride(from: -reach, through: reach, by: 1) {
            let cell = lines.cells.cell(at: place + Vector(across, down))
            guard lines.head(cell) > lines.decoding.ownedHead else { continue }
            let cost =
              Vector(across, down).length
              + lines.decoding.headTurned * (1 - abs(lines.towards(cell).dot(way)))
              + lines.decoding.headFar * max(0, toEnd - lines.scale)
            if cost < costs[cell] { (costs[cell], owners[cell]) = (cost, number) }
          }
        }
      }
    }
    return arrows.indices.map { number in
      lines.heads(along: arrows[number].path) {
        owners[$0] == number || lines.head($0) <= lines.decoding.ownedHead
      }
    }
  }

  /// Returns the heads without a line that point at a state: triangles and wedges that mark initial states, one for
  /// each automaton.
  func markers(besides odds: inout PageArrowOdds) -> [PageArrow] {
    lonelyHeads(besides: odds).sorted { $0.odds > $1.odds }.filter { marker in
      guard marker.odds > lines.decoding.leastOdds, !odds.hasInitial(marker.to!) else {
        return false
      }
      odds.choose(marker)
      return true
    }
  }

  /// Returns the heads that are no part of a chosen arrow, each as an arrow to the nearest state.
  func lonelyHeads(besides odds: PageArrowOdds) -> [PageArrow] {
    let isHead = odds.isTaken.indices.map {
      lines.head($0) > lines.decoding.markerHead && !odds.isTaken[$0]
    }
    var isNear = isHead
    lines.cells.mark(
      isHead.indices.filter { isHead[$0] }.map(lines.cells.place), reach: 1, in: &isNear)
    return lines.cells.groups(of: isNear, neighbors: lines.cells.neighbors).compactMap { group in
      marker(of: group.filter { isHead[$0] }, besides: odds)
    }
  }

  /// Returns the arrow to the nearest state that the cells of a head stand for, unless they are few or far away.
  private func marker(of part: [Int], besides odds: PageArrowOdds) -> PageArrow? {
    guard Double(part.count) > lines.decoding.markerSize * lines.scale else { return nil }
    let share = 1 / Double(part.count)
    let middle = part.reduce(Vector(0, 0)) { $0 + lines.cells.place(of: $1) } * share
    let towards = part.reduce(Vector(0, 0)) { $0 + lines.towards($1) } * share
    let distances = lines.states.map { $0.distance(to: middle) }
    let state = distances.indices.min { distances[$0] < distances[$1] }!
    guard distances[state] < lines.decoding.markerReach * lines.scale else { return nil }
    let inwards = (lines.states[state].center - middle).unit
    func half(_ way: Vector) -> Double {
      part.reduce(0) { max($0, abs((lines.cells.place(of: $1) - middle).dot(way))) }
    }
    let (along, across) = (half(inwards), half(Vector(-inwards.y, inwards.x)))
    var marker = PageArrow(
      from: nil, to: state, path: [middle - inwards * along, middle + inwards * along], votes: 1)
    marker.hasLine = false
    marker.headAtTip = Double(part.count)
    marker.direction = 1
    marker.known = [
      log(Double(part.count) / lines.scale), distances[state] / lines.scale, towards.length,
      towards.unit.dot(inwards), along / lines.scale, across / lines.scale,
      shareBeside(part) { lines.levels[$0] - lines.head($0) > lines.decoding.startingLine },
      shareBeside(part) { odds.isTaken[$0] }, odds.hasInitial(state) ? 1 : 0,
      lineShare(from: middle - inwards * along, towards: inwards * -1),
    ]
    marker.odds = PageArrowNetworks.marker(marker.known)[0]
    return marker
  }

  /// Returns how much of a line there is behind a head, as a share of the usual radius.
  private func lineShare(from start: Vector, towards way: Vector) -> Double {
    let side = Vector(-way.y, way.x)
    let steps = max(1, Int(lines.scale))
    let seen = (1...steps).count { step in
      let reach = (lines.decoding.behindWidth * Double(step)).rounded(.up)
      return stride(from: -reach, through: reach, by: 1).contains { across in
        let cell = lines.cells.cell(at: start + way * Double(step) + side * across)
        return lines.levels[cell] - lines.head(cell) > lines.decoding.goingOn
      }
    }
    return Double(seen) / Double(steps)
  }

  /// Returns the share of some cells that are beside one with a property.
  private func shareBeside(_ part: [Int], _ isMeant: (Int) -> Bool) -> Double {
    let touching = part.count { cell in
      let place = lines.cells.place(of: cell)
      return [-2.0, -1, 1, 2].contains { step in
        [Vector(step, 0), Vector(0, step)].contains {
          isMeant(lines.cells.cell(at: place + $0))
        }
      }
    }
    return Double(touching) / Double(part.count)
  }
}
