import Automata
import Foundation

extension Document {
  /// A drawing of an automaton: states where their places are known to be, otherwise in a circle, and
  /// one transition for all symbols between two states.
  ///
  /// The states keep their ids; equal ids of states and transitions are told apart.
  public init(_ drawn: Drawn, id: String) {
    self.init(id: id)
    let automaton = drawn.automaton
    let places = Self.places(of: drawn)
    for (state, place) in zip(automaton.states, places) {
      states.append(
        State(
          id: state.id, name: state.name, isFinal: state.isFinal, center: place,
          radius: Self.laidOutRadius))
    }
    var ids = CountingIDs()
    func free() -> String {
      var id = ids.next()
      while automaton.states.contains(where: { $0.id == id }) { id = ids.next() }
      return id
    }
    var indices: [[String]: Int] = [:]
    for transition in automaton.transitions {
      let pair = [transition.start, transition.end]
      if indices[pair] == nil {
        indices[pair] = transitions.count
        var counting = FixedID(id: free())
        do throws(Refusal) {
          try connect(transition.start, transition.end, &counting)
        } catch {
          preconditionFailure("an automaton has the states of its transitions")
        }
      }
      let index = indices[pair]!
      for symbol in transition.symbols where !transitions[index].symbols.contains(symbol) {
        transitions[index].symbols.append(symbol)
      }
      if transition.includesEpsilon { transitions[index].includesEpsilon = true }
    }
    for state in automaton.states where state.isInitial {
      var counting = FixedID(id: free())
      do throws(Refusal) {
        try setInitial(state.id, true, &counting)
      } catch {
        preconditionFailure("a state that was just made is not initial")
      }
    }
  }

  private static let laidOutRadius = 40.0
  /// The least distance between two middles.
  private static let laidOutDistance = 180.0

  /// One id, for one element.
  private struct FixedID: IDSource {
    let id: String

    func next() -> String { id }
  }

  private static func places(of drawn: Drawn) -> [Vector] {
    let known = drawn.automaton.states.compactMap { drawn.places[$0.id] }.map { Vector($0.x, $0.y) }
    let count = drawn.automaton.states.count
    guard known.count == count, count > 1 else { return circle(count) }
    var nearest = Double.infinity
    // Of very many, only neighbours in the list are compared.
    let reach = count > 1000 ? 1 : count
    for index in known.indices {
      for other in known.index(after: index)..<min(known.count, index + 1 + reach) {
        nearest = min(nearest, known[index].distance(to: known[other]))
      }
    }
    guard nearest > 0, nearest.isFinite else { return circle(count) }
    let scale = max(1, laidOutDistance / nearest)
    let scaled = known.map { $0 * scale }
    return scaled.allSatisfy(\.isFinite) ? scaled : circle(count)
  }

  private static func circle(_ count: Int) -> [Vector] {
    guard count > 1 else { return [Vector(200, 200)] }
    let radius = max(laidOutDistance * 0.75, laidOutDistance * Double(count) / (2 * .pi))
    let middle = Vector(radius + 100, radius + 100)
    return (0..<count).map {
      middle + Vector(angle: .pi + 2 * .pi * Double($0) / Double(count), length: radius)
    }
  }
}
