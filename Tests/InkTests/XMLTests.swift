import Foundation
import SeededRandom
import Testing
import TestSupport
import XMLTree

@testable import Ink

@Suite(.timeLimit(.minutes(30))) struct XMLTests {
  private func parse(_ bytes: some Sequence<UInt8>) throws -> XMLElementTree {
    try XMLTreeParser().parse(Data(bytes))
  }

  /// The error in one line, or `nil`.
  private func problem(_ bytes: some Sequence<UInt8>) -> String? {
    do {
      _ = try XMLTreeParser().parse(Data(bytes))
      return nil
    } catch {
      return "line \(error.line): expected \(error.expected), found \(error.found)"
    }
  }

  @Test func elementsAttributesAndTextAreRead() throws {
    let root = try parse(
      """
      <?xml version='1.0' standalone="no"?><?style a?>
      <!DOCTYPE a SYSTEM "a.dtd" [ <!ELEMENT a (b*)> <!-- > ] --> ]>
      <!-- <b> -->
      <n:a xmlns:n="u" xmlns="v" n:id='1' id="2&lt;&#x41;&#66;
      c" >one&amp;<b/ ><![CDATA[<&]]>two<n:b
      x="é"></n:b></n:a>
      <!-- end -->
      """.replacing("<b/ >", with: "<b />").utf8)
    #expect(root.name == "a" && root.line == 4)
    #expect(root.attributes == ["id": "2<AB c"])
    #expect(root.text == "one&<&two")
    #expect(root.children.map(\.name) == ["b", "b"] && root.children.map(\.line) == [5, 5])
    #expect(root.children(named: "b")[1].attributes == ["x": "é"])
  }

  @Test(arguments: [
    "UTF-8", "utf8", "Utf_8", "ISO-8859-1", "iso_8859-1", "latin1", "Latin-1", "ISO_8859-1:1987",
    "UTF-16",
  ])
  func everyDeclaredEncodingIsDecoded(name: String) throws {
    let text = "<?xml version=\"1.0\" encoding='\(name)'?>\r\n<a b=\"ä\">ß\r\n</a>\r\n"
    let isLatin1 = name.lowercased().contains("l") || name.contains("8859")
    if name != "UTF-16" {
      let bytes = isLatin1 ? text.unicodeScalars.map { UInt8($0.value) } : Array(text.utf8)
      let root = try parse(bytes)
      #expect(root.attributes == ["b": "ä"] && root.text == "ß\n" && root.line == 2)
    }
    // A byte-order mark says more than a declaration.
    let units = Array("\u{FEFF}\(text.replacing("ß", with: "ß😀"))".utf16)
    for bytes in [
      units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
      units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] },
    ] {
      let root = try parse(bytes)
      #expect(root.attributes == ["b": "ä"] && root.text == "ß😀\n" && root.line == 2)
    }
    #expect(try parse(Array("\u{FEFF}\(text)".utf8)).text == "ß\n")
  }

  /// The first three ended the process as long as the system's parser saw the bytes.
  @Test(
    arguments: [
      (
        Array("<?xml version=\"1.0\" encoding=\":tf-8\"?><a><b".utf8) + [0xFF]
          + Array("/></a>".utf8),
        "line 1: expected UTF-8, UTF-16 with a byte-order mark, or ISO-8859-1 as the encoding, "
          + "found `:tf-8`"
      ),
      (
        Array("<?xml version=\"1.0\" encoding=\"utf8\"?>\n<a><b".utf8) + [0xFF]
          + Array("/></a>".utf8), "line 2: expected text in UTF-8, found other bytes"
      ),
      (
        Array("<!-- encoding='latin1' -->\n\n<a><b".utf8) + [0xFF] + Array("/></a>".utf8),
        "line 3: expected text in UTF-8, found other bytes"
      ),
      (Array("<?xml encoding='utf-16'?><a/>".utf8), "line 1: expected UTF-8, UTF-16 with a"),
      (Array("<?xml encoding='koi8-r'?><a/>".utf8), "found `koi8-r`"),
      ([0xFF, 0xFE, 0x3C], "expected text in UTF-16, found an odd number of bytes"),
      ([0xFE, 0xFF, 0x00, 0x3C, 0xD8, 0x00, 0x00, 0x3C], "text in UTF-16, found half a character"),
      (Array("<a>\n\0</a>".utf8), "line 2: expected text without control characters, found a zero"),
      (Array("<a>\u{1B}</a>".utf8), "found U+001B"),
      (Array("<?xml version='1.0'".utf8), "found no end of the XML declaration"),
      (
        Array(" <?xml version='1.0'?><a/>".utf8),
        "found an XML declaration that is not at the start"
      ),
      (
        Array("<?xml version='1.0'?><?xml version='1.0' encoding=':tf-8'?><a/>".utf8),
        "found an XML declaration that is not at the start"
      ),
    ] as [([UInt8], String)])
  func textThatCannotBeDecodedIsRefused(bytes: [UInt8], expected: String) {
    #expect(problem(bytes)?.contains(expected) == true, "\(problem(bytes) ?? "no error")")
  }

  @Test(
    arguments: [
      ("", "found an empty file"), ("   \n", "found no element"),
      ("<!-- a -->", "found no element"),
      ("a<b/>", "found text outside of the root element"),
      ("<a/>b", "found text outside of the root element"),
      ("<a/><b/>", "found a second root element"), ("<![CDATA[a]]>", "text outside of the root"),
      ("<a>\n<b></a></b>", "line 2: expected well-formed XML, found </a> without its <a>"),
      ("</a>", "found </a> without its <a>"), ("<a>", "found no end of <a>"),
      ("<a", "found the end of the file in <a"), ("<a b", "no value of the attribute `b`"),
      ("<a b=c/>", "found no quoted value of the attribute `b`"),
      ("<a b=\"c/>", "found no quoted value of the attribute `b`"),
      ("<a b=\"1\" b=\"2\"/>", "found the attribute `b` twice"),
      ("<a b=\"1\"c=\"2\"/>", "found `c` in <a"),
      ("<a b=\"<\"/>", "found `<` in the attribute `b`"),
      ("<a / >", "found ` ` in <a"), ("< a/>", "found ` ` in the name of an element"),
      ("<1/>", "found `1` in the name of an element"), ("<é", "the end of the file in <é"),
      ("<a>&b;</a>", "found `&b;`, which is no character that XML knows"),
      ("<a>&lt</a>", "found `&` without `;`"), ("<a>&</a>", "found `&` without `;`"),
      ("<a>&#0;</a>", "found `&#0;`"),
      ("<a>&#xD800;</a>", "found `&#xD800;`"), ("<a>&#x110000;</a>", "found `&#x110000;`"),
      ("<a>&#-65;</a>", "found `&#-65;`"), ("<a b='&c;'/>", "found `&c;`"),
      ("<!-- a <b/>", "found no end of a comment"), ("<?a <b/>", "found no end of an instruction"),
      ("<a><![CDATA[</a>", "found no end of a CDATA section"),
      ("<!DOCTYPE a [ <b/>", "found no end of <!DOCTYPE"),
      ("<!DOCTYPE a 'b><a/>", "found no end of a quoted text in <!DOCTYPE"),
      ("<a/><!DOCTYPE a>", "found a document type after the root element"),
      (
        "<!DOCTYPE a [\n<!ENTITY b 'bb'> <!ENTITY c '&b;&b;'>]><a>&c;</a>",
        "line 2: expected no entity declarations, found one"
      ),
      ("<!DOCTYPE a [<!ENTITY % b SYSTEM 'file:///etc/passwd'>]><a/>", "no entity declarations"),
      (String(repeating: "<a>", count: 1_000_000), "expected at most 100 nested elements"),
      (
        "<a \((0..<5000).map { "b\($0)='1'" }.joined(separator: " "))/>",
        "expected at most 1000 attributes, found more"
      ),
      (
        "<a>" + String(repeating: "<b/>", count: 1_000_000) + "</a>",
        "expected at most 1000000 elements, found more"
      ),
    ])
  func malformedFilesAreRefused(text: String, expected: String) {
    let found = problem(text.utf8)
    #expect(found?.contains(expected) == true, "\(found?.prefix(200) ?? "no error")")
  }

  @Test func inkIsReadInEveryEncoding() throws {
    let folder = try TemporaryFolder()
    let text = "<ink><annotation type=\"writer\">Zoë</annotation><trace>1 2</trace></ink>"
    let path = try folder.write(
      "a.inkml", Data("\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
    let recording = try InkFile.items(path: path)[0].result.get()
    #expect(recording.writer == "Zoë" && recording.drawing.pointCount == 1)
  }

  // MARK: Mutations

  private static let seeds = [
    """
    <?xml version="1.0" encoding="utf-8"?><!DOCTYPE Gesture [<!ELEMENT Gesture ANY>]>
    <Gesture Name="circle03" Subject="2"><!-- c --><Stroke index="1"><Point X="1" Y="2" T="3" \
    Pressure="200"/></Stroke><Stroke><Point X="4&#46;5" Y="-6e1" T="7"/></Stroke></Gesture>
    """,
    """
    <ink xmlns="http://www.w3.org/2003/InkML"><annotation type="writer">é<![CDATA[<]]></annotation>
    <inkSource id="s"><traceFormat><channel name="X" units="cm"/><channel name="Y" units="cm"/>
    <channel name="F" max="9"/></traceFormat><channelProperties><channelProperty channel="X"
    name="resolution" value="1000" units="1/cm"/></channelProperties></inkSource>
    <context id="c" inkSourceRef="#s"/><trace id="a" contextRef="#c">1 2 3, '4 "5 6, #A * ?</trace>
    <trace id="b" continuation="begin">1 2 3,4 5 6</trace>
    <trace id="d" continuation="end" priorRef="#b">!7-8+9</trace>
    <traceGroup id="g"><annotation type="truth">x</annotation><traceView id="v" traceDataRef="#b"
    from="1" to="2"/><traceView traceDataRef="#h" from="1:1" to="2"/></traceGroup>
    <traceGroup id="h"><trace>1 2 3</trace><trace>4 5 6</trace></traceGroup></ink>
    """,
  ]
  private static let insertions = [
    "<", ">", "&", "\"", "'", "/", "]]>", "<!--", "-->", "<![CDATA[", "<?xml version='1.0'?>",
    "<!DOCTYPE a [", "<!ENTITY a 'b'>", "&a;", "&#x0;", "&#99999999999;", "\0", "é", "\u{FEFF}",
    ":",
    "xmlns:", " continuation='end' priorRef='#d'", " traceDataRef='#g'", " from='2:9'", " to='0'",
    "1e308", "-", ",", "#", "*", "?", " units='mm'", "encoding=':tf-8'", "<trace>", "</trace>",
  ].map { Array($0.utf8) }

  @Test(arguments: 0..<8) func mutatedFilesGiveInkOrAnError(slice: Int) throws {
    var generator = SeededGenerator(seed: 14, stream: UInt64(slice))
    for number in 0..<500 {
      var bytes = Array(Self.seeds[number % Self.seeds.count].utf8)
      if number % 5 == 0 {
        bytes =
          [0xFF, 0xFE]
          + String(decoding: bytes, as: UTF8.self).utf16.flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8)]
          }
      }
      for _ in 0...generator.index(below: 4) {
        let place = generator.index(below: bytes.count)
        let end = min(bytes.count, place + generator.index(below: 40))
        switch generator.index(below: 5) {
        case 0: bytes[place] = UInt8(generator.index(below: 256))
        case 1: bytes[place] ^= 1 << generator.index(below: 8)
        case 2: bytes.insert(contentsOf: generator.pick(Self.insertions), at: place)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: generator.index(below: place + 1))
        default: if end - place < bytes.count { bytes.removeSubrange(place..<end) }
        }
      }
      let data = Data(bytes)
      let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
      let items: [InkFile.Item]
      do {
        items =
          number % 2 == 0
          ? [GestureXMLReader.read(data, path: "f")]
          : try InkMLReader.read(data, path: "f", labelAnnotation: nil)
      } catch let error {
        #expect((1...lines).contains(error.place.line ?? 0), "\(error)")
        continue
      }
      for item in items {
        switch item.result {
        case .success(let recording):
          #expect(
            recording.drawing.strokes.flatMap(\.points).allSatisfy {
              $0.x.isFinite && $0.y.isFinite && (0...1).contains($0.pressure ?? 0)
            })
        case .failure(let error): #expect(!error.expected.isEmpty && !error.found.isEmpty)
        }
      }
    }
  }
}
