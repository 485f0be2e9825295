import Ink

/// What a person says about the states of a picture that was read: where they are, and where one was missed.
public struct KnownStates: Hashable, Sendable {
  /// A state, drawn as a circle.
  public struct State: Hashable, Sendable {
    /// Its centre.
    public var center: Vector
    /// Its radius.
    public var radius: Double

    /// Creates a state.
    public init(center: Vector, radius: Double) { (self.center, self.radius) = (center, radius) }
  }

  /// The states that were read, without those that are none.
  public var states: [State]
  /// A place in a state that was not read.
  public var missed: Vector

  /// Creates what a person says.
  public init(_ states: [State], missed: Vector) { (self.states, self.missed) = (states, missed) }

  /// The radius of the smallest states, in pixels.
  private static let leastRadius = 2.0

  /// Returns the same without the states that are not in a picture of this size, or larger than it; `nil` if the missed
  /// one is not in it.
  func inside(width: Int, height: Int) -> KnownStates? {
    let (width, height) = (Double(width), Double(height))
    func isInside(_ place: Vector) -> Bool {
      (0...width).contains(place.x) && (0...height).contains(place.y)
    }
    guard isInside(missed) else { return nil }
    return KnownStates(
      states.filter {
        isInside($0.center) && (Self.leastRadius...max(width, height)).contains($0.radius)
      }, missed: missed)
  }

  /// Returns the same at other places, as `moved` moves each; lengths grow by `scale`.
  public func moved(scale: Double, by moved: (Vector) -> Vector) -> KnownStates {
    KnownStates(
      states.map { State(center: moved($0.center), radius: scale * $0.radius) },
      missed: moved(missed))
  }
}
