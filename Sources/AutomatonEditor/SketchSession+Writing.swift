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
    /// The place of the last stroke, if it was writing.
    var writing: Bounds?
    /// The revision of the editor after the last stroke; any other change settles everything.
    var revision: Int
    var isSettled = true
  }

  /// The number of strokes that are read again; older elements are settled.
  private static let mostStrokes = 120
  /// The number of strokes that stay when older elements are settled.
  private static let keptStrokes = 50

  /// Whether there are strokes that ``settle()`` has not read.
  public var needsSettling: Bool {
    page.map { !$0.isSettled && $0.revision == editor.revision } ?? false
  }

  /// The strokes that were refused since the last edit, which are not in ``Document/ink`` yet.
  ///
  /// ``settle()`` reads them again.
  public var refusedInk: [Stroke] {
    guard let page, needsSettling else { return [] }
    let ink = Set(editor.document.ink)
    return zip(page.strokes, page.elements)
      .filter { stroke, element in element == nil && !ink.contains(stroke) }.map(\.0)
  }

  /// Undoes the last command, or takes back the last stroke of writing; returns whether there was one.
  ///
  /// The strokes of writing before it are still read by ``settle()``.
  @discardableResult
  public mutating func undo() -> Bool {
    let isWriting = needsSettling && page?.writing != nil && page?.elements.last == .some(nil)
    guard editor.undo() else { return false }
    if isWriting {
      page?.strokes.removeLast()
      page?.elements.removeLast()
      page?.revision = editor.revision
    }
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
    let known = Set(before.states.map(\.id) + before.transitions.map(\.id))
    let made = (document.states.map(\.id) + document.transitions.map(\.id)).first {
      !known.contains($0)
    }
    if let made {
      // The strokes before it became this element together with it.
      for (index, element) in page.elements.enumerated() {
        guard let element, document.state(element) == nil, document.transition(element) == nil
        else { continue }
        page.elements[index] = made
      }
    }
    page.strokes.append(stroke)
    if case .head(let id) = decision {
      page.elements.append(id)
    } else {
      page.elements.append(made)
    }
    page.revision = editor.revision
    page.isSettled = false
    let bounds = Drawing([stroke]).bounds
    page.writing = decision.isWriting ? bounds.map { page.writing?.union($0) ?? $0 } : nil
    self.page = page
  }

  /// Starts a new page if the document was changed by other means than strokes: then it is as it should
  /// be.
  mutating func turnPage() {
    guard page?.revision != editor.revision else { return }
    page = Page(base: editor.document, revision: editor.revision)
    uncertain = uncertain.filter(isAsRead)
  }

  /// Returns whether an uncertain element is still as it was read.
  private func isAsRead(_ one: Diagram.Uncertainty) -> Bool {
    if let state = editor.document.state(one.element) {
      return one.property != .name || state.name == one.value
    }
    guard let transition = editor.document.transition(one.element) else { return false }
    return one.property != .symbols || transition.allSymbols.joined(separator: ",") == one.value
  }

  /// Reads all strokes since the last edit together, and corrects the document in one undo step.
  ///
  /// Names, symbols and everything that later strokes decided come into the document, as if the strokes
  /// were one drawing. What was edited by other commands stays as it is. Call this when the pen rests or
  /// moves elsewhere. Returns whether the document changed.
  @discardableResult
  public mutating func settle() -> Bool {
    turnPage()
    guard let diagrams, var page, !page.isSettled else { return false }
    let revision = Revision(of: page.strokes, as: page.elements, on: page.base)
    let diagram = diagrams.recognize(
      revision.drawing, vocabulary: vocabulary(of: page.base), rings: revision.rings)
    let current = editor.document
    let result = editor.withIDs { revision.result(diagram, current: current, ids: &$0) }
    // Elements that were settled before are not read again.
    let read = Set(result.ids.values)
    uncertain = uncertain.filter { !read.contains($0.element) && isAsRead($0) }
    uncertain += diagram.uncertain.compactMap { one in
      guard let id = result.ids[one.element] else { return nil }
      var one = one
      one.element = id
      return one
    }
    let changed = (try? editor.revise(result.document)) != nil
    page.isSettled = true
    page.writing = nil
    page.revision = editor.revision
    if page.strokes.count > Self.mostStrokes {
      page.settleOldest(diagram, revision, result, keeping: Self.keptStrokes)
    }
    self.page = page
    return changed
  }

  /// Returns the settled names and symbols, which are likely to occur again.
  private func vocabulary(of document: Document) -> [String] {
    Set(document.transitions.flatMap(\.symbols)).sorted()
  }

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
      // As one undo step.
      var other = editor
      for symbol in transition.symbols {
        try other.perform(.removeSymbol(transition: element, symbol))
      }
      if transition.includesEpsilon { try other.perform(.setEpsilon(transition: element, false)) }
      try other.perform(.addSymbols(transition: element, text))
      if other.document != editor.document { try editor.revise(other.document) }
    }
    uncertain.removeAll { $0.element == element }
  }
}

extension SketchSession.Page {
  /// Settles all elements without any of the last strokes, and forgets their strokes.
  mutating func settleOldest(
    _ diagram: Diagram, _ revision: Revision, _ result: Revision.Result, keeping count: Int
  ) {
    let cut = strokes.count - count
    let roles = Array(diagram.strokes.dropFirst(revision.idealCount))
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
    let rest = Set(strokes)
    next.ink.removeAll(where: rest.contains)
    base = next
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
