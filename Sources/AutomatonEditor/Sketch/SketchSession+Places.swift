import Foundation
import Ink
import InkDiagram

/// Where writing is.
struct WritingPlace {
  /// The id of the state around it or of the transition beside it.
  var element: String?
}

extension SketchSession {
  /// Returns where a stroke is written, or `nil` if it is not writing.
  ///
  /// Writing is smaller than the states: it is inside one, beside a transition, or continues writing.
  func place(ofWriting stroke: Stroke) -> WritingPlace? {
    let document = editor.document
    guard let bounds = Drawing([stroke]).bounds, !document.states.isEmpty else { return nil }
    let size = bounds.longerSide
    let points = stroke.points.map { Vector($0) }
    if let state = document.nearestState(
      to: Vector(bounds.center.x, bounds.center.y), editor.options),
      size < 1.3 * state.radius,
      points.allSatisfy({ $0.distance(to: state.center) < 0.92 * state.radius })
    {
      let fit = CircleFit(Drawing([stroke]))
      let isRing = fit.map { fit in
        fit.turns > 0.7 && fit.radius > 0.55 * state.radius
          && fit.center.distance(to: state.center) < 0.3 * state.radius
      }
      if isRing != true { return WritingPlace(element: state.id) }
    }
    guard let usual = usualRadius, size < 1.15 * usual else { return nil }
    if let page, let writing = page.writing, page.revision == editor.revision,
      writing.distance(to: bounds) < 0.5 * usual
    {
      return WritingPlace(element: transition(near: bounds, within: 1.3 * usual))
    }
    // A short line that leads to a state is an arrow, and what is at the end of an arrow is its head.
    guard !leadsToState(stroke, usual), !isAtEnd(points, usual) else { return nil }
    guard let transition = transition(near: bounds, within: 1.3 * usual) else { return nil }
    return WritingPlace(element: transition)
  }

  /// Returns the transition with its line nearest to `bounds`, if it is near enough.
  private func transition(near bounds: Bounds, within reach: Double) -> String? {
    var nearest: (id: String, distance: Double)?
    for transition in editor.document.transitions {
      let line: [Vector]
      switch transition.shape {
      case .regular(let start, let tip, let flex):
        // Few points are enough, because the label is near the middle.
        line = [start, start.middle(to: flex), flex, flex.middle(to: tip), tip]
      case .loop: line = editor.document.appearance(of: transition)?.polyline ?? []
      }
      let distance = line.map { bounds.distance(to: $0) }.min() ?? .infinity
      if distance <= nearest?.distance ?? reach { nearest = (transition.id, distance) }
    }
    return nearest?.id
  }

  private func leadsToState(_ stroke: Stroke, _ usual: Double) -> Bool {
    guard stroke.form == .line || stroke.form == .bow, stroke.length > 0.45 * usual,
      let first = stroke.points.first, let last = stroke.points.last
    else { return false }
    return [Vector(first), Vector(last)].contains { end in
      editor.document.states.contains {
        abs($0.center.distance(to: end) - $0.radius) < 0.3 * usual
      }
    }
  }

  /// Whether a small stroke touches the end of a transition.
  private func isAtEnd(_ points: [Vector], _ usual: Double) -> Bool {
    editor.document.transitions.contains { endsTouched(of: $0, by: points, usual) > 0 }
  }

  /// Returns the number of ends of a transition that a small stroke touches.
  private func endsTouched(
    of transition: Document.Transition, by points: [Vector], _ usual: Double
  ) -> Int {
    let ends: [Vector]
    switch transition.shape {
    case .regular(let start, let tip, _): ends = [start, tip]
    case .loop:
      let line = editor.document.appearance(of: transition)?.polyline ?? []
      ends = [line.first, line.last].compactMap(\.self)
    }
    return ends.count { end in
      points.contains { $0.distance(to: end) < Self.filledHeadReach * usual }
    }
  }

  /// The median radius of the states.
  private var usualRadius: Double? { editor.document.states.map(\.radius).median() }

  // MARK: Scratching out

  /// The size of a stroke that scratches out an element, as a share of the usual radius.
  ///
  /// What is smaller is a filled head or a letter. What scratches out a state is larger than its radius.
  private static let minimumScratch = 0.6
  /// How near the middle of a state a stroke that scratches it out comes, as a share of its radius.
  private static let minimumDepth = 0.4

  /// The number of strokes, the last ones, that a filled head may belong to.
  private static let shaftsBeforeHead = 3
  /// How near a head is to the end of its shaft, as a share of the usual radius.
  private static let filledHeadReach = 0.25

  /// Whether a stroke is small and at one end of an arrow: people fill heads by going to and fro.
  private func isFilledHead(_ stroke: Stroke, _ bounds: Bounds) -> Bool {
    guard let usual = usualRadius, bounds.longerSide < usual else { return false }
    let points = stroke.points.map { Vector($0) }
    let touched = editor.document.transitions.map { endsTouched(of: $0, by: points, usual) }
    if touched.contains(1) && !touched.contains(2) { return true }
    // A shaft without its head may have been read as something else.
    return page?.strokes.suffix(Self.shaftsBeforeHead).contains { shaft in
      guard let first = shaft.points.first, let last = shaft.points.last,
        shaft.length > 1.3 * bounds.longerSide
      else { return false }
      let near = [Vector(first), Vector(last)].map { end in
        points.contains { $0.distance(to: end) < Self.filledHeadReach * usual }
      }
      return near[0] != near[1]
    } ?? false
  }

  /// Erases what is below a stroke that goes to and fro, and returns the ids of the elements; `nil` if
  /// the stroke does not scratch anything out.
  mutating func scratchOut(_ stroke: Stroke) -> [String]? {
    guard stroke.goesToAndFro, let bounds = Drawing([stroke]).bounds else { return nil }
    // What was written last has to be known.
    if needsSettling { settle() }
    let document = editor.document
    var next = editor
    var ids: [String] = []
    for state in document.states
    where !state.name.isEmpty && bounds.distance(to: state.center) == 0
      && bounds.longerSide < 1.6 * state.radius
    {
      guard (try? next.perform(.rename(state: state.id, ""))) != nil else { continue }
      ids.append(state.id)
    }
    if ids.isEmpty {
      for transition in document.transitions
      where !(transition.symbols.isEmpty && !transition.includesEpsilon) {
        guard let label = document.appearance(of: transition)?.label,
          bounds.distance(to: label) == 0,
          !document.crosses(stroke.points.map { Vector($0) }, transition, reach: 0)
        else { continue }
        for symbol in transition.symbols {
          try? next.perform(.removeSymbol(transition: transition.id, symbol))
        }
        try? next.perform(.setEpsilon(transition: transition.id, false))
        ids.append(transition.id)
      }
    }
    if ids.isEmpty {
      guard bounds.longerSide > Self.minimumScratch * (usualRadius ?? 0),
        !isFilledHead(stroke, bounds)
      else { return nil }
      try? next.perform(.erase(Drawing([stroke])))
      // What only grazes a ring, such as a head that is drawn before its shaft, leaves the state.
      let grazed = document.states.filter { state in
        next.document.state(state.id) == nil
          && (bounds.longerSide < state.radius
            || bounds.distance(to: state.center) > Self.minimumDepth * state.radius)
      }
      if !grazed.isEmpty {
        next = editor
        let hit = document.hitIDs(by: Drawing([stroke]), editor.options)
          .subtracting(grazed.map(\.id))
        try? next.perform(.delete(hit))
      }
      guard next.document != document else { return nil }
      let left = Set(next.document.states.map(\.id) + next.document.transitions.map(\.id))
      ids = (document.states.map(\.id) + document.transitions.map(\.id)).filter {
        !left.contains($0)
      }
    }
    guard (try? editor.revise(next.document)) != nil else { return nil }
    turnPage()
    return ids
  }
}

extension Stroke {
  /// Whether the pen goes to and fro at least five times over about the same place.
  var goesToAndFro: Bool {
    guard let bounds = Drawing([self]).bounds, bounds.longerSide >= 2 * Self.minimumExtent,
      length > 4 * bounds.longerSide
    else { return false }
    let points = resampled(count: 128).points.map { Vector($0) }
    // Along the axis on which the pen moves most.
    let ways = zip(points, points.dropFirst()).map { $0.1 - $0.0 }
    let angle =
      0.5
      * atan2(
        ways.reduce(0) { $0 + 2 * $1.x * $1.y },
        ways.reduce(0) { $0 + $1.x * $1.x - $1.y * $1.y })
    let axis = Vector(angle: angle, length: 1)
    // A ring that is drawn several times over never goes through its middle.
    let center = Vector(bounds.center.x, bounds.center.y)
    guard points.contains(where: { $0.distance(to: center) < 0.2 * bounds.longerSide }) else {
      return false
    }
    let along = points.map { $0.dot(axis) }
    guard let low = along.min(), let high = along.max() else { return false }
    let least = 0.4 * (high - low)
    var turns = 0
    var extreme = along[0]
    var direction = 0.0
    for place in along {
      if direction * (place - extreme) >= 0 {
        if direction == 0, abs(place - extreme) > least { direction = place > extreme ? 1 : -1 }
        if direction != 0 { extreme = place }
      } else if abs(place - extreme) > least {
        direction = -direction
        extreme = place
        turns += 1
      }
    }
    return turns >= 4
  }
}
