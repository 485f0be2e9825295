import AutomatonEditor
import Ink

/// A correction by a person: strokes, and what they are.
struct Correction: Sendable {
  /// What the strokes are, which decides where they are kept.
  enum Kind {
    /// A drawing of one of the classes of the editor.
    case shape
    /// A name or symbols.
    case writing
  }

  var drawing: Drawing
  var label: String
  var kind: Kind

  init(drawing: Drawing, label: String, kind: Kind) {
    (self.drawing, self.label, self.kind) = (drawing, label, kind)
  }

  /// Creates the correction of what was written at an element; `nil` if its text was typed before.
  init?(of element: String, to text: String, in session: SketchSession) {
    guard !text.isEmpty, let drawing = session.writing(of: element) else { return nil }
    self.init(drawing: drawing, label: text, kind: .writing)
  }

  /// Creates the correction that a command is, before it is performed; `nil` for other commands.
  ///
  /// A new name or list of symbols is one only if it replaces one character of what was read; otherwise
  /// it says what the element should be called, and not what was written.
  init?(of command: Command, in session: SketchSession) {
    let document = session.editor.document
    switch command {
    case .convertInk(let number, let drawn):
      guard document.ink.indices.contains(number) else { return nil }
      self.init(
        drawing: Drawing([document.ink[number]]), label: drawn.rawValue, kind: .shape)
    case .rename(let state, let text):
      guard let old = document.state(state)?.name, Self.isMisreading(old, of: text) else {
        return nil
      }
      self.init(of: state, to: text, in: session)
    case .setSymbols(let id, let text):
      let text = text.filter { $0 != " " }
      guard let transition = document.transition(id),
        Self.isMisreading(document.labelText(of: transition).filter { $0 != " " }, of: text)
      else { return nil }
      self.init(of: id, to: text, in: session)
    default: return nil
    }
  }

  /// Returns whether both texts differ in one character.
  private static func isMisreading(_ read: String, of text: String) -> Bool {
    read.count == text.count && zip(read, text).count { $0 != $1 } == 1
  }

  /// The correction as a labelled recording.
  var recording: Recording {
    Recording(drawing.startingAtZero, label: label, source: "corrections")
  }
}
