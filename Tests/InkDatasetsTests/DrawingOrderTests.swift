import Foundation
import Ink
import InkDatasets
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct DrawingOrderTests {
  private let eight = Drawing([
    Stroke(
      (0..<200).map { index in
        let angle = 2 * Double.pi * (Double(index) + 0.5) / 200
        return Point(25 * sin(2 * angle), -50 * cos(angle))
      })
  ])
  private let plus = Drawing([
    Stroke((0...20).map { Point(5 * Double($0) - 50, 0.1) }),
    Stroke((0...20).map { Point(0.1, 5 * Double($0) - 50) }),
  ])
  private let corner = Drawing([
    Stroke([Point(0, 0), Point(50, 0), Point(97, 0)]),
    Stroke([Point(100, 2), Point(100, 50), Point(100, 100)]),
  ])
  /// The straight part and the ring are one stroke, of which the end meets another part.
  private let six = Drawing([
    Stroke(
      (0...20).map { Point(0, 5 * Double($0)) }
        + (1...40).map { index in
          let angle = Double.pi * Double(index) / 20
          return Point(20 - 20 * cos(angle), 100 + 20 * sin(angle))
        })
  ])

  private func variations(of drawing: Drawing, count: Int = 400) -> [Drawing] {
    var generator = SeededGenerator(seed: 5)
    return (0..<count).map { _ in drawing.drawnOtherwise(using: &generator) }
  }

  /// The points along the ink, 1 canvas point apart or less.
  private func ink(of drawing: Drawing) -> [Point] {
    drawing.strokes.flatMap { $0.resampled(spacing: 1).points }
  }

  private func distance(of point: Point, from ink: [Point]) -> Double {
    ink.reduce(.infinity) { min($0, $1.distance(to: point)) }
  }

  @Test func theInkStays() {
    for drawing in [eight, plus, corner, six, circle(radius: 40)] {
      let size = drawing.bounds!.longerSide
      let before = ink(of: drawing)
      for variation in variations(of: drawing, count: 60) {
        let after = ink(of: variation)
        // Only the gap between an end and what it meets can be closed.
        #expect(after.allSatisfy { distance(of: $0, from: before) < 0.08 * size })
        #expect(before.allSatisfy { distance(of: $0, from: after) < 0.08 * size })
      }
    }
  }

  @Test func whatHasNoExtentStays() {
    let dots = Drawing([Stroke([Point(1, 1)]), Stroke([Point(9, 9), Point(9, 9)])])
    for variation in variations(of: dots, count: 50) {
      #expect(
        Set(variation.strokes.map(\.points)) == Set(dots.strokes.map(\.points)))
    }
    #expect(variations(of: Drawing([]), count: 3).allSatisfy { $0.strokes.isEmpty })
  }

  @Test func aRingOfAnEightIsDrawnByItself() {
    let apart = variations(of: eight).count { variation in
      variation.strokes.contains { stroke in
        let heights = stroke.points.map(\.y)
        return heights.max()! < 1 && stroke.length > 100
          && stroke.points[0].distance(to: stroke.points[stroke.points.count - 1]) < 3
      }
    }
    #expect(apart > 20)
  }

  @Test func aRingIsDrawnTheOtherWayRound() {
    // The area on its left has the sign of the direction, and the stroke begins at its straight part.
    let signs = variations(of: six).compactMap { variation -> Bool? in
      guard variation.strokes.count == 1, variation.strokes[0].points[0].y < 1 else { return nil }
      let points = variation.strokes[0].points
      return zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
        > 0
    }
    #expect(signs.count { $0 } > 10 && signs.count { !$0 } > 10)
  }

  @Test func thePenTurnsWhereStrokesCross() {
    let turned = variations(of: plus).count { variation in
      variation.strokes.contains { stroke in
        let bounds = Drawing([stroke]).bounds!
        return bounds.width > 45 && bounds.height > 45
      }
    }
    #expect(turned > 40)
  }

  @Test func strokesThatMeetAreDrawnInOne() {
    let counts = variations(of: corner).map(\.strokes.count)
    #expect(counts.contains(1) && counts.contains(2))
  }

  /// All pairs of so many points could not be compared in the time.
  @Test func longDrawingsAreNotSearched() {
    let points = (0..<200_000).map { index -> Point in
      let (x, y) = (index * 7919 % 997, index * 104_729 % 991)
      return Point(Double(x), Double(y))
    }
    let long = Drawing([Stroke(points)])
    for variation in variations(of: long, count: 5) {
      #expect(variation.strokes.reduce(0) { $0 + $1.points.count } <= 200_001)
    }
  }
}
