/// What differs from page to page: a row of the table "what people draw", or a part of one.
///
/// ``PageTrait/people`` has the values of each. "Radius" is the geometric mean of the half axes of the
/// states of a drawing, and "px" are pixels of the picture.
public enum PageTrait: Int, CaseIterable, Hashable, Sendable {
  // MARK: States

  /// How many states an automaton has.
  case stateCount
  /// The least share of the places on the page that have states.
  case fullness
  /// How the states are arranged (``PageLayout``).
  case layout
  /// The space between neighbouring states, in diameters.
  case spacing
  /// The diameter of a state, in px: twice the radius.
  case stateSize
  /// The deviation of the sizes in one drawing, as a share of the size.
  case stateScatter
  /// The width of a state divided by its height.
  case stateAspect
  /// The angle of a state, in degrees.
  case stateAngle
  /// The exponent of the superellipse: 2 is an ellipse, 12 nearly a rectangle.
  case squareness
  /// Whether the states are boxes with corners.
  case boxes
  /// Whether the states are dots.
  case dots
  /// Whether a state is filled with a colour.
  case filledState

  // MARK: Rings

  /// How a ring is drawn (``RingForm``).
  case ringForm
  /// How far a ring goes on past its start, as a share of its length; it stays open below 0.
  case ringOvershoot
  /// The gap in a ring, as a share of its length.
  case ringGap
  /// How much farther outside a ring ends than it starts, in radii.
  case ringDrift
  /// How much a hand trembles, in radii.
  case tremor
  /// Whether a state is final.
  case finalState
  /// The size of the inner ring, as a share of the outer one.
  case innerRing
  /// How far the inner ring is off the centre, in radii.
  case innerShift

  // MARK: Names

  /// What is in a state (``StateContent``).
  case stateContent
  /// How many lines of words are in a state.
  case wordLines
  /// The height of a name, in radii.
  case nameHeight
  /// Whether the names are outside the states.
  case nameOutside

  // MARK: Heads

  /// The length of a head, in radii.
  case headLength
  /// The angle between the wings of a head, in degrees.
  case headOpening
  /// How a head is drawn (``HeadStyle``).
  case headStyle
  /// Whether an arrow has a head at both ends.
  case headAtBothEnds

  // MARK: Arrows

  /// The gap between the end of an arrow and a ring, in radii; below 0 the end is inside.
  case arrowGap
  /// The form of an arrow (``ArrowForm``).
  case arrowForm
  /// How far an arrow bows, as a share of its length.
  case bow
  /// Whether an arrow is in pieces.
  case brokenArrow
  /// The number of pieces of such an arrow.
  case arrowPieces
  /// Whether an arrow is drawn twice.
  case retracedArrow
  /// Whether an arrow has two parallel lines.
  case doubleLine
  /// Whether an arrow ends on another one, which has the head.
  case sharedEnd
  /// Whether arrows lead to all states but the initial one.
  case allReached

  // MARK: Loops

  /// Whether a state has a self-loop.
  case loop
  /// The distance between the ends of a loop, in radii.
  case loopOpening
  /// The height of a loop, in radii.
  case loopSize
  /// Where a loop is (``LoopPlace``).
  case loopPlace

  // MARK: Initial markers

  /// How the initial state is marked (``InitialMarker``).
  case initialMarker
  /// Where the initial marker is (``InitialPlace``).
  case initialPlace
  /// The length of the initial arrow, in radii.
  case initialLength
  /// Whether a word stands at the initial arrow.
  case initialWord

  // MARK: Symbols

  /// What is written at an arrow (``SymbolKind``).
  case symbolKind
  /// How many symbols a list has.
  case symbolCount
  /// Where the symbols are (``SymbolPlace``).
  case symbolPlace
  /// The angle of symbols, in degrees.
  case symbolTurn
  /// The height of symbols, in radii.
  case symbolHeight

  // MARK: Beside the automaton

  /// Whether a page has a title, perhaps underlined.
  case title
  /// Whether a page has a number of an exercise.
  case numbering
  /// The number of remarks.
  case remarks
  /// Whether a page has a table.
  case table
  /// Whether a page has a second automaton.
  case otherAutomaton
  /// Whether a page has no automaton, but text and perhaps tables.
  case noAutomaton
  /// Whether something is crossed out.
  case crossedOut
  /// Whether a remark has an arrow.
  case remarkArrow

  // MARK: Pen

  /// The width of the pen, in px.
  case penWidth
  /// How much darker than the paper the ink is, as a share.
  case contrast
  /// Whether rings, arrows and heads are recorded ones, if there are some.
  case recordedShapes

  // MARK: Paper

  /// What is drawn on (``PageSurface``).
  case surface
  /// The lines of the paper (``PaperRuling``).
  case paperLines
  /// The distance between the lines of the paper, in px.
  case lineSpacing
  /// How dark the lines of the paper are, as a share of the paper.
  case lineStrength
  /// Whether the paper has a line along its margin.
  case marginLine
  /// Whether the paper is punched.
  case holes
  /// Whether the paper is bound by a spiral.
  case spiral
  /// The number of edges of the sheet in the picture, with a table behind.
  case sheetEdges
  /// The number of fingers in the picture.
  case fingers
  /// The number of folds.
  case folds

  // MARK: Light and camera

  /// The light that is left in the darkest corner, as a share.
  case dimmestLight
  /// Whether there is a shadow.
  case shadow
  /// Whether a lamp is reflected.
  case reflection
  /// The angle between the camera and the normal of the paper, in degrees.
  case tilt
  /// The turn of the page, in degrees.
  case turn
  /// The number of quarter turns, as of pictures whose orientation was lost.
  case quarterTurns
  /// The deviation of the blur, in px.
  case blur
  /// The deviation of the noise, in levels of 255.
  case noise
  /// The size of the original picture, as a share of this one, to which it is enlarged.
  case originalSize
  /// Whether the picture was compressed.
  case compressed
  /// The quality of the JPEG.
  case jpegQuality

  /// The name in words, such as `state count`.
  public var name: String {
    "\(self)".map { $0.isUppercase ? " \($0.lowercased())" : String($0) }.joined()
  }
}

/// How states are arranged.
enum PageLayout: Int, CaseIterable { case row, column, rows, circle, fan, free }

/// How a ring is drawn.
enum RingForm: Int, CaseIterable { case whole, open, retraced, twoArcs }

/// What is in a state.
enum StateContent: Int, CaseIterable {
  case nothing, letter, letterAndIndex, number, words, fraction, dot
}

/// How the head of an arrow is drawn.
enum HeadStyle: Int, CaseIterable { case oneStroke, twoStrokes, triangle, filled, oneWing, none }

/// The form of an arrow between two states.
enum ArrowForm: Int, CaseIterable { case straight, bowed, curvedTwice, elbow, aroundAll }

/// Where a self-loop is.
enum LoopPlace: Int, CaseIterable { case above, below, left, right, oblique }

/// How the initial state is marked.
enum InitialMarker: Int, CaseIterable { case nothing, arrow, triangle, wedge }

/// Where the initial marker is.
enum InitialPlace: Int, CaseIterable { case left, above, anywhere }

/// What is written at an arrow.
enum SymbolKind: Int, CaseIterable {
  case nothing, one, list, range, brackets, output, machine, words
}

/// Where the symbols of an arrow are.
enum SymbolPlace: Int, CaseIterable { case above, below, onLine, inGap }

/// What is drawn on.
enum PageSurface: Int, CaseIterable {
  case white, yellow, recycled, whiteboard, blackboard, tablet, darkTablet, screen

  /// Whether the ink is lighter than the surface.
  var isDark: Bool { self == .blackboard || self == .darkTablet }
  /// Whether no camera was used.
  var isExact: Bool { self == .tablet || self == .darkTablet }
  /// Whether it is a sheet, which has lines, holes and edges.
  var isPaper: Bool { self == .white || self == .yellow || self == .recycled }
}

/// The lines of paper.
enum PaperRuling: Int, CaseIterable { case none, ruled, squared, dotted }
