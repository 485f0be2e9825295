import Ink

/// The automaton of a page, as the truth of pictures in a folder has it.
public struct PageTruth: Hashable, Sendable, Codable {
  /// The states.
  public let states: [String]
  /// The initial states.
  public let initial: [String]
  /// The final states.
  public let final: [String]
  /// Where each transition starts, where it ends, and its symbols, which are not known.
  public let transitions: [[String]]
  /// The centre and the half sides of each state, in px.
  public let places: [[Double]]
  /// Whether names do not count.
  public let nameless: Bool
  /// The kind of picture.
  public let kind: String

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
    var pairs: Set<[String]> = []
    for arrow in page.arrows {
      guard let from = arrow.from else { continue }
      pairs.insert(["\(from)", "\(arrow.to)", ""])
      if arrow.hasTwoHeads { pairs.insert(["\(arrow.to)", "\(from)", ""]) }
    }
    transitions = pairs.sorted { $0.lexicographicallyPrecedes($1) }
    places = page.states.map { [$0.center.x, $0.center.y, $0.halfWidth, $0.halfHeight] }
    nameless = true
    kind = "composed"
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
    (self.page, writer, truth) = (name, page.writer, PageTruth(whole: page))
    func coordinates(_ values: [Double]) -> [Double] { values.map { ($0 * 100).rounded() / 100 } }
    drawing = page.strokes.map { stroke in
      [coordinates(stroke.path.map(\.x)), coordinates(stroke.path.map(\.y))]
    }
    roles = page.strokes.map { $0.pageClass == .writing ? "text" : $0.pageClass.name }
  }
}
