import Ink

/// Square cells over the canvas, which find what is near a place.
struct Grid {
  /// The side of a cell.
  private let side: Double
  private var cells: [Cell: [Int]] = [:]

  /// A cell that holds this many items takes no more: the place is scribbled over.
  private static let most = 16
  /// The cells to each side that are searched, at most: a longer reach, such as that of a long line, would take in
  /// most of the drawing for each item.
  private static let mostSteps = 3

  private struct Cell: Hashable {
    var x: Int
    var y: Int
  }

  /// Creates an empty grid with cells of `side`, which is positive.
  init(side: Double) {
    self.side = max(side, 1e-6)
  }

  /// Creates a grid of the positions of `items`, each at `places`.
  init<Item>(side: Double, of items: [Item], at places: (Item) -> [Vector]) {
    self.init(side: side)
    for (number, item) in items.enumerated() { insert(number, at: places(item)) }
  }

  private func cell(_ place: Vector) -> Cell {
    Cell(x: Int((place.x / side).rounded(.down)), y: Int((place.y / side).rounded(.down)))
  }

  /// Adds an item at `places`.
  mutating func insert(_ item: Int, at places: some Sequence<Vector>) {
    var last: Cell?
    for place in places {
      let cell = cell(place)
      guard cell != last else { continue }
      last = cell
      guard cells[cell, default: []].count < Self.most, cells[cell]?.last != item else { continue }
      cells[cell, default: []].append(item)
    }
  }

  /// Returns the items with a place in the cells within `reach`, in increasing order.
  func items(near place: Vector, reach: Double) -> [Int] {
    let steps = min(Self.mostSteps, max(0, Int((reach / side).rounded(.up))))
    let middle = cell(place)
    var found: Set<Int> = []
    for x in middle.x - steps...middle.x + steps {
      for y in middle.y - steps...middle.y + steps {
        if let items = cells[Cell(x: x, y: y)] { found.formUnion(items) }
      }
    }
    return found.sorted()
  }
}
