import Automata
import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkDatasets
import InkRaster
import NIOCore

/// The addresses that the page asks: JSON in, JSON out, and streams of what changes.
///
/// | address | does |
/// | --- | --- |
/// | `GET /api/constants` | what the page and the server have to agree on |
/// | `POST /api/recognize` | a drawing → bitmap, ranked labels, refusal, time |
/// | `GET /api/example?label=` | a drawing of that class, to show how it may look |
/// | `GET /api/recordings?class=&skip=` | classes with counts, the next to draw, the last drawings |
/// | `POST /api/recordings` | keeps a drawing; answered when it is on disk |
/// | `DELETE /api/recordings/ID` | deletes one |
/// | `GET /api/recordings.ndjson` | all of them, as a file |
/// | `POST /api/recordings/file?name=` | adds those of an ink file: NDJSON, InkML, $1 and $N XML |
/// | `GET /api/models`, `POST /api/models/NAME/use` | the models, and the one in use |
/// | `GET /api/models/NAME/file` | a model that was trained here |
/// | `GET /api/training`, `POST /api/training` | the state of the training; begins one |
/// | `POST /api/training/cancel` | ends it |
/// | `GET /api/training/progress` | server-sent events: the state each time that it changes |
/// | `GET /api/practice` | the names of those who practised |
/// | `GET /api/practice/NAME?level=&question=` | a task, the same as before where it is open; progress |
/// | `POST /api/practice/NAME/answer?question=` | a drawing → what was read, and whether it is right |
/// | `POST /api/practice/NAME/confirm` | what was written in truth; may be repeated |
/// | `GET /api/documents` | the names |
/// | `POST /api/documents?name=` | makes an empty document; without a name, the next `Automaton N` |
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
/// | `POST /api/documents/NAME/open?form=` | a file → a new document, called NAME where that is free |
/// | `GET /api/documents/NAME/file?form=` | the document in one of the saved forms |
///
/// **Documents exist once they are made**, by `POST /api/documents`, by opening a file or by making one
/// of another. All other addresses of a document answer 404 where it is missing, and never make it. With
/// `id=` a page says which document it shows: where another has the name by now, the answer is 404 as well.
/// Such an answer has `renamedTo` or `isDeleted` where that is known. A stream of versions ends with the
/// event `renamed` (its data is the new name) or `deleted`; a page that listens later gets that event alone.
///
/// **Drawings** are lines of NDJSON. Times are milliseconds since 1970 with fractions; stored recordings
/// begin at 0. `zoom` is the number of screen points per canvas point. Strokes with different values of `page`
/// are not taken together. A stroke that is sent again, with the same value of `stroke`, is not drawn again:
/// its answer has the decision of the first time.
///
/// **Tasks of the digit game** have an id, and so has every answer: a confirmation names the answer. The
/// expected number is told with the confirmation, when the task is closed.
///
/// Answers that say what is wrong are `{"error": …}` with a status of 400 and more. Values in addresses
/// are decoded as a form's: `+` is a space. Streams are server-sent events: all that a page sends is a
/// request that has an answer, so nothing needs a WebSocket.
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
    router.get("api/constants") { _, _ in try Answer.json(Constants()) }
    router.post("api/recognize") { request, _ in
      let recording = try await recording(request)
      return try await answering {
        let recognizer = models.used
        let clock = ContinuousClock()
        let start = clock.now
        let bitmap = try recognizer.model.preprocessing.rasterizer.render(recording.drawing)
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

  /// The name in the address.
  func name(_ context: BasicRequestContext) throws -> String {
    FileName.spelled(try decoded("name", context))
  }

  /// A part of the address, without percent-encoding.
  func decoded(_ part: String, _ context: BasicRequestContext) throws -> String {
    let text = try context.parameters.require(part)
    guard let decoded = text.removingPercentEncoding else {
      throw Problem("The address has text that is not percent-encoded UTF-8: `\(text.prefix(40))`.")
    }
    return decoded
  }

  /// Screen points per canvas point; 1 where `given` is missing or no number of a page.
  func zoom(_ given: Double?) -> Double {
    given.flatMap { (0.01...100).contains($0) ? $0 : nil } ?? 1
  }

  func zoom(_ recording: Recording) -> Double {
    guard case .number(let zoom)? = recording.attributes["zoom"] else { return 1 }
    return self.zoom(zoom)
  }

  /// The value of a parameter in the address, or `nil` where it is missing or empty.
  func parameter(_ name: String, _ request: Request) throws(Problem) -> String? {
    let value = try Query(request.uri.query)[name]
    return value?.isEmpty ?? true ? nil : value
  }

  /// The whole body; reading ends where a client sends too much or too slowly.
  func body(_ request: Request, upTo most: Int = Self.longestBody) async throws -> Data {
    let tooLong = Problem(
      "This is larger than \(most >> 20) MiB. Send less at a time.", .contentTooLarge)
    if let length = request.headers[.contentLength].flatMap(Int.init), length > most {
      throw tooLong
    }
    let sent = request.body
    return try await withThrowingTaskGroup(of: Data.self) { group in
      group.addTask {
        do {
          return Data(try await sent.collect(upTo: most).readableBytesView)
        } catch is NIOTooManyBytesError {
          throw tooLong
        } catch {
          throw Problem("The request did not arrive as a whole. Send it again.")
        }
      }
      group.addTask {
        try await Task.sleep(for: Self.patience)
        throw Problem("The request took too long to arrive. Send it again.", .requestTimeout)
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
      throw Problem("The request has no drawing.")
    }
    let recording: Recording
    do { recording = try item.result.get() } catch { throw Problem(plainText(of: error)) }
    if let problem = Self.problem(with: recording.drawing.strokes) {
      throw Problem(problem, .contentTooLarge)
    }
    return recording
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, _ request: Request
  ) async throws -> Value {
    let data = try await body(request)
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw Problem("The request is not the JSON that the page sends. Reload the page.")
    }
  }

  /// Why no person drew `strokes`, or `nil` where one may have.
  static func problem(with strokes: [Stroke]) -> String? {
    let count = strokes.reduce(0) { $0 + $1.points.count }
    guard strokes.count > mostStrokes || count > mostPoints else { return nil }
    return "A drawing has at most \(mostStrokes) strokes and \(mostPoints) points; this has "
      + "\(strokes.count) and \(count)."
  }

  /// The value as JSON, or what is wrong in words.
  func answering(_ make: () async throws -> some Encodable) async throws -> Response {
    try await saying { try Answer.json(try await make()) }
  }

  /// The document as it is drawn, or what is wrong in words.
  func picturing(_ make: () async throws -> Message.Picture) async throws -> Response {
    try await saying { Answer.json(try await make()) }
  }

  func saying(_ answer: () async throws -> Response) async throws -> Response {
    do {
      return try await answer()
    } catch let problem as Problem {
      return Answer.problem(problem.status, problem.description)
    } catch let refusal as Refusal {
      return Answer.problem(.conflict, "This is not possible: \(refusal).")
    } catch let error as DocumentError {
      return Answer.problem(.badRequest, "\(error)")
    } catch let error as AutomatonError {
      return Answer.problem(.badRequest, "\(error)")
    } catch let error as RasterError {
      return Answer.problem(.badRequest, "\(error)")
    }
  }
}
