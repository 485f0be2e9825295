import Ink

/// An automaton in a drawing: its elements, and the role of every stroke.
///
/// As JSON it is one object: `automaton` with `states` and `transitions`, `strokes`, and `uncertain`.
public struct Diagram: Hashable, Sendable {
  /// A state.
  public struct State: Hashable, Sendable, Codable {
    /// The unique id.
    public var id: String
    /// The name that is written in it; empty if there is none.
    public var name: String
    /// Whether an arrow from nowhere, or a triangle, leads to it.
    public var initial: Bool
    /// Whether it has a second ring.
    public var final: Bool
    /// The coordinates of its centre, x and y, in canvas points.
    public var center: [Double]
    /// The radius of its outer ring, in canvas points.
    public var radius: Double

    /// Creates a state.
    public init(
      id: String, name: String = "", initial: Bool = false, final: Bool = false, center: [Double],
      radius: Double
    ) {
      (self.id, self.name, self.initial, self.final) = (id, name, initial, final)
      (self.center, self.radius) = (center, radius)
    }
  }

  /// A transition.
  public struct Transition: Hashable, Sendable, Codable {
    /// The id of its source state.
    public var from: String
    /// The id of its target state, which is the same for a self-loop.
    public var to: String
    /// Its symbols, among them `ε` for the empty word.
    public var symbols: [String]

    /// Creates a transition.
    public init(from: String, to: String, symbols: [String] = []) {
      (self.from, self.to, self.symbols) = (from, to, symbols)
    }
  }

  /// What a stroke is part of.
  public enum Role: String, CaseIterable, Hashable, Sendable, Codable {
    /// A ring of a state.
    case state
    /// The line or the head of a transition.
    case transition
    /// The line or the head of the arrow that marks the initial state.
    case initial
    /// Writing: a name, symbols, or a remark.
    case text
    /// Anything else.
    case other
  }

  /// The role of a stroke.
  public struct StrokeRole: Hashable, Sendable, Codable {
    /// What it is part of.
    public var role: Role
    /// The element that it draws or labels: the id of a state, or `t` and the index of a transition;
    /// `nil` if there is none.
    public var element: String?

    /// Creates a role.
    public init(_ role: Role, element: String? = nil) {
      (self.role, self.element) = (role, element)
    }
  }

  /// The states.
  public var states: [State]
  /// The transitions.
  public var transitions: [Transition]
  /// The role of each stroke of the drawing, in its order.
  public var strokes: [StrokeRole]

  /// Creates a diagram.
  public init(states: [State], transitions: [Transition], strokes: [StrokeRole]) {
    (self.states, self.transitions, self.strokes) = (states, transitions, strokes)
  }
}
