import Foundation
import Ink
import Testing

@testable import InkDiagram
@testable import InkNetwork

/// Which rings that the network sees are states.
@Suite(.timeLimit(.minutes(30))) struct PageStateSearchTests {
  /// Answers of a network that is sure of circles in a row.
  private func answers(
    _ circles: [(x: Double, radius: Double)], columns: Int
  ) -> CellAnswers {
    let (rows, unit) = (120, Double(PageNumbers.unit))
    let (classes, fields) = (PageNumbers.classes.count, PageNumbers.fields.count)
    var cells = CellAnswers(rows: rows, columns: columns, classCount: classes, fieldCount: fields)
    cells.withUnsafeMutablePlanes { planes in
      for cell in 0..<rows * columns {
        let (row, column) = cell.quotientAndRemainder(dividingBy: columns)
        var answer = [Float](repeating: 0, count: classes + fields)
        answer[PageNumbers.nothing] = 10
        for circle in circles {
          let way = Vector(circle.x, 60.5) - Vector(Double(column) + 0.5, Double(row) + 0.5)
          guard abs(way.length - circle.radius) < 1.5 else { continue }
          answer[PageNumbers.ring] = 20
          answer[classes + PageNumbers.centerX] = Float(way.x / unit)
          answer[classes + PageNumbers.centerY] = Float(way.y / unit)
          answer[classes + PageNumbers.halfWidth] = Float(log(circle.radius / unit))
          answer[classes + PageNumbers.halfHeight] = Float(log(circle.radius / unit))
        }
        planes.write(
          answer, stride: answer.count, row: row, columns: column..<column + 1,
          classCount: classes, fieldCount: fields, scale: 1)
      }
    }
    return cells
  }

  /// A ring inside another one is no state, even if their centres are far apart and their outlines do not meet.
  @Test(arguments: [(88.5, 1), (160.5, 2)])
  func aRingInsideAStateIsNoState(x: Double, count: Int) {
    let cells = answers([(x: 60.5, radius: 48), (x: x, radius: 11)], columns: 200)
    let states = PageStateSearch.states(in: cells, decoding: PageDecoding())
    #expect(states.count == count)
    #expect(states.allSatisfy { $0.support == 1 })
  }
}
