import Foundation
import Ink
import InkRaster
import ParallelLoops

/// The printed lines of ruled or squared paper that run roughly along the rows of a picture.
///
/// They are found in strips of some columns: in each, the lines are peaks of its profile at equal
/// distances. Distances, positions and angles may change over the picture, as in a photograph that was
/// taken at an angle.
struct PaperLines {
  /// The lines in a part of a strip.
  private struct Window {
    /// The rows of the lines in the middle of the strip.
    var rows: [Double]
    /// The usual contrast of the lines.
    var contrast: Double
  }

  private let width: Int
  private let height: Int
  /// The rows that a line rises per column.
  private(set) var slope = 0.0
  /// The distance of the lines, in pixels.
  private(set) var period = 0
  /// Half the thickness of a line, in pixels.
  private let halfThickness: Int
  /// For each strip, its windows from top to bottom; `nil` where no lines were found.
  private var strips: [[Window?]] = []

  /// The number of columns of a strip.
  private static let stripWidth = 32
  /// The number of lines of a window.
  private static let linesPerWindow = 6
  /// The smallest distance of lines, in pixels.
  private static let minimumPeriod = 9
  /// The largest angle between the lines and the rows that is usual, and the largest one that is tried, in
  /// degrees.
  private static let (usualAngle, maximumAngle) = (12.0, 30.0)
  /// The factor for the scores of angles that are not usual.
  private static let unusualWeight = 0.9

  /// Finds the lines in `ink`, `[height, width]`, or returns `nil` if the paper has none.
  init?(in ink: [UInt8], width: Int, height: Int, noise: Double, loop: ParallelLoop) {
    (self.width, self.height) = (width, height)
    let reach = max(3, max(width, height) / 450)
    halfThickness = max(1, reach / 2)
    guard width >= 4 * Self.stripWidth, height >= 8 * Self.minimumPeriod else { return nil }
    slope = Self.slope(
      of: ink, width: width, height: height, reach: reach, noise: noise, loop: loop)
    let profiles = profiles(of: ink, reach: reach, loop: loop)
    guard let period = Self.period(of: profiles) else { return nil }
    self.period = period
    let least = max(2, 1.2 * noise)
    let windows = loop.map(profiles.count) { [self] strip, _ in
      self.windows(of: profiles[strip], strip: strip, ink: ink, least: least)
    }
    strips = windows
    let all = windows.joined()
    guard all.count(where: { $0 != nil }) * 4 >= all.count else { return nil }
  }

  // MARK: Finding

  /// Returns how much darker a pixel is than the ones `reach` above and below, at most `limit`.
  @inline(__always)
  private static func ridge(
    _ ink: UnsafeBufferPointer<UInt8>, _ index: Int, _ reach: Int, limit: Int
  ) -> Int {
    max(0, min(limit, Int(ink[index]) - Int(max(ink[index - reach], ink[index + reach]))))
  }

  /// Returns the slope at which thin ink lines up best.
  private static func slope(
    of ink: [UInt8], width: Int, height: Int, reach: Int, noise: Double, loop: ParallelLoop
  ) -> Double {
    let stripWidth = max(256, width / 6)
    let stripCount = (width + stripWidth - 1) / stripWidth
    // Strips follow each other in one column of counts; `x` is from the middle of the strip.
    typealias Place = (x: Int32, y: Int32, strip: Int32)
    let least = max(6, Int(3 * noise))
    let step = max(1, width * height / 500_000)
    let points = ink.withUnsafeBufferPointer { ink in
      var points: [Place] = []
      for row in reach..<height - reach {
        for column in stride(from: row * 7 % step, to: width, by: step)
        where ridge(ink, row * width + column, reach * width, limit: 255) > least {
          let strip = column / stripWidth
          let x = column - strip * stripWidth - stripWidth / 2
          points.append((Int32(x), Int32(row), Int32(strip)))
        }
      }
      return points
    }
    @Sendable func score(_ slope: Double) -> Double {
      var counts = [Int32](repeating: 0, count: stripCount * height)
      counts.withUnsafeMutableBufferPointer { counts in
        for point in points {
          let row = Int(Double(point.y) - Double(point.x) * slope)
          if row >= 0, row < height { counts[Int(point.strip) * height + row] += 1 }
        }
      }
      return counts.reduce(0.0) { $0 + Double($1) * Double($1) }
    }
    func best(_ angles: StrideThrough<Double>) -> Double {
      let angles = Array(angles)
      let scores = loop.map(angles.count) { number, _ in
        score(tan(angles[number] * .pi / 180))
          * (abs(angles[number]) > usualAngle ? unusualWeight : 1)
      }
      return scores.indices.max { scores[$0] < scores[$1] }.map { angles[$0] } ?? 0
    }
    let coarse = best(stride(from: -maximumAngle, through: maximumAngle, by: 0.5))
    return tan(best(stride(from: coarse - 0.4, through: coarse + 0.4, by: 0.1)) * .pi / 180)
  }

  /// Returns for each strip the mean ridge of each row, along the slope.
  private func profiles(of ink: [UInt8], reach: Int, loop: ParallelLoop) -> [[Float]] {
    let (count, shifts) = (width / Self.stripWidth, shifts)
    return ink.withUnsafeBufferPointer { ink in
      // Nobody writes it.
      nonisolated(unsafe) let ink = ink
      return loop.map(count) { strip, _ in
        [Float](unsafeUninitializedCapacity: height) { profile, total in
          for row in 0..<height {
            var sum = 0
            for (offset, shift) in shifts.enumerated() {
              let y = row + shift
              guard y >= reach, y < height - reach else { continue }
              sum += Self.ridge(
                ink, y * width + strip * Self.stripWidth + offset, reach * width, limit: 32)
            }
            profile[row] = Float(sum) / Float(Self.stripWidth)
          }
          total = height
        }
      }
    }
  }

  /// The rows by which a line is displaced in each column of a strip.
  private var shifts: [Int] {
    (0..<Self.stripWidth).map { offset in
      Int(((Double(offset) + 0.5 - Double(Self.stripWidth) / 2) * slope).rounded())
    }
  }

  /// Returns the distance at which the profiles repeat, or `nil` if they do not.
  private static func period(of profiles: [[Float]]) -> Int? {
    guard let height = profiles.first?.count else { return nil }
    let most = min(height / 5, 240)
    guard most > minimumPeriod else { return nil }
    var correlation = [Float](repeating: 0, count: most + 1)
    var power: Float = 0
    for profile in profiles {
      let mean = profile.reduce(0, +) / Float(height)
      let centered = profile.map { $0 - mean }
      power += centered.reduce(0) { $0 + $1 * $1 }
      centered.withUnsafeBufferPointer { values in
        for lag in minimumPeriod...most {
          var sum: Float = 0
          for row in 0..<height - lag { sum += values[row] * values[row + lag] }
          correlation[lag] += sum * Float(height) / Float(height - lag)
        }
      }
    }
    guard let best = (minimumPeriod...most).max(by: { correlation[$0] < correlation[$1] }),
      correlation[best] > 0.12 * power
    else { return nil }
    // The first peak, since multiples of the distance repeat as well.
    let first = (minimumPeriod...best).first { lag in
      correlation[lag] >= 0.75 * correlation[best]
        && (lag == minimumPeriod || correlation[lag] >= correlation[lag - 1])
        && (lag == most || correlation[lag] >= correlation[lag + 1])
    }
    return first ?? best
  }

  private func windows(of profile: [Float], strip: Int, ink: [UInt8], least: Double) -> [Window?] {
    let size = min(height, period * Self.linesPerWindow)
    let count = max(1, height / size)
    // The last window goes down to the edge.
    return (0..<count).map { index in
      let rows = index * size..<(index == count - 1 ? height : (index + 1) * size)
      return window(of: profile, rows: rows, strip: strip, ink: ink, least: least)
    }
  }

  /// Fits lines at equal distances to the profile in `rows`.
  private func window(
    of profile: [Float], rows: Range<Int>, strip: Int, ink: [UInt8], least: Double
  ) -> Window? {
    var best = (score: -Float.infinity, start: 0.0, step: 0.0)
    let usual = Double(period)
    for step in stride(from: 0.92 * usual, through: 1.08 * usual, by: max(0.1, usual / 150)) {
      for start in 0..<Int(step) {
        var sum: Float = 0
        var count = 0
        var position = Double(rows.lowerBound + start)
        while Int(position) < rows.upperBound {
          sum += profile[Int(position)]
          count += 1
          position += step
        }
        let score = sum / Float(max(1, count))
        if score > best.score { best = (score, Double(rows.lowerBound + start), step) }
      }
    }
    var lines: [Double] = []
    var supported = 0
    let mean = profile[rows].reduce(0, +) / Float(rows.count)
    var position = best.start
    while Int(position) < rows.upperBound {
      // The line is where the profile is highest nearby.
      let around = max(0, Int(position) - 2)...min(height - 1, Int(position) + 2)
      let peak = around.max { profile[$0] < profile[$1] } ?? Int(position)
      if profile[peak] > max(Float(least), 2 * mean) {
        supported += 1
        lines.append(Double(peak))
      } else {
        lines.append(position)
      }
      position += best.step
    }
    guard supported * 3 >= lines.count * 2 else { return nil }
    // A line may cross the edge of the picture within the strip.
    if rows.lowerBound == 0 { lines.append(best.start - best.step) }
    if rows.upperBound == height { lines.append(position) }
    var contrasts: [UInt8] = []
    let shifts = shifts
    for line in lines {
      for (offset, shift) in shifts.enumerated() {
        let row = Int(line.rounded(.down)) + shift
        guard row >= 1, row < height - 1 else { continue }
        let index = row * width + strip * Self.stripWidth + offset
        contrasts.append(max(ink[index], max(ink[index - width], ink[index + width])))
      }
    }
    return Window(rows: lines, contrast: Double(contrasts.median() ?? 0))
  }

  // MARK: Removing

  /// Removes the lines from `ink`, except where darker ink runs along them or ink crosses them.
  func remove(from ink: inout [UInt8]) {
    let (original, shifts) = (ink, shifts)
    for (strip, windows) in strips.enumerated() {
      // The last strip goes to the edge.
      let end = strip == strips.count - 1 ? width : (strip + 1) * Self.stripWidth
      for window in windows {
        guard let window else { continue }
        let most = 1.35 * window.contrast + 8
        for line in window.rows {
          for column in strip * Self.stripWidth..<end {
            let shift = shifts[min(column - strip * Self.stripWidth, shifts.count - 1)]
            erase(
              from: &ink, original: original, row: Int(line.rounded(.down)) + shift, column: column,
              most: UInt8(min(255, most)))
          }
        }
      }
    }
  }

  /// Removes the line in one column.
  private func erase(
    from ink: inout [UInt8], original: [UInt8], row: Int, column: Int, most: UInt8
  ) {
    let reach = halfThickness + 1
    let (top, bottom) = (row - reach, row + reach)
    guard column >= 1, column < width - 1 else { return }
    guard top >= 1, bottom < height - 1 else {
      for y in top...bottom where (0..<height).contains(y) { ink[y * width + column] = 0 }
      return
    }
    // Ink that comes in from above and goes on below, perhaps at an angle.
    func hasInk(_ row: Int) -> Bool {
      for x in column - 1...column + 1 where original[row * width + x] > max(24, most / 2) {
        return true
      }
      return false
    }
    if hasInk(top - 1), hasInk(bottom + 1) { return }
    // Ink that is thicker than the line.
    func isInk(_ rows: ClosedRange<Int>) -> Bool {
      rows.allSatisfy { original[$0 * width + column] > max(24, most / 2) }
    }
    if top >= 4, isInk(top - 3...row) { return }
    if bottom < height - 4, isInk(row...bottom + 3) { return }
    for y in top...bottom where ink[y * width + column] <= most {
      ink[y * width + column] = 0
    }
  }
}

extension EvenedPicture {
  /// Removes the printed lines of ruled or squared paper; returns by how much they are turned
  /// clockwise, in radians, or `nil` if there are none.
  mutating func removePaperLines(loop: ParallelLoop) -> Double? {
    var turns: [Double] = []
    if let lines = PaperLines(in: ink, width: width, height: height, noise: noise, loop: loop) {
      lines.remove(from: &ink)
      turns.append(atan(lines.slope))
    }
    var turned = Bitmap(width: width, height: height, pixels: ink).transposed().pixels
    if let lines = PaperLines(in: turned, width: height, height: width, noise: noise, loop: loop) {
      lines.remove(from: &turned)
      ink = Bitmap(width: height, height: width, pixels: turned).transposed().pixels
      turns.append(-atan(lines.slope))
    }
    return turns.isEmpty ? nil : turns.reduce(0, +) / Double(turns.count)
  }
}
