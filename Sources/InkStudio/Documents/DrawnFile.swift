import AutomatonEditor
import Foundation
import Ink
import InkDiagram
import InkImageIO
import InkTracing

/// An automaton that was drawn elsewhere: a file of ink, or a photograph.
struct DrawnFile {
  /// The extensions of such files.
  static let endings =
    InkFile.Format.allCases.filter(\.hasWholeDrawings).map(\.ending) + Photograph.endings
  /// The longer side of a photograph on the canvas, in canvas points.
  private static let longerSide = 1200.0

  private enum Content {
    case drawing(Recording)
    case photograph(Photograph)
  }

  private let content: Content
  /// What the file has besides the drawing.
  private let ignored: [String]
  private let name: String

  /// Reads the drawing in `data`, or returns `nil` if `ending` is not one of ``endings``.
  ///
  /// - Throws: `StudioError` if the file is damaged or does not contain one drawing.
  init?(_ data: Data, ending: String, name: String) throws {
    let ending = ending.lowercased()
    guard Self.endings.contains(ending) else { return nil }
    let name = "\(name).\(ending)"
    self.name = name
    if Photograph.endings.contains(ending) {
      content = .photograph(
        try Self.readable { () throws(PictureError) in try Photograph.decode(data, path: name) })
      ignored = []
    } else {
      let file = try UploadedFile(data, ending: ending, name: name)
      defer { file.remove() }
      let (recording, ignored) = try file.read(Self.drawing)
      (content, self.ignored) = (.drawing(recording), ignored)
    }
  }

  /// Returns what `body` returns; what it throws becomes an answer.
  private static func readable<Value, Problem: Error>(
    _ body: () throws(Problem) -> Value
  ) throws(StudioError) -> Value {
    do { return try body() } catch { throw StudioError("\(error)", .unprocessableContent) }
  }

  private static func drawing(path: String) throws -> (Recording, ignored: [String]) {
    let file = try InkFile(path: path)
    // All traces of InkML are one drawing.
    if let ink = try file.annotatedInk() { return (ink.recording, ink.ignored) }
    var drawings: [(Recording, ignored: [String])] = []
    try file.forEach { drawings.append((try $0.result.get(), $0.ignored)) }
    guard drawings.count == 1 else {
      throw InkError(
        at: Place(file: path), expected: "one drawing", found: drawings.count.counted("drawing"))
    }
    return drawings[0]
  }

  /// An automaton in a drawing.
  struct Found {
    var document: Document
    /// What is uncertain about it.
    var uncertain: [Diagram.Uncertainty]
    /// What a person should know about how it was read.
    var remarks: [String]
    /// The photograph and where it is on the canvas, if it is one.
    var photograph: Message.Opened.Photograph?
  }

  /// A photograph that was read again for a state that was missed.
  struct Mended: Sendable {
    /// Its automaton, and the strokes, on the canvas.
    var diagram: Diagram
    var drawing: Drawing
    /// The id of the missed state in the diagram.
    var missed: String
  }

  /// Reads a photograph again, with the states of its document and one that was missed.
  ///
  /// - Parameters:
  ///   - missed: A place in the missed state, on the canvas.
  ///   - place: The map from the pixels of the photograph to the canvas.
  /// - Throws: `StudioError` if it is no photograph, has no ink or more detail than any
  ///   drawing, or the place is not in it.
  func mended(
    _ document: Document, missed: Vector, place: Transform, with recognizer: DiagramRecognizer
  ) throws(StudioError) -> Mended {
    guard case .photograph(let photograph) = content else {
      throw StudioError("Expected a photograph, found \(name).")
    }
    let traced = try Self.readable { () throws(TracingError) in try Tracer().trace(photograph) }
    let toDrawing = place.inverse.then(traced.uprightTransform)
    func inDrawing(_ place: Vector) -> Vector {
      Vector(toDrawing.apply(to: Point(place.x, place.y)))
    }
    let known = KnownStates(
      document.states.map { .init(center: $0.center, radius: $0.radius) }, missed: missed
    ).moved(scale: toDrawing.scale, by: inDrawing)
    // As it was read before, so that it is where it is shown.
    let quarters = Int((place.angle / (.pi / 2)).rounded()) & 3
    guard
      let (diagram, id, upright) = recognizer.recognize(traced, with: known, quarters: quarters)
    else {
      throw StudioError("There is no ink at this place of \(name).", .unprocessableContent)
    }
    let toCanvas = upright.pictureTransform.then(place)
    return Mended(
      diagram: diagram.moved(by: toCanvas),
      drawing: upright.uprightDrawing.transformed(by: toCanvas), missed: id)
  }

  /// Returns the automaton in the drawing.
  ///
  /// - Throws: `StudioError` if there is none, or a photograph has more detail than any drawing.
  func automaton(with recognizer: DiagramRecognizer) throws(StudioError) -> Found {
    let (diagram, drawing): (Diagram, Drawing)
    var transform = Transform.identity
    var remarks = ignored.map { "ignored: \($0)" }
    var opened: Message.Opened.Photograph?
    switch content {
    case .drawing(let given):
      drawing = given.drawing
      diagram = recognizer.recognize(drawing, isTraced: given.isTraced)
    case .photograph(let photograph):
      let upright: TracedDrawing
      (diagram, upright) = try Self.readable { () throws(TracingError) in
        try recognizer.recognize(photograph)
      }
      drawing = upright.uprightDrawing
      // Photographs become as large as drawings on the canvas.
      let scale = Self.longerSide / Double(max(photograph.width, photograph.height))
      transform = .scale(x: scale, y: scale)
      remarks += upright.remarks.map(\.message)
      opened = .init(
        width: photograph.width, height: photograph.height,
        matrix: upright.uprightTransform.then(transform).matrix)
    }
    if let rejection = diagram.rejection {
      throw StudioError(
        "No automaton was found in \(name): \(rejection.message).", .unprocessableContent)
    }
    let document: Document
    do {
      document = try Document(
        diagram.moved(by: transform), drawing: drawing.transformed(by: transform),
        id: UUID().uuidString)
    } catch {
      throw StudioError("\(name): \(error)", .unprocessableContent)
    }
    remarks += diagram.warning.map { [$0] } ?? []
    return Found(
      document: document, uncertain: diagram.uncertain, remarks: remarks,
      photograph: opened)
  }
}
