import Foundation
import Ink
import SeededRandom

extension PageDraft {
  /// So many states fill a page.
  private static let mostStates = 50.0

  /// Chooses places and sizes of states; a large automaton goes on outside the page.
  ///
  /// Without `wanted`, the page decides how many there are.
  mutating func placeStates(in region: Region, count wanted: Int? = nil) {
    let wide = habits.radius * habits.aspect.squareRoot()
    let high = habits.radius / habits.aspect.squareRoot()
    let space = 2 * habits.radius * habits.spacing
    let pitch = Vector(2 * wide + space, 2 * high + space)
    let most = (region.width + wide) / pitch.x * ((region.height + high) / pitch.y) * 1.2
    let least = min(Self.mostStates, dice.number(.fullness) * most)
    let count = wanted ?? max(1, min(max(dice.count(.stateCount), Int(least)), Int(most)))
    let layout: PageLayout = dice.choose(.layout)
    let shake = dice.generator.uniform(0.02...0.15)
    let places = layout.places(count, region: region, pitch: pitch, using: &dice.generator).map {
      Vector(
        ($0.x + shake * dice.generator.normal()) * pitch.x,
        ($0.y + shake * dice.generator.normal()) * pitch.y)
    }
    func shift(_ values: [Double], start: Double, length: Double, reach: Double) -> Double {
      let (low, high) = (values.min()! - reach, values.max()! + reach)
      // What is smaller than the page lies inside it, and of what is larger a part is seen.
      let (a, b) = (start - low, start + length - high)
      return dice.generator.uniform(min(a, b)...max(a, b))
    }
    let move = Vector(
      shift(places.map(\.x), start: region.left, length: region.width, reach: wide * 1.15),
      shift(places.map(\.y), start: region.top, length: region.height, reach: high * 1.15))
    let dot = dice.generator.uniform(0.12...0.3)
    for place in places {
      let size = exp(habits.scatter * dice.generator.uniform(-1...1)) * (habits.areDots ? dot : 1)
      let stretch = exp(0.5 * habits.scatter * dice.generator.uniform(-1...1))
      let oval = Oval(
        center: place + move,
        halfWidth: (habits.areDots ? habits.radius : wide) * size * stretch,
        halfHeight: (habits.areDots ? habits.radius : high) * size / stretch,
        angle: habits.angle + 0.03 * dice.generator.normal(),
        exponent: habits.areDots ? 2 : habits.exponent)
      let touches = ovals.contains { other in
        abs(other.center.x - oval.center.x) < (other.halfWidth + oval.halfWidth) * 1.04
          && abs(other.center.y - oval.center.y) < (other.halfHeight + oval.halfHeight) * 1.04
      }
      guard !touches else { continue }
      ovals.append(oval)
      page.states.append(
        Page.State(
          center: oval.center, halfWidth: oval.halfWidth, halfHeight: oval.halfHeight,
          angle: oval.angle, isFinal: false, isInitial: false))
    }
  }

  /// Draws the rings of a state and what is in it.
  mutating func drawState(_ index: Int) {
    let element = Page.Element.state(index)
    drawOutline(index)
    let inside = dice.happens(.finalState) ? drawInnerRing(index) : ovals[index]
    if habits.hasNamesOutside {
      guard let name = name() else { return }
      writeBeside(ovals[index], name, element)
    } else {
      fill(inside, element)
    }
  }

  /// Draws the ring of a state, or its dot.
  mutating func drawOutline(_ index: Int) {
    let oval = ovals[index]
    let element = Page.Element.state(index)
    if habits.areDots {
      let rim = (0...16).map { oval.point(2 * .pi * Double($0) / 16) }
      ink(rim, .ring, element, isFilled: true)
    } else {
      if dice.happens(.filledState) {
        let rim = (0...32).map { oval.point(2 * .pi * Double($0) / 32) }
        ink(rim, .nothing, element, isFilled: true, lightness: dice.generator.uniform(0.6...0.9))
      }
      drawRing(oval, element)
    }
  }

  /// Draws the second ring of a final state, and returns the oval inside.
  mutating func drawInnerRing(_ index: Int) -> Oval {
    let oval = ovals[index]
    page.states[index].isFinal = true
    let scale = habits.areDots ? 1.8 : habits.innerRing * dice.generator.uniform(0.96...1.04)
    var inner = oval.scaled(by: scale)
    inner.center =
      oval.center
      + Vector(
        angle: dice.generator.uniform(-.pi ... .pi),
        length: dice.number(.innerShift) * oval.radius)
    let first = page.strokes.count
    drawRing(inner, .state(index))
    page.states[index].innerRing = first..<page.strokes.count
    return habits.areDots ? oval : inner
  }

  /// Draws a ring in one or more strokes.
  mutating func drawRing(_ oval: Oval, _ element: Page.Element) {
    let form: RingForm = dice.choose(.ringForm)
    let isBox = !oval.exponent.isFinite
    if let shapes, form == .whole, !isBox {
      let ring = shapes.ring(oval, using: &dice.generator)
      ink(wobbling(ring, by: 0.3 * habits.tremor), .ring, element)
      return
    }
    let start = isBox ? Double.pi / 4 : dice.generator.uniform(-.pi ... .pi)
    let side = dice.generator.chance(0.7) ? -1.0 : 1
    func arc(_ from: Double, _ turn: Double) -> [Vector] {
      let drift = dice.number(.ringDrift) * (isBox ? 0.3 : 1)
      let around = 3.2 * (oval.halfWidth + oval.halfHeight) * abs(turn) / (2 * .pi)
      let count = max(12, min(72, Int(around / 5)))
      let path = (0...count).map { step -> Vector in
        let share = Double(step) / Double(count)
        let place = oval.point(from + side * turn * share)
        return oval.center + (place - oval.center) * (1 + drift * (share - 0.5))
      }
      return wobbling(path, by: habits.tremor)
    }
    switch form {
    case .whole:
      ink(arc(start, 2 * .pi * (1 + dice.number(.ringOvershoot))), .ring, element)
    case .open:
      ink(arc(start, 2 * .pi * (1 - dice.number(.ringGap))), .ring, element)
    case .retraced:
      ink(arc(start, 2 * .pi * (1 + dice.number(.ringOvershoot))), .ring, element)
      ink(arc(start + dice.generator.uniform(0...6), 2 * .pi * 0.98), .ring, element)
    case .twoArcs:
      let share = dice.generator.uniform(0.35...0.65)
      let miss = dice.generator.uniform(-0.06...0.06)
      ink(arc(start, 2 * .pi * (share + miss)), .ring, element)
      ink(arc(start + side * 2 * .pi * share, 2 * .pi * (1 - share - miss)), .ring, element)
    }
  }
}

extension PageLayout {
  /// Returns places in units of the distance between neighbours.
  fileprivate func places(
    _ count: Int, region: Region, pitch: Vector, using generator: inout SeededGenerator
  ) -> [Vector] {
    switch self {
    case .row: return (0..<count).map { Vector(Double($0), 0) }
    case .column: return (0..<count).map { Vector(0, Double($0)) }
    case .rows:
      let ratio = region.width / pitch.x / max(0.1, region.height / pitch.y)
      let columns = max(1, min(count, Int((Double(count) * ratio).squareRoot().rounded(.up))))
      let shift = generator.chance(0.6) ? 0 : generator.uniform(-0.5...0.5)
      return (0..<count).map { index in
        let row = index / columns
        return Vector(Double(index % columns) + shift * Double(row % 2), Double(row))
      }
    case .circle:
      let radius = count < 2 ? 0 : max(0.6, 0.5 / sin(.pi / Double(max(3, count))))
      let start = generator.uniform(-.pi ... .pi)
      return (0..<count).map {
        Vector(angle: start + 2 * .pi * Double($0) / Double(count), length: radius)
      }
    case .fan:
      // A first state, several chains, and a last state.
      let chains = max(1, min(6, count / 2))
      let flip = generator.chance(0.4)
      return (0..<count).map { index in
        let middle = Double(chains - 1) / 2
        let place =
          index == 0
          ? Vector(0, middle)
          : Vector(Double((index - 1) / chains + 1), Double((index - 1) % chains))
        return flip ? Vector(place.y, place.x) : place
      }
    case .free:
      let side = Double(count).squareRoot()
      var chosen: [Vector] = []
      for _ in 0..<30 * count where chosen.count < count {
        let place = Vector(generator.uniform(0...1.5 * side), generator.uniform(0...1.2 * side))
        if chosen.allSatisfy({ max(abs($0.x - place.x), abs($0.y - place.y)) > 0.9 }) {
          chosen.append(place)
        }
      }
      return chosen.isEmpty ? [Vector(0, 0)] : chosen.sorted { $0.x < $1.x }
    }
  }
}
