import Ink
import InkNetwork

extension CellAnswers {
  /// Returns the probability of a class of a page (``PageNumbers``) in a cell.
  func probability(of pageClass: Int, in cell: Int) -> Float {
    probabilities[pageClass * rows * columns + cell]
  }

  /// Returns a field of a cell, by its number in `SegmentationFieldNames.pages`.
  func field(_ number: Int, of cell: Int) -> Float {
    fields[number * rows * columns + cell]
  }

  /// Returns the cell at a place, or the nearest one of the page.
  func cell(at place: Vector) -> Int {
    min(rows - 1, max(0, Int(place.y))) * columns + min(columns - 1, max(0, Int(place.x)))
  }

  /// Returns the middle of a cell.
  func place(of cell: Int) -> Vector {
    Vector(Double(cell % columns) + 0.5, Double(cell / columns) + 0.5)
  }

  /// Returns the cells beside, above and below a cell.
  func neighbors(of cell: Int) -> [Int] {
    let column = cell % columns
    return (column > 0 ? [cell - 1] : []) + (column < columns - 1 ? [cell + 1] : [])
      + [cell - columns, cell + columns].filter { (0..<rows * columns).contains($0) }
  }

  /// Returns the eight cells around a cell, row by row; fewer at an edge.
  func surroundings(of cell: Int) -> [Int] {
    let (row, column) = (cell / columns, cell % columns)
    return (max(0, row - 1)...min(rows - 1, row + 1)).flatMap { row in
      (max(0, column - 1)...min(columns - 1, column + 1)).map { row * columns + $0 }
    }.filter { $0 != cell }
  }

  /// Divides the open cells into groups that `neighbors` connects, each from its first cell.
  func groups(of isOpen: [Bool], neighbors: (Int) -> [Int]) -> [[Int]] {
    var isOpen = isOpen
    var groups: [[Int]] = []
    for first in isOpen.indices where isOpen[first] {
      isOpen[first] = false
      var group = [first]
      var next = 0
      while next < group.count {
        for near in neighbors(group[next]) where isOpen[near] {
          isOpen[near] = false
          group.append(near)
        }
        next += 1
      }
      groups.append(group)
    }
    return groups
  }

  /// Returns how many steps across or down each cell is from a marked one, at most `limit`.
  func steps(to isMarked: [Bool], limit: Int) -> [Int] {
    var steps = isMarked.map { $0 ? 0 : limit }
    for cell in steps.indices {
      if cell % columns > 0 { steps[cell] = min(steps[cell], steps[cell - 1] + 1) }
      if cell >= columns { steps[cell] = min(steps[cell], steps[cell - columns] + 1) }
    }
    for cell in steps.indices.reversed() {
      if cell % columns < columns - 1 { steps[cell] = min(steps[cell], steps[cell + 1] + 1) }
      if cell + columns < steps.count {
        steps[cell] = min(steps[cell], steps[cell + columns] + 1)
      }
    }
    return steps
  }

  /// Marks the cells of squares around places, `reach` cells to each side.
  func mark(_ places: [Vector], reach: Double, in marks: inout [Bool]) {
    for place in places {
      for down in stride(from: -reach, through: reach, by: 1) {
        for across in stride(from: -reach, through: reach, by: 1) {
          marks[cell(at: place + Vector(across, down))] = true
        }
      }
    }
  }
}
