import Ink

/// A pen that draws polylines with round caps and joints.
///
/// All rasterisers use it. Its width is in **output pixels**, so the line does not depend on the
/// size of a drawing. Only +, −, ×, ÷ and √ of IEEE 754 are used, so the same points give the same
/// bytes on every platform.
struct Pen {
  /// The width of a line, in pixels.
  let width: Double

  /// Draws strokes on a picture of `columns` × `rows` pixels, one at a time; `place` maps points to pixels.
  ///
  /// Points have to be on the picture or near it.
  func draw(
    _ strokes: some Sequence<Stroke>, columns: Int, rows: Int,
    place: (Point) -> (x: Float, y: Float)
  ) -> Bitmap {
    // The squared distance of each pixel's centre to the ink, in pixels².
    var nearest = [Float](repeating: .greatestFiniteMagnitude, count: columns * rows)
    nearest.withUnsafeMutableBufferPointer { nearest in
      let canvas = DistanceCanvas(columns: columns, rows: rows, reach: reach, nearest: nearest)
      for stroke in strokes {
        guard var previous = stroke.points.first.map(place) else { continue }
        if stroke.points.count == 1 { canvas.addSegment(from: previous, to: previous) }
        for point in stroke.points.dropFirst() {
          let next = place(point)
          canvas.addSegment(from: previous, to: next)
          previous = next
        }
      }
    }
    return Bitmap(width: columns, height: rows, pixels: nearest.map { grey($0) })
  }

  /// Pixels further away than this from the centre line stay untouched.
  private var reach: Float { Float(width / 2 + 0.5) }

  /// The grey value of a pixel at a squared distance from the ink: the share of its width that the line covers.
  private func grey(_ squared: Float, times share: Float = 1) -> UInt8 {
    let coverage = min(1, max(0, reach - squared.squareRoot()))
    return UInt8(coverage * share * 255 + 0.5)
  }

  /// Returns the planes of the pen directions right, left, down and up: `[4, rows, columns]`.
  ///
  /// The value of a pixel is what ``draw(_:columns:rows:place:)`` gives it, times the share of the nearest segment's
  /// direction; of several that are as near, the first one drawn counts. `strokes` are in pixels.
  func directions(
    of strokes: [[(x: Float, y: Float)]], columns: Int, rows: Int
  ) -> [UInt8] {
    let count = columns * rows
    var nearest = [Float](repeating: .greatestFiniteMagnitude, count: count)
    var directions = [SIMD2<Float>](repeating: .zero, count: count)
    nearest.withUnsafeMutableBufferPointer { nearest in
      directions.withUnsafeMutableBufferPointer { directions in
        let canvas = DistanceCanvas(columns: columns, rows: rows, reach: reach, nearest: nearest)
        for points in strokes {
          // A dot covers what is below it, and has no direction.
          if points.count == 1 {
            canvas.addSegment(from: points[0], to: points[0]) { directions[$0] = .zero }
          }
          for (index, direction) in PixelPath(points).directions.enumerated() {
            canvas.addSegment(from: points[index], to: points[index + 1]) {
              directions[$0] = direction
            }
          }
        }
      }
    }
    var planes = [UInt8](repeating: 0, count: 4 * count)
    for index in 0..<count where nearest[index] < .greatestFiniteMagnitude {
      let direction = directions[index]
      planes[(direction.x < 0 ? count : 0) + index] = grey(nearest[index], times: abs(direction.x))
      planes[(direction.y < 0 ? 3 : 2) * count + index] =
        grey(nearest[index], times: abs(direction.y))
    }
    return planes
  }
}

/// A stroke in pixels.
private struct PixelPath {
  private let points: [(x: Float, y: Float)]
  /// The length of the path from its start to each point.
  private let lengths: [Float]

  /// The length of path before and after a place over which its direction is measured.
  ///
  /// Shorter steps follow the grid of the device and tremor.
  private static let reach: Float = 1.5

  init(_ points: [(x: Float, y: Float)]) {
    self.points = points
    var (length, lengths) = (Float(0), [Float]())
    for (index, point) in points.enumerated() {
      if index > 0 {
        let (dx, dy) = (point.x - points[index - 1].x, point.y - points[index - 1].y)
        length += (dx * dx + dy * dy).squareRoot()
      }
      lengths.append(length)
    }
    self.lengths = lengths
  }

  /// The direction around the middle of each segment, of length 1, or 0 where the pen did not move.
  var directions: [SIMD2<Float>] {
    // The segments in which the measured path begins and ends; they only move forwards.
    var (first, last) = (0, 0)
    return points.indices.dropLast().map { index in
      let middle = (lengths[index] + lengths[index + 1]) / 2
      while first < index, lengths[first + 1] <= middle - Self.reach { first += 1 }
      last = max(last, index)
      while last < points.count - 2, lengths[last + 1] < middle + Self.reach { last += 1 }
      let way = place(middle + Self.reach, after: last) - place(middle - Self.reach, after: first)
      let length = (way * way).sum().squareRoot()
      return length > 0 ? way / length : .zero
    }
  }

  /// Returns the place at a length from the start, on the segment after point `index` or at its ends.
  private func place(_ length: Float, after index: Int) -> SIMD2<Float> {
    let (a, b) = (points[index], points[index + 1])
    let whole = lengths[index + 1] - lengths[index]
    let share = whole > 0 ? min(1, max(0, (length - lengths[index]) / whole)) : 0
    return [a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)]
  }
}

/// The squared distance from each pixel's centre to the nearest segment so far.
private struct DistanceCanvas {
  var columns: Int
  var rows: Int
  /// Pixels further away than this from a segment stay untouched.
  var reach: Float
  var nearest: UnsafeMutableBufferPointer<Float>

  /// Adds a segment, and calls `nearer` with the index of each pixel that nothing before was nearer to.
  @inline(__always)
  func addSegment(
    from a: (x: Float, y: Float), to b: (x: Float, y: Float), nearer: (Int) -> Void = { _ in }
  ) {
    let dx = b.x - a.x
    let dy = b.y - a.y
    let squared = dx * dx + dy * dy
    let inverse = squared > 0 ? 1 / squared : 0

    let left = max(0, Int(min(a.x, b.x) - reach))
    let right = min(columns - 1, Int(max(a.x, b.x) + reach))
    let top = max(0, Int(min(a.y, b.y) - reach))
    let bottom = min(rows - 1, Int(max(a.y, b.y) + reach))
    guard left <= right, top <= bottom else { return }

    for row in top...bottom {
      let fromY = Float(row) + 0.5 - a.y
      for column in left...right {
        let fromX = Float(column) + 0.5 - a.x
        let along = (fromX * dx + fromY * dy) * inverse
        let clamped = along < 0 ? 0 : (along > 1 ? 1 : along)
        let restX = fromX - clamped * dx
        let restY = fromY - clamped * dy
        let distance = restX * restX + restY * restY
        let index = row * columns + column
        if distance < nearest[index] {
          nearest[index] = distance
          nearer(index)
        }
      }
    }
  }
}

extension Drawing {
  /// Checks that all coordinates are finite, and returns the bounds of the points.
  ///
  /// - Throws: `RasterError.notFinite` for a coordinate that is not a number or infinite, and
  ///   `RasterError.tooFarApart` where the extent is beyond what a `Double` can hold.
  func finiteBounds() throws(RasterError) -> Bounds? {
    for (strokeIndex, stroke) in strokes.enumerated() {
      if let index = stroke.points.firstIndex(where: { !$0.x.isFinite || !$0.y.isFinite }) {
        let point = stroke.points[index]
        throw .notFinite(stroke: strokeIndex + 1, point: index + 1, x: point.x, y: point.y)
      }
    }
    guard let bounds else { return nil }
    guard bounds.longerSide.isFinite else { throw .tooFarApart }
    return bounds
  }
}
