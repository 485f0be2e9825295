import Automata
import Foundation

extension Document {
  /// A drawing of an automaton: states where their places are known to be, otherwise in columns from the
  /// initial ones on, and one transition for all symbols between two states.
  ///
  /// The states keep their ids; equal ids of states and transitions are told apart.
  public init(_ drawn: Drawn, id: String) {
    self.init(id: id)
    let automaton = drawn.automaton
    let known = Self.places(of: drawn)
    states = zip(automaton.states, known ?? LayeredLayout(automaton).places).map {
      State(
        id: $0.id, name: $0.name, isFinal: $0.isFinal, center: $1,
        radius: Self.radius(for: $0.name))
    }
    let middle =
      states.reduce(Vector(0, 0)) { $0 + $1.center } * (1 / Double(max(1, states.count)))
    let drawnStates = Dictionary(uniqueKeysWithValues: states.map { ($0.id, $0) })
    var ids = CountingIDs()
    func freeID() -> String {
      var id = ids.next()
      while drawnStates[id] != nil { id = ids.next() }
      return id
    }
    // Loops stand outwards, but at the top where an initial arrow comes from the left.
    let initial = Set(automaton.initialStates)
    var indices: [[String]: Int] = [:]
    for transition in automaton.transitions {
      let pair = [transition.start, transition.end]
      if indices[pair] == nil {
        indices[pair] = transitions.count
        guard let from = drawnStates[transition.start], let to = drawnStates[transition.end] else {
          preconditionFailure("an automaton has the states of its transitions")
        }
        transitions.append(
          Transition(
            id: freeID(), start: from.id, end: to.id,
            shape: from.id == to.id
              ? .loop(
                angle: initial.contains(from.id) || states.count < 2
                  ? .pi : Self.loopAngle(from.center - middle),
                isMirrored: false) : .straight(from: from, to: to)))
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
    if known == nil { clearArrows(of: drawnStates, initial: initial, middle: middle) }
    for (state, place) in zip(automaton.states, states) where state.isInitial {
      transitions.append(
        Transition(id: freeID(), end: state.id, shape: .marker(of: place), endsFreely: true))
    }
  }

  /// A state with a longer name is larger, up to half as much again.
  private static func radius(for name: String) -> Double {
    min(60, max(40, Geometry.extent(of: name).x / 2))
  }

  /// The least distance between two middles.
  private static let laidOutDistance = 240.0

  /// The places that are known, apart from each other; `nil` where they are not.
  private static func places(of drawn: Drawn) -> [Vector]? {
    let known = drawn.automaton.states.compactMap { drawn.places[$0.id] }.map { Vector($0.x, $0.y) }
    let count = drawn.automaton.states.count
    guard known.count == count, count > 1 else { return nil }
    var nearest = Double.infinity
    // Of very many, only neighbours in the list are compared.
    let reach = count > 1000 ? 1 : count
    for index in known.indices {
      for other in known.index(after: index)..<min(known.count, index + 1 + reach) {
        nearest = min(nearest, known[index].distance(to: known[other]))
      }
    }
    guard nearest > 0, nearest.isFinite else { return nil }
    let scale = max(1, laidOutDistance / nearest)
    let scaled = known.map { $0 * scale }
    return scaled.allSatisfy(\.isOnCanvas) ? scaled : nil
  }
}
