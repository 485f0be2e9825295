import Automata
import AutomatonEditor
import Foundation
import Ink
import InkRecognizer

/// What an app does with the editor core: pen strokes in, a document out.
@main struct EmbeddedEditor {
  static func main() throws {
    // Once, when the app starts.
    var session = SketchSession(
      Editor(Document(id: UUID().uuidString), ids: CountingIDs()),
      recognizer: try Recognizer.released())

    // Each time the pen is lifted: its points, in canvas points and milliseconds.
    for stroke in [ring(x: 200), ring(x: 500), line(from: 265, to: 430), line(from: 20, to: 130)] {
      switch session.draw(stroke) {
      case .applied(_, let answer): print("drawn: \(answer.top.label)")
      case .head: print("the head of the arrow before it")
      case .writing, .scratchedOut: print("only with a recogniser of whole drawings")
      case .refused(let reason, let second):
        print("not understood (\(reason)); \(second ?? "nothing") instead?")
      }
    }

    // What buttons and text fields do.
    let (first, second) = (
      session.editor.document.states[0].id, session.editor.document.states[1].id
    )
    try session.editor.perform(.setFinal(state: second, true))
    if let way = session.editor.document.transitions.first(where: { $0.start == first }) {
      try session.editor.perform(.addSymbols(transition: way.id, "a"))
    }
    session.editor.undo()
    session.editor.redo()

    // Run it, save it, draw it.
    let automaton = session.editor.document.automaton
    print("a:", automaton.run(["a"]).isAccepted, " aa:", automaton.run(["a", "a"]).isAccepted)
    let file = DocumentFile.write(session.editor.document)
    print("\(file.count) bytes to save, \(session.editor.document.svg.count) characters of SVG")
  }

  /// A circle of radius 60, as a pen would give it.
  static func ring(x: Double) -> Stroke {
    Stroke(
      (0...60).map {
        Point(
          x + 60 * sin(Double($0) / 9.5), 300 - 60 * cos(Double($0) / 9.5), time: Double($0) * 16)
      })
  }

  /// A line from left to right.
  static func line(from start: Double, to end: Double) -> Stroke {
    Stroke(
      (0...30).map { Point(start + (end - start) * Double($0) / 30, 300, time: Double($0) * 16) })
  }
}
