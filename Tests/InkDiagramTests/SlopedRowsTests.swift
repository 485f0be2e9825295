import Foundation
import Ink
import InkReader
import Testing

@testable import InkDiagram

@Suite struct SlopedRowsTests {
  /// Upright lines of letters of the height 20 in rows that are 32 apart, turned clockwise.
  private func traces(_ counts: [Int], turnedBy degrees: Double) -> [Trace] {
    var strokes: [Stroke] = []
    for (row, count) in counts.enumerated() {
      for number in 0..<count {
        let (x, y) = (12 * Double(number), 32 * Double(row))
        strokes.append(
          Stroke((0...10).map { Point(x + 0.4 * Double($0), y + 2 * Double($0)) }))
      }
    }
    let turned = Drawing(strokes).transformed(by: .rotation(degrees * .pi / 180))
    return turned.strokes.enumerated().map { Trace($1, index: $0)! }
  }

  private func candidates(_ traces: [Trace], known: Int = 1) -> [[TextLine]] {
    SlopedRows.candidates(
      for: traces, besides: [TextLine](repeating: TextLine(traces: traces), count: known), in: nil)
  }

  @Test(arguments: [-40.0, -25, -18, 20, 35]) func rowsOnASlopeAreFound(degrees: Double) {
    let found = candidates(traces([6, 5], turnedBy: degrees))
    #expect(
      found.contains { rows in
        rows.map(\.strokes) == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]
          && rows.allSatisfy { abs($0.slope * 180 / .pi - degrees) < 4 }
      })
    // Each stroke is in one row.
    #expect(found.allSatisfy { $0.flatMap(\.strokes).sorted() == Array(0...10) })
  }

  @Test(arguments: [-90.0, 90]) func steepWritingIsReadInBothDirections(degrees: Double) {
    let found = candidates(traces([6], turnedBy: degrees))
    let slopes = found.filter { $0.count == 1 }.map { Int(($0[0].slope * 180 / .pi).rounded()) }
    #expect(slopes.contains { abs($0 - 90) < 8 } && slopes.contains { abs($0 + 90) < 8 })
  }

  @Test func levelRowsThatAreKnownAreNotOfferedAgain() {
    let level = candidates(traces([6, 5], turnedBy: 0), known: 2)
    #expect(!level.contains { abs($0[0].slope) < 0.1 })
    // One line in which they are not divided is not all that is known.
    #expect(
      candidates(traces([6, 5], turnedBy: 0)).contains {
        $0.count == 2 && abs($0[0].slope) < 0.11
      })
    // A single line is not steep writing.
    #expect(candidates(traces([1], turnedBy: 0)).isEmpty)
  }

  @Test(arguments: [
    ("north", "Approach", true), ("start or", "stop", true), ("CE", "&&", true),
    ("||", "x1", true), ("a", "b", false), ("0,1", "ready", false), ("&", "&", false),
    ("on", "off", false), ("x1y", "off", false), ("0,1", "||", false), ("|", "digit", false),
  ])
  func wordsInRowsAreOneSymbol(text: String, below: String, isPhrase: Bool) throws {
    func reader(_ vocabulary: [String], alphabet: [String] = []) throws -> LabelReader {
      LabelReader(
        reader: try Reader.released(), vocabulary: vocabulary, alphabet: alphabet, workers: 1)
    }
    #expect(try reader([text]).isPhrase(text, above: below) == isPhrase)
    // Symbols that are known stay apart.
    #expect(try !reader([text, below]).isPhrase(text, above: below))
    #expect(try !reader([], alphabet: [text, below]).isPhrase(text, above: below))
  }

  @Test func theTextsOfAPhraseAreJoined() throws {
    let reader = LabelReader(
      reader: try Reader.released(), vocabulary: [], alphabet: [], workers: 1)
    let rows = traces([4, 4, 4], turnedBy: 0)
    let lines = [0, 4, 8].map { TextLine(traces: Array(rows[$0..<$0 + 4])) }
    func text(_ text: String, _ score: Double) -> ScoredText { .init(text: text, score: score) }
    let read = [[text("north", 0.8), text("norte", 0.2)], [text("end", 0.9)], [text("0", 1)]]
    #expect(
      reader.phrases(of: lines, read).map { $0.map(\.text) }
        == [["north end", "norte end"], ["0"]])
    // Words with an unread row between them are two symbols.
    #expect(reader.phrases(of: lines, [read[0], [], read[1]]).count == 2)
  }

  @Test func rowsOfATextAreBelowEachOther() {
    func line(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> TextLine {
      TextLine(
        traces: [Trace(Stroke([Point(x, y), Point(x + width, y + height)]), index: 0)!])
    }
    let word = line(0, 0, 60, 20)
    #expect(word.isRow(aboveOrBelow: line(10, 30, 40, 18)))
    #expect(line(10, 30, 40, 18).isRow(aboveOrBelow: word))
    #expect(!word.isRow(aboveOrBelow: line(10, 40, 40, 18)))  // far below
    #expect(!word.isRow(aboveOrBelow: line(45, 30, 60, 18)))  // rather beside it
    #expect(!word.isRow(aboveOrBelow: line(10, 24, 40, 8)))  // too small
    #expect(!word.isRow(aboveOrBelow: line(10, 2, 40, 18)))  // across it
    #expect(line(20, 30, 0, 20).isRow(aboveOrBelow: word))  // a straight 1
  }
}
