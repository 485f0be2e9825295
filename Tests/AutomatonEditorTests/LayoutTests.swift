import Automata
import AutomatonEditor
import Ink
import InkDatasets
import SeededRandom
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct LayoutTests {
  /// A deterministic automaton over a and b, seeded.
  private func automaton(states count: Int, seed: UInt64) throws -> Automaton {
    var generator = SeededGenerator(seed: seed)
    let states = (0..<count).map {
      Automaton.State(
        "q\($0)", name: "\($0)", isInitial: $0 == 0, isFinal: generator.chance(0.3))
    }
    let transitions = (0..<2 * count).map { number in
      Automaton.Transition(
        "t\(number)", from: "q\(number / 2)", to: "q\(generator.index(below: count))",
        symbols: [number % 2 == 0 ? "a" : "b"])
    }
    return try Automaton(states: states, transitions: transitions)
  }

  @Test(arguments: 0..<20) func statesStandApartInColumnsFromTheInitialOne(seed: UInt64) throws {
    let automaton = try automaton(states: 2 + Int(seed), seed: seed)
    let document = Document(PlacedAutomaton(automaton: automaton), id: "laid out")
    #expect(document == Document(PlacedAutomaton(automaton: automaton), id: "laid out"))
    for (index, state) in document.states.enumerated() {
      for other in document.states[..<index] {
        #expect(state.center.distance(to: other.center) > state.radius + other.radius + 40)
      }
    }
    // A step leads at most one column to the right.
    let places = Dictionary(uniqueKeysWithValues: document.states.map { ($0.id, $0.center) })
    let columns = Set(places.values.map(\.x)).sorted()
    let initial = try #require(places["q0"])
    #expect(columns.first == initial.x)
    let reached = automaton.minimalReach
    for transition in automaton.transitions where reached.contains(transition.start) {
      let (from, to) = (places[transition.start]!, places[transition.end]!)
      #expect(columns.firstIndex(of: to.x)! <= columns.firstIndex(of: from.x)! + 1)
    }
  }

  /// Of small automata every arrow finds a way that crosses no ring.
  @Test(arguments: 0..<30) func arrowsGoRoundOtherStates(seed: UInt64) throws {
    let automaton = try automaton(states: 2 + Int(seed) % 5, seed: 100 + seed)
    let document = Document(PlacedAutomaton(automaton: automaton), id: "laid out")
    for transition in document.transitions where !transition.isLoop && !transition.isInitialMarker {
      let curves = try #require(document.appearance(of: transition)).curves
      let places = curves.flatMap { curve in
        (0...20).map { step -> Vector in
          let t = Double(step) / 20
          let u = 1 - t
          return curve.start * (u * u * u) + curve.controls.0 * (3 * u * u * t)
            + curve.controls.1 * (3 * u * t * t) + curve.end * (t * t * t)
        }
      }
      for state in document.states where state.id != transition.start && state.id != transition.end
      {
        let nearest = places.map { $0.distance(to: state.center) }.min() ?? 0
        #expect(nearest > state.radius, "\(transition.start ?? "") to \(transition.end ?? "")")
      }
    }
    #expect(document.automaton.accepts(["a", "b"]) == automaton.accepts(["a", "b"]))
  }

  @Test func drawnPlacesAreKept() throws {
    let automaton = try automaton(states: 3, seed: 1)
    let places = [
      "q0": PlacedAutomaton.Place(x: 0, y: 0), "q1": .init(x: 500, y: 0), "q2": .init(x: 0, y: 700),
    ]
    let document = Document(PlacedAutomaton(automaton: automaton, places: places), id: "drawn")
    #expect(document.states.map(\.center) == [Vector(0, 0), Vector(500, 0), Vector(0, 700)])
  }

  private func document(at places: [(x: Double, y: Double)]) throws -> Document {
    let automaton = try automaton(states: places.count, seed: 7)
    return Document(
      PlacedAutomaton(
        automaton: automaton,
        places: Dictionary(
          uniqueKeysWithValues: places.enumerated().map { index, place in
            ("q\(index)", PlacedAutomaton.Place(x: place.x, y: place.y))
          })), id: "drawn")
  }

  private func extent(_ document: Document) -> Double {
    let (xs, ys) = (document.states.map(\.center.x), document.states.map(\.center.y))
    return max(xs.max()! - xs.min()!, ys.max()! - ys.min()!)
  }

  @Test(arguments: [1.0, 0, 1e-9, 20]) func statesThatNearlyCoincideMoveApartAlone(gap: Double)
    throws
  {
    // A drawing as JFLAP's, 600 points wide.
    let document = try document(at: [
      (100, 100), (300, 100), (500, 100), (700, 100), (300, 300), (300 + gap, 300),
    ])
    #expect(extent(document) < 6 * 600)
    for (index, state) in document.states.enumerated() {
      for other in document.states[..<index] {
        #expect(state.center.distance(to: other.center) >= 159)
      }
    }
    // The others stay in their row and order.
    let row = document.states[..<4].map(\.center)
    #expect(zip(row, row.dropFirst()).allSatisfy { $0.x < $1.x && abs($0.y - $1.y) < 1e-6 })
  }

  @Test func smallDrawingsAreEnlargedEvenly() throws {
    let document = try document(at: [(0, 0), (1, 0), (0, 1), (1, 1)])
    #expect(
      document.states.map(\.center) == [
        Vector(0, 0), Vector(240, 0), Vector(0, 240), Vector(240, 240),
      ])
    // All in one place, they are laid out anew.
    #expect(try extent(self.document(at: [(5, 5), (5, 5), (5, 5)])) > 100)
  }
}

extension Automaton {
  /// The states that some word leads to.
  fileprivate var minimalReach: Set<String> {
    var reached = Set(initialStates)
    var count = -1
    while reached.count != count {
      count = reached.count
      for transition in transitions where reached.contains(transition.start) {
        reached.insert(transition.end)
      }
    }
    return reached
  }
}
