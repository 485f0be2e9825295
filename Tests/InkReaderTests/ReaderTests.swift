import Foundation
import Ink
import InkNetwork
import InkRaster
import InkRecognizer
import Testing

@testable import InkReader

/// The released reader.
@Suite(.timeLimit(.minutes(30))) struct ReaderTests {
  private let reader: Reader

  init() throws { reader = try Reader.released() }

  private static func lines() throws -> [Drawing] {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    var drawings: [Drawing] = []
    try InkFile(path: folder.appendingPathComponent("Examples/Lines/names.ndjson").path).forEach {
      drawings.append(try $0.result.get().drawing)
    }
    return drawings
  }

  @Test func namesAndSymbolsAreRead() throws {
    let lines = try Self.lines()
    let name = try reader.read(lines[0], with: reader.decoder(grammar: .state))
    #expect(name.reading.text == "q0" && name.reading.rejection == nil)
    #expect(name.strokes == [[0, 1], [2]])
    // The last one, drawn first; then joined to one stroke, which nobody can divide.
    let other = Drawing([lines[0].strokes[2], lines[0].strokes[0], lines[0].strokes[1]])
    #expect(try reader.read(other, with: reader.decoder()).strokes == [[1, 2], [0]])
    let joined = Drawing([Stroke(lines[0].strokes.flatMap(\.points))])
    #expect(try reader.read(joined, with: reader.decoder()).strokes == nil)
    let symbols = try reader.read(lines[1], with: reader.decoder(grammar: .symbols))
    #expect(symbols.reading.text == "a,b" && symbols.strokes == [[0, 1], [2], [3]])
  }

  @Test func anyNumberOfCoresReadsTheSame() throws {
    var other = reader
    other.workers = 2
    for line in try Self.lines() {
      let expected = try reader.read(line, with: reader.decoder())
      #expect(try other.read(line, with: reader.decoder()) == expected)
    }
  }

  @Test func theCharactersOfAPictureHaveColumns() throws {
    let lines = try Self.lines()
    for (line, text) in [(lines[0], "q0"), (lines[1], "a,b")] {
      let strip = try LineRasterizer(height: 96, penWidth: 6, minWidth: 96).render(line).bitmap
      let read = try reader.read(strip, with: reader.decoder())
      let columns = try #require(read.columns)
      #expect(read.reading.text == text && read.strokes == nil)
      #expect(columns.count == text.count)
      for (left, right) in zip(columns, columns.dropFirst()) {
        #expect(left.upperBound <= right.lowerBound)
      }
      // All ink is in the columns of a character.
      for column in 0..<strip.width
      where (0..<strip.height).contains(where: { strip[$0, column] > 200 }) {
        #expect(columns.contains { $0.contains(Double(column) + 0.5) })
      }
    }
  }

  @Test func whatFitsNoGrammarIsRejected() throws {
    let line = try Self.lines()[1]
    let reading = try reader.read(line, with: reader.decoder(grammar: .number)).reading
    #expect(reading.rejection == .unreadable || reading.rejection == .outsideGrammar)
  }

  @Test func aLineIsReadWhereverAndHoweverLargeItIs() throws {
    let line = try Self.lines()[0]
    let decoder = reader.decoder()
    let known = try reader.read(line, with: decoder).reading
    for (scale, shift) in [(0.2, 0.0), (12, -4000), (1, 1e5)] {
      let moved = Drawing(
        line.strokes.map { stroke in
          Stroke(stroke.points.map { Point(scale * $0.x + shift, scale * $0.y - shift) })
        })
      let reading = try reader.read(moved, with: decoder).reading
      #expect(reading.text == known.text)
      #expect(abs(reading.probability - known.probability) < 0.02)
    }
  }

  @Test func theRowsOfAPageAreReadAsByThemselves() throws {
    let name = try Self.lines()[0]
    let width = try #require(name.bounds).width
    let words = Drawing(
      (0..<3).flatMap { number in
        name.transformed(by: .translation(x: 3 * width * Double(number), y: 0)).strokes
      })
    // A page of more than 192 rows is made smaller before its lines are found.
    let strip = try LineRasterizer(height: 48, penWidth: 3).render(words).bitmap
    let page = Bitmap(
      width: strip.width, height: 7 * strip.height,
      pixels: (0..<7).flatMap { row in
        row.isMultiple(of: 2) ? [UInt8](repeating: 0, count: strip.pixels.count) : strip.pixels
      })
    let decoder = reader.decoder()
    func texts(_ lines: [[Reader.Line]]) -> [[String]] { lines.map { $0.map(\.reading.text) } }
    let row = texts(try reader.readPage(strip, with: decoder))
    #expect(row == [["q0", "q0", "q0"]])
    let lines = try reader.readPage(page, with: decoder)
    #expect(texts(lines) == Array(repeating: row[0], count: 3))
    let lefts = try lines[0].map { try #require($0.columns)[0].lowerBound }
    #expect(lefts[0] < 10 && lefts[1] > lefts[0] + 20 && lefts[2] > lefts[1] + 20)
  }

  @Test func whatIsBlankBesideAWordIsNoWord() {
    func line(_ text: String) -> Reader.Line {
      Reader.Line(
        reading: Reading(
          candidates: [.init(text: text, probability: 0.9)], evidence: -0.1, noWriting: 0,
          rejection: text.isEmpty ? .empty : nil))
    }
    func texts(_ words: String...) -> [String] {
      Reader.withoutBlanks(words.map(line)).map(\.reading.text)
    }
    #expect(texts("", "q0", "", "q1") == ["q0", "q1"])
    #expect(texts("", "") == [""])
  }

  @Test func aPictureOfALineIsReadAsTheLine() throws {
    let line = try Self.lines()[0]
    let strip = try LineRasterizer(height: 64, penWidth: 4).render(line).bitmap
    let decoder = reader.decoder(grammar: .state, vocabulary: ["q0", "q1"])
    #expect(try reader.read(strip, with: decoder).reading.text == "q0")
    #expect(try reader.read(strip.inverted(), with: decoder).reading.text == "q0")
  }

  @Test func onlyADoubtfulLineIsReadInSeveralViews() throws {
    let lines = try Self.lines()
    let decoder = reader.decoder()
    var all = decoder
    all.options.maximumCandidates = 16
    func readings(of input: RecognitionInput, in views: [LineView]) throws -> [Reading] {
      try views.map {
        reader.reading(
          of: try reader.logits(of: input, view: $0), with: all,
          temperature: reader.model.decision.temperature)
      }
    }
    // A ring is an o, an O or a 0.
    let ring = Drawing([lines[0].strokes[2]])
    let strip = try LineRasterizer(height: 64, penWidth: 4).render(ring).bitmap
    for (input, read) in [
      (RecognitionInput.drawing(ring), try reader.read(ring, with: decoder).reading),
      (.bitmap(strip), try reader.read(strip, with: decoder).reading),
    ] {
      let views = try readings(of: input, in: [.plain] + Reader.otherViews)
      #expect(views.count == 5 && Set(views.map(\.probability)).count == 5)
      #expect(read.candidates.count == 5)
      for candidate in read.candidates {
        let sum = views.reduce(0) { sum, view in
          sum + (view.candidates.first { $0.text == candidate.text }?.probability ?? 0)
        }
        #expect(abs(candidate.probability - sum / 5) < 1e-9)
      }
    }
    let clear = try readings(of: .drawing(lines[1]), in: [.plain])[0]
    #expect(try reader.read(lines[1], with: decoder).reading.probability == clear.probability)
  }

  @Test func viewsAreWeighedAlikeAndTheLimitsHoldForTheirMeans() {
    func reading(_ texts: [(String, Double)], _ evidence: Double, noWriting: Double) -> Reading {
      Reading(
        candidates: texts.map { .init(text: $0.0, probability: $0.1) }, evidence: evidence,
        noWriting: noWriting, rejection: nil)
    }
    let nothing = reading([], -.infinity, noWriting: 0)
    let blank = reading([("", 0.6)], -0.5, noWriting: 0)
    let views = [
      reading([("a", 0.6), ("b", 0.3)], -1, noWriting: 0),
      reading([("b", 0.9)], -3, noWriting: 0.3), nothing, blank,
    ]
    var decoder = reader.decoderWithoutLimits()
    let mean = Reading(views: views, with: decoder)
    #expect(mean.candidates.map(\.text) == ["b", "", "a"] && mean.rejection == nil)
    #expect(abs(mean.probability - 0.3) < 1e-9 && abs(mean.noWriting - 0.075) < 1e-9)
    // Views without a text say nothing of how well it fits.
    #expect(mean.evidence == -2)
    #expect(Reading(views: [nothing, nothing], with: decoder).rejection == .outsideGrammar)
    decoder.options.minimumProbability = 0.31
    #expect(Reading(views: views, with: decoder).rejection == .ambiguous)
    decoder.options.minimumEvidence = -1.9
    #expect(Reading(views: views, with: decoder).rejection == .unreadable)
    decoder.options.maximumNoWriting = 0.07
    #expect(Reading(views: views, with: decoder).rejection == .notWriting)
  }

  @Test func whatIsNoWritingIsRejectedOrRead() throws {
    let decoder = reader.decoder()
    #expect(try reader.read(Drawing([]), with: decoder).reading.rejection == .empty)
    #expect(try reader.read(Bitmap(width: 1, height: 1), with: decoder).reading.rejection == .empty)
    let dot = Drawing([Stroke([Point(3, 4)])])
    #expect(try reader.read(dot, with: decoder).reading.text.count <= 1)
    let scribble = Drawing([
      Stroke((0..<100_000).map { Point(50 * sin(Double($0)), 50 * cos(1.7 * Double($0))) })
    ])
    #expect(try reader.read(scribble, with: decoder).reading.probability <= 1)
    #expect {
      try reader.read(Drawing([Stroke([Point(.nan, 0)])]), with: decoder)
    } throws: {
      guard case .raster(.notFinite(stroke: 1, point: 1, _, _))? = $0 as? PreparationError else {
        return false
      }
      return true
    }
  }

  @Test func modelsThatClassifyAreRefused() throws {
    #expect {
      try Reader(modelPath: Recognizer.releasedModelPath)
    } throws: {
      "\($0)".hasSuffix("the model does not read lines of writing")
    }
    #expect {
      _ = try Recognizer(
        modelPath: ModuleResources(module: "InkReader").path(of: "reader.safetensors"))
    } throws: {
      "\($0)".hasSuffix("the model reads text and does not classify")
    }
  }
}
