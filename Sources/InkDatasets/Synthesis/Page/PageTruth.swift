import Ink

/// The automaton of a page: one picture's entry of a folder's `truth.json`.
public struct PageTruth: Hashable, Sendable, Codable {
  /// The states: what transitions call them, and their names where ``names`` is absent; what follows a `#`
  /// tells states of the same name apart.
  public let states: [String]
  /// The initial states.
  public let initial: [String]
  /// The final states.
  public let final: [String]
  /// Where each transition starts, where it ends, and its symbols, separated by commas.
  public let transitions: [[String]]
  /// The names of the states, if ``states`` are not the names.
  public let names: [String]?
  /// The centre and the half sides of each state, in px, if they are known.
  public let places: [[Double]]?
  /// The lines of its arrows, if they are known.
  public let lines: [Line]?
  /// The names and symbols as they are written, if their places are known.
  public let writing: [Writing]?
  /// The writer: source and name, if they are known.
  public let writer: String?
  /// By how much the drawing is turned clockwise, in degrees, if it is known.
  public let turned: Double?
  /// Whether names do not count; they do if it is absent.
  public let nameless: Bool?
  /// The kind of picture, such as `paper`.
  public let kind: String?

  /// The line of an arrow.
  public struct Line: Hashable, Sendable, Codable {
    /// The state where it starts; absent for an initial arrow.
    public let from: String?
    /// The state where its tip is.
    public let to: String
    /// Whether it has a head at both ends.
    public let hasTwoHeads: Bool
    /// The points from its start to its tip, in px.
    public let path: [[Double]]
  }

  /// A text in one place.
  public struct Writing: Hashable, Sendable, Codable {
    /// What is written; lines are separated by line breaks.
    public let text: String
    /// The points of each stroke, in px.
    public let strokes: [[[Double]]]

    /// The text with spaces between letters and digits only: whether `a, b` has one is hard to see.
    public var label: String {
      text.split(separator: " ").reduce(into: "") { label, part in
        let isApart = [label.last, part.first].allSatisfy {
          $0.map { $0.isLetter || $0.isNumber } ?? false
        }
        label += (isApart ? " " : "") + part
      }
    }
  }

  /// Creates the truth of a page, or `nil` if a state or an arrow is not whole in the picture.
  public init?(_ page: Page) {
    func isInside(_ place: Vector) -> Bool {
      (0...Double(page.width)).contains(place.x) && (0...Double(page.height)).contains(place.y)
    }
    for state in page.states {
      let reach = Vector(state.halfWidth, state.halfHeight)
      guard isInside(state.center - reach), isInside(state.center + reach) else { return nil }
    }
    for arrow in page.arrows where !arrow.path.allSatisfy({ isInside($0) }) { return nil }
    self.init(whole: page)
  }

  /// Creates the truth of a page that shows its automaton whole.
  init(whole page: Page) {
    func names(_ isChosen: (Page.State) -> Bool) -> [String] {
      page.states.indices.filter { isChosen(page.states[$0]) }.map(String.init)
    }
    states = names { _ in true }
    initial = names(\.isInitial)
    final = names(\.isFinal)
    var symbols: [[String]: [String]] = [:]
    for arrow in page.arrows {
      guard let from = arrow.from else { continue }
      let ways =
        [["\(from)", "\(arrow.to)"]] + (arrow.hasTwoHeads ? [["\(arrow.to)", "\(from)"]] : [])
      for way in ways {
        symbols[way, default: []] += Self.symbols(inRows: arrow.symbols)
      }
    }
    transitions = symbols.map { $0 + [$1.joined(separator: ",")] }
      .sorted { $0.lexicographicallyPrecedes($1) }
    self.names = page.states.map { $0.name.split(separator: "\n").joined(separator: " ") }
    places = page.states.map { [$0.center.x, $0.center.y, $0.halfWidth, $0.halfHeight] }
    lines = page.arrows.map { arrow in
      Line(
        from: arrow.from.map(String.init), to: "\(arrow.to)", hasTwoHeads: arrow.hasTwoHeads,
        path: Self.coordinates(arrow.path))
    }
    let writing = page.texts.map { text in
      Writing(
        text: text.text, strokes: page.strokes[text.strokes].map { Self.coordinates($0.path) })
    }
    self.writing = writing.isEmpty ? nil : writing
    writer = page.writer
    turned = (page.turn * 180 / .pi).rounded()
    nameless = nil
    kind = "composed"
  }

  /// Returns the symbols of a label: one for each row, or one phrase if the rows are words.
  static func symbols(inRows label: String) -> [String] {
    let rows = label.split(separator: "\n").map(String.init)
    let areWords = rows.allSatisfy { row in
      row.count > 2 && row.allSatisfy { $0.isLetter || $0 == " " }
    }
    return areWords && !rows.isEmpty ? [rows.joined(separator: " ")] : rows
  }

  private static func coordinates(_ path: [Vector]) -> [[Double]] {
    path.map { [($0.x * 10).rounded() / 10, ($0.y * 10).rounded() / 10] }
  }
}

/// A page as ink, with what each stroke is and its automaton: a line of `drawings.ndjson`.
public struct PageDrawing: Encodable {
  /// The label.
  let word = "automaton"
  /// The name of the page.
  let page: String
  /// The writer of the characters: source and name.
  let writer: String
  /// The coordinates of each stroke, in px.
  let drawing: [[[Double]]]
  /// What each stroke is: `ring`, `line`, `head`, `text`, or `nothing` for what is beside the automaton.
  let roles: [String]
  /// The automaton.
  let truth: PageTruth

  /// Creates the drawing of a page before the camera turned it.
  public init(_ page: Page, named name: String) {
    var flat = page
    flat.turn = 0
    // The strokes are in the drawing.
    flat.texts = []
    (self.page, writer, truth) = (name, page.writer, PageTruth(whole: flat))
    func coordinates(_ values: [Double]) -> [Double] { values.map { ($0 * 100).rounded() / 100 } }
    drawing = page.strokes.map { stroke in
      [coordinates(stroke.path.map(\.x)), coordinates(stroke.path.map(\.y))]
    }
    roles = page.strokes.map { $0.pageClass == .writing ? "text" : $0.pageClass.name }
  }
}
