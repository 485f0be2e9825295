import Foundation
import Ink
import SeededRandom
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct InkFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func recordings(_ name: String, _ text: String) throws -> [Recording] {
    try InkFile.items(path: folder.write(name, text)).map { try $0.result.get() }
  }

  /// The only error of a file, whether it concerns the file or an item.
  private func error(_ text: String) throws -> String {
    do {
      for item in try InkFile.items(path: folder.write("bad", text)) {
        if case .failure(let error) = item.result {
          return error.description.replacing("\(folder.path)/", with: "")
        }
      }
      return "no error"
    } catch let error as InkError {
      return error.description.replacing("\(folder.path)/", with: "")
    }
  }

  // MARK: NDJSON

  @Test(arguments: 0..<200) func whatIsWrittenIsReadBack(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let recording = randomRecording(using: &generator)
    let line = try NDJSON.line(recording, at: Place(file: "test"))
    #expect(!line.contains(UInt8(ascii: "\n")))
    let item = NDJSON.item(line, at: Place(file: "test", line: 1))
    #expect(try item?.result.get() == recording)
  }

  /// An attribute can be called as one of the format's own keys.
  @Test(arguments: ["word", "writer", "device", "source", "drawing", "attributes", "id"])
  func attributesOfAnyNameAreReadBack(name: String) throws {
    let list = JSONValue.list([.text("1"), .number(1), .object(["a": .bool(false)])])
    for attribute in [
      JSONValue.text("x"), .number(2), .bool(true), list, .object(["b": list]),
    ] {
      let ink = Drawing([Stroke([Point(1, 2)])])
      for recording in [
        Recording(ink, attributes: [name: attribute, "other": .text("y")]),
        Recording(
          ink, label: "a", writer: "b", device: "c", source: "d", attributes: [name: attribute]),
      ] {
        let line = try NDJSON.line(recording, at: Place(file: "test"))
        let item = NDJSON.item(line, at: Place(file: "test", line: 1))
        #expect(try item?.result.get() == recording)
      }
    }
    // What other programs wrote under that key was no object.
    let old = #"{"attributes":"tall","drawing":[]}"#
    #expect(try recordings("old.ndjson", old)[0].attributes == ["attributes": .text("tall")])
  }

  @Test func quickDrawIsReadRawAndSimplified() throws {
    let raw = """
      {"word":"circle","recognized":true,"key_id":"5","drawing":[[[1,2.5],[3,4],[0,93]],[[7],[8],[200]]]}

      {"word":"line","drawing":[[[0,255],[10,20]]]}
      """
    let read = try recordings("a.txt", raw)
    #expect(read.count == 2)
    #expect(read[0].label == "circle")
    #expect(read[0].attributes == ["recognized": .bool(true), "key_id": .text("5")])
    #expect(
      read[0].drawing.strokes == [
        Stroke([Point(1, 3, time: 0), Point(2.5, 4, time: 93)]), Stroke([Point(7, 8, time: 200)]),
      ])
    #expect(read[1].drawing.strokes == [Stroke([Point(0, 10), Point(255, 20)])])
  }

  @Test(arguments: [
    (#"{"word":"a"}"#, "bad, line 1: expected the key `drawing`, found none such"),
    (
      #"{"drawing":[[[1,2],[3]]]}"#,
      "bad, line 1, stroke 1: expected as many y values as x values, 2, found 1"
    ),
    (
      #"{"drawing":[[[1],[3]],[[1],[3],[4,5]]]}"#,
      "bad, line 1, stroke 2: expected as many time values as x values, 1, found 2"
    ),
    (
      #"{"drawing":[[[1]]]}"#,
      "bad, line 1, stroke 1: expected 2 to 4 lists (x, y, time, pressure), found 1"
    ),
    (
      #"{"drawing":[[[1,null],[3,4]]]}"#,
      "bad, line 1, stroke 1, point 2: expected two finite coordinates, found null"
    ),
    (
      #"{"drawing":[[[1,"2"],[3,4]]]}"#,
      "bad, line 1, stroke 1, point 2: expected a number in `drawing`, found a value of another kind"
    ),
    (
      #"{"drawing":[[[1],[2],[3],[1.5]]]}"#,
      "bad, line 1, stroke 1, point 1: expected a pressure from 0 to 1, found 1.5"
    ),
    (
      #"{"drawing":[[[1e999],[2]]]}"#,
      "bad, line 1: expected a complete JSON object with numbers that fit, "
        + "found something else in the line"
    ),
    (
      #"{"drawing":[[[NaN],[2]]]}"#,
      "bad, line 1: expected a complete JSON object with numbers that fit, "
        + "found something else in the line"
    ),
    (
      #"{"drawing":"#,
      "bad, line 1: expected a complete JSON object with numbers that fit, "
        + "found something else in the line"
    ),
    (
      #"{"word":7,"drawing":[]}"#,
      "bad, line 1: expected a text in `word`, found a value of another kind"
    ),
  ])
  func malformedLinesNameThePlace(text: String, expected: String) throws {
    let found = try error(text)
    // Foundation words a number that does not fit in more than one way.
    #expect(found == expected || (text.contains("1e999") && found.hasPrefix("bad, line 1")))
  }

  @Test func aBadLineTakesNoGoodOneWithIt() throws {
    let path = try folder.write(
      "mixed.ndjson", "{\"drawing\":[]}\n{oops\n{\"drawing\":[[[1],[2]]]}\n")
    let items = try InkFile.items(path: path)
    #expect(items.count == 3)
    #expect(items.map(\.place.line) == [1, 2, 3])
    #expect((try? items[1].result.get()) == nil)
    #expect(try items[2].result.get().drawing.pointCount == 1)
  }

  @Test func aLineThatIsTooLongIsNamedAndTheNextIsRead() throws {
    let long = "{\"drawing\":[[[" + String(repeating: "1,", count: 20_000_000)
    let path = try folder.write("long.ndjson", "\(long)\n{\"drawing\":[[[1],[2]]]}")
    let items = try InkFile.items(path: path)
    #expect(items.count == 2)
    guard case .failure(let error) = items[0].result else {
      Issue.record("a line of 40 MB was read")
      return
    }
    #expect(error.expected == "a line of at most 32 MiB")
    #expect(try items[1].result.get().drawing.pointCount == 1)
  }

  @Test func notFiniteIsNotWritten() {
    let recording = Recording(Drawing([Stroke([Point(1, 2), Point(.nan, 0)])]))
    #expect(throws: InkError.self) { try NDJSON.line(recording, at: Place(file: "a", line: 7)) }
  }

  // MARK: Gesture XML

  @Test func oneStrokeGesturesAreRead() throws {
    let read = try recordings(
      "circle",
      """
      \u{FEFF}<?xml version="1.0" encoding="utf-8"?>
      <Gesture Name="circle03" Subject="2" Speed="slow"><Point X="102" Y="162" T="10128229"/>
      <Point X="98" Y="161" T="10128234"/></Gesture>
      """)
    #expect(read.count == 1)
    #expect(read[0].label == "circle" && read[0].writer == "2")
    #expect(read[0].attributes == ["speed": .text("slow")])
    #expect(
      read[0].drawing
        == Drawing([Stroke([Point(102, 162, time: 10_128_229), Point(98, 161, time: 10_128_234)])]))
  }

  @Test func multistrokeGesturesAreRead() throws {
    let read = try recordings(
      "null.xml",
      """
      <!-- a comment first --><Gesture Name="five_point_star~10" Subject="66" InputType="finger">
      <Stroke index="1"><Point X="1" Y="2" T="3" Pressure="255"/></Stroke>
      <Stroke index="2"><Point X="4" Y="5" T="6" Pressure="0"/></Stroke></Gesture>
      """)
    #expect(read[0].label == "five_point_star" && read[0].device == "finger")
    #expect(
      read[0].drawing.strokes == [
        Stroke([Point(1, 2, time: 3, pressure: 1)]), Stroke([Point(4, 5, time: 6, pressure: 0)]),
      ])
  }

  @Test(arguments: [
    ("<Gesture Name=\"a\"></Gesture>", "bad, line 1: expected points, found none"),
    (
      "<Gesture><Point X=\"1\"/></Gesture>",
      "bad, line 1, stroke 1, point 1: expected X and Y, found one of them missing"
    ),
    (
      "<Gesture><Point X=\"1\" Y=\"2\"/>\n<Point X=\"nan\" Y=\"2\"/></Gesture>",
      "bad, line 2, stroke 1, point 2: expected a finite number as X, found `nan`"
    ),
    (
      "<Gesture><Point X=\"1\" Y=\"2\" Pressure=\"256\"/></Gesture>",
      "bad, line 1, stroke 1, point 1: expected a Pressure from 0 to 255, found 256.0"
    ),
    (
      "<Gesture><Point X=\"1\" Y=\"1e999\"/></Gesture>",
      "bad, line 1, stroke 1, point 1: expected a finite number as Y, found `1e999`"
    ),
    (
      "<Gesture><Point",
      "bad, line 1: expected well-formed XML, found the end of the file in <Point"
    ),
  ])
  func malformedGesturesNameThePlace(text: String, expected: String) throws {
    #expect(try error(text) == expected)
  }

  // MARK: InkML

  @Test func channelsComeInTheOrderThatTheFormatDeclares() throws {
    let read = try recordings(
      "a.inkml",
      """
      <?xml version="1.0"?><i:ink xmlns:i="http://www.w3.org/2003/InkML">
      <i:annotation type="writer">w7</i:annotation>
      <i:traceFormat><i:channel name="T" units="s"/><i:channel name="Y"/><i:channel name="X"/>
      <i:channel name="F" max="200"/></i:traceFormat>
      <i:trace>0.5 20 10 100, 1 40 30 200</i:trace></i:ink>
      """)
    #expect(read.count == 1)
    #expect(read[0].writer == "w7" && read[0].label == nil)
    #expect(
      read[0].drawing
        == Drawing([
          Stroke([
            Point(10, 20, time: 500, pressure: 0.5), Point(30, 40, time: 1000, pressure: 1),
          ])
        ]))
  }

  @Test func innermostGroupsWithATruthAreRecordings() throws {
    // The layout of the CTU finite-automata database: views below labelled groups.
    let read = try recordings(
      "fa.inkml",
      """
      <ink xmlns="http://www.w3.org/2003/InkML"><traceFormat><channel name="X"/>
      <channel name="Y"/></traceFormat>
      <trace id="0">0 0, 1 1</trace><trace xml:id="t1">5 5</trace><trace id="2">6 6</trace>
      <trace id="3">9 9</trace>
      <traceGroup><annotation type="truth">Automaton</annotation>
      <traceGroup><annotation type="truth"> State </annotation><traceView traceDataRef="0"/>
      </traceGroup><traceGroup><annotation type="truth">Arrow</annotation>
      <traceView traceDataRef="#t1"/><traceView traceDataRef="2"/></traceGroup></traceGroup></ink>
      """)
    #expect(read.map(\.label) == ["State", "Arrow", nil])
    #expect(read[1].drawing.strokes == [Stroke([Point(5, 5)]), Stroke([Point(6, 6)])])
    #expect(read[2].drawing.strokes == [Stroke([Point(9, 9)])])
  }

  @Test(arguments: [
    ("10 20, 11 22", [Point(10, 20), Point(11, 22)]),
    // Differences, and differences of differences (InkML, section 3.2.1).
    ("!10 !20, '1 '2, 3 4", [Point(10, 20), Point(11, 22), Point(14, 26)]),
    (
      "1125 18432,'23'43,\"7\"-8,3-5,7 -3,6 2",
      [
        Point(1125, 18432), Point(1148, 18475), Point(1178, 18510), Point(1211, 18540),
        Point(1251, 18567), Point(1297, 18596),
      ]
    ),
    ("10-5, 3+2", [Point(10, -5), Point(3, 2)]),
    ("1.5e1 -2E0", [Point(15, -2)]),
    ("#A #1F, * 3", [Point(10, 31), Point(10, 3)]),
  ])
  func tracesAreDecoded(text: String, points: [Point]) throws {
    let read = try recordings("t.inkml", "<ink><trace>\(text)</trace></ink>")
    #expect(read[0].drawing.strokes == [Stroke(points)])
  }

  @Test(arguments: [
    (
      "<ink><trace>1 2, 3</trace></ink>",
      "bad, line 1, stroke 1, point 2: expected 2 values, found 1 in ` 3`"
    ),
    (
      "<ink><trace>1 x</trace></ink>",
      "bad, line 1, stroke 1, point 1: expected a finite number, found `x`"
    ),
    (
      "<ink><traceFormat><channel name=\"X\"/></traceFormat></ink>",
      "bad, line 1: expected a channel Y, found none"
    ),
    (
      "<ink><traceGroup><annotation type=\"truth\">a</annotation>\n<traceView traceDataRef=\"9\"/></traceGroup></ink>",
      "bad, line 2: expected the id of a trace as traceDataRef, found `9`"
    ),
    (
      "<ink><traceGroup id=\"g\"><annotation type=\"truth\">a</annotation><traceView traceDataRef=\"g\"/></traceGroup></ink>",
      "bad, line 1: expected references without cycles, found a cycle"
    ),
    (
      "<!DOCTYPE ink [<!ENTITY a \"1 2\">]><ink><trace>&a;</trace></ink>",
      "bad, line 1: expected no entity declarations, found one"
    ),
    (
      "<ink><trace contextRef=\"#none\">1 2</trace></ink>",
      "bad, line 1: expected an id as contextRef, found `#none`"
    ),
    ("<html></html>", "bad: expected ink: \(InkFile.formatNames), found something else"),
    ("", "bad: expected ink: \(InkFile.formatNames), found an empty file"),
  ])
  func malformedInkMLNamesThePlace(text: String, expected: String) throws {
    #expect(try error(text) == expected)
  }

  @Test func bytesThatAreNoTextAreRefusedBeforeTheParserSeesThem() throws {
    // In a name they would end the program.
    let data = Data("<Gesture Name=\"a\">\n<Poi".utf8) + [0xFD] + Data("t/></Gesture>".utf8)
    let path = try folder.write("bad.xml", data)
    #expect { try InkFile.items(path: path).forEach { _ = try $0.result.get() } } throws: {
      "\($0)".hasSuffix("bad.xml, line 2: expected text in UTF-8, found other bytes")
    }
    let latin =
      Data("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><Gesture Name=\"".utf8) + [0xE4]
    let declared = try folder.write(
      "latin.xml", latin + Data("\"><Point X=\"1\" Y=\"2\"/></Gesture>".utf8))
    #expect(try InkFile.items(path: declared)[0].result.get().label == "ä")
  }

  @Test func aMalformedFirstLineDoesNotHideTheOthers() throws {
    let path = try folder.write(
      "ink.ndjson", "nonsense\n{\"word\":\"a\",\"drawing\":[[[1],[2]]]}\n")
    let items = try InkFile.items(path: path)
    #expect(items.count == 2)
    #expect(throws: InkError.self) { try items[0].result.get() }
    #expect(try items[1].result.get().label == "a")
  }

  @Test(arguments: [
    // The trace's own context, that of a group around it, one whose source has the format.
    ("<context id=\"c\">FORMAT</context>", "", "contextRef=\"#c\""),
    ("<context id=\"c\">FORMAT</context>", "contextRef=\"#c\"", ""),
    ("<context id=\"c\"><inkSource>FORMAT</inkSource></context>", "contextRef=\"#c\"", ""),
    (
      "<inkSource id=\"s\">FORMAT</inkSource><context id=\"c\" inkSourceRef=\"#s\"/>", "",
      "contextRef=\"#c\""
    ),
  ])
  func contextsAreFoundWhereTheyAre(context: String, group: String, trace: String) throws {
    let format =
      "<traceFormat><channel name=\"Y\"/><channel name=\"X\"/></traceFormat>"
    let read = try recordings(
      "c.inkml",
      """
      <ink><traceFormat><channel name="X"/><channel name="Y"/></traceFormat>
      \(context.replacing("FORMAT", with: format))
      <traceGroup \(group)><trace \(trace)>1 2</trace></traceGroup></ink>
      """)
    #expect(read[0].drawing.strokes == [Stroke([Point(2, 1)])])
  }

  @Test func whatThePenDidInTheAirIsNoInk() throws {
    let read = try recordings(
      "up.inkml", "<ink><trace>1 2</trace><trace type=\"penUp\">3 4</trace></ink>")
    #expect(read.count == 1 && read[0].drawing.strokes == [Stroke([Point(1, 2)])])
  }

  @Test func theTracesOfAMalformedGroupAreNoRecordingByThemselves() throws {
    let path = try folder.write(
      "dangling.inkml",
      """
      <ink><traceGroup><annotation type="truth">a</annotation><trace>1 2</trace>
      <traceView traceDataRef="#none"/></traceGroup></ink>
      """)
    let items = try InkFile.items(path: path)
    #expect(items.count == 1)
    #expect(throws: InkError.self) { try items[0].result.get() }
  }

  @Test func viewsThatFanOutComeToAnEnd() throws {
    let groups = (0..<60).map { level in
      let view = "<traceView traceDataRef=\"g\(level + 1)\"/>"
      return "<traceGroup id=\"g\(level)\">\(view)\(view)</traceGroup>"
    }.joined()
    let read = try recordings(
      "fan.inkml",
      """
      <ink>\(groups)<traceGroup id="g60"><trace>1 2</trace></traceGroup>
      <traceGroup><annotation type="truth">a</annotation><traceView traceDataRef="g0"/>
      </traceGroup></ink>
      """)
    #expect(read.count == 1 && read[0].drawing.strokes == [Stroke([Point(1, 2)])])
  }

  @Test func aHundredThousandNestedGroupsAreRefused() throws {
    let text =
      "<ink>" + String(repeating: "<traceGroup>", count: 100_000)
      + String(repeating: "</traceGroup>", count: 100_000) + "</ink>"
    #expect(try error(text) == "bad, line 1: expected at most 100 nested elements, found more")
  }

  @Test func whatIsNoFileIsNamed() {
    #expect(throws: InkError.self) { try InkFile(path: "\(folder.path)/none") }
    #expect(throws: InkError.self) { try InkFile(path: folder.path) }
  }
}
