import Ink
import InkRecognizer

/// Something that tells what a drawing shows.
public protocol DrawingRecognizer: Sendable {
  /// What `drawing`, with all its strokes, shows; `nil` where it has no finite coordinates.
  func recognition(of drawing: Drawing) -> Recognition?
}

extension Recognizer: DrawingRecognizer {
  /// What `drawing` shows.
  public func recognition(of drawing: Drawing) -> Recognition? { try? recognize(drawing) }
}

/// A person draws, stroke by stroke, and a document comes about.
///
/// Strokes that belong together are taken together: the head of an arrow after its shaft, the two arcs
/// of a ring. What was decided about each stroke is told, so that it can be shown and changed.
public struct SketchSession: Sendable {
  /// What became of a stroke.
  public enum Decision: Hashable, Sendable {
    /// It did something, with or without the strokes before it.
    case applied(Command, Recognition)
    /// It is the head of the arrow before it.
    case head(transition: String)
    /// It did nothing; the second choice, where there is one, can be offered instead.
    case refused(Reason, secondChoice: String?)

    /// What it was taken for: a label of ``labels``, or `nil` where it is a head or did nothing.
    public var label: String? {
      guard case .applied(let command, _) = self else { return nil }
      return switch command {
      case .drawState: "state"
      case .drawLoop: "cycle"
      default: "transition"
      }
    }

    /// Why a stroke did nothing.
    public enum Reason: Hashable, Sendable {
      /// It was not recognised.
      case recognition(Recognition.Rejection)
      /// The document has no use for it.
      case document(Refusal)
      /// It has coordinates that are no numbers.
      case notANumber

      /// The reason in plain English.
      public var message: String {
        switch self {
        case .recognition(.tooSmall): "too small"
        case .recognition(.unrecognised): "not recognised"
        case .recognition(.ambiguous): "ambiguous"
        case .document(let refusal): "\(refusal)"
        case .notANumber: "a coordinate is not a number"
        }
      }
    }
  }

  /// The document with its undo and redo.
  public var editor: Editor
  /// Whether what lies around a stroke may overturn an uncertain decision.
  public var usesContext = true
  private let recognizer: any DrawingRecognizer
  private var last: Last?
  /// What can be made something else: as ``last``, but a tap counts as well.
  private var replaceable: Last?

  /// What was drawn last.
  private struct Last: Sendable {
    var strokes: [Stroke]
    var time: Double?
    /// What it became, `nil` where it was refused.
    var label: String?
    /// The document's element, where it is a transition.
    var transition: String?
    /// The document after it and the editor's revision: whatever else was done since ends what belongs
    /// together.
    var document: Document
    var revision: Int
  }

  /// The longest pause between strokes that belong together, in milliseconds.
  private static let longestPause = 800.0
  /// How far a head may be from the end that it belongs to, in screen points.
  private static let headReach = 40.0
  /// A head is shorter than its shaft, by this factor at least.
  private static let headShare = 0.8
  /// A stroke that alone is a transition, longer than this in screen points and than this share of the
  /// shaft, is one.
  private static let longestBarb = (length: 100.0, share: 0.3)
  /// Below this margin, what lies around may overturn a decision.
  private static let uncertain = 0.9

  /// Begins with `editor`.
  public init(_ editor: Editor, recognizer: any DrawingRecognizer) {
    self.editor = editor
    self.recognizer = recognizer
  }

  /// Takes the next stroke, in drawing order.
  public mutating func draw(_ stroke: Stroke) -> Decision {
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
    // Half a head after something that said nothing: the other half may tell.
    if isHead, last.label == nil {
      remember(last.strokes + [stroke], label: nil)
      return .refused(.recognition(.unrecognised), secondChoice: nil)
    }
    return drawAlone(stroke, recognition)
  }

  /// Makes what was drawn last, with all strokes that formed it, what `label` says: one of ``labels``.
  ///
  /// It stays one step of undoing.
  ///
  /// - Throws: `Refusal` where something else was done since, or the drawing cannot become that; then
  ///   nothing changes.
  public mutating func redraw(as label: String) throws(Refusal) {
    guard let replaceable, isCurrent(replaceable) else { throw .noLastDrawing }
    guard let command = Self.command(label, Drawing(replaceable.strokes)) else {
      throw .noSuchLabel(label)
    }
    editor = try replacing(replaceable, by: command)
    remember(replaceable.strokes, label: label)
  }

  /// Whether nothing was done since `last`.
  private func isCurrent(_ last: Last) -> Bool {
    last.revision == editor.revision && last.document == editor.document
  }

  /// The editor after `command` in place of what `last` became.
  private func replacing(_ last: Last, by command: Command) throws(Refusal) -> Editor {
    var editor = editor
    if last.label != nil { editor.undo() }
    try editor.perform(command)
    return editor
  }

  /// Takes `stroke` for the head of the transition that was drawn last.
  private mutating func addHead(_ stroke: Stroke, to id: String, _ last: Last) -> Decision {
    let strokes = last.strokes + [stroke]
    // The same arrow again, for its head may turn it round; a loop has no direction.
    if last.label == "transition",
      let turned = try? replacing(last, by: .drawTransition(Drawing(strokes)))
    {
      editor = turned
    }
    remember(strokes, label: last.label)
    return .head(transition: self.last?.transition ?? id)
  }

  /// Takes `stroke` together with the one before it: where that said nothing alone, or where both close
  /// a ring.
  private mutating func drawTogether(_ last: Last, _ stroke: Stroke) -> Decision? {
    let strokes = last.strokes + [stroke]
    guard last.label == nil ? touches(stroke, last) : closesRing(stroke, with: last),
      let recognition = recognizer.recognition(of: Drawing(strokes)),
      let label = accepted(recognition) ?? loopInContext(last, recognition),
      last.label == nil || label == "state", let command = Self.command(label, Drawing(strokes))
    else { return nil }
    guard let next = try? replacing(last, by: command) else { return nil }
    editor = next
    remember(strokes, label: label)
    return .applied(command, recognition)
  }

  /// The label of an open loop that begins and ends at one state.
  private func loopInContext(_ last: Last, _ recognition: Recognition) -> String? {
    guard usesContext, recognition.ranked.prefix(2).contains(where: { $0.label == "cycle" }),
      let line = last.strokes.first, let first = line.points.first, let end = line.points.last,
      let holder = editor.document.holder(of: Vector(first), editor.options),
      holder == editor.document.holder(of: Vector(end), editor.options)
    else { return nil }
    return "cycle"
  }

  /// A loop that nearly closes looks like a ring until its head comes: both ends lie at another state.
  private mutating func drawLoopTogether(_ last: Last, _ stroke: Stroke) -> Decision? {
    let drawing = Drawing(last.strokes + [stroke])
    guard usesContext, last.label == "state",
      let recognition = recognizer.recognition(of: drawing),
      recognition.top.label == "cycle" || recognition.margin < Self.uncertain,
      recognition.ranked.prefix(2).contains(where: { $0.label == "cycle" })
    else { return nil }
    // Without the ring, an end of the line has to be near a state.
    guard let next = try? replacing(last, by: .drawLoop(drawing)) else { return nil }
    editor = next
    remember(drawing.strokes, label: "cycle")
    return .applied(.drawLoop(drawing), recognition)
  }

  /// The labels that become elements; a recogniser may have others, which are refused.
  public static let labels = ["state", "transition", "cycle"]

  private static func command(_ label: String, _ drawing: Drawing) -> Command? {
    switch label {
    case "state": .drawState(drawing)
    case "cycle": .drawLoop(drawing)
    case "transition": .drawTransition(drawing)
    default: nil
    }
  }

  private mutating func drawAlone(_ stroke: Stroke, _ recognition: Recognition) -> Decision {
    let drawing = Drawing([stroke])
    let label = usesContext ? inContext(stroke, recognition) : accepted(recognition)
    let second = recognition.ranked.map(\.label).first {
      Self.labels.contains($0) && $0 != label
    }
    guard let label, let command = Self.command(label, drawing) else {
      // A tap belongs to nothing, and what was before it may still go on.
      if recognition.rejection == .tooSmall {
        replaceable = drawn([stroke], label: nil)
      } else {
        remember([stroke], label: nil)
      }
      return .refused(.recognition(recognition.rejection ?? .unrecognised), secondChoice: second)
    }
    do {
      try editor.perform(command)
      remember([stroke], label: label)
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

  /// Whether `stroke` follows the last one at once, by the same clock: times that go backwards, or are
  /// missing, tell nothing.
  private func isSoon(_ stroke: Stroke, after last: Last) -> Bool {
    guard let time = last.time, let start = stroke.points.first?.time else { return false }
    return (0...Self.longestPause).contains(start - time)
  }

  /// Whether `stroke`, which alone would be what `label` says, is the head of what was drawn last.
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

  /// Whether an end of `stroke` comes near what was drawn last, or an end of that near it.
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

  /// Whether the ends of `stroke` are those of the only one before it.
  private func closesRing(_ stroke: Stroke, with last: Last) -> Bool {
    guard last.strokes.count == 1, last.label != "state", let one = last.strokes.first,
      let a = one.points.first, let b = one.points.last, let c = stroke.points.first,
      let d = stroke.points.last
    else { return false }
    let reach = max(Self.headReach / editor.options.zoom, 0.2 * one.chord)
    return a.distance(to: c) <= reach && b.distance(to: d) <= reach
      || a.distance(to: d) <= reach && b.distance(to: c) <= reach
  }

  /// The label of a stroke, with regard to the states at its ends where the picture alone leaves doubt.
  private func inContext(_ stroke: Stroke, _ recognition: Recognition) -> String? {
    let label = accepted(recognition)
    guard recognition.margin < Self.uncertain, recognition.rejection != .tooSmall,
      let first = stroke.points.first, let fit = ArrowFit(Drawing([stroke]))
    else { return label }
    let plausible = Set(recognition.ranked.prefix(2).map(\.label))
    let start = editor.document.holder(of: Vector(first), editor.options)
    let end = editor.document.holder(of: fit.tip, editor.options)
    // From one state to another it is a transition, however bent.
    if let start, let end, start != end, plausible.contains("transition") { return "transition" }
    // From a state and back to it, outside of it, it is a loop.
    if let circle = CircleFit(Drawing([stroke])), plausible.contains("cycle"), let start,
      let last = stroke.points.last,
      start == editor.document.holder(of: Vector(last), editor.options),
      let state = editor.document.state(start),
      state.center.distance(to: circle.center) > state.radius
    {
      return "cycle"
    }
    // Around a state it is its second ring.
    if let circle = CircleFit(Drawing([stroke])), plausible.contains("state"),
      editor.document.stateIndex(around: circle) != nil
    {
      return "state"
    }
    return label
  }
}

extension Document {
  /// The id of the state that an end at `place` belongs to.
  func holder(of place: Vector, _ options: EditorOptions) -> String? {
    nearestState(to: place, options)?.id
  }
}
