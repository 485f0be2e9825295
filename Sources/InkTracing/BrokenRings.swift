import Foundation
import Ink

/// Makes rings whole whose lines were taken apart by what touches them.
///
/// Where the head of an arrow meets the ring of a state, the line of the ring may go on in the head. A curve
/// through an arc is compared with all ink around it: if ink follows it nearly all the way round, that ink is
/// one ring, and what leaves it are lines of their own.
struct BrokenRings {
  /// A place on a line.
  private struct Sample {
    var point: Point
    /// The direction of the line, of length 1.
    var direction: Point
    var line: Int
    /// The index of the point in its line.
    var index: Int
  }

  /// A curve that ink follows.
  private struct Candidate {
    var curve: RingCurve
    /// The samples that follow it.
    var samples: [Int]
    /// The share of its directions with ink.
    var coverage: Double
    /// How far the ink is from the curve, as a share of the radius.
    var deviation: Double
    /// How much the radius has four maxima in a turn, as that of a box has, as a share of the radius.
    var squareness: Double

    var score: Double { coverage - 2 * deviation }
  }

  private let penWidth: Double
  private let lines: [TracedLine]
  private var samples: [Sample] = []
  /// The number of samples of each line.
  private var sampleCounts: [Int]
  private var cells: [Cell: [Int]] = [:]
  private let cellSide: Double

  private struct Cell: Hashable {
    var x: Int
    var y: Int
  }

  /// The distance of samples, in pixels.
  private static let spacing = 2.0
  /// The number of directions in which ink is looked for.
  private static let directions = 48
  /// The least radius of a ring, in widths of the pen: smaller ones are letters.
  private static let minimumRadius = 5.0
  /// The share of the directions in which a ring has ink.
  private static let minimumCoverage = 0.82
  /// The share of the directions in which it has ink that is in no better ring, and if that is the other ring
  /// of a final state, which may share its way.
  private static let (minimumOwn, minimumOfPair) = (0.8, 0.5)
  /// The least area of a closed line that is round, as a share of that of a circle with the same perimeter.
  private static let minimumArea = 0.7
  /// The greatest mean distance of the ink from the curve, as a share of the radius.
  private static let greatestDeviation = 0.05
  /// The greatest squareness of a ring.
  private static let greatestSquareness = 0.035
  /// The cosine of the angle between the ink and the curve, at least.
  private static let minimumAlignment = 0.8
  /// The number of parts of lines that make up a ring at most.
  private static let maximumParts = 5
  /// How far ink may be from the curve while it is fitted, as shares of the radius.
  private static let reaches = [0.3, 0.2, 0.15]

  /// Returns `lines` with whole rings.
  static func mended(_ lines: [TracedLine], penWidth: Double) -> [TracedLine] {
    BrokenRings(lines: lines, penWidth: penWidth).mended()
  }

  private init(lines: [TracedLine], penWidth: Double) {
    (self.lines, self.penWidth) = (lines, penWidth)
    cellSide = 6 * penWidth
    sampleCounts = [Int](repeating: 0, count: lines.count)
    for (number, line) in lines.enumerated() where line.points.count > 4 {
      let reach = Int(penWidth) + 3
      var next = 0.0
      var length = 0.0
      for index in line.points.indices {
        if index > 0 { length += line.points[index].distance(to: line.points[index - 1]) }
        guard length >= next else { continue }
        next = length + Self.spacing
        let before = line.points[max(0, index - reach)]
        let after = line.points[min(line.points.count - 1, index + reach)]
        let distance = before.distance(to: after)
        guard distance > 0 else { continue }
        let sample = Sample(
          point: line.points[index],
          direction: Point((after.x - before.x) / distance, (after.y - before.y) / distance),
          line: number, index: index)
        cells[cell(sample.point), default: []].append(samples.count)
        samples.append(sample)
        sampleCounts[number] += 1
      }
    }
  }

  private func cell(_ point: Point) -> Cell {
    Cell(x: Int((point.x / cellSide).rounded(.down)), y: Int((point.y / cellSide).rounded(.down)))
  }

  // MARK: Candidates

  /// Returns circles through arcs.
  private func seeds() -> [RingCurve] {
    var seeds: [RingCurve] = []
    var seen: Set<[Int]> = []
    var start = 0
    while start < samples.count {
      var end = start
      while end < samples.count, samples[end].line == samples[start].line { end += 1 }
      var count = max(8, Int(Self.minimumRadius * penWidth / Self.spacing))
      while count <= end - start {
        var first = start
        while first + count <= end {
          if let circle = circle(first..<first + count) {
            let unit = 0.2 * circle.radius
            let key = [
              Int(circle.center.x / unit), Int(circle.center.y / unit),
              Int(log(circle.radius) / 0.15),
            ]
            if seen.insert(key).inserted { seeds.append(circle) }
          }
          first += max(1, count / 3)
        }
        count = count * 8 / 5
      }
      start = end
    }
    return seeds
  }

  /// Returns the circle through some samples by least squares (Kåsa, 1976), if they are an arc.
  private func circle(_ range: Range<Int>) -> RingCurve? {
    let count = Double(range.count)
    var (meanX, meanY) = (0.0, 0.0)
    for index in range {
      meanX += samples[index].point.x / count
      meanY += samples[index].point.y / count
    }
    var (xx, xy, yy, xz, yz, z) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for index in range {
      let (x, y) = (samples[index].point.x - meanX, samples[index].point.y - meanY)
      let square = x * x + y * y
      xx += x * x
      xy += x * y
      yy += y * y
      xz += x * square
      yz += y * square
      z += square
    }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-6 * z * z else { return nil }
    let a = (xz * yy - yz * xy) / (2 * determinant)
    let b = (yz * xx - xz * xy) / (2 * determinant)
    let radius = (a * a + b * b + z / count).squareRoot()
    let turn = Self.spacing * count / radius
    guard radius >= Self.minimumRadius * penWidth, (0.9...7.5).contains(turn) else { return nil }
    let center = Point(meanX + a, meanY + b)
    let off = range.reduce(0.0) { $0 + abs(samples[$1].point.distance(to: center) - radius) }
    guard off < 0.06 * radius * count else { return nil }
    return RingCurve(center: center, radius: radius)
  }

  /// Fits a curve to the ink near `seed`.
  private func candidate(_ seed: RingCurve) -> Candidate? {
    var curve = seed
    var result: Candidate?
    for reach in Self.reaches {
      let near = oneRing(followers(of: curve, reach: reach), radius: curve.radius)
      var sums = [(radius: Double, count: Double)](repeating: (0, 0), count: Self.directions)
      for (index, angle) in near {
        let direction = Self.direction(angle)
        sums[direction].radius += samples[index].point.distance(to: curve.center)
        sums[direction].count += 1
      }
      let filled = sums.indices.filter { sums[$0].count > 0 }
      let coverage = Double(filled.count) / Double(Self.directions)
      // A first circle is only roughly right.
      guard coverage > (reach == Self.reaches[0] ? 0.5 : 0.65) else { return nil }
      let known = filled.map {
        (Self.angle($0), sums[$0].radius / sums[$0].count)
      }
      guard let fitted = curve.fitted(to: known, waves: coverage > 0.8 ? 3 : 1) else { return nil }
      curve = fitted
      guard curve.radius >= Self.minimumRadius * penWidth else { return nil }
      var (deviation, cosines, sines) = (0.0, 0.0, 0.0)
      for (index, _) in near {
        let angle = curve.angle(of: samples[index].point)
        let off = curve.distance(of: samples[index].point)
        deviation += abs(off)
        cosines += off * cos(4 * angle)
        sines += off * sin(4 * angle)
      }
      let scale = 1 / (Double(near.count) * curve.radius)
      result = Candidate(
        curve: curve, samples: near.map(\.index), coverage: coverage,
        deviation: deviation * scale,
        squareness: 2 * scale * (cosines * cosines + sines * sines).squareRoot())
    }
    guard let result, result.coverage >= Self.minimumCoverage,
      result.deviation < Self.greatestDeviation, result.squareness < Self.greatestSquareness
    else { return nil }
    guard curve.share(ofWave: 2) < 0.25, curve.share(ofWave: 3) < 0.12 else { return nil }
    return result
  }

  /// Returns the parts of lines that make up one ring.
  ///
  /// They are the longest and nearest, then those that have ink in other directions. The other ring of a final
  /// state is not part of this one.
  private func oneRing(
    _ followers: [(index: Int, angle: Double, off: Double)], radius: Double
  ) -> [(index: Int, angle: Double)] {
    let sorted = followers.sorted { $0.index < $1.index }
    var runs: [(members: ArraySlice<(index: Int, angle: Double, off: Double)>, off: Double)] = []
    var start = 0
    while start < sorted.count {
      var end = start + 1
      while end < sorted.count, sorted[end].index - sorted[end - 1].index <= 2,
        samples[sorted[end].index].line == samples[sorted[start].index].line
      {
        end += 1
      }
      let off = sorted[start..<end].reduce(0) { $0 + abs($1.off) } / Double(end - start)
      runs.append((sorted[start..<end], off / radius))
      start = end
    }
    var isFilled = [Bool](repeating: false, count: Self.directions)
    var result: [(index: Int, angle: Double)] = []
    func new(_ run: Int) -> Set<Int> {
      Set(runs[run].members.map { Self.direction($0.angle) }).filter { !isFilled[$0] }
    }
    var left = Array(runs.indices)
    // What many short lines follow is no ring.
    while !left.isEmpty, left.count > runs.count - Self.maximumParts {
      let values = left.map { Double(new($0).count) * exp(-runs[$0].off / 0.1) }
      let best = values.indices.max { values[$0] < values[$1] }!
      guard values[best] >= 0.5 else { break }
      let directions = new(left[best])
      for member in runs[left[best]].members {
        let direction = Self.direction(member.angle)
        guard directions.contains(direction) else { continue }
        isFilled[direction] = true
        result.append((member.index, member.angle))
      }
      left.remove(at: best)
    }
    return result
  }

  /// Returns the number of the direction of `angle`.
  private static func direction(_ angle: Double, of count: Int = directions) -> Int {
    let turn = angle / (2 * .pi)
    return Int((turn - turn.rounded(.down)) * Double(count)) % count
  }

  /// Returns the angle in the middle of a direction.
  private static func angle(_ direction: Int, of count: Int = directions) -> Double {
    (Double(direction) + 0.5) * 2 * .pi / Double(count)
  }

  /// Returns the samples that follow `curve`, with the angles at which they are seen from its centre.
  private func followers(of curve: RingCurve, reach: Double) -> [(
    index: Int, angle: Double, off: Double
  )] {
    var found: [(Int, Double, Double)] = []
    let outer = curve.radius * (1 + reach) * 1.3
    let low = cell(Point(curve.center.x - outer, curve.center.y - outer))
    let high = cell(Point(curve.center.x + outer, curve.center.y + outer))
    for y in low.y...high.y {
      for x in low.x...high.x {
        for index in cells[Cell(x: x, y: y)] ?? [] {
          let sample = samples[index]
          let way = Point(sample.point.x - curve.center.x, sample.point.y - curve.center.y)
          let angle = atan2(way.y, way.x)
          let (radius, slope) = curve.radius(at: angle)
          let distance = (way.x * way.x + way.y * way.y).squareRoot()
          guard abs(distance - radius) < max(reach * curve.radius, penWidth) else { continue }
          // The tangent of the curve.
          let (cosine, sine) = (cos(angle), sin(angle))
          let tangent = Point(slope * cosine - radius * sine, slope * sine + radius * cosine)
          let length = (tangent.x * tangent.x + tangent.y * tangent.y).squareRoot()
          let along = tangent.x * sample.direction.x + tangent.y * sample.direction.y
          guard abs(along) > Self.minimumAlignment * length else { continue }
          found.append((index, angle, distance - radius))
        }
      }
    }
    return found
  }

  // MARK: Rings

  private func mended() -> [TracedLine] {
    // What is a ring already stays one, and a ring with something inside is rather one than a loop.
    let candidates = seeds().compactMap { candidate($0) }
      .map {
        (candidate: $0, score: $0.score + (isWhole($0) ? 1 : 0) + (isFull($0.curve) ? 0.2 : 0))
      }
      .sorted { $0.score > $1.score }.map(\.candidate)
    let isRound = lines.map { Self.isRound($0) }
    // For each sample, its ring; -1 for none, and -2 on a closed line that only a whole ring may have.
    var owner = samples.map { isRound[$0.line] ? -2 : -1 }
    var rings: [Candidate] = []
    for var candidate in candidates {
      let hasPartner = rings.contains { isPair($0.curve, candidate.curve) }
      let isWhole = isWhole(candidate)
      candidate.samples.removeAll { owner[$0] >= 0 || owner[$0] == -2 && !isWhole }
      let missing = missing(candidate)
      let own = 1 - Double(missing.count) / Double(Self.directions)
      guard own >= (hasPartner ? Self.minimumOfPair : Self.minimumOwn),
        isWhole || hasPartner || !isLoop(candidate.curve, missing: missing, owner: owner)
      else { continue }
      for index in candidate.samples { owner[index] = rings.count }
      rings.append(candidate)
    }
    for number in rings.indices where isWhole(rings[number]) {
      for index in rings[number].samples { owner[index] = -1 }
      rings[number].samples = []
    }
    guard rings.contains(where: { !$0.samples.isEmpty }) else { return lines }
    var result: [TracedLine] = []
    var next = 0
    for (number, line) in lines.enumerated() {
      var marks: [(index: Int, ring: Candidate?)] = []
      while next < samples.count, samples[next].line == number {
        marks.append((samples[next].index, owner[next] >= 0 ? rings[owner[next]] : nil))
        next += 1
      }
      guard marks.contains(where: { $0.ring != nil }) else {
        result.append(line)
        continue
      }
      result += pieces(of: line, marks)
    }
    for ring in rings where !ring.samples.isEmpty { result.append(closed(ring)) }
    return result
  }

  /// Returns the directions in which a ring has no ink.
  private func missing(_ ring: Candidate) -> [Int] {
    var isFilled = [Bool](repeating: false, count: Self.directions)
    for index in ring.samples {
      isFilled[Self.direction(ring.curve.angle(of: samples[index].point))] = true
    }
    return isFilled.indices.filter { !isFilled[$0] }
  }

  /// Whether there is ink in the middle of a curve.
  private func isFull(_ curve: RingCurve) -> Bool {
    let reach = 0.6 * curve.radius
    return near(curve.center, reach: reach).count > Int(0.3 * curve.radius / Self.spacing)
  }

  /// Whether the line of a curve is open at a ring, as a loop is at its state.
  private func isLoop(_ curve: RingCurve, missing: [Int], owner: [Int]) -> Bool {
    let atRing = missing.count { direction in
      near(curve.place(at: Self.angle(direction)), reach: 0.3 * curve.radius).contains {
        owner[$0] != -1
      }
    }
    return missing.count > 2 && 2 * atRing > missing.count
  }

  /// Returns the samples within `reach` of a place.
  private func near(_ place: Point, reach: Double) -> [Int] {
    let low = cell(Point(place.x - reach, place.y - reach))
    let high = cell(Point(place.x + reach, place.y + reach))
    return (low.y...high.y).flatMap { y in
      (low.x...high.x).flatMap { x in
        (cells[Cell(x: x, y: y)] ?? []).filter { samples[$0].point.distance(to: place) < reach }
      }
    }
  }

  /// Whether two curves may be the rings of a final state.
  private func isPair(_ a: RingCurve, _ b: RingCurve) -> Bool {
    let (small, large) = (min(a.radius, b.radius), max(a.radius, b.radius))
    return a.center.distance(to: b.center) < 0.3 * large && (0.55..<0.95).contains(small / large)
  }

  /// Whether a line is closed and round.
  private static func isRound(_ line: TracedLine) -> Bool {
    guard line.isClosed else { return false }
    let points = line.smoothed(deviation: max(1, line.width / 2), spacing: 2).points
    var (area, perimeter) = (0.0, 0.0)
    for (a, b) in zip(points, points.dropFirst()) {
      area += (a.x * b.y - b.x * a.y) / 2
      perimeter += a.distance(to: b)
    }
    return 4 * .pi * abs(area) > minimumArea * perimeter * perimeter
  }

  /// Whether a ring is one closed line already.
  private func isWhole(_ ring: Candidate) -> Bool {
    var counts: [Int: Int] = [:]
    for index in ring.samples { counts[samples[index].line, default: 0] += 1 }
    guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else {
      return true
    }
    let whole = sampleCounts[most.key]
    let line = lines[most.key]
    let gap = line.points[0].distance(to: line.points[line.points.count - 1])
    return Double(most.value) > 0.93 * Double(ring.samples.count)
      && Double(most.value) > 0.85 * Double(whole) && gap < 0.5 * ring.curve.radius
  }

  /// Returns what of a line is in no ring; `marks` are its samples with their rings.
  private func pieces(
    of line: TracedLine, _ marks: [(index: Int, ring: Candidate?)]
  ) -> [TracedLine] {
    var pieces: [TracedLine] = []
    var position = 0
    while position < marks.count {
      guard marks[position].ring == nil else {
        position += 1
        continue
      }
      var end = position
      while end < marks.count, marks[end].ring == nil { end += 1 }
      let first = position == 0 ? 0 : marks[position].index
      let last = end == marks.count ? line.points.count - 1 : marks[end - 1].index
      var points = Array(line.points[first...last])
      if position > 0, let ring = marks[position - 1].ring {
        points = extended(points.reversed(), to: ring.curve).reversed()
      }
      if end < marks.count, let ring = marks[end].ring { points = extended(points, to: ring.curve) }
      // Between two parts of rings, a line that is as short is only rough.
      let isEnd = position == 0 || end == marks.count
      position = end
      guard Stroke(points).length > (isEnd ? 0.6 : 2) * penWidth else { continue }
      var piece = TracedLine(points: points, width: line.width)
      piece.isFree = [
        first == 0 && line.isFree[0], last == line.points.count - 1 && line.isFree[1],
      ]
      pieces.append(piece)
    }
    return pieces
  }

  /// Returns a line that goes on to a ring, if it does not turn away from it.
  private func extended(_ points: [Point], to curve: RingCurve) -> [Point] {
    guard let end = points.last else { return points }
    let before = points[max(0, points.count - 1 - Int(penWidth))]
    let distance = before.distance(to: end)
    guard distance > 0 else { return points }
    let side = curve.distance(of: end) > 0
    for step in 1...Int(3 * penWidth) {
      let share = Double(step) / distance
      let place = Point(end.x + share * (end.x - before.x), end.y + share * (end.y - before.y))
      if (curve.distance(of: place) > 0) != side { return points + [place] }
    }
    return points
  }

  /// Returns a ring as a closed line.
  private func closed(_ ring: Candidate) -> TracedLine {
    let curve = ring.curve
    let count = max(Self.directions, Int(2 * .pi * curve.radius / (2 * Self.spacing)))
    var sums = [(difference: Double, count: Double)](repeating: (0, 0), count: count)
    var width = 0.0
    for index in ring.samples {
      let sample = samples[index]
      let direction = Self.direction(curve.angle(of: sample.point), of: count)
      sums[direction].difference += curve.distance(of: sample.point)
      sums[direction].count += 1
      width += lines[sample.line].width
    }
    var points = (0..<count).map { direction in
      let sum = sums[direction]
      return curve.place(
        at: Self.angle(direction, of: count),
        outwards: sum.count > 0 ? sum.difference / sum.count : 0)
    }
    points.append(points[0])
    return TracedLine(
      points: points, width: width / Double(max(1, ring.samples.count)), isClosed: true)
  }
}
