import Ink
import Testing

@testable import InkDiagram

@Suite struct WrittenRowsTests {
  /// Strokes from the upper left to the lower right corner of frames.
  private func writing(_ frames: [(Double, Double, Double, Double)]) -> WrittenRows {
    WrittenRows(
      traces: frames.enumerated().map { index, frame in
        let points = [Point(frame.0, frame.1), Point(frame.2, frame.3)]
        return Trace(Stroke(points), index: index)!
      })
  }

  private func rows(_ frames: [(Double, Double, Double, Double)]) -> [[Int]] {
    writing(frames).rows.map(\.strokes)
  }

  /// A row of letters that are 10 wide and 20 high.
  private func row(_ count: Int, at y: Double) -> [(Double, Double, Double, Double)] {
    (0..<count).map { index in
      let left = 14 * Double(index)
      return (left, y, left + 10, y + 20)
    }
  }

  @Test func aBarDividesANameFromItsOutput() {
    let fraction = [(0.0, 0.0, 10.0, 20.0), (12, 12, 20, 24), (-5, 30, 28, 31), (6, 38, 14, 58)]
    #expect(rows(fraction) == [[0, 1], [3]])
    #expect(writing(fraction).lines.map(\.strokes) == [[0, 1], [3], [2]])
    #expect(writing(fraction).undividedByBars.map(\.strokes) == [[0, 1, 2, 3]])
    // A high name over a low output.
    let low = [(0.0, 0.0, 10.0, 20.0), (12, 0, 22, 28), (-5, 30, 28, 31), (8, 36, 14, 44)]
    #expect(rows(low) == [[0, 1], [3]])
    // The bar of t1', which has a prime beside it and an index below.
    #expect(
      rows([(10, 0, 14, 20), (2, 7, 24, 8), (26, -4, 27, 4), (26, 14, 32, 26)])
        == [[0, 1, 2, 3]])
    // A name of two rows.
    let high = row(4, at: 0) + row(4, at: 26) + [(-5, 54, 60, 55), (20, 60, 30, 80)]
    #expect(rows(high) == [[0, 1, 2, 3], [4, 5, 6, 7], [9]])
    let words = ["left", "turn", "1"].map { [ScoredText(text: $0, score: 1)] }
    #expect(writing(high).texts(of: words).map(\.text) == ["left turn/1"])
    // A dash with nothing below it is writing.
    #expect(rows(Array(fraction.prefix(3))) == [[0, 1, 2]])
  }

  @Test func wordsBelowEachOtherAreRows() {
    #expect(rows(row(4, at: 0) + row(3, at: 28)) == [[0, 1, 2, 3], [4, 5, 6]])
    #expect(
      rows(row(3, at: 0) + row(3, at: 28) + row(3, at: 56)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    #expect(
      writing(row(4, at: 0) + row(3, at: 28)).undividedByBars.map(\.strokes)
        == [[0, 1, 2, 3], [4, 5, 6]])
    // Letters on one line, whatever their height.
    #expect(rows(row(4, at: 0) + [(60, 8, 70, 34), (74, -6, 84, 20)]).count == 1)
  }

  @Test func dotsAndIndicesBelongToTheirLetter() {
    // Two letters alone.
    #expect(rows([(0, 0, 10, 20), (2, 26, 12, 46)]) == [[0, 1]])
    #expect(rows(row(5, at: 0) + [(14, -8, 15, -6)]).count == 1)
    #expect(rows(row(5, at: 0) + [(72, 22, 80, 34)]).count == 1)
  }

  @Test func theTextsOfRowsAreJoined() {
    func text(_ text: String, _ score: Double) -> ScoredText { .init(text: text, score: score) }
    let readings = [[text("S0", 0.9), text("So", 0.1)], [text("1", 0.8), text("l", 0.2)]]
    let fraction = writing([(0, 0, 10, 20), (-5, 30, 28, 31), (6, 38, 14, 58)])
    let texts = fraction.texts(of: readings)
    #expect(texts.map(\.text) == ["S0/1", "S0/l", "So/1"])
    #expect(abs(texts[0].score - 0.72) < 1e-12 && abs(texts[1].score - 0.18) < 1e-12)
    let words = writing(row(4, at: 0) + row(3, at: 28))
    #expect(words.texts(of: readings).first?.text == "S0 1")
    #expect(words.texts(of: [readings[0], []]).first?.text == "S0")
  }
}
