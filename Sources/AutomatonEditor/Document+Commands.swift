import Automata
import Foundation
import Ink

extension Document {
  /// Returns the document after `command`; new elements get their ids from `ids`.
  ///
  /// - Throws: `Refusal` if the command cannot be performed or changes nothing.
  public func applying(
    _ command: Command, ids: inout some IDSource, options: EditorOptions = EditorOptions()
  ) throws(Refusal) -> Document {
    var result = self
    try result.apply(command, &ids, options)
    guard result.isSound else { throw .notANumber }
    guard result != self else { throw .nothingToDo }
    return result
  }

  /// Whether all positions and the ink are on the canvas, all radii positive, all ids unique, and the
  /// states of all transitions exist.
  public var isSound: Bool {
    let known = Set(states.map(\.id))
    guard known.union(transitions.map(\.id)).count == states.count + transitions.count else {
      return false
    }
    return ink.allSatisfy { $0.points.allSatisfy { Vector($0).isOnCanvas } }
      && states.allSatisfy {
        $0.center.isOnCanvas && $0.radius > 0 && $0.radius <= Vector.furthest
      }
      && transitions.allSatisfy { transition in
        [transition.start, transition.end].allSatisfy { $0.map(known.contains) ?? true }
          && transition.shape.isOnCanvas && (!transition.isLoop || transition.start != nil)
      }
  }

  private mutating func apply(
    _ command: Command, _ ids: inout some IDSource, _ options: EditorOptions
  ) throws(Refusal) {
    switch command {
    case .drawState(let drawing): try drawState(drawing, &ids, options)
    case .drawTransition(let drawing): try drawTransition(drawing, &ids, options)
    case .drawLoop(let drawing): try drawLoop(drawing, &ids, options)
    case .addState(let center, let radius):
      let radius = radius ?? options.usualRadius
      guard center.isFinite, radius.isFinite, radius > 0 else { throw .notANumber }
      addState(
        State(id: try freeID(&ids), name: freeName, center: center, radius: radius), options)
    case .connect(let start, let end): try connect(start, end, &ids)
    case .setFinal(let id, let isFinal): states[try stateIndex(id)].isFinal = isFinal
    case .setInitial(let id, let isInitial): try setInitial(id, isInitial, &ids)
    case .moveState(let id, let center): try moveState(id, to: center, options)
    case .resizeState(let id, let radius):
      guard radius.isFinite, radius > 0 else { throw .notANumber }
      states[try stateIndex(id)].radius = radius
      for index in transitions.indices
      where transitions[index].start == id || transitions[index].end == id {
        project(index)
      }
    case .move(let ids, let way): try move(ids, by: way)
    case .arrange(let ids, let arrangement): try arrange(Set(ids), arrangement)
    case .insert(let other, let way): try insert(other, by: way, &ids)
    case .bend(let id, let place): try bend(id, through: place)
    case .moveStart(let id, let place): try moveEnd(id, isTip: false, to: place, options)
    case .moveTip(let id, let place): try moveEnd(id, isTip: true, to: place, options)
    case .turnLoop(let id, let place): try turnLoop(id, towards: place)
    case .flip(let id): try flip(id)
    case .rename(let id, let name):
      let index = try stateIndex(id)
      do { try Self.checkVisible(name, at: "name") } catch { throw .unreadableName(error) }
      states[index].name = Self.sanitized(name)
    case .setPendingSymbol(let id, let symbol):
      let index = try transitionIndex(id)
      do {
        try Self.checkVisible(symbol, at: "symbols")
        if let kind { _ = try MachineRule.rules(symbol, of: kind) }
      } catch { throw .unreadableSymbols(error) }
      transitions[index].pendingSymbol = kind == nil ? Self.sanitized(symbol) : symbol
    case .setSymbols(let id, let text):
      let index = try transitionIndex(id)
      (transitions[index].symbols, transitions[index].pendingSymbol) = ([], "")
      transitions[index].includesEpsilon = false
      try addSymbols(text, to: index)
    case .addSymbols(let id, let text): try addSymbols(text, to: transitionIndex(id))
    case .removeSymbol(let id, let symbol):
      transitions[try transitionIndex(id)].symbols.removeAll { $0 == symbol }
    case .setEpsilon(let id, let includes):
      // A label of an older kind can still be removed.
      if let kind, includes { throw .onlyFiniteAutomata(kind) }
      transitions[try transitionIndex(id)].includesEpsilon = includes
    case .delete(let ids, let cascade):
      for id in ids.sorted() where state(id) == nil && transition(id) == nil {
        throw .noSuchElement(id)
      }
      delete(ids, cascade)
    case .erase(let drawing, let cascade): erase(drawing, cascade, options)
    case .convertInk(let number, let drawn):
      guard ink.indices.contains(number) else { throw .noSuchElement("") }
      try apply(drawn.command(Drawing([ink.remove(at: number)])), &ids, options)
    case .deleteInk(let number):
      guard ink.indices.contains(number) else { throw .noSuchElement("") }
      ink.remove(at: number)
    case .setKind(let kind):
      self.kind = kind
      if kind != nil { givenAlphabet = [] }
      if kind != .pushdown { acceptance = .finalState }
    case .setAlphabet(let symbols):
      if let kind, !symbols.isEmpty { throw .onlyFiniteAutomata(kind) }
      guard !symbols.contains("") else {
        throw .unreadableSymbols(
          AutomatonError(
            at: "alphabet", expected: "non-empty symbols", found: "an empty one"))
      }
      // Symbols from a file of another program may stay.
      for symbol in symbols where !givenAlphabet.contains(symbol) {
        do { try VisibleText.check(symbol, at: "alphabet") } catch {
          throw .unreadableSymbols(error)
        }
      }
      givenAlphabet = Set(symbols).sorted()
    case .clear: (states, transitions, givenAlphabet, ink) = ([], [], [], [])
    }
  }

  private mutating func addSymbols(_ text: String, to index: Int) throws(Refusal) {
    if let kind {
      let rules: [MachineRule]
      do { rules = try MachineRule.rules(text, of: kind) } catch { throw .unreadableSymbols(error) }
      for rule in rules.map(\.text) where !transitions[index].symbols.contains(rule) {
        transitions[index].symbols.append(rule)
      }
      return
    }
    let typed: TypedSymbols
    do { typed = try TypedSymbols(text) } catch { throw .unreadableSymbols(error) }
    for symbol in typed.symbols where !transitions[index].symbols.contains(symbol) {
      transitions[index].symbols.append(symbol)
    }
    if typed.includesEpsilon { transitions[index].includesEpsilon = true }
    let pending = transitions[index].pendingSymbol
    if typed.symbols.contains(pending) || pending == Self.sanitized(text) {
      transitions[index].pendingSymbol = ""
    }
  }

  /// Returns the text without spaces, and without white space at its ends.
  static func sanitized(_ text: String) -> String {
    text.filter { $0 != " " }.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Throws if the text contains invisible characters; white space at its ends is ignored.
  private static func checkVisible(
    _ text: String, at place: String
  ) throws(AutomatonError) {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) }
    try VisibleText.check(String(start[..<(end ?? start.startIndex)]), at: place)
  }

  func stateIndex(_ id: String) throws(Refusal) -> Int {
    guard let index = states.firstIndex(where: { $0.id == id }) else { throw .noSuchElement(id) }
    return index
  }

  func transitionIndex(_ id: String) throws(Refusal) -> Int {
    guard let index = transitions.firstIndex(where: { $0.id == id }) else {
      throw .noSuchElement(id)
    }
    return index
  }

  /// Returns the next id that is not in use.
  func freeID(_ ids: inout some IDSource) throws(Refusal) -> String {
    var taken = takenIDs
    return try Self.freeID(&ids, &taken)
  }

  /// The ids that are in use.
  var takenIDs: Set<String> { Set(states.map(\.id)).union(transitions.map(\.id)) }

  /// Returns the next id that is not in `taken`, and adds it.
  static func freeID(
    _ ids: inout some IDSource, _ taken: inout Set<String>
  ) throws(Refusal) -> String {
    for _ in 0...taken.count {
      let id = ids.next()
      if taken.insert(id).inserted { return id }
    }
    throw .noFreeID
  }

  /// The first of `q0`, `q1`, … that no state has.
  var freeName: String {
    let names = Set(states.map(\.name))
    var number = states.count
    while number > 0, !names.contains("q\(number - 1)") { number -= 1 }
    while names.contains("q\(number)") { number += 1 }
    return "q\(number)"
  }

  // MARK: Drawing

  private mutating func drawState(
    _ drawing: Drawing, _ ids: inout some IDSource, _ options: EditorOptions
  ) throws(Refusal) {
    guard let fit = CircleFit(drawing) else { throw .tooSmall }
    if let around = stateIndex(around: fit) {
      guard !states[around].isFinal else { throw .alreadyFinal }
      states[around].isFinal = true
      return
    }
    addState(
      State(
        id: try freeID(&ids), name: freeName, isFinal: fit.turns >= Self.minimumDoubleTurns,
        center: fit.center, radius: fit.radius), options)
  }

  /// The minimum number of turns of a double ring drawn in one stroke.
  private static let minimumDoubleTurns = 1.7

  /// Returns the state whose second ring the circle is: about concentric and of similar size.
  func stateIndex(around fit: CircleFit) -> Int? {
    states.indices.filter { index in
      let (center, radius) = (states[index].center, states[index].radius)
      return fit.center.distance(to: center) <= 0.5 * max(fit.radius, radius)
        && (0.5...1.6).contains(fit.radius / radius)
    }.min {
      states[$0].center.distance(to: fit.center) < states[$1].center.distance(to: fit.center)
    }
  }

  private mutating func addState(_ state: State, _ options: EditorOptions) {
    states.append(state)
    attachLooseEnds(to: state, options)
  }

  /// Attaches all free ends within reach to `state`, but never both ends of one transition.
  private mutating func attachLooseEnds(to state: State, _ options: EditorOptions) {
    let reach = options.attachment(to: state)
    for index in transitions.indices {
      guard case .regular(let start, let tip, _) = transitions[index].shape,
        transitions[index].start != state.id, transitions[index].end != state.id
      else { continue }
      if transitions[index].end == nil, state.distance(to: tip) <= reach {
        transitions[index].end = state.id
      } else if transitions[index].start == nil, state.distance(to: start) <= reach {
        transitions[index].start = state.id
      } else {
        continue
      }
      if transitions[index].start != nil, transitions[index].end != nil {
        transitions[index].endsFreely = false
      }
      project(index)
    }
  }

  /// Returns the nearest state within reach of `place`; inside several discs, the one with the
  /// nearest centre.
  func nearestState(to place: Vector, _ options: EditorOptions) -> State? {
    states.filter { $0.distance(to: place) <= options.attachment(to: $0) }.min {
      ($0.distance(to: place), $0.center.distance(to: place))
        < ($1.distance(to: place), $1.center.distance(to: place))
    }
  }

  private mutating func drawTransition(
    _ drawing: Drawing, _ ids: inout some IDSource, _ options: EditorOptions
  ) throws(Refusal) {
    guard let fit = ArrowFit(drawing) else { throw .tooSmall }
    var start = nearestState(to: fit.start, options)
    var end = nearestState(to: fit.tip, options)
    if let state = start, state.id == end?.id {
      // Only the nearer end attaches, because an arrow is not a self-loop.
      if ringDistance(state, fit.start) < ringDistance(state, fit.tip) {
        end = nil
      } else {
        start = nil
      }
    }
    transitions.append(
      Transition(
        id: try freeID(&ids), start: start?.id, end: end?.id,
        shape: .regular(start: fit.start, tip: fit.tip, flex: fit.flex),
        endsFreely: start == nil || end == nil))
    project(transitions.count - 1)
    bow(transitions.count - 1)
  }

  private func ringDistance(_ state: State, _ place: Vector) -> Double {
    abs(state.center.distance(to: place) - state.radius)
  }

  private mutating func drawLoop(
    _ drawing: Drawing, _ ids: inout some IDSource, _ options: EditorOptions
  ) throws(Refusal) {
    guard let stroke = drawing.strokes.max(by: { $0.length < $1.length }),
      let first = stroke.points.first, let last = stroke.points.last, stroke.length > 0
    else { throw .tooSmall }
    let (start, end) = (Vector(first), Vector(last))
    guard let state = nearestState(to: start, options) ?? nearestState(to: end, options) else {
      throw .noStateThere
    }
    let direction = start.middle(to: end) - state.center
    transitions.append(
      Transition(
        id: try freeID(&ids), start: state.id, end: state.id,
        shape: .loop(
          angle: Self.loopAngle(direction), isMirrored: stroke.smoothTurningAngle < 0)))
  }

  /// Returns the angle from the bottom of a ring, in (−π, π].
  static func loopAngle(_ direction: Vector) -> Double {
    let angle = direction.angle - .pi / 2
    return angle <= -.pi ? angle + 2 * .pi : angle
  }

  // MARK: Ends

  /// Moves the ends of a transition to the rings of their states, towards its middle point.
  ///
  /// A straight transition stays straight.
  mutating func project(_ index: Int) {
    guard case .regular(var start, var tip, var flex) = transitions[index].shape else { return }
    if let owner = transitions[index].start, owner == transitions[index].end {
      // A file can have an arrow from a state to itself; each end stays on its side of the ring.
      guard let owner = state(owner) else { return }
      transitions[index].shape = .regular(
        start: owner.ringPoint(towards: start), tip: owner.ringPoint(towards: tip), flex: flex)
      return
    }
    let isStraight =
      flex.distance(to: start.middle(to: tip)) < 0.02 * start.distance(to: tip)
    let (from, to) = (state(transitions[index].start), state(transitions[index].end))
    if isStraight, let from, let to {
      start = from.ringPoint(towards: to.center)
      tip = to.ringPoint(towards: from.center)
    } else {
      if let from { start = from.ringPoint(towards: flex) }
      if let to { tip = to.ringPoint(towards: flex) }
    }
    if isStraight { flex = start.middle(to: tip) }
    transitions[index].shape = .regular(start: start, tip: tip, flex: flex)
  }

  /// Bends straight transitions between the same two states apart, to their left or right if there is room.
  mutating func bow(_ index: Int, toRight isToRight: Bool = false) {
    guard let start = transitions[index].start, let end = transitions[index].end, start != end,
      let from = state(start), let to = state(end)
    else { return }
    let pair = transitions.indices.filter {
      let (one, other) = (transitions[$0].start, transitions[$0].end)
      return one == start && other == end || one == end && other == start
    }
    guard pair.count > 1 else { return }
    let middle = from.center.middle(to: to.center)
    let left = (to.center - from.center).unit.turned(by: -.pi / 2)
    // The bends of the other transitions, to the left of the line from `start` to `end`.
    var taken: [Double] = []
    var straight: [Int] = []
    for other in pair {
      guard case .regular(let first, let tip, let flex) = transitions[other].shape else { continue }
      if flex.distance(to: first.middle(to: tip)) < 0.02 * first.distance(to: tip) {
        straight.append(other)
      } else {
        taken.append((flex.x - middle.x) * left.x + (flex.y - middle.y) * left.y)
      }
    }
    let step = Self.bow(from: from, to: to)
    for other in straight {
      let side = (transitions[other].start == start) != isToRight ? 1.0 : -1
      // One of these places is free, because each of the others blocks at most two.
      let places = (0...2 * pair.count).flatMap { rank in
        [side, -side].map { $0 * step * Double(rank + 1) }
      }
      guard
        let place = places.first(where: { place in
          taken.allSatisfy { abs($0 - place) >= 0.75 * step }
        }), case .regular(let first, let tip, _) = transitions[other].shape
      else { continue }
      taken.append(place)
      transitions[other].shape = .regular(start: first, tip: tip, flex: middle + left * place)
      project(other)
    }
  }

  /// Returns the bend of a transition that has an opposite one, in canvas points.
  static func bow(from: State, to: State) -> Double {
    min(60, max(20, 0.15 * from.center.distance(to: to.center)))
  }

  mutating func connect(
    _ start: String, _ end: String, _ ids: inout some IDSource
  ) throws(Refusal) {
    let (from, to) = (states[try stateIndex(start)], states[try stateIndex(end)])
    guard start != end else {
      // At the top, or at the first free side.
      let taken = transitions.compactMap { transition -> Double? in
        guard transition.start == start, case .loop(let angle, _) = transition.shape else {
          return nil
        }
        return angle
      }
      let free = [Double.pi, 0, .pi / 2, -.pi / 2].first { angle in
        !taken.contains { abs($0 - angle) < 0.3 }
      }
      transitions.append(
        Transition(
          id: try freeID(&ids), start: start, end: end,
          shape: .loop(angle: free ?? .pi, isMirrored: false)))
      return
    }
    transitions.append(
      Transition(
        id: try freeID(&ids), start: start, end: end, shape: .straight(from: from, to: to)))
    bow(transitions.count - 1)
  }

  mutating func setInitial(
    _ id: String, _ isInitial: Bool, _ ids: inout some IDSource
  ) throws(Refusal) {
    let state = states[try stateIndex(id)]
    guard isInitial else {
      transitions.removeAll { $0.isInitialMarker && $0.end == id }
      return
    }
    guard !self.isInitial(id) else { throw .nothingToDo }
    transitions.append(
      Transition(id: try freeID(&ids), end: id, shape: .marker(of: state), endsFreely: true))
  }

  // MARK: Moving

  mutating func moveState(
    _ id: String, to center: Vector, _ options: EditorOptions
  ) throws(Refusal) {
    try place(id, at: center)
    attachLooseEnds(to: states[try stateIndex(id)], options)
  }

  /// Moves a state with its arrows; loose ends near its new place stay loose.
  mutating func place(_ id: String, at center: Vector) throws(Refusal) {
    let index = try stateIndex(id)
    guard center.isFinite else { throw .notANumber }
    let way = center - states[index].center
    states[index].center = center
    for index in transitions.indices {
      guard case .regular(let start, let tip, let flex) = transitions[index].shape,
        transitions[index].start == id || transitions[index].end == id
      else { continue }
      if transitions[index].isInitialMarker {
        // An initial arrow moves along.
        transitions[index].shape = .regular(start: start + way, tip: tip + way, flex: flex + way)
      } else {
        let isWhole = transitions[index].start == transitions[index].end
        transitions[index].shape = .regular(
          start: transitions[index].start == id ? start + way : start,
          tip: transitions[index].end == id ? tip + way : tip,
          flex: flex + way * (isWhole ? 1 : 0.5))
      }
      project(index)
    }
  }

  mutating func bend(_ id: String, through place: Vector) throws(Refusal) {
    let index = try transitionIndex(id)
    guard place.isFinite else { throw .notANumber }
    guard case .regular(let start, let tip, _) = transitions[index].shape else {
      throw .noSuchElement(id)
    }
    // The label was placed for another bend.
    transitions[index].labelPlace = nil
    if transitions[index].isInitialMarker, let end = state(transitions[index].end) {
      let tip = end.ringPoint(towards: place)
      transitions[index].shape = .regular(start: place + (place - tip), tip: tip, flex: place)
      return
    }
    transitions[index].shape = .regular(start: start, tip: tip, flex: place)
    // The ends follow the bend, even if the line happens to be straight.
    if let from = state(transitions[index].start), let to = state(transitions[index].end) {
      transitions[index].shape = .regular(
        start: from.ringPoint(towards: place), tip: to.ringPoint(towards: place), flex: place)
    } else {
      project(index)
    }
  }

  private mutating func moveEnd(
    _ id: String, isTip: Bool, to place: Vector, _ options: EditorOptions
  ) throws(Refusal) {
    let index = try transitionIndex(id)
    guard place.isFinite else { throw .notANumber }
    guard case .regular(let start, let tip, let flex) = transitions[index].shape else {
      throw .noSuchElement(id)
    }
    let old = isTip ? tip : start
    let other = isTip ? start : tip
    // A straight line stays straight, and a bent line keeps its bend.
    let bend = flex - old.middle(to: other)
    let newFlex = place.middle(to: other) + bend
    transitions[index].shape =
      isTip
      ? .regular(start: start, tip: place, flex: newFlex)
      : .regular(start: place, tip: tip, flex: newFlex)
    let holder = nearestState(to: place, options)?.id
    if isTip {
      // An end that leaves its state is dangling; an end that never had a state stays free.
      if transitions[index].end != nil, transitions[index].start != nil {
        transitions[index].endsFreely = false
      }
      transitions[index].end = holder == transitions[index].start ? nil : holder
    } else {
      if transitions[index].start != nil { transitions[index].endsFreely = false }
      transitions[index].start = holder == transitions[index].end ? nil : holder
    }
    if transitions[index].start != nil, transitions[index].end != nil {
      transitions[index].endsFreely = false
    }
    project(index)
  }

  private mutating func turnLoop(_ id: String, towards place: Vector) throws(Refusal) {
    let index = try transitionIndex(id)
    guard place.isFinite else { throw .notANumber }
    guard case .loop(_, let isMirrored) = transitions[index].shape,
      let state = state(transitions[index].start)
    else { throw .noSuchElement(id) }
    transitions[index].labelPlace = nil
    transitions[index].shape = .loop(
      angle: Self.loopAngle(place - state.center), isMirrored: isMirrored)
  }

  private mutating func flip(_ id: String) throws(Refusal) {
    let index = try transitionIndex(id)
    transitions[index].labelPlace = transitions[index].labelPlace?.reversed
    switch transitions[index].shape {
    case .regular(let start, let tip, let flex):
      transitions[index].shape = .regular(start: tip, tip: start, flex: flex)
      let start = transitions[index].start
      transitions[index].start = transitions[index].end
      transitions[index].end = start
    case .loop(let angle, let isMirrored):
      transitions[index].shape = .loop(angle: angle, isMirrored: !isMirrored)
    }
  }

  // MARK: Deleting

  private mutating func delete(_ ids: Set<String>, _ cascade: Command.Cascade) {
    states.removeAll { ids.contains($0.id) }
    transitions.removeAll { transition in
      let isTouched = [transition.start, transition.end].contains { $0.map(ids.contains) ?? false }
      return ids.contains(transition.id)
        || isTouched && (transition.isLoop || cascade == .deletesAttached)
    }
    for index in transitions.indices {
      if let start = transitions[index].start, ids.contains(start) {
        // It lost its start, so it does not mark its end as initial.
        transitions[index].start = nil
        transitions[index].endsFreely = false
      }
      if let end = transitions[index].end, ids.contains(end) {
        transitions[index].end = nil
        // An initial arrow stays one, for the next state that it is attached to.
        if transitions[index].start != nil { transitions[index].endsFreely = false }
      }
    }
  }

  private mutating func erase(
    _ drawing: Drawing, _ cascade: Command.Cascade, _ options: EditorOptions
  ) {
    for stroke in drawing.strokes {
      let path = stroke.points.map { Vector($0) }.filter(\.isFinite)
      let reach = Self.eraserReach(options)
      ink = ink.filter { !crosses(path, $0, reach: reach) }
    }
    delete(hitIDs(by: drawing, options), cascade)
  }

  /// The reach of the eraser, in canvas points.
  private static func eraserReach(_ options: EditorOptions) -> Double {
    options.eraserReach / options.zoom
  }

  /// Returns the ids of the elements that `drawing` crosses.
  func hitIDs(by drawing: Drawing, _ options: EditorOptions) -> Set<String> {
    let reach = Self.eraserReach(options)
    var hit: Set<String> = []
    for stroke in drawing.strokes {
      let path = stroke.points.map { Vector($0) }.filter(\.isFinite)
      for state in states where crosses(path, state, reach: reach) { hit.insert(state.id) }
      for transition in transitions where crosses(path, transition, reach: reach) {
        hit.insert(transition.id)
      }
    }
    return hit
  }
}
