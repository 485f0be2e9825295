import Ink
import Testing

@testable import InkDiagram

@Suite(.timeLimit(.minutes(30))) struct ArrowChoiceTests {
  private func arrow(_ stroke: Int, from: Int?, to: Int, saving: Double) -> ArrowCandidate {
    let y = 100 * Double(stroke)
    return ArrowCandidate(
      shaft: Shaft(strokes: [stroke], path: [Vector(0, y), Vector(50, y), Vector(100, y)]),
      heads: [], from: from, to: to, cost: 0, hasHead: true, saving: saving)
  }

  /// A second arrow from a state to the same one has to save more; one that leads back need not.
  @Test(arguments: [(4.0, [0, 1, 3]), (5.5, [0, 1, 2, 3])]) func aParallelArrowHasToSaveMore(
    saving: Double, expected: [Int]
  ) {
    let choice = ArrowChoice(
      found: [
        arrow(0, from: nil, to: 0, saving: 3), arrow(1, from: 0, to: 1, saving: 6),
        arrow(2, from: 0, to: 1, saving: saving), arrow(3, from: 1, to: 0, saving: 4),
      ],
      traces: [], states: [], scale: 50)
    #expect(choice.arrows().flatMap(\.strokes) == expected)
  }
}
