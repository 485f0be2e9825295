import ArgumentParser
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkRecognizer

/// Draws recorded strokes into a document.
struct AutomatonReplay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Let recorded strokes become an automaton, and list what became of each.",
    discussion: """
      Strokes are taken in their order, over all recordings of the file. States get the names q0, q1, \
      …; symbols are typed in an editor, or stay empty.

      Example: inkstate automaton replay strokes.ndjson --output drawn.automaton --svg drawn.svg
      """)

  @Argument(help: "Recorded strokes: NDJSON, InkML or gesture XML.")
  var strokes: String

  @Option(name: .shortAndLong, help: "Where to write the document.")
  var output: String?

  @Option(help: "Where to draw it.")
  var svg: String?

  @Option(help: "The model; without it, the released one.")
  var model: String?

  @Option(help: "Screen points a canvas point.")
  var zoom = 1.0

  @Flag(help: "Decide by each stroke alone, whatever lies around it.")
  var withoutContext = false

  @Flag(help: "Replace what is at --output and --svg.")
  var force = false

  @Option(help: "What is printed: \(AnswerFormat.allCases.words).")
  var format = AnswerFormat.text

  private struct Answer: Encodable {
    var stroke: Int
    var decision: String
    var label: String?
    var probability: Double?
    var reason: String?
    var secondChoice: String?
  }

  func validate() throws {
    guard zoom.isFinite, zoom > 0 else {
      throw ValidationError("--zoom: expected a number above 0, found \(zoom)")
    }
  }

  func run() throws {
    for path in [output, svg].compactMap({ $0 }) {
      try FileTree.refuseReplacing(strokes, by: path)
      try FileTree.refuseExisting(path, force: force)
    }
    var options = EditorOptions()
    options.zoom = zoom
    var session = SketchSession(
      Editor(Document(id: FileTree.name(of: strokes)), ids: CountingIDs(), options: options),
      recognizer: try Recognizer.load(model))
    session.usesContext = !withoutContext
    var answers: [Answer] = []
    try InkFile(path: strokes).forEach { item in
      switch item.result {
      case .success(let recording):
        for stroke in recording.drawing.strokes {
          answers.append(answer(answers.count + 1, session.draw(stroke)))
        }
      case .failure(let error): Terminal.say("not read: \(error)")
      }
    }
    guard !answers.isEmpty else {
      throw DatasetError(path: strokes, expected: "strokes", found: "none")
    }
    let document = session.editor.document
    switch format {
    case .text:
      for answer in answers { print(words(answer)) }
      print("\(document.states.count) states, \(document.transitions.count) transitions")
    case .json: try printJSON(answers)
    }
    if let output { try FileTree.write(DocumentFile.write(document), to: output) }
    if let svg { try FileTree.write(Data(document.svg.utf8), to: svg) }
  }

  private func answer(_ number: Int, _ decision: SketchSession.Decision) -> Answer {
    switch decision {
    case .applied(let command, let recognition):
      let label =
        switch command {
        case .drawState: "state"
        case .drawLoop: "cycle"
        default: "transition"
        }
      return Answer(
        stroke: number, decision: "applied", label: label,
        probability: recognition.ranked.first { $0.label == label }?.probability)
    case .head: return Answer(stroke: number, decision: "head")
    case .refused(let reason, let second):
      let why =
        switch reason {
        case .recognition(let rejection): rejection.rawValue
        case .document(let refusal): "\(refusal)"
        case .notANumber: "notANumber"
        }
      return Answer(stroke: number, decision: "refused", reason: why, secondChoice: second)
    }
  }

  private func words(_ answer: Answer) -> String {
    let start = "stroke \(answer.stroke): "
    switch answer.decision {
    case "applied":
      return start + "\(answer.label ?? "")"
        + (answer.probability.map { " \($0.fixed(3))" } ?? "")
    case "head": return start + "head of the arrow before it"
    default:
      return start + "refused (\(answer.reason ?? ""))"
        + (answer.secondChoice.map { ", else \($0)" } ?? "")
    }
  }
}
