import Foundation
import Ink
import Testing
import TestSupport

/// The formats of other programs, each read as a drawing.
@Suite(.timeLimit(.minutes(30))) struct InkFormatsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func items(_ text: String) throws -> [InkFile.Item] {
    try InkFile.items(path: folder.write("ink", text))
  }

  /// `[[x, y], …]` of each stroke of the only drawing.
  private func strokes(_ text: String) throws -> [[[Double]]] {
    let items = try items(text)
    #expect(items.count == 1)
    return positions(try items[0].result.get())
  }

  private func positions(_ recording: Recording) -> [[[Double]]] {
    recording.drawing.strokes.map { stroke in
      stroke.points.map { [$0.x, $0.y].map { ($0 * 1000).rounded() / 1000 } }
    }
  }

  /// The first error of a file, whether it concerns the file or an item.
  private func problem(_ text: String) throws -> String {
    do {
      for item in try items(text) { _ = try item.result.get() }
      return "no error"
    } catch let error as InkError {
      return error.description.replacing("\(folder.path)/", with: "")
    }
  }

  private static let three: [[[Double]]] = [[[10, 20], [40, 22], [80, 60]], [[5, 5]]]

  @Test(arguments: [
    // signature_pad's versions, and a rubber.
    """
    [{"penColor":"black","points":[{"time":1,"x":10,"y":20,"pressure":0.5},{"x":40,"y":22},
      {"x":80,"y":60}]},
     {"compositeOperation":"destination-out","points":[{"x":0,"y":0}]},{"points":[{"x":5,"y":5}]}]
    """,
    "[[{\"x\":10,\"y\":20,\"color\":\"#fff\"},{\"x\":40,\"y\":22},{\"x\":80,\"y\":60}],[{\"x\":5,\"y\":5}]]",
    // ML Kit, with other keys before the strokes, and components of web pages.
    """
    {"a":{"b":[1,"]"]},"strokes":[{"points":[{"x":10,"y":20,"t":0},{"x":40,"y":22,"t":"now"},
      {"x":80,"y":60}]},{"points":[{"x":5,"y":5}]}]}
    """,
    "{\"lines\":[{\"points\":[{\"x\":10,\"y\":20},{\"x\":40,\"y\":22},{\"x\":80,\"y\":60}]},{\"points\":[{\"x\":5,\"y\":5}]}],\"width\":400}",
    """
    [{"drawMode":true,"paths":[{"x":10,"y":20},{"x":40,"y":22},{"x":80,"y":60}]},
     {"drawMode":false,"paths":[{"x":1,"y":2}]},{"drawMode":true,"paths":[{"x":5,"y":5}]}]
    """,
    // Excalidraw.
    """
    {"type":"excalidraw","version":2,"elements":[{"type":"text","x":0,"y":0,"text":"a"},
    {"type":"freedraw","x":10,"y":20,"points":[[0,0],[30,2],[70,40]],"pressures":[0.1,0.2,0.3]},
    {"type":"freedraw","isDeleted":true,"x":1,"y":2},{"type":"draw","x":5,"y":5,"points":[[0,0]]}]}
    """,
    """
    {"type":"excalidrawlib","libraryItems":[{"elements":[{"type":"freedraw","x":10,"y":20,
    "points":[[0,0],[30,2],[70,40]]},{"type":"freedraw","x":5,"y":5,"points":[[0,0]]}]}]}
    """,
    // Google's requests.
    "{\"options\":\"x\",\"requests\":[{\"ink\":[[[10,40,80],[20,22,60],[0,1,2]],[[5],[5],[]]],\"language\":\"en\"}]}",
    // IAM-OnDB.
    """
    <?xml version="1.0" encoding="ISO-8859-1"?><WhiteboardCaptureSession><WhiteboardDescription>
    <SensorLocation corner="top_left"/></WhiteboardDescription><StrokeSet><Stroke colour="black">
    <Point x="10" y="20" time="1.5"/><Point x="40" y="22" time="1.6"/><Point x="80" y="60" time="1.7"/>
    </Stroke><Stroke><Point x="5" y="5" time="2"/></Stroke></StrokeSet></WhiteboardCaptureSession>
    """,
    // UNIPEN, whose y axis points up.
    """
    .VERSION 1.0
    .COORD X Y T
    .PEN_DOWN
    10 -20 0
    40 -22 10
     80 -60 20
    .PEN_UP
    .DT 100
    .PEN_DOWN
    5 -5 100
    .PEN_UP
    """,
    // SVG.
    "<svg viewBox=\"0 0 9 9\"><path d=\"M10 20L40 22 80 60\"/><g><path d=\"m5,5z\"/></g></svg>",
    "<svg xmlns=\"http://www.w3.org/2000/svg\"><polyline points=\"10,20 40,22 80 60\"/><line x1=\"5\" y1=\"5\" x2=\"5\" y2=\"5\"/></svg>",
  ])
  func oneDrawingIsReadFromEach(text: String) throws {
    var expected = Self.three
    // A line of no length has two points.
    if text.contains("<line") { expected[1].append([5, 5]) }
    #expect(try strokes(text) == expected)
  }

  @Test func timesPressuresLabelsAndWritersAreKept() throws {
    let pad = try items(
      #"[{"points":[{"x":1,"y":2,"time":1700000000000,"pressure":0.5}]}]"#)[0].result.get()
    #expect(pad.drawing.strokes[0].points == [Point(1, 2, time: 1_700_000_000_000, pressure: 0.5)])
    let kit = try items(
      #"{"label":"a","writer":"ann","strokes":[{"points":[{"x":1,"y":2,"t":3}]}]}"#)[0].result.get()
    #expect(kit.label == "a" && kit.writer == "ann")
    #expect(kit.drawing.strokes[0].points == [Point(1, 2, time: 3)])
    let board = try items(
      """
      <WhiteboardCaptureSession><General><Form id="a" writerID="10152"/></General><Transcription>
      <Text> Bonn &amp; Rome </Text></Transcription><StrokeSet><Stroke><Point x="1" y="2" time="1.5"/>
      </Stroke></StrokeSet></WhiteboardCaptureSession>
      """)[0].result.get()
    #expect(board.label == "Bonn & Rome" && board.writer == "10152")
    #expect(board.drawing.strokes[0].points == [Point(1, 2, time: 1500)])
  }

  @Test func severalRequestsAreSeveralDrawings() throws {
    let items = try items(
      #"{"requests":[{"ink":[[[1],[2]]]},{"ink":[[[3],[4,5]]]},{"ink":[[[6],[7],[8,9]]]}]}"#)
    #expect(items.count == 3)
    #expect(positions(try items[0].result.get()) == [[[1, 2]]])
    #expect(throws: InkError.self) { try items[1].result.get() }
    #expect(positions(try items[2].result.get()) == [[[6, 7]]])
    #expect(items[2].ignored == ["times of another number than the points"])
  }

  @Test func linesOfNDJSONStayLines() throws {
    // The roles of strokes come before the drawing here.
    let line =
      #"{"strokes":[{"role":"state","element":"s0"}],"word":"a","drawing":[[[1],[2]]]}"# + "\n"
    #expect(try items(line + line).count == 2)
    #expect(try InkFile(path: folder.write("a", "{\"x\": [[[")).format == .ndjson)
  }

  @Test(arguments: [
    (
      #"{"type":"excalidraw","elements":[{"type":"arrow"},{"type":"freedraw","x":0,"y":0,"points":[[1,2]],"pressures":[7]},{"type":"text"}]}"#,
      ["elements of the type `arrow`, `text`", "pressure without a maximum"]
    ),
    (
      #"[{"points":[{"x":1,"y":2}]},{"compositeOperation":"destination-out","points":[]}]"#,
      ["erasing strokes"]
    ),
    (
      "<svg><title>a</title><text>b</text><image/><line x2='1'/><rect width='9' height='9' fill='red'/><g display='none'><path d='M'/></g></svg>",
      [
        "<text> elements", "<image> elements", "filled rectangles without a line",
        "invisible elements",
      ]
    ),
    (
      ".COORD X Y Z B\n.INCLUDE a.dat\n.PEN_DOWN\n1 2 3 4\n.PEN_UP\n5 6 7 8\n",
      ["the channels Z, B", "included files", "pen-up components"]
    ),
  ])
  func whatIsNotReadIsNamed(text: String, ignored: [String]) throws {
    #expect(try items(text)[0].ignored == ignored)
  }

  // MARK: UNIPEN

  @Test func segmentsOfTheInnermostLevelAreRecordings() throws {
    let text = """
      .COMMENT An example
      .COORD X Y
      .HIERARCHY WORD CHARACTER
      .WRITER_ID w1
      .X_POINTS_PER_INCH 192
      .SEGMENT WORD 0-2 ? "ab"
      .SEGMENT CHARACTER 0-1:0 OK "a"
      .SEGMENT CHARACTER 1:1 OK "b \\" \\\\"
      .PEN_DOWN
      2 -4 6 -8
      .PEN_UP
      .PEN_DOWN
      10 -10
      20 -20
      .PEN_UP
      .PEN_DOWN
      30 -30
      .PEN_UP
      """
    let recordings = try items(text).map { try $0.result.get() }
    #expect(recordings.map(\.label) == ["a", "b \" \\", nil])
    #expect(recordings.allSatisfy { $0.writer == "w1" })
    #expect(positions(recordings[0]) == [[[1, 2], [3, 4]], [[5, 5]]])
    #expect(positions(recordings[1]) == [[[10, 10]]])
    #expect(positions(recordings[2]) == [[[15, 15]]])
    var items: [InkFile.Item] = []
    try InkFile(path: folder.write("u", text), labelAnnotation: "word").forEach { items.append($0) }
    #expect(try items.map { try $0.result.get().label } == ["ab"])
  }

  @Test func segmentsWithoutAPlaceGoToTheNext() throws {
    let recordings = try items(
      """
      .VERSION 1.0
      .SEGMENT DIGIT ? OK "8"
      .PEN_DOWN
      1 -1
      .PEN_UP
      .PEN_DOWN
      2 -2
      .PEN_UP
      .SEGMENT DIGIT ? OK "9"
      .PEN_DOWN
      3 -3
      .PEN_UP
      """
    ).map { try $0.result.get() }
    #expect(recordings.map(\.label) == ["8", "9"])
    #expect(recordings.map(positions) == [[[[1, 1]], [[2, 2]]], [[[3, 3]]]])
  }

  // MARK: SVG

  @Test(arguments: [
    ("M1-2.5.5.0l1e1,0", [[[1.0, -2.5], [0.5, 0], [10.5, 0]]]),
    ("m1 1 2 0h3v4H0V0z", [[[1, 1], [3, 1], [6, 1], [6, 5], [0, 5], [0, 0], [1, 1]]]),
    ("M0 0L1 1M5 5L6 6m1 1l1 1", [[[0, 0], [1, 1]], [[5, 5], [6, 6]], [[7, 7], [8, 8]]]),
    // A piece that begins where the one before ended continues it.
    ("M0 0L1 1M1 1L2 2", [[[0, 0], [1, 1], [2, 2]]]),
    ("M3 4", []),
  ])
  func linesOfPathsAreRead(path: String, expected: [[[Double]]]) throws {
    if expected.isEmpty {
      #expect(
        try problem("<svg><path d='\(path)'/></svg>").contains("expected lines, curves or shapes"))
    } else {
      #expect(try strokes("<svg><path d='\(path)'/></svg>") == expected)
    }
  }

  /// The points of a curve that are nearest to some on it, and its last one.
  @Test(arguments: [
    ("M0 0C0 40 100 40 100 0", [50.0, 30.0], [100.0, 0.0]),
    ("M0 0c0 40 100 40 100 0s100 -40 100 0", [150, -30], [200, 0]),
    ("M0 0Q50 60 100 0", [50, 30], [100, 0]),
    ("M0 0q50 60 100 0t100 0", [150, -30], [200, 0]),
    ("M0 0A50 50 0 0 1 100 0", [50, -50], [100, 0]),
    ("M0 0A50 50 0 0 0 100 0", [50, 50], [100, 0]),
    // Flags need no space, and radii that are too small grow.
    ("M0 0a1 1 0 01100 0", [50, -50], [100, 0]),
    ("M100 0A100 100 0 1 0 0 100", [0, -100], [0, 100]),
    ("M0 0A100 50 90 0 1 0 200", [50, 100], [0, 200]),
  ])
  func curvesAreFlattened(path: String, on: [Double], end: [Double]) throws {
    let stroke = try strokes("<svg><path d='\(path)'/></svg>")[0]
    #expect(stroke.last == end && stroke.count >= 9)
    let distance = stroke.map { hypot($0[0] - on[0], $0[1] - on[1]) }.min()
    #expect(distance! < 2.5, "\(distance!)")
  }

  @Test(arguments: [
    ("<circle cx='50' cy='60' r='40'/>", [10.0, 20, 90, 100]),
    ("<ellipse cx='50' cy='60' rx='40' ry='10'/>", [10, 50, 90, 70]),
    ("<rect x='1' y='2' width='10' height='20' stroke='black'/>", [1, 2, 11, 22]),
    ("<polygon points='0 0 10 0 10 10'/>", [0, 0, 10, 10]),
    ("<g transform='translate(5,6) scale(2)'><line x2='10' y2='5'/></g>", [5, 6, 25, 16]),
    ("<line x2='10' y2='5' transform='rotate(90)'/>", [-5, 0, 0, 10]),
    ("<line x1='1cm' x2='1in' y2='50%'/>", [37.795, 0, 96, 75]),
    ("<defs><line id='a' x2='3'/></defs><use href='#a' x='2' y='7'/>", [2, 7, 5, 7]),
  ])
  func shapesAndTransformsAreRead(content: String, expected: [Double]) throws {
    let points = try strokes("<svg>\(content)</svg>").flatMap { $0 }
    let bounds = [
      points.map { $0[0] }.min()!, points.map { $0[1] }.min()!, points.map { $0[0] }.max()!,
      points.map { $0[1] }.max()!,
    ]
    for (value, right) in zip(bounds, expected) { #expect(abs(value - right) < 0.1, "\(bounds)") }
  }

  @Test func theSizeAndTheViewBoxDefineTheScale() throws {
    let line = "<line x1='10' y1='10' x2='20' y2='10'/>"
    #expect(
      try strokes("<svg width='2in' height='2in' viewBox='10 10 20 20'>\(line)</svg>")
        == [[[0, 0], [96, 0]]])
    #expect(try strokes("<svg viewBox='0 0 20 20'>\(line)</svg>") == [[[10, 10], [20, 10]]])
  }

  @Test func stylesDecideWhatIsVisible() throws {
    let text = """
      <svg><style>/* a */ .a, .b { fill: none; stroke: none } #c{display:none}</style>
      <path class="a" d="M0 0L1 1"/><path id="c" d="M0 0L2 2"/><path d="M0 0L3 3" style="fill:none;stroke:#000"/>
      </svg>
      """
    #expect(try strokes(text) == [[[0, 0], [3, 3]]])
  }

  // MARK: Malformed files

  @Test(arguments: [
    (
      "[{\"points\":[{\"x\":1,\"y\":2},{\"x\":3}]}]",
      "stroke 1, point 2: expected the numbers `x` and `y`"
    ),
    (
      "[{\"points\":[]},{\"points\":[{\"x\":\"1\",\"y\":2}]}]",
      "stroke 2, point 1: expected a number in `x`"
    ),
    ("[{\"points\":[{\"x\":1,\"y\":2}", "expected a complete JSON object"),
    ("{\"strokes\":[{\"points\":[{\"x\":1,\"y\":2}]},7]}", "stroke 2: expected a list"),
    ("[{\"points\":[]}]", "expected strokes with points, found none"),
    (
      "{\"type\":\"excalidraw\",\"elements\":[{\"type\":\"arrow\"}]}",
      "expected `freedraw` elements, found elements of the type `arrow`"
    ),
    (
      "{\"type\":\"excalidraw\",\"elements\":[{\"type\":\"freedraw\",\"x\":0,\"y\":0,\"points\":[[1,2],[3]]}]}",
      "stroke 1, point 2: expected two finite coordinates"
    ),
    ("{\"type\":\"excalidraw\"}", "expected the key `elements`"),
    ("{\"requests\":[]}", "expected requests, found none"),
    (
      "{\"requests\":[{\"ink\":[[[1],[2]],[[1,2],[3,\"4\"]]]}]}",
      "stroke 2, point 2: expected a number in `ink`"
    ),
    (
      "{\"requests\":[{\"ink\":[[[1]]]}]}",
      "stroke 1: expected lists of x, y and time, found 1 list"
    ),
    (
      "<StrokeSet><Stroke><Point x=\"1\" y=\"2\"/>\n<Point x=\"1\" y=\"b\"/></Stroke></StrokeSet>",
      "line 2, stroke 1, point 2: expected a finite number as y, found `b`"
    ),
    (
      "<StrokeSet><Stroke><Point x=\"1\"/></Stroke></StrokeSet>",
      "stroke 1, point 1: expected x and y, found no y"
    ),
    ("<WhiteboardCaptureSession/>", "expected <StrokeSet>, found none"),
    (
      ".COORD X Y\n.PEN_DOWN\n1 2\n3 x\n",
      "line 4, stroke 1, point 2: expected a finite number, found `x`"
    ),
    (".COORD X Y\n.PEN_DOWN\n1 2\n3\n.PEN_UP", "line 2: expected 2 values, found 1"),
    (".COORD X T\n", "line 1: expected the channels X and Y in .COORD, found `X T`"),
    (
      ".VERSION 1\n.SEGMENT A 0-4 ? \"a\"\n.PEN_DOWN\n1 2\n",
      "line 2: expected components from 0 to 0"
    ),
    (
      ".VERSION 1\n.SEGMENT A 0:3 ? \"a\"\n.PEN_DOWN\n1 2\n",
      "line 2: expected points from 0 to 0 of component 0, found 3 to 3"
    ),
    (
      ".VERSION 1\n.SEGMENT A 0 ? \"a\n.PEN_DOWN\n1 2\n",
      "line 2: expected a label in double quotes"
    ),
    (
      ".VERSION 1\n.X_POINTS_PER_INCH 0\n",
      "line 2: expected a positive number after .X_POINTS_PER_INCH, found `0`"
    ),
    (".VERSION 1.0\n", "expected points after .PEN_DOWN, found none"),
    (
      "<svg><path d='L1 1'/></svg>",
      "stroke 1, point 1: expected a path that begins with M, found `L`"
    ),
    (
      "<svg><path d='M0 0L1 1 2'/></svg>",
      "stroke 1, point 3: expected a finite number, found the end"
    ),
    (
      "<svg><path d='M0 0A1 1 0 2 0 1 1'/></svg>",
      "expected 0 or 1 as a flag of an arc, found `2 0 1 1`"
    ),
    ("<svg><path d='M0 0X'/></svg>", "expected a command of M, L"),
    (
      "<svg><polyline points='1 2 3'/></svg>",
      "stroke 1: expected pairs of numbers as points, found `1 2 3`"
    ),
    ("<svg><line x1='1ell'/></svg>", "expected a length as x1, found `1ell`"),
    ("<svg transform='turn(3)'/>", "expected a transform such as"),
    ("<svg><g id='a'><use href='#a'/></g></svg>", "or a <use> of itself"),
    ("<svg><use href='#b'/></svg>", "expected the id of an element as href, found `#b`"),
    ("<svg><text>a</text></svg>", "expected lines, curves or shapes, found <text> elements"),
    ("<svg><line x2='1e308' transform='scale(1e300)'/></svg>", "expected numbers that fit"),
  ])
  func malformedFilesNameThePlace(text: String, expected: String) throws {
    let found = try problem(text)
    #expect(found.hasPrefix("ink") && found.contains(expected), "\(found)")
  }

  /// Small files cannot ask for much memory or time.
  @Test func smallFilesStaySmall() throws {
    let curves = String(repeating: "c9 9 9 9 9 9", count: 200_000)
    #expect(
      try problem("<svg><path d='M0 0\(curves)'/></svg>").contains("at most 1000000 points"))
    let fan = (0..<40).map {
      "<g id='g\($0)'><use href='#g\($0 + 1)'/><use href='#g\($0 + 1)'/></g>"
    }
    #expect(
      try problem("<svg><defs>\(fan.joined())<g id='g40'/></defs><use href='#g0'/></svg>")
        .contains("at most 1000000 elements"))
    let components = String(repeating: ".PEN_DOWN\n1 2\n.PEN_UP\n", count: 2000)
    let segments = String(repeating: ".SEGMENT A 0-1999 ? \"a\"\n", count: 2000)
    #expect(
      try problem(".VERSION 1\n\(segments)\(components)").contains("at most 1000000 strokes"))
  }

  @Test(arguments: [
    "hello", "[]", "[1, 2]", "[{\"a\":1}]", "[[1,2],[3,4]]", ".TH man 1", ".gitignore", "<html/>",
    "x,y\n1,2\n",
  ])
  func otherTextIsRefused(text: String) throws {
    let found = try problem(text)
    #expect(found.hasPrefix("ink: expected ink: NDJSON, InkML"), "\(found)")
    #expect(found.hasSuffix("found something else"), "\(found)")
  }

  /// What is ink by its name in folders, and what people draw whole automata in.
  @Test func endingsSayWhatAFileIs() {
    typealias Format = InkFile.Format
    #expect(
      Format.endings.filter { Format.isNamed("a.\($0)") } == [
        "ndjson", "inkml", "xml", "excalidraw",
      ])
    for format in Format.allCases {
      #expect(format.endsLikeInk == Format.isNamed("a.\(format.ending.uppercased())"))
    }
    #expect(
      Format.allCases.filter(\.hasWholeDrawings).map(\.ending)
        == ["ndjson", "inkml", "excalidraw", "svg"])
  }
}
