import DisjointSets
import Foundation
import Ink
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct GeometryTests {
  private func randomStroke(_ generator: inout SeededGenerator) -> Stroke {
    Stroke(
      (0..<2 + generator.index(below: 40)).map { _ in
        Point(generator.normal() * 100, generator.normal() * 100, time: generator.uniform())
      })
  }

  @Test(arguments: 0..<50) func resamplingKeepsBothEndsAndSpacesEvenly(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let stroke = randomStroke(&generator)
    let count = 2 + generator.index(below: 100)
    let resampled = stroke.resampled(count: count)
    #expect(resampled.points.count == count)
    #expect(resampled.points.first == stroke.points.first)
    #expect(resampled.points.last == stroke.points.last)
    // No step is longer than an even one; steps across a corner are shorter.
    let step = stroke.length / Double(count - 1)
    for (a, b) in zip(resampled.points, resampled.points.dropFirst()) {
      #expect(a.distance(to: b) <= step * (1 + 1e-9))
    }
  }

  @Test func resamplingAStraightLineIsExact() {
    let line = Stroke([Point(0, 0, time: 0), Point(10, 0, time: 100)])
    #expect(line.resampled(count: 5).points.map(\.x) == [0, 2.5, 5, 7.5, 10])
    #expect(line.resampled(count: 5).points.map(\.time) == [0, 25, 50, 75, 100])
    #expect(line.resampled(spacing: 4).points.count == 4)
  }

  @Test func resamplingWithoutExtentRepeatsThePoint() {
    let dot = Stroke([Point(3, 4), Point(3, 4)])
    #expect(dot.resampled(count: 3).points == [Point(3, 4), Point(3, 4), Point(3, 4)])
    #expect(Stroke([]).resampled(count: 3).points.isEmpty)
  }

  @Test func theDistanceToASegmentIsThatToItsNearestPoint() {
    let (a, b) = (Vector(0, 0), Vector(10, 0))
    let distances = [Vector(5, 3), Vector(-3, 4), Vector(13, -4), Vector(7, 0)].map {
      $0.distance(toSegmentFrom: a, to: b)
    }
    #expect(distances == [3, 5, 5, 0])
    #expect(Vector(3, 4).distance(toSegmentFrom: a, to: a) == 5)
  }

  @Test(arguments: 0..<20) func joinedSetsAreThoseThatRelabellingGives(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var sets = DisjointSets(count: 40)
    var labels = Array(0..<40)
    for _ in 0..<30 {
      let (a, b) = (generator.index(below: 40), generator.index(below: 40))
      let root = sets.root(of: b)
      sets.join(a, into: b)
      #expect(sets.root(of: a) == root)
      let old = labels[a]
      for number in labels.indices where labels[number] == old { labels[number] = labels[b] }
    }
    for a in 0..<40 {
      for b in 0..<40 {
        #expect((sets.root(of: a) == sets.root(of: b)) == (labels[a] == labels[b]))
      }
    }
    let groups = sets.groups(of: 0..<40)
    #expect(groups.map { $0[0] } == (0..<40).filter { labels.firstIndex(of: labels[$0]) == $0 })
    for group in groups { #expect(group == (0..<40).filter { labels[$0] == labels[group[0]] }) }
    sets.append()
    #expect(sets.root(of: 40) == 40)
  }

  @Test func aVectorIsAListOfTwoNumbers() throws {
    let data = try JSONEncoder().encode([Vector(1.5, -2)])
    #expect(String(decoding: data, as: UTF8.self) == "[[1.5,-2]]")
    #expect(try JSONDecoder().decode([Vector].self, from: data) == [Vector(1.5, -2)])
    for text in ["[[1]]", "[[1,2,3]]"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([Vector].self, from: Data(text.utf8))
      }
    }
  }

  @Test func simplificationKeepsCornersAndDropsTheRest() {
    let bent = Stroke(
      (0...10).map { Point(Double($0), 0) } + (1...10).map { Point(10, Double($0)) })
    #expect(
      bent.simplified(tolerance: 0.1).points == [Point(0, 0), Point(10, 0), Point(10, 10)])
  }

  @Test(arguments: 0..<20) func whatSimplificationDropsLiesWithinTheTolerance(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let stroke = randomStroke(&generator)
    let simplified = stroke.simplified(tolerance: 20)
    #expect(simplified.points.count <= stroke.points.count)
    // Every point that stays was there.
    #expect(Set(simplified.points).isSubset(of: Set(stroke.points)))
    for point in stroke.points {
      let distances = zip(simplified.points, simplified.points.dropFirst()).map { a, b in
        (0...1000).reduce(Double.infinity) {
          min($0, point.distance(to: a.interpolated(to: b, fraction: Double($1) / 1000)))
        }
      }
      // The segments are walked in steps of a thousandth of their length.
      #expect(distances.min()! <= 20 + stroke.length / 1000)
    }
  }

  @Test func aCircleTurnsByTwoPi() {
    let clockwise = circle(radius: 50).strokes[0]
    #expect(abs(clockwise.turningAngle - 2 * .pi) < 0.2)
    #expect(abs(clockwise.reversed().turningAngle + 2 * .pi) < 0.2)
    #expect(Stroke([Point(0, 0), Point(1, 0), Point(2, 0)]).turningAngle == 0)
  }

  @Test func transformsActInOrder() {
    let point = Point(1, 0, time: 5)
    let quarter = Transform.rotation(.pi / 2).apply(to: point)
    // y points down, so a quarter turn clockwise takes right to down.
    #expect(abs(quarter.x) < 1e-15 && abs(quarter.y - 1) < 1e-15 && quarter.time == 5)
    let moved = Transform.scale(x: 2, y: 3).then(.translation(x: 10, y: 20))
    #expect(moved.apply(to: Point(1, 1)) == Point(12, 23))
    let about = Transform.scale(x: 2, y: 2).about(Point(5, 5))
    #expect(about.apply(to: Point(5, 5)) == Point(5, 5))
    #expect(about.apply(to: Point(6, 5)) == Point(7, 5))
  }

  @Test func slantsAndMirrorsLandWhereTheySay() {
    #expect(Transform.shear(0.5).apply(to: Point(1, 2)) == Point(2, 2))
    #expect(Transform.scale(x: -1, y: 1).about(Point(3, 0)).apply(to: Point(5, 7)) == Point(1, 7))
    // Right goes down, down goes left.
    let quarter = Transform.rotation(.pi / 2)
    #expect(quarter.apply(to: Point(0, 1)).distance(to: Point(-1, 0)) < 1e-12)
    let tilted = Transform.rotation(0.3).then(.shear(0.2)).then(.translation(x: 1, y: 2))
    let point = Point(2, -1)
    let (x, y) = (2 * cos(0.3) + sin(0.3), 2 * sin(0.3) - cos(0.3))
    #expect(tilted.apply(to: point).distance(to: Point(x + 0.2 * y + 1, y + 2)) < 1e-12)
  }

  @Test func aReversedStrokeTakesAsLong() {
    let stroke = Stroke([Point(0, 0, time: 5), Point(1, 0, time: 15), Point(2, 0)]).reversed()
    #expect(stroke.points.map(\.x) == [2, 1, 0])
    let timed = Stroke([Point(0, 0, time: 5), Point(1, 0, time: 15), Point(2, 0, time: 35)])
    #expect(timed.reversed().points.map(\.time) == [5, 25, 35])
  }

  @Test func aStrokeOfTheLeastExtentIsNoTap() {
    #expect(Stroke([Point(0, 0), Point(Stroke.minimumExtent, 0)]).form == .line)
    #expect(Stroke([Point(0, 0), Point(0, Stroke.minimumExtent.nextDown)]).form == .dot)
  }

  @Test func boundsHoldEveryPoint() {
    let drawing = Drawing([Stroke([Point(1, 2)]), Stroke([Point(-3, 8), Point(0, 0)])])
    let bounds = drawing.bounds
    #expect(bounds?.minX == -3 && bounds?.maxX == 1 && bounds?.minY == 0 && bounds?.maxY == 8)
    #expect(bounds?.center == Point(-1, 4))
    #expect(Drawing([]).bounds == nil)
  }

  @Test(
    arguments: [
      (StrokeKind.dot, [(0, 0), (5, 3), (2, 8)]),
      (.line, [(0, 0), (100, 4), (200, 0)]),
      (.line, [(0, 0), (200, 6), (190, 0)]),
      (.bow, [(0, 0), (50, 40), (100, 40), (150, 0)]),
      (.curve, [(0, 0), (50, 120), (100, 0)]),
      (.curve, [(0, 0), (100, 0), (100, 100), (0, 100), (0, 5)]),
      (.dot, []),
    ] as [(StrokeKind, [(Double, Double)])])
  func strokesHaveTheFormTheyLookLike(form: StrokeKind, points: [(Double, Double)]) {
    #expect(Stroke(points.map { Point($0.0, $0.1) }).form == form)
  }

  @Test func sagIsMeasuredFromTheChord() {
    let arch = Stroke(
      (0...180).map { Point(cos(Double($0) * .pi / 180), sin(Double($0) * .pi / 180)) })
    #expect(abs(arch.chord - 2) < 1e-12 && abs(arch.sag - 1) < 1e-12)
    // Where the ends coincide there is no chord to measure from.
    #expect(Stroke([Point(0, 0), Point(3, 4), Point(0, 0)]).sag == 5)
  }

  @Test func aTremorIsNoFurtherTurn() throws {
    let ring = Stroke(
      (0...90).map { step in
        let (angle, radius) = (Double(step) * .pi / 45, step % 2 == 0 ? 110.0 : 90.0)
        return Point(radius * cos(angle), radius * sin(angle))
      })
    #expect(ring.length > 1.5 * 2 * .pi * 100)
    let turns = try #require(CircleFit(Drawing([ring]))).turns
    #expect((0.7...1.1).contains(turns), "\(turns)")
  }

  @Test func aTransformHasAnInverse() throws {
    let map = Transform.rotation(0.7).then(.scale(x: 2, y: 3)).then(.translation(x: 5, y: -1))
    let point = Point(12, -7)
    let back = map.inverse.apply(to: map.apply(to: point))
    #expect(abs(back.x - 12) < 1e-12 && abs(back.y + 7) < 1e-12)
    #expect(try #require(Transform(matrix: map.matrix)) == map)
    for angle in [0.7, -2.5] {
      let turned = Transform.scale(x: 2, y: 2).then(.rotation(angle)).then(
        .translation(x: 5, y: 1))
      #expect(abs(turned.angle - angle) < 1e-12)
    }
    // Too few numbers, no number, and maps that have no inverse.
    let bad: [[Double]] = [
      [1, 0, 0, 1, 0], [1, 0, 0, 1, 0, .nan], [1, 0, 0, .infinity, 0, 0], [0, 0, 0, 0, 1, 1],
      [1, 2, 2, 4, 0, 0], [1e-200, 0, 0, 1e-200, 0, 0],
    ]
    for numbers in bad { #expect(Transform(matrix: numbers) == nil) }
  }
}
