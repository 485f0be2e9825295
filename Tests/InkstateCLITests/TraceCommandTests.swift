import Foundation
import Ink
import InkImageIO
import InkRaster
import SeededRandom
import Testing
import TestSupport

/// `inkstate trace`, and pictures where drawings are read.
@Suite(.timeLimit(.minutes(30))) struct TraceCommandTests {
  private let folder: TemporaryFolder
  private let paper: String

  init() throws {
    folder = try TemporaryFolder()
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    paper = root.appendingPathComponent("Examples/Pictures/paper.jpg").path
  }

  private func run(_ words: String) throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder)
  }

  @Test func aPhotographBecomesStrokes() throws {
    let result = try run("trace \(paper) --output ink.ndjson --overlay overlay.png")
    #expect(result.status == 0)
    let items = try InkFile.items(path: "\(folder.path)/ink.ndjson")
    #expect(items.count == 1)
    let recording = try items[0].result.get()
    let strokes = recording.drawing.strokes
    guard case .list(let widths) = recording.attributes["widths"],
      case .list(let greys) = recording.attributes["greys"]
    else {
      Issue.record("no widths or greys")
      return
    }
    #expect(widths.count == strokes.count && greys.count == strokes.count)
    #expect(recording.attributes["pictureWidth"] == .number(900))
    // The rings of two states, one of them final, in pixels of the picture.
    let rings = strokes.filter { stroke in
      let bounds = Drawing([stroke]).bounds
      return (bounds?.width ?? 0) > 90 && (bounds?.height ?? 0) > 90
        && stroke.points[0].distance(to: stroke.points.last!) < 8
    }
    let middles = rings.compactMap { Drawing([$0]).bounds?.center.x }.sorted()
    #expect(middles.count == 3)
    for (found, expected) in zip(middles, [230.0, 620, 620]) {
      #expect(abs(found - expected) < 6.0)
    }
    let overlay = try PNG.read(path: "\(folder.path)/overlay.png")
    #expect((overlay.width, overlay.height) == (900, 600))

    let again = try run("trace \(paper) --output ink.ndjson")
    #expect(again.status != 0 && again.errors.contains("--force"))
  }

  @Test func labelledPicturesBecomeADataSet() throws {
    try folder.write("p/state/x.png", "no picture")
    try folder.write("p/state/x.txt", "no picture")
    try folder.write("p/line/y.png", "no picture")
    try FileManager.default.copyItem(atPath: paper, toPath: "\(folder.path)/p/state/a.jpg")
    var result = try run("dataset import --trace p --map state=ring --drop line -o a.ndjson")
    #expect(result.status == 2)
    #expect(result.output == "1 example of 1 label in a.ndjson\n")
    #expect(result.errors.contains("left out: p/state/x.png: expected a PNG or a JPEG"))
    #expect(result.errors.contains("skipped: 1 other file (p/state/x.txt)"))
    let recording = try #require(try InkFile.items(path: "\(folder.path)/a.ndjson").first).result
      .get()
    #expect((recording.label, recording.source) == ("ring", "p"))
    #expect(recording.drawing.strokes.count > 15)
    result = try run("dataset import --trace p/state/x.txt -o b.ndjson")
    #expect(result.status != 0)
    #expect(result.errors.contains("expected pictures (PNG or JPEG), found none"))
  }

  @Test func whatCannotBeTracedIsExplained() throws {
    let white = try PNG.encode(Bitmap(width: 90, height: 80, filledWith: 255))
    try white.write(to: URL(fileURLWithPath: "\(folder.path)/white.png"))
    var result = try run("trace white.png --output white.ndjson")
    #expect(result.status == 0 && result.errors.contains("white.png: there is no ink"))
    let data = try Data(contentsOf: URL(fileURLWithPath: paper))
    try data.prefix(30_000).write(to: URL(fileURLWithPath: "\(folder.path)/cut.jpg"))
    result = try run("trace cut.jpg --output cut.ndjson")
    #expect(
      result.status == 0 && result.errors.contains("cut.jpg: the file is damaged or ends early"))
    try folder.write("text.jpg", "no picture")
    result = try run("trace text.jpg --output text.ndjson")
    #expect(result.status != 0)
    #expect(result.errors.contains("text.jpg: expected a PNG or a JPEG, found something else"))
    try folder.write("a.gif", "GIF89a")
    result = try run("trace a.gif --output a.ndjson")
    #expect(result.status != 0)
    #expect(result.errors.contains("a.gif: expected a PNG or a JPEG, found a GIF"))
    result = try run("automaton recognize a.gif")
    #expect(result.status == 2)
    #expect(result.errors.contains("expected ink, a PNG or a JPEG, found a GIF; save it as"))
    result = try run("trace \(paper) --output a.ndjson --overlay a.jpg")
    #expect(result.errors.contains("--overlay: expected a name that ends in .png"))
    var random = SeededGenerator(seed: 5)
    let noise = (0..<1_500 * 1_500).map { _ in random.next() & 3 == 0 ? 0 : 255 as UInt8 }
    try PNG.encode(Bitmap(width: 1_500, height: 1_500, pixels: noise))
      .write(to: URL(fileURLWithPath: "\(folder.path)/noise.png"))
    result = try run("trace noise.png --output noise.ndjson")
    #expect(result.status != 0, "\(result.errors)")
    #expect(result.errors.contains("noise.png: expected a drawing, found"))
  }

  @Test func picturesThatCannotBeReadAreNotRight() throws {
    let drawing = paper.replacing("Pictures/paper.jpg", with: "Drawings/mod3.ndjson")
    #expect(try run("dataset photograph \(drawing) -o photographs").status == 0)
    try Data([0xFF, 0xD8, 0xFF]).write(
      to: URL(fileURLWithPath: "\(folder.path)/photographs/pictures/00001.jpg"))
    let result = try run(
      "automaton recognize photographs/pictures --truth photographs/truth.ndjson")
    #expect(
      result.status == 2 && result.errors.contains("not read: photographs/pictures/00001.jpg"))
    #expect(result.output.hasPrefix("exactly right: 0 of 1 "), "\(result.output)")
  }

  @Test func automataAreRecognizedInPhotographs() throws {
    var result = try run("automaton recognize \(paper) --output a.automaton")
    #expect(result.status == 0)
    #expect(result.output.contains("2 states, 4 transitions"))
    // An initial and a final state, an arrow each way, and a loop on each.
    let states = try run("automaton convert a.automaton --to table").output
    #expect(states.components(separatedBy: "\n").count { $0.hasPrefix("→ ") } == 1)
    #expect(states.components(separatedBy: "\n").count { $0.hasPrefix("* ") } == 1)
    try folder.write("text.jpg", "no picture")
    for (arguments, message) in [
      ("recognize \(paper) --output a.jff", "would not be a JFLAP file"),
      ("recognize \(paper) --output b --svg b", "name the same file"),
      ("recognize \(paper) --output b.pdf", "would be a document and no picture"),
      ("recognize \(paper) \(paper) --output b", "expected one drawing, found 2 files"),
      ("recognize \(paper) --alphabet a…", "--alphabet: expected"),
      ("grade a.automaton nobody", "nobody: expected a submission, or a folder of them"),
    ] {
      result = try run("automaton \(arguments)")
      #expect(result.status != 0 && result.errors.contains(message), "\(result.errors)")
    }
    for output in ["", " --output c.automaton"] {
      result = try run("automaton recognize text.jpg\(output)")
      #expect(result.status == 2 && !result.errors.contains("--output"))
      #expect(result.errors.contains("not read: text.jpg: expected a PNG or a JPEG"))
    }
    result = try inkstate(["automaton", "recognize"], in: folder, prefix: "cat \(paper) |")
    #expect(result.status != 0)
    #expect(result.errors.contains("-: expected NDJSON on standard input, found a picture"))
    // Nothing is written for a drawing that is no automaton.
    try folder.write("line.ndjson", #"{"drawing":[[[0,100],[0,3]]]}"# + "\n")
    result = try run("automaton recognize line.ndjson --output d.automaton")
    #expect(result.status == 2)
    #expect(
      result.errors.contains("not written: line.ndjson:1: expected an automaton, but no ring"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/d.automaton"))
  }
}
