import Ink

/// The class of a pixel of a page.
public enum PageClass: UInt8, CaseIterable, Hashable, Sendable {
  /// The background, and what is no part of an automaton.
  case nothing
  /// The ring of a state.
  case ring
  /// The line of an arrow.
  case line
  /// The head of an arrow.
  case head
  /// Letters, digits and signs.
  case writing

  /// The name, as in `classes.tsv`.
  public var name: String { "\(self)" }
}

/// A page of ink, and what each stroke is.
///
/// Coordinates are pixels of the picture before the camera turns and tilts it, with y down.
public struct Page: Hashable, Sendable {
  /// A state.
  public struct State: Hashable, Sendable {
    /// The centre.
    public var center: Vector
    /// Half of the longer or shorter side along the angle.
    public var halfWidth: Double
    /// Half of the side across the angle.
    public var halfHeight: Double
    /// The angle, in radians, clockwise.
    public var angle: Double
    /// Whether it has an inner ring.
    public var isFinal: Bool
    /// Whether an initial marker points to it.
    public var isInitial: Bool
    /// What is written in it or beside it; lines are separated by line breaks.
    public var name = ""
    /// The numbers of the strokes of its inner ring; `nil` if it has none, or the page is of a recorded drawing.
    var innerRing: Range<Int>?
  }

  /// An arrow between states, a self-loop or an initial marker.
  public struct Arrow: Hashable, Sendable {
    /// The state where it starts; `nil` for an initial marker.
    public var from: Int?
    /// The state where its tip is.
    public var to: Int
    /// The way from its start to its tip, without the tremor of the hand.
    public var path: [Vector]
    /// Whether it has a head at its start as well.
    public var hasTwoHeads: Bool
    /// The symbols at it, as they are written; lines are separated by line breaks.
    public var symbols = ""

    /// The tip.
    public var tip: Vector { path[path.count - 1] }
  }

  /// A text of one line or several, in one place.
  public struct Text: Hashable, Sendable {
    /// What is written; lines are separated by line breaks.
    public var text: String
    /// The numbers of its strokes.
    public var strokes: Range<Int>
  }

  /// What a stroke belongs to.
  public enum Element: Hashable, Sendable {
    /// A state, by its number.
    case state(Int)
    /// An arrow, by its number.
    case arrow(Int)
    /// Something beside the automata.
    case none
  }

  /// A line of the pen, or an area.
  public struct Stroke: Hashable, Sendable {
    /// The points; those of the line of an arrow lead towards its tip.
    public var path: [Vector]
    /// What its pixels are.
    public var pageClass: PageClass
    /// What it belongs to.
    public var element: Element
    /// The width, in px.
    public var width: Double
    /// How dark it is, from 0 to 1.
    public var strength: Double
    /// Whether the area inside is filled.
    public var isFilled = false
  }

  /// The width of the picture, in px.
  public let width: Int
  /// The height of the picture, in px.
  public let height: Int
  /// The writer of the characters: source and name.
  public let writer: String
  /// The strokes, in drawing order.
  public internal(set) var strokes: [Stroke] = []
  /// The states.
  public internal(set) var states: [State] = []
  /// The arrows.
  public internal(set) var arrows: [Arrow] = []
  /// The names and symbols, as they are written.
  public internal(set) var texts: [Text] = []
  /// The turn of the picture, in radians.
  public internal(set) var turn = 0.0
  /// What was drawn for each trait.
  package internal(set) var drawn: [[Double]] = []

  init(width: Int, height: Int, writer: String) {
    (self.width, self.height, self.writer) = (width, height, writer)
  }

  /// The ink as a drawing.
  public var drawing: Drawing { Drawing(strokes.map { Ink.Stroke(through: $0.path) }) }

  /// Adds a text, whose strokes come next, to the name of a state or the symbols of an arrow.
  mutating func note(_ text: String, strokeCount: Int, at element: Element) {
    func add(to noted: inout String) { noted += noted.isEmpty ? text : "\n" + text }
    switch element {
    case .state(let state): add(to: &states[state].name)
    case .arrow(let arrow): add(to: &arrows[arrow].symbols)
    case .none: return
    }
    texts.append(Text(text: text, strokes: strokes.count..<strokes.count + strokeCount))
  }

  /// Returns the page in pixels that are as many times smaller.
  func enlarged(by factor: Double) -> Page {
    guard factor != 1 else { return self }
    var page = Page(
      width: Int(Double(width) * factor), height: Int(Double(height) * factor), writer: writer)
    (page.strokes, page.states, page.arrows) = (strokes, states, arrows)
    (page.texts, page.turn, page.drawn) = (texts, turn, drawn)
    for index in strokes.indices {
      page.strokes[index].path = strokes[index].path.map { $0 * factor }
      page.strokes[index].width *= factor
    }
    for index in arrows.indices {
      page.arrows[index].path = arrows[index].path.map { $0 * factor }
    }
    for index in states.indices {
      page.states[index].center = states[index].center * factor
      page.states[index].halfWidth *= factor
      page.states[index].halfHeight *= factor
    }
    return page
  }

  /// Returns the page with each point moved by `perspective`.
  ///
  /// The axes of the states are those of ellipses whose ends move as the points do.
  func moved(by perspective: Perspective) -> Page {
    func move(_ place: Vector) -> Vector { perspective.apply(to: place) }
    var page = self
    for index in page.strokes.indices { page.strokes[index].path = strokes[index].path.map(move) }
    for index in page.arrows.indices { page.arrows[index].path = arrows[index].path.map(move) }
    for index in page.states.indices {
      let state = states[index]
      let center = move(state.center)
      let across = Vector(angle: state.angle, length: state.halfWidth)
      let down = Vector(angle: state.angle + .pi / 2, length: state.halfHeight)
      let along = (move(state.center + across) - move(state.center - across)) * 0.5
      let beside = (move(state.center + down) - move(state.center - down)) * 0.5
      page.states[index].center = center
      page.states[index].halfWidth = along.length
      page.states[index].halfHeight = beside.length
      page.states[index].angle = along.angle
    }
    return page
  }
}
