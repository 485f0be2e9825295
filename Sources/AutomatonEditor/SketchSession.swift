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

    /// Why a stroke did nothing.
    public enum Reason: Hashable, Sendable {
      /// It was not recognised.
      case recognition(Recognition.Rejection)
      /// The document has no use for it.
      case document(Refusal)
      /// It has coordinates that are no numbers.
      case notANumber
    }
  }

  /// The document with its undo and redo.
  public var editor: Editor
  /// Whether what lies around a stroke may overturn an uncertain decision.
  public var usesContext = true
  private let recognizer: any DrawingRecognizer
  private var last: Last?

  /// What was drawn last.
  private struct Last: Sendable {
    var strokes: [Stroke]
    var time: Double?
    /// What it became, `nil` where it was refused.
    var label: String?
    /// The document's element, where it is a transition.
    var transition: String?
  }

  /// The longest pause between strokes that belong together, in milliseconds.
  private static let longestPause = 800.0
  /// How far a head may be from the end that it belongs to, in screen points.
  private static let headReach = 40.0
  /// A head is shorter than its shaft, by this factor at least.
  private static let headShare = 0.8
  /// Below this margin, what lies around may overturn a decision.
  private static let uncertain = 0.9

  /// Begins with `editor`.
  public init(_ editor: Editor, recognizer: any DrawingRecognizer) {
    self.editor = editor
    self.recognizer = recognizer
  }

  /// Takes the next stroke, in drawing order.
  public mutating func draw(_ stroke: Stroke) -> Decision {
    guard let last, isSoon(stroke) else { return drawAlone(stroke) }
    if let id = last.transition, isHead(stroke, of: last) { return addHead(stroke, to: id, last) }
    if let decision = drawLoopTogether(last, stroke) ?? drawTogether(last, stroke) {
      return decision
    }
    // Half a head after something that said nothing: the other half may tell.
    if last.label == nil, isHead(stroke, of: last) {
      self.last?.strokes.append(stroke)
      self.last?.time = stroke.points.last?.time
      return .refused(.recognition(.unrecognised), secondChoice: nil)
    }
    return drawAlone(stroke)
  }

  /// Takes `stroke` for the head of the transition that was drawn last.
  private mutating func addHead(_ stroke: Stroke, to id: String, _ last: Last) -> Decision {
    var last = last
    last.strokes.append(stroke)
    last.time = stroke.points.last?.time
    // The same arrow again, for its head may turn it round; a loop has no direction.
    if last.label == "transition" {
      editor.undo()
      if (try? editor.perform(.drawTransition(Drawing(last.strokes)))) != nil {
        last.transition = editor.document.transitions.last?.id
      } else {
        editor.redo()
      }
    }
    self.last = last
    return .head(transition: last.transition ?? id)
  }

  /// Takes `stroke` together with the one before it: where that said nothing alone, or where both close
  /// a ring.
  private mutating func drawTogether(_ last: Last, _ stroke: Stroke) -> Decision? {
    let strokes = last.strokes + [stroke]
    guard last.label == nil || closesRing(stroke, with: last),
      let recognition = recognizer.recognition(of: Drawing(strokes)),
      let label = accepted(recognition) ?? loopInContext(last, recognition),
      last.label == nil || label == "state"
    else { return nil }
    if last.label != nil { editor.undo() }
    let command = Self.command(label, Drawing(strokes))
    guard (try? editor.perform(command)) != nil else {
      if last.label != nil { editor.redo() }
      return nil
    }
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
    guard last.label == "state", isHead(stroke, of: last), let line = last.strokes.first,
      let first = line.points.first, let end = line.points.last
    else { return nil }
    let drawing = Drawing(last.strokes + [stroke])
    guard let recognition = recognizer.recognition(of: drawing) else { return nil }
    editor.undo()
    let holders = [first, end].map { editor.document.holder(of: Vector($0), editor.options) }
    guard holders[0] != nil || holders[1] != nil,
      (try? editor.perform(.drawLoop(drawing))) != nil
    else {
      editor.redo()
      return nil
    }
    remember(drawing.strokes, label: "cycle")
    return .applied(.drawLoop(drawing), recognition)
  }

  private static func command(_ label: String, _ drawing: Drawing) -> Command {
    switch label {
    case "state": .drawState(drawing)
    case "cycle": .drawLoop(drawing)
    default: .drawTransition(drawing)
    }
  }

  private mutating func drawAlone(_ stroke: Stroke) -> Decision {
    let drawing = Drawing([stroke])
    guard let recognition = recognizer.recognition(of: drawing) else {
      remember([stroke], label: nil)
      return .refused(.notANumber, secondChoice: nil)
    }
    let label = usesContext ? inContext(stroke, recognition) : accepted(recognition)
    let second = recognition.ranked.map(\.label).first { $0 != "other" && $0 != label }
    guard let label else {
      remember([stroke], label: nil)
      return .refused(.recognition(recognition.rejection ?? .unrecognised), secondChoice: second)
    }
    let command = Self.command(label, drawing)
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
    last = Last(
      strokes: strokes, time: strokes.last?.points.last?.time, label: label,
      transition: label == "transition" || label == "cycle"
        ? editor.document.transitions.last?.id : nil)
  }

  private func accepted(_ recognition: Recognition) -> String? {
    recognition.rejection == nil ? recognition.top.label : nil
  }

  /// Whether `stroke` follows the last one at once.
  private func isSoon(_ stroke: Stroke) -> Bool {
    guard let time = last?.time, let start = stroke.points.first?.time else { return false }
    return (0...Self.longestPause).contains(start - time)
  }

  /// Whether `stroke` is the head of what was drawn last.
  private func isHead(_ stroke: Stroke, of last: Last) -> Bool {
    guard let shaft = last.strokes.first, stroke.length < Self.headShare * shaft.length,
      let first = shaft.points.first, let end = shaft.points.last
    else { return false }
    let reach = max(Self.headReach / editor.options.zoom, 0.15 * shaft.length)
    return [first, end].contains { place in
      stroke.points.contains { $0.distance(to: place) <= reach }
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
    guard recognition.margin < Self.uncertain || label == nil,
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
      editor.document.states.contains(where: {
        $0.center.distance(to: circle.center) < 0.5 * circle.radius
      })
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
