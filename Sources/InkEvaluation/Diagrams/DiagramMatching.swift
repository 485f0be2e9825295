import Ink
import InkDiagram
import InkReader

/// A diagram for comparisons: states by number, and one edge from a state to another.
struct DiagramGraph {
  struct Edge: Hashable {
    var from: Int
    var to: Int
  }

  /// What a stroke draws or labels.
  enum Element: Hashable {
    case state(Int)
    case edge(Edge)
    /// An element that is not in the diagram.
    case missing
  }

  let count: Int
  let names: [String]
  let centers: [Vector]
  let radii: [Double]
  var initial: Set<Int> = []
  var final: Set<Int> = []
  /// The symbols of all transitions between two states.
  var edges: [Edge: Set<String>] = [:]
  var strokes: [(role: Diagram.Role, element: Element?)] = []

  init(_ diagram: Diagram) {
    count = diagram.states.count
    names = diagram.states.map(\.name)
    centers = diagram.states.map(\.center)
    radii = diagram.states.map(\.radius)
    var numbers: [String: Int] = [:]
    for (number, state) in diagram.states.enumerated() {
      numbers[state.id] = number
      if state.initial { initial.insert(number) }
      if state.final { final.insert(number) }
    }
    var elements = numbers.mapValues { Element.state($0) }
    for (number, transition) in diagram.transitions.enumerated() {
      guard let from = numbers[transition.from], let to = numbers[transition.to] else { continue }
      edges[Edge(from: from, to: to), default: []].formUnion(transition.symbols)
      elements["t\(number)"] = .edge(Edge(from: from, to: to))
    }
    strokes = diagram.strokes.map { stroke in
      (stroke.role, stroke.element.map { elements[$0] ?? .missing })
    }
  }
}

/// Assigns the states of one diagram to those of another.
enum DiagramMatching {
  /// Which texts have to agree.
  enum Texts {
    case none, folded, exact
  }

  /// The most steps of a search, which end it without a result.
  private static let maximumSteps = 200_000

  /// Returns an isomorphism that keeps transitions, initial and final states, and the texts; `nil` if
  /// there is none.
  ///
  /// States that lie at the same place are tried first.
  static func isomorphism(
    from truth: DiagramGraph, to found: DiagramGraph, texts: Texts = .none
  ) -> [Int: Int]? {
    guard truth.count == found.count, truth.edges.count == found.edges.count else { return nil }
    func text(_ text: String) -> String {
      switch texts {
      case .none: ""
      case .folded: text.folded(cases: false)
      case .exact: text
      }
    }
    // Without texts, a transition that has no symbols is like any other.
    func label(_ symbols: Set<String>?) -> Set<String>? {
      symbols.map { texts == .none ? [] : Set($0.map(text)) }
    }
    // Two states can be the same only if their surroundings are.
    let kinds = kinds(of: truth, text)
    let otherKinds = Self.kinds(of: found, text)
    guard kinds.sorted() == otherKinds.sorted() else { return nil }
    let rarity = Dictionary(grouping: kinds, by: { $0 }).mapValues(\.count)
    let order = (0..<truth.count).sorted { (rarity[kinds[$0]]!, $0) < (rarity[kinds[$1]]!, $1) }
    let candidates = order.map { state in
      (0..<found.count).filter { otherKinds[$0] == kinds[state] }
        .sorted { distance(truth, state, found, $0) < distance(truth, state, found, $1) }
    }
    var matching: [Int: Int] = [:]
    var used: Set<Int> = []
    var steps = 0
    func extend(_ position: Int) -> Bool {
      guard position < order.count else { return true }
      let state = order[position]
      for candidate in candidates[position] where !used.contains(candidate) {
        steps += 1
        guard steps < maximumSteps else { return false }
        matching[state] = candidate
        let agrees = matching.allSatisfy { other, image in
          label(truth.edges[.init(from: state, to: other)])
            == label(found.edges[.init(from: candidate, to: image)])
            && label(truth.edges[.init(from: other, to: state)])
              == label(found.edges[.init(from: image, to: candidate)])
        }
        if agrees {
          used.insert(candidate)
          if extend(position + 1) { return true }
          used.remove(candidate)
        }
        matching[state] = nil
      }
      return false
    }
    return extend(0) ? matching : nil
  }

  /// Returns a description of the surroundings of each state, which is the same for states that an
  /// isomorphism can exchange (colour refinement).
  private static func kinds(of graph: DiagramGraph, _ text: (String) -> String) -> [String] {
    var kinds = (0..<graph.count).map { state in
      "\(graph.initial.contains(state)) \(graph.final.contains(state)) \(text(graph.names[state]))"
    }
    for _ in 0..<3 {
      // Short names keep the descriptions short.
      let numbers = Dictionary(
        uniqueKeysWithValues: Set(kinds).sorted().enumerated().map { ($1, $0) })
      var ways = kinds.map { [$0] }
      for (edge, symbols) in graph.edges {
        let label = Set(symbols.map(text)).sorted().joined(separator: ",")
        ways[edge.from].append("to \(numbers[kinds[edge.to]]!) \(label)")
        ways[edge.to].append("from \(numbers[kinds[edge.from]]!) \(label)")
      }
      kinds = ways.map { $0[0] + ";" + $0.dropFirst().sorted().joined(separator: ";") }
    }
    return kinds
  }

  private static func distance(
    _ truth: DiagramGraph, _ state: Int, _ found: DiagramGraph, _ other: Int
  ) -> Double {
    let distance = truth.centers[state].distance(to: found.centers[other])
    return distance.isNaN ? .infinity : distance
  }

  /// Returns the best assignment that can be found, each state at most once: by position if most
  /// states have the same places, otherwise by names and transitions.
  static func assignment(from truth: DiagramGraph, to found: DiagramGraph) -> [Int: Int] {
    let near = pairs(truth, found) { state, other in
      let distance = distance(truth, state, found, other)
      return distance < 0.7 * max(truth.radii[state], found.radii[other]) ? -distance : nil
    }
    if 2 * near.count >= min(truth.count, found.count) { return near }
    func degree(_ graph: DiagramGraph, _ state: Int) -> [Int] {
      [
        graph.edges.keys.count { $0.from == state }, graph.edges.keys.count { $0.to == state },
        graph.initial.contains(state) ? 1 : 0, graph.final.contains(state) ? 1 : 0,
      ]
    }
    return pairs(truth, found) { state, other in
      let differences = zip(degree(truth, state), degree(found, other)).map { abs($0 - $1) }
      let isNamed = !truth.names[state].isEmpty && truth.names[state] == found.names[other]
      return (isNamed ? 100 : 0) - Double(differences.reduce(0, +))
    }
  }

  /// Returns pairs of states, the best first; pairs without a value are not made.
  private static func pairs(
    _ truth: DiagramGraph, _ found: DiagramGraph, _ value: (Int, Int) -> Double?
  ) -> [Int: Int] {
    var candidates: [(value: Double, state: Int, other: Int)] = []
    for state in 0..<truth.count {
      for other in 0..<found.count {
        if let value = value(state, other) { candidates.append((value, state, other)) }
      }
    }
    candidates.sort { ($1.value, $0.state, $0.other) < ($0.value, $1.state, $1.other) }
    var matching: [Int: Int] = [:]
    var used: Set<Int> = []
    for pair in candidates where matching[pair.state] == nil && !used.contains(pair.other) {
      matching[pair.state] = pair.other
      used.insert(pair.other)
    }
    return matching
  }
}
