import Foundation
import Ink
import InkReader
import Testing

@testable import InkDiagram

@Suite struct LabelReaderTests {
  private func reader() throws -> LabelReader {
    LabelReader(reader: try Reader.released(), vocabulary: [], alphabet: [], workers: 2)
  }

  private func texts(_ scores: KeyValuePairs<String, Double>) -> [ScoredText] {
    scores.map { ScoredText(text: $0.key, score: $0.value) }
  }

  private func best(_ lists: [[ScoredText]]) -> [String?] { lists.map { $0.first?.text } }

  @Test func namesOfADrawingHaveOutputsOrNone() throws {
    let doubtful = texts(["q01": -0.5, "q0/1": -1.5])
    let outputs = [doubtful, texts(["q1/0": -0.2]), texts(["q2/0": -0.2]), texts(["q3/1": -0.2])]
    #expect(best(try reader().agreed(names: outputs)).first == "q0/1")
    let plain = [
      texts(["q0/1": -0.5, "q01": -1.5]), texts(["q1": -0.2]), texts(["q2": -0.2]),
      texts(["q3": -0.2]),
    ]
    #expect(best(try reader().agreed(names: plain)).first == "q01")
  }

  @Test func statesAreNumberedOneAfterTheOther() throws {
    let others = ["q1", "q2", "q3", "q4"].map { texts([$0: -0.1]) }
    let doubtful = texts(["q6": -0.5, "q0": -1.5])
    #expect(best(try reader().agreed(names: [doubtful] + others)).first == "q0")
    let clear = texts(["q6": -0.1, "q0": -7])
    #expect(best(try reader().agreed(names: [clear] + others)).first == "q6")
    let numbers = (1...9).map { texts(["\($0)": -0.1]) }
    #expect(
      best(try reader().agreed(names: [texts(["16": -0.4, "10": -0.5])] + numbers)).first == "10")
  }

  @Test func binaryNamesHaveOneLengthAndAreEnough() throws {
    let others = ["010", "001", "000", "011"].map {
      texts([$0: -0.3, String($0.dropLast()): -0.9])
    }
    let doubtful = texts(["10": -0.3, "100": -2])
    // Five states have no room in two bits.
    #expect(best(try reader().agreed(names: [doubtful] + others)).first == "100")
    let twoBits = ["00", "01", "11"].map { texts([$0: -0.1]) }
    #expect(best(try reader().agreed(names: [doubtful] + twoBits)).first == "10")
  }

  @Test func inputsAndOutputsRepeatApart() throws {
    let doubtful = texts(["6/1": -0.5, "b/1": -1.2])
    let others = [texts(["a/1": -0.1]), texts(["b/0": -0.1]), texts(["a/0": -0.1])]
    #expect(best(try reader().agreed(symbols: [doubtful] + others)).first == "b/1")
    // Two inputs with one output are no symbol twice.
    let list = [
      texts(["0/1,1/1": -0.5, "0/1,1": -0.6]), texts(["0/1": -0.1]), texts(["1/1": -0.1]),
      texts(["1/0": -0.1]),
    ]
    #expect(best(try reader().agreed(symbols: list)).first == "0/1,1/1")
  }

  @Test func theDirectionsOfTracedStrokesAreLeftOut() throws {
    let strokes = [
      Stroke(
        (0...20).map {
          let angle = Double($0) * 0.3
          return Point(20 * cos(angle), 25 * sin(angle))
        }), Stroke((0...10).map { Point(40, 5 * Double($0) - 25) }),
    ]
    let line = TextLine(traces: strokes.enumerated().compactMap { Trace($1, index: $0) })
    let labelReader = try reader()
    /// How much the scores of all texts change where the strokes are drawn from their other ends.
    func change(_ writing: @Sendable (Drawing) -> LabelReader.Writing) -> Double {
      let scores = [strokes, strokes.map { $0.reversed() }].map { strokes in
        let texts = labelReader.texts(names: [line], symbols: []) { _, _ in
          writing(Drawing(strokes))
        }
        return Dictionary(texts.names[0].map { ($0.text, $0.score) }) { first, _ in first }
      }
      return scores[0].reduce(0) { $0 + abs($1.value - (scores[1][$1.key] ?? -100)) }
    }
    #expect(change { .picture(nil, $0) } < 0.1)
    #expect(change { .ink($0) } > 0.5)
  }

  @Test(arguments: [
    ("btn_press", true), ("0/1", true), ("x==0", true), ("a", false), ("/0", false), ("0/", false),
    ("0/1,/1", false),
    ("--", false), ("", false),
  ])
  func aTextHasLettersAndNoOpenSlash(text: String, isWhole: Bool) {
    #expect(LabelReader.isWhole(text) == isWhole)
  }
}
