import Ink

/// What is left of ruled or squared paper among traced lines: pale straight lines along one direction and
/// across it.
struct PrintedLines {
  private let lines: [TracedLine]
  /// The contrast from which a pixel is ink that crosses them.
  private let limit: Double

  /// Their number.
  var count: Int { lines.count }

  /// The share of the contrast of ink below which lines may be printed.
  private static let paleShare = 0.62
  /// The chord of a straight line, as a share of its length.
  private static let straightChord = 0.95
  /// How far, in radians, printed lines are turned from each other: a photograph taken at an angle bends them.
  private static let spread = 0.12
  /// The number of printed lines, and their share of all pale ink, at least.
  private static let (minimumCount, minimumShare) = (10, 0.6)

  /// Finds the printed lines among `lines`; `nil` if there are none.
  init?(in lines: [TracedLine], of picture: EvenedPicture, penWidth: Double) {
    let contrasts = lines.map { Double(picture.contrast(along: $0.points)) }
    let lengths = lines.map(\.points.pathLength)
    guard let limit = Self.paleContrast(Array(zip(contrasts, lengths))) else { return nil }
    // Their angles.
    var angles: [Int: Double] = [:]
    for (index, line) in lines.enumerated()
    where contrasts[index] < limit && lengths[index] > 2 * penWidth {
      guard let first = line.points.first, let last = line.points.last,
        first.distance(to: last) > Self.straightChord * lengths[index]
      else { continue }
      angles[index] = (last - first).angle
    }
    func isAlong(_ angle: Double, _ main: Double) -> Bool {
      abs((angle - main).remainder(dividingBy: .pi / 2)) < Self.spread
    }
    func length(along main: Double) -> Double {
      angles.reduce(0) { $0 + (isAlong($1.value, main) ? lengths[$1.key] : 0) }
    }
    let mains = stride(from: 0, to: Double.pi / 2, by: 0.03)
    guard let main = mains.max(by: { length(along: $0) < length(along: $1) }) else { return nil }
    let printed = angles.filter { isAlong($0.value, main) }.keys.sorted()
    let pale = lines.indices.reduce(0) { $0 + (contrasts[$1] < limit ? lengths[$1] : 0) }
    guard printed.count >= Self.minimumCount, length(along: main) > Self.minimumShare * pale else {
      return nil
    }
    self.lines = printed.map { lines[$0] }
    self.limit = limit
  }

  /// Returns the contrast below which lines are pale, or `nil` if all are about as dark: the limit with the
  /// greatest variance between its sides (Otsu, "A threshold selection method", 1979), by length.
  private static func paleContrast(_ lines: [(contrast: Double, length: Double)]) -> Double? {
    let sorted = lines.sorted { $0.contrast < $1.contrast }
    let wholeLength = sorted.reduce(0) { $0 + $1.length }
    let wholeSum = sorted.reduce(0) { $0 + $1.length * $1.contrast }
    var (length, sum) = (0.0, 0.0)
    var best: (variance: Double, limit: Double, isPale: Bool)?
    for (line, next) in zip(sorted, sorted.dropFirst()) {
      length += line.length
      sum += line.length * line.contrast
      guard length > 0, wholeLength > length else { continue }
      let (pale, dark) = (sum / length, (wholeSum - sum) / (wholeLength - length))
      let variance = length * (wholeLength - length) * (dark - pale) * (dark - pale)
      if variance > best?.variance ?? 0 {
        best = (variance, (line.contrast + next.contrast) / 2, pale < paleShare * dark)
      }
    }
    return best.flatMap { $0.isPale ? $0.limit : nil }
  }

  /// Removes the lines from `mask`, except where darker ink crosses them.
  func remove(from mask: inout InkMask, of picture: EvenedPicture) {
    for line in lines {
      let reach = Int((line.width / 2).rounded(.up)) + 1
      for point in line.points {
        let (column, row) = (Int(point.x), Int(point.y))
        // A line that touches another at the edge of a picture may end outside.
        guard (0..<mask.width).contains(column), (0..<mask.height).contains(row) else { continue }
        for y in max(1, row - reach)...min(mask.height - 2, row + reach) {
          for x in max(1, column - reach)...min(mask.width - 2, column + reach)
          where Double(picture.ink[y * mask.width + x]) < limit {
            mask.pixels[y * mask.width + x] = 0
          }
        }
      }
    }
  }
}
