import Foundation
import Ink
import Testing

@testable import InkDiagram

@Suite(.timeLimit(.minutes(30))) struct ArrowSearchTests {
  private func ring(_ x: Double, _ y: Double) -> Stroke {
    Stroke(
      (0...60).map { step in
        let angle = 2 * .pi * Double(step) / 60
        return Point(x + 50 * cos(angle), y + 50 * sin(angle))
      })
  }

  /// The part of a line behind a sharp corner can be a large head, or lead on to a state.
  @Test func aLineWithASharpCornerLeadsOn() throws {
    let line = Stroke([Point(155, 100), Point(355, 100), Point(335, 220)])
    let drawing = Drawing([ring(100, 100), ring(326, 275), line])
    let traces = drawing.traces
    let states = try traces.prefix(2).map { trace in
      StateCandidate(
        ring: try #require(Ring([trace.points], strokes: [trace.index])), strokes: [trace.index],
        isFinal: false, evidence: 5)
    }
    let seen = SeenStrokes(
      of: traces, in: drawing, with: try PageNetwork.released(), workers: 1)
    let arrows = ArrowSearch(traces: [traces[2]], states: states, scale: 50, seen: seen).arrows()
    #expect(arrows.contains { $0.shaft.headAtEnd && $0.shaft.length < 210 })
    #expect(arrows.contains { $0.from == 0 && $0.to == 1 && $0.shaft.length > 300 })
  }
}
