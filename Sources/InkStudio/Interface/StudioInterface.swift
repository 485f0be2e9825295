import Automata
import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkDatasets
import InkImageIO
import InkRaster
import InkRecognizer
import JSONReading
import NIOCore

/// The requests of the page: JSON in, JSON out, and streams of changes.
///
/// | request | result |
/// | --- | --- |
/// | `GET /api/constants` | the constants that the page shares with the server |
/// | `POST /api/recognize` | a drawing → bitmap, ranked labels, rejection, time |
/// | `POST /api/page` | a photograph → the class of each cell of it |
/// | `GET /api/example?label=` | an example drawing of a class |
/// | `GET /api/recordings?class=&skip=` | classes with counts, the class to draw next, the latest drawings |
/// | `POST /api/recordings` | stores a drawing; answers when it is on disk |
/// | `DELETE /api/recordings/ID` | deletes a drawing |
/// | `GET /api/recordings.ndjson` | all drawings, as a file |
/// | `POST /api/recordings/file?name=` | adds the drawings of an ink file in any format |
/// | `DELETE /api/recordings/file/ID` | deletes the drawings of a file that was added |
/// | `GET /api/models`, `POST /api/models/NAME/use` | all models; selects a model |
/// | `GET /api/models/NAME/file` | the file of a model that was trained in the studio |
/// | `GET /api/training`, `POST /api/training` | the state of the training; starts a training |
/// | `POST /api/training/cancel` | cancels the training |
/// | `GET /api/training/progress` | server-sent events: the state after each change |
/// | `POST /api/series?name=` | a file of sensor recordings: CSV, `.ts`, NDJSON → curves, windows, events |
/// | `GET /api/practice` | the names of the learners |
/// | `GET /api/practice/NAME?level=&question=` | the open task with this id, or a new one; progress |
/// | `POST /api/practice/NAME/answer?question=` | a drawing → the number that was read, and whether it is correct |
/// | `POST /api/practice/NAME/confirm` | confirms what was written; can be repeated |
/// | `GET /api/documents` | the names of the documents |
/// | `POST /api/documents?name=` | creates an empty document; without a name, the next `Automaton N` |
/// | `GET /api/documents/NAME` | a document with everything to draw it |
/// | `DELETE /api/documents/NAME` | moves the document to the folder `deleted` |
/// | `POST /api/documents/NAME/rename?to=` | renames the document |
/// | `GET /api/documents/NAME/versions` | server-sent events: the version after each change |
/// | `POST /api/documents/NAME/stroke` | draws a stroke → its decision and the document |
/// | `POST /api/documents/NAME/read` | reads the strokes since the last edit together → the document |
/// | `POST /api/documents/NAME/choose?element=&text=` | gives an uncertain element another name or symbols |
/// | `POST /api/documents/NAME/copy` | some elements as a document, for the clipboard |
/// | `POST /api/documents/NAME/instead?label=` | gives the last stroke another class |
/// | `POST /api/documents/NAME/erase?attached=` | erases the elements that a stroke crosses |
/// | `POST /api/documents/NAME/command` | runs a command of the editor |
/// | `POST /api/documents/NAME/undo`, `redo` | undoes or redoes a change |
/// | `POST /api/documents/NAME/restore` | restores what the last reading took back |
/// | `GET /api/documents/NAME/file?form=png&scale=&transparent=` | a PNG of any scale |
/// | `POST /api/documents/NAME/run` | a word → whether it is accepted, the reason and the steps |
/// | `POST /api/documents/NAME/words` | lines of words, some with an expected answer → the results |
/// | `GET /api/documents/NAME/accepted?count=` | the first accepted words |
/// | `GET /api/documents/NAME/expression` | an equivalent regular expression |
/// | `POST /api/documents/NAME/CONVERSION` | adds the result of a `Conversion` as a new document |
/// | `POST /api/documents/NAME/union?with=`, `intersection`, `difference` | adds a combination of two documents |
/// | `POST /api/documents/NAME/compare?with=` | the shortest word that only one of two documents accepts, with both runs |
/// | `POST /api/expression` | adds an automaton of a regular expression as a new document |
/// | `POST /api/examples/TITLE` | adds an example as a new document |
/// | `POST /api/documents/NAME/open?form=` | adds a file as a new document with the name NAME; answers with the name and, for a photograph, its place |
/// | `POST /api/documents/NAME/missed?form=&x=&y=&matrix=` | the photograph of the document → the document with the state at a place that was missed, and its arrows |
/// | `GET /api/documents/NAME/file?form=` | the document in one of the formats |
///
/// A shared studio also has these:
///
/// | request | result |
/// | --- | --- |
/// | `GET /api/sharing` | addresses, code, fingerprint, devices, the link for the audience |
/// | `POST /api/sharing/code` | changes the code |
/// | `POST /api/sharing/link`, `DELETE` | creates a link for the audience, which ends the old one; ends it |
/// | `DELETE /api/devices/ID` | removes a device and ends its connections |
/// | `POST /api/devices/ID/presenter?value=` | lets a device present, or not |
/// | `GET /api/presentation` | the presented document's name, its run and the step |
/// | `GET /api/presentation/document` | the presented document |
/// | `GET /api/presentation/changes` | server-sent events: a number that changes with all of this, and the step |
/// | `POST /api/presentation`, `DELETE` | presents a document and a step of its run; ends the presentation |
/// | `GET /watch?key=` | the page of the audience |
/// | `GET /pair`, `POST` | the form to pair a device; only at the shared addresses |
///
/// `Visitor` lists who may send which of them.
///
/// **Documents** are created by `POST /api/documents`, by opening a file, or from another document. All
/// other requests answer 404 if the document is missing. With `id=`, a page sends the id of the document
/// that it shows. If another document has the name now, the answer is 404 too. The answer has `renamedTo`
/// or `isDeleted` if this is known. A stream of versions ends with the event `renamed`, whose data is the
/// new name, or `deleted`. A page that opens the stream later gets only this event.
///
/// **Drawings** are lines of NDJSON. Times are milliseconds since 1970 with fractions; the times
/// of stored recordings start at 0. `zoom` is the number of screen points per canvas point. Strokes with
/// different values of `page` are not combined. A stroke that is sent again with the same value of
/// `stroke` is not drawn again; the answer has the first decision. Other changes are made once if their
/// addresses have the same `change=`.
///
/// A change that is not on disk is answered with 507. It is kept in memory; sent again, it is saved.
///
/// **Conversions**, comparisons and expressions of a document that does not say everything are answered with
/// 409 and what is missing, unless they have `anyway=true`. A file with a name that is used or not valid is
/// answered with 409 and a name that is free.
///
/// **Corrections** of strokes are kept as labelled recordings where a request has `keep=true`: `choose`,
/// `instead` and `command`.
///
/// **Tasks of the digit game** and their answers have ids; a confirmation contains the id of the answer.
/// The confirmation closes the task and returns the correct number.
///
/// Errors are `{"error": …}` with a status of 400 or more. Values in addresses are decoded like a form:
/// `+` is a space. Streams are server-sent events, which the page reads with `fetch`: each request has the secret
/// of its browser in the header `Inkstate-Secret`, beside the cookie.
struct StudioInterface: Sendable {
  let recordings: Recordings
  /// The corrected names and symbols, as lines of writing.
  let writing: Recordings
  let documents: Documents
  let models: Models
  /// Sees whole pages.
  let pageRecognizer: PageRecognizer
  let training: Training
  let practice: Practice
  /// What is needed for other devices, or `nil` if the studio is not shared.
  let sharing: Sharing?
  let page: PageFiles
  let longWork: LongWork

  private static let maximumStrokes = 200
  private static let maximumPoints = 50_000
  /// The maximum time for sending a request.
  private static let timeout = Duration.seconds(20)

  func add(to router: Router<StudioContext>) {
    router.get("api/constants") { _, context in
      try StudioResponse.json(Constants(visitor: context.visitor.name, isShared: sharing != nil))
    }
    router.post("api/recognize") { request, context in
      let recording = try await recording(request)
      let recognizer = models.used
      return try await respondWithJSON {
        try await longWork.run(for: context) { _ in
          let clock = ContinuousClock()
          let start = clock.now
          let bitmap = try recognizer.model.rasterizer?.render(recording.drawing)
          let recognition = try recognizer.recognize(recording.drawing)
          return Message.Recognized(
            recognition, bitmap, microseconds: start.duration(to: clock.now) / .microseconds(1))
        }
      }
    }
    router.post("api/page") { request, context in
      let data = try await body(request)
      return try await respondWithJSON {
        try await longWork.run(for: context) { cancellation in
          try SeenPage(data, by: pageRecognizer, cancellation)
        }
      }
    }
    addRecordings(to: router)
    addTraining(to: router)
    addSeries(to: router)
    addPractice(to: router)
    addDocuments(to: router)
    addFiles(to: router)
    addAutomata(to: router)
    addSharing(to: router)
  }

  // MARK: Requests

  /// Returns the name in the address.
  func name(_ context: StudioContext) throws -> String {
    FileName.normalized(try decoded("name", context))
  }

  /// Returns a part of the address, without percent-encoding.
  func decoded(_ part: String, _ context: StudioContext) throws -> String {
    let text = try context.parameters.require(part)
    guard let decoded = text.removingPercentEncoding else {
      throw StudioError(
        "The address has text that is not percent-encoded UTF-8: `\(text.prefix(40))`.")
    }
    return decoded
  }

  /// Returns the screen points per canvas point; 1 if `given` is missing or out of range.
  func zoom(_ given: Double?) -> Double {
    given.flatMap { (0.01...100).contains($0) ? $0 : nil } ?? 1
  }

  func zoom(_ recording: Recording) -> Double {
    guard case .number(let zoom)? = recording.attributes["zoom"] else { return 1 }
    return self.zoom(zoom)
  }

  /// Returns a parameter in the address, or `nil` if it is missing or empty.
  func parameter(_ name: String, _ request: Request) throws(StudioError) -> String? {
    let value = try Query(request.uri.query)[name]
    return value?.isEmpty ?? true ? nil : value
  }

  /// Returns the body of a request, which ``BodyLimit`` limits; throws if it is too slow.
  func body(_ request: Request) async throws -> Data {
    let sent = request.body
    return try await withThrowingTaskGroup(of: Data.self) { group in
      group.addTask {
        do {
          return Data(try await sent.collect(upTo: .max).readableBytesView)
        } catch let problem as StudioError {
          throw problem
        } catch {
          throw StudioError("The request arrived only in part. Send it again.")
        }
      }
      group.addTask {
        try await Task.sleep(for: Self.timeout)
        throw StudioError("The request took too long to arrive. Send it again.", .requestTimeout)
      }
      defer { group.cancelAll() }
      return try await group.next() ?? Data()
    }
  }

  /// Returns the drawing in the body, which is a line of NDJSON.
  func recording(_ request: Request) async throws -> Recording {
    let bytes = try await body(request)
    guard let item = NDJSON.item(bytes, at: Place(file: "drawing", line: 1)) else {
      throw StudioError("The request has no drawing.")
    }
    let recording: Recording
    do { recording = try item.result.get() } catch { throw StudioError(plainText(of: error)) }
    if let problem = Self.problem(with: recording.drawing.strokes) {
      throw StudioError(problem, .contentTooLarge)
    }
    return recording
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, _ request: Request
  ) async throws -> Value {
    let data = try await body(request)
    do {
      return try type.init(strictJSON: data, name: "request")
    } catch {
      throw StudioError("The request is not valid for this address: \(error). Reload the page.")
    }
  }

  /// Returns the reason why `strokes` are too many, or `nil` if they are not.
  static func problem(with strokes: [Stroke]) -> String? {
    let count = strokes.reduce(0) { $0 + $1.points.count }
    guard strokes.count > maximumStrokes || count > maximumPoints else { return nil }
    return "A drawing has at most \(maximumStrokes) strokes and \(maximumPoints) points; this has "
      + "\(strokes.count) and \(count)."
  }

  /// Answers with a value as JSON, or with an error.
  func respondWithJSON(_ make: () async throws -> some Encodable) async throws -> Response {
    try await respond { try StudioResponse.json(try await make()) }
  }

  /// Answers with a document, or with an error.
  func respondWithDocument(_ make: () async throws -> Message.Picture) async throws -> Response {
    try await respond { StudioResponse.json(try await make()) }
  }

  /// Answers with `answer`, or with an error.
  func respond(_ answer: () async throws -> Response) async throws -> Response {
    do {
      return try await answer()
    } catch let problem as StudioError {
      return StudioResponse.problem(problem.status, problem.description)
    } catch let refusal as Refusal {
      return StudioResponse.problem(.conflict, "This is not possible: \(refusal).")
    } catch let error as AutomatonError {
      return StudioResponse.problem(.badRequest, "\(error)")
    } catch let error as SVGError {
      return StudioResponse.problem(.badRequest, "\(error)")
    } catch let error as RasterError {
      return StudioResponse.problem(.badRequest, "\(error)")
    } catch let error as PreparationError {
      return StudioResponse.problem(.badRequest, "The model in use reads something else: \(error).")
    }
  }
}
