import Automata
import AutomatonEditor
import Ink
import SeededRandom

/// Random automata with positions, as files of other programs have them.
enum PlacedDrawing: CaseIterable {
  case row, column, grid, circle, scattered

  /// Returns an automaton; with `controls`, some of its arrows have control points.
  func automaton(seed: UInt64, controls: Bool) throws -> PlacedAutomaton {
    var generator = SeededGenerator(seed: seed)
    let count = 2 + generator.index(below: 7)
    let gap = 90 + 60 * generator.uniform()
    let places = (0..<count).map { number -> PlacedAutomaton.Place in
      let place = Double(number)
      switch self {
      case .row: return .init(x: 60 + gap * place, y: 100)
      case .column: return .init(x: 60, y: 100 + gap * place)
      case .grid: return .init(x: gap * Double(number % 3), y: gap * Double(number / 3))
      case .circle:
        let way = Vector(angle: 2 * .pi * place / Double(count), length: gap * Double(count) / 5)
        return .init(x: 300 + way.x, y: 300 + way.y)
      case .scattered:
        return .init(
          x: 2 * gap * Double(number % 3) + 80 * generator.uniform(),
          y: 1.5 * gap * Double(number / 3) + 80 * generator.uniform())
      }
    }
    let initial = generator.chance(0.7) ? 0 : generator.index(below: count)
    let states = (0..<count).map {
      Automaton.State(
        "q\($0)", name: "q\($0)", isInitial: $0 == initial, isFinal: generator.chance(0.3))
    }
    var pairs: [(Int, Int)] = (1..<count).map { ($0 - 1, $0) }
    for _ in 0..<generator.index(below: count + 1) {
      let pair = (generator.index(below: count), generator.index(below: count))
      pairs.append(pair)
      if generator.chance(0.3) { pairs.append((pair.1, pair.0)) }
    }
    for number in 0..<count where generator.chance(0.35) { pairs.append((number, number)) }
    var known: Set<[Int]> = []
    var transitions: [Automaton.Transition] = []
    var points: [String: PlacedAutomaton.Place] = [:]
    for (from, to) in pairs where known.insert([from, to]).inserted {
      let id = "t\(transitions.count)"
      let count = generator.chance(0.2) ? 3 + generator.index(below: 6) : 1
      transitions.append(
        Automaton.Transition(
          id, from: "q\(from)", to: "q\(to)",
          symbols: (0..<count).map { String("abcdefgh".dropFirst($0).prefix(1)) }))
      guard controls, from != to, generator.chance(0.3) else { continue }
      let (start, end) = (
        Vector(places[from].x, places[from].y), Vector(places[to].x, places[to].y)
      )
      let aside = (end - start).unit.turned(by: .pi / 2) * (200 * generator.uniform() - 100)
      let point = start.middle(to: end) + aside
      points[id] = .init(x: point.x, y: point.y)
    }
    var drawn = PlacedAutomaton(
      automaton: try Automaton(states: states, transitions: transitions),
      places: Dictionary(uniqueKeysWithValues: zip(states.map(\.id), places)))
    drawn.controlPoints = points
    return drawn
  }
}

/// What is drawn of a document, as points, circles and boxes, and what of it is in the way of what.
struct DrawnDocument {
  struct Box {
    var center: Vector
    var half: Vector

    func distance(to place: Vector) -> Double {
      Vector(
        max(0, abs(place.x - center.x) - half.x), max(0, abs(place.y - center.y) - half.y)
      ).length
    }

    func distance(to other: Box) -> Double {
      Box(center: center, half: half + other.half).distance(to: other.center)
    }
  }

  let document: Document
  /// The transitions whose shape a file gives.
  let given: Set<String>
  private let lines: [String: [Vector]]
  private let labels: [String: Box]

  init(_ document: Document, given: Set<String> = []) {
    self.document = document
    self.given = given
    lines = Dictionary(
      uniqueKeysWithValues: document.transitions.map { transition in
        (transition.id, document.appearance(of: transition).map(Self.points) ?? [])
      })
    labels = Dictionary(
      uniqueKeysWithValues: document.transitions.compactMap { transition in
        let lines = document.labelLines(of: transition)
        guard !lines.isEmpty, let appearance = document.appearance(of: transition) else {
          return nil
        }
        return (transition.id, Box(center: appearance.label, half: Self.halfSize(lines)))
      })
  }

  private static func halfSize(_ lines: [String]) -> Vector {
    Vector(
      7.5 * Double(lines.map(\.count).max() ?? 0), 11 + 14.4 * Double(lines.count - 1))
  }

  /// Returns points of the line and of the head, at most about five canvas points apart.
  private static func points(of appearance: Document.Appearance) -> [Vector] {
    var points: [Vector] = []
    for curve in appearance.curves {
      let controls = [curve.start, curve.controls.0, curve.controls.1, curve.end]
      let length = zip(controls, controls.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
      let count = max(8, Int(length / 5))
      points += (0...count).map { curve.point(at: Double($0) / Double(count)) }
    }
    for barb in [appearance.head[0], appearance.head[2]] {
      points += (0...4).map { appearance.head[1] + (barb - appearance.head[1]) * (Double($0) / 4) }
    }
    return points
  }

  private static func isNear(_ points: [Vector], _ others: [Vector], _ reach: Double) -> Bool {
    points.contains { point in others.contains { point.distance(to: $0) < reach } }
  }

  // MARK: Arrows

  /// The arrows that go through a state that is not their end: `q0 to q2 through q1`.
  var arrowsThroughStates: [String] {
    document.transitions.flatMap { transition -> [String] in
      guard !given.contains(transition.id), !transition.isLoop else { return [] }
      let points = lines[transition.id] ?? []
      return document.states.filter { state in
        state.id != transition.start && state.id != transition.end
          && points.contains { $0.distance(to: state.center) < state.radius }
      }.map { "\(transition.start ?? "") to \(transition.end ?? "") through \($0.id)" }
    }
  }

  /// The arrows of the same two states that are drawn on each other.
  var arrowsOnEachOther: [String] {
    document.transitions.filter { one in
      !given.contains(one.id)
        && document.transitions.contains { other in
          one.start == other.end && one.end == other.start && one.id != other.id
            && one.start != one.end
            && document.appearance(of: one)!.handle.distance(
              to: document.appearance(of: other)!.handle) < 20
        }
    }.map { "\($0.start ?? "") to \($0.end ?? "")" }
  }

  // MARK: Self-loops and initial arrows

  /// The self-loops and initial arrows on another line or state, where there is a free side.
  ///
  /// A side is free if a self-loop or an initial arrow there keeps 20 points away from all other lines and
  /// states.
  var crowdedSides: [String] {
    document.transitions.compactMap { transition in
      guard transition.isLoop || transition.isInitialMarker, !given.contains(transition.id) else {
        return nil
      }
      guard let owner = document.state(transition.end) else { return nil }
      let name = "\(transition.isLoop ? "the self-loop of" : "the arrow to") \(owner.id)"
      if isFree(lines[transition.id] ?? [], transition, reach: 5) { return nil }
      let hasRoom = (0..<72).contains { step in
        var turned = transition
        let side = Vector(angle: Double(step) * .pi / 36, length: 1)
        let tip = owner.center + side * owner.radius
        turned.shape =
          transition.isLoop
          ? .loop(angle: side.angle - .pi / 2, isMirrored: false)
          : .regular(start: tip + side * 100, tip: tip, flex: tip + side * 50)
        let points = document.appearance(of: turned).map(Self.points) ?? []
        return isFree(points, transition, reach: 20)
      }
      return hasRoom ? name : nil
    }
  }

  private func isFree(
    _ points: [Vector], _ transition: Document.Transition, reach: Double
  ) -> Bool {
    let owner = transition.end
    let isOffStates = document.states.allSatisfy { state in
      state.id == owner
        || points.allSatisfy { $0.distance(to: state.center) >= state.radius + reach }
    }
    return isOffStates
      && lines.allSatisfy { id, others in
        id == transition.id || !Self.isNear(points, others, reach)
      }
  }

  // MARK: Labels

  /// The labels on a line, a state or another label, where there is room.
  ///
  /// There is room if, somewhere beside the line and at most 60 points away from it, a box of the label's
  /// size keeps 12 points away from all states, lines and other labels.
  var coveredLabels: [String] {
    labels.compactMap { id, box in
      if isFree(box, id, reach: 2) { return nil }
      let transition = document.transition(id)!
      let name =
        "\(document.labelText(of: transition)) of "
        + "\(transition.start ?? "") to \(transition.end ?? "")"
      return hasRoom(for: transition, box) ? name : nil
    }.sorted()
  }

  private func hasRoom(for transition: Document.Transition, _ box: Box) -> Bool {
    for step in 2...18 {
      for gap in stride(from: 12.0, through: 60, by: 6) {
        for side in [1.0, -1] {
          var moved = transition
          moved.labelPlace = .init(along: Double(step) / 20, gap: side * gap)
          guard let place = document.appearance(of: moved)?.label else { continue }
          if isFree(Box(center: place, half: box.half), transition.id, reach: 12) { return true }
        }
      }
    }
    return false
  }

  private func isFree(_ box: Box, _ id: String, reach: Double) -> Bool {
    document.states.allSatisfy { box.distance(to: $0.center) >= $0.radius + reach }
      && labels.allSatisfy { $0 == id || box.distance(to: $1) >= reach }
      && lines.values.allSatisfy { $0.allSatisfy { box.distance(to: $0) >= reach } }
  }
}
