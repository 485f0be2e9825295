import Foundation
import Fuzzing
import Ink
import InkDatasets

@testable import XMLTree

private let jsonWords = [
  "\"word\":", "\"writer\":", "\"device\":", "\"source\":", "\"drawing\":", "\"attributes\":",
  "null",
  "true", "[[", "]]", "\\u", "\\ud800", "1e308", "-0", "1e-400", "99999999999999999999",
]

/// Lines of recordings as the project writes them.
private func recordings(_ count: Int) throws -> [Data] {
  try Synthesizer(seed: 1).recordings(writers: 1, perClass: 1).prefix(count).map { recording in
    var recording = recording
    recording.drawing = Drawing(
      recording.drawing.strokes.map { Stroke(Array($0.points.prefix(6))) })
    return try NDJSON.line(recording, at: Place(file: "seed"))
  }
}

/// Writes a recording and reads it again: both have to succeed, and to give the same.
private func requireWritable(_ recording: Recording) {
  let place = Place(file: "again", line: 1)
  guard let line = try? NDJSON.line(recording, at: place),
    let item = NDJSON.item(line, at: place),
    case .success(let again) = item.result
  else { fatalError("fuzz: a recording that was read cannot be written and read: \(recording)") }
  require(again == recording, "read \(recording), after writing it \(again)")
}

private let inkFile = InputPath("ink")

/// Reads whatever an ink file says it is.
private func readInk(_ data: Data) throws {
  let path = inkFile(data)
  for item in try InkFile.items(path: path) {
    switch item.result {
    case .success(let recording): requireWritable(recording)
    case .failure(let error): _ = "\(error)"
    }
  }
  _ = try InkFile(path: path).annotatedInk()
}

/// Reads lines from an open file, as from a pipe; `readInk` reads what they hold.
private func readLines(_ data: Data) throws {
  guard let handle = FileHandle(forReadingAtPath: inkFile(data)) else {
    fatalError("fuzz: \(inkFile.path) cannot be opened")
  }
  defer { try? handle.close() }
  var count = 0
  try TextLines(InputFile(handle, name: "input")).forEach { _, number in
    count += 1
    require(number == count, "line \(count) is called \(number)")
    return true
  }
  let lineEnds = data.count { $0 == 10 }
  require(
    count == lineEnds + (data.isEmpty || data.last == 10 ? 0 : 1),
    "\(count) lines with \(lineEnds) ends")
}

let inkFuzzers = [
  Fuzzer(
    "ndjson", dictionary: jsonWords,
    seeds: {
      let lines = try recordings(4)
      return lines + [Data(lines.joined(separator: [10]))]
        + [
          Data(#"{"word":"a","drawing":[[[1,2],[3,4],[5,6],[0.5,null]]],"x":{"y":[1,true]}}"#.utf8)
        ]
    },
    read: { data in
      try readLines(data)
      try readInk(data)
    }),
  Fuzzer(
    "inkml",
    dictionary: [
      "<ink", "xmlns=\"http://www.w3.org/2003/InkML\"", "<trace", "</trace>", "<traceFormat>",
      "<channel name=\"X\" type=\"decimal\"/>", "<traceGroup>", "<traceView traceDataRef=\"#a\"/>",
      "<annotation type=\"truth\">", "xml:id=", "id=\"a\"", "continuation=", "brushRef=", "'", "\"",
      "!", "*", "#", "?", "T", "F", "<definitions>", "<context", "contextRef=\"#a\"",
      "<annotationXML>", "<![CDATA[", "]]>", "<!--", "-->", "&#x41;", "&amp;",
      "intermittentChannels",
      "respectTo=", "priorRef=", "from=\"1:2:3\"", "to=", "<mapping", "units=\"ms\"", "duration=",
      "timeOffset=", "<timestamp", "xml:lang",
    ],
    seeds: {
      try Fuzzer.files("Examples/Ink/arrow.inkml", "Examples/Ink/circle.xml") + [
        Data(
          """
          <ink xmlns="http://www.w3.org/2003/InkML"><definitions><traceFormat xml:id="f">
          <channel name="X" type="integer"/><channel name="Y" type="integer"/><channel name="T"
          type="integer" units="ms"/></traceFormat><context xml:id="c" traceFormatRef="#f"/>
          </definitions><annotation type="truth">a</annotation><traceGroup xml:id="g">
          <trace xml:id="t" contextRef="#c">1 2 3, '4 '5 '1, "1 "1 "1, 2 2 2, *1 ? 7</trace>
          </traceGroup><traceView traceDataRef="#t"/></ink>
          """.utf8)
      ]
    }, read: readInk),
  Fuzzer(
    "ink-formats",
    dictionary: [
      "\"points\":", "\"strokes\":", "\"x\":", "\"y\":", "\"type\":\"excalidraw\"", "\"elements\":",
      "\"freedraw\"", "\"requests\":", "\"ink\":", "<svg", "<path d=\"M0 0", "C", "A", "z",
      "<use href=\"#a\"",
      "transform=\"matrix(", "viewBox=", "<polyline points=", "<StrokeSet>", "<Stroke>",
      "<Point x=\"1\"", ".COORD X Y", ".PEN_DOWN", ".PEN_UP", ".SEGMENT A 0-1 ? \"a\"", ".DT",
    ],
    seeds: {
      [
        #"[{"penColor":"black","points":[{"time":1,"x":1,"y":2,"pressure":0.5},{"x":3,"y":4}]}]"#,
        #"{"strokes":[{"points":[{"x":1,"y":2,"t":0}]}],"label":"a"}"#,
        #"{"type":"excalidraw","elements":[{"type":"freedraw","x":1,"y":2,"angle":1,"points":[[0,0],[3,4]]}]}"#,
        #"{"requests":[{"ink":[[[1,2],[3,4],[5,6]]]}]}"#,
        "<StrokeSet><Stroke><Point x='1' y='2' time='3'/></Stroke></StrokeSet>",
        """
        <svg width="1in" height="1in" viewBox="0 0 9 9"><style>.a{fill:none}</style><g id="a" transform="rotate(3)">
        <path class="a" d="M0 0l1 1C1 2 3 4 5 6s1 2 3 4Q1 2 3 4t5 6A1 2 3 0 1 4 5z"/><circle r="3"/></g>
        <use href="#a" x="1"/><polyline points="1 2 3 4"/></svg>
        """,
        ".COORD X Y T\n.HIERARCHY A\n.SEGMENT A 0-1:0,1 ? \"a\"\n.PEN_DOWN\n1 2 3\n.PEN_UP\n4 5 6\n",
      ].map { Data($0.utf8) }
    }, read: readInk),
  Fuzzer(
    "xml",
    dictionary: [
      "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "<!DOCTYPE a [", "<!ENTITY", "]>", "<a>",
      "</a>",
      "<a/>", "&lt;", "&#0;", "&#1114112;", "xml:id", "<!--", "--", "]]>", "\u{FEFF}", "\0<", "<\0",
    ],
    seeds: {
      let text = "<a b='c' xml:id=\"d\">&lt;e&#x41;<f/><!-- g --><![CDATA[h]]></a>"
      return [
        Data(text.utf8), text.data(using: .utf16)!, text.data(using: .utf16BigEndian)!,
        Data(("<?xml version='1.0' encoding='ISO-8859-1'?>" + text).utf8),
      ]
    },
    read: { data in
      _ = XMLTreeParser.rootName(ofPrefix: data)
      _ = try XMLTreeParser().parse(data)
    }),
]
