import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import SeededRandom
import Testing
import TestSupport

@testable import InkDiagram

@Suite struct PageReadingTests {
  private static let network = Result { try PageNetwork.released() }

  /// A page of 640 × 400 pixels with dark lines of 3 pixels.
  private func page(_ lines: [[Vector]]) -> Bitmap {
    var bitmap = Bitmap(
      width: 640, height: 400, pixels: [UInt8](repeating: 240, count: 640 * 400))
    for line in lines {
      for (start, end) in zip(line, line.dropFirst()) {
        let steps = max(1, Int(start.distance(to: end) * 2))
        for step in 0...steps {
          let place = start + (end - start) * (Double(step) / Double(steps))
          for y in -2...2 {
            for x in -2...2 where x * x + y * y <= 3 {
              let (row, column) = (Int(place.y) + y, Int(place.x) + x)
              guard (0..<400).contains(row), (0..<640).contains(column) else { continue }
              bitmap[row, column] = 40
            }
          }
        }
      }
    }
    return bitmap
  }

  private func ring(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> [Vector] {
    (0...60).map {
      let angle = 2 * Double.pi * Double($0) / 60
      return Vector(x + width * cos(angle), y + height * sin(angle))
    }
  }

  private func arrow(_ path: [Vector]) -> [[Vector]] {
    let (tip, way) = (path.last!, (path.last! - path[path.count - 2]).unit)
    return [
      path, [tip - way.turned(by: 0.45) * 20, tip, tip - way.turned(by: -0.45) * 20],
    ]
  }

  private func read(_ lines: [[Vector]]) throws -> PageReading {
    PageReading(of: page(lines), with: try Self.network.get(), workers: 1)
  }

  /// Letters that do not touch are marks of their own, and no mark has cells of rings or arrows.
  @Test func lettersAreMarks() throws {
    func letter(_ x: Double, _ y: Double) -> [[Vector]] {
      [
        [Vector(x, y), Vector(x + 9, y - 24), Vector(x + 18, y)],
        [Vector(x + 4, y - 9), Vector(x + 14, y - 9)],
      ]
    }
    let reading = try read(automaton + letter(140, 232) + letter(290, 205) + letter(320, 205))
    let places = [(149.0, 220.0), (299, 193), (329, 193)]
    let marks = reading.marks
    #expect(marks.count == places.count)
    for (x, y) in places {
      let mark = try #require(
        marks.first { mark in
          mark.contains { cell in
            let (row, column) = cell.quotientAndRemainder(dividingBy: reading.cells.columns)
            let place = reading.place(Vector(Double(column) + 0.5, Double(row) + 0.5))
            return place.distance(to: Vector(x, y)) < 12
          }
        })
      #expect(mark.allSatisfy { Int(reading.cells.classes[$0]) == PageNumbers.writing })
    }
  }

  /// Ovals, one of them double, an arrow with a gap at both ends, a self-loop and an initial arrow.
  private var automaton: [[Vector]] {
    [ring(150, 220, 60, 45), ring(470, 220, 60, 45), ring(470, 220, 50, 36)]
      + arrow([Vector(222, 220), Vector(398, 220)]) + arrow([Vector(20, 220), Vector(86, 220)])
      + arrow(
        (0...24).map { step in
          let angle = Double.pi * (0.85 + 1.3 * Double(step) / 24)
          return Vector(150 + 34 * cos(angle), 150 + 46 * sin(angle))
        })
  }

  /// The states and arrows of ``automaton``, in pixels.
  private var truth: (states: [PageExample.State], arrows: Set<PageExample.Arrow>) {
    let half = Vector(60, 45)
    return (
      [
        .init(center: Vector(150, 220), half: half, isFinal: false),
        .init(center: Vector(470, 220), half: half, isFinal: true),
      ],
      [.init(from: nil, to: 0), .init(from: 0, to: 0), .init(from: 0, to: 1)]
    )
  }

  /// What is missed, what is none, a final state and the direction of an arrow are mistakes.
  @Test func mistakesAreCounted() throws {
    let network = try Self.network.get()
    func mistakes(
      _ states: [PageExample.State], _ arrows: Set<PageExample.Arrow>,
      with decoding: PageDecoding = network.decoding
    ) -> Int {
      PageExample(page(automaton), states: states, arrows: arrows, with: network, workers: 1)
        .mistakes(with: decoding)
    }
    let (states, arrows) = truth
    #expect(mistakes(states, arrows) == 0)
    // The order of the known states does not matter.
    #expect(
      mistakes(
        states.reversed(), [.init(from: nil, to: 1), .init(from: 1, to: 1), .init(from: 1, to: 0)])
        == 0)
    let missed = PageExample.State(center: Vector(320, 340), half: Vector(30, 30), isFinal: false)
    #expect(mistakes(states + [missed], arrows.union([.init(from: 1, to: 2)])) == 2)
    #expect(mistakes([states[1]], []) == 4)
    #expect(
      mistakes(states, arrows.symmetricDifference([.init(from: 0, to: 1), .init(from: 1, to: 0)]))
        == 2)
    var other = states
    other[0].isFinal = true
    #expect(mistakes(other, arrows) == 1)
    // A state elsewhere is missed, and what is seen is another one, with other arrows.
    other = states
    other[0].center = other[0].center + Vector(0, 0.6 * other[0].half.y)
    #expect(mistakes(other, arrows) == 8)
    // Where no cell votes, nothing is found.
    var decoding = network.decoding
    decoding.votingRing = 2
    #expect(mistakes(states, arrows, with: decoding) == 5)
  }

  @Test func findsStatesAndArrows() throws {
    let reading = try read(automaton)
    let seen = reading.automaton()
    let states = seen.states.map { (reading.place($0.center), $0.finalOdds > 0) }
      .sorted { $0.0.x < $1.0.x }
    try #require(states.count == 2)
    #expect(states[0].0.distance(to: Vector(150, 220)) < 6 && !states[0].1)
    #expect(states[1].0.distance(to: Vector(470, 220)) < 6 && states[1].1)
    let left = seen.states.indices.min { seen.states[$0].center.x < seen.states[$1].center.x }!
    let ends = Set(seen.arrows.map { [$0.from, $0.to] })
    #expect(ends == [[left, 1 - left], [left, left], [nil, left]])
  }

  /// A picture that lies is read as the upright one, where the states and arrows are in the picture as it lies.
  @Test func aPictureThatLiesIsReadUpright() throws {
    let upright = page(automaton)
    let lying = upright.transposed().mirrored.transposed().mirrored.transposed().mirrored
    let network = try Self.network.get()
    let readings = (
      PageReading(of: upright, with: network, workers: 1),
      PageReading(of: lying, quarters: 1, with: network, workers: 1)
    )
    let seen = (readings.0.automaton(), readings.1.automaton())
    let isSame = readings.0.cells == readings.1.cells
    #expect(isSame)
    #expect(seen.0.states.count == 2 && seen.1.states.count == 2)
    for (one, other) in zip(seen.0.states, seen.1.states) {
      let place = readings.0.place(one.center)
      // Three quarter turns clockwise are one anticlockwise.
      let turned = Vector(place.y, 640 - place.x)
      #expect(readings.1.place(other.center).distance(to: turned) < 1e-9)
      #expect(readings.1.cell(turned).distance(to: other.center) < 1e-9)
    }
  }

  /// The network is as sure of a turned picture as of the picture at that turn, and surer at some turns than at others.
  @Test func surenessTurnsWithThePicture() throws {
    let lines =
      [ring(150, 200, 60, 60), ring(450, 200, 60, 60)]
      + arrow([Vector(215, 200), Vector(385, 200)])
    let picture = page(lines)
    func sureness(_ quarters: Int) throws -> [Double] {
      PageReading.sureness(
        of: picture.turned(byQuarters: quarters), with: try Self.network.get().recognizer,
        workers: 2)
    }
    let upright = try sureness(0)
    #expect(upright.allSatisfy { $0 < 0 } && Set(upright).count == 4)
    for quarters in 1..<4 {
      #expect(try sureness(quarters) == (0..<4).map { upright[($0 + quarters) % 4] })
    }
    let blank = Bitmap(width: 3, height: 1, pixels: [240, 240, 240])
    #expect(
      PageReading.sureness(of: blank, with: try Self.network.get().recognizer, workers: 1)
        == [0, 0, 0, 0])
  }

  @Test func aTurnAtWhichLittleIsSeenIsNoSureOne() {
    #expect(
      PageReading.means([(-30, 100), (0, 0), (-4, 40), (-60, 120)]) == [-0.3, -0.5, -0.5, -0.5])
    #expect(
      PageReading.means([(-30, 100), (-10, 50), (0, 0), (0, 0)]) == [-0.3, -0.2, -0.3, -0.3])
  }

  @Test(
    arguments: [
      ([-1, -1, -1, -1], 16, [-0.6, -0.6, -0.1, -0.6], 2),
      ([-1, -1, -1, -1], 16, [-0.4, -0.4, -0.1, -0.4], 0),
      ([-1, -1, -1, -0.7], 16, [-0.3, -0.3, -0.3, -0.3], 3),
      ([-1, -1, -1, -0.7], 1, [-0.3, -0.3, -0.3, -0.3], 0),
      ([-1, -1, -1, -0.5], 1, [-0.1, -0.4, -0.4, -0.4], 0),
      ([-1, -1, -1, -0.5], 4, [-0.1, -0.4, -0.4, -0.4], 3),
      ([nil, -0.1, -0.1, -0.1], 16, [-0.9, -0.1, -0.1, -0.1], 0),
      ([-1, nil, -1, -1], 16, [-0.2, 0, -0.2, -0.2], 0),
    ] as [([Double?], Int, [Double], Int)]) func writingAndSurenessSayWhatIsUpright(
      legibility: [Double?], count: Int, sureness: [Double], quarters: Int
    )
  {
    let writing = legibility.map { legibility in
      legibility.map {
        DiagramRecognizer.Uprightness(
          legibility: $0, characterCount: count, markCount: 2 * count)
      }
    }
    #expect(DiagramRecognizer.quarterTurns(uprightness: writing, sureness: sureness) == quarters)
  }

  /// A mark is a character rather than a part of one where a picture is upright.
  @Test(arguments: [(10, 0), (20, 1)])
  func marksAreWholeCharactersWhereAPictureIsUpright(characterCount: Int, quarters: Int) {
    func writing(_ count: Int) -> DiagramRecognizer.Uprightness {
      .init(legibility: -0.5, characterCount: count, markCount: 20)
    }
    #expect(
      DiagramRecognizer.quarterTurns(
        uprightness: [writing(10), writing(characterCount), writing(10), writing(10)],
        sureness: [-0.2, -0.2, -0.2, -0.2]) == quarters)
  }

  /// A dark picture is read as one with enough light; a blank dark one has no state.
  @Test func aDarkPictureIsReadAsABrightOne() throws {
    func dark(_ picture: Bitmap) -> Bitmap {
      Bitmap(width: picture.width, height: picture.height, pixels: picture.pixels.map { $0 / 24 })
    }
    let network = try Self.network.get()
    let (bright, dim) = (
      PageReading(of: page(automaton), with: network, workers: 1).automaton(),
      PageReading(of: dark(page(automaton)), with: network, workers: 1).automaton()
    )
    #expect(bright.states.count == 2 && bright.arrows.count == 3)
    // The network sees it with its brightest places at 230.
    let lit = Bitmap(
      width: 640, height: 400, pixels: page(automaton).pixels.map { $0 == 240 ? 230 : 23 })
    // Where these differ, a test that prints them is not readable.
    let isLit =
      PageReading(of: dark(page(automaton)), with: network, workers: 1).cells
      == PageReading(of: lit, with: network, workers: 1).cells
    #expect(isLit)
    #expect(dim.states.count == bright.states.count)
    #expect(
      Set(dim.arrows.map { [$0.from, $0.to] }) == Set(bright.arrows.map { [$0.from, $0.to] }))
    for level: UInt8 in [0, 1, 30] {
      let blank = Bitmap(width: 64, height: 64, filledWith: level)
      #expect(PageReading(of: blank, with: network, workers: 1).automaton().states.isEmpty)
    }
  }

  /// Where a person knows the states, they are what the network sees there, or circles, and nothing else is a state.
  @Test func whatAPersonKnowsIsAState() throws {
    func read(_ known: KnownStates) throws -> (PageReading, PageReading.Automaton) {
      let reading = PageReading(
        of: page(automaton), known: known, with: try Self.network.get(), workers: 1)
      return (reading, reading.automaton())
    }
    let left = KnownStates.State(center: Vector(152, 218), radius: 52)
    let (reading, seen) = try read(KnownStates([left], missed: Vector(455, 230)))
    try #require(seen.states.count == 2)
    #expect(reading.place(seen.states[0].center).distance(to: Vector(150, 220)) < 6)
    #expect(reading.place(seen.states[1].center).distance(to: Vector(470, 220)) < 6)
    #expect(seen.states[1].finalOdds > 0)
    #expect(Set(seen.arrows.map { [$0.from, $0.to] }) == [[0, 1], [0, 0], [nil, 0]])
    // A known state is where the network sees it, and final if that one is.
    let right = KnownStates.State(center: Vector(490, 232), radius: 50)
    let (there, final) = try read(KnownStates([right], missed: Vector(152, 218)))
    #expect(there.place(final.states[0].center).distance(to: Vector(470, 220)) < 6)
    #expect(final.states.map { $0.finalOdds > 0 } == [true, false])
    // Where no ring is seen, it is a circle of the usual size.
    let (other, blank) = try read(KnownStates([left], missed: Vector(320, 350)))
    try #require(blank.states.count == 2)
    #expect(other.place(blank.states[1].center).distance(to: Vector(320, 350)) < 1e-9)
    #expect(abs(other.length(blank.states[1].radius) - 52) < 6)
  }

  /// States that cannot be in a picture are left out, so that none of them takes time or memory.
  @Test func whatIsNotInThePictureIsNotKnown() throws {
    let known = KnownStates(
      [
        .init(center: Vector(50, 50), radius: 20), .init(center: Vector(1e30, 50), radius: 20),
        .init(center: Vector(50, 50), radius: 1e9), .init(center: Vector(50, 50), radius: 1e-9),
        .init(center: Vector(.nan, 50), radius: 20), .init(center: Vector(50, 50), radius: .nan),
      ], missed: Vector(90, 70))
    #expect(known.inside(width: 100, height: 80)?.states == [known.states[0]])
    for missed in [Vector(90, 81), Vector(-1, 70), Vector(.nan, 70)] {
      #expect(KnownStates([], missed: missed).inside(width: 100, height: 80) == nil)
    }
  }

  @Test func theTipSaysTheDirection() throws {
    let rings = [ring(150, 220, 50, 50), ring(470, 220, 50, 50)]
    let way = [Vector(206, 220), Vector(414, 220)]
    for path in [way, way.reversed()] {
      let reading = try read(rings + arrow(path))
      let seen = reading.automaton()
      let arrow = try #require(seen.arrows.first)
      let from = try #require(arrow.from)
      #expect(seen.arrows.count == 1)
      #expect(reading.place(seen.states[from].center).distance(to: path[0]) < 70)
    }
  }

  @Test func linesThatCrossGoStraightOn() throws {
    let places = [(120.0, 90.0), (520, 90), (120, 310), (520, 310)]
    let rings = places.map { ring($0.0, $0.1, 40, 40) }
    func way(_ from: Int, _ to: Int) -> [Vector] {
      let (a, b) = (
        Vector(places[from].0, places[from].1), Vector(places[to].0, places[to].1)
      )
      let unit = (b - a).unit
      return [a + unit * 42, b - unit * 42]
    }
    let reading = try read(rings + arrow(way(0, 3)) + arrow(way(2, 1)))
    let seen = reading.automaton()
    try #require(seen.states.count == 4)
    let pairs = seen.arrows.map { arrow in
      [arrow.from, arrow.to].map { number -> Int? in
        number.flatMap { number in
          places.indices.min {
            let center = reading.place(seen.states[number].center)
            return center.distance(to: Vector(places[$0].0, places[$0].1))
              < center.distance(to: Vector(places[$1].0, places[$1].1))
          }
        }
      }
    }
    #expect(Set(pairs) == [[0, 3], [2, 1]])
  }

  @Test func whatLiesBetweenStatesIsNoState() throws {
    // Two arrows that bow apart enclose what is as round as the rings.
    let rings = [ring(150, 200, 50, 50), ring(430, 200, 50, 50)]
    func bow(_ side: Double) -> [Vector] {
      (0...24).map { step in
        let share = Double(step) / 24
        return Vector(190 + 200 * share, 200 + side * (32 + 60 * sin(.pi * share)))
      }
    }
    let reading = try read(rings + arrow(bow(-1)) + arrow(bow(1).reversed()))
    let seen = reading.automaton()
    try #require(seen.states.count == 2)
    #expect(Set(seen.arrows.map { [$0.from, $0.to] }) == [[0, 1], [1, 0]])
  }

  @Test func aLineIsOneArrow() throws {
    let rings = [ring(150, 220, 50, 50), ring(470, 220, 50, 50)]
    let reading = try read(rings + arrow([Vector(206, 220), Vector(414, 220)]))
    let lines = try #require(reading.lines)
    let seen = try #require(PageArrowSearch(lines: lines).arrows().first)
    var odds = PageArrowOdds(lines)
    func judged(_ arrow: PageArrow, by odds: PageArrowOdds) -> Double {
      var arrow = arrow
      arrow.known = []
      odds.judge(&arrow)
      return arrow.odds
    }
    let before = judged(seen, by: odds)
    #expect(before > PageNumbers.doubtfulOdds)
    odds.choose(seen)
    #expect(judged(seen, by: odds) == -.infinity)
    // Without a head it is less likely, and where there is no ink, it is none.
    var other = seen
    (other.headAtTip, other.direction) = (0, 0)
    #expect(judged(other, by: PageArrowOdds(lines)) < before)
    other.path = other.path.map { $0 + Vector(0, 30) }
    #expect(judged(other, by: PageArrowOdds(lines)) == -.infinity)
  }

  /// A state is as wide as its ring, however long that is.
  @Test func longOvalsAreStates() throws {
    let reading = try read([ring(330, 150, 200, 36)])
    try #require(reading.states.count == 1)
    let state = reading.states[0]
    #expect(abs(reading.length(state.half.x) - 200) < 10)
    #expect(abs(reading.length(state.half.y) - 36) < 5)
    #expect(reading.place(state.center).distance(to: Vector(330, 150)) < 10)
  }

  /// A gap in a long ring, small or large, does not make the state shorter.
  @Test(arguments: [8.0, 40]) func longOvalsMayHaveGaps(gap: Double) throws {
    let (start, share) = (1.1, gap / 178)
    let open = (0...120).map {
      let angle = start + share / 2 + (2 * Double.pi - share) * Double($0) / 120
      return Vector(330 + 200 * cos(angle), 150 + 36 * sin(angle))
    }
    let reading = try read([open])
    try #require(reading.states.count == 1)
    #expect(abs(reading.length(reading.states[0].half.x) - 200) < 12)
  }

  /// The outer one of two long rings is that of the state.
  @Test func longDoubleOvalsAreFinal() throws {
    let reading = try read([ring(330, 150, 200, 60), ring(330, 150, 184, 46)])
    try #require(reading.states.count == 1)
    #expect(reading.states[0].finalOdds > 0)
    #expect(abs(reading.length(reading.states[0].half.y) - 60) < 8)
  }

  /// Pages of a row or a column of cells have no arrows between states.
  @Test(arguments: [(640, 2), (2, 400), (1, 1)])
  func tinyPagesHaveNoArrowsBetweenStates(width: Int, height: Int) throws {
    let picture = Bitmap(
      width: width, height: height,
      pixels: (0..<width * height).map { $0 % 50 < 4 ? 40 : 240 })
    let middle = Vector(Double(width) / 2, Double(height) / 2)
    let reading = PageReading(
      of: picture, known: KnownStates([.init(center: middle, radius: 4)], missed: middle),
      with: try Self.network.get(), workers: 1)
    #expect(reading.automaton().arrows.allSatisfy { $0.from == nil })
  }

  /// Shortest paths lead along lines from end to end, through bends, across gaps ahead, and not through what is taken.
  @Test func shortestPathsLeadFromEndToEnd() throws {
    let (elbow, end) = (Vector(500, 120), Vector(500, 330))
    let line = [
      [Vector(120, 120), Vector(300, 120)], [Vector(330, 120), elbow, end],
      [Vector(160, 250), Vector(380, 250)],
    ]
    let reading = try read([ring(60, 200, 40, 40)] + line)
    let lines = try #require(reading.lines)
    let none = [Bool](repeating: false, count: lines.levels.count)
    /// The places of the ends of each path, the left one first.
    func ends(besides isTaken: [Bool]) -> [[Vector]] {
      PageShortestPaths(lines, besides: isTaken).paths().map { path in
        [path[0], path[path.count - 1]].map(reading.place).sorted { $0.x < $1.x }
      }
    }
    func isAbout(_ ends: [Vector], _ one: Vector, _ other: Vector) -> Bool {
      ends[0].distance(to: one) < 12 && ends[1].distance(to: other) < 12
    }
    let paths = ends(besides: none)
    #expect(paths.contains { isAbout($0, Vector(120, 120), end) })
    #expect(paths.contains { isAbout($0, Vector(160, 250), Vector(380, 250)) })
    #expect(!paths.contains { isAbout($0, Vector(160, 250), end) })
    var isTaken = none
    lines.cells.mark([reading.cell(Vector(500, 220))], reach: lines.scale, in: &isTaken)
    let left = ends(besides: isTaken)
    #expect(!left.contains { isAbout($0, Vector(120, 120), end) })
    #expect(left.contains { isAbout($0, Vector(160, 250), Vector(380, 250)) })
  }

  /// A line whose head is away from it is an arrow.
  @Test func arrowsWithGapsAreFound() throws {
    let rings = [ring(110, 220, 50, 50), ring(510, 220, 50, 50)]
    let (tip, line) = (Vector(440, 220), [Vector(166, 220), Vector(350, 220)])
    let head = [tip + Vector(-18, -12), tip, tip + Vector(-18, 12)]
    let seen = try read(rings + [line, head]).seenAutomaton()
    try #require(seen.states.count == 2)
    let (left, right) = seen.states[0].center.x < seen.states[1].center.x ? (0, 1) : (1, 0)
    #expect(seen.arrows.map { [$0.from, $0.to] } == [[left, right]])
  }

  /// Lines that are longer than 99 of 100 composed arrows are found.
  @Test func longLinesAreArrows() throws {
    let rings = [ring(60, 60, 15, 15), ring(580, 60, 15, 15)]
    let around = arrow([Vector(60, 80), Vector(60, 360), Vector(580, 360), Vector(580, 80)])
    let seen = try read(rings + arrow([Vector(82, 60), Vector(560, 60)]) + around).automaton()
    try #require(seen.states.count == 2)
    #expect(seen.arrows.count == 2)
    #expect(seen.arrows.allSatisfy { $0.from != nil && $0.from != $0.to })
    let (left, right) = (ring(400, 200, 22, 22), ring(560, 200, 22, 22))
    let initial = try read(
      [left, right] + arrow([Vector(427, 200), Vector(532, 200)])
        + arrow([Vector(110, 200), Vector(372, 200)])
    ).automaton()
    try #require(initial.states.count == 2)
    #expect(initial.arrows.count == 2)
    #expect(initial.arrows.count { $0.from == nil } == 1)
  }

  @Test func linesThatCrossFlatKeepTheirEnds() throws {
    let rings = [
      ring(90, 110, 45, 45), ring(90, 290, 45, 45), ring(550, 110, 45, 45), ring(550, 290, 45, 45),
    ]
    let reading = try read(
      rings + arrow([Vector(140, 120), Vector(500, 275)])
        + arrow([Vector(140, 280), Vector(500, 125)]))
    let seen = reading.automaton()
    try #require(seen.states.count == 4)
    func name(_ state: Int?) -> String {
      let center = reading.place(seen.states[state!].center)
      return (center.y < 200 ? "upper " : "lower ") + (center.x < 300 ? "left" : "right")
    }
    #expect(
      Set(seen.arrows.map { "\(name($0.from)) to \(name($0.to))" })
        == ["upper left to lower right", "lower left to upper right"])
  }

  /// The end of a line that is four cells wide is no way back along it.
  @Test func aBroadInitialArrowIsNoLoop() throws {
    let rings = [ring(200, 200, 60, 60), ring(480, 200, 60, 60)]
    let initial = arrow([Vector(40, 200), Vector(132, 200)])
    let broad = [-3.0, 0, 3].flatMap { side in initial.map { $0.map { $0 + Vector(0, side) } } }
    let seen = try read(rings + broad + arrow([Vector(266, 200), Vector(412, 200)])).automaton()
    try #require(seen.states.count == 2)
    #expect(seen.arrows.count == 2)
    #expect(seen.arrows.contains { $0.from == nil })
    #expect(seen.arrows.allSatisfy { $0.from != $0.to })
  }

  /// A triangle marks an initial state, one of each automaton.
  @Test func trianglesMarkInitialStates() throws {
    let rings = [ring(200, 100, 50, 50), ring(460, 100, 50, 50)]
    let line = arrow([Vector(256, 100), Vector(400, 100)])
    let left = [Vector(100, 70), Vector(146, 100), Vector(100, 130), Vector(100, 70)]
    let right = left.map { Vector(660 - $0.x, $0.y) }
    func initial(_ strokes: [[Vector]]) throws -> [String] {
      let reading = try read(strokes)
      let seen = reading.automaton()
      return seen.arrows.filter { $0.from == nil }.map {
        let center = reading.place(seen.states[$0.to!].center)
        return (center.y < 200 ? "upper " : "lower ") + (center.x < 330 ? "left" : "right")
      }.sorted()
    }
    #expect(try initial(rings + line).isEmpty)
    #expect(try initial(rings + line + [left]) == ["upper left"])
    #expect(try initial(rings + line + [right]) == ["upper right"])
    #expect(try initial(rings + line + [left, right]).count == 1)
    // Another mark is none where an arrow marks the initial state.
    let initialArrow = arrow([Vector(60, 100), Vector(144, 100)])
    #expect(try initial(rings + line + initialArrow + [right]) == ["upper left"])
    let lower = (rings + line + [left]).map { $0.map { $0 + Vector(0, 200) } }
    #expect(try initial(rings + line + [left] + lower) == ["lower left", "upper left"])
  }

  /// Only initial states are reached by no arrow: doubtful arrows of others are turned.
  @Test func doubtfulArrowsAreTurnedToWhatNoneReaches() throws {
    // Six states in a row.
    let rings = (0..<6).map { ring(60 + 100 * Double($0), 200, 30, 30) }
    let search = PageArrowSearch(lines: try #require(try read(rings).lines))
    try #require(search.lines.states.count == 6)
    let order = search.lines.states.indices.sorted {
      search.lines.states[$0].center.x < search.lines.states[$1].center.x
    }
    func arrow(_ from: Int?, _ to: Int, _ direction: Double) -> PageArrow {
      let (a, b) = (
        from.map { search.lines.states[order[$0]].center } ?? Vector(0, 0),
        search.lines.states[order[to]].center
      )
      var arrow = PageArrow(from: from.map { order[$0] }, to: order[to], path: [a, b], votes: 1)
      arrow.direction = direction
      return arrow
    }
    func turned(_ arrows: [PageArrow], besides markers: [PageArrow] = []) -> [String] {
      var (arrows, odds) = (arrows, PageArrowOdds(search.lines))
      for arrow in arrows { odds.choose(arrow) }
      search.turnToUnreached(&arrows, besides: markers, automata: odds.automaton)
      return arrows.map { arrow in
        "\(order.firstIndex(of: arrow.from!)!)\(order.firstIndex(of: arrow.to!)!)"
      }
    }
    let (sure, doubtful) = (
      search.lines.decoding.reachedOdds + 0.1, search.lines.decoding.reachedOdds - 0.1
    )
    // Without a mark, one of both is the initial state: the one whose arrow is surer.
    #expect(turned([arrow(0, 1, 1), arrow(2, 1, doubtful)]) == ["10", "21"])
    // The other one, where a triangle or an arrow marks it.
    #expect(
      turned([arrow(0, 1, 1), arrow(2, 1, doubtful)], besides: [arrow(nil, 0, 1)]) == ["01", "12"])
    let first = [arrow(nil, 0, 1)]
    #expect(turned([arrow(0, 1, 1), arrow(2, 1, sure)], besides: first) == ["01", "21"])
    let others = [arrow(1, 3, sure), arrow(3, 1, sure)]
    #expect(turned([arrow(0, 1, 1), arrow(2, 1, doubtful)] + others) == ["10", "21", "13", "31"])
    // What would not be reached then stays.
    #expect(turned([arrow(2, 1, doubtful), arrow(1, 0, sure)], besides: first) == ["21", "10"])
    // The mark of one automaton says nothing of another one.
    #expect(turned([arrow(0, 1, 1), arrow(3, 4, 1)], besides: first) == ["01", "34"])
  }

  /// Markers of one state add up; those of different states, and no marker, exclude each other.
  @Test func anAutomatonHasOneInitialStateOrNone() throws {
    let rings = (0..<3).map { ring(100 + 200 * Double($0), 200, 40, 40) }
    let search = PageArrowSearch(lines: try #require(try read(rings).lines))
    try #require(search.lines.states.count == 3)
    func initial(_ markers: [(state: Int, odds: Double)]) -> [Int] {
      search.initialArrows(
        among: markers.map { marker in
          var arrow = PageArrow(from: nil, to: marker.state, path: [], votes: 1)
          arrow.odds = log(marker.odds)
          return arrow
        }, automata: [0, 0, 2]
      ).map { $0.to! }
    }
    #expect(initial([]).isEmpty)
    #expect(initial([(0, 0.9)]).isEmpty)
    #expect(initial([(0, 1.1)]) == [0])
    #expect(initial([(0, 0.6), (0, 0.6)]) == [0])
    #expect(initial([(0, 0.6), (1, 0.6)]).isEmpty)
    #expect(initial([(0, 2), (1, 3)]) == [1])
    #expect(initial([(1, 2), (0, 1.5), (0, 1.5)]) == [0])
    #expect(initial([(0, 2), (2, 3)]) == [0, 2])
  }

  /// The wings of a head as long as a radius lead to a state, too.
  @Test func wingsOfLargeHeadsAreNoInitialArrows() throws {
    let rings = [ring(160, 200, 50, 50), ring(470, 200, 50, 50)]
    let tip = Vector(414, 200)
    let wings = [[tip + Vector(-62, -22), tip], [tip, tip + Vector(-20, 60)]]
    let seen = try read(
      rings + arrow([Vector(30, 200), Vector(106, 200)]) + [[Vector(216, 200), tip]] + wings
    ).automaton()
    try #require(seen.states.count == 2)
    let (left, right) = seen.states[0].center.x < seen.states[1].center.x ? (0, 1) : (1, 0)
    #expect(seen.arrows.filter { $0.from == nil }.map(\.to) == [left])
    #expect(seen.arrows.filter { $0.from != nil }.map { [$0.from, $0.to] } == [[left, right]])
  }

  /// A self-loop bends in a gap, where a symbol stands, and can be far from its ring.
  @Test func selfLoopsInTwoPiecesAndAtADistanceAreFound() throws {
    let rings = [ring(150, 250, 50, 50), ring(450, 250, 50, 50)]
    let line = arrow([Vector(206, 250), Vector(394, 250)])
    func loop(_ distance: Double, gap: Range<Int>) -> [[Vector]] {
      let points = (0...24).map { number -> Vector in
        let turn = Double.pi * (0.8 + 1.4 * Double(number) / 24)
        return Vector(150 + 42 * cos(turn), 172 - distance + 50 * sin(turn))
      }
      let end = arrow(Array(points[gap.upperBound...]))
      return gap.isEmpty ? end : [Array(points[..<gap.lowerBound])] + end
    }
    func found(_ loop: [[Vector]]) throws -> Int {
      try read(rings + line + loop).automaton().arrows.count { $0.from == $0.to }
    }
    #expect(try found(loop(0, gap: 0..<0)) == 1)
    #expect(try found(loop(0, gap: 11..<14)) == 1)
    #expect(try found(loop(25, gap: 0..<0)) == 1)
  }

  @Test func aSmallRingWithoutArrowsIsNoState() throws {
    let rings = [ring(150, 220, 50, 50), ring(470, 220, 50, 50)]
    let line = arrow([Vector(206, 220), Vector(414, 220)])
    #expect(try read(rings + [ring(300, 60, 25, 25)] + line).automaton().states.count == 2)
    #expect(try read(rings + [ring(300, 70, 48, 48)] + line).automaton().states.count == 3)
  }

  @Test func aPerceptronIsOneHiddenLayer() {
    let network = Perceptron(hidden: [[1, 2, -1], [0.5, -1, 0]], output: [[0.25, 3, 5]])
    // max(0, 1 + 2·2 − 1·3) = 2 and max(0, 0.5 − 2) = 0: 0.25 + 3·2.
    #expect(network([2, 3]) == [6.25])
    // max(0, 1 − 2) = 0 and max(0, 0.5 + 1) = 1.5: 0.25 + 5·1.5.
    #expect(network([-1, 0]) == [7.75])
  }

  @Test(arguments: [
    ("{", "arrows.json: expected JSON"),
    ("{}", "arrows.json: expected the key `arrow`, found none"),
    (
      released.replacing("\"shortestPath\"", with: "\"other\""),
      "arrows.json: expected the key `shortestPath`, found none"
    ),
    (
      released.replacing("\"direction\"", with: "\"arrow\": {}, \"direction\""),
      "expected each key once in an object, found `arrow` twice"
    ),
    (
      released.replacing("\"direction\"", with: "\"other\": 1, \"direction\""),
      "arrows.json, other: expected one of the keys"
    ),
    (
      released.replacing(#/"hidden": \[\s+\[-?[0-9.]+, /#, with: "\"hidden\": [["),
      ": expected weights of 28 measures and one answer"
    ),
    (
      released.replacing(#/"direction": \[\s+\[-?[0-9.]+, /#, with: "\"direction\": [["),
      "direction: expected two rows of weights of 13 measures"
    ),
  ])
  func damagedNetworksAreRefused(text: String, problem: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("arrows.json", text)
    let error = try #require(throws: ModelError.self) {
      try PageArrowNetworks.read("\(folder.path)/arrows.json")
    }
    #expect(error.description.contains(problem) && error.description.contains("arrows.json"))
  }

  private static let released = try! String(
    contentsOfFile: ModuleResources(module: "InkDiagram").path(of: "arrows.json"), encoding: .utf8)

  /// The heads of a line from its other end give the same directions, exchanged.
  @Test func directionsTurnWithTheLine() throws {
    let networks = try PageArrowNetworks.released()
    var heads = PageHeads()
    (heads.pointing, heads.outwards) = ([2, 30], [4, 32])
    (heads.near, heads.nearest, heads.along) = ([5, 40], [1, 25], [0.1, 0.6])
    let (one, other) = (networks.directions(heads), networks.directions(heads.turned))
    #expect(one.forward > one.backward && one.forward > one.both)
    #expect(abs(one.forward - other.backward) < 1e-12 && abs(one.backward - other.forward) < 1e-12)
    #expect(abs(one.both - other.both) < 1e-12)
  }

  @Test func headsBelongToTheArrowThatTheyLieAlong() throws {
    // Both heads are at the left ring; the upper arrow starts beside the head of the lower one.
    let rings = [ring(130, 200, 50, 50), ring(480, 110, 45, 45), ring(480, 290, 45, 45)]
    let reading = try read(
      rings + arrow([Vector(188, 190), Vector(434, 125)])
        + arrow([Vector(434, 278), Vector(188, 212)]))
    let seen = reading.automaton()
    try #require(seen.states.count == 3)
    func name(_ state: Int?) -> Int {
      let center = reading.place(seen.states[state!].center)
      return center.x < 300 ? 0 : center.y < 200 ? 1 : 2
    }
    #expect(Set(seen.arrows.map { [name($0.from), name($0.to)] }) == [[0, 1], [2, 0]])
    #expect(seen.arrows.allSatisfy { !$0.hasTwoHeads })
  }

  @Test func aPageWithoutRingsHasNoStates() throws {
    let reading = try read([
      [Vector(50, 60), Vector(300, 60)], [Vector(50, 160), Vector(300, 170)],
    ])
    #expect(reading.states.isEmpty && reading.lines == nil)
  }

  private func oval(_ center: Vector, _ half: Vector) -> PageState {
    let outline = (0..<PageState.directions).map { number in
      let way = PageState.direction(number)
      return 1 / Vector(way.x / half.x, way.y / half.y).length
    }
    return PageState(center: center, half: half, outline: outline, support: 1, finalOdds: 0)
  }

  @Test func anOutlineHasTheDistanceOfItsEllipse() {
    let state = oval(Vector(100, 50), Vector(40, 20))
    #expect(abs(state.distance(to: Vector(150, 50)) - 10) < 0.1)
    #expect(abs(state.distance(to: Vector(100, 65)) + 5) < 0.1)
    #expect(state.distance(to: state.center) == -20)
    #expect(state.rim.allSatisfy { abs(state.distance(to: $0)) < 0.2 })
  }

  @Test func statesOverlapByTheirAreas() {
    func circle(_ x: Double, _ radius: Double) -> PageState {
      oval(Vector(x, 0), Vector(radius, radius))
    }
    #expect(circle(0, 10).share(in: circle(0, 20)) == 1)
    #expect(abs(circle(0, 20).share(in: circle(0, 12)) - 0.36) < 0.01)
    #expect(circle(0, 10).share(in: circle(0, 10)) == 1)
    #expect(circle(0, 10).share(in: circle(30, 10)) == 0)
    // Two circles whose centres are a radius apart share 39 % of their areas.
    #expect(abs(circle(0, 10).share(in: circle(10, 10)) - 0.391) < 0.05)
    // Most directions of the oval are within the circle, but only half of its area is.
    let wide = oval(Vector(0, 0), Vector(30, 10))
    #expect(abs(wide.share(in: circle(0, 14)) - 0.531) < 0.06)
  }
}
