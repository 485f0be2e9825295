import Ink

/// The heads along a line of a page.
struct PageHeads {
  /// How much the heads in the first and in the second half point outwards, in cells; only those that point along the
  /// line.
  var pointing = [0.0, 0.0]
  /// The same for all heads that do not point inwards.
  var outwards = [0.0, 0.0]
  /// The cells of heads near the start and near the end: within a usual radius, and within half of it.
  var near = [0.0, 0.0]
  var nearest = [0.0, 0.0]
  /// How much the first and the second half of the line are said to lead from its first to its last place, from -1
  /// to 1.
  var along = [0.0, 0.0]

  /// The cells of heads at its start and at its end that point outwards.
  var atStart: Double { max(0, pointing[0]) }
  var atEnd: Double { max(0, pointing[1]) }

  /// How much they say that the line leads from its first to its last place.
  var direction: Double {
    PageNumbers.headField * Self.balance([atStart, atEnd])
      + PageNumbers.headMass * Self.balance(near)
  }

  /// The same heads of the line from its last to its first place.
  var turned: PageHeads {
    PageHeads(
      pointing: pointing.reversed(), outwards: outwards.reversed(), near: near.reversed(),
      nearest: nearest.reversed(), along: along.reversed().map { -$0 })
  }

  private static func balance(_ cells: [Double]) -> Double {
    (cells[1] - cells[0]) / (cells[1] + cells[0] + 0.5)
  }
}

extension PageLines {
  /// How far beside a line its heads are looked for, in cells.
  var headReach: Double { max(2, (PageNumbers.besideLine * scale).rounded(.down)) }

  /// The columns, or rows, within ``headReach`` of `low` to `high`, of `size` in all.
  private func span(_ low: Double, _ high: Double, of size: Int) -> ClosedRange<Int> {
    min(size - 1, max(0, Int(low - headReach)))...min(size - 1, max(0, Int(high + headReach)))
  }

  /// Calls `body` with the column and the row of each cell within ``headReach`` of `place`.
  func forEachCell(near place: Vector, _ body: (_ column: Int, _ row: Int) -> Void) {
    let columns = span(place.x, place.x, of: cells.columns)
    for row in span(place.y, place.y, of: cells.rows) {
      for column in columns { body(column, row) }
    }
  }

  /// Returns the direction of a path at one of its places.
  func way(_ path: [Vector], at number: Int) -> Vector {
    (path[min(path.count - 1, number + 3)] - path[max(0, number - 3)]).unit
  }

  /// Returns the direction in which a path leaves its last place.
  func heading(_ path: [Vector]) -> Vector {
    let span = max(4, Int(0.4 * scale))
    return (path[path.count - 1] - path[max(0, path.count - 1 - span)]).unit
  }

  /// Returns the heads along a path with a place for each cell; `isOwn` is whether the head of a cell counts.
  func heads(along path: [Vector], isOwn: (Int) -> Bool = { _ in true }) -> PageHeads {
    let (xs, ys) = (path.map(\.x), path.map(\.y))
    let columns = span(xs.min() ?? 0, xs.max() ?? 0, of: cells.columns)
    let rows = span(ys.min() ?? 0, ys.max() ?? 0, of: cells.rows)
    var isSeen = [Bool](repeating: false, count: columns.count * rows.count)
    var heads = PageHeads()
    var lineCells = [0.0, 0.0]
    for (number, place) in path.enumerated() {
      let way = way(path, at: number)
      let cell = cells.cell(at: place)
      let half = number < path.count / 2 ? 0 : 1
      if levels[cell] - head(cell) > decoding.goingOn {
        heads.along[half] += towards(cell).dot(way)
        lineCells[half] += 1
      }
      let toEnd = Double(min(number, path.count - 1 - number))
      forEachCell(near: place) { column, row in
        let near = row * cells.columns + column
        guard levels[near] > 0.2 else { return }
        let mark = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
        guard !isSeen[mark] else { return }
        isSeen[mark] = true
        guard isOwn(near) else { return }
        let head = Double(head(near))
        let towards = towards(near)
        let outwards = towards.dot(way) * (half == 0 ? -1 : 1)
        if abs(outwards) > PageNumbers.alongLine * towards.length {
          heads.pointing[half] += head * outwards
        }
        heads.outwards[half] += head * max(0, outwards)
        if toEnd < scale { heads.near[half] += head }
        if toEnd < 0.5 * scale { heads.nearest[half] += head }
      }
    }
    for half in 0..<2 { heads.along[half] /= max(1, lineCells[half]) }
    return heads
  }
}

extension [Vector] {
  /// The same path, in cells, with a place for each cell of its length.
  var withPlaceForEachCell: [Vector] {
    let count = Int(pathLength.rounded(.up)) + 1
    return Stroke(through: self).resampled(count: Swift.max(2, count)).points.map { Vector($0) }
  }
}
