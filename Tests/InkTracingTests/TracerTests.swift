import Foundation
import Ink
import InkDiagram
import InkImageIO
import InkRaster
import ParallelLoops
import SeededRandom
import Testing

@testable import InkTracing

@Suite(.timeLimit(.minutes(30))) struct TracerTests {
  private func trace(_ scene: Scene) throws -> TracedDrawing {
    try Tracer(workers: 2).trace(scene.photograph())
  }

  /// The share of the points of `strokes`, two pixels apart, that are within 1.5 pixels of `others`.
  private func share(of strokes: [Stroke], near others: [Stroke]) -> Double {
    let points = strokes.flatMap { $0.resampled(spacing: 2).points }
    return Double(points.count { Scene.distance($0, to: others) <= 1.5 }) / Double(points.count)
  }

  /// Whether one traced stroke has both ends of the middle of `line`.
  private func isWhole(_ line: Stroke, in traced: [Stroke]) -> Bool {
    let points = line.resampled(count: 9).points
    return traced.contains { stroke in
      [points[2], points[6]].allSatisfy { Scene.distance($0, to: [stroke]) < 2 }
    }
  }

  private func isClosedRing(_ stroke: Stroke) -> Bool {
    stroke.points.count > 8 && stroke.points[0].distance(to: stroke.points.last!) < 3
  }

  @Test func linesAreTracedWhereTheyAreAndStraightThroughCrossings() throws {
    var random = SeededGenerator(seed: 19)
    var (near, found, whole, crossings) = (0.0, 0.0, 0, 0)
    let count = 6
    for index in 0..<count {
      var (scene, crossing) = Scene.automaton(random: &random)
      if index % 2 == 1 { scene.dimmest = 0.5 }
      if index % 3 == 1 { scene.grid = (22, 0.15) }
      let strokes = try trace(scene).drawing.strokes
      near += share(of: strokes, near: scene.strokes)
      found += share(of: scene.strokes, near: strokes)
      whole += crossing.count { isWhole($0, in: strokes) }
      crossings += crossing.count
    }
    #expect(near / Double(count) >= 0.99)
    #expect(found / Double(count) >= 0.98)
    #expect(Double(whole) / Double(crossings) >= 0.95)
  }

  @Test func aRingThatAnArrowTouchesIsOneClosedStroke() throws {
    var scene = Scene()
    scene.strokes = [
      Scene.ring(300, 180, radius: 45), Scene.line(80, 170, 255, 180),
      Scene.line(255, 180, 238, 168), Scene.line(255, 180, 238, 192),
    ]
    let strokes = try trace(scene).drawing.strokes
    let rings = strokes.filter(isClosedRing)
    #expect(rings.count == 1)
    #expect(abs((Drawing(rings).bounds?.width ?? 0) - 90) < 3)
    #expect(strokes.contains { isWhole(scene.strokes[1], in: [$0]) && !isClosedRing($0) })
  }

  /// One side of the corner bends by 60° into the other, and not at all into the line.
  @Test func aRingIsClosedAtACornerFromWhichALineGoesOnStraight() throws {
    let corner = Point(230.7, 200)
    // The sides of the corner touch the circle 30° from it.
    let arc = (0...60).map { index in
      let angle = (150 - 5 * Double(index)) * .pi / 180
      return Point(300 + 60 * cos(angle), 200 + 60 * sin(angle))
    }
    var scene = Scene()
    scene.strokes = [
      Stroke([corner] + arc + [corner]), Scene.line(160.7, 78.8, corner.x, corner.y),
    ]
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count == 2)
    #expect(strokes.count(where: isClosedRing) == 1)
    #expect(strokes.contains { isWhole(scene.strokes[1], in: [$0]) && !isClosedRing($0) })
  }

  /// Three curves enclose an area as round as a ring, and each goes on straight where it crosses another.
  @Test func curvesAroundARoundAreaCross() throws {
    let center = Point(240, 190)
    func place(_ angle: Double, _ distance: Double, from start: Point) -> Point {
      Point(
        start.x + distance * cos(angle * .pi / 180), start.y + distance * sin(angle * .pi / 180))
    }
    let curves = [30.0, 150, 270].map { angle in
      let (first, last) = (place(angle, 80, from: center), place(angle + 120, 80, from: center))
      // The curve leaves its chord at 39°, which makes the area as round as `RoundHoles` asks of a ring.
      let bow = Scene.bow(first, place(angle + 60, 96, from: center), last).points
      return Stroke(
        [place(angle - 69, 50, from: first)] + bow + [place(angle - 171, 50, from: last)])
    }
    var scene = Scene()
    scene.strokes = curves
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count == 3)
    for curve in curves {
      let ends = [curve.points[0], curve.points[curve.points.count - 1]]
      #expect(
        strokes.contains { stroke in ends.allSatisfy { Scene.distance($0, to: [stroke]) < 3 } })
    }
  }

  @Test func aLoopThatIsOpenAtItsStateIsNoRing() throws {
    var scene = Scene()
    // A round loop, with feet 30° apart on the ring.
    let loop = Stroke(
      (0...60).map { index in
        let angle = (120 + 5 * Double(index)) * .pi / 180
        return Point(240 + 40 * cos(angle), 104 + 40 * sin(angle))
      })
    scene.strokes = [Scene.ring(240, 200, radius: 56), loop, Scene.line(225, 200, 255, 200)]
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count(where: isClosedRing) == 1)
  }

  @Test func aLoopKeepsItsFeetOnTheRing() throws {
    var scene = Scene()
    let loop = Scene.bow(Point(222, 145), Point(240, -40), Point(258, 145))
    scene.strokes = [Scene.ring(240, 190, radius: 48), loop]
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count { isClosedRing($0) } == 1)
    #expect(strokes.contains { isWhole(loop, in: [$0]) && !isClosedRing($0) })
  }

  @Test(arguments: [0.05, -0.35]) func squaredPaperLeavesNoStrokes(angle: Double) throws {
    var scene = Scene()
    scene.grid = (20, 0.4)
    scene.gridAngle = angle
    scene.noise = 3
    scene.ink = (30, 40, 120)
    scene.strokes = [
      Scene.ring(150, 130, radius: 40), Scene.ring(330, 230, radius: 40),
      Scene.line(180, 160, 300, 205),
    ]
    let strokes = try trace(scene).drawing.strokes
    #expect(share(of: strokes, near: scene.strokes) > 0.95)
    #expect(share(of: scene.strokes, near: strokes) > 0.97)
    #expect(strokes.count { isClosedRing($0) } == 2)
  }

  /// A camera's noise in weak light gives far more strokes than a drawing has.
  @Test func aDrawingInWeakLightIsTraced() throws {
    var scene = Scene()
    (scene.width, scene.height, scene.penWidth) = (1200, 900, 5)
    (scene.paper, scene.ink, scene.noise) = ((200, 200, 200), (110, 110, 110), 30)
    scene.strokes = [
      Scene.ring(350, 300, radius: 130), Scene.ring(850, 500, radius: 130),
      Scene.line(470, 350, 730, 450),
    ]
    let strokes = try trace(scene).drawing.strokes
    #expect(share(of: scene.strokes, near: strokes) > 0.97)
    #expect(strokes.count < 100)
  }

  @Test func paleLinesAtAnyDistancesAreThePaper() throws {
    var random = SeededGenerator(seed: 3)
    var scene = Scene()
    scene.strokes = [
      Scene.ring(150, 130, radius: 40), Scene.ring(330, 230, radius: 40),
      Scene.line(180, 160, 300, 205),
    ]
    var y = 10.0
    while y < 350 {
      scene.pale.strokes.append(Scene.line(5, y, 475, y + random.uniform(-18...18)))
      y += random.uniform(12...34)
    }
    scene.pale.share = 0.35
    let traced = try trace(scene)
    let strokes = traced.drawing.strokes
    #expect(share(of: strokes, near: scene.strokes) > 0.95)
    #expect(share(of: scene.strokes, near: strokes) > 0.95)
    #expect(strokes.count(where: isClosedRing) == 2)
    #expect(traced.remarks.contains { $0.message.hasSuffix("taken for lines of the paper") })
    // Pale ink alone is a drawing.
    (scene.strokes, scene.pale.strokes) = ([], scene.strokes)
    #expect(try trace(scene).drawing.strokes.count == 3)
  }

  @Test(arguments: [0, 0.1]) func writingIsCutOutOfThePictureUpright(angle: Double) throws {
    var scene = Scene()
    if angle > 0 { scene.grid = (20, 0.2) }
    scene.gridAngle = angle
    func turned(_ stroke: Stroke) -> Stroke {
      Drawing([stroke]).transformed(by: Transform.rotation(angle).about(Point(240, 180))).strokes[0]
    }
    // A T, a line that crosses it, and a ring far away.
    scene.strokes = [
      turned(Scene.line(200, 150, 280, 150)), turned(Scene.line(240, 150, 240, 220)),
      turned(Scene.line(190, 205, 290, 205)), Scene.ring(400, 60, radius: 30),
    ]
    let traced = try trace(scene)
    let letter = traced.drawing.strokes.indices.filter { index in
      scene.strokes[..<2].contains { isWhole($0, in: [traced.drawing.strokes[index]]) }
    }
    func cells(_ chosen: (Int) -> Bool) -> [Vector] {
      let upright = traced.uprightDrawing.strokes
      return upright.indices.filter(chosen).flatMap { number in
        upright[number].resampled(spacing: 2).points.map { Vector($0) }
      }
    }
    let strip = try #require(
      traced.strip(
        ofCells: cells(letter.contains), besides: cells { !letter.contains($0) }, cellSize: 3,
        turnedBy: 0))
    let ink = (0..<strip.height).map { row in
      (0..<strip.width).count { strip[row, $0] > 128 }
    }
    // The bar is at the top and level, the stem is narrow, and nothing is left of the other line.
    let bar = try #require(ink.firstIndex { $0 > strip.width / 2 })
    #expect(bar < strip.height / 4)
    #expect(ink[(strip.height / 2)...].allSatisfy { $0 < strip.width / 4 })
    #expect(ink[strip.height / 2] > 0)
  }

  @Test func theInkOfCellsIsCutOutWithoutThatBesides() throws {
    var scene = Scene()
    scene.strokes = [Scene.line(100, 100, 180, 100), Scene.line(100, 104, 180, 104)]
    let traced = try trace(scene)
    func cells(_ y: Double) -> [Vector] {
      stride(from: 100.0, through: 180, by: 2).map { Vector($0, y) }
    }
    func inkedRows(_ strip: Bitmap) -> Int {
      (0..<strip.height).count { row in (0..<strip.width).contains { strip[row, $0] > 128 } }
    }
    let one = try #require(
      traced.strip(ofCells: cells(100), besides: cells(104), cellSize: 4, turnedBy: 0))
    let both = try #require(
      traced.strip(ofCells: cells(100), besides: [], cellSize: 4, turnedBy: 0))
    #expect(inkedRows(one) > 0 && inkedRows(one) < inkedRows(both))
    let turned = try #require(
      traced.strip(ofCells: cells(100), besides: cells(104), cellSize: 4, turnedBy: .pi / 2))
    #expect(one.width > 2 * one.height && turned.height > 2 * turned.width)
    #expect(traced.strip(ofCells: [], besides: [], cellSize: 4, turnedBy: 0) == nil)
  }

  @Test(arguments: [
    (-0.15, "turned by 9° anticlockwise"), (0.1, "turned by 6° clockwise"),
    (0.35, "turned by 20° clockwise"),
  ])
  func aPictureThatIsNotStraightIsTurned(angle: Double, message: String) throws {
    var scene = Scene()
    scene.grid = (20, 0.2)
    scene.gridAngle = angle
    let (x, y) = (150 * cos(angle), 150 * sin(angle))
    scene.strokes = [Scene.line(240 - x, 180 - y, 240 + x, 180 + y)]
    let traced = try trace(scene)
    #expect(abs((traced.rotation ?? 0) - angle) < 0.01)
    #expect(traced.remarks.contains { $0.message.contains(message) })
    #expect((traced.uprightDrawing.bounds?.height ?? 99) < 6)
    #expect((traced.drawing.bounds?.height ?? 0) > 25)
  }

  @Test(arguments: [
    ("red on white", (200.0, 40.0, 40.0), (240.0, 240.0, 240.0), false),
    ("blue on yellow", (60, 80, 190), (240, 225, 150), false),
    ("pencil", (150, 150, 150), (225, 225, 225), false),
    ("white chalk on green", (225, 230, 225), (40, 80, 60), true),
    ("red chalk on black", (190, 90, 90), (45, 45, 45), true),
  ])
  func anyInkOnAnyPaper(
    name: String, ink: (Double, Double, Double), paper: (Double, Double, Double), isLight: Bool
  ) throws {
    var scene = Scene()
    (scene.ink, scene.paper, scene.dimmest) = (ink, paper, 0.6)
    scene.strokes = [Scene.ring(150, 130, radius: 40), Scene.line(200, 60, 420, 300)]
    let evened = EvenedPicture(scene.photograph(), reduction: 1, loop: ParallelLoop(workers: 2))
    #expect(evened.isLightOnDark == isLight)
    let traced = try trace(scene)
    #expect(traced.drawing.strokes.count == 2)
    #expect(share(of: traced.drawing.strokes, near: scene.strokes) > 0.99)
    #expect(share(of: scene.strokes, near: traced.drawing.strokes) > 0.99)
    let brightness = (77 * ink.0 + 150 * ink.1 + 29 * ink.2) / 256
    #expect(traced.traces.allSatisfy { abs(Double($0.grey) - brightness) < 60 })
    #expect(traced.traces.allSatisfy { abs($0.width - scene.penWidth) < 1.5 })
  }

  @Test func filledHeadsAreOutlinesAndDotsArePoints() throws {
    var scene = Scene()
    scene.strokes = [Scene.line(80, 180, 300, 180), Stroke([Point(120, 80)])]
    scene.fills = [[Point(300, 166), Point(300, 194), Point(328, 180)]]
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count == 3)
    let head = try #require(strokes.first { isClosedRing($0) })
    let bounds = try #require(Drawing([head]).bounds)
    #expect(abs(bounds.minX - 300) < 6 && abs(bounds.maxX - 328) < 5)
    #expect(abs(bounds.height - 28) < 5)
    #expect(
      strokes.contains { stroke in
        stroke.length < 4 && stroke.points[0].distance(to: Point(120, 80)) < 2
      })
  }

  @Test func gapsAreJoined() throws {
    var scene = Scene()
    scene.strokes = [
      Scene.line(60, 100, 200, 110), Scene.line(212, 111, 400, 124),
      // Too far apart to be one.
      Scene.line(60, 250, 200, 250), Scene.line(260, 250, 400, 250),
    ]
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count == 3)
  }

  @Test(arguments: [6.0, 7, 9]) func twoRingsNearEachOtherStayTwo(distance: Double) throws {
    var scene = Scene()
    scene.strokes = [
      Scene.ring(240, 180, radius: 50), Scene.ring(240, 180, radius: 50 - distance),
    ]
    let strokes = try trace(scene).drawing.strokes
    #expect(strokes.count { isClosedRing($0) } == 2)
  }

  @Test func aShadowIsNoInk() throws {
    var scene = Scene()
    scene.strokes = [Scene.ring(240, 180, radius: 50)]
    let light = scene.photograph()
    var samples = light.samples
    for row in 0..<light.height {
      for column in 0..<light.width where column + row / 2 > 330 {
        for channel in 0..<3 {
          let index = (row * light.width + column) * 3 + channel
          samples[index] = UInt8(Double(samples[index]) * 0.55)
        }
      }
    }
    let strokes = try Tracer(workers: 1).trace(
      Photograph(width: light.width, height: light.height, channels: 3, samples: samples)
    ).drawing.strokes
    #expect(strokes.count { isClosedRing($0) } == 1)
    #expect(share(of: strokes, near: scene.strokes) > 0.98)
  }

  @Test func aLargePictureIsTracedInItsOwnPixels() throws {
    var scene = Scene()
    (scene.width, scene.height, scene.penWidth) = (1600, 1200, 16)
    scene.strokes = [Scene.ring(800, 600, radius: 300)]
    let traced = try trace(scene)
    let bounds = try #require(traced.drawing.bounds)
    #expect(abs(bounds.minX - 500) < 4 && abs(bounds.maxX - 1100) < 4)
    #expect(abs(traced.penWidth - 16) < 4)
  }

  @Test func thinLinesAreRemarked() throws {
    var scene = Scene()
    scene.strokes = [Scene.line(100, 100, 380, 240)]
    #expect(try !trace(scene).remarks.contains(.thin))
    scene.penWidth = 1.2
    #expect(try trace(scene).remarks.contains(.thin))
  }

  @Test(arguments: [(1, 1), (2, 500), (3, 100), (300, 200)]) func aPictureWithoutInkSaysSo(
    width: Int, height: Int
  ) throws {
    for grey in [0, 128, 255] as [UInt8] {
      let traced = try Tracer(workers: 1).trace(
        Photograph(
          width: width, height: height, channels: 1,
          samples: [UInt8](repeating: grey, count: width * height)))
      #expect(traced.drawing.strokes.isEmpty)
      #expect(traced.remarks == [.noInk])
    }
  }

  @Test func aPictureIsTracedThatIsHardlyWiderThanItsInk() throws {
    let (width, height) = (40, 200)
    let samples: [UInt8] = (0..<width * height).map { index in
      let isInk = (7..<33).contains(index % width) && (20..<180).contains(index / width)
      return isInk ? 20 : 240
    }
    let traced = try Tracer(workers: 1).trace(
      Photograph(width: width, height: height, channels: 1, samples: samples))
    let bounds = try #require(traced.drawing.bounds)
    #expect(bounds.minX > 3 && bounds.maxX < 37 && bounds.height > 100)
  }

  @Test func noiseIsRefusedOrEmpty() throws {
    var random = SeededGenerator(seed: 4)
    let (width, height) = (1000, 800)
    let samples = (0..<width * height).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let photograph = Photograph(width: width, height: height, channels: 1, samples: samples)
    do {
      let traced = try Tracer().trace(photograph)
      #expect(traced.remarks.contains(.noInk))
    } catch {
      #expect("\(error)".contains("strokes"))
    }
  }

  /// Returns a picture turned clockwise by quarter turns.
  private func turned(_ photograph: Photograph, byQuarters quarters: Int) -> Photograph {
    guard quarters > 0 else { return photograph }
    let (width, height, channels) = (photograph.height, photograph.width, photograph.channels)
    var samples: [UInt8] = []
    for row in 0..<height {
      for column in 0..<width {
        let start = ((photograph.height - 1 - column) * photograph.width + row) * channels
        samples += photograph.samples[start..<start + channels]
      }
    }
    return turned(
      Photograph(width: width, height: height, channels: channels, samples: samples),
      byQuarters: quarters - 1)
  }

  @Test(arguments: 0..<4) func aPictureCanLieAnyWay(quarters: Int) throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Examples/Pictures/paper.jpg").path
    let photograph = turned(try Photograph.read(path: path), byQuarters: quarters)
    let (diagram, upright) = try DiagramRecognizer.released().recognize(photograph, workers: 2)
    #expect(upright.quarterTurns == (4 - quarters) % 4)
    #expect(upright.turned(byQuarters: -1).quarterTurns == (7 - quarters) % 4)
    #expect(upright.remarks.contains(.lying(quarters: (4 - quarters) % 4)) == (quarters != 0))
    let states = diagram.states.sorted { $0.center.x < $1.center.x }
    #expect(states.map(\.name) == ["q0", "q1"])
    #expect(states.map(\.initial) == [true, false] && states.map(\.final) == [false, true])
    let names = Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0.name) })
    #expect(
      Set(diagram.transitions.map { "\(names[$0.from]!)\($0.symbols)\(names[$0.to]!)" }) == [
        #"q0["b"]q0"#, #"q0["a"]q1"#, #"q1["b"]q0"#, #"q1["a"]q1"#,
      ])
  }

  /// Looking at a page while it is traced changes nothing.
  @Test(arguments: [1, 3]) func aPhotographGivesWhatItsTracesGive(workers: Int) throws {
    let recognizer = try DiagramRecognizer.released()
    var scene = Scene()
    scene.strokes = [
      Scene.ring(130, 180, radius: 45), Scene.ring(350, 180, radius: 45),
      Scene.line(178, 180, 302, 180), Scene.line(302, 180, 285, 168),
      Scene.line(302, 180, 285, 192),
    ]
    let photograph = scene.photograph()
    let found = try recognizer.recognize(photograph, workers: workers)
    let traced = try Tracer(workers: workers).trace(photograph)
    let expected = recognizer.recognize(traced, workers: workers)
    #expect(found == expected)
    #expect(found.diagram.states.count == 2 && found.diagram.transitions.count == 1)
  }

  @Test(arguments: [1, 3]) func aPhotographWithoutInkIsEmpty(workers: Int) throws {
    let recognizer = try DiagramRecognizer.released()
    for (width, height) in [(0, 0), (1, 1), (2, 50), (60, 40)] {
      let photograph = Photograph(
        width: width, height: height, channels: 1,
        samples: [UInt8](repeating: 240, count: width * height))
      let (diagram, traced) = try recognizer.recognize(photograph, workers: workers)
      #expect(diagram.rejection == .empty && traced.remarks == [.noInk])
    }
  }
}
