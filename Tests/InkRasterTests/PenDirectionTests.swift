import Foundation
import Ink
import SeededRandom
import Testing

@testable import InkRaster

/// The planes of a line that show in which directions the pen moved.
@Suite(.timeLimit(.minutes(30))) struct PenDirectionTests {
  private let rasterizer = try! LineRasterizer(showsDirections: true)

  /// The four planes of a line: right, left, down, up.
  private func planes(_ line: LineImage) -> [[UInt8]] {
    let count = line.bitmap.pixels.count
    return stride(from: 0, to: line.directions.count, by: count).map {
      Array(line.directions[$0..<$0 + count])
    }
  }

  /// A straight stroke of many points.
  private func stroke(_ x: Double, _ y: Double) -> Stroke {
    Stroke((0...40).map { Point(x * Double($0), y * Double($0)) })
  }

  @Test(arguments: [(3.0, 0.0), (-3, 0), (0, 3), (0, -3)])
  func aStraightStrokeHasOneDirection(x: Double, y: Double) throws {
    let line = try rasterizer.render(Drawing([stroke(x, y)]))
    let planes = planes(line)
    #expect(planes.count == 4)
    let shown = [x > 0, x < 0, y > 0, y < 0]
    for (plane, isShown) in zip(planes, shown) {
      #expect(plane == (isShown ? line.bitmap.pixels : plane.map { _ in 0 }))
    }
  }

  @Test func aSlantedStrokeHasSharesOfTwo() throws {
    let line = try rasterizer.render(Drawing([stroke(3, -4)]))
    let planes = planes(line)
    for (index, grey) in line.bitmap.pixels.enumerated() {
      #expect(abs(Double(planes[0][index]) - 0.6 * Double(grey)) <= 1)
      #expect(abs(Double(planes[3][index]) - 0.8 * Double(grey)) <= 1)
      #expect(planes[1][index] == 0 && planes[2][index] == 0)
    }
  }

  @Test(arguments: 0..<20) func theDirectionsOfAllInkHaveItsDarkness(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var place = Point(0, 0)
    let points = (0..<60).map { _ in
      place = Point(place.x + 9 * generator.normal(), place.y + 6 * generator.normal())
      return place
    }
    let line = try rasterizer.render(Drawing([Stroke(points)]))
    let plain = try LineRasterizer().render(Drawing([Stroke(points)]))
    #expect(line.bitmap == plain.bitmap && plain.directions.isEmpty)
    #expect(line.planes == plain.planes + line.directions)
    let planes = planes(line)
    for (index, grey) in line.bitmap.pixels.enumerated() {
      let squares = planes.reduce(0.0) { $0 + Double($1[index]) * Double($1[index]) }
      #expect(abs(squares.squareRoot() - Double(grey)) < 2)
      #expect(planes[0][index] == 0 || planes[1][index] == 0)
      #expect(planes[2][index] == 0 || planes[3][index] == 0)
    }
  }

  @Test func aCoarseGridHardlyTurnsTheDirection() throws {
    // A tall line gives the scale: a step of the grid is less than a pixel.
    let frame = [Stroke([Point(-40, -60), Point(-40, 100)])]
    /// The movement to the right in all ink.
    func movement(grid: Double) throws -> Double {
      let points = (0...60).map { index in
        let (x, y) = (2 * Double(index), 0.5 * Double(index))
        return Point((x / grid).rounded() * grid, (y / grid).rounded() * grid)
      }
      let line = try rasterizer.render(Drawing(frame + [Stroke(points)]))
      func sum(_ plane: [UInt8]) -> Double { plane.reduce(0) { $0 + Double($1) } }
      return sum(planes(line)[0]) / sum(line.bitmap.pixels)
    }
    // The direction of single steps would hide the movement to the right in a fifth of the line.
    let (fine, coarse) = (try movement(grid: 0.001), try movement(grid: 4))
    #expect(abs(coarse - fine) < 0.1 * fine)
  }

  @Test func whatHasNoDirectionShowsNone() throws {
    let word = Drawing([stroke(1, 2), stroke(2, -1)])
    let traced = try rasterizer.render(word, isTraced: true)
    let strip = try rasterizer.render(traced.bitmap)
    for line in [
      traced, strip, try rasterizer.render(Drawing([])),
      try rasterizer.render(Drawing([Stroke([Point(3, 4)])])),
      try rasterizer.render(Drawing([Stroke([Point(3, 4), Point(3, 4)])])),
    ] {
      #expect(line.directions.count == 4 * line.bitmap.pixels.count)
      #expect(line.directions.allSatisfy { $0 == 0 })
    }
    #expect(try traced.bitmap == rasterizer.render(word).bitmap)
  }

  @Test func aDotHasNoDirection() throws {
    // The upright stroke makes a unit a pixel.
    let strokes = [
      Stroke([Point(-10, 0), Point(-10, 24)]), Stroke([Point(0, 10), Point(20, 10)]),
      Stroke([Point(10, 12)]),
    ]
    let wide = try rasterizer.with(penWidth: 4)
    func right(_ strokes: [Stroke], column: Int) throws -> UInt8 {
      let line = try wide.render(Drawing(strokes))
      return line.directions[15 * line.bitmap.width + column]
    }
    // A row below the middle of the stroke, where the dot is nearer, and beside the dot.
    #expect(try right(Array(strokes.prefix(2)), column: 24) == 255)
    #expect(try right(strokes, column: 24) == 0)
    #expect(try right(strokes, column: 31) == 255)
  }

  /// A pen that is held still takes no longer than one that moves.
  @Test func manyPointsAtOnePlaceAreReadInOnePass() throws {
    let still = Stroke(
      (0..<200_000).map { Point($0 < 100_000 ? 0 : Double($0 - 100_000) * 1e-5, 0) })
    let line = try rasterizer.render(Drawing([still, stroke(0, 1)]))
    #expect(line.directions.contains { $0 > 0 })
  }

  @Test func theParameterIsStored() throws {
    let json = try JSONEncoder().encode(rasterizer)
    #expect(try JSONDecoder().decode(LineRasterizer.self, from: json) == rasterizer)
    #expect(try rasterizer.with(penWidth: 1).showsDirections && rasterizer.planeCount == 5)
    // Models of earlier versions have none, and files of models without it do not change.
    let other = try JSONEncoder().encode(LineRasterizer())
    #expect(!String(decoding: other, as: UTF8.self).contains("showsDirections"))
    #expect(try !JSONDecoder().decode(LineRasterizer.self, from: other).showsDirections)
  }
}
