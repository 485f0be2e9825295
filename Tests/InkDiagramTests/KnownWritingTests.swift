import Foundation
import Ink
import InkRaster
import InkRecognizer
import Synchronization
import Testing

@testable import InkDiagram

@Suite struct KnownWritingTests {
  /// A picture that notes at which angles writing was cut out of it.
  private struct NotingPicture: DiagramPicture {
    final class Angles: Sendable {
      let values = Mutex<[Double]>([])
    }
    var picture: DrawnPicture
    var angles = Angles()

    var uprightDrawing: Drawing { picture.uprightDrawing }
    var page: Bitmap { picture.page }
    func turned(byQuarters quarters: Int) -> NotingPicture {
      NotingPicture(picture: picture.turned(byQuarters: quarters), angles: angles)
    }
    func drawingPlace(ofPixel pixel: Vector) -> Vector { picture.drawingPlace(ofPixel: pixel) }
    func pixel(at place: Vector) -> Vector { picture.pixel(at: place) }
    func strip(
      ofCells cells: [Vector], besides others: [Vector], cellSize: Double, turnedBy angle: Double
    ) -> Bitmap? {
      angles.values.withLock { $0.append(angle) }
      return picture.strip(
        ofCells: cells, besides: others, cellSize: cellSize, turnedBy: angle)
    }
  }

  private func letter(_ x: Double, _ y: Double) -> [[Point]] {
    [
      [Point(x, y), Point(x + 11, y - 30), Point(x + 22, y)],
      [Point(x + 5, y - 11), Point(x + 17, y - 11)],
    ]
  }

  /// Two states with an arrow, `letters` beside them, and the picture of all.
  private func picture(_ letters: [[Point]]) -> NotingPicture {
    func ring(_ x: Double, _ radius: Double = 55) -> [Point] {
      (0...80).map {
        let angle = 2 * Double.pi * Double($0) / 80
        return Point(x + radius * cos(angle), 200 + radius * sin(angle))
      }
    }
    let shapes = [
      ring(150), ring(450), [Point(210, 200), Point(390, 200)],
      [Point(372, 190), Point(390, 200), Point(372, 210)],
    ]
    return NotingPicture(
      picture: DrawnPicture(
        drawing: Drawing((shapes + letters).map { Stroke($0).resampled(spacing: 1) })))
  }

  private func strips(
    of texts: [[[Point]]], in picture: NotingPicture, quarters: Int = 0, turnedBy angle: Double = 0
  ) throws -> [Bitmap?] {
    let writing = KnownWriting(
      texts: texts.map { $0.map { $0.map { picture.pixel(at: Vector($0)) } } })
    return writing.strips(
      in: picture.turned(byQuarters: quarters), turnedBy: angle,
      with: try PageNetwork.released(), workers: 1)
  }

  @Test func whatIsSeenAlikeIsCutOut() throws {
    let (one, other) = (letter(139, 215), letter(290, 170))
    let picture = picture(one + other)
    let strips = try strips(of: [one, letter(290, 280), other], in: picture)
    #expect(strips.map { $0 == nil } == [false, true, false])
    func ink(_ strip: Bitmap?) -> Int { strip?.pixels.count { $0 > 128 } ?? 0 }
    // Each strip has its letter only.
    let both = try self.strips(of: [one + other], in: picture)
    #expect(ink(strips[0]) > 100 && ink(strips[2]) > 100)
    #expect(abs(ink(strips[0]) + ink(strips[2]) - ink(both[0])) < 20)
  }

  @Test func textsThatTouchAreLeftOut() throws {
    let (one, other) = (letter(270, 165), letter(290, 165))
    #expect(try strips(of: [one, other], in: picture(one + other)).allSatisfy { $0 == nil })
  }

  @Test func aTextOfWhichAPartIsMissingIsLeftOut() throws {
    let (drawn, missing) = (letter(270, 165), letter(310, 165))
    #expect(try strips(of: [drawn + missing], in: picture(drawn)) == [nil])
  }

  @Test func writingIsCutOutUpright() throws {
    let letters = letter(290, 170)
    for (quarters, turn) in [(0, 0.2), (1, 0), (3, -0.1)] {
      let picture = picture(letters)
      #expect(try strips(of: [letters], in: picture, quarters: quarters, turnedBy: turn)[0] != nil)
      let angle = try #require(picture.angles.values.withLock { $0.first })
      let expected = -(turn + Double(quarters) * .pi / 2)
      #expect(abs(sin((angle - expected) / 2)) < 1e-9, "\(quarters)")
    }
  }
}
