import Foundation
import Ink

extension RingSearch {
  /// The radii that are looked for, as shares of the usual one, and their ratio.
  private static let (least, most, ratio) = (0.55, 1.9, 1.13)
  /// The side of a cell in which votes are counted, as a share of the radius.
  private static let cell = 0.16
  /// The share of a ring that has to be there.
  static let minimumVotes = 0.4
  /// How far from the circle its arcs are, as a share of the radius, and how much their directions differ from
  /// that of the circle, as a sine.
  private static let (band, turned) = (0.22, 0.55)
  /// The share of a stroke that is along the ring if it is part of it.
  private static let along = 0.55
  /// The largest share of a turn without ink.
  private static let maximumOpen = 0.3

  /// Returns rings of about `radius` that consist of parts of any strokes, as tracing leaves them where other
  /// lines touch them.
  ///
  /// Each piece of a line votes for the centres of the circles along it (Hough transform: Duda and Hart, 1972;
  /// with directions: Kimme, Ballard and Sklansky, 1975).
  func rings(about radius: Double, minimumVotes: Double = minimumVotes) -> [Ring] {
    let pieces = pieces()
    guard !pieces.isEmpty, radius.isNormal, radius > 0 else { return [] }
    let middles = pieces.map(\.middle)
    let low = middles.reduce(middles[0]) { Vector(min($0.x, $1.x), min($0.y, $1.y)) }
    let high = middles.reduce(middles[0]) { Vector(max($0.x, $1.x), max($0.y, $1.y)) }
    var found: [Ring] = []
    var size = Self.least * radius
    while size < Self.most * radius {
      if let votes = CenterVotes(
        pieces, from: low, to: high, radius: size, side: Self.cell * size)
      {
        found += votes.peaks(above: minimumVotes).compactMap { ring(around: $0, radius: size) }
      }
      size *= Self.ratio
    }
    return found
  }

  private func pieces() -> [LinePiece] {
    traces.flatMap { trace in
      zip(trace.points, trace.points.dropFirst()).compactMap { a, b in
        let step = b - a
        guard step.length > 0 else { return nil }
        return LinePiece(
          middle: a.middle(to: b), normal: Vector(-step.y, step.x).unit, length: step.length)
      }
    }
  }

  /// Returns the ring through the parts of strokes along a circle.
  private func ring(around center: Vector, radius: Double) -> Ring? {
    var parts: [[Vector]] = []
    var strokes: [Int] = []
    let step = 0.12 * radius
    for trace in traces {
      guard trace.low.x < center.x + 1.3 * radius, trace.high.x > center.x - 1.3 * radius,
        trace.low.y < center.y + 1.3 * radius, trace.high.y > center.y - 1.3 * radius
      else { continue }
      var (part, along, since): ([Vector], Double, Double) = ([], 0, step)
      for (a, b) in zip(trace.points, trace.points.dropFirst()) {
        let (middle, way) = (a.middle(to: b), b - a)
        let out = middle - center
        let isAlong =
          abs(out.length / radius - 1) < Self.band && way.length > 0
          && abs(out.dot(way)) < Self.turned * out.length * way.length
        if isAlong {
          along += way.length
          since += way.length
          if since >= step {
            part.append(middle)
            since = 0
          }
        } else if !part.isEmpty {
          parts.append(part)
          (part, since) = ([], step)
        }
      }
      if !part.isEmpty { parts.append(part) }
      if along > Self.along * trace.length { strokes.append(trace.index) }
    }
    guard !strokes.isEmpty,
      var ring = Ring(parts.filter { $0.count > 1 }, strokes: strokes), ring.gap < Self.maximumOpen,
      ring.cost < Ring.maximumCost, ring.center.distance(to: center) < 0.3 * radius
    else { return nil }
    ring.isAssembled = true
    return ring
  }
}

/// A short piece of a line, with the direction across it.
private struct LinePiece {
  var middle, normal: Vector
  var length: Double
}

/// The shares of circles of one radius that are there, by the places of their centres.
private struct CenterVotes {
  private let low: Vector
  private let side: Double
  private let columns: Int
  private let rows: Int
  private let votes: [Double]

  /// The number of cells above which nothing is counted.
  private static let maximumCells = 2_000_000.0

  /// Counts between two corners in cells with sides of `side`; returns `nil` where they would be too many.
  init?(_ pieces: [LinePiece], from low: Vector, to high: Vector, radius: Double, side: Double) {
    // With a border without votes.
    let (across, down) = ((high.x - low.x) / side + 3, (high.y - low.y) / side + 3)
    guard across * down < Self.maximumCells else { return nil }
    (self.low, self.side, columns, rows) = (low, side, Int(across), Int(down))
    var votes = [Double](repeating: 0, count: columns * rows)
    for piece in pieces where piece.length < radius {
      for center in [piece.middle + piece.normal * radius, piece.middle - piece.normal * radius] {
        let column = ((center.x - low.x) / side).rounded(.down) + 1
        let row = ((center.y - low.y) / side).rounded(.down) + 1
        guard column > 0, row > 0, column < Double(columns - 1), row < Double(rows - 1) else {
          continue
        }
        votes[Int(row) * columns + Int(column)] += piece.length / (2 * .pi * radius)
      }
    }
    self.votes = votes
  }

  /// The number of peaks that are returned at most.
  private static let maximumPeaks = 200

  /// Returns the middles of the cells where three by three have the most votes around, at least `least`; of cells
  /// that have as many, one.
  func peaks(above least: Double) -> [Vector] {
    let neighbors = [
      -columns - 1, -columns, -columns + 1, -1, 0, 1, columns - 1, columns, columns + 1,
    ]
    var sums = votes
    for row in 1..<rows - 1 {
      for cell in row * columns + 1..<(row + 1) * columns - 1 {
        sums[cell] = neighbors.reduce(0) { $0 + votes[cell + $1] }
      }
    }
    var peaks: [(place: Vector, votes: Double)] = []
    for row in 1..<rows - 1 {
      for column in 1..<columns - 1 {
        let cell = row * columns + column
        guard sums[cell] >= least,
          neighbors.allSatisfy({ step in
            let other = cell + step
            return (sums[other], votes[other], step) <= (sums[cell], votes[cell], 0)
          })
        else { continue }
        let place = low + Vector(Double(column) - 0.5, Double(row) - 0.5) * side
        peaks.append((place, sums[cell]))
      }
    }
    return peaks.sorted { $0.votes > $1.votes }.prefix(Self.maximumPeaks).map(\.place)
  }
}
