import Foundation
import Ink
import SeededRandom

/// Composes new drawings from parts of recorded ink.
///
/// For example, a self-loop is a ring with the head of an arrow. All parts of a drawing come from
/// one writer, who is also the writer of the drawing, so that splits by writer stay correct. The
/// labels follow the label policy (`datasets/LABELS.md`). The attribute `kind` names the kind of
/// composition.
public struct StrokeComposer: Sendable {
  /// The random seed.
  public let seed: UInt64

  /// Creates a composer with a random seed.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Returns `perWriter` drawings of each kind for each writer with the necessary parts.
  ///
  /// Rings come from drawings with the label `state`, shafts and heads from drawings with the label
  /// `transition`. Other drawings, and those of unknown writers, are not used.
  public func compose(from dataset: Dataset, perWriter: Int) -> Dataset {
    var pieces: [String: Pieces] = [:]
    var models: [String: Example] = [:]
    for example in dataset.examples {
      guard let hand = example.hand else { continue }
      pieces[hand, default: Pieces()].add(example)
      if models[hand] == nil { models[hand] = example }
    }
    var composed: [Example] = []
    for (number, hand) in pieces.keys.sorted().enumerated() {
      let own = pieces[hand]!
      for (kindNumber, kind) in Kind.allCases.enumerated() where own.suffice(for: kind) {
        for index in 0..<perWriter {
          var generator = SeededGenerator(
            seed: seed, stream: 0xc0b0, UInt64(number), UInt64(kindNumber), UInt64(index))
          var example = models[hand]!
          let made = kind.compose(from: own, using: &generator)
          example.content = .drawing(made.drawing)
          example.label = kind.label
          example.attributes = ["kind": .text("composed \(kind.rawValue)")]
          if let sag = made.sag { example.attributes["sag"] = .number((sag * 100).rounded() / 100) }
          example.origin = "composed from \(hand)"
          composed.append(example)
        }
      }
    }
    return Dataset(composed)
  }
}

extension StrokeComposer {
  /// A kind of composed drawing.
  enum Kind: String, CaseIterable {
    case ring = "ring that goes on"
    case openRing = "ring that does not close"
    case loop = "loop with head"
    case arch = "arch with head"
    case bentArrow = "bent arrow"
    case bentLine = "bent line"
    case openLoop = "open loop without head"
    case head = "lone head"

    var label: String {
      switch self {
      case .ring, .openRing: "state"
      case .loop, .arch: "cycle"
      case .bentArrow, .bentLine: "transition"
      case .openLoop, .head: "other"
      }
    }

    func compose(
      from pieces: Pieces, using generator: inout SeededGenerator
    ) -> (drawing: Drawing, sag: Double?) {
      switch self {
      case .ring:
        let closed = pieces.rings.filter { $0.chord < 0.1 * $0.length }
        let ring = generator.pick(closed.isEmpty ? pieces.rings : closed)
        return (Drawing([ring.goingOn(for: generator.uniform(0...0.3), using: &generator)]), nil)
      case .openRing:
        let share = generator.uniform(0.8...1)
        return (Drawing([generator.pick(pieces.rings).part(of: share, using: &generator)]), nil)
      case .loop:
        let ring = generator.pick(pieces.rings).squashed(using: &generator)
          .part(of: generator.uniform(0.6...1), using: &generator)
        // Writers draw the head of a loop at different angles.
        let turn = 0.35 * generator.normal()
        return (
          generator.pick(pieces.heads).attached(
            to: ring, reach: generator.uniform(0.18...0.5), turn: turn), nil
        )
      case .arch:
        let sag = exp(generator.uniform(log(0.5)...log(1.6)))
        let arch = generator.pick(pieces.shafts).bent(sag: sag, using: &generator)
        let turn = 0.3 * generator.normal()
        return (
          generator.pick(pieces.heads).attached(
            to: arch, reach: generator.uniform(0.2...0.55), turn: turn), sag
        )
      case .bentArrow:
        let sag = generator.uniform(0.05...0.35)
        let shaft = generator.pick(pieces.shafts).bent(sag: sag, using: &generator)
        return (
          generator.pick(pieces.heads).attached(
            to: shaft, reach: generator.uniform(0.15...0.5), turn: 0.15 * generator.normal()), sag
        )
      case .bentLine:
        let sag = generator.uniform(0.05...0.5)
        return (Drawing([generator.pick(pieces.shafts).bent(sag: sag, using: &generator)]), sag)
      case .openLoop:
        let share = generator.uniform(0.57...0.68)
        return (Drawing([generator.pick(pieces.rings).part(of: share, using: &generator)]), nil)
      case .head:
        let head = generator.pick(pieces.loneHeads)
        return (Drawing(head.strokes.map { Stroke($0.map { Point(100 * $0.x, 100 * $0.y) }) }), nil)
      }
    }
  }

  /// The parts of one writer's ink.
  struct Pieces {
    var rings: [Stroke] = []
    var shafts: [Stroke] = []
    var heads: [ArrowHead] = []

    /// The heads that are more than a line on their own.
    var loneHeads: [ArrowHead] {
      heads.filter { head in
        head.strokes.count > 1
          || Stroke(head.strokes[0].map { Point(100 * $0.x, 100 * $0.y) }).form != .line
      }
    }

    mutating func add(_ example: Example) {
      guard let drawing = example.content.drawing else { return }
      let strokes = drawing.strokes.filter { $0.form != .dot }
      switch example.label {
      case "state":
        if strokes.count == 1 { rings.append(strokes[0].withoutTimes) }
      case "transition":
        if strokes.count == 1, strokes[0].form == .line {
          shafts.append(strokes[0].withoutTimes)
        } else if let (shaft, head) = ArrowHead.takenOff(strokes) {
          shafts.append(shaft)
          heads.append(head)
        }
      default: break
      }
    }

    func suffice(for kind: Kind) -> Bool {
      switch kind {
      case .loop: !rings.isEmpty && !heads.isEmpty
      case .arch, .bentArrow: !shafts.isEmpty && !heads.isEmpty
      case .bentLine: !shafts.isEmpty
      case .ring, .openRing, .openLoop: !rings.isEmpty
      case .head: !loneHeads.isEmpty
      }
    }
  }
}

/// The head of an arrow, scaled to a reach of 1, with its tip at the origin and the shaft on the
/// left.
struct ArrowHead {
  var strokes: [[Point]]
  /// Whether it was drawn without lifting the pen after the shaft.
  var continues: Bool

  /// Returns the shaft and the head of an arrow, or `nil` if `strokes` are not an arrow.
  static func takenOff(_ strokes: [Stroke]) -> (shaft: Stroke, head: ArrowHead)? {
    guard !strokes.isEmpty else { return nil }
    let shaft: Stroke
    var rest: [Stroke]
    if strokes.count == 1 {
      let points = strokes[0].withoutTimes.points
      guard let tip = tipIndex(of: points) else { return nil }
      shaft = Stroke(Array(points[...tip]))
      rest = [Stroke(Array(points[tip...]))]
    } else {
      let longest = strokes.indices.max { strokes[$0].chord < strokes[$1].chord }!
      rest = strokes.indices.filter { $0 != longest }.map { strokes[$0].withoutTimes }
      let middle = Drawing(rest).bounds!.center
      let candidate = strokes[longest].withoutTimes
      let isAtStart =
        candidate.points[0].distance(to: middle)
        < candidate.points[candidate.points.count - 1].distance(to: middle)
      shaft = isAtStart ? candidate.reversed() : candidate
    }
    guard shaft.form == .line, let start = shaft.points.first, let tip = shaft.points.last,
      rest.count <= 3
    else { return nil }
    let angle = atan2(tip.y - start.y, tip.x - start.x)
    let reach = rest.flatMap(\.points).reduce(0) { max($0, $1.distance(to: tip)) }
    // A stroke that is farther away, or as long as the shaft, is not its head.
    guard reach > 0.08 * shaft.chord, reach < shaft.chord else { return nil }
    let place = Transform.translation(x: -tip.x, y: -tip.y).then(.rotation(-angle))
      .then(.scale(x: 1 / reach, y: 1 / reach))
    let head = rest.map { $0.points.map(place.apply) }
    // A head goes back on at least one side of the shaft.
    guard head.joined().contains(where: { $0.x < -0.2 && abs($0.y) > 0.15 }) else { return nil }
    return (shaft, ArrowHead(strokes: head, continues: strokes.count == 1))
  }

  /// Returns the index of the tip in a stroke that contains both shaft and head.
  private static func tipIndex(of points: [Point]) -> Int? {
    let distances = points.map { $0.distance(to: points[0]) }
    guard let furthest = distances.max(), furthest > 0 else { return nil }
    var tip = 0
    for index in points.indices {
      if distances[index] > distances[tip] { tip = index }
      // The pen has turned back if the distance has fallen by a twelfth of the maximum.
      if distances[tip] > 0.85 * furthest, distances[index] < distances[tip] - 0.08 * furthest {
        return tip
      }
    }
    return nil
  }

  /// `line` with this head at its end, `reach` times as long as the line is large, turned by `turn`
  /// radians against the direction in which the line ends.
  func attached(to line: Stroke, reach: Double, turn: Double) -> Drawing {
    let size = Drawing([line]).bounds!.longerSide
    let tip = line.points[line.points.count - 1]
    let back = line.reversed().shortened(by: 0.08 * line.length).points[0]
    let angle = atan2(tip.y - back.y, tip.x - back.x) + turn
    let place = Transform.scale(x: reach * size, y: reach * size).then(.rotation(angle))
      .then(.translation(x: tip.x, y: tip.y))
    let head = strokes.map { $0.map(place.apply) }
    return continues
      ? Drawing([Stroke(line.points + head.joined())]) : Drawing([line] + head.map(Stroke.init))
  }
}

extension Stroke {
  /// The stroke narrower along a random axis, as flat loops are.
  fileprivate func squashed(using generator: inout SeededGenerator) -> Stroke {
    let axis = generator.uniform(-.pi ... .pi)
    let narrow = exp(-generator.uniform() * generator.uniform())
    let transform = Transform.rotation(axis).then(.scale(x: 1, y: narrow)).then(.rotation(-axis))
    return Stroke(points.map(transform.apply))
  }

  /// A ring that goes on past its end for `share` of its length along its own start, drifting
  /// inwards or outwards.
  fileprivate func goingOn(for share: Double, using generator: inout SeededGenerator) -> Stroke {
    let more = reversed().shortened(by: (1 - share) * length).reversed().points
    guard let center = Drawing([self]).bounds?.center, let start = more.first, let end = points.last
    else { return self }
    let drift = 0.12 * generator.normal()
    let lead = more.enumerated().map { index, point -> Point in
      let along = Double(index) / Double(max(1, more.count - 1))
      // The jump from the end to the start is spread over the way.
      let jumpX = (end.x - start.x) * (1 - along)
      let jumpY = (end.y - start.y) * (1 - along)
      let scale = 1 + drift * along
      return Point(
        center.x + (point.x + jumpX - center.x) * scale,
        center.y + (point.y + jumpY - center.y) * scale)
    }
    return Stroke(points + lead.dropFirst())
  }

  /// A piece that is `share` of the length, cut off at both ends.
  fileprivate func part(of share: Double, using generator: inout SeededGenerator) -> Stroke {
    let missing = (1 - share) * length
    let first = missing * generator.uniform()
    return shortened(by: first).reversed().shortened(by: missing - first).reversed()
  }

  /// The stroke, about straight, bent to an arc of a circle whose greatest distance from the chord
  /// is `sag` times the chord, to a random side; deviations from the straight line stay.
  fileprivate func bent(sag: Double, using generator: inout SeededGenerator) -> Stroke {
    let first = points[0]
    let last = points[points.count - 1]
    let angle = atan2(last.y - first.y, last.x - first.x)
    let straighten = Transform.translation(x: -first.x, y: -first.y).then(.rotation(-angle))
      .then(.scale(x: 1 / chord, y: 1 / chord))
    // tan(θ/4) = 2 sag for an arc of angle θ over a chord of 1.
    let sweep = 4 * atan(2 * sag)
    let radius = 1 / (2 * sin(sweep / 2))
    let side = generator.chance(0.5) ? 1.0 : -1
    return Stroke(
      resampled(spacing: length / 64).points.map { point in
        let straight = straighten.apply(to: point)
        let turned = sweep * (straight.x - 0.5)
        let distance = radius - side * straight.y
        return Point(
          chord * distance * sin(turned), -side * chord * (distance * cos(turned)))
      })
  }
}
