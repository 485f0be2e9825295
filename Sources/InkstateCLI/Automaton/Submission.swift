import Automata
import AutomatonEditor
import ErrorText
import Foundation
import Ink
import InkDiagram
import InkImageIO
import InkTracing
import SafeFiles

/// An automaton that somebody handed in: a file, or one of the drawings in a file.
struct Submission: Sendable {
  /// The file, with the line of the drawing in NDJSON.
  let name: String
  private let content: Content

  /// The cores that read a photograph: several submissions are read at once.
  private static let workers = 1

  private enum Content: Sendable {
    case automaton
    case photograph
    /// A drawing, and what its file has besides it.
    case drawing(Recording, ignored: [String])
    /// Why it cannot be read.
    case unreadable(String)
  }

  private init(name: String, content: Content) { (self.name, self.content) = (name, content) }

  /// Creates a submission that cannot be read, with the reason.
  init(name: String, reason: String) { self.init(name: name, content: .unreadable(reason)) }

  /// The endings of files that are submissions in a folder.
  static let endings = DocumentFormat.endings + drawnEndings

  private static let inkEndings = InkFile.Format.allCases
    .filter { $0.endsLikeInk && $0.hasWholeDrawings }.map(\.ending)
  private static let drawnEndings = inkEndings + Photograph.endings

  /// Returns the submissions in a file; each drawing of a file of ink is one.
  static func all(inFile path: String) -> [Submission] {
    if Photograph.isName(path) { return [.init(name: path, content: .photograph)] }
    let ending = (path as NSString).pathExtension.lowercased()
    guard inkEndings.contains(ending) || isInk(path) else {
      return [.init(name: path, content: .automaton)]
    }
    var found: [Submission] = []
    do {
      let file = try InkFile(path: path)
      // All traces of InkML are one drawing.
      if let ink = try file.annotatedInk() {
        return [.init(name: path, content: .drawing(ink.recording, ignored: ink.ignored))]
      }
      try file.forEach { item in
        let name = "\(path):\(item.place.line ?? found.count + 1)"
        switch item.result {
        case .success(let recording):
          found.append(.init(name: name, content: .drawing(recording, ignored: item.ignored)))
        case .failure(let error):
          found.append(.init(name: name, content: .unreadable("\(error)")))
        }
      }
    } catch {
      found.append(.init(name: path, content: .unreadable("\(error)")))
    }
    return found.isEmpty
      ? [.init(name: path, content: .unreadable("expected drawings, found none"))] : found
  }

  /// Whether the content of a file is ink; a line of NDJSON may be an automaton as well.
  private static func isInk(_ path: String) -> Bool {
    guard let format = (try? InkFile(path: path))?.format else { return false }
    return format != .ndjson
  }

  /// Whether it is recognised when it is read.
  var isDrawn: Bool {
    switch content {
    case .drawing, .photograph: true
    case .automaton, .unreadable: false
    }
  }

  /// What was handed in, and what a person should know about how it was read.
  struct Reading {
    var source: AutomatonSource
    var doubts: [String] = []
  }

  /// Why a submission could not be read, in one line.
  struct Unreadable: DescribedError {
    var description: String
  }

  /// Reads the submission; drawings are recognised, and the symbols of `alphabet` are likely in them.
  ///
  /// - Parameter recognizer: What recognises it; only needed if ``isDrawn``.
  func read(with recognizer: DiagramRecognizer?, alphabet: [String]) throws -> Reading {
    switch content {
    case .automaton:
      let source = try AutomatonSource.read(name, form: nil)
      // A document of the editor can be empty; a file of another program was not understood then.
      guard source.document != nil || !source.drawn.automaton.states.isEmpty else {
        throw AutomatonError(at: name, expected: "states", found: "none")
      }
      return Reading(source: source)
    case .unreadable(let reason):
      throw Unreadable(description: reason)
    case .drawing(let recording, let ignored):
      let diagram = recognizer!.recognize(
        recording.drawing, isTraced: recording.isTraced, vocabulary: alphabet,
        workers: Self.workers)
      var reading = try reading(of: diagram, in: recording.drawing, remarks: [])
      reading.doubts = ignored.map { "\($0) ignored" } + reading.doubts
      return reading
    case .photograph:
      let (diagram, upright): (Diagram, TracedDrawing)
      do {
        (diagram, upright) = try recognizer!.recognize(
          Photograph.read(path: name), vocabulary: alphabet, workers: Self.workers)
      } catch let error as TracingError {
        throw Unreadable(description: "\(name): \(error)")
      }
      return try reading(
        of: diagram, in: upright.uprightDrawing, remarks: upright.remarks.map(\.message))
    }
  }

  private func reading(
    of diagram: Diagram, in drawing: Drawing, remarks: [String]
  ) throws -> Reading {
    var doubts = remarks
    if let rejection = diagram.rejection {
      let reason = "\(name): expected an automaton, but \(rejection.message)"
      throw Unreadable(description: ([reason] + doubts).joined(separator: "; "))
    }
    let document = try Document(diagram, drawing: drawing, id: name)
    if let warning = diagram.warning { doubts.append(warning) }
    // The names of states do not matter.
    let count = diagram.uncertain.count { $0.property != .name }
    if count > 0 {
      doubts.append(
        "\(count.counted("reading")) of the drawing \(count == 1 ? "is" : "are") uncertain")
    }
    return Reading(
      source: AutomatonSource(drawn: document.placedAutomaton, document: document), doubts: doubts)
  }
}
