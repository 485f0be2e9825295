import Testing

@testable import Ink

@Suite struct PerspectiveTests {
  private let square = [Point(0, 0), Point(100, 0), Point(100, 100), Point(0, 100)]

  @Test func fourPointsDetermineTheMap() throws {
    let seen = [Point(10, 20), Point(90, 5), Point(120, 110), Point(-5, 80)]
    let map = try #require(Perspective(from: square, to: seen))
    for (point, image) in zip(square, seen) {
      #expect(map.apply(to: Vector(point)).distance(to: Vector(image)) < 1e-9)
    }
  }

  @Test func linesStayStraight() throws {
    let seen = [Point(0, 0), Point(80, 10), Point(70, 60), Point(10, 90)]
    let map = try #require(Perspective(from: square, to: seen))
    let points = [0.1, 0.4, 0.9].map { map.apply(to: Vector(20 + 60 * $0, 10 + 70 * $0)) }
    let (a, b) = (points[1], points[2])
    let area = (a.x - points[0].x) * (b.y - points[0].y) - (a.y - points[0].y) * (b.x - points[0].x)
    #expect(abs(area) < 1e-6)
  }

  @Test func pointsInLineDetermineNoMap() {
    let inLine = [Point(0, 0), Point(1, 1), Point(2, 2), Point(3, 3)]
    #expect(Perspective(from: inLine, to: square) == nil)
    #expect(Perspective(from: square, to: inLine) == nil)
  }
}
