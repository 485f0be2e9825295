import Foundation

/// The numbers with which states and arrows are decoded from what the network sees, each with its unit.
///
/// The values written here were chosen one by one on composed pages. `inkstate calibrate` fits them to composed pages
/// (`DecodingCalibration`) and stores them in the model. Lengths are in cells of 2 × 2 pixels unless they are shares.
package struct PageDecoding: Hashable, Sendable, Codable {
  // MARK: States

  /// The probability of a ring at which a cell votes for a centre.
  var votingRing: Float = 0.4
  /// The votes that a state needs, in shares of a full ring.
  var leastVotes: Float = 0.12
  /// How far from the voted centre votes belong to it: the share of the half axes, and at least so many cells.
  var voteReach: Float = 0.35, leastReach: Float = 2.5
  /// How much the half axes of votes for one state differ, as a logarithm.
  var likeSize = 0.5
  /// The probability of a ring at which a cell is part of an outline.
  var outlineRing: Float = 0.35
  /// How far inside an inner ring is looked for, as a share of the outline.
  var innermost = 0.4
  /// The share of directions in which a state has a ring, at least.
  var leastSupport = 0.45
  /// How near the centres of two states are at least, in half axes of the larger and the smaller one.
  var nearestOther = 0.55, nearestSmaller = 0.4
  /// The share of the area of a state that is inside another one, at most, and of its ring that is on the outline of
  /// no other one, at least.
  var mostOverlap = 0.3, ownRing = 0.5
  /// How far beside an outline a ring is that of its state, in radii, and at least so many cells.
  var outlineWidth = 0.12, outlineCells = 2.0
  /// The radius, in usual radii, below which a ring without arrows is a letter or a hole.
  var letterSize = 0.4
  /// The share of directions with a ring of a state without arrows beside others that have some, at least.
  var loneSupport = 0.8
  /// The weights of the fields' answer, of the share of directions with an inner ring, and the offset of final states.
  var finalField = 4.0, finalRing = 4.0, finalOffset = -3.0

  // MARK: Following lines

  /// How far outside a ring its cells are no longer its own: a share of the radius, and so many cells.
  var besideRing = 0.3, besideRingCells = 2.0
  /// How far inside a ring lines go on.
  var insideRing: Float = -1.5
  /// The probability of a line from which cells are followed.
  var startingLine: Float = 0.4
  /// What going straight on is worth, in probabilities of a line.
  var straightness: Float = 0.35
  /// The probability ahead at which a line goes on.
  var goingOn: Float = 0.3
  /// The gap that is crossed: a share of the usual radius, and at least so many cells.
  var gap = 0.25, leastGap = 4.0
  /// How near a line that has turned at its end runs to itself, as a share of the usual radius, and the cosine of the
  /// angle between both ways, at most.
  var backWidth = 0.1, backStraight = -0.7
  /// How straight a line meets a ring where it ends there: the cosine of its angle to the normal.
  var meeting = 0.3

  // MARK: Ends

  /// How near an end is at a ring: a share of the radius, and at least so many cells.
  var atRing = 0.2, atRingCells = 2.5
  /// How far an end is tied in its direction, in usual radii.
  var tieReach = 0.9
  /// How near an end is tied in any direction, as a share of the radius.
  var looseTie = 0.5
  /// The gap between free ends that face each other, in usual radii, and the cosine of their angles to it.
  var joinGap = 4.0, joinStraight = 0.8
  /// The same for free ends of one self-loop, which bends in its gap.
  var loopGap = 1.2, loopStraight = -0.3
  /// How far a tip and a start are tied when nothing else is at their ends, in usual radii.
  var tipReach = 1.5, startReach = 0.6
  /// How far a state ahead is tied, in usual radii, and the cosine of the angle between the way and its centre.
  var aheadReach = 3.5, aheadStraight = 0.75
  /// How far the free end of a self-loop is from its ring at most, as a share of its length.
  var loopReturn = 0.6

  // MARK: Arrows

  /// How near lines run that are one, as a share of the usual radius, and at least so many cells.
  var sameLine = 0.15, sameLineCells = 2.0
  /// The direction at which a head was seen.
  var knownDirection = 0.5
  /// The votes per cell at which a free end is joined to another one.
  var freeVotes = 0.5
  /// The votes per cell at which a line is cut at heads and exchanged with others.
  var pieceVotes = 0.25
  /// The probability of a head at a tip, and how much of its field lies along a line that it cuts.
  var tipHead: Float = 0.5, tipField = 0.5
  /// The cosine of the angle between lines that run together, at least.
  var meetStraight = 0.8
  /// The logarithm of the odds above which a line is an arrow.
  var leastOdds = -0.5
  /// The logarithm of the odds above which a line between two states that nothing else explains is an arrow: one with
  /// more votes per cell, and a larger share of cells that no other arrow has, than these.
  var leastUnexplainedOdds = -1.5, unexplainedVotes = 0.5, unexplainedOwn = 0.9
  /// How far from its tip the head of an arrow reaches, in usual radii.
  var headSize = 0.8
  /// How far beside a chosen arrow cells are its own, as a share of the usual radius, and the share of its own that
  /// another one needs.
  var takenWidth = 0.12, leastOwn = 0.2
  /// The probability of a head from which a cell belongs to one arrow, and what it costs, in cells, that the arrow
  /// leads across the field of the head, and for each cell that it is farther from its end than the usual radius.
  var ownedHead: Float = 0.1, headTurned = 4.0, headFar = 0.1
  /// Heads that may mark initial states without a line: their probability, their number of cells divided by the usual
  /// radius in cells, at least, and how far they are from their state, in usual radii, at most.
  var markerHead: Float = 0.5, markerSize = 0.75, markerReach = 1.5
  /// How wide is looked for a line behind them, to each side, as a share of the distance from the head.
  var behindWidth = 0.3
  /// The logarithm of the odds of its direction below which an arrow is turned to a state that none reaches.
  var reachedOdds = 3.0

  // MARK: Storing

  /// Creates the usual numbers, those written here.
  package init() {}

  /// The numbers by their names.
  package var byName: [String: Double] {
    try! JSONDecoder().decode([String: Double].self, from: JSONEncoder().encode(self))
  }

  /// The range of each number by its name: from half of the usual one to twice it.
  ///
  /// Far outside, lines are never merged, or marks are as large as the page.
  package static let ranges: [String: ClosedRange<Double>] = PageDecoding().byName.mapValues {
    min($0 / 2, $0 * 2)...max($0 / 2, $0 * 2)
  }

  /// Creates numbers from some by their names; the others are the usual ones.
  ///
  /// - Returns: `nil` if ``firstWrong(in:)`` finds one that is not allowed.
  package init?(byName some: [String: Double]) {
    guard Self.firstWrong(in: some) == nil else { return nil }
    let all = PageDecoding().byName.merging(some) { $1 }
    self = try! JSONDecoder().decode(PageDecoding.self, from: JSONEncoder().encode(all))
  }

  /// Returns the first of the names with which there is no number, or whose number is out of its range; `nil` if there is
  /// none.
  static func firstWrong(in some: [String: Double]) -> String? {
    some.keys.sorted().first { !(ranges[$0]?.contains(some[$0]!) ?? false) }
  }
}
