import Ink

/// The heads along a line of a page.
struct PageHeads {
  /// How much they say that it leads from its first to its last place.
  var direction: Double
  /// The cells of heads at its start and at its end that point outwards.
  var atStart, atEnd: Double
  /// The cells of the line that are no head.
  var lineLength: Double
}

extension PageLines {
  /// Returns the heads along a path with a place for each cell.
  func heads(along path: [Vector]) -> PageHeads {
    let reach = max(2, (PageNumbers.besideLine * scale).rounded(.down))
    var isSeen: Set<Int> = []
    var lineLength = 0.0
    /// The cells of heads in each half: as they point, and all near the end.
    var pointing = [0.0, 0.0]
    var mass = [0.0, 0.0]
    for (number, place) in path.enumerated() {
      let way = (path[min(path.count - 1, number + 3)] - path[max(0, number - 3)]).unit
      let cell = cells.cell(at: place)
      if levels[cell] - head(cell) > 0.3 { lineLength += 1 }
      let half = number < path.count / 2 ? 0 : 1
      let isNearEnd = Double(min(number, path.count - 1 - number)) < scale
      for down in stride(from: -reach, through: reach, by: 1) {
        for across in stride(from: -reach, through: reach, by: 1) {
          let near = cells.cell(at: place + Vector(across, down))
          guard levels[near] > 0.2, isSeen.insert(near).inserted else { continue }
          let head = Double(head(near))
          let towards = towards(near)
          let along = towards.dot(way)
          if abs(along) > PageNumbers.alongLine * towards.length { pointing[half] += head * along }
          if isNearEnd { mass[half] += head }
        }
      }
    }
    func balance(_ one: Double, _ other: Double) -> Double { (one - other) / (one + other + 0.5) }
    let (start, end) = (max(0, -pointing[0]), max(0, pointing[1]))
    return PageHeads(
      direction: PageNumbers.headField * balance(end, start)
        + PageNumbers.headMass * balance(mass[1], mass[0]),
      atStart: start, atEnd: end, lineLength: lineLength)
  }

  /// Returns how much the heads say that a line leads from its first to its last point.
  func direction(of line: [Vector]) -> Double {
    let count = Int(line.pathLength.rounded(.up)) + 1
    let points = Stroke(through: line).resampled(count: max(2, count)).points
    return heads(along: points.map { Vector($0) }).direction
  }
}
