import Foundation
import Ink
import InkSeries
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct StrokeEncoderTests {
  private let all = StrokeEncoder.Channel.allCases

  private func line(_ ends: (Double, Double)...) -> Stroke {
    Stroke(ends.map { Point($0.0, $0.1) })
  }

  @Test func aLineHasPositionsMovementsAndDirections() throws {
    let encoder = try StrokeEncoder(
      channels: [.x, .y, .dx, .dy, .cos, .sin, .penUp], sampling: .steps(3))
    let series = try encoder.encode(Drawing([line((10, 20), (110, 20))]))
    #expect(series.channels == ["x", "y", "dx", "dy", "cos", "sin", "penUp"])
    #expect(
      isClose(
        series.values,
        [-0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 1, 0, 0, 0.5, 0, 0.5, 0, 1, 0, 0], tolerance: 1e-6))
  }

  @Test func theNextStrokeStartsWithPenUp() throws {
    let encoder = try StrokeEncoder(channels: [.dx, .dy, .penUp], sampling: .steps(4))
    let series = try encoder.encode(
      Drawing([line((0, 0), (100, 0)), line((100, 50), (0, 50))]))
    #expect(
      isClose(series.values, [0, 0, 0, 1, 0, 0, 0, 0.5, 1, -1, 0, 0], tolerance: 1e-6))
  }

  @Test func scaleAndRotationAreKeptOrRemoved() throws {
    let drawing = Drawing([line((0, 0), (0, 200))])
    let kept = try StrokeEncoder(channels: [.x, .y], sampling: .steps(2), keepsScale: true)
    #expect(try kept.encode(drawing).values == [0, -100, 0, 100])
    let turned = try StrokeEncoder(channels: [.x, .y], sampling: .steps(2), keepsRotation: false)
    #expect(isClose(try turned.encode(drawing).values, [-0.5, 0, 0.5, 0], tolerance: 1e-6))
    let plain = try StrokeEncoder(keepsRotation: false)
    let shape = Drawing([line((0, 0), (120, 10), (130, 90)), line((40, 40), (60, 70))])
    for angle in [0.3, 1.7, -2.5] {
      for scale in [0.01, 3.0, 4000] {
        let moved = shape.transformed(
          by: .scale(x: scale, y: scale).then(.rotation(angle)).then(.translation(x: 7, y: -900)))
        let (one, other) = (try plain.encode(shape), try plain.encode(moved))
        // Rounding can change the number of steps only where the size of the bounds changes.
        guard one.length == other.length else { continue }
        #expect(isClose(one.values, other.values, tolerance: 2e-3))
      }
    }
    let fixed = try StrokeEncoder(sampling: .steps(40), keepsRotation: false)
    let moved = shape.transformed(by: .scale(x: 9, y: 9).then(.rotation(2)))
    #expect(
      isClose(try fixed.encode(shape).values, try fixed.encode(moved).values, tolerance: 1e-4))
  }

  @Test func shortStrokesHaveEightSteps() throws {
    let drawing = Drawing([line((0, 0), (100, 0)), line((90, -1), (100, 0)), line((50, 50))])
    let series = try StrokeEncoder.standard.encode(drawing)
    let starts = series.values(ofChannel: 6).enumerated().filter { $1 == 1 }.map(\.offset)
    #expect(starts == [21, 29])
    #expect(series.length == 30)
  }

  @Test func longDrawingsHaveTheMaximumNumberOfSteps() throws {
    let zigzag = line(contentsOf: (0..<100).map { (Double($0), Double($0 % 2) * 100) })
    #expect(try StrokeEncoder.standard.encode(Drawing([zigzag])).length == 160)
    let strokes = (0..<500).map { line((Double($0), 0), (Double($0), 5)) }
    #expect(try StrokeEncoder.standard.encode(Drawing(strokes)).length == 160)
  }

  private func line(contentsOf ends: [(Double, Double)]) -> Stroke {
    Stroke(ends.map { Point($0.0, $0.1) })
  }

  @Test func timesAreUsedWhereTheyExist() throws {
    let encoder = try StrokeEncoder(channels: [.dx, .dt], sampling: .time(10), minStrokeSteps: 2)
    // Slow, then fast.
    let stroke = Stroke([
      Point(0, 0, time: 1000), Point(20, 0, time: 1020), Point(100, 0, time: 1030),
    ])
    let next = Stroke([Point(100, 0, time: 1530)])
    let series = try encoder.encode(Drawing([stroke, next]))
    #expect(
      isClose(
        series.values, [0, 0, 0.1, 0.01, 0.1, 0.01, 0.8, 0.01, 0, 0.5], tolerance: 1e-6))
  }

  @Test func timesThatAreMissingOrGoBackAreRefused() throws {
    let encoder = try StrokeEncoder(channels: [.dx, .dt], sampling: .time(10))
    for (time, found) in [
      (nil, "none"), (0, "0.0 ms after a later one"), (.infinity, "one that is not finite"),
    ] as [(Double?, String)] {
      let second = Stroke([Point(1, 1, time: 2), Point(2, 2, time: time)])
      let error = #expect(throws: SeriesError.unusableTime(stroke: 1, point: 1, time: time)) {
        try encoder.encode(Drawing([Stroke([Point(0, 0, time: 1)]), second]))
      }
      #expect(
        error?.description
          == "stroke 2, point 2: expected a time that does not decrease, found \(found)")
    }
    // A file keeps its times as they are: where none are needed, they do not matter.
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "back.inkml",
      """
      <ink xmlns="http://www.w3.org/2003/InkML"><traceFormat><channel name="X"/><channel name="Y"/>
      <channel name="T" units="ms"/></traceFormat><trace>0 0 9, 5 5 4</trace></ink>
      """)
    var drawings: [Drawing] = []
    try InkFile(path: path).forEach { drawings.append(try $0.result.get().drawing) }
    let drawing = try #require(drawings.first)
    #expect(drawing.strokes[0].points.map(\.time) == [9, 4])
    #expect(throws: SeriesError.unusableTime(stroke: 0, point: 1, time: 4)) {
      try encoder.encode(drawing)
    }
    #expect(try StrokeEncoder.standard.encode(drawing).length > 1)
  }

  @Test func drawingsWithoutExtentAreShort() throws {
    for encoder in [
      StrokeEncoder.standard, try StrokeEncoder(channels: all), try StrokeEncoder(keepsScale: true),
      try StrokeEncoder(keepsRotation: false), try StrokeEncoder(sampling: .time(5)),
    ] {
      for points in [1, 2, 5] {
        let dot = Stroke((0..<points).map { Point(3, 4, time: Double($0) * 0) })
        let one = try encoder.encode(Drawing([dot]))
        #expect(one.length == 1)
        #expect(one.values.allSatisfy { $0 == 0 })
        let two = try encoder.encode(Drawing([dot, Stroke([]), dot]))
        #expect(two.length == 2)
        #expect(two.values.allSatisfy { $0.isFinite })
      }
    }
    let fixed = try StrokeEncoder(sampling: .steps(5))
    #expect(try fixed.encode(Drawing([line((1, 1))])).length == 5)
  }

  @Test func unusableDrawingsAreRefused() throws {
    let encoder = StrokeEncoder.standard
    #expect(throws: SeriesError.empty) { try encoder.encode(Drawing([])) }
    #expect(throws: SeriesError.empty) { try encoder.encode(Drawing([Stroke([])])) }
    #expect(throws: SeriesError.pointNotFinite(stroke: 0, point: 1)) {
      try encoder.encode(Drawing([line((0, 0), (.nan, 1))]))
    }
    #expect(throws: SeriesError.tooFarApart) {
      try encoder.encode(Drawing([line((-1e308, 0), (1e308, 1))]))
    }
  }

  /// Random drawings of all kinds: no gap, no infinite value, and the lengths that were promised.
  @Test(arguments: 0..<40) func seriesAreCompleteAndRepeatable(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed), stream: 0x5e)
    for _ in 0..<25 {
      let size = pow(10, generator.uniform(-120...40))
      let strokes = (0..<generator.index(below: 6) + 1).map { _ in
        Stroke(
          (0..<generator.index(below: 12) + 1).map { _ in
            // Repeated points are frequent.
            let (x, y) = (Double(generator.index(below: 4)), generator.uniform().rounded())
            return Point(x * size, y * size)
          })
      }
      var time = 0.0
      let drawing = Drawing(strokes).mapPoints { _, point in
        time += Double(generator.index(below: 3)) * 7
        return Point(point.x, point.y, time: time)
      }
      let steps = generator.index(below: 70) + 1
      for sampling in [.steps(steps), .distance(0.07), .time(13)] as [StrokeEncoder.Sampling] {
        let encoder = try StrokeEncoder(
          channels: all, sampling: sampling, maxSteps: 64, keepsScale: generator.chance(0.5),
          keepsRotation: generator.chance(0.5))
        let series = try encoder.encode(drawing)
        #expect(series.values.allSatisfy { $0.isFinite })
        #expect(try encoder.encode(drawing) == series)
        if case .steps = sampling {
          #expect(series.length == steps)
        } else {
          #expect((1...64).contains(series.length))
        }
        let data = try JSONEncoder().encode(encoder)
        #expect(try JSONDecoder().decode(StrokeEncoder.self, from: data) == encoder)
      }
    }
  }

  @Test(arguments: [
    #"{"channels":[]}"#, #"{"channels":["x","x"]}"#, #"{"channels":["q"]}"#, #"{"steps":0}"#,
    #"{"steps":9,"distance":0.1}"#, #"{"distance":0}"#, #"{"distance":2}"#, #"{"interval":0}"#,
    #"{"minStrokeSteps":1}"#, #"{"maxSteps":0}"#, #"{"maxSteps":100000000}"#,
  ])
  func malformedEncodersAreRefused(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(StrokeEncoder.self, from: Data(json.utf8))
    }
  }

  @Test func whatIsAbsentInJSONIsStandard() throws {
    #expect(
      try JSONDecoder().decode(StrokeEncoder.self, from: Data("{}".utf8)) == .standard)
  }
}
