import Ink
import SeededRandom
import Testing

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct SimulatedPhotographTests {
  private let drawing = Drawing([
    Stroke((0...60).map { Point(100 + 40 * Double($0 % 2), 100 + 10 * Double($0)) }),
    Stroke([Point(100, 100), Point(700, 120)]),
  ])

  private func photograph(seed: UInt64) -> SimulatedPhotograph {
    var generator = SeededGenerator(seed: seed)
    return SimulatedPhotograph(of: drawing, using: &generator)
  }

  @Test func theSeedDecidesEverything() {
    #expect(photograph(seed: 4).photograph == photograph(seed: 4).photograph)
    #expect(photograph(seed: 4).photograph != photograph(seed: 5).photograph)
  }

  @Test func strokesAreInThePictureAndStandOut() {
    for seed in 1...4 as ClosedRange<UInt64> {
      let simulated = photograph(seed: seed)
      let picture = simulated.photograph
      func red(_ point: Point) -> Double {
        Double(picture.samples[(Int(point.y) * picture.width + Int(point.x)) * 3])
      }
      let points = simulated.strokes[1].resampled(count: 40).points
      #expect(
        points.allSatisfy {
          (20..<Double(picture.width - 20)).contains($0.x)
            && (20..<Double(picture.height - 20)).contains($0.y)
        })
      // The paper is 15 pixels beside the line.
      let contrasts = points.map { abs(red($0) - red(Point($0.x, $0.y - 15))) }.sorted()
      #expect(contrasts[20] > 25, "seed \(seed)")
    }
  }

  @Test func theStrokesAreTheDrawingInPerspective() {
    let simulated = photograph(seed: 7)
    for (stroke, original) in zip(simulated.strokes, drawing.strokes) {
      for (point, place) in zip(stroke.points, original.points) {
        #expect(simulated.perspective.apply(to: place).distance(to: point) < 1e-9)
      }
    }
  }
}
