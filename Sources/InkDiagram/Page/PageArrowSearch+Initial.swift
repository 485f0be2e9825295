import Foundation
import Ink

/// The initial states: at most one of each automaton.
extension PageArrowSearch {
  /// The end of an arrow: its place, and the direction in which it leads there.
  struct End {
    var place: Vector
    var way: Vector
  }

  /// Returns what may mark the initial states, judged besides the arrows between states: lines with one end at a state, and
  /// heads without a line.
  func initialMarkers(among candidates: [PageArrow], besides arrows: [PageArrow]) -> [PageArrow] {
    var odds = PageArrowOdds(lines)
    var tips = [[End]](repeating: [], count: lines.states.count)
    var starts = tips
    for arrow in arrows {
      odds.choose(arrow)
      let (from, to) = (arrow.from!, arrow.to!)
      let start = End(place: arrow.path[0], way: lines.heading(arrow.path.reversed()))
      tips[to].append(End(place: arrow.path.last!, way: lines.heading(arrow.path)))
      if arrow.hasTwoHeads { tips[from].append(start) } else { starts[from].append(start) }
    }
    let initial = candidates.filter { $0.from == nil }.map { line in
      var line = line
      odds.judgeInitial(&line, tips: tips[line.to!], starts: starts[line.to!])
      return line
    }
    let heads = lonelyHeads(besides: odds).map { head in
      var head = head
      let tip = End(place: head.path[1], way: (head.path[1] - head.path[0]).unit)
      head.known += odds.knownOfTip(tip, tips: tips[head.to!], starts: starts[head.to!])
      head.odds = lines.networks.initialHead(head.known)[0]
      return head
    }
    return initial + heads
  }

  /// Returns the likeliest marker of each automaton, unless it is likelier that it has none.
  ///
  /// The markers of one state add up; those of different states, and no marker, exclude each other. So the odds of a marker
  /// are the logarithm of its share, where no marker has the share 1: a softmax.
  func initialArrows(among markers: [PageArrow], automata: [Int]) -> [PageArrow] {
    Dictionary(grouping: markers) { automata[$0.to!] }.sorted { $0.key < $1.key }
      .compactMap { _, markers -> PageArrow? in
        // In one order, so that their sum is the same in every run.
        let shares = Dictionary(grouping: markers) { $0.to! }
          .mapValues { $0.reduce(0) { $0 + exp($1.odds) } }.sorted { $0.key < $1.key }
        let (state, share) = shares.max { $0.value < $1.value }!
        guard share > 1 else { return nil }
        var marker = markers.filter { $0.to == state }.max { $0.odds < $1.odds }!
        let others = shares.reduce(1) { $0 + $1.value } - share
        marker.odds = log(share / others)
        return marker
      }
  }

  /// Returns the heads that are no part of a chosen arrow, each as an arrow to the nearest state.
  private func lonelyHeads(besides odds: PageArrowOdds) -> [PageArrow] {
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
    let places = part.map(lines.cells.place)
    let (middle, towards) = (places.mean, part.map(lines.towards).mean)
    let distances = lines.states.map { $0.distance(to: middle) }
    let state = distances.indices.min { distances[$0] < distances[$1] }!
    guard distances[state] < lines.decoding.markerReach * lines.scale else { return nil }
    let inwards = (lines.states[state].center - middle).unit
    func half(_ way: Vector) -> Double {
      places.reduce(0) { max($0, abs(($1 - middle).dot(way))) }
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
      shareBeside(part) { odds.isTaken[$0] },
      lineShare(from: middle - inwards * along, towards: inwards * -1),
    ]
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
