import Ink
import InkDiagram
import Testing

@Suite struct DiagramAutomataTests {
  /// States in a row, ten apart, with transitions between the given ones.
  private func diagram(
    count: Int, initial: Set<Int>, transitions: [(Int, Int)]
  ) -> Diagram {
    Diagram(
      states: (0..<count).map {
        .init(
          id: "s\($0)", initial: initial.contains($0), center: Vector(10 * Double($0), 0), radius: 3
        )
      },
      transitions: transitions.map { .init(from: "s\($0)", to: "s\($1)") }, strokes: [])
  }

  @Test func partsWithAnInitialStateEachAreAutomata() {
    let two = diagram(count: 4, initial: [0, 3], transitions: [(0, 1), (3, 2), (2, 2)])
    #expect(two.automata == [["s0", "s1"], ["s2", "s3"]])
  }

  @Test func aPartWithoutAnInitialStateBelongsToTheNearestAutomaton() {
    // The part of s2 and s4 begins nearer to the first automaton, but ends beside the second one.
    var two = diagram(count: 6, initial: [0, 5], transitions: [(0, 1), (2, 4), (3, 5)])
    two.states[2].center = Vector(25, 0)
    two.states[3].center = Vector(60, 0)
    two.states[4].center = Vector(50, 8)
    #expect(two.automata == [["s0", "s1"], ["s2", "s3", "s4", "s5"]])
    two.states[4].center = Vector(30, 8)
    #expect(two.automata == [["s0", "s1", "s2", "s4"], ["s3", "s5"]])
  }

  @Test func oneInitialStateOrNoneMakesOneAutomaton() {
    let apart = diagram(count: 3, initial: [1], transitions: [(0, 2)])
    #expect(apart.automata == [["s0", "s1", "s2"]])
    #expect(diagram(count: 2, initial: [], transitions: []).automata == [["s0", "s1"]])
    let connected = diagram(count: 2, initial: [0, 1], transitions: [(0, 1)])
    #expect(connected.automata == [["s0", "s1"]])
    #expect(diagram(count: 0, initial: [], transitions: []).automata == [])
  }
}
