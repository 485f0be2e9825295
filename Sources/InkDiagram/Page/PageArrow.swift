import Ink

/// A line of a page that may be an arrow, in cells.
struct PageArrow {
  /// The state where it starts, or `nil` for an initial arrow.
  var from: Int?
  /// The state where its tip is.
  var to: Int?
  /// The places along it, one a cell.
  var path: [Vector]
  /// How many of its cells lead to both its ends, as a share.
  var votes: Double
  /// Whether it is more than a head.
  var hasLine = true
  /// Whether it is not a whole line as it was followed.
  var isPieced = false
  /// Whether it is a shortest path between ends of lines (``PageShortestPaths``).
  var isShortestPath = false
  /// How much its heads say that it leads from its first to its last place; for a chosen one between states, the
  /// logarithm of the odds.
  var direction = 0.0
  /// The cells of heads at its start and at its tip that point outwards.
  var headAtStart = 0.0
  var headAtTip = 0.0
  /// Whether a chosen one between states has a head at both ends.
  var hasTwoHeads = false
  /// How much the cells of its first and of its second half say that it leads from its start to its tip, from -1 to 1.
  var along = [0.0, 0.0]
  /// What is known of it, whatever else is chosen, and what the chosen ones leave to it (``PageArrowOdds``).
  var known: [Double] = []
  var left: [Double] = []
  /// The logarithm of the odds that it is one.
  var odds = 0.0
  /// The logarithm of the odds that it is right if it is chosen; infinite if there is no doubt.
  var oddsIfChosen: Double {
    guard odds < PageNumbers.doubtfulOdds else { return .infinity }
    return min(
      PageNumbers.mostDoubtful, PageNumbers.doubtfulOffset + PageNumbers.doubtfulFactor * odds)
  }

  /// Turns it around.
  mutating func turn() {
    path.reverse()
    swap(&from, &to)
    swap(&headAtStart, &headAtTip)
    direction = -direction
    along = [-along[1], -along[0]]
  }
}
