import Foundation
import Ink

/// What most of several looks at one page see.
///
/// Each look is decoded on its own. What only some of them see is mostly a mistake, so that a page that is a little
/// darker, smaller or less sharp gives the same automaton.
struct PageConsensus {
  /// The automaton of each look, in the cells of the first one, which decides where as many say yes as no.
  private let looks: [PageReading.Automaton]
  /// The number that each state of each look has among all states; the same for the same state.
  private var numbers: [[Int]] = []
  /// The looks in which each state is seen.
  private var seenIn: [[Int]] = []

  init(_ looks: [PageReading.Automaton]) {
    self.looks = looks
    // The first look that sees a state shows where it is.
    var places: [PageState] = []
    for (look, automaton) in looks.enumerated() {
      var own: [Int] = []
      for state in automaton.states {
        func apart(_ number: Int) -> Double { places[number].distanceInAxes(to: state.center) }
        let same = places.indices.filter { !seenIn[$0].contains(look) }
          .min { apart($0) < apart($1) }
        if let same, apart(same) < PageNumbers.samePlace {
          own.append(same)
        } else {
          own.append(places.count)
          places.append(state)
          seenIn.append([])
        }
        seenIn[own.last!].append(look)
      }
      numbers.append(own)
    }
  }

  /// Whether `some` of the looks `all` are most of them.
  private func areMost(_ some: [Int], of all: [Int]) -> Bool {
    2 * some.count > all.count || 2 * some.count == all.count && some.first == all.first
  }

  /// Returns the logarithm of the odds of what some of `all` looks see; half a look is added to both sides, so that
  /// none are infinite.
  private static func odds(_ count: Int, of all: Int) -> Double {
    log((Double(count) + 0.5) / (Double(all - count) + 0.5))
  }

  /// The ends of an arrow, by the numbers of the states.
  private struct Ends: Hashable {
    var from: Int?
    var to: Int
  }

  /// Returns what most of the looks see.
  func automaton() -> PageReading.Automaton {
    let kept = seenIn.indices.filter { areMost(seenIn[$0], of: Array(looks.indices)) }
    let states = kept.map(state)
    let newNumbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    // All arrows with the same ends, by looks: an automaton can have several.
    var arrows: [Ends: [Int: [PageArrow]]] = [:]
    var order: [Ends] = []
    for (look, automaton) in looks.enumerated() {
      for arrow in automaton.arrows {
        for arrow in arrow.oneWay {
          let from = arrow.from.map { numbers[look][$0] }
          let ends = Ends(from: from, to: numbers[look][arrow.to!])
          if arrows[ends] == nil { order.append(ends) }
          arrows[ends, default: [:]][look, default: []].append(arrow)
        }
      }
    }
    let chosen = order.flatMap { ends -> [PageArrow] in
      guard let to = newNumbers[ends.to], ends.from.map({ newNumbers[$0] != nil }) ?? true else {
        return []
      }
      let votes = arrows[ends]!.keys.sorted()
      let able = seenIn[ends.to].filter { look in
        ends.from.map { seenIn[$0].contains(look) } ?? true
      }
      guard areMost(votes, of: able) else { return [] }
      let odds = Self.odds(votes.count, of: able.count)
      return arrows[ends]![votes[0]]!.map { arrow in
        var arrow = arrow
        (arrow.from, arrow.to) = (ends.from.map { newNumbers[$0]! }, to)
        if able.count > 1 { arrow.odds = min(arrow.odds, odds) }
        return arrow
      }
    }
    return (states, chosen)
  }

  /// Returns a state as the first look sees it, final if most looks see a second ring.
  private func state(_ number: Int) -> PageState {
    let seen = seenIn[number].map { look in
      looks[look].states[numbers[look].firstIndex(of: number)!]
    }
    var state = seen[0]
    if seen.count < looks.count { state.odds = Self.odds(seen.count, of: looks.count) }
    let finals = seen.indices.filter { seen[$0].finalOdds > 0 }
    let isFinal = areMost(finals, of: Array(seen.indices))
    state.finalOdds = seen.first { ($0.finalOdds > 0) == isFinal }!.finalOdds
    return state
  }
}

extension PageArrow {
  /// The arrow, or two with one head each where it has two heads.
  fileprivate var oneWay: [PageArrow] {
    guard hasTwoHeads, from != nil, from != to else { return [self] }
    var (there, back) = (self, self)
    there.hasTwoHeads = false
    back.hasTwoHeads = false
    back.turn()
    back.direction = direction
    return [there, back]
  }

  /// The arrow in cells of another size.
  func scaled(by factor: Double) -> PageArrow {
    var arrow = self
    arrow.path = path.map { $0 * factor }
    return arrow
  }
}

extension PageState {
  /// The state in cells of another size.
  func scaled(by factor: Double) -> PageState {
    var state = self
    (state.center, state.half) = (center * factor, half * factor)
    state.outline = outline.map { $0 * factor }
    return state
  }
}
