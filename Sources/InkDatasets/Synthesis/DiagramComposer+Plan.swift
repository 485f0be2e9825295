import Foundation
import Ink
import SeededRandom

/// The elements of a drawing at their places, with the ink of their labels.
struct DiagramPlan {
  /// The arrangement of the states.
  enum Layout: String, CaseIterable {
    case row, column, rows, circle, triangle, free
  }

  struct State {
    var name: LineText?
    var isInitial: Bool
    var isFinal: Bool
    var center: Point
    var radius: Double
  }

  struct Arrow {
    var from: Int
    var to: Int
    var symbols: [String]
    var path: [Point]
    var label: Drawing?
    /// Whether the line is interrupted by its label.
    var isInterrupted = false
  }

  /// An arrow from nowhere, or a triangle at the ring.
  struct Marker {
    var state: Int
    var path: [Point]
    var isTriangle: Bool
  }

  let layout: Layout
  /// The usual radius of a state.
  let radius: Double
  var states: [State]
  var arrows: [Arrow] = []
  var markers: [Marker] = []
  /// The height of a capital letter.
  let letterHeight: Double
  /// Titles and remarks.
  var remarks: [Drawing] = []
  /// Lines below titles.
  var underlines: [[Point]] = []

  /// Lays out `machine`, or returns `nil` if its transitions and labels do not fit.
  init?(_ machine: DrawnMachine, hand: DiagramHand, using generator: inout SeededGenerator) {
    let count = machine.states.count
    radius = generator.uniform(32...66)
    letterHeight = 2 * radius * generator.uniform(0.3...0.46)
    let distance = radius * generator.uniform(3.8...6)
    let layouts: [Layout] = [.row, .row, .rows, .rows, .circle, .triangle, .free, .free, .column]
    var layout = generator.pick(layouts)
    if count > 5, layout == .row || layout == .column { layout = .rows }
    if layout == .triangle, count < 3 || count > 6 { layout = .free }
    self.layout = layout
    guard var centers = layout.centers(count, distance: distance, using: &generator) else {
      return nil
    }
    let swaps = generator.chance(0.2) && layout != .row
    if swaps {
      let order = generator.permutation(count)
      centers = order.map { centers[$0] }
    }
    let radius = radius
    states = zip(machine.states, centers).map { state, center in
      State(
        name: state.name, isInitial: state.isInitial, isFinal: state.isFinal, center: center,
        radius: min(70, max(30, radius * exp(0.07 * generator.normal()))))
    }
    let edges = machine.edges(between: centers, distance: distance, using: &generator)
    let isFixed = machine.edges != nil
    let lines = edges.filter { $0.from != $0.to }
    for edge in lines {
      let isPair = lines.contains { $0.from == edge.to && $0.to == edge.from }
      if let path = route(edge, isPair: isPair, hand: hand, using: &generator) {
        arrows.append(
          Arrow(from: edge.from, to: edge.to, symbols: edge.symbols, path: path))
      } else if isFixed {
        return nil
      }
    }
    for edge in edges where edge.from == edge.to {
      if let path = loop(at: edge.from, using: &generator) {
        arrows.append(
          Arrow(from: edge.from, to: edge.to, symbols: edge.symbols, path: path))
      } else if isFixed {
        return nil
      }
    }
    for state in states.indices where states[state].isInitial {
      guard let marker = marker(at: state, using: &generator) else { return nil }
      markers.append(marker)
    }
    var index = 0
    while index < arrows.count {
      if placeLabel(of: index, hand: hand, using: &generator) {
        index += 1
      } else if isFixed {
        return nil
      } else {
        arrows.remove(at: index)
      }
    }
    guard !arrows.isEmpty, isConnected else { return nil }
    addRemarks(hand: hand, using: &generator)
  }

  /// Whether the arrows connect almost all states.
  private var isConnected: Bool {
    var reached: Set = [0]
    for _ in states.indices {
      for arrow in arrows {
        if reached.contains(arrow.from) { reached.insert(arrow.to) }
        if reached.contains(arrow.to) { reached.insert(arrow.from) }
      }
    }
    return reached.count >= states.count - (states.count > 4 ? 1 : 0)
  }
}

extension DiagramPlan.Layout {
  /// Returns the centres of `count` states about `distance` from their neighbours, or `nil` if they
  /// do not fit.
  func centers(
    _ count: Int, distance: Double, using generator: inout SeededGenerator
  ) -> [Point]? {
    let places: [Point]
    switch self {
    case .row: places = (0..<count).map { Point(Double($0), 0) }
    case .column: places = (0..<count).map { Point(0, Double($0)) }
    case .rows:
      let columns = max(2, Int((Double(count) / (count > 6 ? 3 : 2)).rounded(.up)))
      let shift = generator.chance(0.5) ? 0 : generator.uniform(-0.5...0.5)
      let turnsBack = generator.chance(0.3)
      places = (0..<count).map { index in
        let row = index / columns
        let column = turnsBack && row % 2 == 1 ? columns - 1 - index % columns : index % columns
        return Point(Double(column) + shift * Double(row % 2), Double(row) * 0.95)
      }
    case .circle:
      let circle = max(0.6, 0.5 / sin(.pi / Double(max(3, count))))
      let start = generator.uniform(-.pi ... .pi)
      places = (0..<count).map { index in
        let angle = start + 2 * .pi * Double(index) / Double(count)
        return Point(circle * cos(angle), circle * sin(angle))
      }
    case .triangle:
      let flip = generator.chance(0.5) ? 1.0 : -1
      places = [
        (0, 0), (-0.6, 1), (0.6, 1), (0, 2), (-1.2, 2), (1.2, 2),
      ].prefix(count).map { Point($0.0, flip * $0.1) }
    case .free:
      var chosen: [Point] = []
      let side = 0.9 * Double(count).squareRoot()
      for _ in 0..<400 where chosen.count < count {
        let place = Point(generator.uniform(0...1.3 * side), generator.uniform(0...0.9 * side))
        if chosen.allSatisfy({ $0.distance(to: place) > 0.8 }) { chosen.append(place) }
      }
      guard chosen.count == count else { return nil }
      places = chosen.sorted { $0.x < $1.x }
    }
    let shake = self == .free ? 0 : generator.uniform(0.02...0.1)
    let turn = Transform.rotation(0.06 * generator.normal())
      .then(.scale(x: distance, y: distance))
      .then(.translation(x: generator.uniform(200...1200), y: generator.uniform(200...900)))
    return places.map {
      turn.apply(to: Point($0.x + shake * generator.normal(), $0.y + shake * generator.normal()))
    }
  }
}

extension DiagramPlan {
  /// Returns a line from state to state that meets no other state, or `nil` if there is none.
  private func route(
    _ edge: DrawnMachine.Edge, isPair: Bool, hand: DiagramHand,
    using generator: inout SeededGenerator
  ) -> [Point]? {
    let (a, b) = (states[edge.from], states[edge.to])
    let span = a.center.distance(to: b.center)
    let gaps = (hand.gap(using: &generator) * radius, hand.gap(using: &generator) * radius)
    var sags: [Double]
    if isPair {
      // Both of a pair keep to the same side, so that they do not meet.
      let isParallel = hand.drawsPairsParallel
      let first = isParallel ? 0 : generator.uniform(0.12...0.28)
      sags = [first, 0.2, 0.3, 0.4]
    } else {
      let usual =
        generator.chance(hand.bowing) ? hand.side * generator.uniform(0.08...0.25) : 0
      sags = [usual, 0, 0.2, -0.2, 0.32, -0.32, 0.45, -0.45]
    }
    sags = sags.map { $0 + 0.012 * generator.normal() }
    let angle = atan2(b.center.y - a.center.y, b.center.x - a.center.x)
    for sag in sags {
      let shift = isPair && abs(sag) < 0.06 ? 0.35 * radius : 0
      let place = Transform.translation(x: 0.5, y: 0).then(.scale(x: span, y: span))
        .then(.translation(x: 0, y: shift)).then(.rotation(angle))
        .then(.translation(x: a.center.x, y: a.center.y))
      let whole = Stroke(Shape.bow(sag: sag).map(place.apply)).resampled(count: 160).points
      let path = whole.filter {
        $0.distance(to: a.center) > a.radius + gaps.0
          && $0.distance(to: b.center) > b.radius + gaps.1
      }
      guard path.count > 8, Stroke(path).length > 0.9 * radius else { continue }
      let isClear = states.indices.allSatisfy { other in
        other == edge.from || other == edge.to
          || path.allSatisfy {
            $0.distance(to: states[other].center) > states[other].radius * 1.12 + 4
          }
      }
      // Two lines may cross, but not run along each other.
      let runsAlong = arrows.contains { arrow in
        path.count { point in arrow.path.contains { $0.distance(to: point) < 0.22 * radius } }
          > path.count / 3
      }
      if isClear, !runsAlong { return path }
    }
    return nil
  }

  /// The directions in which lines meet a state.
  private func angles(at state: Int) -> [Double] {
    let center = states[state].center
    func angle(_ point: Point) -> Double { atan2(point.y - center.y, point.x - center.x) }
    return arrows.flatMap { arrow in
      (arrow.from == state ? [angle(arrow.path[0])] : [])
        + (arrow.to == state ? [angle(arrow.path[arrow.path.count - 1])] : [])
    } + markers.filter { $0.state == state }.map { angle($0.path[$0.path.count - 1]) }
  }

  /// Returns the smallest angle between `angle` and the lines at a state.
  private func room(_ angle: Double, at state: Int) -> Double {
    angles(at: state).map { abs(($0 - angle).remainder(dividingBy: 2 * .pi)) }.min() ?? .pi
  }

  /// Whether a line leaves enough space to all other states, lines and markers.
  private func isFree(_ path: [Point], except state: Int) -> Bool {
    let margin = 0.2 * radius
    for (index, other) in states.enumerated() where index != state {
      if path.contains(where: { $0.distance(to: other.center) < other.radius + margin }) {
        return false
      }
    }
    let lines = arrows.map(\.path) + markers.map(\.path)
    return !lines.contains { line in
      path.contains { point in line.contains { $0.distance(to: point) < margin } }
    }
  }

  /// Returns a self-loop where there is space, or `nil` if there is none.
  private func loop(at state: Int, using generator: inout SeededGenerator) -> [Point]? {
    let own = states[state]
    // Most people draw loops on top.
    let usual = generator.chance(0.5) ? -Double.pi / 2 : generator.uniform(-.pi ... .pi)
    for step in 0..<12 {
      let turn = Double((step + 1) / 2) * .pi / 6 * (step % 2 == 0 ? 1 : -1)
      let angle = usual + turn + 0.1 * generator.normal()
      let half = generator.uniform(0.25...0.6)
      guard room(angle, at: state) > half + 0.25 else { continue }
      let height = own.radius * generator.uniform(0.9...1.6)
      let spread = generator.uniform(0.1...0.55)
      let isClockwise = generator.chance(0.5) ? 1.0 : -1
      func at(_ angle: Double, _ distance: Double) -> Point {
        Point(own.center.x + distance * cos(angle), own.center.y + distance * sin(angle))
      }
      let gap = 0.04 * own.radius
      let (first, last) = (angle - isClockwise * half, angle + isClockwise * half)
      let start = at(first, own.radius + gap * generator.normal())
      let end = at(last, own.radius + gap + abs(gap * generator.normal()))
      func control(_ end: Point, _ side: Double) -> Point {
        let direction = angle + side * isClockwise * spread
        return Point(
          end.x + 1.3 * height * cos(direction), end.y + 1.3 * height * sin(direction))
      }
      let (c1, c2) = (control(start, -1), control(end, 1))
      let path = (0...60).map { step -> Point in
        let t = Double(step) / 60
        let u = 1 - t
        let (w0, w1, w2, w3) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        return Point(
          w0 * start.x + w1 * c1.x + w2 * c2.x + w3 * end.x,
          w0 * start.y + w1 * c1.y + w2 * c2.y + w3 * end.y)
      }
      if isFree(path, except: state) { return path }
    }
    return nil
  }

  /// Returns an initial marker where there is space, or `nil` if there is none.
  private func marker(at state: Int, using generator: inout SeededGenerator) -> Marker? {
    let own = states[state]
    let isTriangle = generator.chance(0.1)
    let usual = generator.chance(0.75) ? Double.pi : generator.uniform(-.pi ... .pi)
    for step in 0..<16 {
      let turn = Double((step + 1) / 2) * .pi / 8 * (step % 2 == 0 ? 1 : -1)
      let angle = usual + turn + 0.08 * generator.normal()
      guard room(angle, at: state) > 0.4 else { continue }
      let length = own.radius * (isTriangle ? 0.75 : generator.uniform(0.8...1.8))
      let gap = isTriangle ? 0 : 0.08 * own.radius * generator.uniform()
      let bend = 0.06 * generator.normal() * length
      let path = (0...20).map { step -> Point in
        let along = Double(step) / 20
        let distance = own.radius + gap + length * (1 - along)
        let side = bend * 4 * along * (1 - along)
        return Point(
          own.center.x + distance * cos(angle) - side * sin(angle),
          own.center.y + distance * sin(angle) + side * cos(angle))
      }
      if isFree(path, except: state) {
        return Marker(state: state, path: path, isTriangle: isTriangle)
      }
    }
    return nil
  }
}
