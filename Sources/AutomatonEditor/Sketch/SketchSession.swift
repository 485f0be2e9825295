import Automata
import Ink
import InkDiagram
import InkRecognizer

/// A classifier of drawings.
public protocol DrawingRecognizer: Sendable {
  /// Returns the classification of `drawing`, or `nil` if a coordinate is not finite.
  func recognition(of drawing: Drawing) -> Recognition?
}

extension Recognizer: DrawingRecognizer {
  /// Returns the classification of `drawing`.
  public func recognition(of drawing: Drawing) -> Recognition? { try? recognize(drawing) }
}

/// A session that turns strokes into a document, one at a time; see <doc:HowDrawingWorks>.
///
/// Strokes of one element are combined, such as an arrow's shaft and head, or two arcs of a ring.
/// The decision about each stroke is returned, so that an app can show and change it.
///
/// With ``diagrams``, people can write as well: names in states and symbols beside arrows. The app calls
/// ``settle()`` when the pen rests or moves elsewhere.
public struct SketchSession: Sendable {
  /// The result of a stroke.
  public enum Decision: Hashable, Sendable {
    /// It changed the document, alone or together with the previous strokes.
    case applied(Command, Recognition)
    /// It is the head of the previous arrow.
    case head(transition: String)
    /// It is writing, in the state or beside the transition of that id; ``SketchSession/settle()`` reads
    /// it.
    case writing(element: String?)
    /// It scratched out the elements of those ids, or what was written at them.
    case scratchedOut([String])
    /// It changed nothing; the second choice, if there is one, can be offered instead.
    case refused(Reason, secondChoice: String?)

    var isWriting: Bool { if case .writing = self { true } else { false } }

    /// The class label, or `nil` if it is not an element.
    public var label: String? {
      guard case .applied(let command, _) = self else { return nil }
      return DrawnClass(command)?.rawValue
    }

    /// The reason why a stroke was refused.
    public enum Reason: Hashable, Sendable {
      /// It was not recognised.
      case recognition(Recognition.Rejection)
      /// The document refused the command.
      case document(Refusal)
      /// It is writing, and labels of this kind are typed.
      case writing(Machine.Kind)
      /// A coordinate is not a number.
      case notANumber

      /// The reason for people.
      public var message: String {
        switch self {
        case .recognition(let rejection): rejection.words
        case .document(let refusal): "\(refusal)"
        case .writing(let kind):
          "names and labels of \(kind.noun) are typed: select the element and type"
        case .notANumber: "a coordinate is not a number"
        }
      }
    }
  }

  /// What was accepted, and was changed when all strokes were read together.
  public struct TakenBack: Sendable {
    /// A number that increases with every such reading.
    public let number: Int
    /// The changes, such as `the initial arrow of q1 is writing now`.
    public let changes: [String]
    /// The document after the reading, with what was accepted.
    let restored: Document
    /// The revision of the editor after the reading.
    let revision: Int
  }

  /// The document with its undo and redo.
  public var editor: Editor
  /// Whether the elements around a stroke can change an uncertain decision.
  public var usesContext = true
  /// The recogniser of whole drawings, which reads writing; without one, there is no writing.
  public var diagrams: DiagramRecognizer?
  /// What the writing left open when it was read.
  var readings: [Diagram.Uncertainty] = []
  /// The strokes that were read as the text of each element, the last time that something was read.
  var written: [String: [Stroke]] = [:]
  /// The strokes that can still be read again.
  var page: Page?
  /// What the last reading that took something back changed; an app shows it, because it was accepted before.
  public internal(set) var takenBack: TakenBack?
  private let recognizer: any DrawingRecognizer
  private var last: Last?
  /// The last drawing that can be redrawn; unlike ``last``, it includes taps.
  private var replaceable: Last?

  /// The last drawing.
  private struct Last: Sendable {
    var strokes: [Stroke]
    var time: Double?
    /// Its label, or `nil` if it was refused.
    var label: String?
    /// The id of its element, if it is a transition.
    var transition: String?
    /// The document after it, with the editor's revision; any other change ends the combination of
    /// strokes.
    var document: Document
    var revision: Int
  }

  /// The maximum pause between strokes of one element, in milliseconds.
  public static let longestPause = 800.0
  /// The maximum distance between a head and its arrow's end, in screen points.
  private static let headReach = 40.0
  /// The maximum length of a head, as a share of its shaft.
  private static let headShare = 0.8
  /// The maximum length of a barb that looks like a transition, in screen points or as a share of
  /// the shaft.
  private static let longestBarb = (length: 100.0, share: 0.3)
  /// The margin below which the elements around a stroke can change the decision.
  private static let sureMargin = 0.9

  /// Ends the combination of strokes: the next one starts a new element, as if a longer pause preceded it.
  public mutating func separate() {
    settle()
    forgetLast()
  }

  mutating func forgetLast() { (last, replaceable) = (nil, nil) }

  /// Creates a session for `editor`.
  public init(_ editor: Editor, recognizer: any DrawingRecognizer) {
    self.editor = editor
    self.recognizer = recognizer
  }

  /// Adds the next stroke, in drawing order.
  public mutating func draw(_ stroke: Stroke) -> Decision {
    guard diagrams != nil, stroke.points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      return drawElement(stroke)
    }
    turnPage()
    if let ids = scratchOut(stroke) { return .scratchedOut(ids) }
    let follows = last.map {
      isCurrent($0) && isSoon(stroke, after: $0) && isHead(stroke, of: $0, alone: nil)
    }
    let before = editor.document
    let decision: Decision
    let writing = follows == true ? nil : place(ofWriting: stroke)
    if let kind = editor.document.kind, writing != nil {
      forgetLast()
      decision = .refused(.writing(kind), secondChoice: nil)
    } else if let place = writing {
      decision = .writing(element: place.element)
    } else {
      decision = drawElement(stroke)
    }
    keep(stroke, decision, before: before)
    return decision
  }

  private mutating func drawElement(_ stroke: Stroke) -> Decision {
    guard let recognition = recognizer.recognition(of: Drawing([stroke])) else {
      (last, replaceable) = (nil, nil)
      return .refused(.notANumber, secondChoice: nil)
    }
    guard let last, isCurrent(last), isSoon(stroke, after: last) else {
      return drawAlone(stroke, recognition)
    }
    let isHead = isHead(stroke, of: last, alone: accepted(recognition))
    if isHead, let id = last.transition { return addHead(stroke, to: id, last) }
    if isHead, let decision = drawLoopTogether(last, stroke) { return decision }
    if let decision = drawTogether(last, stroke) { return decision }
    // It may be half a head of a drawing that was refused; the other half may follow.
    if isHead, last.label == nil {
      remember(last.strokes + [stroke], label: nil)
      return .refused(.recognition(.unrecognised), secondChoice: nil)
    }
    return drawAlone(stroke, recognition)
  }

  /// Changes the last drawing, with all its strokes, to `label`, one of ``DrawnClass/labels``.
  ///
  /// It stays one undo step.
  ///
  /// - Throws: `Refusal` if the document changed since, or the drawing cannot become this element.
  public mutating func redraw(as label: String) throws(Refusal) {
    guard let replaceable, isCurrent(replaceable) else { throw .noLastDrawing }
    guard let drawn = DrawnClass(rawValue: label) else { throw .noSuchLabel(label) }
    let command = drawn.command(Drawing(replaceable.strokes))
    let before = editor.document
    editor = try replacing(replaceable, by: command)
    let made = editor.document.newElement(since: before)
    keep(last: replaceable.strokes.count, as: made)
    remember(replaceable.strokes, label: label)
  }

  /// The strokes that ``redraw(as:)`` changes, or `nil` if there are none.
  public var redrawable: Drawing? {
    replaceable.flatMap { isCurrent($0) ? Drawing($0.strokes) : nil }
  }

  /// Returns whether nothing changed since `last`.
  private func isCurrent(_ last: Last) -> Bool {
    last.revision == editor.revision && last.document == editor.document
  }

  /// Returns the editor with `last` replaced by the result of `command`.
  private func replacing(_ last: Last, by command: Command) throws(Refusal) -> Editor {
    var editor = editor
    if last.label != nil { editor.undo() }
    try editor.perform(command)
    return editor
  }

  /// Adds `stroke` as the head of the last transition.
  private mutating func addHead(_ stroke: Stroke, to id: String, _ last: Last) -> Decision {
    let strokes = last.strokes + [stroke]
    // The arrow is drawn again, because its head may reverse it; a self-loop has no direction.
    if last.label == "transition",
      let turned = try? replacing(last, by: .drawTransition(Drawing(strokes)))
    {
      editor = turned
    }
    remember(strokes, label: last.label)
    return .head(transition: self.last?.transition ?? id)
  }

  /// Combines `stroke` with the previous one if that was refused, or if both close a ring.
  private mutating func drawTogether(_ last: Last, _ stroke: Stroke) -> Decision? {
    let strokes = last.strokes + [stroke]
    guard last.label == nil ? touches(stroke, last) : closesRing(stroke, with: last),
      let recognition = recognizer.recognition(of: Drawing(strokes)),
      let label = accepted(recognition) ?? loopInContext(last, recognition),
      last.label == nil || label == "state",
      let command = DrawnClass(rawValue: label)?.command(Drawing(strokes))
    else { return nil }
    guard let next = try? replacing(last, by: command) else { return nil }
    editor = next
    remember(strokes, label: label)
    return .applied(command, recognition)
  }

  /// Returns `cycle` for an open loop that starts and ends at the same state, otherwise `nil`.
  private func loopInContext(_ last: Last, _ recognition: Recognition) -> String? {
    guard usesContext, recognition.ranked.prefix(2).contains(where: { $0.label == "cycle" }),
      let line = last.strokes.first, let first = line.points.first, let end = line.points.last,
      let holder = editor.document.holder(of: Vector(first), editor.options),
      holder == editor.document.holder(of: Vector(end), editor.options)
    else { return nil }
    return "cycle"
  }

  /// Replaces a ring by a self-loop if a head follows and its ends are near a state.
  private mutating func drawLoopTogether(_ last: Last, _ stroke: Stroke) -> Decision? {
    let drawing = Drawing(last.strokes + [stroke])
    guard usesContext, last.label == "state",
      let recognition = recognizer.recognition(of: drawing),
      recognition.top.label == "cycle" || recognition.margin < Self.sureMargin,
      recognition.ranked.prefix(2).contains(where: { $0.label == "cycle" })
    else { return nil }
    // After the ring is removed, an end of the line has to be near a state.
    guard let next = try? replacing(last, by: .drawLoop(drawing)) else { return nil }
    editor = next
    remember(drawing.strokes, label: "cycle")
    return .applied(.drawLoop(drawing), recognition)
  }

  private mutating func drawAlone(_ stroke: Stroke, _ recognition: Recognition) -> Decision {
    let drawing = Drawing([stroke])
    let label = usesContext ? inContext(stroke, recognition) : accepted(recognition)
    let marker =
      usesContext && label == nil && recognition.rejection != .tooSmall
      ? editor.document.arrow(inPlaceOfTriangle: stroke, editor.options) : nil
    let second = recognition.ranked.map(\.label).first {
      DrawnClass.labels.contains($0) && $0 != label
    }
    let command =
      marker.map { .drawTransition($0) }
      ?? label.flatMap { DrawnClass(rawValue: $0)?.command(drawing) }
    guard let command else {
      // A tap is ignored, so the previous drawing can still continue.
      if recognition.rejection == .tooSmall {
        replaceable = drawn([stroke], label: nil)
      } else {
        remember([stroke], label: nil)
      }
      return .refused(.recognition(recognition.rejection ?? .unrecognised), secondChoice: second)
    }
    do {
      try editor.perform(command)
      remember([stroke], label: DrawnClass(command)?.rawValue)
      return .applied(command, recognition)
    } catch {
      remember([stroke], label: nil)
      return .refused(.document(error), secondChoice: second)
    }
  }

  private mutating func remember(_ strokes: [Stroke], label: String?) {
    last = drawn(strokes, label: label)
    replaceable = last
  }

  private func drawn(_ strokes: [Stroke], label: String?) -> Last {
    Last(
      strokes: strokes, time: strokes.last?.points.last?.time, label: label,
      transition: label == "transition" || label == "cycle"
        ? editor.document.transitions.last?.id : nil,
      document: editor.document, revision: editor.revision)
  }

  private func accepted(_ recognition: Recognition) -> String? {
    recognition.rejection == nil ? recognition.top.label : nil
  }

  /// Returns whether `stroke` follows the last one within the pause.
  ///
  /// It does not if times are missing or go backwards.
  private func isSoon(_ stroke: Stroke, after last: Last) -> Bool {
    guard let time = last.time, let start = stroke.points.first?.time else { return false }
    return (0...Self.longestPause).contains(start - time)
  }

  /// Returns whether `stroke`, whose own label is `label`, is the head of the last drawing.
  private func isHead(_ stroke: Stroke, of last: Last, alone label: String?) -> Bool {
    guard let shaft = last.strokes.first, stroke.length < Self.headShare * shaft.length,
      let first = shaft.points.first, let end = shaft.points.last
    else { return false }
    switch label {
    case "state", "cycle": return false
    case "transition":
      let longest = max(
        Self.longestBarb.length / editor.options.zoom, Self.longestBarb.share * shaft.length)
      if stroke.length > longest { return false }
    default: break
    }
    let reach = max(Self.headReach / editor.options.zoom, 0.15 * shaft.length)
    return [first, end].contains { place in
      stroke.points.contains { $0.distance(to: place) <= reach }
    }
  }

  /// Returns whether an end of `stroke` is near the last drawing, or the other way round.
  private func touches(_ stroke: Stroke, _ last: Last) -> Bool {
    let reach = Self.headReach / editor.options.zoom
    func ends(of stroke: Stroke) -> [Point] {
      [stroke.points.first, stroke.points.last].compactMap(\.self)
    }
    return last.strokes.contains { other in
      ends(of: stroke).contains { end in other.points.contains { $0.distance(to: end) <= reach } }
        || ends(of: other).contains { end in
          stroke.points.contains { $0.distance(to: end) <= reach }
        }
    }
  }

  /// Returns whether the ends of `stroke` meet those of the last drawing, which is a single stroke.
  private func closesRing(_ stroke: Stroke, with last: Last) -> Bool {
    guard last.strokes.count == 1, last.label != "state", let one = last.strokes.first,
      let a = one.points.first, let b = one.points.last, let c = stroke.points.first,
      let d = stroke.points.last
    else { return false }
    let reach = max(Self.headReach / editor.options.zoom, 0.2 * one.chord)
    return a.distance(to: c) <= reach && b.distance(to: d) <= reach
      || a.distance(to: d) <= reach && b.distance(to: c) <= reach
  }

  /// Returns the label of a stroke; if it is uncertain, the states at its ends decide.
  private func inContext(_ stroke: Stroke, _ recognition: Recognition) -> String? {
    let label = accepted(recognition)
    guard recognition.rejection != .tooSmall else { return label }
    let isSure = recognition.margin >= Self.sureMargin
    if !(isSure && label == "transition"),
      editor.document.arrow(inPlaceOfTriangle: stroke, editor.options) == nil,
      editor.document.holder(ofLoop: stroke, editor.options) != nil
    {
      return "cycle"
    }
    if label == nil || label == "cycle" && !isSure, editor.document.isOpenRingOnEmptyPaper(stroke) {
      return "state"
    }
    guard !isSure,
      let first = stroke.points.first, let fit = ArrowFit(Drawing([stroke]))
    else { return label }
    let plausible = Set(recognition.ranked.prefix(2).map(\.label))
    let start = editor.document.holder(of: Vector(first), editor.options)
    let end = editor.document.holder(of: fit.tip, editor.options)
    // From one state to another: a transition, however bent.
    if let start, let end, start != end, plausible.contains("transition") { return "transition" }
    let circle = CircleFit(Drawing([stroke]))
    // From a state back to it, around another centre: a self-loop.
    if let circle, plausible.contains("cycle"), let start,
      let last = stroke.points.last,
      start == editor.document.holder(of: Vector(last), editor.options),
      let state = editor.document.state(start),
      state.center.distance(to: circle.center) > state.radius
    {
      return "cycle"
    }
    // Around a state: its second ring.
    if let circle, plausible.contains("state"),
      editor.document.stateIndex(around: circle) != nil
    {
      return "state"
    }
    return label
  }
}

extension Document {
  /// Returns the id of the state that an end at `place` attaches to.
  func holder(of place: Vector, _ options: EditorOptions) -> String? {
    nearestState(to: place, options)?.id
  }
}
