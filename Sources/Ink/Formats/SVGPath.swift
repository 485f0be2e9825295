import Foundation

/// Draws lines and curves as pieces of short lines.
struct SVGPen {
  /// The points of each piece, in canvas points.
  private(set) var pieces: [[Vector]] = []
  /// The current point and the start of the piece, in user units.
  private(set) var position = Vector(0, 0)
  private(set) var start = Vector(0, 0)
  private(set) var pointCount = 0

  private let transform: Transform
  /// A piece begins with the next line.
  private var isNew = true

  /// The maximum number of points of a file; a curve of few bytes has many.
  static let maximumPoints = 1_000_000
  /// The lengths of lines that replace a curve, in canvas points.
  private static let step = 4.0

  init(transform: Transform) { self.transform = transform }

  mutating func move(to point: Vector) {
    (position, start, isNew) = (point, point, true)
  }

  mutating func line(to point: Vector) {
    begin()
    append(point)
    position = point
  }

  mutating func close() {
    if !isNew, position != start { line(to: start) }
    move(to: start)
  }

  /// A piece of a single point: the pen touched the paper.
  mutating func dot() { begin() }

  mutating func cubic(_ one: Vector, _ two: Vector, to end: Vector) {
    begin()
    let begin = position
    let count = steps((one - begin).length + (two - one).length + (end - two).length)
    for index in 1...count {
      let t = Double(index) / Double(count)
      let s = 1 - t
      append(
        begin * (s * s * s) + one * (3 * s * s * t) + two * (3 * s * t * t) + end * (t * t * t))
    }
    position = end
  }

  /// An arc of an ellipse whose axes are turned by `tilt`, to `end`; angles are in radians.
  mutating func arc(
    center: Vector, radii: Vector, tilt: Double, from first: Double, by sweep: Double,
    to end: Vector
  ) {
    begin()
    let count = max(
      Int((abs(sweep) / (.pi / 16)).rounded(.up)), steps(abs(sweep) * max(radii.x, radii.y)))
    for index in 1..<count {
      let angle = first + sweep * Double(index) / Double(count)
      append(center + Vector(radii.x * cos(angle), radii.y * sin(angle)).turned(by: tilt))
    }
    append(end)
    position = end
  }

  /// The number of lines for a curve of a length in user units.
  private func steps(_ length: Double) -> Int {
    let count = length * transform.scale / Self.step
    return count.isFinite ? Int(min(max(count.rounded(.up), 8), 64)) : 8
  }

  private mutating func begin() {
    guard isNew else { return }
    isNew = false
    pieces.append([])
    append(position)
  }

  private mutating func append(_ point: Vector) {
    pieces[pieces.count - 1].append(transform.apply(to: point))
    pointCount += 1
  }
}

/// The numbers in attributes of SVG, which need no space where a sign or a dot separates them.
struct SVGNumbers {
  private let bytes: [UInt8]
  private(set) var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index == bytes.count }

  /// All numbers of a list, or `nil` if it has anything else.
  static func list(_ text: String) -> [Double]? {
    var numbers = SVGNumbers(text)
    var list: [Double] = []
    numbers.skipSeparators()
    while !numbers.isAtEnd {
      guard let number = numbers.number() else { return nil }
      list.append(number)
      numbers.skipSeparators()
    }
    return list
  }

  mutating func skipSeparators() {
    while index < bytes.count, bytes[index] <= 0x20 || bytes[index] == UInt8(ascii: ",") {
      index += 1
    }
  }

  /// The next character, for errors.
  var next: String {
    isAtEnd ? "the end" : "`\(String(decoding: bytes[index...].prefix(12), as: UTF8.self))`"
  }

  /// Reads a letter, if one is next.
  mutating func letter() -> Character? {
    guard index < bytes.count, (0x61...0x7A).contains(bytes[index] | 0x20) else { return nil }
    defer { index += 1 }
    return Character(Unicode.Scalar(bytes[index]))
  }

  /// Reads `0` or `1`, which need nothing after them in arcs.
  mutating func flag() -> Bool? {
    guard index < bytes.count, [UInt8(ascii: "0"), UInt8(ascii: "1")].contains(bytes[index]) else {
      return nil
    }
    defer { index += 1 }
    return bytes[index] == UInt8(ascii: "1")
  }

  /// Whether a number is next.
  var isAtNumber: Bool {
    guard index < bytes.count else { return false }
    return (0x30...0x39).contains(bytes[index]) || "+-.".utf8.contains(bytes[index])
  }

  mutating func number() -> Double? {
    let start = index
    func skipDigits(_ index: inout Int) {
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
    }
    if index < bytes.count, "+-".utf8.contains(bytes[index]) { index += 1 }
    skipDigits(&index)
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      skipDigits(&index)
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      var end = index + 1
      if end < bytes.count, "+-".utf8.contains(bytes[end]) { end += 1 }
      let digits = end
      skipDigits(&end)
      if end > digits { index = end }
    }
    guard let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)),
      value.isFinite
    else {
      index = start
      return nil
    }
    return value
  }
}

/// The lists of transforms of SVG.
enum SVGTransform {
  /// Returns the transform in `text`, or `nil` if it is none.
  static func parse(_ text: String) -> Transform? {
    var result = Transform.identity
    var rest = text[...]
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "," }
      if rest.isEmpty { return result }
      guard let open = rest.firstIndex(of: "("), let close = rest.firstIndex(of: ")"), open < close
      else { return nil }
      let name = rest[..<open].trimmingCharacters(in: .whitespaces)
      // The style property has units.
      let inner = String(rest[rest.index(after: open)..<close])
        .replacing("px", with: "").replacing("deg", with: "")
      guard let numbers = SVGNumbers.list(inner), let step = transform(name, numbers) else {
        return nil
      }
      result = step.then(result)
      rest = rest[rest.index(after: close)...]
    }
  }

  private static func transform(_ name: String, _ numbers: [Double]) -> Transform? {
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    switch (name, numbers.count) {
    case ("matrix", 6):
      return Transform(
        a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4],
        ty: numbers[5])
    case ("translate", 1...2):
      return .translation(x: numbers[0], y: numbers.count > 1 ? numbers[1] : 0)
    case ("scale", 1...2):
      return .scale(x: numbers[0], y: numbers[numbers.count - 1])
    case ("rotate", 1): return .rotation(radians(numbers[0]))
    case ("rotate", 3):
      return .rotation(radians(numbers[0])).about(Point(numbers[1], numbers[2]))
    case ("skewX", 1): return Transform(c: tan(radians(numbers[0])))
    case ("skewY", 1): return Transform(b: tan(radians(numbers[0])))
    default: return nil
    }
  }
}

/// The commands of a path.
struct SVGPathData {
  /// What is wrong with the commands.
  struct Malformed: Error {
    var expected: String
    var found: String
  }

  private var numbers: SVGNumbers
  private var pen: SVGPen
  /// The control point before a curve that continues another one smoothly.
  private var control: Vector?
  private var lastCommand: Character = " "

  init(_ text: String) {
    numbers = SVGNumbers(text)
    pen = SVGPen(transform: .identity)
  }

  /// Draws the path with `pen`, at most `room` points.
  mutating func draw(with other: inout SVGPen, room: Int) throws(Malformed) {
    pen = other
    defer { other = pen }
    var command: Character?
    numbers.skipSeparators()
    while !numbers.isAtEnd {
      if let letter = numbers.letter() {
        guard "MmLlHhVvCcSsQqTtAaZz".contains(letter), command != nil || "Mm".contains(letter)
        else {
          throw Malformed(
            expected: command == nil
              ? "a path that begins with M" : "a command of M, L, H, V, C, S, Q, T, A and Z",
            found: "`\(letter)`")
        }
        command = letter
      } else {
        // Numbers after those of a command repeat it; after a move they are lines.
        guard let last = command, !"Zz".contains(last), numbers.isAtNumber else {
          throw Malformed(expected: "a command of a path", found: numbers.next)
        }
        command = last == "M" ? "L" : last == "m" ? "l" : last
      }
      try run(command!)
      guard pen.pointCount <= room else {
        throw Malformed(expected: "at most \(SVGPen.maximumPoints) points", found: "more")
      }
      numbers.skipSeparators()
    }
    // A path that only moves draws a dot where its caps are round, as pens do.
    if pen.pieces.isEmpty, "Zz".contains(lastCommand) { pen.dot() }
  }

  private mutating func value() throws(Malformed) -> Double {
    numbers.skipSeparators()
    guard let value = numbers.number() else {
      throw Malformed(expected: "a finite number", found: numbers.next)
    }
    return value
  }

  private mutating func flag() throws(Malformed) -> Bool {
    numbers.skipSeparators()
    guard let flag = numbers.flag() else {
      throw Malformed(expected: "0 or 1 as a flag of an arc", found: numbers.next)
    }
    return flag
  }

  private mutating func point(_ origin: Vector) throws(Malformed) -> Vector {
    let x = try value()
    return origin + Vector(x, try value())
  }

  private mutating func run(_ command: Character) throws(Malformed) {
    let isRelative = command.isLowercase
    let here = pen.position
    let origin = isRelative ? here : Vector(0, 0)
    let mirrored = control.map { here * 2 - $0 } ?? here
    let previous = lastCommand
    control = nil
    lastCommand = Character(command.uppercased())
    switch lastCommand {
    case "M": pen.move(to: try point(origin))
    case "L": pen.line(to: try point(origin))
    case "H": pen.line(to: Vector(origin.x + (try value()), here.y))
    case "V": pen.line(to: Vector(here.x, origin.y + (try value())))
    case "C", "S":
      let isSmooth = lastCommand == "S"
      let one =
        isSmooth ? ("CS".contains(previous) ? mirrored : here) : try point(origin)
      let two = try point(origin)
      pen.cubic(one, two, to: try point(origin))
      control = two
    case "Q", "T":
      let isSmooth = lastCommand == "T"
      let middle =
        isSmooth ? ("QT".contains(previous) ? mirrored : here) : try point(origin)
      let end = try point(origin)
      // A quadratic curve as a cubic one.
      pen.cubic(here + (middle - here) * (2 / 3), end + (middle - end) * (2 / 3), to: end)
      control = middle
    case "A":
      let radii = Vector(abs(try value()), abs(try value()))
      let tilt = try value() * .pi / 180
      let (isLarge, isClockwise) = (try flag(), try flag())
      arc(radii, tilt, isLarge, isClockwise, to: try point(origin))
    default: pen.close()
    }
  }

  /// Draws an arc to `end` (SVG, section B.2.4: from the ends to the centre).
  private mutating func arc(
    _ radii: Vector, _ tilt: Double, _ isLarge: Bool, _ isClockwise: Bool, to end: Vector
  ) {
    let start = pen.position
    guard start != end else { return }
    guard radii.x > 0, radii.y > 0 else { return pen.line(to: end) }
    let half = ((start - end) * 0.5).turned(by: -tilt)
    let (x, y) = (half.x, half.y)
    var (rx, ry) = (radii.x, radii.y)
    let excess = x * x / (rx * rx) + y * y / (ry * ry)
    if excess > 1 { (rx, ry) = (rx * excess.squareRoot(), ry * excess.squareRoot()) }
    let product = rx * rx * y * y + ry * ry * x * x
    let root = max(0, (rx * rx * ry * ry - product) / product).squareRoot()
    let factor = isLarge == isClockwise ? -root : root
    let (cx, cy) = (factor * rx * y / ry, -factor * ry * x / rx)
    let center = start.middle(to: end) + Vector(cx, cy).turned(by: tilt)
    let first = atan2((y - cy) / ry, (x - cx) / rx)
    var sweep = atan2((-y - cy) / ry, (-x - cx) / rx) - first
    if isClockwise, sweep < 0 { sweep += 2 * .pi }
    if !isClockwise, sweep > 0 { sweep -= 2 * .pi }
    guard center.isFinite, sweep.isFinite else { return pen.line(to: end) }
    pen.arc(
      center: center, radii: Vector(rx, ry), tilt: tilt, from: first, by: sweep, to: end)
  }
}
