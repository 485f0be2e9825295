import Ink

/// A pen that draws polylines with round caps and joints.
///
/// All rasterisers use it. Its width is in **output pixels**, so the line does not depend on the
/// size of a drawing. Only +, −, ×, ÷ and √ of IEEE 754 are used, so the same points give the same
/// bytes on every platform.
struct Pen {
  /// The width of a line, in pixels.
  let width: Double

  /// Draws `drawing` on a picture of `columns` × `rows` pixels; `place` maps its points to pixels.
  ///
  /// Points have to be on the picture or near it.
  func draw(
    _ drawing: Drawing, columns: Int, rows: Int, place: (Point) -> (x: Float, y: Float)
  ) -> Bitmap {
    draw(drawing.strokes, columns: columns, rows: rows, place: place)
  }

  /// Draws strokes, one at a time.
  func draw(
    _ strokes: some Sequence<Stroke>, columns: Int, rows: Int,
    place: (Point) -> (x: Float, y: Float)
  ) -> Bitmap {
    let reach = Float(width / 2 + 0.5)
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

    // The grey value of a pixel is the share of its width that the line covers.
    let pixels = nearest.map { squared -> UInt8 in
      let coverage = reach - squared.squareRoot()
      return UInt8(min(1, max(0, coverage)) * 255 + 0.5)
    }
    return Bitmap(width: columns, height: rows, pixels: pixels)
  }
}

/// The squared distance from each pixel's centre to the nearest segment so far.
private struct DistanceCanvas {
  var columns: Int
  var rows: Int
  /// Pixels further away than this from a segment stay untouched.
  var reach: Float
  var nearest: UnsafeMutableBufferPointer<Float>

  func addSegment(from a: (x: Float, y: Float), to b: (x: Float, y: Float)) {
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
        if distance < nearest[index] { nearest[index] = distance }
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
