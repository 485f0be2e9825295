extension Machine {
  /// The limits of a run, which need not end by itself.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of steps on one way.
    public var steps: Int
    /// The maximum number of different configurations that are searched.
    public var configurations: Int
    /// The maximum number of symbols on the stack, or of cells that the tape gets beside its input.
    public var cells: Int

    /// Creates limits.
    public init(steps: Int = 10_000, configurations: Int = 100_000, cells: Int = 10_000) {
      self.steps = steps
      self.configurations = configurations
      self.cells = cells
    }

    /// The default: 10,000 steps, 100,000 configurations, 10,000 cells.
    public static let standard = Limits()
  }

  /// The result of a run.
  public enum Outcome: Hashable, Sendable {
    /// The word is accepted.
    case accepted
    /// The word is rejected, for a reason in plain English.
    case rejected(String)
    /// A limit was reached first; which one, in plain English.
    case undecided(String)
    /// The whole word was read, and the outputs are the answer.
    case answered
    /// The machine stopped before the end of the word, for a reason in plain English.
    case stopped(String)
  }

  /// The machine after a step.
  public struct Step: Hashable, Sendable {
    /// The id of the transition that was taken, or `nil` at the start.
    public var transition: String?
    /// The id of the state.
    public var state: String
    /// The number of symbols of the word that were read; 0 for a Turing machine.
    public var position: Int
    /// What was written so far, for Moore and Mealy machines.
    public var output: String?
    /// The stack from its top, for pushdown automata.
    public var stack: String?
    /// The tape, for Turing machines.
    public var tape: Tape?
  }

  /// A tape: the cells left of the head, the cell under it, and those right of it, without the blank
  /// cells at both ends.
  public struct Tape: Hashable, Sendable {
    /// The cells to the left of the head.
    public var left: String
    /// The cell under the head.
    public var head: Character
    /// The cells to the right of the head.
    public var right: String

    /// All cells in order, without blank cells at both ends.
    public var content: String {
      let cells = Array(left + String(head) + right)
      let isBlank = { (cell: Character) in cell == Machine.blank }
      guard let first = cells.firstIndex(where: { !isBlank($0) }),
        let last = cells.lastIndex(where: { !isBlank($0) })
      else { return "" }
      return String(cells[first...last])
    }

    /// The tape in one line, with the head around its cell: `10[1]1`.
    public var text: String { "\(left)[\(head)]\(right)" }

    /// The content for people: all cells, or `blank`.
    public var shownContent: String {
      let content = content
      return content.isEmpty ? "blank" : content
    }

    /// The content for people; of a long tape, only the cells around the head.
    public var shortContent: String {
      left.count + right.count < 2 * Self.shownReach ? shownContent : text(around: Self.shownReach)
    }

    /// The number of cells on each side of the head that are shown of a long tape.
    public static let shownReach = 40

    /// Returns the tape in one line, as ``text``, with at most `count` cells on each side of the head
    /// and the number of the others.
    public func text(around count: Int) -> String {
      func more(_ cells: Int) -> String { "… \(cells) more cell\(cells == 1 ? "" : "s")" }
      let (before, after) = (left.count - count, right.count - count)
      return (before > 0 ? "(\(more(before))) " : "") + left.suffix(count) + "[\(head)]"
        + right.prefix(count) + (after > 0 ? " (\(more(after)))" : "")
    }
  }

  /// Returns the symbols of a typed word: its characters without white space, and without commas unless
  /// a rule reads them; `ε` is the empty word.
  public func symbols(of word: String) -> [Character] {
    let readsCommas = transitions.contains { $0.rules.contains { $0.read.contains(",") } }
    let symbols = word.filter { !$0.isWhitespace && ($0 != "," || readsCommas) }
    return symbols == "ε" ? [] : Array(symbols)
  }

  /// Runs a word, within limits.
  ///
  /// A pushdown automaton accepts after the whole word, as ``acceptance`` says. A Turing machine accepts
  /// as soon as it is in a final state. Both are searched breadth first if they are nondeterministic.
  ///
  /// - Throws: `AutomatonError` if there is no initial state, or if a Moore or Mealy machine is not
  ///   deterministic.
  public func run(
    _ word: [Character], limits: Limits = .standard
  ) throws(AutomatonError) -> MachineRun {
    guard states.contains(where: \.isInitial) else {
      throw AutomatonError(at: "run", expected: "an initial state", found: "none")
    }
    guard kind.isTransducer else {
      var search = MachineSearch(self, word, limits)
      search.run()
      return MachineRun(search)
    }
    if let conflict = conflicts.first {
      throw AutomatonError(
        at: "run", expected: "one way for each word, because \(kind.noun) has one output",
        found: conflict)
    }
    return transduce(word)
  }

  private func transduce(_ word: [Character]) -> MachineRun {
    var ways: [String: [Character: (transition: Transition, output: String)]] = [:]
    for transition in transitions {
      for rule in transition.rules {
        switch rule {
        case .read(let symbol):
          ways[transition.start, default: [:]][symbol] = (
            transition, outputs[transition.end] ?? ""
          )
        case .write(let symbol, let output):
          ways[transition.start, default: [:]][symbol] = (transition, output)
        case .stack, .tape: break
        }
      }
    }
    var state = states.first(where: \.isInitial)!.id
    var lengths = [outputs[state, default: ""].count]
    var output = outputs[state, default: ""]
    var taken: [(transition: String?, state: String)] = [(nil, state)]
    for (position, symbol) in word.enumerated() {
      guard let way = ways[state]?[symbol] else {
        return MachineRun(
          taken, output, lengths,
          .stopped("no transition of \(name(of: state)) reads symbol \(position + 1), \(symbol)"))
      }
      state = way.transition.end
      output += way.output
      taken.append((way.transition.id, state))
      lengths.append(lengths[position] + way.output.count)
    }
    return MachineRun(taken, output, lengths, .answered)
  }

  /// The symbols that the words can have, sorted: those that rules read, without the blank.
  public var inputSymbols: [String] {
    var symbols: Set<Character> = []
    for rule in transitions.flatMap(\.rules) {
      switch rule {
      case .read(let symbol), .write(let symbol, _), .tape(let symbol, _, _): symbols.insert(symbol)
      case .stack(let read, _, _): symbols.formUnion(read)
      }
    }
    return symbols.subtracting([Self.blank]).map { String($0) }.sorted()
  }
}

/// A run of a machine: its outcome, and its steps on one way.
///
/// If a word is accepted, it is a shortest way; otherwise the way that reads furthest.
public struct MachineRun: Sendable {
  /// The outcome.
  public let outcome: Machine.Outcome
  /// The number of different configurations that were searched; of a Moore or Mealy machine, the steps.
  public let configurationCount: Int
  /// The steps of the way, as configurations of the search.
  private let way: [Int]
  private let search: MachineSearch?
  private let taken: [(transition: String?, state: String)]
  private let output: [Character]
  private let lengths: [Int]

  init(_ search: MachineSearch) {
    self.search = search
    outcome = search.outcome
    configurationCount = search.count
    way = search.way
    (taken, output, lengths) = ([], [], [])
  }

  init(
    _ taken: [(transition: String?, state: String)], _ output: String, _ lengths: [Int],
    _ outcome: Machine.Outcome
  ) {
    (self.taken, self.lengths, self.outcome) = (taken, lengths, outcome)
    self.output = Array(output)
    (search, way, configurationCount) = (nil, [], taken.count)
  }

  /// The number of steps, including the start.
  public var stepCount: Int { search == nil ? taken.count : way.count }

  /// Returns the machine after `index` steps.
  ///
  /// - Precondition: `index` is from 0 to less than ``stepCount``.
  public func step(_ index: Int) -> Machine.Step {
    if let search { return search.step(way[index]) }
    return Machine.Step(
      transition: taken[index].transition, state: taken[index].state, position: index,
      output: String(output[..<lengths[index]]))
  }

  /// The machine after the last step.
  public var last: Machine.Step { step(stepCount - 1) }
}

extension Machine.Outcome {
  /// Whether the word is accepted, or was answered as a whole.
  public var isGood: Bool { self == .accepted || self == .answered }

  /// Whether the word is accepted; `nil` if that is undecided, or the machine answers with an output.
  public var isAccepted: Bool? {
    switch self {
    case .accepted: true
    case .rejected: false
    case .undecided, .answered, .stopped: nil
    }
  }

  /// The outcome in one word, as in JSON.
  public var name: String {
    switch self {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .undecided: "undecided"
    case .answered: "answered"
    case .stopped: "stopped"
    }
  }

  /// The reason, or `nil` if the word is accepted or answered.
  public var reason: String? {
    switch self {
    case .accepted, .answered: nil
    case .rejected(let reason), .undecided(let reason), .stopped(let reason): reason
    }
  }

  /// The outcome for people: `undecided after 10,000 steps`.
  public var message: String {
    switch self {
    case .undecided(let limit): "undecided after \(limit)"
    case .accepted, .answered, .rejected, .stopped:
      reason.map { "\(name): \($0)" } ?? name
    }
  }
}
