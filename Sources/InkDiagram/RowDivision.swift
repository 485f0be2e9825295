import Ink

/// A way in which writing is divided into rows, whose baselines may rise or fall, as those of a label along an arrow do.
///
/// Slopes are found with projection profiles (Postl, 1986): the profile of ink across baselines is the sharpest. Which
/// division is right, the reader decides (``LabelReader/divisions(of:in:as:)``).
struct RowDivision {
  /// The rows, in the order in which they are read.
  let rows: [TextLine]
  /// The most ink where two rows meet, as a share of the most ink across the lesser of both; 0 of known rows.
  let gap: Double
  /// Whether the strokes tell these rows, on level baselines, without a look at slopes.
  let isKnown: Bool
  /// Whether the rows are not level.
  let isSloped: Bool

  private var strokes: [[Int]] { rows.map(\.strokes) }

  // The numbers below were set by hand.

  /// The ranges of slopes of which the best is a candidate, in degrees: rising, nearly level, falling and steep.
  ///
  /// Steep writing is read downwards or upwards.
  private static let ranges = [-44 ... -16, -14...14, 16...44, 46...134]
  private static let slopeStep = 2
  /// The slope up to which rows are level, in degrees.
  private static let levelSlope = 6
  /// The number of parts of a profile.
  private static let partCount = 64
  /// A gap between rows has at most this share of the ink of the lesser row beside it.
  private static let largestGap = 0.35
  /// The share of the most ink below which a part of a profile does not count for the height of a row.
  private static let leastInk = 0.05
  /// The share of a mark that is in a row, at least, besides the row with most of it.
  private static let leastPart = 0.15

  /// Creates the division that the strokes tell.
  init(known rows: [TextLine]) { (self.rows, gap, isKnown, isSloped) = (rows, 0, true, false) }

  /// Returns the ways in which writing may be divided, besides the rows on level baselines that are known.
  ///
  /// - Parameters:
  ///   - traces: The strokes, or marks of `page`, at least one.
  ///   - page: The writing in a picture, or `nil` if only strokes are known.
  static func candidates(
    for traces: [Trace], besides known: [TextLine], in page: PageWriting?
  ) -> [RowDivision] {
    let ink = traces.map { WeighedInk($0, in: page) }
    let extent = TextLine(traces: traces)
    let side = max(page?.cellSize ?? 0, extent.low.distance(to: extent.high) / Double(partCount))
    func sharpness(_ degrees: Int) -> Double {
      let heights = ink.map { $0.places.map(Vector.normal(degrees).dot) }
      return Profile(of: ink, heights: heights, partSide: side).parts.reduce(0) { $0 + $1 * $1 }
    }
    let slopes = ranges.map { range in
      stride(from: range.lowerBound, through: range.upperBound, by: slopeStep)
        .map { (degrees: $0, sharpness: sharpness($0)) }
        .max { ($0.sharpness, -abs($0.degrees)) < ($1.sharpness, -abs($1.degrees)) }!.degrees
    }
    var found: [RowDivision] = []
    // People write on level lines, whatever is sharpest.
    for degrees in Set(slopes + [0, slopes[3] - 180]).sorted() {
      // A narrow gap is lost in a smooth profile. Points of strokes are too far apart for another one.
      for isSmooth in page == nil ? [true] : [true, false] {
        let division = RowDivision(
          of: traces, ink, degrees: degrees, isSmooth: isSmooth, in: page)
        let isKnown = !division.isSloped && division.strokes == known.map(\.strokes)
        if !isKnown, isSmooth || division.strokes != found.last?.strokes { found.append(division) }
      }
    }
    return found
  }

  private init(
    of traces: [Trace], _ ink: [WeighedInk], degrees: Int, isSmooth: Bool, in page: PageWriting?
  ) {
    let across = Vector.normal(degrees)
    let heights = ink.map { $0.places.map(across.dot) }
    let extent = Array(heights.joined()).extent
    let partSide = max(page?.cellSize ?? 0, extent / Double(Self.partCount))
    let profile = Profile(of: ink, heights: heights, partSide: partSide)
    let cuts = Self.cuts(of: isSmooth ? profile.smoothed : profile.parts)
    let edges = [-.infinity] + cuts.map(profile.height) + [.infinity]
    let bands = zip(edges, edges.dropFirst()).map { $0..<$1 }
    let rowsOfTraces = heights.map { heights in
      let counts = bands.map { heights.count(where: $0.contains) }
      let most = counts.indices.max { (counts[$0], -$0) < (counts[$1], -$1) }!
      // Strokes are not divided.
      return counts.indices.filter {
        $0 == most
          || page != nil && Double(counts[$0]) >= Self.leastPart * Double(heights.count)
      }
    }
    let written = bands.indices.filter { band in rowsOfTraces.contains { $0.contains(band) } }
    rows = written.map { number in
      TextLine(
        traces: traces.indices.filter { rowsOfTraces[$0].contains(number) }.map { traces[$0] },
        slope: Double(degrees) * .pi / 180, band: page == nil ? nil : bands[number])
    }
    gap = profile.gap(at: cuts, between: written)
    isKnown = false
    isSloped = abs(degrees) > Self.levelSlope
  }

  /// Returns the parts of a profile that are the middles of the gaps between rows.
  private static func cuts(of parts: [Double]) -> [Int] {
    let most = parts.max() ?? 0
    var gaps: [Int] = []
    // The most ink since the last gap, and where there is least after it.
    var peak = 0.0
    var lowest: (ink: Double, first: Int, last: Int)?
    for (number, ink) in parts.enumerated() {
      if let low = lowest, ink > low.ink, low.ink <= largestGap * min(peak, ink) {
        gaps.append((low.first + low.last) / 2)
        (peak, lowest) = (ink, nil)
      } else if ink > peak, lowest.map({ $0.ink > largestGap * peak }) ?? true {
        (peak, lowest) = (ink, nil)
      } else if lowest.map({ ink < $0.ink }) ?? true {
        lowest = (ink, number, number)
      } else if ink == lowest!.ink {
        lowest!.last = number
      }
    }
    // Dots, primes and bars belong to the row beside them with the smaller gap.
    while !gaps.isEmpty {
      let edges = [0] + gaps + [parts.count]
      let heights = zip(edges, edges.dropFirst()).map { low, high in
        parts[low..<high].count { $0 > leastInk * most }
      }
      let least = WrittenRows.leastRow * Double(heights.max()!)
      guard let row = heights.firstIndex(where: { Double($0) < least }) else { break }
      let beside = [row - 1, row].filter(gaps.indices.contains)
      gaps.remove(at: beside.max { parts[gaps[$0]] < parts[gaps[$1]] }!)
    }
    return gaps
  }

  /// The places of a stroke or of the cells of a mark, and how much ink each has.
  private struct WeighedInk {
    let places: [Vector]
    let weight: Double

    init(_ trace: Trace, in page: PageWriting?) {
      if let page {
        (places, weight) = (page.cells[trace.index], 1)
      } else {
        (places, weight) = (trace.points, trace.length / Double(trace.points.count))
      }
    }
  }

  /// How much ink is in each part of the way across writing.
  private struct Profile {
    let start: Double
    let partSide: Double
    private(set) var parts: [Double]

    /// Creates a profile of ink at `heights` across the baselines: those of the places of each stroke or mark.
    init(of ink: [WeighedInk], heights: [[Double]], partSide: Double) {
      let (low, high) = (heights.joined().min() ?? 0, heights.joined().max() ?? 0)
      let side = max(partSide, 1e-9)
      (start, self.partSide) = (low, side)
      // Cells are whole parts apart, so that each is in the middle of its part.
      func part(_ height: Double) -> Int { Int(((height - low) / side).rounded()) }
      parts = [Double](repeating: 0, count: part(high) + 1)
      for (own, heights) in zip(ink, heights) {
        for height in heights { parts[part(height)] += own.weight }
      }
    }

    /// Returns the height of the middle of a part.
    func height(_ part: Int) -> Double { start + Double(part) * partSide }

    /// Returns the most ink where two of the written bands between cuts meet, as a share of the most ink in the lesser of
    /// both.
    func gap(at cuts: [Int], between written: [Int]) -> Double {
      let edges = [0] + cuts + [parts.count - 1]
      func most(_ band: Int) -> Double { parts[edges[band]...edges[band + 1]].max()! }
      return zip(written, written.dropFirst()).reduce(0) { worst, beside in
        let least = cuts[beside.0..<beside.1].map { parts[$0] }.min()!
        return max(worst, least / max(min(most(beside.0), most(beside.1)), 1e-9))
      }
    }

    /// The parts, each the mean of itself and of those beside it.
    var smoothed: [Double] {
      parts.indices.map { number in
        let near = parts[max(0, number - 1)...min(parts.count - 1, number + 1)]
        return near.reduce(0, +) / Double(near.count)
      }
    }
  }
}

extension Vector {
  /// The direction down across a baseline that is turned clockwise by `degrees`.
  fileprivate static func normal(_ degrees: Int) -> Vector {
    Vector(angle: Double(degrees + 90) * .pi / 180, length: 1)
  }
}

extension Array where Element == Double {
  /// The difference between the largest and the smallest number, or 0.
  fileprivate var extent: Double { (self.max() ?? 0) - (self.min() ?? 0) }
}
