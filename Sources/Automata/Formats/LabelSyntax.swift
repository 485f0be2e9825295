/// How the labels of an automaton's transitions are read.
public enum LabelSyntax: String, Hashable, Sendable, Codable, CaseIterable {
  /// Each label is one symbol, whatever its length.
  case symbols
  /// The labels of JFLAP 7: `ab` reads a and then b, and `[0-9]` reads one of the digits.
  ///
  /// A label with `[` is a range from the first to the third character after it; JFLAP ignores what
  /// else the label has, and needs no `]`.
  case jflap

  /// The maximum number of symbols that the labels of one file read.
  private static let maximumSymbols = 2_000_000

  /// Returns what a label reads: one symbol of each set, one after the other.
  func parts(of label: String) -> [[String]] {
    switch self {
    case .symbols: return [[label]]
    case .jflap:
      if let range = Self.range(in: label) {
        return [range.compactMap { Unicode.Scalar($0).map { String($0) } }]
      }
      return label.map { [String($0)] }
    }
  }

  /// Returns the values of the characters that a label of JFLAP reads if it is a range, or `nil`.
  private static func range(in label: String) -> Range<UInt32>? {
    guard label.utf8.count > 1, label.contains("[") else { return nil }
    let scalars = Array(label.unicodeScalars)
    guard let open = scalars.firstIndex(of: "["), open + 3 < scalars.count else { return nil }
    let (first, last) = (scalars[open + 1].value, scalars[open + 3].value)
    return first..<max(first, last + 1)
  }

  /// Returns whether a label is a range and nothing else: `[0-9]`.
  static func isPlainRange(_ label: String) -> Bool {
    let scalars = Array(label.unicodeScalars)
    return scalars.count == 5 && scalars[0] == "[" && scalars[2] == "-" && scalars[4] == "]"
      && scalars[1].value <= scalars[3].value
  }

  /// Throws if the labels read more symbols than fit into memory.
  ///
  /// - Throws: `AutomatonError` at `place`.
  public func check(_ labels: some Sequence<String>, at place: String) throws(AutomatonError) {
    guard self == .jflap else { return }
    var count = 0
    for label in labels {
      count += Self.range(in: label)?.count ?? 0
      guard count <= Self.maximumSymbols else {
        throw AutomatonError(
          at: place, expected: "ranges of at most \(Self.maximumSymbols) symbols in all",
          found: "more, with `\(label)`")
      }
    }
  }

  /// Returns a label that reads the reversed words, or `nil` if there is none.
  func reversed(_ label: String) -> String? {
    let parts = parts(of: label)
    guard parts.count > 1 else { return label }
    let reversed = String(label.reversed())
    return self.parts(of: reversed) == parts.reversed() ? reversed : nil
  }
}

extension Automaton {
  /// The labels of all transitions, sorted.
  var labels: [String] {
    guard labelSyntax != .symbols else { return alphabet }
    return Set(transitions.flatMap(\.symbols)).sorted()
  }

  /// The labels of all transitions and `extra` ones, sorted.
  func labels(and extra: [String]) -> [String] {
    extra.isEmpty ? labels : Set(labels + extra).sorted()
  }

  /// Throws if the labels read more symbols than fit into memory.
  ///
  /// - Throws: `AutomatonError` at `place`.
  func checkLabels(at place: String) throws(AutomatonError) {
    try labelSyntax.check(transitions.lazy.flatMap(\.symbols), at: place)
  }

  /// The labels that read several symbols, one after the other, sorted.
  public var longLabels: [String] {
    guard labelSyntax != .symbols else { return [] }
    return labels.filter { labelSyntax.parts(of: $0).count > 1 }
  }

  /// The labels that read nothing, sorted: JFLAP's ranges without a symbol, such as `[9-0]`.
  var emptyLabels: [String] {
    guard labelSyntax != .symbols else { return [] }
    return labels.filter { labelSyntax.parts(of: $0) == [[]] }
  }

  /// The automaton for formats in which each label is one symbol.
  ///
  /// Ranges become their symbols. A label of several symbols becomes one symbol, which is another
  /// meaning; these are the ``longLabels``.
  var withLabelsAsSymbols: Automaton {
    guard labelSyntax != .symbols else { return self }
    let transitions = transitions.map { transition in
      var transition = transition
      var known: Set<String> = []
      transition.symbols = transition.symbols.flatMap { label in
        let parts = labelSyntax.parts(of: label)
        return (parts.count == 1 ? parts[0] : [label]).filter { known.insert($0).inserted }
      }
      return transition
    }
    // The alphabet of a file is that of its symbols, with those that no label has.
    let read = Set(labels.flatMap { labelSyntax.parts(of: $0).joined() })
    return Automaton(
      unchecked: states, transitions, alphabet: alphabet.filter { !read.contains($0) })
  }

  /// The automaton in which each label is one symbol, as algorithms need it.
  struct Expansion {
    /// The automaton: the drawn states, and then a state for each part of a label that was read.
    var automaton: Automaton
    /// For each transition of ``automaton``, the indices of the drawn ones that it is a part of.
    var origins: [[Int]]
    /// For each state of ``automaton``, the index of the drawn state at which its labels begin.
    var owners: [Int]
  }

  /// The automaton with the labels split into symbols.
  var expanded: Automaton { labelSyntax == .symbols ? self : expansion.automaton }

  /// The automaton with the labels split into symbols, and what each part of it belongs to.
  ///
  /// Labels of one state with the same beginning share its states, so that they are deterministic
  /// unless one label is the beginning of another, as in JFLAP.
  var expansion: Expansion {
    guard labelSyntax != .symbols else {
      return Expansion(
        automaton: self, origins: transitions.indices.map { [$0] },
        owners: Array(states.indices))
    }
    var parts = LabelParts(self)
    for index in transitions.indices { parts.add(index) }
    return parts.expansion
  }
}

/// The states and transitions of an automaton whose labels are being split.
private struct LabelParts {
  private struct Node: Hashable {
    var state: Int
    var symbol: String
  }

  private let drawn: Automaton
  private var states: [Automaton.State]
  private var owners: [Int]
  private var transitions: [Automaton.Transition] = []
  private var origins: [[Int]] = []
  /// The transition that reads a symbol in a state, as a part of labels.
  private var children: [Node: Int] = [:]
  /// The number of symbols that were read before each state.
  private var depths: [Int]
  private var taken: Set<String>
  private var nameCounts: [String: Int] = [:]

  init(_ automaton: Automaton) {
    drawn = automaton
    states = automaton.states
    owners = Array(states.indices)
    depths = states.map { _ in 0 }
    taken = Set(states.map(\.id)).union(states.map(\.name))
  }

  var expansion: Automaton.Expansion {
    Automaton.Expansion(
      automaton: Automaton(unchecked: states, transitions, alphabet: drawn.alphabet),
      origins: origins, owners: owners)
  }

  /// Adds the parts of the drawn transition at `index`.
  mutating func add(_ index: Int) {
    let transition = drawn.transitions[index]
    let labels = transition.symbols.map { drawn.labelSyntax.parts(of: $0) }
    var whole = transition
    var known: Set<String> = []
    whole.symbols = labels.filter { $0.count == 1 }.flatMap { $0[0] }
      .filter { known.insert($0).inserted }
    append(whole, origin: index)
    for parts in labels where parts.count > 1 {
      var state = Int(drawn.ends[index].start)
      var read = ""
      for part in parts.dropLast() {
        read += part[0]
        state = child(of: state, part[0], read: read, origin: index)
      }
      append(
        .init("", from: states[state].id, to: transition.end, symbols: parts[parts.count - 1]),
        origin: index)
    }
  }

  private mutating func append(_ transition: Automaton.Transition, origin: Int) {
    transitions.append(transition)
    origins.append([origin])
  }

  /// Returns the state after `symbol`, which is a part of a label.
  private mutating func child(
    of state: Int, _ symbol: String, read: String, origin: Int
  ) -> Int {
    let node = Node(state: state, symbol: symbol)
    if let known = children[node] {
      if origins[known].last != origin { origins[known].append(origin) }
      return childStates[known]!
    }
    let depth = depths[state] + 1
    let name = freeName(depth <= 8 ? read : "\(depth)", after: states[owners[state]])
    children[node] = transitions.count
    childStates[transitions.count] = states.count
    append(.init("", from: states[state].id, to: name, symbols: [symbol]), origin: origin)
    states.append(Automaton.State(name))
    owners.append(owners[state])
    depths.append(depth)
    return states.count - 1
  }

  /// The state that each transition of ``children`` leads to.
  private var childStates: [Int: Int] = [:]

  /// Returns a name for a state: the name of the state before the label, and what was read of it.
  private mutating func freeName(_ read: String, after state: Automaton.State) -> String {
    let base = "\((state.name.isEmpty ? state.id : state.name).prefix(40)).\(read)"
    while true {
      let number = nameCounts[base, default: 0]
      nameCounts[base] = number + 1
      let name = number == 0 ? base : "\(base).\(number + 1)"
      if taken.insert(name).inserted { return name }
    }
  }
}
