import Foundation
import Ink
import InkDatasets
import InkDiagram
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct DiagramComposerTests {
  private static let composer = DiagramComposer(seed: 3)
  private static let drawings: [(example: Example, drawing: Drawing, truth: Diagram)] =
    composer.syntheticWriters(count: 6).flatMap { writer in
      (0..<12).compactMap { index in
        guard let example = composer.drawing(index, by: writer),
          case .drawing(let drawing) = example.content,
          let truth = try? Diagram(attributes: example.attributes)
        else { return nil }
        return (example, drawing, truth)
      }
    }

  @Test func everyStrokeHasARole() {
    #expect(Self.drawings.count == 72)
    for (_, drawing, truth) in Self.drawings {
      #expect(truth.strokes.count == drawing.strokes.count)
      let elements = Set(
        truth.states.map(\.id) + truth.transitions.indices.map { "t\($0)" })
      #expect(truth.strokes.allSatisfy { $0.element.map(elements.contains) ?? true })
      // Each element was drawn, and each name and list of symbols was written.
      for state in truth.states {
        #expect(truth.strokes.contains(.init(.state, element: state.id)))
        #expect(truth.strokes.contains(.init(.text, element: state.id)) != state.name.isEmpty)
        #expect(truth.strokes.contains(.init(.initial, element: state.id)) == state.initial)
      }
      for (index, transition) in truth.transitions.enumerated() {
        #expect(truth.strokes.contains(.init(.transition, element: "t\(index)")))
        #expect(truth.strokes.contains(.init(.text, element: "t\(index)")))
        #expect(!transition.symbols.isEmpty)
      }
    }
  }

  @Test func elementsLieWhereTheTruthSays() throws {
    for (_, drawing, truth) in Self.drawings {
      func ink(_ role: Diagram.StrokeRole) -> Drawing {
        Drawing(
          zip(drawing.strokes, truth.strokes).filter { $0.1 == role }.map(\.0))
      }
      for state in truth.states {
        let center = Point(state.center.x, state.center.y)
        let ring = ink(.init(.state, element: state.id))
        let reach = try #require(
          ring.strokes.flatMap(\.points).map { $0.distance(to: center) }.max())
        for point in ring.strokes.flatMap(\.points) {
          let distance = center.distance(to: point)
          #expect(distance > 0.45 * state.radius && distance < 1.6 * state.radius)
        }
        for point in ink(.init(.text, element: state.id)).strokes.flatMap(\.points) {
          // A state can be an oval.
          #expect(center.distance(to: point) < reach)
        }
        // No other state is in the way.
        for other in truth.states where other.id != state.id {
          let distance = center.distance(to: Point(other.center.x, other.center.y))
          #expect(distance > state.radius + other.radius)
        }
      }
      for (index, transition) in truth.transitions.enumerated() {
        let line = ink(.init(.transition, element: "t\(index)")).strokes.flatMap(\.points)
        for end in [transition.from, transition.to] {
          let state = try #require(truth.states.first { $0.id == end })
          let center = Point(state.center.x, state.center.y)
          let nearest = line.map { $0.distance(to: center) }.min() ?? .infinity
          #expect(nearest < 1.6 * state.radius)
        }
      }
    }
  }

  @Test func drawingsAreOfManyKinds() {
    let all = Self.drawings
    func share(_ condition: (Diagram) -> Bool) -> Double {
      Double(all.count { condition($0.truth) }) / Double(all.count)
    }
    #expect(Set(all.map { $0.truth.states.count }).count >= 6)
    #expect(all.allSatisfy { (2...10).contains($0.truth.states.count) })
    #expect((0.3...0.9).contains(share { $0.transitions.contains { $0.from == $0.to } }))
    #expect(
      share { diagram in
        diagram.transitions.contains { one in
          one.from != one.to
            && diagram.transitions.contains { $0.from == one.to && $0.to == one.from }
        }
      } > 0.15)
    #expect(share { $0.transitions.contains { $0.symbols.count > 1 } } > 0.2)
    #expect(share { $0.transitions.contains { $0.symbols == ["ε"] } } > 0.03)
    #expect(share { $0.states.contains(where: \.final) } > 0.85)
    #expect(share { $0.states.contains(where: \.initial) } > 0.85)
    let isTimed = all.map { $0.drawing.strokes[0].points[0].time != nil }
    #expect(isTimed.contains(true) && isTimed.contains(false))
    #expect(Set(all.compactMap { $0.example.attributes["order"] }).count >= 4)
    #expect(Set(all.map(\.example.kind)).count >= 5)
  }

  @Test func labelsAreNearestToTheirArrows() {
    var (count, nearCount) = (0, 0)
    for (_, drawing, truth) in Self.drawings {
      func points(_ role: Diagram.Role, _ element: String) -> [Point] {
        zip(drawing.strokes, truth.strokes)
          .filter { $0.1 == .init(role, element: element) }.flatMap(\.0.points)
      }
      let lines = truth.transitions.indices.map { points(.transition, "t\($0)") }
      for index in truth.transitions.indices {
        let label = points(.text, "t\(index)")
        func distance(_ line: [Point]) -> Double {
          line.map { point in label.map { $0.distance(to: point) }.min() ?? .infinity }.min()!
        }
        let own = distance(lines[index])
        count += 1
        let isNearest = lines.indices.allSatisfy { $0 == index || distance(lines[$0]) > own }
        if isNearest { nearCount += 1 }
      }
    }
    #expect(count > 200 && Double(nearCount) > 0.96 * Double(count), "\(nearCount) of \(count)")
  }

  @Test func timesFollowTheOrderOfTheStrokes() {
    for (example, drawing, _) in Self.drawings {
      let times = drawing.strokes.flatMap { $0.points.compactMap(\.time) }
      if example.attributes["order"] == .text("random") { #expect(times.isEmpty) }
      #expect(times.isEmpty || times.count == drawing.pointCount)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }
  }

  @Test(arguments: [
    ("a", ["1A,B2", "1B3", "2A3"]), ("a-prime", ["1A,B2", "1B3", "2A3", "2B2", "3A1"]),
    ("b", ["1D1", "1E2", "1E3", "2F3"]), ("c", ["CBE", "DBC", "EεD", "SAE"]),
    ("d", ["S1T", "T0S"]),
    ("e", ["a0b", "b1c", "c1d", "d0,1d"]), ("mod3", ["A0A", "A1B", "B0C", "B1A", "C0B", "C1C"]),
  ])
  func theSevenAutomataCanBeDrawn(name: String, ways: [String]) throws {
    #expect(DiagramComposer.knownAutomata.count == 7)
    for (number, writer) in Self.composer.syntheticWriters(count: 3).enumerated() {
      let example = try #require(Self.composer.drawing(number, by: writer, known: name))
      let truth = try #require(try Diagram(attributes: example.attributes))
      #expect(example.attributes["known"] == .text(name))
      let names = Dictionary(uniqueKeysWithValues: truth.states.map { ($0.id, $0.name) })
      let drawn = truth.transitions.map {
        names[$0.from]! + $0.symbols.joined(separator: ",") + names[$0.to]!
      }
      #expect(drawn.sorted() == ways)
    }
  }

  @Test func symbolsOfSelfLoopsAreOutside() throws {
    var count = 0
    for (_, drawing, truth) in Self.drawings {
      for (index, transition) in truth.transitions.enumerated()
      where transition.from == transition.to {
        let state = try #require(truth.states.first { $0.id == transition.from })
        func ink(_ role: Diagram.Role) -> Drawing {
          Drawing(
            zip(drawing.strokes, truth.strokes)
              .filter { $0.1 == .init(role, element: "t\(index)") }.map(\.0))
        }
        let center = Point(state.center.x, state.center.y)
        let height = ink(.transition).strokes.flatMap(\.points).map { $0.distance(to: center) }
          .max()!
        let symbols = try #require(ink(.text).bounds)
        // The hand shakes.
        #expect(symbols.center.distance(to: center) > 0.9 * height)
        count += 1
      }
    }
    #expect(count > 30)
  }

  @Test func initialArrowsLieOnNoOther() {
    for (_, drawing, truth) in Self.drawings {
      func points(_ role: Diagram.Role) -> [Point] {
        zip(drawing.strokes, truth.strokes).filter { $0.1.role == role }.flatMap(\.0.points)
      }
      for state in truth.states where state.initial {
        let (arrow, others) = (points(.initial), points(.transition))
        let near = arrow.count { place in
          others.contains { $0.distance(to: place) < 0.15 * state.radius }
        }
        #expect(Double(near) < 0.5 * Double(arrow.count))
      }
    }
  }

  /// Digits that tell their writer, as one draws them straight, and rings and arrows of another writer.
  @Test func realInkKeepsItsWriter() throws {
    let characters = Dataset(
      (0..<2).flatMap { hand in
        "0123456789".map { digit in
          let bend = hand == 0 ? [] : [Point(9, 0)]
          return Example(
            .drawing(Drawing([Stroke([Point(0, 0)] + bend + [Point(9, 30)])])),
            label: String(digit), writer: "w\(hand)", source: "test", origin: "test")
        }
      })
    let ring = Stroke(
      (0..<150).map { Point(50 * cos(Double($0) / 23.5), 50 * sin(Double($0) / 23.5)) })
    let arrow = Drawing([
      Stroke([Point(0, 0), Point(100, 0)]).resampled(count: 40),
      Stroke([Point(80, -15), Point(100, 0), Point(80, 15)]),
    ])
    let shapes = Dataset(
      [(Drawing([ring]), "state"), (arrow, "transition")].map {
        Example(.drawing($0.0), label: $0.1, writer: "drawer", source: "test", origin: "test")
      })
    let composer = DiagramComposer(seed: 1)
    let writers = composer.writers(of: characters, shapes: PageShapes.all(in: shapes))
    #expect(writers.count == 2)
    var sources: Set<JSONValue> = []
    for (hand, writer) in writers.enumerated() {
      for index in 0..<4 {
        let example = try #require(composer.drawing(index, by: writer))
        #expect(example.writer == "w\(hand)" && example.source == "test")
        sources.insert(try #require(example.attributes["shapes"]))
        guard case .drawing(let drawing) = example.content else { continue }
        let truth = try #require(try Diagram(attributes: example.attributes))
        let texts = zip(drawing.strokes, truth.strokes).filter { $0.1.role == .text }.map(\.0)
        // Commas are drawn.
        let digits = texts.filter { $0.length > 0.5 * texts.map(\.length).max()! }
        #expect(!digits.isEmpty)
        // Without letters there are no titles.
        #expect(!truth.strokes.contains(.init(.text)))
        #expect(digits.allSatisfy { ($0.length > 1.05 * $0.chord) == (hand == 1) })
      }
    }
    #expect(sources.isSubset(of: [.text("test/drawer"), .text("synthetic")]))
    #expect(sources.contains(.text("test/drawer")))
  }

  @Test func writersWithoutDigitsDrawNothing() {
    let letters = Dataset(
      "abcdefghijkl".map {
        Example(
          .drawing(Drawing([Stroke([Point(0, 0), Point(9, 9)])])), label: String($0), writer: "w",
          source: "test", origin: "test")
      })
    let composer = DiagramComposer(seed: 1)
    let writers = composer.writers(of: letters)
    #expect(writers.count == 1 && writers.allSatisfy { composer.drawing(0, by: $0) == nil })
  }

  @Test func theSeedDecides() {
    func drawing(_ seed: UInt64) -> Example? {
      let composer = DiagramComposer(seed: seed)
      return composer.drawing(1, by: composer.syntheticWriters(count: 1)[0])
    }
    #expect(drawing(1) == drawing(1) && drawing(1) != drawing(2) && drawing(1) != nil)
  }
}
