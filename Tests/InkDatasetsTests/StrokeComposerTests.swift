import Foundation
import Ink
import InkDatasets
import InkRaster
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct StrokeComposerTests {
  /// Rings and arrows by two hands.
  private var recorded: Dataset {
    let synthesizer = Synthesizer(seed: 5)
    return Dataset(
      (0..<2).flatMap { writer in
        ["state", "transition"].flatMap { label in
          (0..<24).map { index in
            Example(
              synthesizer.recording(label: label, writer: writer, index: index), label: label,
              origin: "\(writer) \(index)")
          }
        }
      })
  }

  @Test func everyHandDrawsEveryKindWithItsOwnInk() {
    let composed = StrokeComposer(seed: 1).compose(from: recorded, perWriter: 5)
    let counts = Dictionary(grouping: composed.examples) { "\($0.hand!) \($0.kind)" }
    #expect(Set(composed.examples.map(\.kind)).count == 8)
    #expect(counts.count == 16 && counts.values.allSatisfy { $0.count == 5 })
    #expect(Set(composed.examples.compactMap(\.hand)) == Set(recorded.examples.compactMap(\.hand)))
    #expect(composed == StrokeComposer(seed: 1).compose(from: recorded, perWriter: 5))
    #expect(composed != StrokeComposer(seed: 2).compose(from: recorded, perWriter: 5))
  }

  @Test func bentLinesHaveTheSagTheyWereGiven() throws {
    let composed = StrokeComposer(seed: 1).compose(from: recorded, perWriter: 40)
    for example in composed.examples where example.kind == "composed bent line" {
      guard case .drawing(let drawing) = example.content,
        case .number(let sag)? = example.attributes["sag"]
      else {
        Issue.record("a bent line is a drawing with a sag")
        continue
      }
      let stroke = drawing.strokes[0]
      #expect(example.label == "transition")
      // What the hand did beside the straight line stays: up to 0.15, or it were no line.
      #expect(abs(stroke.sag / stroke.chord - sag) < 0.2)
    }
  }

  @Test func openLoopsAreOpenAndRingsAreNot() {
    let composed = StrokeComposer(seed: 1).compose(from: recorded, perWriter: 40)
    for example in composed.examples {
      guard case .drawing(let drawing) = example.content else { continue }
      let stroke = drawing.strokes[0]
      switch example.kind {
      case "composed open loop without head":
        #expect(example.label == "other" && stroke.chord > 0.1 * stroke.length)
      case "composed ring that goes on":
        #expect(example.label == "state" && stroke.chord < 0.35 * stroke.length)
      case "composed loop with head", "composed arch with head":
        #expect(example.label == "cycle")
      default: break
      }
    }
  }

  @Test func withoutPiecesOrWritersNothingIsComposed() {
    var data = recorded
    data.examples.removeAll { $0.label == "state" }
    let arrows = StrokeComposer(seed: 1).compose(from: data, perWriter: 2)
    #expect(!arrows.examples.contains { $0.label == "state" || $0.kind.contains("loop") })
    for index in data.examples.indices { data.examples[index].writer = nil }
    #expect(StrokeComposer(seed: 1).compose(from: data, perWriter: 2).examples.isEmpty)
  }

  @Test func strokesOfADrawingAreLabelledWithTheirForm() {
    let line = Stroke((0...20).map { Point(Double($0) * 10, 0) })
    let ring = Stroke(
      (0...40).map { Point(100 * cos(Double($0) * 0.16), 100 * sin(Double($0) * 0.16)) })
    let tap = Stroke([Point(300, 300), Point(301, 300)])
    let data = Dataset([
      Example(.drawing(Drawing([ring, line, tap])), label: "null", writer: "a", origin: "1"),
      Example(.drawing(Drawing([ring, tap])), label: "dotted", writer: "a", origin: "2"),
    ])
    let strokes = data.singleStrokes
    #expect(strokes.examples.map(\.label) == ["null/curve", "null/line"])
    #expect(strokes.examples.map(\.origin) == ["1, stroke 1", "1, stroke 2"])
    #expect(strokes.examples[0].content == .drawing(Drawing([ring])))
    #expect(strokes.examples[1].writer == "a")
  }

  @Test func augmentationWithPensMarginsAndFaintInkStaysInTheFrame() throws {
    let augmentation = Augmentation(
      spacing: 0.1, penWidths: 0.8...2.6, margins: 0...1.5, strengths: 0.5...0.9)
    var generator = SeededGenerator(seed: 4)
    var brightest = Set<UInt8>()
    for example in recorded.examples {
      let bitmap = try augmentation.bitmap(of: example, rasterizer: .standard, using: &generator)
      #expect(bitmap.width == 28 && bitmap.pixels.max()! > 80)
      brightest.insert(bitmap.pixels.max()!)
    }
    // 230 is 0.9 of white.
    #expect(brightest.max()! <= 230 && brightest.count > 20)
  }

  @Test func framedPicturesAreOnlyTurnedByQuartersAndMirrored() {
    let bitmap = Bitmap(width: 3, height: 3, pixels: [1, 2, 3, 4, 5, 6, 7, 8, 9])
    var generator = SeededGenerator(seed: 1)
    let augmentation = Augmentation(rotation: .pi, framed: 1, smallest: 0.5)
    let seen = Set((0..<200).map { _ in augmentation.vary(bitmap, using: &generator).pixels })
    // The eight symmetries of the square.
    #expect(
      seen == [
        [1, 2, 3, 4, 5, 6, 7, 8, 9], [7, 4, 1, 8, 5, 2, 9, 6, 3], [9, 8, 7, 6, 5, 4, 3, 2, 1],
        [3, 6, 9, 2, 5, 8, 1, 4, 7], [3, 2, 1, 6, 5, 4, 9, 8, 7], [9, 6, 3, 8, 5, 2, 7, 4, 1],
        [7, 8, 9, 4, 5, 6, 1, 2, 3], [1, 4, 7, 2, 5, 8, 3, 6, 9],
      ])
  }
}
