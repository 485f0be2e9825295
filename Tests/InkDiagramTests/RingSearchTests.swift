import Foundation
import Ink
import Testing

@testable import InkDiagram

@Suite(.timeLimit(.minutes(30))) struct RingSearchTests {
  /// The ends of a ring can stick out, but not far: here the pen goes on from the rim towards the middle.
  @Test(arguments: [(20.0, true), (42, false)]) func onlyAShortEndSticksOutOfARing(
    end: Double, isRing: Bool
  ) throws {
    let rim = (0...60).map { step in
      let angle = 2 * .pi * Double(step) / 60
      return Point(300 + 50 * cos(angle), 300 + 50 * sin(angle))
    }
    let trace = try #require(Trace(Stroke(rim + [Point(350 - end, 300)]), index: 0))
    let rings = RingSearch(traces: [trace]).rings()
    #expect(rings.map(\.strokes) == (isRing ? [[0]] : []))
  }
}
