import Ink

/// Chooses places of labels so that no label is on a line, a state or another label.
///
/// A label stays in its usual place if that is free. Otherwise it moves along its line, to the other
/// side or farther away, to the nearest free place.
struct LabelPlacer {
  private typealias Place = Document.Transition.LabelPlace

  private let states: [Document.State]
  private let appearances: [Document.Appearance?]
  private let outlines: [Outline?]
  private let sizes: [Vector?]
  private var chosen: [Place?]
  private var boxes: [Bounds?]

  /// The sizes of the labels are `nil` for transitions without one.
  init(states: [Document.State], appearances: [Document.Appearance?], sizes: [Vector?]) {
    (self.states, self.appearances, self.sizes) = (states, appearances, sizes)
    outlines = appearances.map { $0.map(Outline.init) }
    chosen = appearances.map { _ in nil }
    boxes = appearances.map { _ in nil }
  }

  /// Returns the places of the labels; `nil` is the usual place.
  mutating func places() -> [Document.Transition.LabelPlace?] {
    // Wide labels have the least choice.
    let labels = sizes.indices.filter { sizes[$0] != nil && appearances[$0] != nil }
      .sorted { (-sizes[$0]!.x, $0) < (-sizes[$1]!.x, $1) }
    for index in labels { choose(index) }
    for _ in 1..<Self.rounds {
      let covered = labels.filter(isCovered)
      if covered.isEmpty { break }
      for index in covered where isCovered(index) { choose(index) }
    }
    return chosen
  }

  private static let rounds = 4
  /// The minimum distance between a label and a state, line or label, in canvas points.
  private static let clearance = 3.0

  /// The places that are tried, the nearest to the usual one first: along the line in steps of a
  /// twenty-fifth of it, and away from it in steps of six points.
  private static let candidates: [Place] = {
    var places: [(place: Place, cost: Double)] = []
    for row in 0...15 {
      let away = 6 * Double(row)
      for step in -10...10 {
        for side in [1.0, -1] {
          let place = Place(
            along: 0.5 + Double(step) / 25, gap: side * (Document.Appearance.labelDistance + away))
          places.append((place, 1.2 * away + 2 * Double(abs(step)) + (side < 0 ? 12 : 0)))
        }
      }
    }
    return places.enumerated()
      .sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
      .map(\.element.place)
  }()

  private mutating func choose(_ index: Int) {
    guard let size = sizes[index], let appearance = appearances[index] else { return }
    let usual = Bounds(around: appearance.label, size: size)
    var best = (place: Place?.none, box: usual, overlap: overlap(of: usual, index, limit: .max))
    // The handle is the middle of a line and the top of a self-loop.
    let isLoop = appearance.curves.count == 1
    let way = appearance.curves[0].direction(at: isLoop ? 0.5 : 1)
    let isRight = way.cross(appearance.label - appearance.handle) > 0
    for candidate in Self.candidates where best.overlap > 0 {
      // Nothing is written into a self-loop.
      if isLoop, candidate.gap < 0 { continue }
      let place = Place(along: candidate.along, gap: isRight ? -candidate.gap : candidate.gap)
      let middle = appearance.label(of: size, at: place)
      guard middle.isOnCanvas else { continue }
      let box = Bounds(around: middle, size: size)
      let overlap = overlap(of: box, index, limit: best.overlap)
      if overlap < best.overlap { best = (place, box, overlap) }
    }
    (chosen[index], boxes[index]) = (best.place, best.box)
  }

  /// Returns whether the label of a transition is on something else.
  private func isCovered(_ index: Int) -> Bool {
    boxes[index].map { overlap(of: $0, index, limit: 1) > 0 } ?? false
  }

  /// The weights of states, of lines and of other labels that a label is on.
  private static let (onState, onLine, onLabel) = (4, 1, 3)

  /// Returns the weight of what a label is on or too near, at most `limit`.
  private func overlap(of box: Bounds, _ index: Int, limit: Int) -> Int {
    let wide = box.widened(by: Self.clearance)
    var weight = 0
    for state in states where wide.distance(to: state.center) <= state.radius {
      weight += Self.onState
      if weight >= limit { return limit }
    }
    for other in outlines.indices {
      if outlines[other]?.touches(wide) == true { weight += Self.onLine }
      if other != index, boxes[other]?.isWithin(0, of: wide) == true { weight += Self.onLabel }
      if weight >= limit { return limit }
    }
    return weight
  }
}
