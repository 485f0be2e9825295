import Automata
import Ink

/// A drawn automaton or other machine: states with positions, transitions with shapes.
///
/// It is a value; ``Document/applying(_:ids:options:)`` returns the changed document. A document
/// can be unfinished: names and symbols may be missing, and ends may dangle.
public struct Document: Hashable, Sendable {
  /// A state, drawn as a circle.
  public struct State: Hashable, Sendable {
    /// The unique id.
    public var id: String
    /// The name, which may be empty or occur twice.
    public var name: String
    /// Whether it is final and has a second ring.
    public var isFinal: Bool
    /// The centre, in canvas points.
    public var center: Vector
    /// The radius, in canvas points.
    public var radius: Double
    /// A text that JFLAP shows below the state, besides its name.
    public var label = ""
    /// What other programs keep with it in a file.
    public var extras: [String: JSONValue] = [:]

    /// Creates a state.
    public init(
      id: String, name: String = "", isFinal: Bool = false, center: Vector, radius: Double
    ) {
      self.id = id
      self.name = name
      self.isFinal = isFinal
      self.center = center
      self.radius = radius
    }

    /// Returns the distance between `place` and the disc; 0 inside.
    func distance(to place: Vector) -> Double { max(0, center.distance(to: place) - radius) }

    /// Returns the point of the ring in the direction of `place`, or the top if that is the centre.
    func ringPoint(towards place: Vector) -> Vector {
      let direction = (place - center).unit
      return center + (direction == Vector(0, 0) ? Vector(0, -1) : direction) * radius
    }
  }

  /// A transition, drawn as an arrow or a self-loop.
  public struct Transition: Hashable, Sendable {
    /// The shape of a transition.
    public enum Shape: Hashable, Sendable {
      /// A line from `start` to `tip` through `flex`.
      case regular(start: Vector, tip: Vector, flex: Vector)
      /// A self-loop at `angle` from the bottom of the ring, clockwise on screen; if mirrored, it
      /// runs in the other direction.
      case loop(angle: Double, isMirrored: Bool)
    }

    /// A place of a label beside its line.
    public struct LabelPlace: Hashable, Sendable {
      /// The position along the line, from 0 at the start to 1 at the tip.
      public var along: Double
      /// The distance between the line and the edge of the label, in canvas points; negative on the right
      /// of the line.
      public var gap: Double

      /// Creates a place.
      public init(along: Double, gap: Double) {
        self.along = along
        self.gap = gap
      }

      /// The same place for a line that goes the other way.
      var reversed: LabelPlace { LabelPlace(along: 1 - along, gap: -gap) }
    }

    /// The unique id.
    public var id: String
    /// The id of the source state, or `nil` if there is none.
    public var start: String?
    /// The id of the target state, or `nil` if there is none.
    public var end: String?
    /// The symbols that it reads, its labels as ``Document/labelSyntax`` says, or the rules of a machine
    /// as `MachineRule.text`.
    public var symbols: [String]
    /// The symbol that is being typed; it counts as a symbol as well.
    public var pendingSymbol: String
    /// Whether it is also an ε-transition.
    public var includesEpsilon: Bool
    /// The shape.
    public var shape: Shape
    /// Where the label is, or `nil` for the middle, on the outer side of a bend and above a straight line.
    public var labelPlace: LabelPlace?
    /// Whether a free end was drawn without a state, and did not lose one.
    public var endsFreely: Bool
    /// What other programs keep with it in a file.
    public var extras: [String: JSONValue] = [:]
    /// What other programs keep with its shape in a file.
    public var shapeExtras: [String: JSONValue] = [:]

    /// Creates a transition.
    public init(
      id: String, start: String? = nil, end: String? = nil, symbols: [String] = [],
      pendingSymbol: String = "", includesEpsilon: Bool = false, shape: Shape,
      endsFreely: Bool = false
    ) {
      self.id = id
      self.start = start
      self.end = end
      self.symbols = symbols
      self.pendingSymbol = pendingSymbol
      self.includesEpsilon = includesEpsilon
      self.shape = shape
      self.endsFreely = endsFreely
    }

    /// Whether it marks its end as initial, because it was drawn without a start.
    public var isInitialMarker: Bool { start == nil && endsFreely }

    /// Whether it is a self-loop.
    public var isLoop: Bool { if case .loop = shape { true } else { false } }

    /// Whether an end is dangling.
    public var isDangling: Bool { end == nil || start == nil && !isInitialMarker }

    /// The symbols that it reads, including the one that is being typed.
    public var allSymbols: [String] {
      pendingSymbol.isEmpty || symbols.contains(pendingSymbol)
        ? symbols : symbols + [pendingSymbol]
    }
  }

  /// The unique id of the document.
  public var id: String
  /// The kind of machine whose rules the symbols are; `nil` for a finite automaton.
  public internal(set) var kind: Machine.Kind?
  /// When a pushdown automaton accepts.
  public var acceptance = Machine.Acceptance.finalState
  /// How the symbols of the transitions are read.
  public internal(set) var labelSyntax = LabelSyntax.symbols
  /// The texts on the canvas that are no part of the automaton, in the coordinates of the document.
  public var notes: [PlacedAutomaton.Note] = []
  /// The states in order of creation.
  public internal(set) var states: [State]
  /// The transitions in order of creation.
  public internal(set) var transitions: [Transition]
  /// The additional symbols of the alphabet, sorted, besides those of the transitions.
  public internal(set) var givenAlphabet: [String] = []
  /// Strokes that are no elements, such as remarks.
  public internal(set) var ink: [Stroke] = []
  /// What other programs keep with it in a file.
  public var extras: [String: JSONValue] = [:]

  /// Creates an empty document.
  public init(id: String, kind: Machine.Kind? = nil) {
    self.id = id
    self.kind = kind
    states = []
    transitions = []
  }

  /// Returns the state with this id, or `nil`.
  public func state(_ id: String?) -> State? { states.first { $0.id == id } }

  /// Returns the transition with this id, or `nil`.
  public func transition(_ id: String?) -> Transition? { transitions.first { $0.id == id } }

  /// Returns whether the state with this id is initial.
  public func isInitial(_ id: String) -> Bool {
    transitions.contains { $0.isInitialMarker && $0.end == id }
  }
}
