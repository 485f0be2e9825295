/// A finite automaton, possibly nondeterministic and with ε-transitions.
///
/// States and transitions are told apart by their ids; names are labels and mean nothing to what is
/// computed. A symbol is any text that is not empty.
public struct Automaton: Hashable, Sendable {
  /// A state.
  public struct State: Hashable, Sendable, Codable {
    /// What tells it apart.
    public var id: String
    /// What people call it; may be empty or occur twice.
    public var name: String
    /// Whether reading may begin here.
    public var isInitial: Bool
    /// Whether a word may end here.
    public var isFinal: Bool

    /// Makes a state; without a `name` it is called by its id.
    public init(_ id: String, name: String? = nil, isInitial: Bool = false, isFinal: Bool = false) {
      self.id = id
      self.name = name ?? id
      self.isInitial = isInitial
      self.isFinal = isFinal
    }
  }

  /// A way from one state to another, by any of its symbols.
  public struct Transition: Hashable, Sendable, Codable {
    /// What tells it apart.
    public var id: String
    /// The id of the state where it begins.
    public var start: String
    /// The id of the state where it ends.
    public var end: String
    /// The symbols that are read on it.
    public var symbols: [String]
    /// Whether it may be taken without reading.
    public var includesEpsilon: Bool

    /// Makes a transition.
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

  /// The states, in the order in which they were made.
  public let states: [State]
  /// The transitions, in the order in which they were made.
  public let transitions: [Transition]
  /// The symbols that words are written with, sorted: those that were given and those of all
  /// transitions.
  ///
  /// Every operation keeps it. The complement depends on it.
  public let alphabet: [String]

  /// Makes an automaton over the symbols of its transitions and those in `alphabet`.
  ///
  /// - Throws: `AutomatonError` where an id occurs twice, a transition leads to or from a state that
  ///   is missing, or a symbol is empty.
  public init(
    states: [State], transitions: [Transition], alphabet: [String] = []
  ) throws(AutomatonError) {
    var known: Set<String> = []
    for state in states where !known.insert(state.id).inserted {
      throw AutomatonError(
        at: "state `\(state.id)`", expected: "an id of its own", found: "another")
    }
    var ids: Set<String> = []
    for transition in transitions {
      let place = "transition `\(transition.id)`"
      guard ids.insert(transition.id).inserted else {
        throw AutomatonError(at: place, expected: "an id of its own", found: "another")
      }
      for end in [transition.start, transition.end] where !known.contains(end) {
        throw AutomatonError(at: place, expected: "a state `\(end)`", found: "none")
      }
      guard !transition.symbols.contains("") else {
        throw AutomatonError(
          at: place, expected: "symbols of a character or more", found: "an empty one")
      }
    }
    try Self.check(alphabet)
    self.init(unchecked: states, transitions, alphabet: alphabet)
  }

  /// Makes an automaton of states, transitions and symbols that are known to be valid.
  init(unchecked states: [State], _ transitions: [Transition], alphabet: [String]) {
    self.states = states
    self.transitions = transitions
    var symbols = Set(alphabet)
    for transition in transitions { symbols.formUnion(transition.symbols) }
    self.alphabet = symbols.sorted()
  }

  private static func check(_ alphabet: [String]) throws(AutomatonError) {
    guard !alphabet.contains("") else {
      throw AutomatonError(
        at: "alphabet", expected: "symbols of a character or more", found: "an empty one")
    }
  }

  /// Returns the same automaton with `symbols` added to its alphabet.
  ///
  /// - Throws: `AutomatonError` where a symbol is empty.
  public func addingToAlphabet(_ symbols: [String]) throws(AutomatonError) -> Automaton {
    try Self.check(symbols)
    return Automaton(unchecked: states, transitions, alphabet: alphabet + symbols)
  }

  /// The ids of the initial states, in their order.
  public var initialStates: [String] { states.filter(\.isInitial).map(\.id) }

  /// The ids of the final states, in their order.
  public var finalStates: [String] { states.filter(\.isFinal).map(\.id) }
}

/// What cannot be an automaton, or would become too large a one: where, what was expected and what was
/// there.
public struct AutomatonError: Error, Hashable, CustomStringConvertible {
  /// The file, state, transition or operation.
  public var place: String
  /// What was expected there.
  public var expected: String
  /// What was there.
  public var found: String

  /// Makes the error of having `found` something else than was `expected` at `place`.
  public init(at place: String, expected: String, found: String) {
    self.place = place
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  ///
  /// Texts from files are shortened, and characters that steer a terminal are left out.
  public var description: String {
    [place, ": expected ", expected, ", found ", found].map { part in
      let printable = part.unicodeScalars.filter { $0.properties.generalCategory != .control }
      let text = String(String.UnicodeScalarView(printable))
      return text.count > 200 ? "\(text.prefix(199))…" : text
    }.joined()
  }
}

/// How much an operation may make before it gives up; some automata explode.
public struct Limit: Hashable, Sendable {
  /// The states of a result.
  public var states: Int
  /// The transitions of a result, symbol by symbol, and what else takes as much room.
  public var transitions: Int
  /// The states of a deterministic result times its symbols.
  public var tableEntries: Int

  /// Makes a limit.
  public init(
    states: Int = 1_000_000, transitions: Int = 10_000_000, tableEntries: Int = 50_000_000
  ) {
    self.states = states
    self.transitions = transitions
    self.tableEntries = tableEntries
  }

  /// A million states, ten million transitions, fifty million entries of a table.
  public static let standard = Limit()

  func check(_ operation: String, states count: Int) throws(AutomatonError) {
    guard count <= states else {
      throw AutomatonError(at: operation, expected: "at most \(states) states", found: "more")
    }
  }

  func check(_ operation: String, transitions count: Int) throws(AutomatonError) {
    guard count <= transitions else {
      throw AutomatonError(
        at: operation, expected: "at most \(transitions) transitions", found: "more")
    }
  }

  func check(_ operation: String, tableEntries count: Int) throws(AutomatonError) {
    guard count <= tableEntries else {
      throw AutomatonError(
        at: operation, expected: "at most \(tableEntries) states times symbols", found: "more")
    }
  }

  func check(_ operation: String, characters count: Int) throws(AutomatonError) {
    guard count <= transitions else {
      throw AutomatonError(
        at: operation, expected: "at most \(transitions) characters", found: "more")
    }
  }
}
