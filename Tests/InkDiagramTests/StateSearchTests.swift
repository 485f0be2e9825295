import Foundation
import Ink
import Testing

@testable import InkDiagram

/// Which rings of strokes are states.
@Suite(.timeLimit(.minutes(30))) struct StateSearchTests {
  private static let network = Result { try PageNetwork.released() }

  private func circle(_ x: Double, _ y: Double, _ radius: Double) -> Stroke {
    Stroke(
      (0...60).map { step in
        let turns: Double = 1.02 * Double(step) / 60 - 0.25
        let angle = 2 * Double.pi * turns
        return Point(x + radius * cos(angle), y + radius * sin(angle))
      })
  }

  private func states(_ strokes: [Stroke], known: Set<Int> = []) throws -> [StateCandidate] {
    let drawing = Drawing(strokes)
    let traces = drawing.traces
    let seen = SeenStrokes(of: traces, in: drawing, with: try Self.network.get(), workers: 1)
    return StateSearch(traces: traces, known: known, seen: seen).states()
  }

  /// Empty rings as small as letters say little about the size of states, however many they are.
  @Test func manyLettersAreNotTheUsualStates() throws {
    // So far apart that the network sees nothing of them.
    let letters = (1...30).map { circle(2000 * Double($0), 0, 10) }
    let states = try states([circle(0, 0, 100)] + letters)
    #expect(states.contains { $0.strokes == [0] })
  }

  /// The inner ring of a final state may be little more than half as large as the outer one.
  @Test func aMuchSmallerInnerRingMakesAStateFinal() throws {
    // The network does not judge a state that is known; the dot makes the page larger.
    let rings = [circle(200, 200, 50), circle(200, 200, 30)]
    let states = try states(rings + [Stroke([Point(700, 200)])], known: [0])
    #expect(states.map(\.strokes) == [[0, 1]])
    #expect(states.map(\.isFinal) == [true])
  }
}
