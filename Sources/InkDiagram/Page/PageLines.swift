import Foundation
import Ink
import InkNetwork

/// The lines of a page, and how they are followed from cell to cell.
struct PageLines {
  let cells: CellAnswers
  let states: [PageState]
  let decoding: PageDecoding
  let networks: PageArrowNetworks
  /// The usual radius of a state, in cells.
  let scale: Double
  /// The probability of a line or a head of each cell outside the states.
  private(set) var levels: [Float]
  /// The distance of each cell to the nearest outline, below 0 inside; infinite far away.
  private(set) var distances: [Float]
  /// The turns that are tried at each step of a line.
  private let turns: [Turn]

  /// A turn from the way of a line, and what it is worth.
  private typealias Turn = (cosine: Double, sine: Double, worth: Float)

  private var columns: Int { cells.columns }
  private var rows: Int { cells.rows }

  /// - Precondition: There is a state.
  init(
    _ cells: CellAnswers, states: [PageState], decoding: PageDecoding, networks: PageArrowNetworks
  ) {
    (self.cells, self.states, self.decoding) = (cells, states, decoding)
    self.networks = networks
    turns = Self.turns(straightness: decoding.straightness)
    scale = states.map(\.radius).median()!
    let (rows, columns) = (cells.rows, cells.columns)
    let count = rows * columns
    distances = [Float](repeating: .infinity, count: count)
    var nearest = [Int](repeating: 0, count: count)
    for (number, state) in states.enumerated() {
      // Farther away, no distance counts.
      let beside = decoding.besideRing * state.radius + decoding.besideRingCells + 3
      let rim = state.rim
      func span(_ coordinate: KeyPath<Vector, Double>, _ size: Int) -> Range<Int> {
        let all = rim.map { $0[keyPath: coordinate] }
        let low = min(size, max(0, Int(all.min()! - beside)))
        return low..<max(low, min(size, Int(all.max()! + beside) + 1))
      }
      for row in span(\.y, rows) {
        for column in span(\.x, columns) {
          let place = Vector(Double(column) + 0.5, Double(row) + 0.5)
          let distance = Float(state.distance(to: place))
          if distance < distances[row * columns + column] {
            distances[row * columns + column] = distance
            nearest[row * columns + column] = number
          }
        }
      }
    }
    levels = [Float](repeating: 0, count: count)
    for cell in 0..<count where distances[cell] > decoding.insideRing {
      // What looks like a ring away from all states is a bowed line.
      let reach =
        decoding.besideRing * states[nearest[cell]].radius + decoding.besideRingCells
      levels[cell] =
        cells.probability(of: PageNumbers.line, in: cell)
        + cells.probability(of: PageNumbers.head, in: cell)
        + (Double(distances[cell]) > reach
          ? cells.probability(of: PageNumbers.ring, in: cell) : 0)
    }
  }

  /// Returns the probability of a head of a cell.
  func head(_ cell: Int) -> Float {
    cells.probability(of: PageNumbers.head, in: cell)
  }

  /// Returns the way towards the tip of the arrow of a cell; short where it is not known.
  func towards(_ cell: Int) -> Vector {
    Vector(
      Double(cells.field(PageNumbers.towardsX, of: cell)),
      Double(cells.field(PageNumbers.towardsY, of: cell)))
  }

  /// The cells from which lines are followed with the direction of the line, and how many cells each stands for.
  var starts: (lines: [(place: Vector, way: Vector)], cellsPerStart: Double) {
    let all = levels.indices.filter {
      levels[$0] - head($0) > decoding.startingLine && distances[$0] > 0
    }
    let step = max(1, all.count / PageNumbers.mostStarts)
    let starts = withLevels { levels in
      stride(from: 0, to: all.count, by: step).map { number in
        let place = cells.place(of: all[number])
        return (place, levels.direction(at: place))
      }
    }
    return (starts, Double(step))
  }

  private func withLevels<Result>(_ body: (LineLevels) -> Result) -> Result {
    levels.withUnsafeBufferPointer {
      body(LineLevels(values: $0.baseAddress!, columns: columns, rows: rows))
    }
  }

  /// Returns the turns that are tried at each step, from −90° to 90°, the smallest first, and what they are worth.
  private static func turns(straightness: Float) -> [Turn] {
    (-7...7).sorted { (abs($0), $0) < (abs($1), $1) }.map {
      let angle = Double($0) * .pi / 14
      return (cos(angle), sin(angle), straightness * Float(cos(angle)))
    }
  }

  /// The number of turns that are tried in a head, where a wing is no way on.
  private static let straighter = 5

  /// Follows the line from a place to its end: to a ring that it meets, or to where nothing goes on.
  ///
  /// - Returns: The places, one a cell, and the direction of the end.
  func follow(from start: Vector, towards way: Vector) -> (path: [Vector], way: Vector) {
    withLevels { follow(from: start, towards: way, on: $0) }
  }

  private func follow(
    from start: Vector, towards way: Vector, on levels: LineLevels
  ) -> (path: [Vector], way: Vector) {
    let most = max(1, decoding.leastGap, decoding.gap * scale)
    var (place, way, smooth) = (start, way, way)
    var path: [Vector] = []
    var ways: [Vector] = []
    var gap = 0
    // Every eighth place, to notice a line that turns in circles.
    var marks: [Vector] = []
    while place.x >= 1, place.y >= 1, place.x < Double(columns - 1), place.y < Double(rows - 1) {
      let here = cells.cell(at: place)
      if path.count % 8 == 0 {
        if marks.dropLast(1).contains(where: { $0.distance(to: place) < 1.5 }) { break }
        marks.append(place)
      }
      var best: (score: Float, level: Float, way: Vector) = (-.infinity, 0, way)
      for turn in head(here) > 0.5 ? turns[..<Self.straighter] : turns[...] {
        // Larger turns are worth less.
        if LineLevels.most + turn.worth < best.score { break }
        let turned = Vector(
          way.x * turn.cosine - way.y * turn.sine, way.x * turn.sine + way.y * turn.cosine)
        let level = levels.ahead(of: place, towards: turned, least: best.score - turn.worth)
        if level + turn.worth > best.score { best = (level + turn.worth, level, turned) }
      }
      if best.level > decoding.goingOn {
        way = (way + best.way).unit
        let across = Vector(-way.y, way.x)
        let (left, right) = (levels.level(at: place + across), levels.level(at: place - across))
        let aside = (left - right) / (left + right + levels.level(at: place) + 0.1)
        place = place + across * (0.5 * Double(aside))
        smooth = (smooth * 0.8 + way * 0.2).unit
        gap = 0
      } else {
        if gap == 0 { way = smooth }
        gap += 1
        if Double(gap) > most { break }
      }
      path.append(place)
      ways.append(way)
      if let turn = turn(of: path, ways) {
        path.removeSubrange((turn + 1)...)
        smooth = ways[max(0, turn - 2)]
        gap = 0
        break
      }
      place = place + way
      let next = cells.cell(at: place)
      if gap == 0, distances[next] < 1 {
        let meets = inwards(next).dot(way) > decoding.meeting
        if meets || distances[next] < decoding.insideRing {
          path.append(place)
          break
        }
      }
    }
    if gap > 0 { path.removeLast(min(path.count - 1, gap)) }
    return (path, smooth)
  }

  /// Returns where a path turned that leads back beside itself, as at the end of a broad line.
  private func turn(of path: [Vector], _ ways: [Vector]) -> Int? {
    let last = path.count - 1
    let width = max(2, decoding.backWidth * scale)
    let earlier = stride(from: last - 4, through: max(0, last - 24), by: -2).first {
      ways[$0].dot(ways[last]) < decoding.backStraight
        && path[$0].distance(to: path[last]) < width
    }
    return earlier.map { ($0 + last) / 2 }
  }

  /// Returns the direction from a cell to the inside of the nearest state.
  private func inwards(_ cell: Int) -> Vector {
    let (column, row) = (cell % columns, cell / columns)
    func distance(_ column: Int, _ row: Int) -> Double {
      Double(
        distances[min(rows - 1, max(0, row)) * columns + min(columns - 1, max(0, column))])
    }
    return Vector(
      distance(column - 1, row) - distance(column + 1, row),
      distance(column, row - 1) - distance(column, row + 1)
    ).unit
  }

  /// Returns the state that a line ends at, if there is one.
  func state(at place: Vector, towards way: Vector) -> Int? {
    let reach = decoding.tieReach * scale + 2
    var best: (state: Int, cost: Double)?
    for (number, state) in states.enumerated() {
      let distance = state.distance(to: place)
      var cost: Double?
      if distance < max(decoding.atRingCells, decoding.atRing * state.radius) {
        cost = 0.5 * max(0, distance)
      } else if distance < reach + scale {
        let hit = stride(from: 0, through: reach, by: 1).first {
          state.distance(to: place + way * $0) < max(1.5, 0.08 * state.radius)
        }
        if let hit {
          cost = hit + 0.3 * distance
        } else if distance < decoding.looseTie * state.radius {
          cost = distance + 0.5 * scale
        }
      }
      if let cost, cost < best?.cost ?? .infinity { best = (number, cost) }
    }
    return best?.state
  }
}

/// The probabilities of lines at any place between cells.
///
/// Following lines looks at millions of places, so that nothing here is checked twice.
private struct LineLevels {
  /// The probability of each cell, `[rows, columns]`.
  let values: UnsafePointer<Float>
  let columns: Int
  let rows: Int
  let looks = PageNumbers.looks

  /// The most that there can be of a line: a probability, and what rounding adds to it.
  static let most: Float = 1.001

  /// Returns the probability of a line between cells.
  @inline(__always)
  func level(at place: Vector) -> Float {
    let (x, y) = (place.x - 0.5, place.y - 0.5)
    guard x >= 0, y >= 0, x < Double(columns - 1), y < Double(rows - 1) else { return 0 }
    let (column, row) = (Int(x), Int(y))
    let (across, down) = (Float(x - Double(column)), Float(y - Double(row)))
    let cell = values + (row &* columns &+ column)
    let upper = cell[0] + (cell[1] - cell[0]) * across
    let lower = cell[columns] + (cell[columns &+ 1] - cell[columns]) * across
    return upper + (lower - upper) * down
  }

  /// Returns how much of a line there is ahead in a direction, or less than `least` if it is less.
  @inline(__always)
  func ahead(of place: Vector, towards way: Vector, least: Float = -.infinity) -> Float {
    let (near, middle, far) = looks
    var sum = near.weight * level(at: place + way * near.distance)
    if sum + (middle.weight + far.weight) * Self.most < least { return sum }
    sum += middle.weight * level(at: place + way * middle.distance)
    if sum + far.weight * Self.most < least { return sum }
    return sum + far.weight * level(at: place + way * far.distance)
  }

  /// Returns the direction in which there is most of a line on both sides of a place.
  func direction(at place: Vector) -> Vector {
    let ways = (0..<16).map { Vector(angle: .pi * Double($0) / 16, length: 1) }
    let onBothSides = ways.map {
      ahead(of: place, towards: $0) + ahead(of: place, towards: $0 * -1)
    }
    return ways[ways.indices.max { onBothSides[$0] < onBothSides[$1] }!]
  }
}
