import Foundation
import Ink
import InkImageIO
import SeededRandom

/// What the camera sees: a surface with ink, what lies on it, and light.
struct PageScene {
  /// A hole in the paper, perhaps with a wire of a spiral.
  struct Hole {
    var center: Vector
    var radius: Double
    var wireEnd: Vector?
  }

  /// An edge of the sheet: the sheet is where the distance along `normal` is below `offset`.
  private struct Edge {
    var normal: Vector
    var offset: Double
    var level: Float
  }

  /// A finger, from outside to its tip.
  private struct Finger {
    var start: Vector
    var tip: Vector
    var radius: Double
    var level: Float
  }

  /// How much of the paper's light the darkest lines of the paper take.
  static let lineDepth = 0.85

  let width: Int
  let height: Int
  private let surface: PageSurface
  private let scale: Double
  private let paper: Float
  private let ink: Float
  private let lineLevel: Float
  private var edges: [Edge] = []
  private var fingers: [Finger] = []
  var holes: [Hole] = []
  private var levels: [Float]

  init(
    width: Int, height: Int, surface: PageSurface, scale: Double, using dice: inout PageDice
  ) {
    (self.width, self.height, self.surface, self.scale) = (width, height, surface, scale)
    let paper: Double =
      switch surface {
      case .white: dice.generator.uniform(195...250)
      case .yellow: dice.generator.uniform(175...230)
      case .recycled: dice.generator.uniform(140...200)
      case .whiteboard: dice.generator.uniform(190...245)
      case .blackboard: dice.generator.uniform(25...85)
      case .tablet: dice.generator.chance(0.6) ? 255 : dice.generator.uniform(225...255)
      case .darkTablet: dice.generator.chance(0.4) ? 0 : dice.generator.uniform(0...60)
      case .screen: dice.generator.uniform(170...250)
      }
    var contrast = dice.number(.contrast)
    if surface.isExact { contrast = max(contrast, min(0.95, 0.35 + 0.6 * contrast)) }
    self.paper = Float(paper)
    ink = Float(surface.isDark ? paper + contrast * (255 - paper) : paper * (1 - contrast))
    lineLevel = Float(paper * (1 - Self.lineDepth))
    levels = [Float](repeating: Float(paper), count: width * height)
    guard !surface.isExact else { return }
    chooseCovers(using: &dice)
  }

  private mutating func chooseCovers(using dice: inout PageDice) {
    let (wide, high) = (Double(width), Double(height))
    let middle = Vector(wide / 2, high / 2)
    let level = Float(dice.generator.uniform(15...200))
    let first = dice.generator.index(below: 4)
    for side in 0..<dice.count(.sheetEdges) {
      let angle = Double((first + side) % 4) * .pi / 2 + 0.06 * dice.generator.normal()
      let half = (first + side) % 2 == 0 ? wide / 2 : high / 2
      let normal = Vector(angle: angle, length: 1)
      edges.append(
        Edge(
          normal: normal,
          offset: normal.dot(middle) + half * dice.generator.uniform(0.7...0.97), level: level))
    }
    for _ in 0..<dice.count(.fingers) {
      let angle = dice.generator.uniform(-.pi ... .pi)
      let start = middle + Vector(angle: angle, length: 0.85 * max(wide, high))
      let aim = angle + .pi + 0.4 * dice.generator.normal()
      let length = max(wide, high) * dice.generator.uniform(0.38...0.55)
      fingers.append(
        Finger(
          start: start, tip: start + Vector(angle: aim, length: length),
          radius: min(wide, high) * dice.generator.uniform(0.04...0.1),
          level: Float(dice.generator.uniform(90...210))))
    }
  }

  /// Whether something lies on the page.
  var hasCovers: Bool { !edges.isEmpty || !fingers.isEmpty || !holes.isEmpty }

  /// Returns whether something lies on a place, in px of the picture that is drawn.
  func isCovered(_ place: Vector) -> Bool {
    edges.contains { $0.normal.dot(place) > $0.offset }
      || fingers.contains { place.distance(toSegmentFrom: $0.start, to: $0.tip) < $0.radius }
      || holes.contains { $0.center.distance(to: place) < $0.radius }
  }

  // MARK: Composition

  /// Puts the ink on the surface, what covers it, and the light on both.
  mutating func develop(ink: CoverPlane, lines: CoverPlane, using dice: inout PageDice) {
    var levels = [Float](repeating: 0, count: width * height)
    let (paper, inkLevel, lineLevel) = (paper, self.ink, self.lineLevel)
    for index in levels.indices {
      let under = paper + (lineLevel - paper) * lines.values[index]
      levels[index] = under + (inkLevel - under) * ink.values[index]
    }
    self.levels = levels
    if surface == .recycled || surface == .blackboard { addGrain(using: &dice.generator) }
    guard !surface.isExact else { return }
    for hole in holes { cover(hole, using: &dice.generator) }
    for edge in edges { cover(edge, using: &dice.generator) }
    for finger in fingers { cover(finger) }
    for _ in 0..<dice.count(.folds) { addFold(using: &dice.generator) }
    addLight(using: &dice)
    if surface == .screen { addStripes(using: &dice.generator) }
  }

  /// Adds the fibres of recycled paper, or the chalk dust of a board.
  private mutating func addGrain(using generator: inout SeededGenerator) {
    let strength = Float(generator.uniform(2...7))
    var grain = [Float](repeating: 0, count: 64 * 64)
    for index in grain.indices { grain[index] = strength * Float(generator.uniform(-1...1)) }
    for row in 0..<height {
      for column in 0..<width {
        // Blocks of 2 × 2 px, whose repetition does not show.
        let place = (row / 2 * 37 + column / 2 * 11 + (row / 16) * (column / 16)) & 4095
        levels[row * width + column] += grain[place]
      }
    }
  }

  /// Changes the levels of the pixels of a rectangle; `change` gets their centres.
  private mutating func change(
    around low: Vector, _ high: Vector, _ change: (Vector, Float) -> Float
  ) {
    guard high.x >= 0, high.y >= 0, low.x < Double(width), low.y < Double(height) else { return }
    let width = width
    let rows = max(0, Int(low.y))...min(height - 1, Int(high.y))
    let columns = max(0, Int(low.x))...min(width - 1, Int(high.x))
    levels.withUnsafeMutableBufferPointer { levels in
      for row in rows {
        for column in columns {
          let index = row * width + column
          levels[index] = change(Vector(Double(column) + 0.5, Double(row) + 0.5), levels[index])
        }
      }
    }
  }

  private mutating func changeAll(_ change: (Vector, Float) -> Float) {
    self.change(around: Vector(0, 0), Vector(Double(width), Double(height)), change)
  }

  private mutating func cover(_ hole: Hole, using generator: inout SeededGenerator) {
    let level = Float(generator.uniform(15...90))
    let reach = Vector(hole.radius + 2, hole.radius + 2)
    change(around: hole.center - reach, hole.center + reach) { place, old in
      let inside = Float(max(0, min(1, hole.radius + 0.5 - place.distance(to: hole.center))))
      return old + (level - old) * inside
    }
    guard let end = hole.wireEnd else { return }
    let (radius, start) = (max(0.7, 0.35 * hole.radius), hole.center)
    let low = Vector(min(start.x, end.x) - 3, min(start.y, end.y) - 3)
    let high = Vector(max(start.x, end.x) + 3, max(start.y, end.y) + 3)
    change(around: low, high) { place, old in
      let distance = place.distance(toSegmentFrom: start, to: end)
      return old + (level - old) * Float(max(0, min(1, radius + 0.5 - distance)))
    }
  }

  private mutating func cover(_ edge: Edge, using generator: inout SeededGenerator) {
    let grain = generator.uniform(0.02...0.4)
    let amount = Float(generator.uniform(0...14))
    let (shade, softness) = (Float(generator.uniform(0...0.4)), generator.uniform(2...14))
    let direction = Vector(-edge.normal.y, edge.normal.x).turned(by: generator.uniform(-1...1))
    changeAll { place, old in
      let outside = edge.normal.dot(place) - edge.offset
      guard outside > -1 else { return old }
      // Wood, and the shadow of the sheet on it.
      let table =
        edge.level + amount * Float(sin(direction.dot(place) * grain))
        - edge.level * shade * Float(max(0, 1 - outside / softness))
      return old + (table - old) * Float(max(0, min(1, outside + 0.5)))
    }
  }

  private mutating func cover(_ finger: Finger) {
    let reach = finger.radius + 8
    let low = Vector(
      min(finger.start.x, finger.tip.x) - reach, min(finger.start.y, finger.tip.y) - reach)
    let high = Vector(
      max(finger.start.x, finger.tip.x) + reach, max(finger.start.y, finger.tip.y) + reach)
    change(around: low, high) { place, old in
      let distance = place.distance(toSegmentFrom: finger.start, to: finger.tip)
      let inside = Float(max(0, min(1, finger.radius + 0.5 - distance)))
      // Round, with a soft shadow on the paper.
      let share = Float(min(1, distance / finger.radius))
      let skin = finger.level * (1 - 0.35 * share * share)
      let shaded = old * (1 - 0.3 * Float(max(0, 1 - (distance - finger.radius) / 8)))
      return shaded + (skin - shaded) * inside
    }
  }

  private mutating func addFold(using generator: inout SeededGenerator) {
    let normal = Vector(angle: generator.uniform(0...Double.pi), length: 1)
    let middle = Vector(Double(width) / 2, Double(height) / 2)
    let offset = normal.dot(middle) + generator.uniform(-0.3...0.3) * Double(min(width, height))
    let reach = generator.uniform(3...20)
    let strength = Float(generator.uniform(0.03...0.2)) * (generator.chance(0.5) ? 1 : -1)
    changeAll { place, old in
      let distance = normal.dot(place) - offset
      guard abs(distance) < reach else { return old }
      let share = Float(1 - abs(distance) / reach)
      return old * (1 + strength * share * (distance < 0 ? 1 : -0.7))
    }
  }

  private mutating func addLight(using dice: inout PageDice) {
    let dimmest = dice.number(.dimmestLight)
    let direction = Vector(angle: dice.generator.uniform(0...2 * Double.pi), length: 1)
    let bend = dice.generator.uniform(-0.4...0.4)
    let shadow = dice.happens(.shadow) ? dice.generator.uniform(0.45...0.85) : 1
    let shadowNormal = Vector(angle: dice.generator.uniform(0...2 * Double.pi), length: 1)
    let (shadowEdge, softness) = (
      dice.generator.uniform(-0.35...0.35), dice.generator.uniform(0.01...0.12)
    )
    let isReflected = dice.happens(.reflection)
    let lamp = Vector(dice.generator.uniform(-0.5...0.5), dice.generator.uniform(-0.5...0.5))
    let (lampSize, lampLight) = (
      dice.generator.uniform(0.05...0.3), Float(dice.generator.uniform(40...160))
    )
    let size = Vector(1 / Double(width), 1 / Double(height))
    changeAll { place, old in
      let (x, y) = (place.x * size.x - 0.5, place.y * size.y - 0.5)
      let slope = 0.5 + 0.7 * (x * direction.x + y * direction.y) + bend * (x * x + y * y)
      var light = 1 - (1 - dimmest) * slope
      if shadow < 1 {
        let inside = (x * shadowNormal.x + y * shadowNormal.y - shadowEdge) / softness
        let share = max(0, min(1, inside + 0.5))
        light *= shadow + (1 - shadow) * share * share * (3 - 2 * share)
      }
      var level = old * Float(light)
      if isReflected {
        let (dx, dy) = (x - lamp.x, y - lamp.y)
        let share = Float(max(0, 1 - (dx * dx + dy * dy) / (lampSize * lampSize)))
        level += lampLight * share * share
      }
      return level
    }
  }

  /// Adds the stripes of a photographed screen.
  private mutating func addStripes(using generator: inout SeededGenerator) {
    let strength = Float(generator.uniform(2...9))
    let across = Vector(angle: generator.uniform(0...Double.pi), length: generator.uniform(0.2...2))
    let down = Vector(angle: generator.uniform(0...Double.pi), length: generator.uniform(0.2...2))
    changeAll { place, old in
      old + strength * Float(sin(across.dot(place)) + sin(down.dot(place)))
    }
  }

  // MARK: Camera

  /// Returns the picture with noise, compressed as a JPEG of a quality.
  func photograph(quality: Int?, using dice: inout PageDice) -> Photograph {
    let noise = surface.isExact ? 0 : Float(dice.number(.noise))
    // The sum of four bytes is nearly normal, with a deviation of 148.
    let scale = noise / 148
    var bits: UInt64 = 0
    var samples = [UInt8](repeating: 0, count: width * height)
    for index in samples.indices {
      var level = levels[index]
      if noise > 0 {
        if index % 2 == 0 { bits = dice.generator.next() }
        let sum = (bits & 0xFF) + (bits >> 8 & 0xFF) + (bits >> 16 & 0xFF) + (bits >> 24 & 0xFF)
        bits >>= 32
        level += scale * (Float(sum) - 510)
      }
      samples[index] = UInt8(max(0, min(255, level + 0.5)))
    }
    let plain = Photograph(width: width, height: height, channels: 1, samples: samples)
    guard let quality, let data = try? JPEG.encode(plain, quality: quality),
      let compressed = try? JPEG.decode(data, path: "")
    else { return plain }
    return compressed
  }
}
