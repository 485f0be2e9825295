/// An automaton, or the drawing of another machine, with the positions of its states and what else its
/// author drew, as far as they are known.
public struct PlacedAutomaton: Hashable, Sendable {
  /// A position on the canvas, with x to the right and y down.
  public struct Place: Hashable, Sendable {
    /// The distance from the left, in canvas points.
    public var x: Double
    /// The distance from the top, in canvas points.
    public var y: Double

    /// Creates a position.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A text on the canvas that is no part of the automaton.
  public struct Note: Hashable, Sendable {
    /// The text, which can have several lines.
    public var text: String
    /// The position of its upper left corner, or `nil` if it is unknown.
    public var place: Place?

    /// Creates a note.
    public init(_ text: String, at place: Place? = nil) {
      self.text = text
      self.place = place
    }
  }

  /// The automaton.
  public var automaton: Automaton
  /// The centres of the states by id.
  public var places: [String: Place]
  /// The kind of machine whose rules the symbols are; `nil` for a finite automaton.
  public var kind: Machine.Kind?
  /// When a pushdown automaton accepts.
  public var acceptance = Machine.Acceptance.finalState
  /// The notes.
  public var notes: [Note] = []
  /// The texts below states, besides their names, by id.
  public var stateLabels: [String: String] = [:]
  /// The control points of bent arrows by the id of the transition: an arrow is a quadratic Bézier
  /// curve between two states, and a self-loop is on the side of its control point.
  public var controlPoints: [String: Place] = [:]
  /// What a person should know about how a file was read, in one line each.
  public var remarks: [String] = []

  /// Creates an automaton with positions, or the drawing of a machine of some kind.
  public init(
    automaton: Automaton, places: [String: Place] = [:], kind: Machine.Kind? = nil
  ) {
    self.automaton = automaton
    self.places = places
    self.kind = kind
  }

  /// The same drawing with short ids of the states, for files that show them.
  ///
  /// Ids that are short already, such as JFLAP's numbers, stay.
  public var withShortIDs: PlacedAutomaton {
    guard automaton.states.contains(where: { $0.id.count > Self.shortID }) else { return self }
    let short = Dictionary(
      uniqueKeysWithValues: automaton.states.enumerated().map { ($1.id, "s\($0 + 1)") })
    func renamed<Value>(_ values: [String: Value]) -> [String: Value] {
      Dictionary(
        uniqueKeysWithValues: values.compactMap { id, value in short[id].map { ($0, value) } })
    }
    var drawn = self
    drawn.automaton = Automaton(
      unchecked: automaton.states.map { state in
        var state = state
        state.id = short[state.id]!
        return state
      },
      automaton.transitions.map { transition in
        var transition = transition
        (transition.start, transition.end) = (short[transition.start]!, short[transition.end]!)
        return transition
      }, alphabet: automaton.unreadSymbols, labelSyntax: automaton.labelSyntax)
    drawn.places = renamed(places)
    drawn.stateLabels = renamed(stateLabels)
    return drawn
  }

  /// The number of characters of a short id.
  private static let shortID = 8

  /// The machine beyond finite automata that is drawn, or `nil` for a finite automaton.
  ///
  /// - Throws: `AutomatonError` for a label that is not a rule.
  public var machine: Machine? {
    get throws(AutomatonError) {
      guard let kind else { return nil }
      return try Machine(automaton, kind: kind, acceptance: acceptance)
    }
  }
}
