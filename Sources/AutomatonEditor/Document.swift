/// An automaton as it is drawn: states with places, transitions with shapes.
///
/// It is a value; ``Document/applying(_:ids:options:)`` gives the next one. Names and symbols may be
/// missing, ends may dangle: a drawing is unfinished most of the time.
public struct Document: Hashable, Sendable {
  /// A circle that stands for a state.
  public struct State: Hashable, Sendable {
    /// What tells it apart.
    public var id: String
    /// What it is called; may be empty or occur twice.
    public var name: String
    /// Whether it has a second ring.
    public var isFinal: Bool
    /// The middle, in canvas points.
    public var center: Vector
    /// The radius, in canvas points.
    public var radius: Double
    /// What other programs keep with it in a file.
    public var extras: [String: JSONValue] = [:]

    /// Makes a state.
    public init(
      id: String, name: String = "", isFinal: Bool = false, center: Vector, radius: Double
    ) {
      self.id = id
      self.name = name
      self.isFinal = isFinal
      self.center = center
      self.radius = radius
    }

    /// How far `place` is from the disc; 0 inside.
    func distance(to place: Vector) -> Double { max(0, center.distance(to: place) - radius) }

    /// The point of the ring in the direction of `place`; upwards where that is the middle.
    func ringPoint(towards place: Vector) -> Vector {
      let direction = (place - center).unit
      return center + (direction == Vector(0, 0) ? Vector(0, -1) : direction) * radius
    }
  }

  /// An arrow or a loop.
  public struct Transition: Hashable, Sendable {
    /// Where it runs.
    public enum Shape: Hashable, Sendable {
      /// From `start` to `tip` through `flex`.
      case regular(start: Vector, tip: Vector, flex: Vector)
      /// At a state's ring, at `angle` from its bottom, clockwise on screen; drawn the other way round
      /// where it is mirrored.
      case loop(angle: Double, isMirrored: Bool)
    }

    /// What tells it apart.
    public var id: String
    /// The id of the state where it begins, `nil` where it begins nowhere.
    public var start: String?
    /// The id of the state where it ends, `nil` where it ends nowhere.
    public var end: String?
    /// The symbols that are read on it.
    public var symbols: [String]
    /// What is typed and not yet added; it is read as well.
    public var pendingSymbol: String
    /// Whether it may be taken without reading.
    public var includesEpsilon: Bool
    /// Where it runs.
    public var shape: Shape
    /// Whether the end that belongs to no state was drawn so: it did not lose one.
    public var endsFreely: Bool
    /// What other programs keep with it in a file.
    public var extras: [String: JSONValue] = [:]
    /// What other programs keep with its shape in a file.
    public var shapeExtras: [String: JSONValue] = [:]

    /// Makes a transition.
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

    /// Whether it marks its end as initial: it was drawn without a start, and did not lose one.
    public var isInitialMarker: Bool { start == nil && endsFreely }

    /// Whether it is a loop at one state.
    public var isLoop: Bool { if case .loop = shape { true } else { false } }

    /// Whether an end belongs to no state.
    public var isDangling: Bool { end == nil || start == nil && !isInitialMarker }

    /// The symbols that are read, the one that is being typed among them.
    public var allSymbols: [String] {
      pendingSymbol.isEmpty || symbols.contains(pendingSymbol)
        ? symbols : symbols + [pendingSymbol]
    }
  }

  /// What tells the document apart.
  public var id: String
  /// The states, in the order in which they were made.
  public internal(set) var states: [State]
  /// The transitions, in the order in which they were made.
  public internal(set) var transitions: [Transition]
  /// The symbols that were given for the alphabet, sorted; those of the transitions count as well.
  public internal(set) var givenAlphabet: [String] = []
  /// What other programs keep with it in a file.
  public var extras: [String: JSONValue] = [:]

  /// Makes an empty document.
  public init(id: String) {
    self.id = id
    states = []
    transitions = []
  }

  /// The state of that id, or `nil`.
  public func state(_ id: String?) -> State? { states.first { $0.id == id } }

  /// The transition of that id, or `nil`.
  public func transition(_ id: String?) -> Transition? { transitions.first { $0.id == id } }

  /// Whether an initial marker ends at the state of that id.
  public func isInitial(_ id: String) -> Bool {
    transitions.contains { $0.isInitialMarker && $0.end == id }
  }
}
