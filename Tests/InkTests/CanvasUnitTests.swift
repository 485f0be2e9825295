import Ink
import Testing
import TestSupport

/// The unit of drawings, judged by their sizes.
@Suite struct CanvasUnitTests {
  private func rings(_ radii: [Double], x: Double = 0) -> [Drawing] {
    radii.map { circle(x: x, y: x, radius: $0) }
  }

  @Test(arguments: [
    // From 0 to 1, centimetres, inches, one drawing, and letters in millimetres on a page.
    (0.4, 0.5, 3), (1.5, 2, 4), (0.2, 12, 2), (0.01, 0.02, 1), (2, 200, 20),
  ]) func smallDrawingsAreNotInPoints(radius: Double, x: Double, count: Int) throws {
    let drawings = rings((0..<count).map { radius * (1 + 0.2 * Double($0 % 3)) }, x: x)
    let points = try #require(CanvasUnit.pointsPerUnit(of: drawings))
    let median = 2 * radius * (count > 2 ? 1.2 : count == 2 ? 1.2 : 1)
    #expect(abs(points * median / 120 - 1) < 0.06, "\(points)")
  }

  @Test func drawingsInPointsAreInPoints() {
    #expect(CanvasUnit.pointsPerUnit(of: rings([40, 50, 90, 20, 60, 70, 30, 45, 1, 2])) == nil)
    #expect(CanvasUnit.pointsPerUnit(of: rings([60, 70])) == nil)
    // A tap or two on a screen.
    #expect(CanvasUnit.pointsPerUnit(of: rings([2], x: 300)) == nil)
    #expect(CanvasUnit.pointsPerUnit(of: rings([2, 3, 1], x: 300)) == nil)
    // Taps among drawings.
    let mixed = rings([2, 3, 1, 2, 50, 60, 70, 80, 90], x: 200)
    #expect(CanvasUnit.pointsPerUnit(of: mixed) == nil)
    // Nothing shows a size.
    #expect(CanvasUnit.pointsPerUnit(of: [Drawing([]), Drawing([Stroke([Point(1, 1)])])]) == nil)
  }

  @Test func aRecordingKeepsItsUnit() throws {
    var recording = Recording(Drawing([Stroke([Point(0, 0), Point(1, 1)])]))
    #expect(recording.pointsPerUnit == nil)
    recording.pointsPerUnit = 150
    let line = try NDJSON.line(recording, at: Place(file: "a"))
    let item = try #require(NDJSON.item(line, at: Place(file: "a")))
    #expect(try item.result.get().pointsPerUnit == 150)
    for value in [JSONValue.text("a"), .number(0), .number(-1)] {
      recording.attributes[CanvasUnit.attributeName] = value
      #expect(recording.pointsPerUnit == nil)
    }
  }

  @Test func theFormOfAStrokeIsJudgedInItsUnit() {
    let stroke = circle(radius: 0.5).strokes[0]
    #expect(stroke.form == .dot && stroke.form(pointsPerUnit: 100) == .curve)
  }
}
