import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkEvaluation
import InkRaster
import SeededRandom
import Testing

/// Whole drawings, made of rings, lines and letters.
@Suite(.timeLimit(.minutes(30))) struct DiagramRecognizerTests {
  private static let released = Result { try DiagramRecognizer.released() }

  private func recognize(
    _ strokes: [Stroke], vocabulary: [String] = [], alphabet: [String] = []
  ) throws -> Diagram {
    try Self.released.get()
      .recognize(Drawing(strokes), vocabulary: vocabulary, alphabet: alphabet)
  }

  // MARK: Ink

  /// An arc around a place; angles in turns, clockwise from the right.
  private func arc(
    _ x: Double, _ y: Double, _ radius: Double = 50, from: Double = -0.25, to: Double = 0.77
  ) -> Stroke {
    Stroke(
      (0...60).map { step in
        let angle = 2 * .pi * (from + (to - from) * Double(step) / 60)
        return Point(x + radius * cos(angle), y + radius * sin(angle))
      })
  }

  private func line(_ places: (Double, Double)...) -> Stroke { line(through: places) }

  private func line(through places: [(Double, Double)]) -> Stroke {
    var points: [Point] = []
    for (a, b) in zip(places, places.dropFirst()) {
      points += (0...12).map {
        let share = Double($0) / 12
        return Point(a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share)
      }
    }
    return Stroke(points)
  }

  /// A bowed line between two places.
  private func bow(_ a: (Double, Double), _ b: (Double, Double), by sag: Double) -> Stroke {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1)
    let length = hypot(dx, dy)
    return Stroke(
      (0...40).map { step in
        let share = Double(step) / 40
        let off = 4 * sag * share * (1 - share)
        return Point(a.0 + dx * share - dy / length * off, a.1 + dy * share + dx / length * off)
      })
  }

  /// An arrow to the right with its head in a stroke of its own.
  private func arrow(from x: Double, to tip: Double, y: Double) -> [Stroke] {
    [line((x, y), (tip, y)), line((tip - 18, y - 14), (tip, y), (tip - 16, y + 15))]
  }

  /// Two rings, an arrow from the left one to the right one, and one from nowhere to the left one.
  private var two: [Stroke] {
    [arc(200, 200), arc(500, 200)] + arrow(from: 255, to: 446, y: 200)
      + arrow(from: 60, to: 148, y: 200)
  }

  private func transitions(_ diagram: Diagram) -> [[String]] {
    let place = Dictionary(
      uniqueKeysWithValues: diagram.states.map { ($0.id, "\(Int(($0.center.x / 100).rounded()))") }
    )
    return diagram.transitions.map { [place[$0.from]!, place[$0.to]!] }.sorted {
      $0.joined() < $1.joined()
    }
  }

  private func state(_ diagram: Diagram, at x: Double) -> Diagram.State? {
    diagram.states.first { abs($0.center.x - x) < 20 }
  }

  // MARK: Elements

  @Test func ringsAndArrowsAreAnAutomatonInAnyOrder() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<6 {
      let strokes = two.shuffled(using: &generator)
      let diagram = try recognize(strokes)
      #expect(diagram.rejection == nil && diagram.states.count == 2)
      #expect(transitions(diagram) == [["2", "5"]])
      #expect(state(diagram, at: 200)?.initial == true && state(diagram, at: 500)?.initial == false)
      #expect(diagram.states.allSatisfy { !$0.final && abs($0.radius - 50) < 3 })
      #expect(diagram.strokes.count { $0.role == .state } == 2)
      #expect(diagram.strokes.count { $0.role == .transition && $0.element == "t0" } == 2)
      #expect(diagram.strokes.count { $0.role == .initial } == 2)
    }
  }

  @Test func theHeadDecidesTheDirection() throws {
    // The pen goes from right to left, and the head is at the right.
    var strokes = two
    strokes[2] = strokes[2].reversed()
    #expect(try transitions(recognize(strokes)) == [["2", "5"]])
    // Without a head, the arrow leads where the pen went.
    strokes.remove(at: 3)
    #expect(try transitions(recognize(strokes)) == [["5", "2"]])
    // One stroke: line, one barb, back, the other barb.
    strokes[2] = line((255, 200), (446, 200), (430, 186), (446, 200), (429, 213))
    #expect(try transitions(recognize(strokes)) == [["2", "5"]])
  }

  @Test func anOpenRingOnEmptyPaperIsAState() throws {
    for gap in [0.05, 0.15, 0.22] {
      let diagram = try recognize([arc(300, 300, 60, from: 0.1, to: 1.1 - gap)])
      #expect(diagram.states.count == 1, "gap \(gap)")
      #expect(abs((diagram.states.first?.radius ?? 0) - 60) < 3)
    }
  }

  @Test func twoArcsAreOneRing() throws {
    var strokes = two
    strokes[0] = arc(200, 200, from: -0.26, to: 0.24)
    strokes.append(arc(200, 200, from: 0.74, to: 0.26))
    let diagram = try recognize(strokes)
    #expect(diagram.states.count == 2 && transitions(diagram) == [["2", "5"]])
    #expect(diagram.strokes[0] == diagram.strokes[strokes.count - 1])
    #expect(diagram.strokes[0].role == .state)
  }

  @Test func aSecondRingMakesAStateFinal() throws {
    let inner = try recognize(two + [arc(500, 202, 40)])
    #expect(state(inner, at: 500)?.final == true && state(inner, at: 200)?.final == false)
    #expect(inner.states.count == 2)
    // Two turns in one stroke.
    var strokes = two
    strokes[1] = Stroke(
      (0...120).map { step in
        let angle = 4 * .pi * Double(step) / 120
        let radius = step < 60 ? 50.0 : 39
        return Point(500 + radius * cos(angle), 200 + radius * sin(angle))
      })
    let spiral = try recognize(strokes)
    #expect(state(spiral, at: 500)?.final == true && spiral.states.count == 2)
    #expect(abs((state(spiral, at: 500)?.radius ?? 0) - 50) < 3)
  }

  @Test func oppositeArrowsAreNoRing() throws {
    let there = bow((235, 165), (465, 165), by: -60)
    let back = bow((465, 235), (235, 235), by: -60)
    let diagram = try recognize([arc(200, 200), arc(500, 200), there, back])
    #expect(diagram.states.count == 2)
    #expect(transitions(diagram) == [["2", "5"], ["5", "2"]])
  }

  @Test func aLineBackToItsStateIsASelfLoop() throws {
    // With a head and without, and drawn as a ring that touches the state.
    let loop = arc(500, 118, 38, from: 0.36, to: 1.14)
    let head = line((543, 130), (528, 149), (549, 152))
    for strokes in [two + [loop, head], two + [loop]] {
      let diagram = try recognize(strokes)
      #expect(diagram.states.count == 2)
      #expect(transitions(diagram) == [["2", "5"], ["5", "5"]])
    }
  }

  /// A head at a place that is filled by going to and fro, with its tip on the right.
  private func filledHead(_ x: Double, _ y: Double, size: Double = 34) -> Stroke {
    let places = (0...9).map { step in
      let back = size * (1 - Double(step) / 9)
      return (x - back, y + (step % 2 == 0 ? 0.45 : -0.45) * back)
    }
    return line(through: places)
  }

  @Test func aFilledHeadIsNoSelfLoop() throws {
    for size in [24.0, 34, 42] {
      let strokes = [
        arc(200, 200), arc(500, 200), line((255, 200), (450, 200)),
        filledHead(452, 200, size: size), line((60, 200), (145, 200)), filledHead(148, 200),
      ]
      let diagram = try recognize(strokes)
      #expect(transitions(diagram) == [["2", "5"]])
      #expect(diagram.strokes[3] == .init(.transition, element: "t0"))
      #expect(state(diagram, at: 200)?.initial == true)
    }
  }

  @Test func aTriangleAtTheEndOfALineIsItsHead() throws {
    let triangle = line((410, 180), (448, 200), (410, 220), (410, 180))
    let marker = line((110, 180), (148, 200), (110, 220), (110, 180))
    let diagram = try recognize([
      arc(200, 200), arc(500, 200), line((255, 200), (410, 200)), triangle, marker,
    ])
    #expect(transitions(diagram) == [["2", "5"]])
    #expect(diagram.strokes[3] == .init(.transition, element: "t0"))
    #expect(diagram.strokes[4].role == .initial)
    #expect(state(diagram, at: 500)?.initial == false)
  }

  /// Some people draw heads that are larger than the radius of a state.
  @Test func aLargeHeadBelongsToItsArrow() throws {
    let head = line((390, 150), (450, 200), (390, 250))
    let marker = line((90, 155), (148, 200), (90, 245))
    let diagram = try recognize([
      arc(200, 200), arc(500, 200), line((255, 200), (446, 200)), head, line((40, 200), (145, 200)),
      marker,
    ])
    #expect(transitions(diagram) == [["2", "5"]])
    #expect(diagram.states.count(where: \.initial) == 1)
    #expect(diagram.strokes[3] == .init(.transition, element: "t0"))
    #expect(diagram.strokes[5].role == .initial)
  }

  @Test func aFarDotChangesNothing() throws {
    let alone = try recognize(two)
    let diagram = try recognize(two + [line((20_000, 20_000))])
    #expect(transitions(diagram) == transitions(alone))
    #expect(diagram.states == alone.states)
  }

  @Test func manyAutomataOnOnePageAreRead() throws {
    var strokes: [Stroke] = []
    for number in 0..<36 {
      let (across, down) = (Double(number % 6) * 700, Double(number / 6) * 400)
      for stroke in two {
        strokes.append(Stroke(stroke.points.map { Point($0.x + across, $0.y + down) }))
      }
    }
    let diagram = try recognize(strokes)
    #expect(diagram.states.count == 72 && diagram.transitions.count == 36)
  }

  @Test func boxesWithArrowsAreStates() throws {
    func box(_ x: Double, _ y: Double) -> Stroke {
      line(
        (x - 60, y - 35), (x + 60, y - 35), (x + 60, y + 35), (x - 60, y + 35), (x - 60, y - 35))
    }
    let diagram = try recognize(
      [box(200, 200), box(500, 200)] + arrow(from: 265, to: 435, y: 200)
        + arrow(from: 60, to: 136, y: 200))
    #expect(transitions(diagram) == [["2", "5"]])
    #expect(state(diagram, at: 200)?.initial == true)
  }

  @Test func aBarbAtTheTipIsNoWriting() throws {
    // The second barb goes nearly along the line, as quick ones do.
    let diagram = try recognize(
      two.dropLast(1) + [line((150, 200), (132, 188)), line((148, 201), (126, 203))])
    #expect(diagram.strokes.suffix(2).allSatisfy { $0.role == .initial })
    #expect(diagram.strokes.allSatisfy { $0.role != .text })
  }

  @Test func anOpenRingInAStateIsAC() throws {
    let letter = arc(500, 200, 30, from: 0.12, to: 0.88)
    let diagram = try recognize(two + [letter])
    #expect(state(diagram, at: 500)?.final == false)
    #expect(diagram.strokes.last == .init(.text, element: state(diagram, at: 500)?.id))
    // With a name inside, an open ring is one of two.
    let named = try recognize(two + [arc(500, 200, 40, from: 0.08, to: 0.92)] + capitalB(500, 200))
    #expect(state(named, at: 500)?.final == true)
  }

  /// A B of two strokes, 40 points high.
  private func capitalB(_ x: Double, _ y: Double) -> [Stroke] {
    let bowls =
      arc(x - 12, y - 10, 10, from: -0.25, to: 0.25).points
      + arc(x - 12, y + 10, 10, from: -0.25, to: 0.25).points
    return [line((x - 12, y - 20), (x - 12, y + 20)), Stroke(bowls)]
  }

  @Test func aLetterBesideAStateIsNoSelfLoop() throws {
    for x in [272.0, 280, 290] {
      let diagram = try recognize(two + capitalB(x, 160) + capitalB(350, 170))
      #expect(transitions(diagram) == [["2", "5"]])
      #expect(diagram.strokes.suffix(4).allSatisfy { $0.role == .text })
    }
  }

  @Test func aListWithWideSpacesIsOneLabel() throws {
    let comma = line((352, 186), (348, 196))
    let list = capitalB(320, 170) + [comma] + capitalB(402, 170)
    let diagram = try recognize(two + list)
    #expect(diagram.strokes.suffix(5).allSatisfy { $0 == .init(.text, element: "t0") })
    // Without a comma, what is as far is something else.
    let apart = try recognize(two + capitalB(320, 170) + capitalB(402, 170))
    #expect(Set(apart.strokes.suffix(4).map(\.element)).count == 2)
  }

  @Test(arguments: [0, 0.1, 0.25]) func aLoopThatStartsInItsRingIsNoInitialArrow(
    depth: Double
  ) throws {
    let y = 300 - 50 - 38 + 50 * depth
    let loop = arc(200, y, 40, from: 0.36, to: 1.14)
    let tip = try #require(loop.points.last)
    let heads = [
      line((tip.x - 4, tip.y - 20), (tip.x, tip.y), (tip.x + 18, tip.y - 12)),
      line(
        (tip.x, tip.y), (tip.x - 2, tip.y - 22), (tip.x + 20, tip.y - 10), (tip.x, tip.y)),
    ]
    for head in heads {
      let diagram = try recognize([arc(200, 300), loop, head])
      #expect(transitions(diagram) == [["2", "2"]])
      #expect(diagram.states.map(\.initial) == [false])
    }
  }

  /// Capital letters of the height 34 around a place, in rows, turned clockwise.
  private func capitals(_ rows: [String], _ x: Double, _ y: Double, turnedBy degrees: Double)
    -> [Stroke]
  {
    let shapes: [Character: [[(Double, Double)]]] = [
      "E": [[(0.5, 0), (0, 0), (0, 1), (0.5, 1)], [(0, 0.5), (0.4, 0.5)]],
      "H": [[(0, 0), (0, 1)], [(0.6, 0), (0.6, 1)], [(0, 0.5), (0.6, 0.5)]],
      "I": [[(0.25, 0), (0.25, 1)]], "L": [[(0, 0), (0, 1), (0.5, 1)]],
      "M": [[(0, 1), (0, 0), (0.4, 0.6), (0.7, 0), (0.7, 1)]],
      "T": [[(0.25, 0), (0.25, 1)], [(-0.05, 0), (0.6, 0)]],
    ]
    let height = 34.0
    var strokes: [Stroke] = []
    for (row, word) in rows.enumerated() {
      let top = 1.5 * Double(row) - 0.75 * Double(rows.count)
      for (number, letter) in word.enumerated() {
        let left = 0.85 * Double(number) - 0.425 * Double(word.count)
        for path in shapes[letter]! {
          let places: [(Double, Double)] = path.map { place in
            (height * (place.0 + left), height * (place.1 + top))
          }
          strokes.append(line(through: places))
        }
      }
    }
    let turned = Drawing(strokes).transformed(by: .rotation(degrees * .pi / 180))
    return turned.strokes.map { Stroke($0.points.map { Point($0.x + x, $0.y + y) }) }
  }

  @Test(arguments: [0.0, -25, 20]) func wordsInRowsAreReadAtAnySlope(degrees: Double) throws {
    let strokes = two + capitals(["HILL", "TIME"], 350, 122, turnedBy: degrees)
    let read = try recognize(strokes).transitions
    #expect(read.map(\.symbols) == [["HILL TIME"]])
  }

  /// Four states in a row, with labels at the first two arrows and a text far from the last one.
  private func far(_ text: String) -> [Stroke] {
    two + [arc(800, 200), arc(1100, 200)] + arrow(from: 555, to: 746, y: 200)
      + arrow(from: 855, to: 1046, y: 200) + capitals(["HILL"], 350, 170, turnedBy: 0)
      + capitals(["HILL"], 650, 170, turnedBy: 0) + capitals([text], 950, 105, turnedBy: 0)
  }

  @Test func aFarTextIsALabelIfOthersAreLikeIt() throws {
    let label = try recognize(far("HILL"))
    #expect(label.transitions.map(\.symbols) == [["HILL"], ["HILL"], ["HILL"]])
    #expect(label.strokes.suffix(6).allSatisfy { $0 == .init(.text, element: "t2") })
    let other = try recognize(far("I"))
    #expect(other.transitions.map(\.symbols) == [["HILL"], ["HILL"], []])
    #expect(other.strokes.last == .init(.text))
  }

  @Test func symbolsAreOfTheAlphabetIfOneIsGiven() throws {
    let strokes = two + capitalB(350, 170)
    #expect(try recognize(strokes).transitions[0].symbols == ["B"])
    for symbols in [["8"], ["b", "8"]] {
      let read = try recognize(strokes, alphabet: symbols).transitions[0].symbols
      #expect(read.count == 1 && symbols.contains(read[0]))
    }
  }

  @Test func whatHasNoTextIsDoubtful() throws {
    let bare = try recognize(two).uncertain
    #expect(bare.map(\.element) == ["t0"])
    #expect(bare.map(\.property) == [.symbols] && bare[0].value.isEmpty)
    // States without names are common, but not among states that have some.
    let three = two + [arc(800, 200)] + arrow(from: 555, to: 746, y: 200)
    let named = try recognize(three + capitalB(200, 200) + capitalB(800, 200))
    let unnamed = named.uncertain.filter { $0.property == .name && $0.value.isEmpty }
    #expect(unnamed.map(\.element) == [state(named, at: 500)?.id])
  }

  @Test func aNameThatTwoStatesHaveIsDoubtful() throws {
    func probabilities(_ strokes: [Stroke]) throws -> [Double?] {
      let found = try recognize(strokes, vocabulary: ["HILL"])
      #expect(found.states.map(\.name) == ["HILL", "HILL"])
      return found.states.map { state in
        found.uncertain.first { $0.element == state.id && $0.property == .name }?.probability
      }
    }
    func named(_ x: Double) -> [Stroke] {
      [arc(x, 200, 90)] + arrow(from: x - 200, to: x - 94, y: 200)
        + capitals(["HILL"], x, 200, turnedBy: 0)
    }
    let apart = named(300) + named(1000)
    #expect(try probabilities(apart + arrow(from: 394, to: 906, y: 230)) == [0.5, 0.5])
    // Two automata may have the same names.
    #expect(try probabilities(apart) == [nil, nil])
  }

  @Test func aDrawingOfOtherThingsIsDoubted() throws {
    #expect(try recognize(two).warning == nil)
    let lines = (0..<7).map { line((100 + 90 * Double($0), 700), (120 + 90 * Double($0), 760)) }
    let warning = try #require(try recognize(two + lines).warning)
    #expect(warning.hasPrefix("7 of 13 strokes belong to no state or transition: "))
  }

  /// The fewer transitions there are, the more strokes that belong to nothing say that it is no automaton.
  @Test(arguments: [(0, 4), (1, 8), (3, 16), (5, 18), (9, 18)]) func looseStrokesAreDoubted(
    transitions: Int, unsuspicious: Int
  ) {
    func warning(_ loose: Int) -> String? {
      Diagram(
        states: ["s0", "s1"].map { .init(id: $0, center: Vector(0, 0), radius: 1) },
        transitions: (0..<transitions).map { _ in .init(from: "s0", to: "s1") },
        strokes: (0..<20).map { .init(.other, element: $0 < loose ? nil : "s0") }
      ).warning
    }
    #expect(warning(unsuspicious) == nil && warning(unsuspicious + 1) != nil)
  }

  @Test func aTriangleAtAStateMarksItAsInitial() throws {
    let triangle = line((105, 175), (148, 200), (105, 225), (105, 175))
    let diagram = try recognize(Array(two.prefix(4)) + [triangle])
    #expect(state(diagram, at: 200)?.initial == true)
    #expect(diagram.strokes[4].role == .initial)
  }

  @Test func aLineGoesOnBehindItsLabel() throws {
    let strokes =
      [arc(200, 200), arc(560, 200), line((255, 200), (340, 200)), line((400, 200), (505, 200))]
      + [line((488, 187), (505, 200), (488, 213)), arc(370, 200, 14, from: 0.1, to: 0.9)]
    let diagram = try recognize(strokes)
    #expect(transitions(diagram) == [["2", "6"]])
    #expect(diagram.strokes[2].element == "t0" && diagram.strokes[3].element == "t0")
    #expect(diagram.strokes[5] == .init(.text, element: "t0"))
  }

  // MARK: Handwriting

  /// Self-loops of a few straight pieces, and an `A` beside an arrow whose legs look like a second arrow.
  @Test func aShaftGoesOnBehindLettersOfManyStrokes() throws {
    // An A and a B in the gap, whose strokes also lie in the way of the line.
    let first = line((255, 200), (300, 200))
    let rest = [line((390, 200), (446, 200)), line((428, 186), (446, 200), (430, 215))]
    let letters =
      [line((312, 222), (324, 180), (336, 222)), line((316, 204), (332, 204))]
      + capitalB(370, 200)
    let strokes = [two[0], two[1], first] + rest + letters + [two[4], two[5]]
    let diagram = try recognize(strokes)
    #expect(transitions(diagram) == [["2", "5"]])
    #expect(diagram.strokes[2] == .init(.transition, element: "t0"))
    #expect(diagram.strokes[5...8].allSatisfy { $0.role == .text })
  }

  @Test func ringsThatAreKnownAreStates() throws {
    // A row of equal rings may be letters, unless it is known that they are states.
    let rings = [arc(200, 200), arc(500, 200)]
    let loop = arc(580, 200, 42, from: 0.58, to: 1.42)
    let known = try Self.released.get().recognize(Drawing(rings + [loop]), rings: [0, 1])
    #expect(known.states.count == 2 && known.transitions.count == 1)
    #expect(known.uncertain.allSatisfy { $0.property != .state })
  }

  @Test(arguments: [(6, 1, "mod3"), (6, 1, "e"), (5, 2, "c")])
  func cornersAndLettersAreNoArrows(seed: UInt64, writer: Int, name: String) throws {
    let composer = DiagramComposer(seed: seed)
    let hand = composer.syntheticWriters(count: writer + 1)[writer]
    let example = try #require(composer.drawing(0, by: hand, known: name))
    let truth = try #require(try Diagram(attributes: example.attributes))
    let drawing = try #require(example.content.drawing)
    #expect(try DiagramComparison(recognize(drawing.strokes), truth: truth).structure.right == 1)
  }

  @Test(arguments: ["mod3", "a"]) func automataOfSyntheticWritersAreRead(name: String) throws {
    let composer = DiagramComposer(seed: 7)
    var sum = DiagramComparison()
    for writer in composer.syntheticWriters(count: 6) {
      let example = try #require(composer.drawing(0, by: writer, known: name))
      let truth = try #require(try Diagram(attributes: example.attributes))
      guard case .drawing(let drawing) = example.content else { continue }
      let alphabet = Set(truth.transitions.flatMap(\.symbols)).sorted()
      let found = try recognize(drawing.strokes, vocabulary: alphabet)
      sum += DiagramComparison(found, truth: truth)
    }
    #expect(sum.structure.right >= 5 && sum.structure.count == 6)
    #expect(Double(sum.symbols.right) >= 0.85 * Double(sum.symbols.count))
    #expect(Double(sum.names.right) >= 0.8 * Double(sum.names.count))
    #expect(Double(sum.text.right) >= 0.97 * Double(sum.text.count))
  }

  /// A drawing of the automaton that the composer knows as `mod3`.
  private func mod3() throws -> Drawing {
    let composer = DiagramComposer(seed: 7)
    let example = try #require(
      composer.drawing(0, by: composer.syntheticWriters(count: 1)[0], known: "mod3"))
    return try #require(example.content.drawing)
  }

  @Test func aDashBesideAnArrowIsNotItsLabel() throws {
    let drawing = try mod3()
    let plain = try recognize(drawing.strokes)
    try #require(plain.transitions.count == 6)
    var dashes: [Stroke] = []
    for (number, transition) in plain.transitions.enumerated() where transition.path.count > 2 {
      let label = plain.strokes.indices.filter {
        plain.strokes[$0].role == .text && plain.strokes[$0].element == "t\(number)"
      }
      guard let bounds = Drawing(label.map { drawing.strokes[$0] }).bounds else { continue }
      let middle = transition.path[transition.path.count / 2]
      let away = (middle - Vector(bounds.center)).unit
      // On the other side of the arrow, and nearer than the label.
      let place = middle + away * (0.3 * plain.states[0].radius)
      dashes.append(
        Stroke([
          Point(place.x - 0.12 * bounds.height, place.y),
          Point(place.x + 0.12 * bounds.height, place.y),
        ]))
    }
    try #require(dashes.count >= 4)
    let found = try recognize(drawing.strokes + dashes)
    #expect(found.transitions.map(\.symbols) == plain.transitions.map(\.symbols))
  }

  @Test(arguments: [-0.35, 0.35]) func writingIsReadOnPaperThatLiesTurned(angle: Double) throws {
    let composer = DiagramComposer(seed: 7)
    var sum = DiagramComparison()
    for writer in composer.syntheticWriters(count: 8) {
      for number in 0..<3 {
        guard let example = composer.drawing(number, by: writer),
          let truth = try Diagram(attributes: example.attributes),
          case .drawing(let drawing) = example.content
        else { continue }
        let found = try recognize(drawing.transformed(by: .rotation(angle)).strokes)
        sum += DiagramComparison(found, truth: truth)
      }
    }
    #expect(sum.names.count == 112)
    #expect(Double(sum.names.right) >= 0.94 * Double(sum.names.count))
  }

  @Test func whatIsReadDoesNotDependOnOrderAndTime() throws {
    let drawing = try mod3()
    let straight = try recognize(drawing.strokes)
    let plain = drawing.strokes.reversed().map { stroke in
      Stroke(stroke.points.map { Point($0.x, $0.y) })
    }
    let reversed = try recognize(Array(plain))
    #expect(DiagramComparison(reversed, truth: straight).exact.right == 1)
  }

  /// A comma that was not written is no part of a symbol.
  @Test func digitsWithoutACommaAreTwoSymbols() throws {
    let strokes =
      [arc(100, 100), arc(400, 100)] + arrow(from: 155, to: 348, y: 100)
      + [arc(235, 66, 14), line((262, 62), (270, 52), (270, 82))]
    let diagram = try recognize(strokes)
    #expect(diagram.transitions.map { $0.symbols.sorted() } == [["0", "1"]])
  }

  /// An E that stands alone is the empty word, unless the other symbols are capitals; an ε stays the empty word
  /// among digits.
  @Test func anEAmongOtherSymbolsIsTheEmptyWord() throws {
    let states = [arc(100, 100), arc(400, 100), arc(700, 100)]
    let arrows = [
      line((155, 90), (345, 90)), line((328, 80), (349, 90), (328, 100)),
      line((455, 90), (645, 90)), line((628, 80), (649, 90), (628, 100)),
      line((645, 125), (455, 125)), line((472, 115), (451, 125), (472, 135)),
    ]
    let letterE = [
      line((540, 32), (540, 72)), line((540, 32), (562, 32)), line((540, 52), (558, 52)),
      line((540, 72), (562, 72)),
    ]
    let digits = [arc(250, 54, 18), line((550, 140), (550, 176))]
    let capitals = [
      line((232, 74), (250, 34), (268, 74)), line((239, 60), (261, 60)),
      line((538, 140), (538, 180)), line((562, 140), (562, 180)), line((538, 160), (562, 160)),
    ]
    let epsilon = [
      Stroke(
        [42.0, 61].flatMap { y in
          (0...24).map { step in
            let angle = Double(step) / 24 * 1.4 * .pi + 0.3 * .pi
            return Point(552 + 12 * cos(angle), y - 10 * sin(angle))
          }
        })
    ]
    func symbols(_ strokes: [Stroke], alphabet: [String] = []) throws -> [[String]] {
      try recognize(states + arrows + strokes, alphabet: alphabet).transitions.map(\.symbols)
    }
    #expect(try Set(symbols(letterE + digits)) == [["0"], ["ε"], ["1"]])
    #expect(
      try Set(symbols(letterE + digits, alphabet: ["0", "1", "E"])) == [["0"], ["E"], ["1"]])
    #expect(try Set(symbols(letterE + capitals)) == [["A"], ["E"], ["H"]])
    #expect(try Set(symbols(epsilon + digits)) == [["0"], ["ε"], ["1"]])
  }

  // MARK: Other input

  @Test func nothingIsRejectedAsEmpty() throws {
    #expect(try recognize([]).rejection == .empty)
    #expect(try recognize([Stroke([])]).rejection == .empty)
    let nowhere = Stroke([Point(.nan, 1), Point(2, .infinity)])
    let diagram = try recognize([nowhere] + two)
    #expect(diagram.strokes[0] == .init(.other) && diagram.states.count == 2)
    #expect(try recognize([Stroke([Point(1, 1)])]).rejection == .noStates)
  }

  @Test func lettersAloneAreTextAndNoAutomaton() throws {
    // Lines of letters, among them some that are rings.
    let characters = Synthesizer(seed: 5).characters(by: 2, perCharacter: 2)
    let strokes = characters.prefix(60).enumerated().flatMap { index, one -> [Stroke] in
      let place = (x: Double(index % 12) * 60, y: Double(index / 12) * 120)
      let bounds = one.drawing.bounds!
      let scale = 40 / max(bounds.longerSide, 1)
      return one.drawing.transformed(
        by: Transform.translation(x: -bounds.minX, y: -bounds.minY)
          .then(.scale(x: scale, y: scale)).then(.translation(x: place.x, y: place.y))
      ).strokes
    }
    let diagram = try recognize(strokes)
    #expect(diagram.states.isEmpty && diagram.rejection == .noStates)
    let textCount = diagram.strokes.count { $0.role == .text }
    #expect(Double(textCount) > 0.95 * Double(strokes.count))
  }

  /// Many letters are rings, and the states are empty.
  @Test func theStatesAmongMuchWritingAreTheLargerRings() throws {
    var strokes = [arc(100, 60, 22), arc(260, 60, 22)] + arrow(from: 125, to: 236, y: 60)
    for row in 0..<3 {
      for column in 0..<12 {
        let (x, y) = (60 + 24 * Double(column), 160 + 50 * Double(row))
        strokes.append(
          column % 3 == 2 ? line((x, y - 9), (x + 2, y + 9)) : arc(x, y, 9 + Double(column % 2)))
      }
    }
    let diagram = try recognize(strokes)
    #expect(diagram.states.count == 2 && diagram.states.allSatisfy { $0.radius > 15 })
    #expect(transitions(diagram) == [["1", "3"]])
  }

  @Test func boxesAndLinesOfAFlowChartAreShapes() throws {
    func box(_ x: Double, _ y: Double) -> Stroke {
      line((x, y), (x + 200, y), (x + 200, y + 100), (x, y + 100), (x, y))
    }
    func word(_ x: Double, _ y: Double) -> [Stroke] {
      (0..<4).map { arc(x + 26 * Double($0), y, 10, from: 0, to: 0.8) }
    }
    let down = [line((100, 102), (100, 198)), line((88, 184), (100, 198), (112, 183))]
    let strokes = [box(0, 0), box(0, 200)] + word(60, 50) + word(60, 250) + word(130, 150) + down
    let diagram = try recognize(strokes)
    #expect(diagram.rejection == .noStates)
    let isText = diagram.strokes.map { $0.role == .text }
    #expect(isText == strokes.indices.map { (2..<14).contains($0) })
  }

  /// Beside other work, even the time of a thread is no measure: caches and cores are shared.
  private static let isTimed = ConditionTrait.enabled(
    if: ProcessInfo.processInfo.environment["INKSTATE_TIMES"] != nil,
    "set INKSTATE_TIMES on a machine that does nothing else")

  /// The time that this thread needs for `work`, in seconds.
  private func seconds(_ work: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try work()
    return now() - start
  }

  /// Four times as many strokes take 4 times as long if the time grows as their number does, and 16
  /// times if it grows with the square; other work on the machine at the same time changes a measured
  /// time by less than half of that.
  @Test(Self.isTimed) func theTimeForManyScribblesGrowsAsTheirNumber() throws {
    var generator = SeededGenerator(seed: 3)
    func scribbles(_ count: Int, size: Double) -> [Stroke] {
      (0..<count).map { _ in
        let (x, y) = (generator.uniform(0...size), generator.uniform(0...size))
        return Stroke(
          (0..<12).map { _ in
            Point(x + generator.uniform(0...60), y + generator.uniform(0...60))
          })
      }
    }
    func time(_ count: Int, size: Double) throws -> Double {
      let strokes = scribbles(count, size: size)
      var diagram: Diagram?
      let time = try seconds { diagram = try recognize(strokes) }
      #expect(diagram?.strokes.count == count)
      return time
    }
    for size in [200.0, 4000] {
      let few = try time(2_500, size: size)
      let many = try time(10_000, size: size)
      #expect(many < 10 * few, "\(size): \(few) s, then \(many) s")
    }
  }

  @Test(Self.isTimed) func timeGrowsWithTheNumberOfStrokes() throws {
    // The same two states again and again, side by side.
    func copies(_ count: Int) -> [Stroke] {
      (0..<count).flatMap { index in
        two.map { stroke in
          Stroke(
            stroke.points.map {
              Point($0.x + Double(index % 20) * 700, $0.y + Double(index / 20) * 300)
            })
        }
      }
    }
    let (few, many) = (copies(80), copies(320))
    var diagram: Diagram?
    _ = try recognize(few)
    let short = try seconds { _ = try recognize(few) }
    let long = try seconds { diagram = try recognize(many) }
    #expect(diagram?.states.count == 640 && diagram?.transitions.count == 320)
    #expect(long < 10 * short, "\(short) s for \(few.count) strokes, \(long) s for \(many.count)")
  }

  /// Names and symbols are read on several cores, each label in its own place.
  @Test func theDiagramIsTheSameOnAnyNumberOfCores() throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100), line((155, 90), (345, 90)),
        line((328, 80), (349, 90), (328, 100)),
        line((345, 125), (155, 125)), line((172, 115), (151, 125), (172, 135)),
        // The names 1 and 0, and the symbols 0 and 1.
        line((100, 82), (100, 118)), arc(400, 100, 18), arc(250, 60, 18),
        line((250, 140), (250, 176)),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let recognizer = try Self.released.get()
    let diagram = recognizer.recognize(drawing, workers: 1)
    #expect(diagram.states.map(\.name) == ["1", "0"])
    #expect(Set(diagram.transitions.map(\.symbols)) == [["0"], ["1"]])
    #expect(recognizer.recognize(drawing, workers: 3) == diagram)
    let picture = DrawnPicture(drawing: drawing)
    let seen = recognizer.recognize(picture, workers: 1).diagram
    #expect(Set(seen.transitions.map(\.symbols)) == [["0"], ["1"]])
    #expect(recognizer.recognize(picture, workers: 3).diagram == seen)
  }

  /// The pen tells where an arrow without a head leads, but not in strokes that were traced.
  @Test(arguments: [false, true]) func tracedStrokesHaveNoDirection(isTraced: Bool) throws {
    let drawing = Drawing([arc(100, 100), arc(400, 100), line((345, 100), (155, 100))])
    let diagram = try Self.released.get().recognize(drawing, isTraced: isTraced)
    #expect(diagram.transitions.map(\.from) == ["s1"])
    let doubt = diagram.uncertain.first { $0.property == .direction }
    #expect(doubt?.probability == (isTraced ? 0.5 : 0.8))
  }

  /// Writing is read with the directions of the pen, but not in strokes that were traced.
  @Test(arguments: [false, true]) func tracedWritingIsReadWithoutDirections(isTraced: Bool) throws {
    let rings = [arc(100, 100), arc(400, 100), line((155, 100), (345, 100))]
    let heads = [line((328, 90), (349, 100), (328, 110))]
    let names = [line((100, 82), (100, 118)), arc(400, 100, 18), line((240, 55), (260, 85))]
    let recognizer = try Self.released.get()
    let diagrams = [names, names.map { $0.reversed() }].map {
      recognizer.recognize(Drawing(rings + heads + $0), isTraced: isTraced)
    }
    func scores(_ diagram: Diagram) -> [Double] {
      diagram.uncertain.filter { $0.property != .direction }.map(\.probability)
    }
    let (forward, backward) = (scores(diagrams[0]), scores(diagrams[1]))
    try #require(!forward.isEmpty)
    let isSame =
      forward.count == backward.count
      && zip(forward, backward).allSatisfy { abs($0 - $1) < 1e-3 }
    #expect(isSame == isTraced)
  }

  // MARK: Pictures

  /// Two rings with a line between them, drawn from the right to the left, and a filled head at one end.
  @Test(arguments: [true, false]) func thePictureTellsWhereAHeadIs(isAtRight: Bool) throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((345, 100), (155, 100)),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let (tip, back) = isAtRight ? (349.0, 327.0) : (151.0, 173.0)
    let head = [Point(tip, 100), Point(back, 88), Point(back, 112)]
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing, filled: [head])
    ).diagram
    #expect(diagram.transitions.map(\.from) == [isAtRight ? "s0" : "s1"])
    #expect(diagram.transitions.map(\.to) == [isAtRight ? "s1" : "s0"])
    #expect(!diagram.uncertain.contains { $0.property == .direction })
  }

  /// Where no head is seen, the order of traced points says nothing.
  @Test func aTracedLineWithoutAHeadIsUncertain() throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((345, 100), (155, 100)),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing)
    ).diagram
    #expect(diagram.transitions.count == 1)
    let doubt = diagram.uncertain.first { $0.property == .direction }
    #expect(doubt?.probability == 0.5)
  }

  /// What is left of a head is neither a symbol nor an arrow.
  @Test func remainsOfAHeadAreNoSymbols() throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((155, 100), (345, 100)),
        line((338, 96), (330, 92)), line((332, 104), (336, 108)), line((328, 95), (328, 105)),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let head = [Point(349, 100), Point(327, 88), Point(327, 112)]
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing, filled: [head])
    ).diagram
    #expect(diagram.transitions.map(\.symbols) == [[]])
    #expect(!diagram.strokes.contains { $0.role == .text })
  }

  /// The sides of a triangle that are left of a head take no symbol's place.
  @Test func sidesOfATriangleAreNoSymbols() throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((155, 100), (345, 100)), arc(250, 70, 18),
        line((335, 92), (313, 82), (313, 118)), line((313, 118), (333, 108)),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let head = [Point(349, 100), Point(313, 82), Point(313, 118)]
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing, filled: [head])
    ).diagram
    #expect(diagram.transitions.map(\.symbols) == [["0"]])
    #expect(diagram.strokes.indices.filter { diagram.strokes[$0].role == .text } == [3])
  }

  /// A round 0 that is much smaller than the states is a symbol.
  @Test(arguments: [22.0, 25.0]) func aSmallRingBesideAnArrowIsASymbol(radius: Double) throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((155, 100), (345, 100)), line((328, 90), (349, 100), (328, 110)),
        arc(250, 92 - radius, radius),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing)
    ).diagram
    #expect(diagram.states.count == 2)
    #expect(diagram.transitions.map(\.symbols) == [["0"]])
  }

  /// A second arrow between the same states is one if it has a label, or if the other has none either.
  @Test(arguments: [0, 1, 2]) func aSecondArrowNeedsALabel(labels: Int) throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((150, 80), (345, 80)), line((328, 70), (349, 80), (328, 90)),
        line((150, 125), (345, 125)), line((328, 115), (349, 125), (328, 135)),
        arc(240, 50, 14), line((240, 140), (240, 172)),
      ].prefix(6 + labels).map { Stroke($0.resampled(spacing: 1).points) })
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing)
    ).diagram
    #expect(diagram.states.count == 2)
    let expected: [[String]] = [[[], []], [["0"]], [["0"], ["1"]]][labels]
    #expect(
      diagram.transitions.map(\.symbols).sorted { $0.joined() < $1.joined() } == expected)
  }

  /// A symbol that touches an arrow does not share its way as an initial arrow; the triangle marks the initial state.
  @Test func aTriangleInAPictureMarksTheInitialState() throws {
    let drawing = Drawing(
      [
        arc(100, 100), arc(400, 100),
        line((155, 100), (345, 100)), line((328, 90), (349, 100), (328, 110)),
        line((212, 70), (218, 85), (226, 98), (240, 100)),
        line((47, 98), (5, 78), (5, 122), (47, 102)),
      ].map { Stroke($0.resampled(spacing: 1).points) })
    let diagram = try Self.released.get().recognize(
      DrawnPicture(drawing: drawing)
    ).diagram
    #expect(state(diagram, at: 100)?.initial == true)
    #expect(diagram.states.count(where: \.initial) == 1)
    #expect(diagram.transitions.count == 1)
    #expect(diagram.strokes[4].role == .text)
    #expect(diagram.strokes[5] == .init(.initial, element: state(diagram, at: 100)?.id))
  }

  /// Where other lines touch a ring, it is traced in parts; another ring tells how large it is.
  @Test func aRingOfPartsIsAState() throws {
    let arcs = [
      arc(100, 100, from: 0.02, to: 0.31), arc(100, 100, from: 0.36, to: 0.64),
      arc(100, 100, from: 0.69, to: 0.97), arc(400, 100),
    ]
    let drawing = Drawing(arcs.map { Stroke($0.resampled(spacing: 1).points) })
    let recognizer = try Self.released.get()
    #expect(recognizer.recognize(drawing).states.count == 2)
    let diagram = recognizer.recognize(DrawnPicture(drawing: drawing)).diagram
    #expect(diagram.states.count == 2)
    let state = try #require(diagram.states.first)
    // The network sees cells of 2 × 2 pixels.
    #expect(hypot(state.center.x - 100, state.center.y - 100) < 5)
    #expect(abs(state.radius - 50) < 3)
    #expect(diagram.strokes.map(\.element) == ["s0", "s0", "s0", "s1"])
  }
}
