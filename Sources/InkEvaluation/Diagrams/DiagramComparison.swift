import InkDiagram
import InkReader

/// How well drawings were recognised, compared with the truth.
///
/// The comparison of one drawing has its counts, and comparisons are added up. Elements are counted
/// for the best assignment of the states found to those of the truth: an isomorphism if there is one,
/// otherwise the assignment by position, name and transitions.
public struct DiagramComparison: Hashable, Sendable, Codable {
  /// The numbers of elements of one kind.
  public struct Elements: Hashable, Sendable, Codable {
    /// The elements of the truth that were found.
    public var found = 0
    /// The elements of the truth that were not found.
    public var missed = 0
    /// The elements that were found and are not in the truth.
    public var wrong = 0

    /// Creates numbers.
    public init(found: Int = 0, missed: Int = 0, wrong: Int = 0) {
      (self.found, self.missed, self.wrong) = (found, missed, wrong)
    }

    mutating func add(_ truth: Set<some Hashable>, _ found: Set<some Hashable>, common: Int) {
      self.found += common
      missed += truth.count - common
      wrong += found.count - common
    }

    static func + (one: Elements, other: Elements) -> Elements {
      Elements(
        found: one.found + other.found, missed: one.missed + other.missed,
        wrong: one.wrong + other.wrong)
    }
  }

  /// The number of right answers among a number of questions.
  public struct RightCount: Hashable, Sendable, Codable {
    /// The number of right answers.
    public var right = 0
    /// The number of questions.
    public var count = 0

    /// Creates a count.
    public init(right: Int = 0, count: Int = 0) {
      (self.right, self.count) = (right, count)
    }

    mutating func add(_ isRight: Bool) {
      count += 1
      if isRight { right += 1 }
    }

    static func + (one: RightCount, other: RightCount) -> RightCount {
      RightCount(right: one.right + other.right, count: one.count + other.count)
    }
  }

  /// The drawings whose automaton is right except for names and symbols: there is an isomorphism that
  /// keeps the transitions, the initial and the final states.
  public var structure = RightCount()
  /// The drawings whose automaton is right with all names and symbols.
  public var exact = RightCount()
  /// The same, where o, 0 and O count as one character, and l, 1 and I as another.
  public var folded = RightCount()
  /// The states.
  public var states = Elements()
  /// The transitions, by their source and target.
  public var transitions = Elements()
  /// The missed transitions that were found in the other direction only.
  public var reversed = 0
  /// The initial states.
  public var initial = Elements()
  /// The final states.
  public var final = Elements()
  /// The names of the truth's states; a missed state has a wrong name.
  public var names = RightCount()
  /// The same with ``folded`` characters.
  public var foldedNames = RightCount()
  /// The sets of symbols of the truth's transitions; a missed transition has wrong ones.
  public var symbols = RightCount()
  /// The same with ``folded`` characters.
  public var foldedSymbols = RightCount()
  /// The strokes with the right role, where the truth has roles.
  public var roles = RightCount()
  /// The strokes that are rightly text or not, where the truth has roles.
  public var text = RightCount()
  /// The strokes with the right role and element.
  public var elements = RightCount()
  /// The number of strokes by their true role and then by the role found.
  public var confusion: [Diagram.Role.RawValue: [Diagram.Role.RawValue: Int]] = [:]

  /// Creates the comparison of no drawings.
  public init() {}

  /// Compares what was found in a drawing with the truth.
  public init(_ found: Diagram, truth: Diagram) {
    let found = DiagramGraph(found)
    let truth = DiagramGraph(truth)
    let isomorphism = DiagramMatching.isomorphism(from: truth, to: found)
    let matching = isomorphism ?? DiagramMatching.assignment(from: truth, to: found)
    structure.add(isomorphism != nil)
    exact.add(DiagramMatching.isomorphism(from: truth, to: found, texts: .exact) != nil)
    folded.add(DiagramMatching.isomorphism(from: truth, to: found, texts: .folded) != nil)
    compareElements(found, truth, matching)
    compareStrokes(found, truth, matching)
  }

  private mutating func compareElements(
    _ found: DiagramGraph, _ truth: DiagramGraph, _ matching: [Int: Int]
  ) {
    states = Elements(
      found: matching.count, missed: truth.count - matching.count,
      wrong: found.count - matching.count)
    func compare(_ list: inout Elements, _ own: Set<Int>, _ other: Set<Int>) {
      list.add(own, other, common: own.count { matching[$0].map(other.contains) ?? false })
    }
    compare(&initial, truth.initial, found.initial)
    compare(&final, truth.final, found.final)
    for state in 0..<truth.count where !truth.names[state].isEmpty {
      let name = matching[state].map { found.names[$0] }
      names.add(name == truth.names[state])
      foldedNames.add(name?.folded(cases: false) == truth.names[state].folded(cases: false))
    }
    var common = 0
    for (edge, symbols) in truth.edges {
      var others: Set<String>?
      if let from = matching[edge.from], let to = matching[edge.to] {
        others = found.edges[.init(from: from, to: to)]
      }
      if others != nil {
        common += 1
      } else if let from = matching[edge.from], let to = matching[edge.to],
        found.edges[.init(from: to, to: from)] != nil,
        truth.edges[.init(from: edge.to, to: edge.from)] == nil
      {
        reversed += 1
      }
      guard !symbols.isEmpty else { continue }
      self.symbols.add(others == symbols)
      func folded(_ symbols: Set<String>) -> Set<String> {
        Set(symbols.map { $0.folded(cases: false) })
      }
      foldedSymbols.add(others.map(folded) == folded(symbols))
    }
    transitions.add(Set(truth.edges.keys), Set(found.edges.keys), common: common)
  }

  private mutating func compareStrokes(
    _ found: DiagramGraph, _ truth: DiagramGraph, _ matching: [Int: Int]
  ) {
    guard truth.strokes.count == found.strokes.count else { return }
    for (own, other) in zip(truth.strokes, found.strokes) {
      roles.add(own.role == other.role)
      text.add((own.role == .text) == (other.role == .text))
      confusion[own.role.rawValue, default: [:]][other.role.rawValue, default: 0] += 1
      let place: DiagramGraph.Element? =
        switch own.element {
        case .state(let state)?: matching[state].map { .state($0) } ?? .missing
        case .edge(let edge)?:
          matching[edge.from].flatMap { from in
            matching[edge.to].map { .edge(.init(from: from, to: $0)) }
          } ?? .missing
        case .missing?: .missing
        case nil: nil
        }
      elements.add(own.role == other.role && place == other.element && place != .missing)
    }
  }

  /// Adds the counts of another comparison.
  public static func + (one: DiagramComparison, other: DiagramComparison) -> DiagramComparison {
    var sum = one
    func add<Value>(
      _ path: WritableKeyPath<DiagramComparison, Value>, _ plus: (Value, Value) -> Value
    ) {
      sum[keyPath: path] = plus(one[keyPath: path], other[keyPath: path])
    }
    for path in [
      \DiagramComparison.structure, \.exact, \.folded, \.names, \.foldedNames, \.symbols,
      \.foldedSymbols, \.roles, \.text, \.elements,
    ] {
      add(path, +)
    }
    add(\.reversed, +)
    for path in [\DiagramComparison.states, \.transitions, \.initial, \.final] { add(path, +) }
    sum.confusion.merge(other.confusion) { $0.merging($1, uniquingKeysWith: +) }
    return sum
  }

  /// Adds the counts of another comparison.
  public static func += (one: inout DiagramComparison, other: DiagramComparison) {
    one = one + other
  }
}
