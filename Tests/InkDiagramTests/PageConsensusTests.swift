import Ink
import Testing

@testable import InkDiagram

/// What most looks at a page see.
@Suite struct PageConsensusTests {
  private func state(_ x: Double, radius: Double = 10, final: Double = -1) -> PageState {
    PageState(
      center: Vector(x, 50), half: Vector(radius, radius),
      outline: [Double](repeating: radius, count: PageState.directions), support: 1,
      finalOdds: final)
  }

  private func arrow(_ from: Int?, _ to: Int, hasTwoHeads: Bool = false, y: Double = 50)
    -> PageArrow
  {
    var arrow = PageArrow(from: from, to: to, path: [Vector(0, y), Vector(9, y)], votes: 1)
    (arrow.hasTwoHeads, arrow.direction, arrow.odds) = (hasTwoHeads, 2, 5)
    return arrow
  }

  private func ends(_ automaton: PageReading.Automaton) -> [[Int?]] {
    automaton.arrows.map { [$0.from, $0.to] }
  }

  @Test func statesOfMostLooksStay() {
    let one = ([state(20), state(80), state(140)], [PageArrow]())
    let other = ([state(84), state(21)], [PageArrow]())
    let seen = PageConsensus([one, other, other]).automaton()
    // Where the first look sees them.
    #expect(seen.states.map(\.center.x) == [20, 80])
    // Of two looks, the first one decides.
    #expect(PageConsensus([one, other]).automaton().states.count == 3)
    #expect(PageConsensus([other, one]).automaton().states.count == 2)
    // A state that is half its radius away is another one.
    let apart = ([state(20), state(86)], [PageArrow]())
    #expect(PageConsensus([one, apart, apart]).automaton().states.count == 2)
    #expect(PageConsensus([one, apart, apart]).automaton().states.map(\.center.x) == [20, 86])
  }

  @Test func arrowsOfMostLooksStay() {
    let states = [state(20), state(80)]
    let (all, few) = ((states, [arrow(nil, 0), arrow(0, 1), arrow(1, 1)]), (states, [arrow(0, 1)]))
    #expect(ends(PageConsensus([all, few, few]).automaton()) == [[0, 1]])
    #expect(ends(PageConsensus([all, all, few]).automaton()) == [[nil, 0], [0, 1], [1, 1]])
    // The states have other numbers in another look.
    let turned = ([state(80), state(20)], [arrow(1, 0)])
    #expect(ends(PageConsensus([few, turned, turned]).automaton()) == [[0, 1]])
    // A look without the state says nothing about its arrows.
    let blind = ([state(20)], [PageArrow]())
    #expect(ends(PageConsensus([few, few, blind, blind]).automaton()) == [[0, 1]])
    let bare = (states, [PageArrow]())
    #expect(ends(PageConsensus([few, few, bare, blind, blind]).automaton()) == [[0, 1]])
  }

  @Test func disagreementIsDoubt() {
    let states = [state(20), state(80)]
    let (seen, unseen) = ((states, [arrow(0, 1)]), (states, [PageArrow]()))
    func odds(_ yes: Int, _ no: Int) -> Double {
      PageConsensus(
        [PageReading.Automaton](repeating: seen, count: yes)
          + [PageReading.Automaton](repeating: unseen, count: no)
      ).automaton().arrows[0].odds
    }
    #expect(odds(6, 0) > odds(5, 1) && odds(5, 1) > PageNumbers.doubtfulOdds)
    #expect(odds(4, 2) < PageNumbers.doubtfulOdds)
    // The same for states, where looks disagree.
    let less = ([state(20)], [PageArrow]())
    let some = PageConsensus([seen, seen, seen, less]).automaton().states.map(\.odds)
    #expect(some[0] == .infinity && some[1] > 0 && some[1] < 2)
    #expect(PageConsensus([seen]).automaton().states.map(\.odds) == [.infinity, .infinity])
  }

  @Test func aDoubtfulArrowIsAsLikelyAsItsOdds() {
    func odds(_ odds: Double) -> Double {
      var arrow = arrow(0, 1)
      arrow.odds = odds
      return arrow.oddsIfChosen
    }
    #expect(odds(PageNumbers.doubtfulOdds) == .infinity)
    // Just below, nine of ten are right, and fewer with lower odds.
    #expect(odds(0.9) == PageNumbers.mostDoubtful)
    #expect(abs(odds(-0.5) - 1.1) < 1e-9 && odds(-2) < 0)
  }

  @Test func bothHeadsAreVotedOn() {
    let states = [state(20), state(80)]
    let (both, there) = (
      (states, [arrow(0, 1, hasTwoHeads: true)]), (states, [arrow(0, 1)])
    )
    let two = PageConsensus([both, both, there]).automaton()
    #expect(ends(two) == [[0, 1], [1, 0]])
    #expect(two.arrows[1].path == two.arrows[0].path.reversed())
    #expect(two.arrows.allSatisfy { !$0.hasTwoHeads && $0.direction > 0 })
    #expect(ends(PageConsensus([both, there, there]).automaton()) == [[0, 1]])
  }

  /// Arrows with the same ends are those of the first look that has any.
  @Test func severalArrowsWithTheSameEndsStay() {
    let states = [state(20), state(80)]
    let (two, one) = (
      (states, [arrow(0, 1, y: 40), arrow(0, 1, y: 60)]), (states, [arrow(0, 1, y: 41)])
    )
    #expect(PageConsensus([two, one, one]).automaton().arrows.map(\.path[0].y) == [40, 60])
    #expect(PageConsensus([one, two, two]).automaton().arrows.map(\.path[0].y) == [41])
  }

  @Test func mostLooksSayWhichStatesAreFinal() {
    let (yes, no) = (
      ([state(20, final: 3)], [PageArrow]()), ([state(21, final: -2)], [PageArrow]())
    )
    for (looks, isFinal) in [([no, yes, yes], true), ([yes, no, no], false), ([no, yes], false)] {
      let seen = PageConsensus(looks).automaton()
      #expect(seen.states.count == 1)
      #expect((seen.states[0].finalOdds > 0) == isFinal)
    }
  }
}
