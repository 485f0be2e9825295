import Ink
import InkDiagram
import Testing

@testable import InkDatasets

@Suite(.timeLimit(.minutes(30))) struct PhotographedDrawingTests {
  private let drawing = Drawing([
    Stroke((0...60).map { Point(100 + 40 * Double($0 % 2), 100 + 10 * Double($0)) }),
    Stroke([Point(100, 100), Point(700, 120)]),
  ])
  private let state = Diagram.State(
    id: "s0", name: "q", initial: false, final: true, center: Vector(100, 100), radius: 50)

  private func picture(seed: UInt64) -> PagePicture {
    PagePicture(photographOf: drawing, states: [state], seed: seed, number: 3)
  }

  @Test func theSeedDecidesEverything() {
    #expect(picture(seed: 4).photograph == picture(seed: 4).photograph)
    #expect(picture(seed: 4).photograph != picture(seed: 5).photograph)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func strokesAndStatesAreInThePictureAndStandOut(seed: UInt64) {
    let picture = picture(seed: seed)
    let photograph = picture.photograph
    #expect((1200...2400).contains(max(photograph.width, photograph.height)))
    func level(_ place: Vector) -> Double {
      Double(photograph.samples[Int(place.y) * photograph.width + Int(place.x)])
    }
    let places = picture.page.strokes.flatMap(\.path)
    #expect(
      places.allSatisfy {
        (20..<Double(photograph.width - 20)).contains($0.x)
          && (20..<Double(photograph.height - 20)).contains($0.y)
      })
    let line = picture.page.strokes[1].path
    let along = (1..<40).map { line[0] + (line[1] - line[0]) * (Double($0) / 40) }
    // The ground is 15 pixels beside the line.
    let contrasts = along.map { abs(level($0) - level($0 + Vector(0, 15))) }.sorted()
    #expect(contrasts[20] > 25, "\(picture.surface)")
    // Where the strokes begin, and a twelfth of the line large.
    let placed = picture.page.states[0]
    #expect(placed.center.distance(to: line[0]) < 1e-6)
    let share = placed.halfWidth / line[0].distance(to: line[1])
    #expect((0.06...0.11).contains(share), "\(share)")
  }
}
