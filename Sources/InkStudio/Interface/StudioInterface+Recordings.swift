import AutomatonEditor
import Foundation
import Hummingbird
import Ink
import InkDatasets
import InkRaster

// Requests for recordings.

extension StudioInterface {
  /// The maximum number of classes on the page.
  private static let maximumClasses = 500
  /// The number of latest recordings on the page.
  static let shownRecordings = 60

  private struct Overview: Encodable {
    struct Class: Encodable {
      var label: String
      var count: Int
    }

    var classes: [Class]
    var next: String
    var total: Int
    /// The latest drawings, the newest first; after adding a drawing, only this one.
    var items: [Item]
  }

  private struct Item: Encodable {
    var id: String
    var label: String
    var writer: String
    var bitmap: Data
    var size: Int
    var strokes: [[[Double]]]
  }

  private struct Imported: Encodable {
    var added: Int
    /// The id with which the drawings can be deleted together; none if there are none.
    var id: String?
    var refused: Int
    var firstProblem: String?
  }

  func addRecordings(to router: Router<StudioContext>) {
    router.get("api/example") { request, _ in
      try await StudioResponse.json(strokes(of: example(of: parameter("label", request) ?? "")))
    }
    router.get("api/recordings") { request, context in
      // Devices see what they draw themselves, and not what others drew, with their names.
      let isOwner = context.visitor == .owner
      return try await StudioResponse.json(
        overview(
          request, showing: isOwner ? recordings.newest(Self.shownRecordings) : []))
    }
    router.post("api/recordings") { request, _ in
      var recording = try await recording(request)
      guard let label = recording.label, !label.isEmpty else {
        throw StudioError("The drawing has no class. Send it as `word`.")
      }
      guard !recording.drawing.isTap else {
        throw StudioError(
          "This is a tap, not a drawing. Draw first, then save.", .unprocessableContent)
      }
      recording.drawing = recording.drawing.startingAtZero
      return try await respondWithJSON { [recording] in
        let entry = try await recordings.add(recording)
        return try await overview(request, showing: [entry])
      }
    }
    router.delete("api/recordings/:id") { request, context in
      guard try await recordings.remove(decoded("id", context)) else {
        throw StudioError("This recording is already deleted. Reload the page.", .notFound)
      }
      return try await StudioResponse.json(
        overview(request, showing: recordings.newest(Self.shownRecordings)))
    }
    router.delete("api/recordings/file/:id") { request, context in
      guard try await recordings.removeFile(decoded("id", context)) else {
        throw StudioError(
          "This import cannot be undone any more. Delete its drawings one by one.", .notFound)
      }
      return try await StudioResponse.json(
        overview(request, showing: recordings.newest(Self.shownRecordings)))
    }
    router.get("api/recordings.ndjson") { _, _ in
      StudioResponse.data(
        try await recordings.data(), type: "application/x-ndjson",
        fileName: "recordings.ndjson")
    }
    router.post("api/recordings/file") { request, _ in
      let data = try await body(request)
      let name = try parameter("name", request) ?? ""
      return try await respondWithJSON { try await add(data, of: name) }
    }
  }

  /// Adds the drawings of an ink file; counts those that are left out.
  private func add(_ data: Data, of fileName: String) async throws -> Imported {
    // The format is detected from the content.
    let file = try UploadedFile(
      data, ending: "ndjson", name: fileName.isEmpty ? "the file" : fileName)
    defer { file.remove() }
    var good: [Recording] = []
    var imported = Imported(added: 0, refused: 0)
    func leaveOut(_ reason: String) {
      imported.refused += 1
      if imported.firstProblem == nil { imported.firstProblem = reason }
    }
    try file.read { path in
      try InkFile(path: path).forEach { item in
        switch item.result {
        case .success(let recording):
          if recording.label?.isEmpty ?? true {
            leaveOut("line \(item.place.line ?? 1) has no label")
          } else if let problem = Self.problem(with: recording.drawing.strokes) {
            leaveOut("line \(item.place.line ?? 1): \(problem)")
          } else if (recording.drawing.bounds?.longerSide ?? 0) == 0 {
            leaveOut("line \(item.place.line ?? 1) is a point, not a drawing")
          } else {
            good.append(recording)
          }
        case .failure(let error):
          leaveOut(file.named(in: error.description))
        }
      }
    }
    if !good.isEmpty { imported.id = try await recordings.addFile(good) }
    imported.added = good.count
    return imported
  }

  /// Returns a synthetic drawing of `label`, or a recorded one if the synthesiser does not draw the class.
  private func example(of label: String) async throws -> Drawing {
    for repertoire in Synthesizer.Repertoire.allCases where repertoire.labels.contains(label) {
      let synthesizer = Synthesizer(seed: .random(in: .min ... .max), repertoire: repertoire)
      return synthesizer.recording(label: label, writer: 0, index: 0).drawing
    }
    guard
      let known = await recordings.all.filter({ $0.recording.label == label }).randomElement()
    else {
      throw StudioError(
        "There is no example of `\(label.prefix(80))` yet. Yours will be the first.", .notFound)
    }
    return known.recording.drawing
  }

  private func strokes(of drawing: Drawing) -> [[[Double]]] {
    drawing.strokes.map { [$0.points.map(\.x), $0.points.map(\.y)] }
  }

  /// Returns the classes with their counts, and the class to draw next, which the page does not skip.
  ///
  /// The classes are those of the editor, those that the page sends, and those of the recordings.
  private func overview(
    _ request: Request, showing entries: [Recordings.Entry]
  ) async throws -> Overview {
    let query = try Query(request.uri.query)
    let extra = query.all("class")
    let skipped = Set(query.all("skip"))
    let counts = await recordings.counts
    var classes = DrawnClass.allLabels
    var listed = Set(classes)
    for label in (extra + counts.keys.sorted()).prefix(Self.maximumClasses)
    where !label.isEmpty && listed.insert(label).inserted {
      classes.append(label)
    }
    // A random class among those with the fewest drawings.
    let asked =
      classes.allSatisfy(skipped.contains) ? classes : classes.filter { !skipped.contains($0) }
    let fewest = asked.map { counts[$0] ?? 0 }.min() ?? 0
    let next = asked.filter { (counts[$0] ?? 0) == fewest }.randomElement() ?? asked[0]
    let rasterizer = models.used.model.rasterizer ?? .standard
    let items = entries.map { entry in
      let bitmap = try? rasterizer.render(entry.recording.drawing)
      return Item(
        id: entry.id, label: entry.recording.label ?? "", writer: entry.recording.writer ?? "",
        bitmap: Data(bitmap?.pixels ?? []), size: bitmap?.width ?? 0,
        strokes: strokes(of: entry.recording.drawing))
    }
    return Overview(
      classes: classes.map { .init(label: $0, count: counts[$0] ?? 0) }, next: next,
      total: counts.values.reduce(0, +), items: items)
  }
}
