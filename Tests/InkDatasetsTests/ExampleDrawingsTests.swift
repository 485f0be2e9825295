import Foundation
import Ink
import InkDatasets
import InkDiagram
import Testing

/// The files in `Examples/Drawings`; `INKSTATE_WRITE_EXAMPLES=1` writes them anew.
@Suite(.timeLimit(.minutes(30))) struct ExampleDrawingsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Drawings")

  private static func drawings(_ name: String) -> [Example] {
    let composer = DiagramComposer(seed: 44)
    let writers = composer.syntheticWriters(count: 3)
    return name == "mod3"
      ? [composer.drawing(0, by: writers[0], known: "mod3")!]
      : writers.prefix(2).map { composer.drawing(1, by: $0)! }
  }

  private static func text(_ name: String) throws -> String {
    try drawings(name).map { example in
      guard case .drawing(let drawing) = example.content else { return "" }
      let recording = Recording(
        drawing, label: example.label, writer: example.writer, device: example.device,
        source: example.source, attributes: example.attributes)
      return String(decoding: try NDJSON.line(recording, at: Place(file: name)), as: UTF8.self)
        + "\n"
    }.joined()
  }

  @Test(arguments: ["mod3", "drawings"]) func theyShowWhatTheComposerMakes(name: String) throws {
    let file = Self.folder.appendingPathComponent("\(name).ndjson")
    if ProcessInfo.processInfo.environment["INKSTATE_WRITE_EXAMPLES"] != nil {
      try Data(Self.text(name).utf8).write(to: file)
    }
    let items = try InkFile.items(path: file.path)
    let drawings = Self.drawings(name)
    #expect(items.count == drawings.count)
    for (item, drawing) in zip(items, drawings) {
      let recording = try item.result.get()
      let truth = try #require(try Diagram(attributes: recording.attributes))
      #expect(truth.transitions == (try Diagram(attributes: drawing.attributes))?.transitions)
      #expect(truth.strokes.count == recording.drawing.strokes.count)
    }
  }
}
