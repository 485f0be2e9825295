import Ink
import Testing

@testable import InkReader

/// How a page is divided into lines and words.
struct WritingLayoutTests {
  private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Bounds {
    Bounds(around: Point(x, y)).extended(to: Point(x + width, y + height))
  }

  private func lines(_ parts: [Bounds], dividesWords: Bool = true) -> [[[Int]]] {
    WritingLayout(of: parts, dividesWords: dividesWords).lines
  }

  @Test func linesAndWordsAreDivided() {
    // Two lines of two words of four letters, 10 × 20, 2 apart, with 14 between words.
    var parts: [Bounds] = []
    for line in 0..<2 {
      for letter in 0..<8 {
        let x = Double(letter) * 12 + (letter < 4 ? 0 : 12)
        parts.append(box(x, Double(line) * 45, 10, 20))
      }
    }
    #expect(
      lines(parts) == [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11], [12, 13, 14, 15]]])
    #expect(lines(parts, dividesWords: false) == [[Array(0..<8)], [Array(8..<16)]])
    // The order of strokes does not count, but the indices follow it.
    #expect(lines(parts.reversed())[0][0] == [12, 13, 14, 15])
  }

  @Test(arguments: [
    // x with an index of half its size, low, and one of its size.
    [(0.0, 0.0, 12.0, 14.0), (14, 12, 6, 8)], [(0, 0, 12, 14), (14, 15, 12, 14)],
    // = and ≡, i, a colon, an ellipsis, F of three strokes.
    [(0, 0, 20, 1), (0, 8, 20, 1)], [(0, 0, 20, 1), (0, 8, 20, 0), (1, 16, 19, 1)],
    [(0, 0, 1, 1), (0, 5, 1, 14)], [(0, 0, 1, 1), (0, 12, 1, 1)],
    [(0, 0, 1, 1), (10, 0, 1, 1), (20, 0, 1, 1)],
    [(0, 0, 1, 20), (1, 0, 12, 1), (1, 9, 10, 1)],
    // a, b with a comma between, spaced wide.
    [(0, 0, 10, 12), (14, 10, 2, 5), (30, -4, 9, 16)],
    // One dot, and a stroke without extent beside one.
    [(3, 3, 0, 0)], [(0, 0, 10, 20), (12, 20, 0, 0)],
  ])
  func signsAndLabelsStayWhole(_ parts: [(Double, Double, Double, Double)]) {
    #expect(lines(parts.map(box)) == [[Array(parts.indices)]])
  }

  @Test func nothingAndVeryManyPartsAreOneLine() {
    #expect(lines([]) == [])
    let many = (0..<5_000).map { box(Double($0 % 70) * 12, Double($0 / 70) * 40, 10, 20) }
    #expect(lines(many) == [[Array(0..<5_000)]])
  }
}
