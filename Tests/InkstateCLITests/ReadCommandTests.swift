import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkImageIO
import InkRaster
import InkReader
import InkRecognizer
import Testing
import TestSupport

/// `inkstate read`, and the training of a reader.
@Suite(.timeLimit(.minutes(30))) struct ReadCommandTests {
  private let folder: TemporaryFolder
  private let names: String
  private let reader: String

  init() throws {
    folder = try TemporaryFolder()
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    names = root.appendingPathComponent("Examples/Lines/names.ndjson").path
    reader = root.appendingPathComponent("models/reader.safetensors").path
  }

  private func run(_ words: String, input: String = "") throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder, input: input)
  }

  @Test func linesAreReadFromFilesAndStandardInput() throws {
    var result = try run("read --grammar state \(names)")
    var lines = result.output.components(separatedBy: "\n")
    #expect(lines[0].hasPrefix("\(names):1: `q0` ") && lines.count == 3)
    #expect(result.status == 0 && result.errors.isEmpty)

    let text = try String(contentsOfFile: names, encoding: .utf8)
    result = try run("read --grammar symbols --json", input: text)
    lines = result.output.components(separatedBy: "\n")
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
    #expect(answer["source"] as? String == "-:2" && answer["text"] as? String == "a,b")
    #expect(answer["rejected"] is NSNull)
    #expect((answer["probability"] as? Double).map { (0...1).contains($0) } == true)
    #expect(answer["strokes"] as? [[Int]] == [[0, 1], [2], [3]])
    for alternative in answer["alternatives"] as? [[Any]] ?? [] {
      #expect(alternative.count == 2 && alternative[0] is String && alternative[1] is Double)
    }
  }

  /// Both names of the example, one below the other, as strokes and as a picture.
  @Test func pagesOfSeveralLinesAreReadLineByLine() throws {
    let drawings = try InkFile.items(path: names).map { try $0.result.get().drawing }
    let below = drawings[0].bounds!.maxY + 60 - drawings[1].bounds!.minY
    let page = Drawing(
      drawings[0].strokes
        + drawings[1].strokes.map { Stroke($0.points.map { Point($0.x, $0.y + below) }) })
    _ = try folder.write("page.ndjson", NDJSON.line(Recording(page), at: Place(file: "page")))
    var result = try run("read page.ndjson")
    var lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && result.status == 0)
    #expect(lines[0].hasPrefix("page.ndjson:1, line 1: `q0` "))
    #expect(lines[1].hasPrefix("page.ndjson:1, line 2: `a,b` "))
    result = try run("read page.ndjson --json --grammar symbols")
    lines = result.output.split(separator: "\n")
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
    #expect(answer["line"] as? Int == 2)
    #expect(answer["strokes"] as? [[Int]] == [[3, 4], [5], [6]])
  }

  @Test func vocabulariesAndMistakesAreExplained() throws {
    try folder.write("words.txt", "q0\nq€\r\n\n")
    var result = try run("read --vocabulary words.txt --grammar state \(names)")
    #expect(result.status == 0 && result.output.contains("`q0`"))
    #expect(
      result.errors.contains(
        "1 word of words.txt has characters that the model does not know and cannot be read, such as `q€`"
      ))
    try folder.write("empty.ndjson", #"{"word":"a","drawing":[]}"# + "\nnonsense\n")
    result = try run("read empty.ndjson none.ndjson")
    #expect(result.status == 2 && result.errors.contains("none.ndjson"))
    #expect(result.output == "empty.ndjson:1: rejected (nothing is written)\n")
    result = try run("read --vocabulary none.txt \(names)")
    #expect(result.status != 0 && result.errors.contains("none.txt"))
    result = try run("read --model none.safetensors \(names)")
    #expect(result.status != 0 && result.errors.contains("none.safetensors"))
  }

  @Test func aStripThatIsTooLongDoesNotEndTheCommand() throws {
    var strip = Bitmap(width: 20_000, height: 24)
    for column in 0..<20_000 where column % 24 < 16 {
      for row in 4..<20 where (row + column) % 9 < 3 { strip[row, column] = 255 }
    }
    try folder.write("long.png", PNG.encode(strip))
    try folder.write("point.png", PNG.encode(Bitmap(width: 1, height: 1)))
    let result = try run("read --json long.png point.png \(names)")
    #expect(result.status == 2 && result.errors.hasPrefix("not read: long.png: "))
    let lines = result.output.components(separatedBy: "\n")
    #expect(lines.count == 4)
    #expect(
      lines[0].contains(#""columns":[],"probability":1,"rejected":"empty","source":"point.png""#))
  }

  /// Lines of drawn digits are learnt from the command on, and the model is used.
  @Test func aReaderIsTrained() throws {
    let zigzag =
      #"{"word":"\#u{FFFD}","writer":"w1","drawing":[[[0,9,18,27,36,45],[0,30,0,30,0,30]]]}"#
    try folder.write(
      "lines.ndjson",
      Self.lines(200) + String(repeating: "\n" + zigzag, count: 9))
    var result = try run(
      "train lines.ndjson --validation-share 0.2 --architecture reader --epochs 1 -o r.safetensors")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("examples of 01\u{FFFD}, "))
    #expect(result.errors.contains("word errors"))
    #expect(result.errors.contains("augmentation line"))
    #expect(result.errors.contains("character errors"))
    #expect(result.output == "r.safetensors: 01\u{FFFD}\n")
    result = try run("read --model r.safetensors \(names)")
    #expect(result.status == 0 && result.output.components(separatedBy: "\n").count == 3)
    result = try run("classify --model r.safetensors \(names)")
    #expect(result.errors.contains("the model reads text and does not classify"))

    // It is calibrated, evaluated and trained further.
    result = try run("calibrate r.safetensors lines.ndjson -o c.safetensors")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("no writing, rejected ") && result.output.contains("of 9\n"))
    #expect(
      try Model.read(path: "\(folder.path)/c.safetensors").decision.reading != nil)
    result = try run(
      "evaluate lines.ndjson --model c.safetensors --by length,writer --grammar number --json "
        + "--html e.html --errors e.png")
    #expect(result.status == 0, "\(result.errors)")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(report["grammar"] as? String == "number")
    let evaluation = try #require(report["evaluation"] as? [String: Any])
    #expect((evaluation["right"] as? [String: Any])?["total"] as? Int == 200)
    #expect((report["breakdowns"] as? [Any])?.count == 2)
    #expect(try PNG.read(path: "\(folder.path)/e.png").height > 60)
    result = try run("train lines.ndjson --from c.safetensors --epochs 1 -o f.safetensors")
    #expect(result.output == "f.safetensors: 01\u{FFFD}\n", "\(result.errors)")
    for (command, message) in [
      (
        "evaluate lines.ndjson --model c.safetensors --by angle", "`angle` needs a model that class"
      ),
      ("evaluate lines.ndjson --model c.safetensors --disturb 1", "--disturb needs a model that"),
      ("evaluate \(names) --grammar state", "--grammar and --vocabulary need a model that reads"),
      ("evaluate \(names) --by length", "--by: `length` needs a model that reads text"),
      ("calibrate c.safetensors lines.ndjson --except 0=0.1 -o d.safetensors", "--except needs a"),
      ("cross-validate lines.ndjson --architecture reader", "then use `train` and `evaluate`"),
      (
        "train --from c.safetensors --adapt lines.ndjson -o d.safetensors", "synthesised for a read"
      ),
    ] {
      result = try run(command)
      #expect(result.status != 0 && result.errors.contains(message), "\(result.errors)")
    }
  }

  /// A person's digits, four of which are mirrored, are learnt from a few lines, and the others are not lost.
  @Test func aReaderIsAdaptedToAHand() throws {
    func lines(seed: UInt64, writers: Int, perWriter: Int, isOdd: Bool) throws -> Dataset {
      let digits = Synthesizer(seed: seed, repertoire: .digits).recordings(
        writers: writers, perClass: 4)
      let dataset = LineComposer(seed: seed).compose(
        from: Dataset(
          digits.map { recording in
            var recording = recording
            if isOdd, "2467".contains(recording.label!) {
              recording.drawing = recording.drawing.transformed(by: .scale(x: -1, y: 1))
            }
            return Example(recording, label: recording.label!, origin: "digit")
          }), perWriter: perWriter)
      return Dataset(dataset.examples.filter { $0.kind == "composed number" })
    }
    func write(_ dataset: Dataset, _ name: String) throws {
      try DatasetFormat.ndjson.write(dataset, rasterizer: .standard, to: "\(folder.path)/\(name)")
    }
    let others = try lines(seed: 3, writers: 12, perWriter: 10, isOdd: false)
    try write(others, "others.ndjson")
    try write(lines(seed: 1, writers: 1, perWriter: 30, isOdd: true), "own.ndjson")
    let result = try run(
      "train others.ndjson --from \(reader) --adapt own.ndjson --epochs 16 -o own.safetensors")
    #expect(result.status == 0, "\(result.errors)")
    let before = try Reader.released()
    let after = try Reader(modelPath: "\(folder.path)/own.safetensors")
    #expect(after.alphabet == before.alphabet)
    func right(_ reader: Reader, _ dataset: Dataset) throws -> Double {
      try ReadingEvaluation.of(reader, on: dataset, with: reader.decoder(), workers: 2)
        .evaluation.right.value
    }
    // New lines of the person and of other people.
    let odd = try Dataset(
      lines(seed: 1, writers: 1, perWriter: 80, isOdd: true).examples.suffix(50))
    let usual = try lines(seed: 9, writers: 10, perWriter: 5, isOdd: false)
    let (was, has) = (try right(before, odd), try right(after, odd))
    #expect(has > was + 0.2 && has > 0.5, "\(was) \(has)")
    let (wasUsual, hasUsual) = (try right(before, usual), try right(after, usual))
    #expect(hasUsual >= wasUsual - 0.05, "\(wasUsual) \(hasUsual)")
  }

  /// Lines of rings and strokes by ten writers.
  private static func lines(_ count: Int) -> String {
    (0..<count).map { index in
      let text = String(String(index % 32, radix: 2).prefix(4))
      let strokes = text.enumerated().map { place, character -> String in
        let points = (0...12).map { step -> (Int, Int) in
          let angle = Double(step) / 2
          let x = 60 * place + (character == "0" ? Int(20 * cos(angle)) : step / 6)
          return (x + index % 3, character == "0" ? Int(30 * sin(angle)) : 5 * step - 30)
        }
        return "[\(points.map(\.0)),\(points.map(\.1))]"
      }
      return
        #"{"word":"\#(text)","writer":"w\#(index % 10)","drawing":[\#(strokes.joined(separator: ","))]}"#
    }.joined(separator: "\n")
  }
}
