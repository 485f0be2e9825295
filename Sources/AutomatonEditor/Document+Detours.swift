import Foundation
import Ink

// Routes arrows and self-loops of an automatic layout around states.

extension Document {
  /// The bends of arrows that are tried in order, in canvas points.
  private static let detours = [60.0, 110, 170, 240, 330, 450]
  /// The minimum distance between an arrow and an obstacle.
  private static let clearance = 18.0
  /// The maximum number of arrows times states; larger drawings are not changed.
  private static let mostComparisons = 250_000

  /// A disc that arrows avoid.
  private struct Obstacle {
    var center: Vector
    var radius: Double
    /// The id of the state, or `nil` for a self-loop.
    var state: String?
  }

  /// Turns self-loops to free sides, and bends arrows around the states and self-loops that they
  /// cross.
  mutating func clearArrows(
    of drawn: [String: State], initial: Set<String>, middle: Vector
  ) {
    guard transitions.count * states.count <= Self.mostComparisons else { return }
    var obstacles = states.map { Obstacle(center: $0.center, radius: $0.radius, state: $0.id) }
    var ways: [String: [Double]] = [:]
    for id in initial { ways[id, default: []].append(.pi) }
    for transition in transitions where !transition.isLoop {
      guard let (from, to) = ends(of: transition, drawn) else { continue }
      ways[from.id, default: []].append((to.center - from.center).angle)
      ways[to.id, default: []].append((from.center - to.center).angle)
    }
    for index in transitions.indices where transitions[index].isLoop {
      guard let state = transitions[index].start.flatMap({ drawn[$0] }) else { continue }
      let direction = Vector(angle: Self.roomiest(beside: ways[state.id, default: []]), length: 1)
      transitions[index].shape = .loop(angle: Self.loopAngle(direction), isMirrored: false)
      obstacles.append(
        Obstacle(
          center: state.center + direction * (1.8 * state.radius), radius: 0.8 * state.radius))
    }
    let pairs = Set(transitions.map { [$0.end, $0.start] })
    for index in transitions.indices where !transitions[index].isLoop {
      guard let (from, to) = ends(of: transitions[index], drawn) else { continue }
      let isPair = pairs.contains([from.id, to.id])
      let others = obstacles.filter { $0.state != from.id && $0.state != to.id }
      let shape = Self.bends(from: from, to: to, isPair: isPair, middle: middle).lazy
        .map { bend -> Transition.Shape in
          bend == 0 ? .straight(from: from, to: to) : .bowed(from: from, to: to, by: bend)
        }
        .first { Self.isClear($0, of: others) }
      if let shape { transitions[index].shape = shape }
    }
  }

  private func ends(of transition: Transition, _ drawn: [String: State]) -> (State, State)? {
    guard let from = transition.start.flatMap({ drawn[$0] }),
      let to = transition.end.flatMap({ drawn[$0] })
    else { return nil }
    return (from, to)
  }

  /// Returns the direction of a self-loop: up if that is free, otherwise the one farthest from all
  /// arrows.
  private static func roomiest(beside ways: [Double]) -> Double {
    let directions = [-0.5, 0.5, 0, -0.25, 0.25, -0.75, 0.75].map { $0 * Double.pi }
    func room(_ direction: Double) -> Double {
      ways.map { abs(($0 - direction).remainder(dividingBy: 2 * .pi)) }.min() ?? .pi
    }
    let enough = min(0.9, (directions.map(room).max() ?? 0) - 0.01)
    return directions.first { room($0) > enough } ?? -.pi / 2
  }

  /// Returns the possible bends of an arrow, the best first.
  ///
  /// Opposite arrows bend to their left, and other arrows away from the centre of the drawing.
  private static func bends(
    from: State, to: State, isPair: Bool, middle: Vector
  ) -> [Double] {
    if isPair {
      let least = bow(from: from, to: to)
      return [least] + detours.map { least + $0 }
    }
    let left = (to.center - from.center).turned(by: -.pi / 2)
    let outwards = from.center.middle(to: to.center) - middle
    let side = left.x * outwards.x + left.y * outwards.y < 0 ? -1.0 : 1
    return [0] + detours.map { side * $0 } + detours.map { -side * $0 }
  }

  private static func isClear(_ shape: Transition.Shape, of obstacles: [Obstacle]) -> Bool {
    guard case .regular(let start, let tip, let flex) = shape else { return true }
    // A parabola through the bend.
    let control = flex * 2 - start.middle(to: tip)
    return (1...15).allSatisfy { step in
      let t = Double(step) / 16
      let place = start * ((1 - t) * (1 - t)) + control * (2 * t * (1 - t)) + tip * (t * t)
      return obstacles.allSatisfy { place.distance(to: $0.center) >= $0.radius + clearance }
    }
  }
}
