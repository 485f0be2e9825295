/// An automaton, or the drawing of another machine, with the positions of its states, as far as they are known.
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

  /// The automaton.
  public var automaton: Automaton
  /// The centres of the states by id.
  public var places: [String: Place]
  /// The kind of machine whose rules the symbols are; `nil` for a finite automaton.
  public var kind: Machine.Kind?
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
}
