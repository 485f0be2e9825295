import Foundation
import Ink
import Testing
import TestSupport

/// What InkML says about units, continuations and views.
@Suite(.timeLimit(.minutes(30))) struct InkMLTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func recordings(_ content: String) throws -> [Recording] {
    try InkFile.items(path: folder.write("a.inkml", "<ink>\(content)</ink>")).map {
      try $0.result.get()
    }
  }

  /// The x coordinates of each stroke of the only recording.
  private func strokes(_ content: String) throws -> [[Double]] {
    let recordings = try recordings(content)
    #expect(recordings.count == 1)
    return recordings[0].drawing.strokes.map { $0.points.map(\.x) }
  }

  private func problem(_ content: String) throws -> String {
    do {
      _ = try recordings(content)
      return "no error"
    } catch {
      return "\(error)".replacing("\(folder.path)/", with: "")
    }
  }

  // MARK: Units

  @Test(arguments: [
    ("in", 1.0, 96.0), ("cm", 2.54, 96), ("mm", 25.4, 96), ("m", 0.0254, 96), ("pt", 72, 96),
    ("pc", 6, 96), ("himetric", 2540, 96), ("HIMETRIC", 1270, 48), ("px", 5, 5), ("dev", 7, 7),
  ])
  func lengthsBecomeCanvasPoints(unit: String, value: Double, expected: Double) throws {
    let read = try recordings(
      """
      <traceFormat><channel name="X" units="\(unit)"/><channel name="Y"/></traceFormat>
      <trace>\(value) 3</trace>
      """)
    let point = read[0].drawing.strokes[0].points[0]
    #expect(abs(point.x - expected) < 1e-9 && point.y == 3)
  }

  @Test func theResolutionOfTheSourceSaysWhatIsCounted() throws {
    let read = try recordings(
      """
      <context id="c"><inkSource id="s"><traceFormat><channel name="X" units="cm"/>
      <channel name="Y" units="cm"/><channel name="T" units="ms"/></traceFormat><channelProperties>
      <channelProperty channel="T" name="resolution" value="10" units="1/ms"/>
      <channelProperty channel="X" name="resolution" value="1000" units="1/cm"/>
      <channelProperty channel="Y" name="resolution" value="100" units="1/in"/>
      </channelProperties></inkSource></context><trace contextRef="#c">2540 50 500, 2540 50 630</trace>
      """)
    let points = read[0].drawing.strokes[0].points
    #expect(abs(points[0].x - 96) < 1e-9 && abs(points[0].y - 48) < 1e-9)
    // 130 tenths of a millisecond.
    let times = points.compactMap(\.time)
    #expect(times.count == 2 && abs(times[1] - times[0] - 13) < 1e-9)
  }

  @Test(arguments: [
    (
      "<traceFormat><channel name='X' units='ell'/><channel name='Y'/></traceFormat><trace>1 2</trace>",
      "a.inkml, line 1: expected units of cm, dev, himetric, in, m, mm, pc, pt, px, found `ell`"
    ),
    (
      "<traceFormat><channel name='X' units='m'/><channel name='Y'/></traceFormat><trace>1e308 2</trace>",
      "a.inkml, line 1, stroke 1, point 1: expected numbers that fit, found `1e308`"
    ),
    (
      "<trace>1e308 2, '1e308 2</trace>",
      "a.inkml, line 1, stroke 1, point 2: expected numbers that fit, found `'1e308`"
    ),
    (
      """
      <inkSource><traceFormat><channel name='X'/><channel name='Y'/></traceFormat><channelProperties>
      <channelProperty channel='X' name='resolution' value='0' units='1/cm'/></channelProperties>
      </inkSource><trace>1 2</trace>
      """, "a.inkml, line 2: expected a positive value, found `0`"
    ),
  ])
  func unitsThatMakeNoSenseAreNamed(content: String, expected: String) throws {
    #expect(try problem(content) == expected)
  }

  // MARK: Continuations

  @Test func tracesThatGoOnAreOneStroke() throws {
    #expect(
      try strokes(
        """
        <trace id="a" continuation="begin">1 0, 2 0</trace><trace>9 0</trace>
        <trace id="b" continuation="middle" priorRef="#a">3 0</trace>
        <trace continuation="end" priorRef="#b">4 0, '1 0</trace>
        """) == [[1, 2, 3, 4, 5], [9]])
  }

  @Test func aTraceGoesOnWithinItsRecordingOnly() throws {
    let read = try recordings(
      """
      <traceGroup><annotation type="truth">x</annotation><trace id="a">1 0</trace></traceGroup>
      <traceGroup><annotation type="truth">y</annotation>
      <trace continuation="end" priorRef="#a">2 0</trace></traceGroup>
      """)
    #expect(read.map { $0.drawing.strokes.map { $0.points.map(\.x) } } == [[[1]], [[2]]])
  }

  @Test(arguments: [
    (
      "<trace continuation='end'>1 2</trace>",
      "expected the id of the trace before as priorRef, found none"
    ),
    ("<trace continuation='end' priorRef='#z'>1 2</trace>", "as priorRef, found `#z`"),
    ("<trace continuation='start'>1 2</trace>", "expected begin, middle or end as continuation"),
    (
      "<trace id='a'>1 2</trace><trace continuation='end' priorRef='a'>1 2</trace>"
        + "<trace continuation='end' priorRef='a'>1 2</trace>",
      "expected one continuation of `a`, found another"
    ),
    (
      "<trace>0 0</trace><trace id='a' continuation='middle' priorRef='b'>1 2</trace>"
        + "<trace id='b' continuation='middle' priorRef='a'>1 2</trace>",
      "expected continuations without cycles, found a cycle"
    ),
    (
      "<trace id='a' continuation='end' priorRef='a'>1 2</trace>",
      "expected continuations without cycles"
    ),
  ])
  func continuationsThatGoNowhereAreNamed(content: String, expected: String) throws {
    let found = try problem(content)
    #expect(found.hasPrefix("a.inkml, line 1: ") && found.contains(expected), "\(found)")
  }

  @Test func aHundredThousandContinuationsAreOneStroke() throws {
    let traces = (1..<100_000).map { number -> String in
      "<trace id='t\(number)' continuation='middle' priorRef='#t\(number - 1)'>\(number) 0</trace>"
    }
    let read = try strokes("<trace id='t0'>0 0</trace>\(traces.joined())")
    #expect(read == [(0..<100_000).map(Double.init)])
  }

  // MARK: Views

  private static let traces = """
    <traceGroup id="g"><trace id="a">1 0, 2 0, 3 0</trace>
    <traceGroup id="h"><trace>4 0, 5 0</trace><trace>6 0, 7 0</trace></traceGroup>
    <trace>8 0, 9 0</trace></traceGroup>
    """

  @Test(arguments: [
    ("<traceView traceDataRef='#a' from='2'/>", [[2.0, 3]]),
    ("<traceView traceDataRef='#a' to='2'/>", [[1, 2]]),
    ("<traceView traceDataRef='#a' from='2' to='2'/>", [[2]]),
    ("<traceView traceDataRef='#a' to='1'/><traceView traceDataRef='#a' from='3'/>", [[1], [3]]),
    ("<traceView traceDataRef='#g' from='2' to='3'/>", [[4, 5], [6, 7], [8, 9]]),
    ("<traceView traceDataRef='#g' from='1:3' to='2:1:1'/>", [[3], [4]]),
    ("<traceView traceDataRef='#g' from='2:2:2' to='3:1'/>", [[7], [8]]),
    // A view of a view counts from where that begins.
    (
      "<traceView id='v' traceDataRef='#a' from='2'/><traceView traceDataRef='#v' from='2'/>",
      [[2, 3], [3]]
    ),
    (
      "<traceView><traceView traceDataRef='#a'/><traceView traceDataRef='#h'/></traceView>",
      [[1, 2, 3], [4, 5], [6, 7]]
    ),
  ])
  func viewsSelectWhatTheySay(views: String, expected: [[Double]]) throws {
    let read = try recordings(
      "\(Self.traces)<traceGroup><annotation type='truth'>x</annotation>\(views)</traceGroup>")
    #expect(read[0].label == "x")
    #expect(read[0].drawing.strokes.map { $0.points.map(\.x) } == expected)
  }

  @Test(arguments: [
    (
      "<traceView traceDataRef='#a' from='4'/>",
      "expected a view of points from 1 to 3, found 4 to 3"
    ),
    ("<traceView traceDataRef='#a' from='3' to='2'/>", "found 3 to 2"),
    ("<traceView traceDataRef='#a' to='4'/>", "found 1 to 4"),
    (
      "<traceView traceDataRef='#a' from='0'/>", "expected numbers from 1, with colons between them"
    ),
    ("<traceView traceDataRef='#a' from='x'/>", "as from, found `x`"),
    (
      "<traceView id='v' traceDataRef='#a' to='2'/><traceView traceDataRef='#v' to='3'/>",
      "expected a view of points from 1 to 2, found 1 to 3"
    ),
    (
      "<traceView id='v' traceDataRef='#a' from='2' to='2'/><traceView traceDataRef='#v' from='2'/>",
      "expected a view of points from 1 to 1, found 2 to 1"
    ),
    ("<traceView traceDataRef='#a' to='1:1'/>", "expected one number for a trace, found several"),
    ("<traceView traceDataRef='#g' to='4'/>", "expected a view from 1 to 3, found 1 to 4"),
    (
      "<traceView id='v' traceDataRef='#w'/><traceView id='w' traceDataRef='#v'/>",
      "expected references without cycles, found a cycle"
    ),
  ])
  func viewsThatSelectNothingAreNamed(views: String, expected: String) throws {
    let found = try problem(
      "\(Self.traces)<traceGroup><annotation type='truth'>x</annotation>\(views)</traceGroup>")
    #expect(found.contains(expected), "\(found)")
  }

  @Test func aHundredThousandViewsOfViewsAreRefused() throws {
    let views = (0..<100_000).map { "<traceView id='v\($0)' traceDataRef='#v\($0 + 1)'/>" }
    let found = try problem(
      "<trace id='v100000'>1 2</trace>\(views.reversed().joined())<traceGroup>"
        + "<annotation type='truth'>x</annotation><traceView traceDataRef='#v0'/></traceGroup>")
    #expect(found.contains("expected at most 300 nested groups and views, found more"))
    let few = (0..<100).map { "<traceView id='v\($0)' traceDataRef='#v\($0 + 1)'/>" }
    #expect(
      try strokes(
        "<traceGroup><annotation type='truth'>x</annotation><traceView traceDataRef='#v0'/>"
          + "</traceGroup><trace id='v100'>1 2</trace>\(few.joined())") == [[1]])
  }

  // MARK: Labels

  @Test(arguments: [
    ("<annotation type='Label'>x</annotation>", "x"),
    (
      "<annotation type='label'>x^2</annotation><annotation type='normalizedLabel'>x^{2}</annotation>",
      "x^{2}"
    ),
    ("<annotation type='UI'>7</annotation><annotation type='truth'>$a$</annotation>", "$a$"),
    ("<annotation type='truth'> </annotation><annotation type='ground-truth'>b</annotation>", "b"),
    ("<annotation type='transcription'>c</annotation>", "c"),
    ("<annotation type='UI'>7</annotation>", nil),
  ])
  func labelsAreFoundInOtherAnnotations(annotations: String, expected: String?) throws {
    let read = try recordings("\(annotations)<trace>1 2</trace>")
    #expect(read[0].label == expected)
    let grouped = try recordings("<traceGroup>\(annotations)<trace>1 2</trace></traceGroup>")
    #expect(grouped[0].label == expected)
  }

  @Test func anAnnotationCanBeChosen() throws {
    let path = try folder.write(
      "a.inkml",
      """
      <ink><annotation type="label">x^2</annotation><annotation type="normalizedLabel">x^{2}</annotation>
      <annotation type="writerId">w</annotation><trace>1 2</trace></ink>
      """)
    var items: [InkFile.Item] = []
    for name in [nil, "label", "LABEL", "none"] {
      try InkFile(path: path, labelAnnotation: name).forEach { items.append($0) }
    }
    let read = try items.map { try $0.result.get() }
    #expect(read.map(\.label) == ["x^{2}", "x^2", "x^2", nil])
    #expect(read.allSatisfy { $0.writer == "w" })
    // What is not the label stays an attribute.
    #expect(read[0].attributes == ["label": .text("x^2")])
    #expect(read[1].attributes == ["normalizedLabel": .text("x^{2}")])
  }

  // MARK: Channels, transforms and the pen in the air

  private func format(_ channels: String) -> String {
    "<traceFormat><channel name='X'/><channel name='Y'/>\(channels)</traceFormat>"
  }

  /// The points of the only recording, and what was ignored.
  private func points(_ content: String) throws -> (strokes: [[Point]], ignored: [String]) {
    let items = try InkFile.items(path: folder.write("a.inkml", "<ink>\(content)</ink>"))
    #expect(items.count == 1)
    return (try items[0].result.get().drawing.strokes.map(\.points), items[0].ignored)
  }

  @Test(arguments: [
    ("<channel name='F'/>", "1 2 100, 3 4 1", [nil, nil], ["pressure without a maximum"]),
    ("<channel name='F'/>", "1 2 0.5, 3 4 1", [0.5, 1], []),
    (
      "<channel name='F' max='200'/>", "1 2 100, 3 4 201", [0.5, 1], ["pressure beyond its limits"]
    ),
    ("<channel name='F' min='100' max='200'/>", "1 2 150, 3 4 200", [0.5, 1], []),
    ("<channel name='F' max='0'/>", "1 2 9, 3 4 9", [nil, nil], ["pressure without a maximum"]),
    (
      "<channel name='F' max='10'/>", "1 2 a, 3 4 5", [nil, 0.5],
      ["values of the channel F that are no numbers"]
    ),
    (
      "<channel name='OTx'/><channel name='B1'/>", "1 2 x F, 3 4 5 T", [nil, nil],
      ["the channels OTx, B1"]
    ),
    ("", "1 2 7, 3 4 8", [nil, nil], ["values after those of the channels"]),
  ])
  func optionalChannelsRefuseNothing(
    channels: String, trace: String, pressures: [Double?], ignored: [String]
  ) throws {
    let read = try points("\(format(channels))<trace>\(trace)</trace>")
    #expect(
      read.strokes == [
        [Point(1, 2, pressure: pressures[0]), Point(3, 4, pressure: pressures[1])]
      ])
    #expect(read.ignored == ignored)
  }

  @Test(arguments: [
    ("s", 2000.0), ("ms", 2), ("us", 0.002), ("dev", 2), ("fortnight", nil),
  ])
  func timesHaveUnits(unit: String, expected: Double?) throws {
    let read = try points(
      "\(format("<channel name='T' units='\(unit)'/>"))<trace>1 2 2</trace>")
    #expect(read.strokes == [[Point(1, 2, time: expected)]])
    #expect(read.ignored == (expected == nil ? ["times in the unit `fortnight`"] : []))
  }

  @Test func axesPointWhereTheySay() throws {
    let read = try strokes(
      """
      <traceFormat><channel name="Y" orientation="-ve"/><channel name="X" orientation="-ve"/>
      </traceFormat><trace>1 2</trace>
      """)
    #expect(read == [[-2]])
  }

  @Test(arguments: [
    ("<mapping type='affine'><affine>2 0 5, 0 -2 7</affine></mapping>", Point(7, 3), []),
    ("<mapping type='affine'><affine>0 1 0,\n1 0 0,</affine></mapping>", Point(2, 1), []),
    (
      "<mapping type='affine'><bind source='Y'/><bind source='X'/><bind target='X'/><bind target='Y'/>"
        + "<affine>3 0, 0 1</affine></mapping>", Point(6, 1), []
    ),
    ("<mapping type='identity'/>", Point(1, 2), []),
    ("<mapping mappingRef='#m'/>", Point(10, 20), []),
    (
      "<mapping type='product'><mapping type='affine'><bind source='X'/><bind target='X'/>"
        + "<affine>5 1</affine></mapping><mapping type='identity'/></mapping>", Point(6, 2), []
    ),
    (
      "<mapping type='lookup'><table>0 0, 1 1</table></mapping>", Point(1, 2),
      ["a canvas transform of the type `lookup`"]
    ),
    (
      "<mapping type='affine'><affine>1 x</affine></mapping>", Point(1, 2),
      ["a canvas transform of the type `affine`"]
    ),
  ])
  func canvasTransformsAreApplied(mapping: String, expected: Point, ignored: [String]) throws {
    let read = try points(
      """
      <definitions><mapping id="m" type="affine"><affine>10 0 0, 0 10 0</affine></mapping>
      <canvasTransform id="t">\(mapping)</canvasTransform>
      <context id="a" canvasTransformRef="#t"/><context id="b" contextRef="#a"/></definitions>
      <trace contextRef="#b">1 2</trace>
      """)
    #expect(read.strokes == [[expected]])
    #expect(read.ignored == ignored)
  }

  @Test func theContextBeforeATraceIsItsOwn() throws {
    let format = "<traceFormat><channel name='X' units='in'/><channel name='Y'/></traceFormat>"
    let read = try strokes(
      "<traceFormat><channel name='X'/><channel name='Y'/></traceFormat><trace>1 2</trace>"
        + "<context>\(format)</context><trace>1 2</trace>")
    #expect(read == [[1], [96]])
  }

  @Test func thePenInTheAirIsNamedAndLeftOut() throws {
    let up = try points(
      """
      <trace>1 2</trace><trace type="penUp">3 4</trace><trace type="PENUP">3 4</trace>
      <trace brushRef="#eraser1">5 6</trace>
      """)
    #expect(up.strokes == [[Point(1, 2)]] && up.ignored == ["pen-up traces"])
    let tip = try points(
      "\(format("<channel name='S' type='boolean'/>"))<trace>1 2 T, 3 4 T, 5 6 F, 7 8 T</trace>")
    #expect(tip.strokes == [[Point(1, 2), Point(3, 4)], [Point(7, 8)]])
    #expect(tip.ignored == ["points of the hovering pen"])
    let force = try points(
      "\(format("<channel name='F' max='1'/>"))<trace type='indeterminate'>1 2 0, 3 4 1</trace>")
    #expect(force.strokes == [[Point(3, 4, pressure: 1)]])
    #expect(force.ignored == ["points of the hovering pen"])
  }

  @Test func contextsInACircleAreRefused() throws {
    let found = try problem(
      "<context id='a' contextRef='#b'/><context id='b' contextRef='#a'/><trace contextRef='#a'>1 2</trace>"
    )
    #expect(found.contains("expected at most 100 contexts that refer to each other"), "\(found)")
  }
}
