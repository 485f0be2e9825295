import DisjointSets
import Ink

extension Diagram {
  /// The ids of the states of each automaton in the drawing; one list unless there are several automata.
  ///
  /// Automata are connected components with an initial state each. A component without one belongs to the automaton
  /// with the nearest state, because an arrow between them was probably not seen.
  public var automata: [[String]] { automataOfStates.map { $0.map { states[$0].id } } }

  /// The indices of the states of each automaton.
  var automataOfStates: [[Int]] {
    let index = Dictionary(
      states.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    var sets = DisjointSets(count: states.count)
    for transition in transitions {
      guard let from = index[transition.from], let to = index[transition.to] else { continue }
      sets.join(to, into: from)
    }
    let begun = Set(states.indices.filter { states[$0].initial }.map { sets.root(of: $0) })
    guard begun.count > 1 else { return states.isEmpty ? [] : [Array(states.indices)] }
    let members = states.indices.filter { begun.contains(sets.root(of: $0)) }
    var nearest: [Int: (member: Int, distance: Double)] = [:]
    for state in states.indices where !begun.contains(sets.root(of: state)) {
      let part = sets.root(of: state)
      for member in members {
        let distance = states[member].center.distance(to: states[state].center)
        if distance < nearest[part]?.distance ?? .infinity { nearest[part] = (member, distance) }
      }
    }
    for (part, found) in nearest { sets.join(part, into: found.member) }
    return sets.groups(of: states.indices)
  }
}
