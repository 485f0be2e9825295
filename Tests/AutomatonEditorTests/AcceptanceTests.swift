import Automata
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer
import Testing

/// The automata of the usability test of the reference editor, each drawn.
struct Machine: Sendable, CustomTestStringConvertible {
  struct Place: Sendable {
    var name: String
    var x: Double
    var y: Double
    var isFinal = false
  }

  struct Way: Sendable {
    var from: Int
    var to: Int
    var symbols: [String]
    var includesEpsilon = false
    /// For a loop, where it is: radians from the x axis, clockwise on screen.
    var angle = -Double.pi / 2
  }

  var name: String
  var places: [Place]
  var ways: [Way]
  var accepted: [String]
  var rejected: [String]

  var testDescription: String { name }
  static let radius = 70.0

  /// The first state is initial; the arrow to it comes from the left.
  var sketch: Sketch {
    var elements: [Sketch.Element] = []
    for place in places {
      elements.append(.ring(center: Point(place.x, place.y), radius: Self.radius))
      if place.isFinal {
        elements.append(.ring(center: Point(place.x, place.y), radius: 0.75 * Self.radius))
      }
    }
    let first = places[0]
    elements.append(
      .line(
        from: Point(first.x - Self.radius - 150, first.y),
        to: Point(first.x - Self.radius - 5, first.y)))
    return Sketch(elements + ways.map { element(for: $0) })
  }

  func element(for way: Way) -> Sketch.Element {
    let (one, other) = (places[way.from], places[way.to])
    guard way.from != way.to else {
      return .loop(center: Point(one.x, one.y), radius: Self.radius, angle: way.angle)
    }
    let hasOpposite = ways.contains { $0.from == way.to && $0.to == way.from }
    let length = hypot(other.x - one.x, other.y - one.y)
    let (x, y) = ((other.x - one.x) / length, (other.y - one.y) / length)
    // Opposite ones are drawn beside each other, each to its own left.
    let aside = hasOpposite ? 25.0 : 0
    let reach = Self.radius + 6
    return .line(
      from: Point(one.x + reach * x + aside * y, one.y + reach * y - aside * x),
      to: Point(other.x - reach * x + aside * y, other.y - reach * y - aside * x),
      sag: hasOpposite ? -0.12 : 0)
  }

  static let a = Machine(
    name: "A",
    places: [
      .init(name: "1", x: 400, y: 600), .init(name: "2", x: 900, y: 250),
      .init(name: "3", x: 1400, y: 600, isFinal: true),
    ],
    ways: [
      .init(from: 0, to: 1, symbols: ["A", "B"]), .init(from: 0, to: 2, symbols: ["B"]),
      .init(from: 1, to: 2, symbols: ["A"]),
    ], accepted: ["AA", "BA", "B"], rejected: ["AAA", "ABA", "A", ""])

  static let aPrime: Machine = {
    var machine = a
    machine.name = "A′"
    machine.ways += [
      .init(from: 1, to: 1, symbols: ["B"]), .init(from: 2, to: 0, symbols: ["A"]),
    ]
    machine.accepted = ["ABBA", "ABAABA", "BAB"]
    machine.rejected = ["AAA", "BBB", ""]
    return machine
  }()

  static let all: [Machine] = [
    a,
    Machine(
      name: "B",
      places: [
        .init(name: "1", x: 400, y: 600, isFinal: true), .init(name: "2", x: 900, y: 250),
        .init(name: "3", x: 1400, y: 600, isFinal: true),
      ],
      ways: [
        .init(from: 0, to: 0, symbols: ["D"]), .init(from: 0, to: 1, symbols: ["E"]),
        .init(from: 0, to: 2, symbols: ["E"]), .init(from: 1, to: 2, symbols: ["F"]),
      ], accepted: ["DDE", "DEF", "DE", "EF", "DDDDE", ""], rejected: ["EFE", "DDDDF"]),
    Machine(
      name: "C",
      places: [
        .init(name: "S", x: 400, y: 300), .init(name: "E", x: 1000, y: 300, isFinal: true),
        .init(name: "D", x: 1300, y: 800), .init(name: "C", x: 700, y: 800),
      ],
      ways: [
        .init(from: 0, to: 1, symbols: ["A"]),
        .init(from: 1, to: 2, symbols: [], includesEpsilon: true),
        .init(from: 2, to: 3, symbols: ["B"]), .init(from: 3, to: 1, symbols: ["B"]),
      ], accepted: ["A", "ABB"], rejected: ["BA", "AB", ""]),
    Machine(
      name: "D",
      places: [.init(name: "S", x: 400, y: 400, isFinal: true), .init(name: "T", x: 900, y: 400)],
      ways: [.init(from: 0, to: 1, symbols: ["1"]), .init(from: 1, to: 0, symbols: ["0"])],
      accepted: ["", "10", "1010"], rejected: ["1", "01", "100"]),
    Machine(
      name: "E",
      places: [
        .init(name: "a", x: 300, y: 400), .init(name: "b", x: 700, y: 400),
        .init(name: "c", x: 1100, y: 400), .init(name: "d", x: 1500, y: 400, isFinal: true),
      ],
      ways: [
        .init(from: 0, to: 1, symbols: ["0"]), .init(from: 1, to: 2, symbols: ["1"]),
        .init(from: 2, to: 3, symbols: ["1"]), .init(from: 3, to: 3, symbols: ["0", "1"]),
      ], accepted: ["011", "0110", "01101"], rejected: ["", "01", "111"]),
    Machine(
      name: "mod 3",
      places: [
        .init(name: "A", x: 400, y: 500), .init(name: "B", x: 900, y: 500),
        .init(name: "C", x: 1400, y: 500, isFinal: true),
      ],
      ways: [
        .init(from: 0, to: 0, symbols: ["0"]), .init(from: 0, to: 1, symbols: ["1"]),
        .init(from: 1, to: 2, symbols: ["0"]), .init(from: 1, to: 0, symbols: ["1"]),
        .init(from: 2, to: 1, symbols: ["0"]), .init(from: 2, to: 2, symbols: ["1"]),
      ], accepted: ["001011", "10"], rejected: ["010101", "1001"]),
  ]
}

@Suite(.timeLimit(.minutes(30))) struct AcceptanceTests {
  private static let writers = 40
  private static let recognizer = Result { try Recognizer.released() }

  private func session() throws -> SketchSession {
    SketchSession(
      Editor(Document(id: "drawn"), ids: CountingIDs()), recognizer: try Self.recognizer.get())
  }

  /// Whether what was drawn has the states, ways and marks of `machine`, in its order.
  private func isRight(_ document: Document, _ machine: Machine) -> Bool {
    let ids = document.states.map(\.id)
    guard ids.count == machine.places.count,
      document.states.map(\.isFinal) == machine.places.map(\.isFinal),
      document.transitions.count == machine.ways.count + 1,
      document.transitions[0].isInitialMarker, document.transitions[0].end == ids[0]
    else { return false }
    return zip(document.transitions.dropFirst(), machine.ways).allSatisfy { transition, way in
      transition.start == ids[way.from] && transition.end == ids[way.to]
        && transition.isLoop == (way.from == way.to)
    }
  }

  private func name(_ session: inout SketchSession, as machine: Machine) throws {
    for (state, place) in zip(session.editor.document.states, machine.places) {
      guard state.name != place.name else { continue }
      try session.editor.perform(.rename(state: state.id, place.name))
    }
    for (transition, way) in zip(session.editor.document.transitions.dropFirst(), machine.ways) {
      for symbol in way.symbols where !transition.symbols.contains(symbol) {
        try session.editor.perform(.addSymbols(transition: transition.id, symbol))
      }
      if way.includesEpsilon, !transition.includesEpsilon {
        try session.editor.perform(.setEpsilon(transition: transition.id, true))
      }
    }
  }

  private func answersRight(_ document: Document, _ machine: Machine) -> Bool {
    let automaton = document.automaton
    return machine.accepted.allSatisfy { automaton.accepts($0.map(String.init)) }
      && machine.rejected.allSatisfy { !automaton.accepts($0.map(String.init)) }
  }

  /// The seeds are none of those that the released model or the editor were made with.
  @Test(arguments: Machine.all) func whatIsDrawnIsTheAutomaton(machine: Machine) throws {
    var rightCount = 0
    for writer in 0..<Self.writers {
      var session = try session()
      let drawing = Synthesizer(seed: 99_201).drawing(of: machine.sketch, writer: writer)
      for stroke in drawing.strokes { _ = session.draw(stroke) }
      guard isRight(session.editor.document, machine) else { continue }
      rightCount += 1
      try name(&session, as: machine)
      #expect(answersRight(session.editor.document, machine), "\(machine.name), writer \(writer)")
    }
    #expect(Double(rightCount) >= 0.95 * Double(Self.writers), "\(rightCount) of \(Self.writers)")
  }

  @Test func oneAutomatonBecomesAnotherByEditing() throws {
    let larger = Machine.aPrime
    var rightCount = 0
    for writer in 0..<Self.writers {
      var session = try session()
      let first = Synthesizer(seed: 99_202).drawing(of: Machine.a.sketch, writer: writer)
      for stroke in first.strokes { _ = session.draw(stroke) }
      guard isRight(session.editor.document, Machine.a) else { continue }
      try name(&session, as: Machine.a)
      #expect(answersRight(session.editor.document, Machine.a))
      let added = Sketch(larger.ways.suffix(2).map(larger.element))
      for stroke in Synthesizer(seed: 99_203).drawing(of: added, writer: writer).strokes {
        _ = session.draw(stroke)
      }
      guard isRight(session.editor.document, larger) else { continue }
      rightCount += 1
      try name(&session, as: larger)
      #expect(answersRight(session.editor.document, larger))
    }
    #expect(Double(rightCount) >= 0.95 * Double(Self.writers), "\(rightCount) of \(Self.writers)")
  }
}
