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
      for index in labels where boxes[index].map({ overlap(of: $0) > 0 }) ?? false {
        choose(index)
      }
    }
    return chosen
  }

  private static let rounds = 3
  /// The minimum distance between a label and a state, line or label, in canvas points.
  private static let clearance = 3.0

  /// The places that are tried, the nearest to the usual one first.
  private static let candidates: [Place] = {
    let alongs = [(0.5, 0.0), (0.42, 4), (0.34, 8), (0.26, 14), (0.18, 22)]
    let gaps = [(12.0, 0.0), (20, 10), (32, 24), (46, 38), (60, 52), (80, 80), (104, 110)]
    var places: [(place: Place, cost: Double)] = []
    for (gap, distance) in gaps {
      for (along, offset) in alongs {
        for isBack in along == 0.5 ? [false] : [false, true] {
          for side in [1.0, -1] {
            places.append(
              (
                Place(along: isBack ? 1 - along : along, gap: side * gap),
                distance + offset + (side < 0 ? 12 : 0)
              ))
          }
        }
      }
    }
    return places.enumerated().sorted {
      ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset)
    }
    .map(\.element.place)
  }()

  private mutating func choose(_ index: Int) {
    guard let size = sizes[index], let appearance = appearances[index] else { return }
    boxes[index] = nil
    let usual = Bounds(around: appearance.label, size: size)
    var best = (place: Place?.none, box: usual, overlap: overlap(of: usual))
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
      let overlap = overlap(of: box)
      if overlap < best.overlap { best = (place, box, overlap) }
    }
    (chosen[index], boxes[index]) = (best.place, best.box)
  }

  /// Returns how many states, lines and other labels a label is on or too near.
  private func overlap(of box: Bounds) -> Int {
    let wide = box.widened(by: Self.clearance)
    let covered = states.count { wide.distance(to: $0.center) <= $0.radius }
    let crossed = outlines.count { $0?.touches(wide) == true }
    let hidden = boxes.count { $0?.isWithin(0, of: wide) == true }
    return covered + crossed + hidden
  }
}
