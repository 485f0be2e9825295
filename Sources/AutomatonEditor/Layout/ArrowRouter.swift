import Foundation
import Ink

/// Chooses the shapes of transitions whose states have their positions.
///
/// Arrows bend around states, self-loops and initial arrows, and self-loops and initial arrows take
/// free sides. Each choice is the cheapest of a few shapes, given what is drawn already.
struct ArrowRouter {
  private let states: [Document.State]
  private var transitions: [Document.Transition]
  /// The sizes of the labels; `nil` for a transition without one.
  private let labelSizes: [Vector?]
  /// The positions in `states` of the ends of each transition.
  private let ends: [(from: Int?, to: Int?)]
  /// The middle of the drawing.
  private let middle: Vector
  /// What is drawn of each transition so far.
  private var outlines: [Outline?]
  /// The transitions that arrows avoid.
  private let obstacles: [Int]
  /// The labels of the self-loops that are drawn.
  private var loopLabels: [Bounds?]

  /// Creates a router; if the drawing `isLarge`, arrows do not avoid other arrows.
  init(
    states: [Document.State], transitions: [Document.Transition], labelSizes: [Vector?],
    isLarge: Bool
  ) {
    (self.states, self.transitions, self.labelSizes) = (states, transitions, labelSizes)
    let numbers = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($1.id, $0) })
    ends = transitions.map {
      (from: $0.start.flatMap { numbers[$0] }, to: $0.end.flatMap { numbers[$0] })
    }
    middle = states.reduce(Vector(0, 0)) { $0 + $1.center } * (1 / Double(max(1, states.count)))
    obstacles = transitions.indices.filter {
      !isLarge || transitions[$0].isLoop || transitions[$0].isInitialMarker
    }
    outlines = transitions.map { _ in nil }
    loopLabels = transitions.map { _ in nil }
  }

  /// Returns the shapes of the transitions; the `given` ones stay as they are.
  mutating func shapes(keeping given: Set<Int>) -> [Document.Transition.Shape] {
    for index in given.sorted() { draw(transitions[index].shape, index) }
    let free = transitions.indices.filter { !given.contains($0) }
    // Short arrows have the least choice.
    let arrows = free.compactMap { index in way(of: index).map { (index: index, ends: $0) } }
      .sorted { (distance($0.ends), $0.index) < (distance($1.ends), $1.index) }
    let markers = free.filter { transitions[$0].isInitialMarker }
    let loops = free.filter { transitions[$0].isLoop }
    for (index, ends) in arrows where isFree(index, ends) { draw(transitions[index].shape, index) }
    for index in markers { chooseMarker(index) }
    for index in loops { chooseLoop(index) }
    for _ in 0..<Self.rounds {
      for (index, ends) in arrows where outlines[index] == nil || !isFree(index, ends) {
        chooseArrow(index, ends)
      }
      let crowded = loops.filter(isCrowded)
      if crowded.isEmpty { break }
      for index in crowded { chooseLoop(index) }
    }
    return transitions.map(\.shape)
  }

  private static let rounds = 2

  // MARK: What is drawn

  /// Returns the states of an arrow, or `nil` for a self-loop and an initial arrow.
  private func way(of index: Int) -> (from: Int, to: Int)? {
    guard let from = ends[index].from, let to = ends[index].to, from != to else { return nil }
    return (from, to)
  }

  private func distance(_ ends: (from: Int, to: Int)) -> Double {
    states[ends.from].center.distance(to: states[ends.to].center)
  }

  private func appearance(
    of shape: Document.Transition.Shape, _ index: Int
  ) -> Document.Appearance? {
    Document.Appearance(
      shape, at: transitions[index].isLoop ? ends[index].to.map { states[$0] } : nil,
      labelSize: labelSizes[index] ?? Vector(0, 0), labelPlace: nil)
  }

  private mutating func draw(_ shape: Document.Transition.Shape, _ index: Int) {
    transitions[index].shape = shape
    guard let appearance = appearance(of: shape, index) else { return }
    outlines[index] = Outline(appearance)
    loopLabels[index] =
      transitions[index].isLoop
      ? labelSizes[index].map { Bounds(around: appearance.label, size: $0) } : nil
  }

  /// Returns whether other lines go through a self-loop.
  private func isCrowded(_ index: Int) -> Bool {
    guard let outline = outlines[index] else { return false }
    return outlines.indices.contains { other in
      other != index && outlines[other]?.isWithin(Self.lineClearance, of: outline) == true
    }
  }

  // MARK: Costs
  //
  // The costs only order the shapes of one transition: through a state is worst, then along or through
  // a self-loop or an initial arrow, then too near a state, then along other arrows, then far around.

  /// The minimum distance between an arrow and another state.
  private static let clearance = 18.0
  /// The minimum distance between the lines of a self-loop or an initial arrow and of other arrows.
  private static let lineClearance = 10.0
  private static let throughState = 10_000.0
  private static let throughLoop = 3_000.0
  private static let nearState = 1_000.0
  private static let throughLabel = 60.0
  /// The cost of each point of an arrow's line that is near another arrow.
  private static let alongArrow = 10.0
  /// The cost of each point that is near the opposite arrow.
  private static let alongOpposite = 500.0
  /// The distance from a state within which its arrows may be near each other.
  private static let meeting = 30.0
  /// The cost of two arrows beside each other, which more than cross.
  private static let maximumCrossing = 40.0

  /// Returns the cost of what an arrow is in the way of: of states, self-loops and initial arrows, and of
  /// other arrows and labels; or a part of it that is at least `limit`.
  private func obstruction(
    of outline: Outline, _ index: Int, _ ends: (from: Int, to: Int), limit: Double
  ) -> (hard: Double, along: Double, label: Double) {
    var (hard, along, label) = (0.0, 0.0, 0.0)
    for number in states.indices where hard < limit {
      let state = states[number]
      if number == ends.from || number == ends.to {
        let isInside = outline.samples.contains { $0.distance(to: state.center) < state.radius - 1 }
        if isInside { hard += Self.throughState }
      } else if outline.isWithin(state.radius + Self.clearance, of: state.center) {
        hard +=
          outline.isWithin(state.radius + Geometry.lineWidth, of: state.center)
          ? Self.throughState : Self.nearState
      }
    }
    for other in obstacles where hard + along + label < limit {
      guard let line = outlines[other], other != index else { continue }
      if let box = loopLabels[other], outline.touches(box) { label += Self.throughLabel }
      guard outline.bounds.isWithin(2 * Self.lineClearance, of: line.bounds) else { continue }
      if way(of: other) != nil {
        // Arrows of one state meet there, and opposite ones need more room.
        let shared = [ends.from, ends.to].filter {
          $0 == self.ends[other].from || $0 == self.ends[other].to
        }.map { states[$0] }
        let isOpposite = shared.count > 1
        let count = outline.samples.count { sample in
          line.isWithin((isOpposite ? 2 : 1) * Self.lineClearance, of: sample)
            && shared.allSatisfy {
              sample.distance(to: $0.center) > $0.radius + Self.meeting
            }
        }
        along += (isOpposite ? Self.alongOpposite : Self.alongArrow) * Double(count)
      } else if outline.isWithin(Self.lineClearance, of: line) {
        hard += Self.throughLoop
      }
    }
    return (hard, along, label)
  }

  private func isFree(_ index: Int, _ ends: (from: Int, to: Int)) -> Bool {
    guard let appearance = appearance(of: transitions[index].shape, index) else { return true }
    let cost = obstruction(of: Outline(appearance), index, ends, limit: .infinity)
    return cost.hard == 0 && cost.along < Self.maximumCrossing
  }

  // MARK: Arrows

  /// The bends that are tried, in canvas points.
  private static let bends = [40.0, 60, 80, 110, 140, 170, 200, 240, 280, 330, 390, 450]
  /// The bends that are tried next, as shares of the distance of the states.
  private static let wideBends = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4]
  /// The shifts of a bend from the middle that are tried next, as shares of the distance.
  private static let shifts = [-0.3, -0.15, 0.15, 0.3]
  /// The cost of a bend of one point.
  private static let bending = 0.5
  /// The cost of a bend towards the middle of the drawing.
  private static let inwards = 15.0
  /// The cost of a bend to the side of the opposite arrow.
  private static let wrongSide = 40.0

  private mutating func chooseArrow(_ index: Int, _ ends: (from: Int, to: Int)) {
    let (from, to) = (states[ends.from], states[ends.to])
    let isPair = self.ends.contains { $0.from == ends.to && $0.to == ends.from }
    let least = isPair ? Document.bow(from: from, to: to) : 0
    let left = (to.center - from.center).turned(by: -.pi / 2)
    let outwards = left.dot(from.center.middle(to: to.center) - middle) < 0 ? -1.0 : 1
    /// Returns the cost of a bend itself.
    func cost(_ bend: Double, _ shift: Double) -> Double {
      let isWrong = isPair ? bend <= 0 : bend * outwards < 0
      return Self.bending * (abs(bend) + abs(shift))
        + (isWrong ? (isPair ? Self.wrongSide : Self.inwards) : 0)
    }
    var best: (shape: Document.Transition.Shape, cost: Double, isClear: Bool)?
    /// Compares the shapes with these bends and shifts with the best so far.
    func attempt(_ bends: [(bend: Double, shift: Double)]) {
      let ordered = bends.map { (way: $0, cost: cost($0.bend, $0.shift)) }.enumerated()
        .sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
      for (way, cost) in ordered {
        let most = best?.cost ?? .infinity
        guard cost < most else { return }
        let shape =
          way == (0, 0)
          ? Document.Transition.Shape.straight(from: from, to: to)
          : .bowed(from: from, to: to, by: way.bend, shift: way.shift)
        guard shape.isOnCanvas, let appearance = appearance(of: shape, index) else { continue }
        let found = obstruction(of: Outline(appearance), index, ends, limit: most - cost)
        let total = cost + found.hard + found.along + found.label
        if total < most { best = (shape, total, found.hard == 0) }
      }
    }
    let distance = distance(ends)
    attempt(
      [0, least, least / 2, -least / 2].map { ($0, 0) }
        + Self.bends.flatMap { [(least + $0, 0), (-least - $0, 0)] })
    if best?.isClear != true {
      attempt(Self.wideBends.flatMap { [($0 * distance, 0), (-$0 * distance, 0)] })
    }
    if best?.isClear != true {
      let bends = Self.bends + Self.wideBends.map { $0 * distance }
      attempt(
        Self.shifts.flatMap { shift in
          bends.flatMap { [($0, shift * distance), (-$0, shift * distance)] }
        })
    }
    if let best { draw(best.shape, index) }
  }

  // MARK: Self-loops and initial arrows

  /// Returns the cost of a line at one state: what it is in the way of.
  private func obstruction(of outline: Outline, _ index: Int, at owner: Int) -> Double {
    var cost = 0.0
    for (number, state) in states.enumerated() where number != owner {
      guard outline.isWithin(state.radius + Self.clearance, of: state.center) else { continue }
      cost +=
        outline.isWithin(state.radius + Geometry.lineWidth, of: state.center)
        ? Self.throughState : Self.nearState
    }
    for (other, line) in outlines.enumerated() where other != index {
      guard let line, line.isWithin(2 * Self.lineClearance, of: outline) else { continue }
      cost += line.isWithin(Self.lineClearance, of: outline) ? Self.throughLoop : Self.alongArrow
    }
    return cost
  }

  /// Returns the directions in which lines leave a state.
  private func directions(at number: Int, besides index: Int) -> [Double] {
    let center = states[number].center
    return transitions.indices.compactMap { other in
      guard other != index, outlines[other] != nil,
        ends[other].from == number || ends[other].to == number,
        case .regular(_, _, let flex) = transitions[other].shape
      else { return nil }
      return (flex - center).angle
    }
  }

  /// The sides of an initial arrow: its direction from the state, its length, and its cost.
  private static let sides: [(angle: Double, length: Double, cost: Double)] = [
    (1.0, 100, 0), (1, 70, 10), (-0.75, 100, 20), (0.75, 100, 22), (-0.5, 100, 30),
    (0.5, 100, 32), (-0.75, 70, 34), (0.75, 70, 36), (-0.25, 100, 50), (0.25, 100, 52),
    (-0.5, 70, 54), (0.5, 70, 56), (0, 100, 60), (0.875, 100, 64), (-0.875, 100, 66),
    (0.625, 100, 68), (-0.625, 100, 70), (0.375, 100, 72), (-0.375, 100, 74), (0.125, 100, 76),
    (-0.125, 100, 78),
  ].map { ($0 * Double.pi, $1, $2) }

  private mutating func chooseMarker(_ index: Int) {
    guard let number = ends[index].to else { return }
    let shapes = Self.sides.map {
      (
        Document.Transition.Shape.marker(
          of: states[number], from: Vector(angle: $0.angle, length: 1), length: $0.length), $0.cost
      )
    }
    if let shape = cheapest(shapes, index, at: number) { draw(shape, index) }
  }

  /// The number of directions of a self-loop.
  private static let directionCount = 24
  /// The costs of the directions of a self-loop.
  private static func cost(ofLoopTowards step: Int, outwards: Int) -> Double {
    switch step {
    case 18: 0
    case outwards: 8
    case 6: 12
    case 0, 12: 16
    default: step.isMultiple(of: 3) ? 20 : 28
    }
  }
  /// The angle to the next line from which on more room is no better, and the cost of less.
  private static let enoughRoom = 1.5
  private static let missingRoom = 40.0

  private mutating func chooseLoop(_ index: Int) {
    guard let number = ends[index].to else { return }
    let state = states[number]
    let directions = directions(at: number, besides: index)
    let step = 2 * Double.pi / Double(Self.directionCount)
    let outwards =
      Int((((state.center - middle).angle + 2 * .pi) / step).rounded()) % Self.directionCount
    let shapes = (0..<Self.directionCount).map { number in
      let angle = Double(number) * step
      let room = directions.map { abs(($0 - angle).remainder(dividingBy: 2 * .pi)) }.min() ?? .pi
      let cost =
        Self.cost(ofLoopTowards: number, outwards: outwards)
        + Self.missingRoom * max(0, Self.enoughRoom - room)
      // Exactly up, as the editor's own self-loops are.
      let shape = Document.Transition.Shape.loop(
        angle: number == 18 ? .pi : Document.loopAngle(Vector(angle: angle, length: 1)),
        isMirrored: false)
      return (shape, cost)
    }
    if let shape = cheapest(shapes, index, at: number) { draw(shape, index) }
  }

  /// Returns the shape of least cost of a self-loop or an initial arrow.
  private func cheapest(
    _ shapes: [(Document.Transition.Shape, Double)], _ index: Int, at number: Int
  ) -> Document.Transition.Shape? {
    var best: (shape: Document.Transition.Shape, cost: Double)?
    for (shape, cost) in shapes where best.map({ cost < $0.cost }) ?? true {
      guard shape.isOnCanvas, let appearance = appearance(of: shape, index) else { continue }
      let outline = Outline(appearance)
      var total = cost + obstruction(of: outline, index, at: number)
      if transitions[index].isLoop, let size = labelSizes[index] {
        total += obstruction(of: Bounds(around: appearance.label, size: size), index)
      }
      if best.map({ total < $0.cost }) ?? true { best = (shape, total) }
    }
    return best?.shape
  }

  /// Returns the cost of what is below the label of a self-loop.
  private func obstruction(of label: Bounds, _ index: Int) -> Double {
    let isOnState = states.contains { label.distance(to: $0.center) <= $0.radius }
    let lines = outlines.indices.count { $0 != index && outlines[$0]?.touches(label) == true }
    let labels = loopLabels.indices.count {
      $0 != index && loopLabels[$0]?.isWithin(0, of: label) == true
    }
    return Self.throughLabel * Double((isOnState ? 1 : 0) + lines + labels)
  }
}
