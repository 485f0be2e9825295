import Foundation
import Ink
import SeededRandom

extension LineComposer {
  /// Returns synthetic drawings that are no writing, for training beside `lines`.
  ///
  /// They are what else people draw on automata: arrows, self-loops, double and overdrawn rings, rings
  /// with an arrow, scribbles and long zigzags, all with the label `Recording.noWriting`. The attribute
  /// `kind` names the shape. Single rings and plain lines are not among them, because they look like
  /// `0` and `1`. Together they are `share` of all examples. Each belongs to a writer of `lines`, so
  /// that every part of data split by writer has its own.
  public func noWriting(beside lines: Dataset, share: Double) -> Dataset {
    let counts = lines.examples.reduce(into: [String: Int]()) { counts, example in
      if let hand = example.hand { counts[hand, default: 0] += 1 }
    }
    var examples: [Example] = []
    for (hand, count) in counts.sorted(by: { $0.key < $1.key }) {
      var fingerprint = Fingerprint()
      fingerprint.add(hand)
      let wanted = Int((Double(count) * share / (1 - share)).rounded())
      for index in 0..<wanted {
        var generator = SeededGenerator(
          seed: seed, stream: 0x11e7, fingerprint.value, UInt64(index))
        // Every drawing has its own habits: there are few writers, and many ways to scribble.
        let pen = Hand(using: &generator)
        var shape = Shape.noWriting(
          NoWriting.allCases[examples.count % NoWriting.allCases.count], pen, &generator)
        shape.place(pen, using: &generator)
        examples.append(
          Example(
            .drawing(HandMovement(pen).draw(shape, using: &generator)), label: Recording.noWriting,
            writer: hand, device: pen.device, source: "synthetic",
            attributes: ["kind": .text("no writing: \(shape.kind)")], origin: "drawn for \(hand)"))
      }
    }
    return Dataset(examples)
  }
}

/// A kind of drawing that is no writing.
enum NoWriting: String, CaseIterable {
  case scribble, arrow, zigzag
  case bentArrow = "bent arrow"
  case selfLoop = "self-loop"
  case overdrawnRing = "overdrawn ring"
  case doubleRing = "double ring"
  case initialState = "ring with arrow"
  case loopedState = "ring with self-loop"
  case transition = "two rings with arrow"
  case crossing = "crossing arrows"
  case back = "arrows there and back"
}

extension Shape {
  /// Returns a drawing that is no writing.
  fileprivate static func noWriting(
    _ kind: NoWriting, _ hand: Hand, _ generator: inout SeededGenerator
  ) -> Shape {
    var hand = hand
    // An arrow with a single barb looks like 1 or 7.
    if hand.head == .half { hand.head = .oneStroke }
    func ring(turns: Double = 1, drift: Double = 0) -> [Point] {
      arc(
        from: hand.startAngle + 0.15 * generator.normal(),
        sweep: 2 * .pi * turns + 0.12 * generator.normal(), isClockwise: hand.isClockwise,
        wobble: 0.04, drift: drift + 0.1 * generator.normal(), using: &generator)
    }
    func arrow(
      from start: Point = Point(-0.5, 0), to end: Point = Point(0.5, 0), sag: Double = 0
    ) -> [[[Point]]] {
      let length = start.distance(to: end)
      let place = Transform.scale(x: length, y: length)
        .then(.rotation(atan2(end.y - start.y, end.x - start.x)))
        .then(.translation(x: (start.x + end.x) / 2, y: (start.y + end.y) / 2))
      let line = bow(sag: sag + 0.02 * generator.normal())
      return withHead(line, length: 1, hand, using: &generator)
        .map { $0.map { $0.map(place.apply) } }
    }
    func moved(_ piece: [Point], scale: Double = 1, x: Double = 0, y: Double = 0) -> [Point] {
      piece.map { Point(scale * $0.x + x, scale * $0.y + y) }
    }
    func random(_ range: ClosedRange<Double>) -> Double { generator.uniform(range) }

    let strokes: [[[Point]]]
    switch kind {
    case .scribble: strokes = [[scribble(using: &generator)]]
    case .zigzag: strokes = [zigzag(count: 7 + generator.index(below: 12), using: &generator)]
    case .arrow: strokes = arrow()
    case .bentArrow: strokes = arrow(sag: random(0.1...0.4) * (generator.chance(0.5) ? 1 : -1))
    case .selfLoop: strokes = cycle(hand, using: &generator).strokes
    case .overdrawnRing:
      // No turn lies on the one before.
      let line = ring(
        turns: random(2...4), drift: random(0.4...0.9) * (generator.chance(0.5) ? 1 : -1))
      let (x, y) = (0.15 * generator.normal(), 0.15 * generator.normal())
      strokes = [
        [
          line.enumerated().map { index, point in
            let share = Double(index) / Double(line.count)
            return Point(point.x + share * x, point.y + share * y)
          }
        ]
      ]
    case .doubleRing:
      strokes = [
        [ring()],
        [moved(ring(), scale: random(0.7...0.9), x: random(-0.04...0.04), y: random(-0.04...0.04))],
      ]
    case .initialState:
      let length = random(0.4...1)
      strokes =
        [[ring()]] + arrow(from: Point(-0.5 - length, 0), to: Point(random(-0.55 ... -0.45), 0))
    case .loopedState:
      let loop = cycle(hand, using: &generator).strokes
      strokes =
        [[ring()]]
        + loop.map { $0.map { moved($0, scale: random(0.45...0.65), y: random(-0.8 ... -0.65)) } }
    case .transition:
      let distance = random(1.8...3)
      strokes =
        [[ring()], [moved(ring(), x: distance)]]
        + arrow(from: Point(0.52, 0), to: Point(distance - 0.52, 0), sag: random(-0.2...0.2))
    case .crossing:
      strokes =
        arrow(from: Point(-0.5, random(-0.4...0)), to: Point(0.5, random(0...0.4)))
        + arrow(from: Point(random(-0.4...0), 0.5), to: Point(random(0...0.4), -0.5))
    case .back:
      let distance = random(0.15...0.4)
      strokes =
        arrow(sag: random(0...0.2))
        + arrow(from: Point(0.5, distance), to: Point(-0.5, distance), sag: random(0...0.2))
    }
    // Letters stand upright, and drawings lie at any angle.
    return Shape(kind: kind.rawValue, strokes: strokes)
  }
}
