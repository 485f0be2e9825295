import Automata
import Ink
import InkDiagram

extension SketchSession {
  /// The strokes that can still be read again, and the document before them.
  struct Page: Sendable {
    /// The settled elements.
    var base: Document
    var strokes: [Stroke] = []
    /// The element that each stroke became on its own, or with those before it.
    var elements: [String?] = []
    /// Which strokes are writing, which the document keeps as ink until they are read.
    var isWriting: [Bool] = []
    /// The number of the last strokes that ``SketchSession/settle()`` has not read.
    var unreadCount = 0
    /// The revision of the editor after the last stroke; any other change settles everything.
    var revision: Int

    /// The place of the last strokes, if they are unread writing.
    var writing: Bounds? {
      var place: Bounds?
      for index in strokes.indices.suffix(unreadCount).reversed() {
        guard isWriting[index], let bounds = Drawing([strokes[index]]).bounds else { break }
        place = place?.union(bounds) ?? bounds
      }
      return place
    }

    /// The unread strokes that are neither an element nor writing.
    var refused: [Stroke] {
      strokes.indices.suffix(unreadCount)
        .filter { elements[$0] == nil && !isWriting[$0] }.map { strokes[$0] }
    }

    mutating func append(_ stroke: Stroke, _ element: String?, isWriting: Bool) {
      strokes.append(stroke)
      elements.append(element)
      self.isWriting.append(isWriting)
      unreadCount += 1
    }

    /// Removes the last stroke, which is unread.
    mutating func removeLast() {
      strokes.removeLast()
      elements.removeLast()
      isWriting.removeLast()
      unreadCount -= 1
    }
  }

  /// The number of strokes that are read again; older elements are settled.
  private static let maximumStrokes = 120
  /// The number of strokes that stay when older elements are settled.
  private static let keptStrokes = 50

  /// Whether there are strokes that ``settle()`` has not read.
  public var needsSettling: Bool {
    guard let page else { return false }
    return page.unreadCount > 0 && page.revision == editor.revision || !page.refused.isEmpty
  }

  /// The strokes that were refused and not read yet, which are not in ``Document/ink``.
  public var refusedInk: [Stroke] { page?.refused ?? [] }

  /// Undoes the last command or stroke; returns whether there was one.
  ///
  /// The strokes before it are still read by ``settle()``.
  @discardableResult
  public mutating func undo() -> Bool {
    guard var page, page.unreadCount > 0, page.revision == editor.revision else {
      return editor.undo()
    }
    defer { forgetLast() }
    if page.elements.last == .some(nil), page.isWriting.last == false {
      page.removeLast()
    } else {
      guard editor.undo() else { return false }
      let document = editor.document
      repeat {
        page.removeLast()
      } while page.unreadCount > 0
        && page.elements.last!.map {
          document.state($0) == nil && document.transition($0) == nil
        } ?? false
    }
    page.revision = editor.revision
    self.page = page
    return true
  }

  /// Adds a stroke to the page, and writing to the ink of the document, so that it is kept until it is read.
  mutating func keep(_ stroke: Stroke, _ decision: Decision, before: Document) {
    var page = page ?? Page(base: Document(id: editor.document.id), revision: editor.revision)
    if decision.isWriting {
      var written = editor.document
      written.ink.append(stroke)
      try? editor.revise(written)
    }
    let document = editor.document
    let made = document.newElement(since: before)
    let marked = document.states.first { state in
      state.isFinal && before.state(state.id)?.isFinal == false
    }
    if let made {
      // The strokes before it became this element together with it.
      for (index, element) in page.elements.enumerated() {
        guard let element, document.state(element) == nil, document.transition(element) == nil
        else { continue }
        page.elements[index] = made
      }
    }
    if case .head(let id) = decision {
      page.append(stroke, id, isWriting: false)
    } else {
      page.append(stroke, made ?? marked?.id, isWriting: decision.isWriting)
    }
    page.revision = editor.revision
    self.page = page
  }

  /// Notes that the last strokes of the page are `element` now.
  mutating func keep(last count: Int, as element: String?) {
    guard var page, page.strokes.count >= count else { return }
    for index in page.elements.indices.suffix(count) { page.elements[index] = element }
    page.revision = editor.revision
    self.page = page
  }

  /// Starts a new page if the document was changed by other means than strokes.
  ///
  /// Then it is as it should be. Only strokes that were refused are still read.
  mutating func turnPage() {
    guard page?.revision != editor.revision else { return }
    var next = Page(base: editor.document, revision: editor.revision)
    for stroke in page?.refused ?? [] { next.append(stroke, nil, isWriting: false) }
    page = next
  }

  /// What the writing leaves open, by the ids of the document.
  ///
  /// What was changed since is left out.
  public var uncertain: [Diagram.Uncertainty] {
    get { readings.filter(isAsRead) }
    set { readings = newValue }
  }

  /// Returns whether an uncertain element is still as it was read.
  private func isAsRead(_ one: Diagram.Uncertainty) -> Bool {
    if let state = editor.document.state(one.element) {
      return one.property != .name || state.name == one.value
    }
    guard let transition = editor.document.transition(one.element) else { return false }
    guard one.property == .symbols else { return true }
    guard !one.value.isEmpty else {
      return transition.symbols.isEmpty && !transition.includesEpsilon
    }
    let list = Symbols(one.value)
    return list.symbols.allSatisfy(transition.symbols.contains)
      && (transition.includesEpsilon || !list.includesEpsilon)
  }

  /// Reads all strokes since the last edit together, and corrects the document in one undo step.
  ///
  /// Names, symbols and everything that later strokes decided come into the document, as if the strokes
  /// were one drawing. Of machines beyond finite automata, nothing is read: strokes that are no elements
  /// become ink. What was edited by other commands stays as it is. Call this when the pen rests or
  /// moves elsewhere. Returns whether the document changed.
  @discardableResult
  public mutating func settle() -> Bool {
    turnPage()
    guard let diagrams, var page, page.unreadCount > 0 else { return false }
    guard editor.document.kind == nil else {
      var next = editor.document
      next.ink += page.refused
      let changed = (try? editor.revise(next)) != nil
      self.page = Page(base: editor.document, revision: editor.revision)
      return changed
    }
    let rereading = Rereading(of: page.strokes, as: page.elements, on: page.base)
    let diagram = diagrams.recognize(
      rereading.drawing, vocabulary: vocabulary(of: page.base), rings: rereading.rings)
    let current = editor.document
    let result = editor.withIDs { rereading.result(diagram, current: current, ids: &$0) }
    // What has no text yet may still be written.
    let noted = diagram.uncertain(by: result.ids).filter { !$0.value.isEmpty }
    written = [:]
    let own = zip(page.strokes, diagram.strokes.dropFirst(rereading.idealCount))
    for (stroke, read) in own where read.role == .text {
      guard let id = read.element.flatMap({ result.ids[$0] }) else { continue }
      written[id, default: []].append(stroke)
    }
    // What was settled before is not read again, so what was open about it still is.
    let settled = Set(page.base.states.map(\.id) + page.base.transitions.map(\.id))
    readings =
      uncertain.filter { old in
        settled.contains(old.element)
          && !noted.contains { $0.element == old.element && $0.property == old.property }
      } + noted
    let changed = (try? editor.revise(result.document)) != nil
    let changes = rereading.takenBack(diagram, from: current, by: result)
    if changed, !changes.isEmpty {
      takenBack = TakenBack(
        number: (takenBack?.number ?? 0) + 1,
        // What happens to each letter of a remark is said once.
        changes: changes.map(\.text).reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
        restored: result.document.restoring(
          changes.map(\.id), of: current, withoutInk: Set(changes.flatMap(\.strokes))),
        revision: editor.revision)
    }
    page.unreadCount = 0
    page.revision = editor.revision
    if page.strokes.count > Self.maximumStrokes {
      page.settleOldest(diagram, rereading, result, keeping: Self.keptStrokes)
    }
    self.page = page
    return changed
  }

  /// Whether ``restoreTakenBack()`` is still possible.
  public var canRestore: Bool { takenBack?.revision == editor.revision }

  /// Restores the elements that the last reading took back, as one undo step; what else it read stays.
  ///
  /// - Throws: `Refusal` if the document was changed since.
  public mutating func restoreTakenBack() throws(Refusal) {
    guard let takenBack, canRestore else { throw .nothingToDo }
    try editor.revise(takenBack.restored)
  }

  /// Returns the settled names and symbols, which are likely to occur again.
  private func vocabulary(of document: Document) -> [String] {
    Set(document.transitions.flatMap(\.symbols)).sorted()
  }

  /// Returns the strokes that were last read as the name of a state or the symbols of a transition, or
  /// `nil` if its text was not written.
  public func writing(of element: String) -> Drawing? { written[element].map { Drawing($0) } }

  /// Replaces what was read at an element, the name of a state or the symbols of a transition, by one of
  /// the alternatives or any other text.
  ///
  /// - Throws: `Refusal` if there is no such element, or the text is no name or list of symbols.
  public mutating func choose(_ text: String, for element: String) throws(Refusal) {
    if let state = editor.document.state(element) {
      // The name that was read can be confirmed.
      if state.name != text { try editor.perform(.rename(state: element, text)) }
    } else {
      guard let transition = editor.document.transition(element) else {
        throw .noSuchElement(element)
      }
      // Only what is open is replaced, as one undo step.
      let open = uncertain.first { $0.element == element && $0.property == .symbols }
      let old = open.map { Symbols($0.value) } ?? Symbols(of: transition)
      var other = editor
      for symbol in old.symbols {
        try other.perform(.removeSymbol(transition: element, symbol))
      }
      if old.includesEpsilon { try other.perform(.setEpsilon(transition: element, false)) }
      if !text.isEmpty { try other.perform(.addSymbols(transition: element, text)) }
      if other.document != editor.document { try editor.revise(other.document) }
    }
    readings.removeAll { $0.element == element }
  }

  /// The symbols of a transition, or of a list with commas.
  private struct Symbols {
    var symbols: [String]
    var includesEpsilon: Bool

    init(_ list: String) {
      let all = list.split(separator: ",").map { String($0) }
      symbols = all.filter { $0 != "ε" }
      includesEpsilon = all.contains("ε")
    }

    init(of transition: Document.Transition) {
      (symbols, includesEpsilon) = (transition.symbols, transition.includesEpsilon)
    }
  }
}

extension Diagram {
  /// Returns what is uncertain about elements of a document, given their ids by those of the diagram.
  func uncertain(by ids: [String: String]) -> [Uncertainty] {
    uncertain.compactMap { one in
      ids[one.element].map { id in
        var one = one
        one.element = id
        return one
      }
    }
  }
}

extension Document {
  /// Returns the document with elements as another one has them, and without some ink.
  fileprivate func restoring(
    _ ids: [String], of old: Document, withoutInk strokes: Set<Stroke>
  ) -> Document {
    var result = self
    result.ink.removeAll(where: strokes.contains)
    for state in old.states where ids.contains(state.id) {
      if let index = result.states.firstIndex(where: { $0.id == state.id }) {
        result.states[index] = state
      } else {
        result.states.append(state)
      }
    }
    for var transition in old.transitions where ids.contains(transition.id) {
      if result.state(transition.start) == nil { transition.start = nil }
      if result.state(transition.end) == nil { transition.end = nil }
      guard !transition.isLoop || transition.start != nil else { continue }
      result.transitions.removeAll { $0.id == transition.id }
      result.transitions.append(transition)
    }
    return result
  }
}

extension SketchSession.Page {
  /// Settles all elements without any of the last strokes, and forgets their strokes.
  mutating func settleOldest(
    _ diagram: Diagram, _ rereading: Rereading, _ result: Rereading.Result, keeping count: Int
  ) {
    let cut = strokes.count - count
    let roles = Array(diagram.strokes.dropFirst(rereading.idealCount))
    var recent = Set(
      strokes.indices.dropFirst(cut).compactMap { index in
        roles[index].element.flatMap { result.ids[$0] } ?? elements[index]
      })
    for transition in result.document.transitions
    where [transition.start, transition.end].contains(where: { $0.map(recent.contains) ?? false }) {
      recent.insert(transition.id)
    }
    let known = Set(base.states.map(\.id) + base.transitions.map(\.id))
    var next = result.document
    next.states.removeAll { recent.contains($0.id) && !known.contains($0.id) }
    next.transitions.removeAll { recent.contains($0.id) && !known.contains($0.id) }
    let states = Set(next.states.map(\.id))
    guard
      next.transitions.allSatisfy({ transition in
        [transition.start, transition.end].allSatisfy { $0.map(states.contains) ?? true }
      })
    else { return }
    let kept = strokes.indices.filter { index in
      let element = roles[index].element.flatMap { result.ids[$0] } ?? elements[index]
      return element.map(recent.contains) ?? (index >= cut)
    }
    (strokes, elements) = (kept.map { strokes[$0] }, kept.map { elements[$0] })
    isWriting = kept.map { isWriting[$0] }
    let rest = Set(strokes)
    next.ink.removeAll(where: rest.contains)
    base = next
  }
}

extension Document {
  /// The id of an element that `before` has not.
  func newElement(since before: Document) -> String? {
    let known = Set(before.states.map(\.id) + before.transitions.map(\.id))
    return (states.map(\.id) + transitions.map(\.id)).first { !known.contains($0) }
  }
}

extension Bounds {
  /// The smallest rectangle around this one and `other`.
  func union(_ other: Bounds) -> Bounds {
    extended(to: Point(other.minX, other.minY)).extended(to: Point(other.maxX, other.maxY))
  }

  /// The distance to `other`, 0 where they overlap.
  func distance(to other: Bounds) -> Double {
    Vector(
      max(minX - other.maxX, 0, other.minX - maxX), max(minY - other.maxY, 0, other.minY - maxY)
    ).length
  }
}
