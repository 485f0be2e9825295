import Foundation
import Ink
import InkDiagram
import InkEvaluation
import Testing

@Suite(.timeLimit(.minutes(30))) struct DiagramComparisonTests {
  /// A diagram of states with places, and transitions such as `0a,b1`: from, symbols, to.
  private func diagram(
    _ names: String, at places: [(Double, Double)]? = nil, initial: Set<Int> = [0],
    final: Set<Int> = [1], _ transitions: [(Int, String, Int)], ids: String = "s",
    strokes: [Diagram.StrokeRole] = []
  ) -> Diagram {
    let names = names.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return Diagram(
      states: names.indices.map { index in
        let place = places?[index] ?? (300 * Double(index), 100)
        return Diagram.State(
          id: "\(ids)\(index)", name: names[index] == "-" ? "" : names[index],
          initial: initial.contains(index), final: final.contains(index),
          center: Vector(place.0, place.1), radius: 50)
      },
      transitions: transitions.map {
        .init(
          from: "\(ids)\($0.0)", to: "\(ids)\($0.2)",
          symbols: $0.1.split(separator: ",").map(String.init))
      }, strokes: strokes)
  }

  private let truth: [(Int, String, Int)] = [(0, "a", 1), (1, "b", 2), (2, "a,b", 2)]

  @Test func theSameAutomatonInAnotherOrderIsExactlyRight() {
    let own = diagram("q0 q1 q2", truth)
    let other = diagram(
      "q2 q0 q1", at: [(605, 95), (4, 101), (300, 110)], initial: [1], final: [2],
      [(0, "b,a", 0), (2, "b", 0), (1, "a", 2)], ids: "x")
    let comparison = DiagramComparison(other, truth: own)
    #expect(comparison.exact == .init(right: 1, count: 1))
    #expect(comparison.structure.right == 1 && comparison.folded.right == 1)
    #expect(comparison.states == .init(found: 3, missed: 0, wrong: 0))
    #expect(comparison.transitions == .init(found: 3, missed: 0, wrong: 0))
    #expect(comparison.names == .init(right: 3, count: 3))
    #expect(comparison.symbols == .init(right: 3, count: 3))
  }

  /// Found by `scripts/fuzz`.
  @Test func aDiagramInAFileHasStatesThatCanBeDrawn() throws {
    let fields = #""name":"","initial":false,"final":false,"radius":3"#
    func states(_ ids: [String], center: String) -> Data {
      let states = ids.map { #"{"id":"\#($0)",\#(fields),"center":\#(center)}"# }
      let list = states.joined(separator: ",")
      return Data(#"{"automaton":{"states":[\#(list)],"transitions":[]}}"#.utf8)
    }
    let decoder = JSONDecoder()
    let read = try decoder.decode(Diagram.self, from: states(["a", "b"], center: "[1,2]"))
    #expect(read.states.count == 2)
    for data in [states(["a", "a"], center: "[1,2]"), states(["a"], center: "[1]")] {
      #expect(throws: DecodingError.self) { try decoder.decode(Diagram.self, from: data) }
    }
  }

  @Test func parallelTransitionsAreOne() {
    let two = diagram("A B", [(0, "a", 1), (0, "b", 1)])
    let one = diagram("A B", [(0, "a,b", 1)])
    #expect(DiagramComparison(two, truth: one).exact.right == 1)
    #expect(DiagramComparison(one, truth: two).exact.right == 1)
  }

  @Test func charactersThatLookAlikeCountSeparately() {
    let own = diagram("q0 A1 O", truth)
    let read = diagram("qo AI 0", truth)
    let comparison = DiagramComparison(read, truth: own)
    #expect(comparison.exact.right == 0 && comparison.folded.right == 1)
    #expect(comparison.structure.right == 1)
    #expect(comparison.names.right == 0 && comparison.foldedNames.right == 3)
    #expect(DiagramComparison(diagram("q2 A1 O", truth), truth: own).folded.right == 0)
  }

  @Test(arguments: [
    ([(1, "a", 0), (1, "b", 2), (2, "a,b", 2)], 0, 1),
    ([(0, "a", 1), (1, "b", 2)], 0, 1), ([(0, "a", 1), (1, "b", 2), (2, "a", 2)], 1, 0),
    ([(0, "a", 1), (1, "b", 2), (2, "", 2)], 1, 0),
  ])
  func aMissedOrReversedTransitionIsFound(
    transitions: [(Int, String, Int)], structure: Int, missed: Int
  ) {
    let comparison = DiagramComparison(
      diagram("q0 q1 q2", transitions), truth: diagram("q0 q1 q2", truth))
    #expect(comparison.structure.right == structure && comparison.exact.right == 0)
    #expect(comparison.transitions.missed == missed)
    #expect(comparison.symbols.right == 2)
  }

  @Test func marksOfStatesArePartOfTheStructure() {
    let own = diagram("q0 q1 q2", truth)
    let unmarked = DiagramComparison(diagram("q0 q1 q2", final: [], truth), truth: own)
    #expect(unmarked.structure.right == 0)
    #expect(unmarked.final == .init(found: 0, missed: 1, wrong: 0))
    let moved = DiagramComparison(diagram("q0 q1 q2", initial: [2], truth), truth: own)
    #expect(moved.structure.right == 0)
    #expect(moved.initial == .init(found: 0, missed: 1, wrong: 1))
  }

  @Test func aMissedStateLeavesTheOthers() {
    let own = diagram("q0 q1 q2", truth)
    let found = diagram(
      "q1 q2", at: [(310, 95), (600, 105)], initial: [], final: [0], [(0, "b", 1)])
    let comparison = DiagramComparison(found, truth: own)
    #expect(comparison.states == .init(found: 2, missed: 1, wrong: 0))
    #expect(comparison.transitions == .init(found: 1, missed: 2, wrong: 0))
    #expect(comparison.names == .init(right: 2, count: 3))
    #expect(comparison.final.found == 1)
  }

  @Test func withoutPlacesNamesAndTransitionsDecide() {
    let own = diagram("q0 q1 q2", at: [(0, 0), (0, 0), (0, 0)], truth)
    let found = diagram("q2 q1 q0", final: [1], [(2, "a", 1), (1, "b", 0)])
    let comparison = DiagramComparison(found, truth: own)
    #expect(comparison.names.right == 3 && comparison.transitions.found == 2)
  }

  /// All states look alike, so that a search without refinement has 12! ways.
  @Test func ringsOfEqualStatesAreCompared() {
    let count = 12
    func ring(_ shift: Int, broken: Bool = false) -> Diagram {
      let way = (0..<count).map { (($0 * shift) % count, "a", ($0 + 1) * shift % count) }
      return diagram(
        Array(repeating: "-", count: count).joined(separator: " "),
        at: Array(repeating: (0, 0), count: count), initial: [], final: [],
        broken ? way.dropLast() + [(way[count - 1].0, "a", way[2].0)] : way)
    }
    #expect(DiagramComparison(ring(5), truth: ring(1)).exact.right == 1)
    #expect(DiagramComparison(ring(5, broken: true), truth: ring(1)).structure.right == 0)
  }

  @Test func rolesOfStrokesAreCompared() {
    let roles: [Diagram.StrokeRole] = [
      .init(.state, element: "s0"), .init(.text, element: "s0"), .init(.transition, element: "t0"),
      .init(.text, element: "t0"), .init(.other),
    ]
    let own = diagram("A B", [(0, "a", 1)], strokes: roles)
    #expect(DiagramComparison(own, truth: own).elements == .init(right: 5, count: 5))
    var found = diagram("A B", [(0, "a", 1)], strokes: roles)
    found.strokes[1] = .init(.text, element: "t0")
    found.strokes[3] = .init(.transition, element: "t0")
    found.strokes[4] = .init(.text)
    let comparison = DiagramComparison(found, truth: own)
    #expect(comparison.roles == .init(right: 3, count: 5))
    #expect(comparison.text == .init(right: 3, count: 5))
    #expect(comparison.elements == .init(right: 2, count: 5))
    #expect(comparison.confusion["text"] == ["text": 1, "transition": 1])
    // One shape for another is no text.
    found.strokes = roles
    found.strokes[0] = .init(.transition, element: "t0")
    let shapes = DiagramComparison(found, truth: own)
    #expect(shapes.roles.right == 4 && shapes.text.right == 5)
  }

  /// States whose names and places mislead are matched as the transitions say.
  @Test func anIsomorphismDecidesWhichStateIsWhich() {
    let own = diagram("A B C", [(0, "a", 1), (1, "b", 2), (2, "c", 2)])
    let found = diagram(
      "B C A", at: [(300, 100), (600, 100), (0, 100)], [(0, "a", 1), (1, "b", 2), (2, "c", 2)])
    let comparison = DiagramComparison(found, truth: own)
    #expect(comparison.structure.right == 1)
    #expect(comparison.transitions == .init(found: 3, missed: 0, wrong: 0))
    #expect(comparison.names.right == 0)
  }

  @Test func sumsAreCountsOfAllDrawings() {
    let own = diagram("q0 q1 q2", truth)
    var sum = DiagramComparison()
    sum += DiagramComparison(own, truth: own)
    sum += DiagramComparison(diagram("q0 q1 -", truth), truth: own)
    #expect(sum.exact == .init(right: 1, count: 2) && sum.structure == .init(right: 2, count: 2))
    #expect(sum.names == .init(right: 5, count: 6))
    #expect(sum.states.found == 6 && sum.transitions.found == 6)
  }

  @Test func attributesKeepADiagram() throws {
    let roles: [Diagram.StrokeRole] = [.init(.state, element: "s0"), .init(.other)]
    let own = diagram("q0 -", [(0, "a,ε", 1)], strokes: roles)
    #expect(try Diagram(attributes: own.attributes) == own)
    #expect(try Diagram(attributes: ["kind": .text("ring")]) == nil)
  }
}
