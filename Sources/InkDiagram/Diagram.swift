import Ink

/// An automaton in a drawing, or several (``automata``): its elements, and the role of every stroke.
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
    /// Its centre, in canvas points; JSON has the list of x and y.
    public var center: Vector
    /// The radius of its outer ring, in canvas points.
    public var radius: Double
    /// The line of the arrow that marks it as initial, if there is one; JSON has none.
    public var marker: [Vector] = []

    private enum CodingKeys: CodingKey { case id, name, initial, final, center, radius }

    /// Creates a state.
    public init(
      id: String, name: String = "", initial: Bool = false, final: Bool = false, center: Vector,
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
    /// The line from its start to its tip, if it was drawn; JSON has none.
    public var path: [Vector] = []

    private enum CodingKeys: CodingKey { case from, to, symbols }

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

    /// Writes both keys; `element` is `null` if there is none.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(role, forKey: .role)
      try container.encode(element, forKey: .element)
    }
  }

  /// Something that the drawing leaves open, with its alternatives.
  public struct Uncertainty: Hashable, Sendable, Codable {
    /// What is uncertain.
    public enum Property: String, CaseIterable, Hashable, Sendable, Codable {
      /// Whether a ring is a state; the value is `yes`, and the alternative `no`.
      case state
      /// The name of a state; the value is empty if none was read.
      case name
      /// The symbols of a transition, as a list with commas; the value is empty if none were read.
      case symbols
      /// Whether a line is a transition; the value is `yes`, and the alternative `no`.
      case transition
      /// The direction of a transition without a head: the ids of its states, `s0→s1`.
      case direction
    }

    /// A value with its probability.
    public struct Alternative: Hashable, Sendable, Codable {
      /// The value.
      public var value: String
      /// Its probability, from 0 to 1.
      public var probability: Double

      /// Creates an alternative.
      public init(_ value: String, probability: Double) {
        (self.value, self.probability) = (value, probability)
      }
    }

    /// The element: the id of a state, or `t` and the index of a transition.
    public var element: String
    /// What is uncertain about it.
    public var property: Property
    /// The value in the diagram.
    public var value: String
    /// The probability of this value, from 0 to 1.
    public var probability: Double
    /// Other values, from the most to the least probable.
    public var alternatives: [Alternative]

    /// Creates an uncertainty.
    public init(
      element: String, property: Property, value: String, probability: Double,
      alternatives: [Alternative]
    ) {
      (self.element, self.property, self.value) = (element, property, value)
      (self.probability, self.alternatives) = (probability, alternatives)
    }
  }

  /// Why a drawing is no automaton.
  public enum Rejection: String, CaseIterable, Hashable, Sendable, Codable {
    /// There is no ink.
    case empty
    /// No ring is a state.
    case noStates

    /// The reason for people who draw, to follow a colon.
    public var message: String {
      switch self {
      case .empty: "nothing is drawn"
      case .noStates: "no ring that could be a state was found"
      }
    }
  }

  /// The states.
  public var states: [State]
  /// The transitions.
  public var transitions: [Transition]
  /// The role of each stroke of the drawing, in its order.
  public var strokes: [StrokeRole]
  /// What the drawing leaves open, in the order of the elements.
  public var uncertain: [Uncertainty]
  /// Why it is no automaton, or `nil` if it is one.
  public var rejection: Rejection?

  /// Why the drawing may be no automaton, for people; `nil` if there is no reason to think so.
  ///
  /// There is one if many strokes belong to nothing and there are few transitions: in 153 of 203 photographs of flow
  /// charts (hdBPMN), in 15 of 210 composed photographs of automata, with which the limit was chosen, and in 17 of the 81
  /// pictures by people.
  public var warning: String? {
    let loose = strokes.count { $0.element == nil }
    // An automaton has about as many transitions, with one initial arrow, as states.
    let usual = Double(transitions.count + 1) / Double(max(1, states.count))
    let share = min(Self.largestLoose, Self.usualLoose * usual)
    guard Double(loose) > share * Double(strokes.count) else { return nil }
    return
      "\(loose) of \(strokes.count) strokes belong to no state or transition: this may be no automaton, or lie on its side"
  }

  /// Creates a diagram.
  public init(
    states: [State], transitions: [Transition], strokes: [StrokeRole],
    uncertain: [Uncertainty] = [], rejection: Rejection? = nil
  ) {
    (self.states, self.transitions, self.strokes) = (states, transitions, strokes)
    (self.uncertain, self.rejection) = (uncertain, rejection)
  }

  /// The shares of strokes that may belong to nothing: in a drawing with as many transitions as is usual, and in any
  /// drawing.
  private static let (usualLoose, largestLoose) = (0.4, 0.9)

  /// Returns the diagram moved, turned and scaled by `transform`, which keeps shapes.
  public func moved(by transform: Transform) -> Diagram {
    var result = self
    for index in states.indices {
      result.states[index].center = transform.apply(to: states[index].center)
      result.states[index].radius *= transform.scale
      result.states[index].marker = states[index].marker.map(transform.apply)
    }
    for index in transitions.indices {
      result.transitions[index].path = transitions[index].path.map(transform.apply)
    }
    return result
  }
}
