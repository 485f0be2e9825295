import Ink
import InkNetwork

/// The shortest paths along the lines of a page, from each end of a line to the nearest other ends.
///
/// They lead through cells of lines, where weak ones cost more, and across gaps ahead of ends (Dijkstra, 1959). So a line
/// is found whatever its bends, and where parts of it are weak.
struct PageShortestPaths {
  private let lines: PageLines
  /// What a step to each cell of a line costs, in tenths of a step to a sure one.
  private let prices: [Float]
  /// Whether a cell is part of a line or a head, not taken, and not at the edge of the page.
  private let isLine: [Bool]
  /// The differences of the numbers of the eight cells around one, and how far these are.
  private let around: [(step: Int, length: Float)]

  /// An end of a line.
  private struct End {
    var cell: Int
    var place: Vector
    /// The direction away from its line.
    var way: Vector
  }

  /// A step from a cell to another one that is not beside it.
  private struct Bridge {
    var cell: Int
    var cost: Int
  }

  /// - Parameter isTaken: Whether a cell is part of a chosen arrow.
  init(_ lines: PageLines, besides isTaken: [Bool]) {
    self.lines = lines
    let (columns, rows) = (lines.cells.columns, lines.cells.rows)
    let beside: [(step: Int, length: Float)] = [(-1, 1), (1, 1), (-columns, 1), (columns, 1)]
    let across = [-1, 1].flatMap { [$0 - columns, $0 + columns] }
    around = beside + across.map { ($0, Float(2).squareRoot()) }
    // Every cell of a line has eight around it.
    func isInside(_ number: Int, _ count: Int) -> Bool { number > 0 && number < count - 1 }
    let isLine = lines.levels.indices.map { cell in
      lines.levels[cell] > lines.decoding.goingOn && !isTaken[cell]
        && isInside(cell % columns, columns) && isInside(cell / columns, rows)
    }
    self.isLine = isLine
    prices = lines.levels.indices.map { isLine[$0] ? 10 / lines.levels[$0] : 0 }
  }

  /// Returns the paths, with a place for each cell of their lengths.
  func paths() -> [[Vector]] {
    let ends = ends()
    let bridges = bridges(from: ends)
    let isEnd = Set(ends.map(\.cell))
    var search = Search(count: isLine.count)
    var joined: Set<[Int]> = []
    return ends.flatMap { end in
      nearest(to: end.cell, among: isEnd, bridges, &search).compactMap { cells in
        guard joined.insert([end.cell, cells[0]].sorted()).inserted else { return nil }
        return smooth(cells.map(lines.cells.place))
      }
    }
  }

  // MARK: Ends

  /// Returns the ends of the lines: the outermost cells that have their line on one side only.
  private func ends() -> [End] {
    let (least, most) = (PageNumbers.leastEndRadius, PageNumbers.mostEndRadius)
    let radius = min(max(least, PageNumbers.endRadius * lines.scale), most)
    var seenFor = [Int32](repeating: -1, count: isLine.count)
    var found: [End] = []
    for cell in isLine.indices where isLine[cell] {
      let place = lines.cells.place(of: cell)
      var (sum, count) = (Vector(0, 0), 0.0)
      var next = [cell]
      seenFor[cell] = Int32(cell)
      while let here = next.popLast() {
        for near in around {
          let other = here + near.step
          guard isLine[other], seenFor[other] != Int32(cell) else { continue }
          seenFor[other] = Int32(cell)
          let way = lines.cells.place(of: other) - place
          if way.length > radius {
            sum = sum + way.unit
            count += 1
          } else {
            next.append(other)
          }
        }
      }
      if count > 0, sum.length > PageNumbers.oneSided * count {
        found.append(End(cell: cell, place: place, way: sum.unit * -1))
      }
    }
    // They are in the order of their rows.
    var ends: [End] = []
    var (above, below) = (0, 0)
    for end in found {
      while found[above].place.y < end.place.y - radius { above += 1 }
      while below < found.count, found[below].place.y <= end.place.y + radius { below += 1 }
      let isOutermost = found[above..<below].allSatisfy { other in
        let way = other.place - end.place
        return way.length > radius || other.way.dot(end.way) < PageNumbers.sameEnd
          || way.dot(end.way) < 1e-6
      }
      let isOther = ends.reversed().prefix { $0.place.y > end.place.y - radius }
        .allSatisfy { $0.place.distance(to: end.place) > radius / 2 }
      if isOutermost, isOther { ends.append(end) }
    }
    let step = ends.count / PageNumbers.mostEnds + 1
    return stride(from: 0, to: ends.count, by: step).map { ends[$0] }
  }

  /// Returns the steps across gaps: from each end to the nearest line ahead, and back.
  private func bridges(from ends: [End]) -> [Int: [Bridge]] {
    var bridges: [Int: [Bridge]] = [:]
    for end in ends {
      guard let (cell, length) = ahead(of: end) else { continue }
      let cost = Int(10 * PageNumbers.bridgeCost * length)
      bridges[end.cell, default: []].append(Bridge(cell: cell, cost: cost))
      bridges[cell, default: []].append(Bridge(cell: end.cell, cost: cost))
    }
    return bridges
  }

  /// Returns the nearest cell of a line ahead of an end, and how far it is; `nil` if there is none, or a state before it.
  private func ahead(of end: End) -> (cell: Int, length: Double)? {
    let across = Vector(-end.way.y, end.way.x)
    let most = max(PageNumbers.leastBridge, PageNumbers.bridge * lines.scale)
    for step in stride(from: 2.0, through: most, by: 1) {
      let place = end.place + end.way * step
      let reach = (PageNumbers.bridgeWidth * step).rounded()
      let asides = stride(from: -reach, through: reach, by: 1).sorted { abs($0) < abs($1) }
      for aside in asides {
        let cell = lines.cells.cell(at: place + across * aside)
        if isLine[cell] { return (cell, Vector(step, aside).length) }
      }
      if lines.distances[lines.cells.cell(at: place)] < 0 { return nil }
    }
    return nil
  }

  // MARK: Search

  /// What is known while the paths from one end are looked for.
  private struct Search {
    /// The cost of the shortest known path to each cell, and the cell before it there.
    private(set) var costs: [Int]
    private(set) var before: [Int]
    /// The cells that were reached, by their costs (Dial, 1969).
    private var reached: [[Int]] = []
    /// The cost of the cells that are returned next.
    private var cost = 0
    /// The number of cells with this cost that were returned.
    private var taken = 0

    init(count: Int) {
      costs = [Int](repeating: .max, count: count)
      before = [Int](repeating: -1, count: count)
    }

    /// Forgets the paths from the last end.
    mutating func clear() {
      for cell in reached.joined() { costs[cell] = .max }
      (reached, cost, taken) = ([], 0, 0)
    }

    /// Takes a path to a cell, if none that is known is as short.
    mutating func reach(_ cell: Int, from other: Int, cost: Int) {
      guard cost < costs[cell] else { return }
      (costs[cell], before[cell]) = (cost, other)
      while reached.count <= cost { reached.append([]) }
      reached[cost].append(cell)
    }

    /// Returns the next cell with its lowest cost.
    mutating func next() -> Int? {
      while cost < reached.count {
        while taken < reached[cost].count {
          taken += 1
          let cell = reached[cost][taken - 1]
          if costs[cell] == cost { return cell }
        }
        (cost, taken) = (cost + 1, 0)
      }
      return nil
    }
  }

  /// Returns the cells of the shortest paths from the nearest other ends to one.
  private func nearest(
    to start: Int, among isEnd: Set<Int>, _ bridges: [Int: [Bridge]], _ search: inout Search
  ) -> [[Int]] {
    search.clear()
    search.reach(start, from: start, cost: 0)
    var ends: [Int] = []
    while ends.count < PageNumbers.nearestEnds, let cell = search.next() {
      let cost = search.costs[cell]
      if cell != start, isEnd.contains(cell) { ends.append(cell) }
      for near in around where isLine[cell + near.step] {
        let other = cell + near.step
        search.reach(other, from: cell, cost: cost + Int(prices[other] * near.length))
      }
      for bridge in bridges[cell] ?? [] {
        search.reach(bridge.cell, from: cell, cost: cost + bridge.cost)
      }
    }
    return ends.map { end in
      var cells = [end]
      while cells[cells.count - 1] != start {
        cells.append(search.before[cells[cells.count - 1]])
      }
      return cells
    }
  }

  /// Returns a path without the steps of cells, with a place for each cell of its length.
  private func smooth(_ places: [Vector]) -> [Vector] {
    let smooth = places.indices.map { number in
      let reach = min(PageNumbers.smoothing, number, places.count - 1 - number)
      return places[(number - reach)...(number + reach)].mean
    }
    return smooth.withPlaceForEachCell
  }
}
