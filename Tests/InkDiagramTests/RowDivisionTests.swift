import Foundation
import Ink
import InkReader
import Testing

@testable import InkDiagram

@Suite struct RowDivisionTests {
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

  private func candidates(_ traces: [Trace], known: [[Int]]? = nil) -> [RowDivision] {
    let known = known ?? [Array(traces.indices)]
    return RowDivision.candidates(
      for: traces, besides: known.map { TextLine(traces: $0.map { traces[$0] }) }, in: nil)
  }

  private let twoRows = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]

  @Test(arguments: [-40.0, -25, -18, 20, 35]) func rowsOnASlopeAreFound(degrees: Double) {
    let found = candidates(traces([6, 5], turnedBy: degrees))
    #expect(
      found.contains { division in
        division.rows.map(\.strokes) == twoRows && division.gap < 0.1 && !division.isKnown
          && division.rows.allSatisfy { abs($0.slope * 180 / .pi - degrees) < 4 }
      })
    // Each stroke is in one row.
    #expect(found.allSatisfy { $0.rows.flatMap(\.strokes).sorted() == Array(0...10) })
  }

  @Test(arguments: [-90.0, 90]) func steepWritingIsReadInBothDirections(degrees: Double) {
    let found = candidates(traces([6], turnedBy: degrees)).filter { $0.rows.count == 1 }
    let slopes = found.map { Int(($0.rows[0].slope * 180 / .pi).rounded()) }
    #expect(slopes.contains { abs($0 - 90) < 8 } && slopes.contains { abs($0 + 90) < 8 })
  }

  @Test func levelRowsThatAreKnownAreNotOfferedAgain() {
    func level(_ traces: [Trace], known: [[Int]]? = nil) -> [[[Int]]] {
      candidates(traces, known: known).filter { abs($0.rows[0].slope) < 0.1 }
        .map { $0.rows.map(\.strokes) }
    }
    let rows = traces([6, 5], turnedBy: 0)
    #expect(!level(rows, known: twoRows).contains(twoRows))
    // One line in which they are not divided is not all that is known.
    #expect(level(rows).contains(twoRows))
    #expect(level(traces([1], turnedBy: 0)).isEmpty)
    // A dot has no extent.
    let dot = Trace(Stroke([Point(5, 5), Point(5, 5)]), index: 0)!
    #expect(candidates([dot]).allSatisfy { $0.rows.count == 1 && $0.gap == 0 })
  }

  @Test func inkBetweenRowsIsMeasured() {
    var strokes = traces([6, 5], turnedBy: 0)
    // A long tail of the first row ends in the second one.
    strokes.append(
      Trace(Stroke((0...440).map { Point(75, 0.1 * Double($0)) }), index: 11)!)
    let found = candidates(strokes).filter { $0.rows.count == 2 && $0.rows[0].slope == 0 }
    #expect(!found.isEmpty && found.allSatisfy { 0.05...0.35 ~= $0.gap })
  }

  /// The strokes of letters, in squares of the side 1.
  private static let letters: [Character: [[(Double, Double)]]] = [
    "A": [[(0, 1), (0.4, 0), (0.8, 1)], [(0.15, 0.65), (0.65, 0.65)]],
    "E": [[(0.6, 0), (0, 0), (0, 1), (0.6, 1)], [(0, 0.5), (0.5, 0.5)]],
    "H": [[(0, 0), (0, 1)], [(0.7, 0), (0.7, 1)], [(0, 0.5), (0.7, 0.5)]],
    "L": [[(0, 0), (0, 1), (0.6, 1)]],
    "N": [[(0, 1), (0, 0), (0.7, 1), (0.7, 0)]],
    "T": [[(0, 0), (0.8, 0)], [(0.4, 0), (0.4, 1)]],
  ]

  /// The strokes of words `pitch` below each other, in letters of the height 30.
  private func written(_ words: [String], pitch: Double = 45) -> Drawing {
    Drawing(
      words.enumerated().flatMap { row, word in
        word.enumerated().flatMap { column, letter in
          Self.letters[letter]!.map { corners in
            let points = corners.map {
              Point(30 * ($0.0 + 1.1 * Double(column)), 30 * $0.1 + pitch * Double(row))
            }
            return Stroke(
              zip(points, points.dropFirst()).flatMap { from, to in
                (0...10).map {
                  Point(
                    from.x + (to.x - from.x) * Double($0) / 10,
                    from.y + (to.y - from.y) * Double($0) / 10)
                }
              })
          }
        }
      })
  }

  /// The strokes of a drawing as one line, and what turns a line of them upright.
  private func block(
    of drawing: Drawing
  ) -> (LabelReader.Block, @Sendable (TextLine) -> LabelReader.Writing) {
    let known = [TextLine(traces: drawing.traces)]
    return (
      LabelReader.Block(traces: drawing.traces, knownRows: known, isName: true),
      { line in
        let strokes = line.strokes.map { drawing.strokes[$0] }
        return .ink(Drawing(strokes).transformed(by: .rotation(-line.slope)))
      }
    )
  }

  private func reader() throws -> LabelReader {
    LabelReader(reader: try Reader.released(), vocabulary: [], alphabet: [], workers: 1)
  }

  @Test func writingIsInTheRowsInWhichItIsRead() throws {
    let reader = try reader()
    func rows(_ words: [String]) -> [String]? {
      let (block, writing) = block(of: written(words))
      return reader.betterRows(of: [block], in: nil, as: writing)[0]?
        .map { reader.bestText(of: writing($0), asName: true).text }
    }
    #expect(rows(["HALT", "TEN"]) == ["HALT", "TEN"])
    #expect(rows(["LATE", "THE", "NET"]) == ["LATE", "THE", "NET"])
    // What is read as it is stays so.
    #expect(rows(["HALT"]) == nil)
  }

  /// An index below its letter is no row, and few letters show no slope.
  @Test func shortRowsAreNotTried() throws {
    let reader = try reader()
    func tried(_ words: [String], turnedBy degrees: Double) -> [RowDivision] {
      let turned = written(words).transformed(by: .rotation(degrees * .pi / 180))
      let (block, writing) = block(of: turned)
      return reader.divisions(of: block, in: nil, as: writing).dropFirst().map(\.division)
    }
    func offered(_ words: [String], turnedBy degrees: Double) -> [RowDivision] {
      candidates(written(words).transformed(by: .rotation(degrees * .pi / 180)).traces)
    }
    #expect(offered(["H", "N"], turnedBy: 0).contains { $0.rows.count == 2 })
    #expect(!tried(["H", "N"], turnedBy: 0).contains { $0.rows.count == 2 })
    #expect(tried(["AT", "NE"], turnedBy: 0).contains { $0.rows.count == 2 })
    #expect(offered(["TEN"], turnedBy: 40).contains { $0.isSloped && $0.rows.count == 1 })
    #expect(!tried(["TEN"], turnedBy: 40).contains { $0.isSloped })
    #expect(tried(["HALT"], turnedBy: 40).contains { $0.isSloped && $0.rows.count == 1 })
  }

  @Test(arguments: [37.0, 38, 45]) func rowsAreFoundInPictures(pitch: Double) throws {
    let words = written(["HALT", "TEN"], pitch: pitch)
    let ring = Stroke(
      (0...200).map {
        let angle = Double($0) * .pi / 100
        return Point(60 + 110 * cos(angle), 35 + 75 * sin(angle))
      })
    let diagram = try DiagramRecognizer.released()
      .recognize(DrawnPicture(drawing: Drawing(words.strokes + [ring]))).diagram
    #expect(diagram.states.map(\.name) == ["HALT TEN"])
  }

  @Test(arguments: [
    ("north", "Approach", true), ("start or", "stop", true), ("CE", "&&", true),
    ("||", "x1", true), ("a", "b", false), ("0,1", "ready", false), ("&&", "&", false),
    ("on", "off", false), ("x1y", "off", false), ("0,1", "||", false), ("|", "digit", false),
    ("&", "&", false), ("||", "5", false),
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
    let reader = try reader()
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
