import ErrorText

/// A finite automaton, possibly nondeterministic and with ε-transitions.
///
/// States and transitions are identified by their ids; names have no effect on computations. A
/// symbol is any non-empty text.
public struct Automaton: Hashable, Sendable {
  /// A state.
  public struct State: Hashable, Sendable, Codable {
    /// The unique id.
    public var id: String
    /// The name for people, which may be empty or occur twice.
    public var name: String
    /// Whether it is an initial state.
    public var isInitial: Bool
    /// Whether it is a final state.
    public var isFinal: Bool

    /// Creates a state; without a `name`, the id is the name.
    public init(_ id: String, name: String? = nil, isInitial: Bool = false, isFinal: Bool = false) {
      self.id = id
      self.name = name ?? id
      self.isInitial = isInitial
      self.isFinal = isFinal
    }
  }

  /// A transition from one state to another that reads one of its symbols.
  public struct Transition: Hashable, Sendable, Codable {
    /// The unique id.
    public var id: String
    /// The id of the source state.
    public var start: String
    /// The id of the target state.
    public var end: String
    /// The symbols that it reads, or its labels as ``Automaton/labelSyntax`` says.
    public var symbols: [String]
    /// Whether it is also an ε-transition.
    public var includesEpsilon: Bool

    /// Creates a transition.
    public init(
      _ id: String, from start: String, to end: String, symbols: [String] = [],
      includesEpsilon: Bool = false
    ) {
      self.id = id
      self.start = start
      self.end = end
      self.symbols = symbols
      self.includesEpsilon = includesEpsilon
    }
  }

  /// The states in order of creation.
  public let states: [State]
  /// The transitions in order of creation.
  public let transitions: [Transition]
  /// The alphabet, sorted: the given symbols and those of all transitions.
  ///
  /// Every operation keeps the alphabet. The complement depends on it.
  public let alphabet: [String]
  /// How the symbols of the transitions are read.
  public let labelSyntax: LabelSyntax
  /// The places among ``states`` of the states of each transition.
  let ends: [Ends]

  /// The places of the states of a transition.
  struct Ends: Hashable, Sendable {
    var start: Int32
    var end: Int32
  }

  /// Creates an automaton over the symbols of its transitions and those in `alphabet`.
  ///
  /// - Throws: `AutomatonError` if an id occurs twice, a state of a transition is missing, or a
  ///   symbol is empty.
  public init(
    states: [State], transitions: [Transition], alphabet: [String] = [],
    labelSyntax: LabelSyntax = .symbols
  ) throws(AutomatonError) {
    var places = TextNumbers(count: states.count)
    for state in states where !places.insert(state.id) {
      throw AutomatonError(
        at: "state `\(state.id)`", expected: "a unique id", found: "another state with this id")
    }
    var ids = TextNumbers(count: transitions.count)
    var ends: [Ends] = []
    ends.reserveCapacity(transitions.count)
    for transition in transitions {
      func error(expected: String, found: String) -> AutomatonError {
        AutomatonError(at: "transition `\(transition.id)`", expected: expected, found: found)
      }
      func place(of id: String) throws(AutomatonError) -> Int32 {
        guard let place = places.number(of: id) else {
          throw error(expected: "a state `\(id)`", found: "none")
        }
        return Int32(place)
      }
      guard ids.insert(transition.id) else {
        throw error(expected: "a unique id", found: "another transition with this id")
      }
      ends.append(
        Ends(start: try place(of: transition.start), end: try place(of: transition.end)))
      guard !transition.symbols.contains(where: \.isEmpty) else {
        throw error(expected: "non-empty symbols", found: "an empty one")
      }
    }
    try Self.check(alphabet)
    self.init(
      states, transitions, ends,
      alphabet: Self.alphabet(of: transitions, and: alphabet, labelSyntax), labelSyntax)
  }

  /// Creates an automaton from valid states, transitions and symbols.
  init(
    unchecked states: [State], _ transitions: [Transition], alphabet: [String],
    labelSyntax: LabelSyntax = .symbols
  ) {
    var places = TextNumbers(states.map(\.id))
    let ends = transitions.map { transition in
      guard let start = places.number(of: transition.start),
        let end = places.number(of: transition.end)
      else { preconditionFailure("the states of every transition exist") }
      return Ends(start: Int32(start), end: Int32(end))
    }
    self.init(
      states, transitions, ends,
      alphabet: Self.alphabet(of: transitions, and: alphabet, labelSyntax), labelSyntax)
  }

  /// Creates an automaton whose alphabet is complete and sorted, and whose `ends` are those of its
  /// transitions.
  init(
    _ states: [State], _ transitions: [Transition], _ ends: [Ends], alphabet: [String],
    _ labelSyntax: LabelSyntax
  ) {
    self.states = states
    self.transitions = transitions
    self.ends = ends
    self.alphabet = alphabet
    self.labelSyntax = labelSyntax
  }

  /// Returns the given symbols and those that the transitions read, sorted.
  private static func alphabet(
    of transitions: [Transition], and symbols: [String], _ labelSyntax: LabelSyntax
  ) -> [String] {
    var labels = TextNumbers(count: 0)
    for transition in transitions {
      for label in transition.symbols { _ = labels.insert(label) }
    }
    var all = Set(symbols)
    for label in labels.texts {
      switch labelSyntax {
      case .symbols: all.insert(label)
      case .jflap: all.formUnion(labelSyntax.parts(of: label).joined())
      }
    }
    return all.sorted()
  }

  private static func check(_ alphabet: [String]) throws(AutomatonError) {
    guard !alphabet.contains("") else {
      throw AutomatonError(
        at: "alphabet", expected: "non-empty symbols", found: "an empty one")
    }
  }

  /// Returns the same automaton with `symbols` added to its alphabet.
  ///
  /// - Throws: `AutomatonError` if a symbol is empty.
  public func addingToAlphabet(_ symbols: [String]) throws(AutomatonError) -> Automaton {
    try Self.check(symbols)
    return Automaton(
      states, transitions, ends, alphabet: Set(alphabet + symbols).sorted(), labelSyntax)
  }

  /// The ids of the initial states in order.
  public var initialStates: [String] { states.filter(\.isInitial).map(\.id) }

  /// The ids of the final states in order.
  public var finalStates: [String] { states.filter(\.isFinal).map(\.id) }
}

/// An error about an automaton or its file: the place, the expected and the found value.
public struct AutomatonError: DescribedError, Hashable {
  /// The file, element or operation.
  public var place: String
  /// The expected value.
  public var expected: String
  /// The found value.
  public var found: String

  /// Creates the error for `found` instead of `expected` at `place`.
  public init(at place: String, expected: String, found: String) {
    self.place = place
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  ///
  /// Text from files is shortened, and control characters are removed.
  public var description: String {
    [place, ": expected ", expected, ", found ", found].map { part in
      let printable = part.unicodeScalars.filter { $0.properties.generalCategory != .control }
      let text = String(String.UnicodeScalarView(printable))
      return text.count > 200 ? "\(text.prefix(199))…" : text
    }.joined()
  }
}

/// The limits on the size of a result, which can grow exponentially.
public struct Limit: Hashable, Sendable {
  /// The maximum number of states.
  public var states: Int
  /// The maximum number of transitions, counted per symbol, and of other items of that size.
  public var transitions: Int
  /// The maximum number of states times symbols of a deterministic result.
  public var tableEntries: Int

  /// Creates a limit.
  public init(
    states: Int = 1_000_000, transitions: Int = 10_000_000, tableEntries: Int = 50_000_000
  ) {
    self.states = states
    self.transitions = transitions
    self.tableEntries = tableEntries
  }

  /// The default: 1 million states, 10 million transitions, 50 million table entries.
  public static let standard = Limit()

  func check(_ operation: String, states count: Int) throws(AutomatonError) {
    guard count <= states else {
      throw exceeded(operation, "\(states) states", above: states)
    }
  }

  func check(_ operation: String, transitions count: Int) throws(AutomatonError) {
    guard count <= transitions else {
      throw exceeded(
        operation, "\(transitions) transitions, or states in sets of states",
        above: max(states, transitions / 10))
    }
  }

  func check(_ operation: String, tableEntries count: Int) throws(AutomatonError) {
    // Places in tables have 32 bits.
    guard count <= min(tableEntries, Int(Int32.max)) else {
      throw exceeded(
        operation, "\(tableEntries) states times symbols", above: max(states, tableEntries / 50))
    }
  }

  func check(_ operation: String, characters count: Int) throws(AutomatonError) {
    guard count <= transitions else {
      throw exceeded(
        operation, "\(transitions) characters", above: max(states, transitions / 10))
    }
  }

  /// Returns the error of a result that needs a limit above this number of states.
  private func exceeded(
    _ operation: String, _ what: String, above states: Int
  ) -> AutomatonError {
    // The minimal automaton needs the subset construction itself.
    let advice = operation == Self.subsetConstruction ? "trim" : "trim, minimize"
    return AutomatonError(
      at: operation, expected: "a result of at most \(what)",
      found:
        "a larger one; raise the limit, in the command with --limit above \(states), or make the "
        + "automaton smaller first (\(advice))")
  }

  /// The name of the operation that makes an automaton deterministic, in messages.
  static let subsetConstruction = "subset construction"
}
