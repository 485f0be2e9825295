import Automata
import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkDatasets
import InkRaster

/// The addresses that the page asks: JSON in, JSON out, and streams of what changes.
///
/// | address | does |
/// | --- | --- |
/// | `POST /api/recognize` | a drawing → bitmap, ranked labels, refusal, time |
/// | `GET /api/example?label=` | a drawing of that class, to show how it may look |
/// | `GET /api/recordings?class=&skip=` | classes with counts, the next to draw, the last drawings |
/// | `POST /api/recordings` | keeps a drawing; answered when it is on disk |
/// | `DELETE /api/recordings/ID` | takes one out |
/// | `GET /api/recordings.ndjson` | all of them, as a file |
/// | `POST /api/recordings/file?name=` | adds those of an ink file: NDJSON, InkML, $1 and $N XML |
/// | `GET /api/models`, `POST /api/models/NAME/use` | the models, and the one in use |
/// | `GET /api/models/NAME/file` | a model that was trained here |
/// | `GET /api/training`, `POST /api/training` | where a training stands; begins one |
/// | `POST /api/training/cancel` | ends it |
/// | `GET /api/training/progress` | server-sent events: where it stands each time that changes |
/// | `GET /api/practice` | the names of those who practised |
/// | `GET /api/practice/NAME?level=` | what is asked, and how the learner stands |
/// | `POST /api/practice/NAME/answer` | a drawing → what was read, and whether it is right |
/// | `POST /api/practice/NAME/confirm` | what was written in truth |
/// | `GET /api/documents` | the names |
/// | `GET /api/documents/NAME` | a document as it is drawn |
/// | `DELETE /api/documents/NAME` | puts it into the folder `deleted` |
/// | `POST /api/documents/NAME/rename?to=` | gives it another name |
/// | `GET /api/documents/NAME/versions` | server-sent events: a number each time it changes |
/// | `POST /api/documents/NAME/stroke` | draws; the decision comes with the document |
/// | `POST /api/documents/NAME/instead?label=` | makes the last stroke something else |
/// | `POST /api/documents/NAME/erase?attached=` | erases what a stroke crosses |
/// | `POST /api/documents/NAME/command` | a command of the editor |
/// | `POST /api/documents/NAME/undo`, `redo` | |
/// | `POST /api/documents/NAME/run` | a word → accepted or why not, step by step |
/// | `POST /api/documents/NAME/determinize`, `minimize`, `complement` | a new document |
/// | `POST /api/documents/NAME/open` | a file → a new document |
/// | `GET /api/documents/NAME/file?form=` | the document as automaton, jff, dot, txt, svg or png |
///
/// Answers that say what is wrong are `{"error": …}` with a status of 400 and more. Streams are
/// server-sent events: all that a page sends is a request that has an answer, so nothing needs a
/// WebSocket.
struct StudioInterface: Sendable {
  let recordings: Recordings
  let documents: Documents
  let models: Models
  let training: Training
  let practice: Practice

  private static let mostStrokes = 200
  private static let mostPoints = 50_000
  /// A drawing of the most points, four numbers each, is shorter.
  private static let longestBody = 4 << 20
  static let longestFile = 16 << 20
  /// How long a client may take to send what it sends.
  private static let patience = Duration.seconds(20)

  func add(to router: Router<BasicRequestContext>) {
    router.post("api/recognize") { request, _ in
      let recording = try await recording(request)
      return try await answering {
        let recognizer = models.used
        let clock = ContinuousClock()
        let start = clock.now
        let bitmap = try recognizer.model.rasterizer.render(recording.drawing)
        let recognition = try recognizer.recognize(recording.drawing)
        return Message.Answer(
          recognition, bitmap, microseconds: start.duration(to: clock.now) / .microseconds(1))
      }
    }
    addRecordings(to: router)
    addTraining(to: router)
    addPractice(to: router)
    addDocuments(to: router)
    addAutomata(to: router)
  }

  // MARK: Requests

  func name(_ context: BasicRequestContext) throws -> String {
    let name = try context.parameters.require("name")
    return FileName.spelled(name.removingPercentEncoding ?? name)
  }

  func zoom(_ recording: Recording) -> Double {
    guard case .number(let zoom)? = recording.attributes["zoom"], (0.01...100).contains(zoom) else {
      return 1
    }
    return zoom
  }

  /// The value of a parameter in the address, empty where there is none.
  func parameter(_ name: String, _ request: Request) -> String {
    request.uri.queryParameters[Substring(name)].map(String.init) ?? ""
  }

  /// The whole body; clients that send too much or too slowly are not heard to the end.
  func body(_ request: Request, upTo most: Int = Self.longestBody) async throws -> Data {
    let sent = request.body
    return try await withThrowingTaskGroup(of: Data.self) { group in
      group.addTask {
        Data(try await sent.collect(upTo: most).readableBytesView)
      }
      group.addTask {
        try await Task.sleep(for: Self.patience)
        throw HTTPError(.requestTimeout, message: "expected a request that is sent at once")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? Data()
    }
  }

  /// A drawing in the body, as one line of NDJSON has it.
  func recording(_ request: Request) async throws -> Recording {
    let line = LineReader.Line(
      place: Place(file: "drawing", line: 1), bytes: try await body(request))
    guard let item = NDJSON.item(line) else {
      throw HTTPError(.badRequest, message: "expected a drawing, found nothing")
    }
    switch item.result {
    case .failure(let error): throw HTTPError(.badRequest, message: "\(error)")
    case .success(let recording):
      let strokes = recording.drawing.strokes
      if let problem = Self.problem(with: strokes) {
        throw HTTPError(.contentTooLarge, message: problem)
      }
      return recording
    }
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, _ request: Request
  ) async throws -> Value {
    let data = try await body(request)
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw HTTPError(
        .badRequest, message: "expected JSON as the page sends it, found something else")
    }
  }

  /// Why no person drew `strokes`, or `nil` where one may have.
  static func problem(with strokes: [Stroke]) -> String? {
    let count = strokes.reduce(0) { $0 + $1.points.count }
    guard strokes.count > mostStrokes || count > mostPoints else { return nil }
    return "expected at most \(mostStrokes) strokes of \(mostPoints) points in all, found "
      + "\(strokes.count) of \(count)"
  }

  /// The value as JSON, or what is wrong in words.
  func answering(_ make: () async throws -> some Encodable) async throws -> Response {
    try await saying { try Answer.json(try await make()) }
  }

  /// The document as it is drawn, or what is wrong in words.
  func picturing(_ make: () async throws -> Message.Picture) async throws -> Response {
    try await saying { Answer.json(try await make()) }
  }

  private func saying(_ answer: () async throws -> Response) async throws -> Response {
    do {
      return try await answer()
    } catch let problem as Problem {
      return Answer.problem(.badRequest, problem.description)
    } catch let refusal as Refusal {
      return Answer.problem(.conflict, "not possible here: \(refusal)")
    } catch let error as DocumentError {
      return Answer.problem(.badRequest, "\(error)")
    } catch let error as AutomatonError {
      return Answer.problem(.badRequest, "\(error)")
    } catch let error as RasterError {
      return Answer.problem(.badRequest, "\(error)")
    }
  }
}
