/// The numbers that decide how a page is looked at and how its strokes are judged, each with its unit.
///
/// ``PageDecoding`` has those with which states and arrows are decoded. Steps and spans of the searches stand where they
/// are used.
///
/// They were chosen on composed pages (`dataset compose pages`) in the handwriting of people that the network never
/// saw, those of strokes also on composed automata (`dataset compose automata`); never on pictures by people, unless it
/// is said. Lengths are in cells of 2 × 2 pixels unless they are shares.
enum PageNumbers {
  // MARK: Classes and fields

  /// The classes of the network's answers.
  static let classes = ["nothing", "ring", "line", "head", "writing"]
  /// The fields of the network's answers; `SegmentationFieldNames.pages` has their meanings.
  static let fields = [
    "centerX", "centerY", "halfWidth", "halfHeight", "final", "towardsX", "towardsY",
  ]
  /// The index of each class in the answers of the network.
  static let (nothing, ring, line, head, writing) = (0, 1, 2, 3, 4)
  /// The index of each field in the answers of the network.
  static let (centerX, centerY, halfWidth, halfHeight, final, towardsX, towardsY) =
    (0, 1, 2, 3, 4, 5, 6)
  /// The fields that are coordinates across.
  static let fieldsAcross: Set = [centerX, towardsX]
  /// The unit of the fields that are lengths, in cells.
  static let unit: Float = 16

  // MARK: Size

  /// The longer side at which a picture is looked at first, in pixels.
  static let firstSide = 1024.0
  /// The longer side at which strokes are drawn first, the width of the pen, and the space around them, in pixels.
  static let firstInkSide = 640.0, penWidth = 2.0, margin = 24.0
  /// The size of which three quarters of the strokes are smaller: how large it is drawn at least where the page allows
  /// it, in pixels, and the size in cells below which the network sees nothing.
  static let leastStroke = 36.0, leastCells = 6.0
  /// The usual radius of states, in pixels, at which a picture is looked at once more, enlarged or reduced.
  static let goodRadius = 24.0...72.0
  /// The least and the largest longer side of the second look, in pixels.
  static let sides = 480.0...2048.0

  /// The grey level of the brightest hundredth below which a picture is dark, and the level that it gets then.
  ///
  /// Both were set by hand, and tried on pictures by people that were made half as bright.
  static let dark = 180, bright = 230
  /// The size of the smaller looks at a picture, as a share of that of the larger ones.
  static let smallerLook = 0.88
  /// How far the centres of one state are apart at most: in two looks, in half axes, or as the network sees it and as it
  /// is known, in half axes or radii of the known one.
  static let samePlace = 0.5

  // MARK: Writing

  /// The cells of a mark of writing, at least.
  static let leastMark = 3
  /// How far from a line of writing other ink is kept apart from it, in cells.
  static let nearCells = 8.0

  // MARK: Turns

  /// The names, and the lines of symbols, that are read at each quarter turn, and the marks that they need.
  static let turnSample = 12, leastTurnMarks = 4
  /// The longer side of the picture, in pixels, at whose quarter turns the network looks, and the probability of nothing
  /// below which a cell is not empty.
  static let turnSide = 640, emptyCell: Float = 0.5
  /// The weights of how well writing can be read (times the square root of the number of characters), of how many
  /// characters a mark gives, and of how sure the network is of what it sees; see ``DiagramRecognizer/Uprightness``.
  ///
  /// They give logarithms of odds. They and ``otherTurn`` were chosen on composed pages and on simulated photographs of
  /// composed automata in the handwriting of validation people; see models/README.md.
  static let (turnLegibility, turnCharacters, turnSureness) = (4.0, 3.5, 4.0)
  /// The logarithm of how much rarer each other turn is than an upright picture.
  static let otherTurn = 1.6

  // MARK: Strokes

  /// The least share of a class in a stroke that counts.
  static let leastShare = 0.01
  /// The weights of the odds that a stroke is a ring, the line or the head of an arrow, or writing.
  static let ringOdds = 1.5, lineOdds = 1.0, headOdds = 1.0, writingOdds = 0.3
  /// The odds that a ring is one of a state, at most, and that a stroke is a part of an arrow, at least.
  static let mostRingOdds = 6.0, leastPartOdds = -1.0
  /// The weight of the direction of an arrow.
  static let directionOdds = 0.25
  /// The evidence for a ring where the network sees a state, and how much its shape and size still count there.
  static let seenState = 3.0, seenShape = 0.2, seenSize = 0.5
  /// The radius below which a ring is judged by its size, whatever the network sees, in usual radii.
  static let leastSeen = 0.5
  /// How far the centres of a ring and of a state are apart at most that are one, in radii of the larger one.
  static let sameState = 0.4
  /// The odds above which a ring is final, and below which it is not, whatever its strokes are.
  static let surelyFinal = 3.0, surelyNotFinal = -2.0
  /// How far the centre, and the logarithm of the radius, of another ring differ at most that is no new one, in radii.
  static let knownRing = 0.3
  /// How far the points of a stroke of a ring are from it on average, as a share of its radius.
  static let besideOutline = 0.35
  /// A stroke that looks like writing is a part of a ring if its points are nearer to it than this on average, as a share
  /// of the radius, and it is larger than this, in radii.
  ///
  /// Both were set by hand.
  static let onOutline = 0.1, partOfOutline = 0.5
  /// The size of a head that the network sees, in usual radii and in lengths of its line, at most.
  static let largestHead = 2.2, headOfLine = 1.2

  // MARK: States

  /// The number of cells that vote for a state, at least.
  static let fewestVotes = 6
  /// The number of centres that are looked at, at most.
  static let mostCenters = 400
  /// Where the ring of a state is looked for, in shares of its half axes.
  static let ringShares = 0.65...1.45
  /// How far what a ring encloses reaches from the centre that was voted for, and how much larger than voted a state is
  /// that is changed to it, in half axes; how far the ring is from what it encloses, in cells; how many steps more from what
  /// is drawn count as drawn, at most, where the ring has gaps; and how far the next cell of a ring is at most, in cells.
  ///
  /// They were set by hand.
  static let enclosedReach = 4.0, enclosedMore = 1.12, besideEnclosed = 1.5, mostClosing = 3,
    ringStep = 3

  /// The radius, in usual radii, of a state without arrows beside others that have some.
  static let loneSize = 0.75...1.4

  /// How far from a place that a person marks the ring of a missed state is looked for, in usual radii, how much farther
  /// than most of it a part of it is, and the share of directions in which it has to be seen.
  ///
  /// They were set by hand.
  static let markedReach = 4.0, markedShape = 2.0, markedSupport = 0.3

  // MARK: Following lines

  /// The most cells from which lines are followed.
  static let mostStarts = 1000
  /// A look along a line: how far ahead, and its weight; the weights of all looks add up to 1.
  typealias Look = (distance: Double, weight: Float)
  /// How far ahead is looked.
  static let looks: (near: Look, middle: Look, far: Look) = (
    (distance: 1, weight: 0.4), (distance: 2, weight: 0.35), (distance: 3.2, weight: 0.25)
  )

  /// The radius in which the end of a line has it on one side only, in usual radii, and in cells at least and at most; how
  /// much of it is there, and the cosine of the angle between parts of one end, at least.
  static let endRadius = 0.3, leastEndRadius = 4.0, mostEndRadius = 12.0, oneSided = 0.8,
    sameEnd = 0.7
  /// How far a gap is crossed ahead of an end, in usual radii, and in cells at least; how wide is looked to each side, as a
  /// share of the distance; and what a cell of a gap costs, where one of a line costs 1.
  static let bridge = 1.5, leastBridge = 6.0, bridgeWidth = 0.35, bridgeCost = 4.0
  /// The most ends between which paths are looked for, the nearest ends to which they lead from each, and the places to each
  /// side with which a path is smoothed.
  ///
  /// These and the numbers above were set by hand.
  static let mostEnds = 400, nearestEnds = 12, smoothing = 3

  // MARK: Arrows

  /// The cells beside a line that are looked at for its direction, as a share of the usual radius.
  static let besideLine = 0.2
  /// How much of a field lies along the line where it counts.
  static let alongLine = 0.75
  /// The weights of the heads' fields and of the heads themselves at both ends in the direction.
  static let headField = 1.75, headMass = 2.33
  /// The cosine of the angle of a bend where it counts whether a line goes straight on, at most, and how far from it is
  /// looked: so many cells, and a share of the usual radius.
  static let bend = 0.85, bendCells = 3.0, bendWidth = 0.1
  /// The logarithm of the odds, by its network or by votes, below which a chosen arrow is doubtful.
  static let doubtfulOdds = 1.0
  /// How likely a doubtful arrow is right, as a line of these odds, and at most; fitted to 1,251 arrows of composed pages
  /// and photographs, of which 56 were doubtful, and 47 of these right.
  static let doubtfulOffset = 1.9, doubtfulFactor = 1.6, mostDoubtful = 2.1
  /// The largest logarithms of the lengths of an arrow between states, and of an initial one, in usual radii, that the
  /// network for lines gets.
  ///
  /// It was fitted to lengths without limits; 99 of 100 composed arrows are shorter. The limit of initial arrows was set
  /// after one in a picture by people was lost.
  static let mostLength = 3.0, mostInitialLength = 0.8
  /// The cells of heads at the tip of an arrow that has a head, at least.
  static let leastHead = 2.0
}
