import ArgumentParser
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkEvaluation
import InkRecognizer
import SafeFiles

/// Turns recorded strokes into a document.
struct AutomatonReplay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract:
      "Turn recorded strokes into an automaton, and list what each stroke is first taken for.",
    discussion: """
      The strokes of all recordings are drawn in order into one document. States get the names q0, \
      q1, …. Transitions get no symbols; type them in `inkstate studio`.

      With --writing, names and symbols are read from the strokes. After each pause of 0.8 seconds, and \
      at the end, all strokes are looked at together, and later ones can correct earlier decisions.

      Examples:

        inkstate automaton replay Examples/Automata/strokes.ndjson
        inkstate automaton replay Examples/Drawings/mod3.ndjson --writing
      """)

  @Argument(help: "Recorded strokes: \(InkFile.formatNames); - is NDJSON on standard input.")
  var strokes: String

  @Option(
    name: .shortAndLong,
    help: "The document to write; with -, the document goes to stdout and the list to stderr.")
  var output: String?

  @Option(help: "An SVG picture to write; with -, it goes to stdout and the list to stderr.")
  var svg: String?

  @Option(
    help: """
      The model. Its labels must be some of \(DrawnClass.allLabels.joined(separator: ", ")). (default: \
      the released model)
      """)
  var model: String?

  @Option(help: "The zoom at which the strokes were drawn: screen points per canvas point.")
  var zoom = 1.0

  @Flag(help: "Read names and symbols that are written.")
  var writing = false

  @Flag(help: "Classify each stroke without regard to the elements around it.")
  var withoutContext = false

  @Flag(help: "Overwrite the files of --output and --svg if they exist.")
  var force = false

  @OptionGroup var format: FormatOptions

  private struct Report: Encodable {
    var stroke: Int
    var decision: String
    var label: String?
    var probability: Double?
    var reason: String?
    var secondChoice: String?
  }

  func validate() throws {
    guard zoom.isFinite, zoom > 0 else {
      throw ValidationError("--zoom: \(zoom) is not a number above 0")
    }
    try DocumentFormat.check(output: output, svg: svg)
  }

  func run() throws {
    for path in [output, svg].compactMap({ $0 }) where path != "-" {
      try FileTree.refuseReplacing(strokes, by: path)
      try FileTree.refuseExisting(path, force: force)
    }
    var options = EditorOptions()
    options.zoom = zoom
    let recognizer = try model.map { try Recognizer(modelPath: $0) } ?? .released()
    if let unknown = recognizer.model.labels.first(where: { !DrawnClass.allLabels.contains($0) }) {
      throw ValidationError(
        "--model: its label `\(unknown)` is not one of \(DrawnClass.allLabels.alternatives); rename "
          + "labels with `inkstate import --labels`")
    }
    var session = SketchSession(
      Editor(Document(id: UUID().uuidString), ids: CountingIDs(), options: options),
      recognizer: recognizer)
    session.usesContext = !withoutContext
    if writing { session.diagrams = try DiagramRecognizer.released() }
    var lastTime: Double?
    var answers: [Report] = []
    var (recordingCount, failureCount) = (0, 0)
    func take(_ item: InkFile.Item) {
      for part in item.ignored { Terminal.say("ignored: \(part) in \(item.place)") }
      switch item.result {
      case .success(let recording):
        recordingCount += 1
        for stroke in recording.drawing.strokes {
          if let lastTime, let time = stroke.points.first?.time,
            time - lastTime > SketchSession.longestPause
          {
            session.settle()
          }
          lastTime = stroke.points.last?.time
          answers.append(answer(answers.count + 1, session.draw(stroke)))
        }
      case .failure(let error):
        failureCount += 1
        if failureCount == 1 { Terminal.say("not read: \(error)") }
      }
    }
    if strokes == "-" {
      try NDJSON.forEachItem(of: InputFile(.standardInput, name: "-"), take)
    } else {
      try InkFile(path: strokes).forEach(take)
    }
    // Recordings of one stroke each are the strokes of one drawing.
    if recordingCount > 1, answers.count > recordingCount {
      Terminal.say(
        "the strokes of \(recordingCount) drawings are drawn into one document; "
          + "`inkstate automaton recognize` reads each by itself")
    }
    if failureCount > 1 { Terminal.say("\(failureCount - 1) more could not be read") }
    guard !answers.isEmpty else {
      throw FileError(path: strokes, expected: "strokes", found: "none")
    }
    session.settle()
    let document = session.editor.document
    let list =
      switch format.value {
      case .text:
        answers.map { line($0) + "\n" }.joined()
          + "\(document.states.count.counted("state")), "
          + "\(document.automaton.transitions.count.counted("transition"))\n"
      case .json: try JSONText.text(of: answers) + "\n"
      }
    let channel =
      [output, svg].contains("-") ? FileHandle.standardError : FileHandle.standardOutput
    channel.write(Data(list.printable(keepingLines: true).utf8))
    let empty = document.automaton.transitions.count { $0.symbols.isEmpty && !$0.includesEpsilon }
    if empty > 0 {
      Terminal.say(
        "\(empty.counted("transition has", "transitions have")) no symbols yet: open the document in "
          + "`inkstate studio` and type them")
    }
    if let output { try Terminal.write(DocumentFile.write(document), to: output) }
    if let svg { try Terminal.write(Data(document.svg.utf8), to: svg) }
  }

  private func answer(_ number: Int, _ decision: SketchSession.Decision) -> Report {
    switch decision {
    case .applied(_, let recognition):
      let label = decision.label
      return Report(
        stroke: number, decision: "applied", label: label,
        probability: recognition.ranked.first { $0.label == label }?.probability)
    case .head: return Report(stroke: number, decision: "head")
    case .writing: return Report(stroke: number, decision: "writing")
    case .scratchedOut: return Report(stroke: number, decision: "scratched out")
    case .refused(let reason, let second):
      return Report(
        stroke: number, decision: "refused", reason: reason.message, secondChoice: second)
    }
  }

  private func line(_ answer: Report) -> String {
    let start = "stroke \(answer.stroke): "
    switch answer.decision {
    case "applied":
      return start + "\(answer.label ?? "")"
        + (answer.probability.map { " \($0.fixed(3))" } ?? "")
    case "head": return start + "head of the previous arrow"
    case "writing", "scratched out": return start + answer.decision
    default:
      return start + "rejected (\(answer.reason ?? ""))"
        + (answer.secondChoice.map { ", second choice \($0)" } ?? "")
    }
  }
}
