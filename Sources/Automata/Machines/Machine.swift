/// A machine beyond finite automata: with outputs, a stack or a tape.
///
/// Every symbol of its input, its outputs, its stack and its tape is one character. States and
/// transitions are those of a drawing; the labels of the transitions are read as rules.
public struct Machine: Hashable, Sendable {
  /// The kind of a machine, which decides how labels are read.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// Each state has an output, which is typed after its name, as in `q0/x`.
    case moore
    /// Each transition has an output: `a/x`.
    case mealy
    /// A transition reads a symbol, takes symbols off a stack and puts others on it: `a, X → YZ`.
    case pushdown
    /// A transition reads a cell of a tape, writes it and moves: `a → b, R`.
    case turing
  }

  /// A transition with its rules.
  public struct Transition: Hashable, Sendable {
    /// The unique id.
    public var id: String
    /// The id of the source state.
    public var start: String
    /// The id of the target state.
    public var end: String
    /// The rules; one of them has to apply.
    public var rules: [MachineRule]
  }

  /// When a pushdown automaton accepts a word that it has read.
  public enum Acceptance: String, Hashable, Sendable, CaseIterable, Codable {
    /// In a final state, whatever is on the stack.
    case finalState = "final-state"
    /// With an empty stack, in any state; nothing is left of the symbol at its bottom either.
    case emptyStack = "empty-stack"
    /// In a final state or with an empty stack.
    case either
  }

  /// The kind.
  public let kind: Kind
  /// When a word is accepted; only pushdown automata have a choice.
  public let acceptance: Acceptance
  /// The states in order of creation.
  public let states: [Automaton.State]
  /// The transitions in order of creation.
  public let transitions: [Transition]
  /// The outputs of the states of a Moore machine by their ids; empty for other kinds.
  public let outputs: [String: String]
  /// The names of the states in messages by their ids.
  private let names: [String: String]

  /// The symbol at the bottom of a stack at the start of a run.
  public static let bottom: Character = "Z"
  /// The content of the cells of a tape that nothing was written to.
  public static let blank: Character = "□"

  /// Reads a drawing whose symbols are rules in text.
  ///
  /// - Throws: `AutomatonError` for the first label that is not a rule of this kind.
  public init(
    _ drawn: Automaton, kind: Kind, acceptance: Acceptance = .finalState
  ) throws(AutomatonError) {
    (self.kind, self.acceptance) = (kind, acceptance)
    states = drawn.states
    names = Dictionary(
      uniqueKeysWithValues: zip(drawn.states.map(\.id), drawn.stateNames).map { id, name in
        let plain = kind == .moore ? MooreName(name).name : name
        return (id, plain.isEmpty ? name : plain)
      })
    let names = drawn.shownNames
    transitions = try drawn.transitions.map { transition throws(AutomatonError) in
      Transition(
        id: transition.id, start: transition.start, end: transition.end,
        rules: try Self.rules(of: transition, kind, names))
    }
    guard kind == .moore else {
      outputs = [:]
      return
    }
    outputs = Dictionary(
      uniqueKeysWithValues: states.map { ($0.id, MooreName($0.name).output ?? "") })
  }

  private static func rules(
    of transition: Automaton.Transition, _ kind: Kind, _ names: ShownNames
  ) throws(AutomatonError) -> [MachineRule] {
    var rules: [MachineRule] = []
    for label in transition.symbols + (transition.includesEpsilon ? ["ε"] : []) {
      do { rules += try MachineRule.rules(label, of: kind) } catch {
        throw AutomatonError(
          at: "the arrow \(names.transition(transition.id))", expected: error.expected,
          found: error.found)
      }
    }
    return rules
  }

  /// Returns the name of a state in messages, without the output of a Moore machine.
  public func name(of id: String) -> String { names[id] ?? "?" }

  /// Returns the messages about all labels of a drawing that are not rules of `kind`.
  public static func labelProblems(of drawn: Automaton, _ kind: Kind) -> [String] {
    let names = drawn.shownNames
    return drawn.transitions.compactMap { transition in
      do {
        _ = try rules(of: transition, kind, names)
        return nil
      } catch { return "\(error)" }
    }
  }
}

extension Machine.Kind {
  /// The kind for people, with its article: `a Turing machine`.
  public var noun: String {
    switch self {
    case .moore: "a Moore machine"
    case .mealy: "a Mealy machine"
    case .pushdown: "a pushdown automaton"
    case .turing: "a Turing machine"
    }
  }

  /// The kind for people, as a title: `Turing machine`.
  public var title: String {
    switch self {
    case .moore: "Moore machine"
    case .mealy: "Mealy machine"
    case .pushdown: "Pushdown automaton"
    case .turing: "Turing machine"
    }
  }

  /// A label of a transition.
  public var exampleLabel: String {
    switch self {
    case .moore: "a"
    case .mealy: "a/x"
    case .pushdown: "a, X → YZ"
    case .turing: "a → b, R"
    }
  }

  /// Whether a run ends with an output, and not with acceptance or rejection.
  public var isTransducer: Bool { self == .moore || self == .mealy }

  /// Why the operations on finite automata are not offered, as half a sentence.
  public var reasonAgainstConversions: String {
    switch self {
    case .moore, .mealy: "\(noun) answers with an output and accepts no language"
    case .pushdown:
      "there is no such construction for pushdown automata, and whether two of them are equivalent "
        + "cannot be decided"
    case .turing: "no program can decide such questions about Turing machines"
    }
  }

  /// Returns the error of an operation that only finite automata have.
  public func refusal(of operation: String) -> AutomatonError {
    AutomatonError(
      at: operation, expected: "a finite automaton, because \(reasonAgainstConversions)",
      found: noun)
  }
}

/// The name of a state of a Moore machine: its name, a slash and its output, as in `q0/x`.
public struct MooreName: Hashable, Sendable {
  /// The name before the last slash.
  public var name: String
  /// The output after the last slash, without ε; `nil` if there is no slash.
  public var output: String?

  /// Reads a name as it is typed.
  public init(_ text: String) {
    guard let slash = text.lastIndex(of: "/") else {
      name = text
      return
    }
    name = String(text[..<slash])
    let output = text[text.index(after: slash)...].filter { !$0.isWhitespace }
    self.output = output == "ε" ? "" : output
  }

  /// Creates the name of a state with an output.
  public init(_ name: String, output: String?) { (self.name, self.output) = (name, output) }

  /// The name as it is typed.
  public var text: String { output.map { "\(name)/\($0.isEmpty ? "ε" : $0)" } ?? name }
}
