import Foundation
import InkImageIO
import InkRaster
import Testing
import TestSupport

/// `inkstate read`, and the training of a reader.
@Suite(.timeLimit(.minutes(5))) struct ReadCommandTests {
  private let folder: TemporaryFolder
  private let names: String

  init() throws {
    folder = try TemporaryFolder()
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    names = root.appendingPathComponent("Examples/Lines/names.ndjson").path
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
    for alternative in answer["alternatives"] as? [[Any]] ?? [] {
      #expect(alternative.count == 2 && alternative[0] is String && alternative[1] is Double)
    }
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
    var strip = Bitmap(width: 12_000, height: 24)
    for column in 0..<12_000 where column % 24 < 16 {
      for row in 4..<20 where (row + column) % 9 < 3 { strip[row, column] = 255 }
    }
    try folder.write("long.png", PNG.encode(strip))
    let result = try run("read long.png \(names)")
    #expect(result.status == 2 && result.errors.hasPrefix("not read: long.png: "))
    #expect(result.output.components(separatedBy: "\n").count == 3)
  }

  /// Lines of drawn digits are learnt from the command on, and the model is used.
  @Test func aReaderIsTrained() throws {
    try folder.write("lines.ndjson", Self.lines(200))
    var result = try run(
      "train lines.ndjson --validation-share 0.2 --architecture reader --epochs 1 -o r.safetensors")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("examples of 01, "))
    #expect(result.errors.contains("augmentation line"))
    #expect(result.errors.contains("character errors"))
    #expect(result.output == "r.safetensors: 01\n")
    result = try run("read --model r.safetensors \(names)")
    #expect(result.status == 0 && result.output.components(separatedBy: "\n").count == 3)
    result = try run("classify --model r.safetensors \(names)")
    #expect(result.errors.contains("the model reads text and does not classify"))
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
