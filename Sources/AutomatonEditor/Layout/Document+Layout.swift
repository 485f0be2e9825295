import Automata
import Foundation
import Ink

extension Document {
  /// Creates a document that draws an automaton.
  ///
  /// States keep their known positions; otherwise they are laid out in columns from the initial
  /// states on. Two states have one transition for all symbols. The states keep their ids; a
  /// transition with the id of a state gets a new one.
  public init(_ drawn: PlacedAutomaton, id: String) {
    self.init(id: id, kind: drawn.kind)
    let automaton = drawn.automaton
    givenAlphabet = automaton.unreadSymbols
    (acceptance, labelSyntax) = (drawn.acceptance, automaton.labelSyntax)
    let known = Self.places(of: drawn)
    states = zip(automaton.states, known ?? LayeredLayout(automaton).places).map {
      State(
        id: $0.id, name: $0.name, isFinal: $0.isFinal, center: $1,
        radius: Self.radius(for: $0.name))
    }
    for index in states.indices { states[index].label = drawn.stateLabels[states[index].id] ?? "" }
    let movement = Self.movement(of: drawn, to: states)
    notes = drawn.notes.map { note in
      let place = note.place.map(movement.place)
      return PlacedAutomaton.Note(
        note.text, at: place.flatMap { Vector($0.x, $0.y).isOnCanvas ? $0 : nil })
    }
    let drawnStates = Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0) })
    var ids = CountingIDs()
    func freeID() -> String {
      var id = ids.next()
      while drawnStates[id] != nil { id = ids.next() }
      return id
    }
    var indices: [[String]: Int] = [:]
    for transition in automaton.transitions {
      let pair = [transition.start, transition.end]
      if indices[pair] == nil {
        indices[pair] = transitions.count
        guard let from = drawnStates[transition.start], let to = drawnStates[transition.end] else {
          preconditionFailure("the states of every transition exist")
        }
        transitions.append(
          Transition(
            id: freeID(), start: from.id, end: to.id,
            shape: from.id == to.id
              ? .loop(angle: .pi, isMirrored: false) : .straight(from: from, to: to)))
        if from.id != to.id, let opposite = indices[[to.id, from.id]] {
          let bend = Self.bow(from: from, to: to)
          transitions[opposite].shape = .bowed(from: to, to: from, by: bend)
          transitions[transitions.count - 1].shape = .bowed(from: from, to: to, by: bend)
        }
      }
      let index = indices[pair]!
      for symbol in transition.symbols where !transitions[index].symbols.contains(symbol) {
        transitions[index].symbols.append(symbol)
      }
      if transition.includesEpsilon { transitions[index].includesEpsilon = true }
    }
    var given: Set<Int> = []
    for transition in known == nil ? [] : automaton.transitions {
      guard let point = drawn.controlPoints[transition.id],
        let from = drawnStates[transition.start], let to = drawnStates[transition.end],
        let index = indices[[from.id, to.id]]
      else { continue }
      let place = movement.place(point)
      let shape = Transition.Shape(from: from, to: to, control: Vector(place.x, place.y))
      guard shape.isOnCanvas else { continue }
      transitions[index].shape = shape
      given.insert(index)
    }
    for (state, place) in zip(automaton.states, states) where state.isInitial {
      transitions.append(
        Transition(id: freeID(), end: state.id, shape: .marker(of: place), endsFreely: true))
    }
    clearLines(except: given)
  }

  /// The maximum number of transitions times states, and times transitions; larger drawings are not
  /// changed, or have arrows and labels on other arrows.
  private static let maximumComparisons = 250_000

  /// Leads arrows around what is in their way, except the `given` ones, turns self-loops and initial
  /// arrows to free sides, and moves labels off lines, states and each other.
  private mutating func clearLines(except given: Set<Int>) {
    guard transitions.count * states.count <= Self.maximumComparisons else { return }
    let isLarge =
      transitions.count * (states.count + transitions.count) > Self.maximumComparisons
    let labelSizes = transitions.map { transition -> Vector? in
      let lines = labelLines(of: transition)
      return lines.isEmpty ? nil : Geometry.extent(ofLines: lines)
    }
    var router = ArrowRouter(
      states: states, transitions: transitions, labelSizes: labelSizes, isLarge: isLarge)
    for (index, shape) in router.shapes(keeping: given).enumerated() {
      transitions[index].shape = shape
    }
    guard !isLarge else { return }
    let known = Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0) })
    let appearances = zip(transitions, labelSizes).map { transition, size in
      Appearance(
        transition.shape, at: transition.start.flatMap { known[$0] },
        labelSize: size ?? Vector(0, 0), labelPlace: nil)
    }
    var placer = LabelPlacer(states: states, appearances: appearances, sizes: labelSizes)
    for (index, place) in placer.places().enumerated() { transitions[index].labelPlace = place }
  }

  /// The movement of a drawing on the canvas that fits best to where its states are now.
  private struct Movement {
    var scale = 1.0
    var offset = Vector(0, 0)

    func place(_ place: PlacedAutomaton.Place) -> PlacedAutomaton.Place {
      let moved = Vector(place.x, place.y) * scale + offset
      return PlacedAutomaton.Place(x: moved.x, y: moved.y)
    }
  }

  private static func movement(of drawn: PlacedAutomaton, to states: [State]) -> Movement {
    let pairs = states.compactMap { state in
      drawn.places[state.id].map { (before: Vector($0.x, $0.y), after: state.center) }
    }
    guard !pairs.isEmpty, pairs.count == states.count else { return Movement() }
    let share = 1 / Double(pairs.count)
    let before = pairs.reduce(Vector(0, 0)) { $0 + $1.before } * share
    let after = pairs.reduce(Vector(0, 0)) { $0 + $1.after } * share
    let extent = pairs.reduce(0) { $0 + $1.before.distance(to: before) }
    let scale = extent > 0 ? pairs.reduce(0) { $0 + $1.after.distance(to: after) } / extent : 1
    return Movement(scale: scale, offset: after - before * scale)
  }

  /// Returns the radius of a state, which grows with its name by up to a half.
  private static func radius(for name: String) -> Double {
    min(60, max(40, Geometry.extent(of: name).x / 2))
  }

  /// The minimum distance of two states after a drawing is enlarged.
  private static let laidOutDistance = 240.0
  /// The minimum distance of two states; closer states are moved apart.
  private static let minimumDistance = 160.0
  /// The maximum width or height per state to which a drawing is enlarged.
  ///
  /// Without it, two states that nearly coincide would spread all others.
  private static let maximumRoom = 480.0
  /// The maximum number of states that are all compared; with more, none is moved.
  private static let maximumCompared = 1000
  private static let maximumRounds = 200

  /// Returns the known positions, moved apart, or `nil` if some are unknown.
  private static func places(of drawn: PlacedAutomaton) -> [Vector]? {
    let known = drawn.automaton.states.compactMap { drawn.places[$0.id] }.map { Vector($0.x, $0.y) }
    let count = drawn.automaton.states.count
    guard known.count == count, count > 1 else { return nil }
    var nearest = Double.infinity
    let reach = count > maximumCompared ? 1 : count
    for index in known.indices {
      for other in known.index(after: index)..<min(known.count, index + 1 + reach) {
        let distance = known[index].distance(to: known[other])
        if distance > 0 { nearest = min(nearest, distance) }
      }
    }
    let (xs, ys) = (known.map(\.x), known.map(\.y))
    let extent = max(xs.max()! - xs.min()!, ys.max()! - ys.min()!)
    guard extent > 0, nearest > 0, nearest.isFinite else { return nil }
    let scale = max(1, min(laidOutDistance / nearest, maximumRoom * Double(count) / extent))
    guard let places = movedApart(known.map { $0 * scale }) else { return nil }
    return places.allSatisfy(\.isOnCanvas) ? places : nil
  }

  /// Returns the positions with close ones moved apart, or `nil` if that fails.
  private static func movedApart(_ places: [Vector]) -> [Vector]? {
    guard places.count <= maximumCompared else { return places }
    var places = places
    for _ in 0..<maximumRounds {
      var didMove = false
      for index in places.indices {
        for other in places.index(after: index)..<places.endIndex {
          let way = places[other] - places[index]
          let missing = minimumDistance - way.length
          guard missing > 1e-6 else { continue }
          // Moves slightly too far to converge sooner, and sideways if both coincide.
          let direction = way.length > 0 ? way.unit : Vector(angle: Double(index), length: 1)
          let step = direction * (missing * 0.5 + 0.5)
          places[index] = places[index] - step
          places[other] = places[other] + step
          didMove = true
        }
      }
      if !didMove { return places }
    }
    return nil
  }
}
