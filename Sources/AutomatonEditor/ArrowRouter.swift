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
  /// The positions in `states` by id.
  private let numbers: [String: Int]
  /// The middle of the drawing.
  private let middle: Vector
  /// What is drawn of each transition so far.
  private var outlines: [Outline?]
  /// The labels of the self-loops that are drawn.
  private var loopLabels: [Bounds?]

  init(
    states: [Document.State], transitions: [Document.Transition], labelSizes: [Vector?]
  ) {
    (self.states, self.transitions, self.labelSizes) = (states, transitions, labelSizes)
    numbers = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($1.id, $0) })
    middle = states.reduce(Vector(0, 0)) { $0 + $1.center } * (1 / Double(max(1, states.count)))
    outlines = transitions.map { _ in nil }
    loopLabels = transitions.map { _ in nil }
  }

  /// Returns the shapes of the transitions; the `given` ones stay as they are.
  mutating func shapes(keeping given: Set<Int>) -> [Document.Transition.Shape] {
    for index in given.sorted() { draw(transitions[index].shape, index) }
    let free = transitions.indices.filter { !given.contains($0) }
    // Short arrows have the least choice.
    let arrows = free.filter { ends(of: $0) != nil }
      .sorted { (distance(of: $0), $0) < (distance(of: $1), $1) }
    let markers = free.filter { transitions[$0].isInitialMarker }
    let loops = free.filter { transitions[$0].isLoop }
    for index in arrows {
      guard let ends = ends(of: index) else { continue }
      let shape = transitions[index].shape
      if isFree(shape, index, ends) { draw(shape, index) }
    }
    for index in markers { chooseMarker(index) }
    for index in loops { chooseLoop(index) }
    for _ in 0..<Self.rounds {
      for index in arrows {
        guard let ends = ends(of: index) else { continue }
        if outlines[index] == nil || !isFree(transitions[index].shape, index, ends) {
          chooseArrow(index, ends)
        }
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
  private func ends(of index: Int) -> (from: Int, to: Int)? {
    guard let from = transitions[index].start.flatMap({ numbers[$0] }),
      let to = transitions[index].end.flatMap({ numbers[$0] }), from != to
    else { return nil }
    return (from, to)
  }

  private func distance(of index: Int) -> Double {
    guard let (from, to) = ends(of: index) else { return 0 }
    return states[from].center.distance(to: states[to].center)
  }

  /// Returns the state of a self-loop or an initial arrow.
  private func owner(of index: Int) -> Int? { transitions[index].end.flatMap { numbers[$0] } }

  private func appearance(
    of shape: Document.Transition.Shape, _ index: Int
  ) -> Document.Appearance? {
    Document.Appearance(
      shape, at: transitions[index].isLoop ? owner(of: index).map { states[$0] } : nil,
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
  /// The cost of two arrows beside each other, which more than cross.
  private static let mostCrossing = 40.0

  /// Returns the cost of what an arrow is in the way of: of states, self-loops and initial arrows, and of
  /// other arrows and labels.
  private func obstruction(
    of outline: Outline, _ index: Int, _ ends: (from: Int, to: Int)
  ) -> (hard: Double, soft: Double) {
    var (hard, soft) = (0.0, 0.0)
    for (number, state) in states.enumerated() {
      if number == ends.from || number == ends.to {
        let isInside = outline.points.prefix(outline.lineCount).contains {
          $0.distance(to: state.center) < state.radius - 1
        }
        if isInside { hard += Self.throughState }
        continue
      }
      guard outline.isWithin(state.radius + Self.clearance, of: state.center) else { continue }
      hard +=
        outline.isWithin(state.radius + Geometry.lineWidth, of: state.center)
        ? Self.throughState : Self.nearState
    }
    for (other, line) in outlines.enumerated() {
      guard let line, other != index else { continue }
      if let others = self.ends(of: other) {
        // Arrows of one state meet there.
        let shared = Set([ends.from, ends.to]).intersection([others.from, others.to])
        let hidden = shared.map { (center: states[$0].center, radius: states[$0].radius + 30) }
        soft +=
          Self.alongArrow
          * Double(outline.pointCount(within: Self.lineClearance, of: line, outside: hidden))
      } else if outline.isWithin(Self.lineClearance, of: line) {
        hard += Self.throughLoop
      }
      if let label = loopLabels[other], outline.touches(label) { soft += Self.throughLabel }
    }
    return (hard, soft)
  }

  private func isFree(
    _ shape: Document.Transition.Shape, _ index: Int, _ ends: (from: Int, to: Int)
  ) -> Bool {
    guard let outline = appearance(of: shape, index).map(Outline.init) else { return true }
    let (hard, soft) = obstruction(of: outline, index, ends)
    return hard == 0 && soft < Self.mostCrossing + Self.throughLabel
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
    let isPair = transitions.contains { $0.start == to.id && $0.end == from.id }
    let least = isPair ? Document.bow(from: from, to: to) : 0
    let left = (to.center - from.center).turned(by: -.pi / 2)
    let outwards = left.dot(from.center.middle(to: to.center) - middle) < 0 ? -1.0 : 1
    var best: (shape: Document.Transition.Shape, cost: Double, isClear: Bool)?
    func attempt(_ bend: Double, shift: Double = 0) {
      let shape = Document.Transition.Shape.bowed(from: from, to: to, by: bend, shift: shift)
      attempt(bend == 0 && shift == 0 ? .straight(from: from, to: to) : shape, bend, shift)
    }
    func attempt(_ shape: Document.Transition.Shape, _ bend: Double, _ shift: Double) {
      let isWrong = isPair ? bend < least : bend * outwards < 0
      let cost =
        Self.bending * (abs(bend) + abs(shift))
        + (isWrong ? (isPair ? Self.wrongSide : Self.inwards) : 0)
      guard best.map({ cost < $0.cost }) ?? true, shape.isOnCanvas,
        let outline = appearance(of: shape, index).map(Outline.init)
      else { return }
      let (hard, soft) = obstruction(of: outline, index, ends)
      if best.map({ cost + hard + soft < $0.cost }) ?? true {
        best = (shape, cost + hard + soft, hard == 0)
      }
    }
    let distance = from.center.distance(to: to.center)
    attempt(0)
    if isPair { attempt(least) }
    for bend in Self.bends {
      attempt(least + bend)
      attempt(-least - bend)
    }
    if best?.isClear != true {
      for share in Self.wideBends where share * distance > Self.bends.last! {
        attempt(share * distance)
        attempt(-share * distance)
      }
    }
    if best?.isClear != true {
      for bend in Self.bends + Self.wideBends.map({ $0 * distance }) {
        for shift in Self.shifts {
          attempt(bend, shift: shift * distance)
          attempt(-bend, shift: shift * distance)
        }
      }
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
        transitions[other].start == states[number].id
          || transitions[other].end == states[number].id,
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
    guard let number = owner(of: index) else { return }
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
    guard let number = owner(of: index) else { return }
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
