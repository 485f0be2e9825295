import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkImageIO
import InkRaster
import SafeFiles
import Testing
import TestSupport

/// The commands that read data sets and classify, on inputs of all kinds.
@Suite(.timeLimit(.minutes(30))) struct DatasetCommandTests {
  private let folder: TemporaryFolder
  private let line = #"{"word":"line","drawing":[[[0,100,200],[0,3,0]]]}"# + "\n"

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ words: String, prefix: String = "") throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder, prefix: prefix)
  }

  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// Whether a text can move no cursor and colour nothing.
  private func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0 == "\n" || !(($0.value < 0x20) || (0x7F..<0xA0).contains($0.value))
    }
  }

  // MARK: Pipes

  @Test func pipesAreReadFromTheirFirstByte() throws {
    try folder.write("a.ndjson", String(repeating: line, count: 3000))
    try folder.write("a.inkml", "<ink><trace>1 2, 90 30, 200 5</trace></ink>")
    try folder.write("a.png", PNG.encode(Rasterizer.standard.render(circle(radius: 50))))
    for (name, count) in [("a.ndjson", 3000), ("a.inkml", 1), ("a.png", 1)] {
      let file = try run("classify \(name)")
      #expect(file.status == 0 && file.output.split(separator: "\n").count == count)
      let pipe = try run("classify /dev/stdin", prefix: "cat \(name) |")
      #expect(pipe.status == 0, "\(pipe.errors)")
      #expect(pipe.output == file.output.replacing(name, with: "/dev/stdin"))
    }
    let released = "\(Self.package)/models/inkstate.safetensors"
    for command in ["classify --model /dev/stdin a.inkml", "inspect /dev/stdin"] {
      let result = try run(command, prefix: "cat \(released) |")
      #expect(result.status == 0 && !result.output.isEmpty, "\(result.errors)")
    }
    try folder.write("plain.json", "{}")
    let previewed = try run(
      "dataset preview a.inkml --map x=y --augment /dev/stdin -o p.png", prefix: "cat plain.json |")
    #expect(!previewed.errors.contains("--augment"))
    let described = try run("dataset describe /dev/stdin", prefix: "cat a.ndjson |")
    #expect(described.output.hasPrefix("3000 examples of 1 class\n"), "\(described.errors)")
    let imported = try run("dataset import /dev/stdin -o b.ndjson", prefix: "cat a.ndjson |")
    #expect(imported.output == "3000 examples of 1 label in b.ndjson\n")
  }

  // MARK: What is said

  @Test func labelsThatDoNotOccurAreNamed() throws {
    try folder.write("a.ndjson", line + line.replacing("line", with: "ring"))
    try folder.write("b.ndjson", line.replacing("line", with: "star"))
    var result = try run(
      "dataset import a.ndjson b.ndjson --map cirlce=state --map star=other --drop lnie -o c.ndjson"
    )
    #expect(
      result.errors == """
        --map: no example has the label `cirlce`; the labels are line, ring, star
        --drop: no example has the label `lnie`; the labels are line, ring, star

        """)
    #expect(result.status == 0 && result.output == "3 examples of 3 labels in c.ndjson\n")
    result = try run("dataset import a.ndjson --map line=l --drop ring -o d.ndjson")
    #expect(!result.errors.contains("no example has"))
    result = try run("dataset describe a.ndjson --drop x")
    #expect(
      result.errors.contains("--drop: no example has the label `x`; the labels are line, ring"))
  }

  @Test(arguments: [
    ("--map line=a --map line=b", "--map: two new names for `line`, `a` and `b`; give one"),
    ("--map line=a --drop line", "`line` is in both --map and --drop; give one of them"),
  ])
  func labelsHaveOneFate(options: String, message: String) throws {
    try folder.write("a.ndjson", line)
    let result = try run("dataset describe a.ndjson \(options)")
    #expect(result.status == 64 && result.errors.hasPrefix("Error: \(message)\n"))
    // Saying the same twice does no harm.
    let twice = try run("dataset describe a.ndjson --map line=a --map line=a")
    #expect(twice.status == 0)
    let calibrated = try run("calibrate m a.ndjson --except a=0.1 --except a=0.2 -o c")
    #expect(
      calibrated.errors.hasPrefix("Error: --except: two different shares for `a`, 0.1 and 0.2"))
  }

  @Test func inkAndPicturesInOneFolderAreNeverSilent() throws {
    let picture = try PNG.encode(Rasterizer.standard.render(circle(radius: 50)))
    try folder.write("mix/a.ndjson", line + line.replacing("line", with: "ring"))
    for name in ["1", "2"] { try folder.write("mix/pictures/\(name).png", picture) }
    try folder.write("mix/notes.txt", "x")
    let said = """
      skipped: 2 pictures (mix/pictures/1.png first)
      skipped: 1 other file (mix/notes.txt)

      """
    var result = try run("dataset describe mix")
    #expect(result.errors == said && result.output.hasPrefix("2 examples of 2 classes\n"))
    result = try run("dataset import mix -o b.ndjson")
    #expect(result.errors == said && result.output == "2 examples of 2 labels in b.ndjson\n")
    result = try run("train mix --epochs 1 -o m.safetensors")
    #expect(result.status == 0 && result.errors.hasPrefix(said))
    // JSON and XML of other kinds often lie beside pictures.
    try FileManager.default.removeItem(atPath: "\(folder.path)/mix/a.ndjson")
    try folder.write("mix/about.json", "{}")
    try folder.write("mix/pictures/1.xml", "<annotation/>")
    result = try run("dataset describe mix")
    #expect(result.output.hasPrefix("2 examples of 1 class\n"))
    #expect(result.errors.hasPrefix("skipped: 3 other files (mix/about.json first)\n"))
  }

  @Test func inkBesideArraysIsNamed() throws {
    _ = try run("dataset synthesize --writers 2 --per-class 1 --form npy -o arrays")
    try folder.write("arrays/a.ndjson", line)
    let result = try run("dataset describe arrays")
    #expect(result.errors.hasPrefix("skipped: 1 ink file (arrays/a.ndjson)\n"))
    #expect(result.output.hasPrefix("8 examples of 4 classes\n"))
  }

  @Test func classifyTellsWhereThereIsNothingToClassify() throws {
    try folder.write("notes/README.md", "not ink")
    try folder.write("none.inkml", "<ink></ink>")
    try folder.write("good.ndjson", line)
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
    for (path, message) in [
      ("empty", "empty: expected ink or pictures, found an empty folder"),
      ("notes", "notes: expected ink or pictures, found 1 other file (notes/README.md)"),
      ("none.inkml", "none.inkml: expected drawings, found none"),
    ] {
      let result = try run("classify \(path) good.ndjson")
      #expect(result.status == 2 && result.errors == "not read: \(message)\n")
      #expect(result.output.hasPrefix("good.ndjson:1: "))
    }
  }

  @Test func aFileOfAnotherKindGetsOneLine() throws {
    try folder.write("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n")
    try folder.write("README.ndjson", "# Ink\n\nNot ink.\n")
    var result = try run("classify a.json README.ndjson")
    #expect(result.status == 2 && result.output.isEmpty)
    var lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix("not read: a.json, line 1: ")
        && lines[0].hasSuffix("; 3 more could not be read"))
    #expect(
      lines[1].hasPrefix("not read: README.ndjson, line 1: ")
        && lines[1].hasSuffix("; 1 more could not be read"))
    // Among good ones, every bad one is named.
    try folder.write("b.ndjson", "{\n{\n" + line + "{\n")
    result = try run("classify b.ndjson")
    #expect(result.status == 2 && result.output.hasPrefix("b.ndjson:3: "))
    lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3)
    for (line, number) in zip(lines, [1, 2, 4]) {
      #expect(line.hasPrefix("not read: b.ndjson, line \(number): "))
    }
  }

  @Test func classifyTellsWhichPicturesWereInverted() throws {
    let picture = try Rasterizer.standard.render(circle(radius: 50))
    try folder.write("dark.png", PNG.encode(picture.inverted()))
    try folder.write("light.png", PNG.encode(picture))
    try folder.write("ink.ndjson", line)
    var result = try run("classify dark.png light.png ink.ndjson")
    #expect(result.errors == "dark.png: dark ink on a light background, inverted\n")
    result = try run("classify --format json dark.png light.png ink.ndjson")
    let answers = try result.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(answers.map { $0?["inverted"] as? Bool } == [true, false, nil])
    #expect(result.errors.isEmpty)
    result = try run("classify --format json --polarity light dark.png")
    #expect(result.output.contains(#""inverted":false"#))
    result = try run("classify --polarity dark light.png")
    #expect(result.errors.isEmpty)
  }

  @Test func manyExamplesAreAnnouncedAndCompared() throws {
    _ = try run("dataset synthesize --writers 50 --per-class 50 --form npy -o pictures")
    let result = try run("dataset describe pictures")
    #expect(result.status == 0 && result.output.hasPrefix("10000 examples of 4 classes\n"))
    #expect(result.errors.hasSuffix("comparing 10000 examples with one another\n"))
  }

  @Test func controlCharactersFromFilesAreEscaped() throws {
    let word = #"{"word":"a\u001b[31m\u009b5m\u202e\n","writer":"w\u0007","#
    let drawing = #""source":"s\u001b","drawing":[[[0,100],[0,3]]]}"#
    try folder.write("a\u{1B}]0;x.ndjson", word + drawing + "\n" + word + drawing + "\n{oops\n")
    let name = "a\u{1B}]0;x.ndjson"
    for arguments in [
      ["classify", name], ["classify", "--format", "json", name], ["classify", "none\u{1B}[2J"],
      ["dataset", "describe", name], ["dataset", "describe", "--json", name],
      ["dataset", "describe", "none\u{1B}[2J"], ["dataset", "import", name, "-o", "i.ndjson"],
      ["dataset", "split", name, "-o", "s\u{1B}"],
      ["dataset", "preview", name, "-o", "p\u{1B}.png"],
      ["dataset", "render", name, "-o", "r"], ["dataset", "split", name, "--fold", "9\u{1B}"],
      ["dataset", "describe", name, "--map", "x\u{1B}=y"],
    ] {
      let result = try inkstate(arguments, in: folder)
      #expect(isPlain(result.output) && isPlain(result.errors), "\(arguments)")
      #expect(!(result.output + result.errors).isEmpty)
    }
    let result = try inkstate(["dataset", "describe", name], in: folder)
    #expect(result.output.contains(#"a\u001b[31m\u009b5m\u202e\n"#))
    #expect(result.errors.contains(#"a\u001b]0;x.ndjson, line 3"#))
    // The escapes of JSON are JSON's.
    let json = try inkstate(["dataset", "describe", "--json", name], in: folder).output
    let same = try inkstate(["dataset", "describe", "--format", "json", name], in: folder)
    #expect(same.output == json)
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect((object?["counts"] as? [String: Any])?.keys.first == "a\u{1B}[31m\u{9B}5m\u{202E}\n")
  }

  // MARK: Bad and large input

  @Test(.disabled(if: hasSanitizer))
  func anArchiveThatUnfoldsIsReadOnlyAsFarAsItsHeaderSays() throws {
    try folder.write(
      "limited",
      """
      mkdir bomb
      printf '\\0\\0\\010\\1\\0\\0\\0\\2\\1\\2' > bomb/labels-idx1-ubyte.gz
      (printf '\\0\\0\\010\\3\\0\\0\\0\\2\\0\\0\\0\\034\\0\\0\\0\\034'; head -c 1G /dev/zero) |
        gzip -1 > bomb/images-idx3-ubyte.gz
      ulimit -v 1000000
      exec "$@"
      """)
    // Unpacked as a whole it would need more than the limit.
    let result = try run("dataset describe bomb", prefix: "bash limited")
    #expect(
      result.errors == "Error: bomb/images-idx3-ubyte.gz: expected 1568 values, found more\n")
    #expect(result.status == 1)
  }

  @Test func xmlThatEndedTheProcessIsAnError() throws {
    let body = Data("<Gesture><Po".utf8) + [0xFF] + Data("int X='1' Y='2'/></Gesture>".utf8)
    try folder.write("a.xml", Data("<?xml version=\"1.0\" encoding=\":tf-8\"?>".utf8) + body)
    try folder.write("b.xml", Data("<?xml version=\"1.0\" encoding=\"utf8\"?>".utf8) + body)
    try folder.write("c.xml", Data("<!-- encoding=\"latin1\" -->".utf8) + body)
    for name in ["a.xml", "b.xml", "c.xml"] {
      for command in ["classify \(name)", "dataset import \(name) -o o", "automaton check \(name)"]
      {
        let result = try run(command)
        #expect([1, 2].contains(result.status), "\(command): \(result.status)")
        #expect(result.errors.contains("\(name), line 1") || command.hasPrefix("automaton"))
        #expect(!result.errors.isEmpty)
      }
    }
  }

  @Test func linksThatLeadOutOfAFolderAreNamed() throws {
    try folder.write("real/a.ndjson", line)
    try folder.write("data/z/b.ndjson", line)
    for (link, target) in [("out", "../real"), ("file.ndjson", "../real/a.ndjson"), ("in", "z")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/data/\(link)", withDestinationPath: target)
    }
    let reason = "expected a file of this folder, found a link that leads out of it\n"
    let described = try run("dataset describe data")
    #expect(described.output.hasPrefix("1 example of 1 class\n"))
    #expect(described.errors.contains("left out: data/file.ndjson: \(reason)"))
    let classified = try run("classify data")
    #expect(
      classified.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
        == ["data/z/b.ndjson:1:"])
    #expect(classified.status == 2)
    for name in ["file.ndjson", "out"] {
      #expect(classified.errors.contains("not read: data/\(name): \(reason)"))
    }
  }

  @Test func aClassOfPicturesIsNoLinkToElsewhere() throws {
    for path in ["data/a/1.png", "elsewhere/2.png"] {
      let picture = Bitmap(width: 4, height: 4, pixels: [255] + [UInt8](repeating: 0, count: 15))
      try folder.write(path, PNG.encode(picture))
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/data/b", withDestinationPath: "../elsewhere")
    let loaded = try Dataset.load("\(folder.path)/data")
    #expect(loaded.dataset.labels == ["a"] && loaded.dataset.examples.count == 1)
    #expect(loaded.failures.count == 1 && loaded.failures[0].contains("leads out of it"))
    #expect(loaded.skipped.isEmpty)
  }

  // MARK: Help

  @Test func linesAreComposedOfCharactersAndShown() throws {
    _ = try run("dataset synthesize --repertoire digits --writers 3 --per-class 2 -o digits.ndjson")
    var result = try run(
      "dataset compose lines digits.ndjson --per-writer 4 --seed 2 -o lines.ndjson")
    // Digits alone give symbols, lists, numbers and spellings of the empty word.
    #expect(result.status == 0, "\(result.errors)")
    let lines = try Dataset.load("\(folder.path)/lines.ndjson").dataset
    let others = lines.examples.filter { $0.label == "\u{FFFD}" }
    #expect((7...9).contains(100 * others.count / lines.examples.count))
    #expect(
      result.output
        == "\(lines.examples.count - others.count) lines composed by 3 writers, and "
        + "\(others.count) drawings that are no writing, in lines.ndjson\n")
    #expect(Set(lines.examples.filter { $0.label != "\u{FFFD}" }.compactMap(\.writer)).count == 3)
    result = try run(
      "dataset compose lines digits.ndjson --no-writing 0 --per-writer 4 -o pure.ndjson")
    #expect(result.output.hasSuffix(" lines composed by 3 writers in pure.ndjson\n"))
    #expect(lines.examples.contains { $0.label.contains(",") && $0.kind == "composed list" })
    result = try run("dataset preview lines.ndjson --lines --rows 1 -o lines.png")
    #expect(result.status == 0 && result.output.hasSuffix(" lines on lines.png\n"))
    #expect(try PNG.read(path: "\(folder.path)/lines.png").height > 100)
    result = try run(
      "dataset preview lines.ndjson --lines --augmented --columns 2 --rows 1 -o v.png")
    #expect(result.status == 0, "\(result.errors)")
    // Each example is beside a variation of it.
    #expect(
      try PNG.read(path: "\(folder.path)/v.png") != PNG.read(path: "\(folder.path)/lines.png"))
    result = try run("dataset compose lines digits.ndjson --no-writing 1 -o a")
    #expect(result.status == 64 && result.errors.contains("--no-writing must be from 0.0 to 0.9"))
    try folder.write("years.txt", "2001\n  1984 \n")
    result = try run(
      "dataset compose lines digits.ndjson --words years.txt --per-writer 20 -o years.ndjson")
    #expect(result.status == 0, "\(result.errors)")
    let years = try Dataset.load("\(folder.path)/years.ndjson").dataset.examples
      .filter { $0.kind == "composed word" }.map(\.label)
    #expect(Set(years).isSuperset(of: ["2001", "1984"]))
    try folder.write("blank.txt", " \n\t\n")
    for (words, message) in [
      ("blank.txt", "blank.txt: expected words, one per line, found none"),
      ("absent.txt", "absent.txt: expected words in UTF-8, one per line, found no text"),
    ] {
      result = try run("dataset compose lines digits.ndjson --words \(words) -o a")
      #expect(result.status == 1 && result.errors.contains(message), "\(result.errors)")
    }
    try folder.write("a.ndjson", line)
    result = try run("dataset compose lines a.ndjson -o b.ndjson")
    #expect(
      result.status == 1
        && result.errors.contains(
          "a.ndjson: expected single characters with points and known writers, found none")
    )
  }

  @Test func drawingsOfAutomataAreComposedWithTheirTruth() throws {
    var result = try run("dataset compose automata --writers 2 --per-writer 3 -o drawings.ndjson")
    #expect(result.output == "6 drawings composed by 2 writers in drawings.ndjson\n")
    var drawings = try Dataset.load("\(folder.path)/drawings.ndjson").dataset.examples
    #expect(drawings.count == 6 && drawings.allSatisfy { $0.attributes["automaton"] != nil })
    result = try run(
      "dataset compose automata --known --writers 1 --per-writer 1 -o known.ndjson")
    #expect(result.output.hasPrefix("7 drawings"))
    _ = try run("dataset synthesize --repertoire digits --writers 3 --per-class 2 -o digits.ndjson")
    result = try run(
      "dataset compose automata digits.ndjson --per-writer 2 --seed 2 -o numbered.ndjson")
    #expect(result.status == 0, "\(result.errors)")
    drawings = try Dataset.load("\(folder.path)/numbered.ndjson").dataset.examples
    #expect(Set(drawings.compactMap(\.writer)).count == 3)
    for (options, message) in [
      ("automata", "give a data set, or --writers for synthetic drawings"),
      ("automata digits.ndjson --writers 2", "but not both"),
      ("digits.ndjson --known", "Unknown option '--known'"),
    ] {
      result = try run("dataset compose \(options) -o a.ndjson")
      #expect(result.status == 64 && result.errors.contains(message), "\(options)")
    }
    result = try run("dataset compose automata digits.ndjson --known -o a.ndjson")
    #expect(
      result.status == 1
        && result.errors.contains("digits.ndjson: expected a writer with the letters and digits"))
    result = try run("dataset compose automata --writers 1 --shapes digits.ndjson -o a.ndjson")
    #expect(
      result.status == 1 && result.errors.contains("digits.ndjson: expected rings and arrows"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/a.ndjson"))
  }

  @Test func photographsReplaceThoseOfBefore() throws {
    let photographs = "dataset photograph \(Self.package)/Examples/Drawings/mod3.ndjson"
    for options in ["", "--force"] {
      let result = try run("\(photographs) \(options) -o photographs")
      #expect(result.status == 0, "\(result.errors)")
    }
    let pictures = "\(folder.path)/photographs/pictures"
    #expect(try FileTree.files(below: pictures).count == 1)
    // The truth is the drawing in the picture.
    func only(_ path: String) throws -> Recording {
      var recordings: [Recording] = []
      try InkFile(path: path).forEach { recordings.append(try $0.result.get()) }
      return try #require(recordings.first)
    }
    let drawn = try only("\(Self.package)/Examples/Drawings/mod3.ndjson")
    let truth = try only("\(folder.path)/photographs/truth.ndjson")
    let picture = try Photograph.read(path: "\(pictures)/00001.jpg")
    #expect(truth.drawing.strokes.map(\.points.count) == drawn.drawing.strokes.map(\.points.count))
    #expect(
      truth.drawing.strokes.flatMap(\.points).map(\.time)
        == drawn.drawing.strokes.flatMap(\.points).map(\.time))
    let bounds = try #require(truth.drawing.bounds)
    #expect(bounds.minX > 0 && bounds.maxX < Double(picture.width))
    #expect(bounds.minY > 0 && bounds.maxY < Double(picture.height))
    let diagram = try #require(try Diagram(attributes: truth.attributes))
    for state in diagram.states {
      let rings = zip(truth.drawing.strokes, diagram.strokes).filter { $1.element == state.id }
        .filter { $1.role == .state }.map { Drawing([$0.0]).bounds! }
      let ring = try #require(rings.max { $0.longerSide < $1.longerSide })
      #expect(state.center.distance(to: Vector(ring.center)) < 0.3 * state.radius)
      #expect((0.75...1.35).contains(ring.longerSide / 2 / state.radius))
    }
  }

  @Test func writingIsCutOutOfPages() throws {
    try folder.write("words.txt", "quagga\nibex\n")
    let compose = "dataset compose pages --writers 2 --count 12 --width 480 --height 480 --seed 9"
    var result = try run("\(compose) --legible --words words.txt -o pages")
    #expect(result.status == 0, "\(result.errors)")
    result = try run("dataset cut labels pages -o labels")
    #expect(result.status == 0, "\(result.errors)")
    let texts = try String(contentsOfFile: "\(folder.path)/labels/labels.tsv", encoding: .utf8)
    let rows = texts.split(separator: "\n").dropFirst().map { $0.split(separator: "\t") }
    let pages = try PageTruth.read(folder: "\(folder.path)/pages")
    let (truth, first) = (pages.values, try #require(pages.keys.min()))
    let written = Set(truth.flatMap { $0.writing ?? [] }.map(\.label))
    #expect(rows.count > 5 && rows.allSatisfy { written.contains(String($0[1])) })
    #expect(written.contains { !$0.ranges(of: /(?i)quagga|ibex/).isEmpty })
    #expect(Set(rows.map { String($0[2]) }).isSubset(of: truth.compactMap(\.writer)))
    // Writing that lacks a text, and a truth without writing.
    let truthPath = URL(fileURLWithPath: "\(folder.path)/pages/truth.json")
    let json = try String(contentsOf: truthPath, encoding: .utf8)
    for (name, text, message) in [
      (
        "blank", json.replacing(#/"text":"[^"]*"/#, with: "\"text\":\" \""),
        "expected pages with writing"
      ),
      (
        "unwritten", json.replacing("\"writing\"", with: "\"other\""), "expected pages with writing"
      ),
      (
        "far", json.replacing("\"strokes\":[[[", with: "\"strokes\":[[[1e300,1],["),
        "coordinates of at most"
      ),
    ] {
      try text.write(to: truthPath, atomically: true, encoding: .utf8)
      result = try run("dataset cut labels pages -o \(name)")
      #expect(result.status == 1 && result.errors.contains(message), "\(name): \(result.errors)")
    }
    try json.write(to: truthPath, atomically: true, encoding: .utf8)
    try FileManager.default.removeItem(atPath: "\(folder.path)/pages/pictures/\(first)")
    result = try run("dataset cut labels pages -o none")
    #expect(
      result.status == 1
        && result.errors.contains("pages/\(first): expected a picture, which truth.json names"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/none"))
  }

  /// Composes pages, and returns what `dataset cut` measures of each.
  private func measuresOfPages(
    _ what: String, count: Int, options: String = ""
  ) throws -> [[String: Any]] {
    let composed = try run(
      "dataset compose pages --writers 2 --count \(count) --width 480 --height 480 --seed 5 \(options) -o pages"
    )
    #expect(composed.status == 0, "\(composed.errors)")
    let result = try run("dataset cut \(what) pages -o \(what).ndjson")
    #expect(result.status == 0, "\(result.errors)")
    let rows = try measures("\(what).ndjson")
    let truth = try PageTruth.read(folder: "\(folder.path)/pages")
    #expect(rows.compactMap { $0["picture"] as? String } == truth.keys.sorted() && !rows.isEmpty)
    return rows
  }

  /// The objects in a file of NDJSON.
  private func measures(_ name: String) throws -> [[String: Any]] {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
      .split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
  }

  @Test func linesOfPagesAreMeasured() throws {
    let rows = try measuresOfPages("arrows", count: 12)
    let lines = rows.flatMap { $0["lines"] as? [[String: Any]] ?? [] }
    #expect(lines.contains { $0["isChosen"] as? Bool == true })
    #expect(lines.contains { $0["isChosen"] as? Bool == false })
    for (isShortestPath, count) in [(false, 28), (true, 32)] {
      let own = lines.filter { $0["isShortestPath"] as? Bool == isShortestPath }
      #expect(Set(own.map { ($0["values"] as? [Double])?.count }) == [count])
    }
    func counts(_ key: String) -> Set<Int?> {
      Set(
        rows.flatMap { $0[key] as? [[String: Any]] ?? [] }
          .map { ($0["values"] as? [Double])?.count })
    }
    #expect(counts("heads") == [13] && counts("initialLines") == [38])
    #expect(counts("initialHeads") == [13])
    let again = try run("dataset cut arrows pages -o arrows.ndjson")
    #expect(again.status == 1 && again.errors.contains("--force"))
    let none = try run("dataset cut arrows \(folder.path)/nothing -o none.ndjson")
    #expect(none.status == 1 && none.errors.contains("truth.json"))
    try FileManager.default.removeItem(atPath: "\(folder.path)/pages/pictures/000001.png")
    let lost = try run("dataset cut arrows pages -o lost.ndjson")
    #expect(
      lost.status == 1
        && lost.errors.contains("pages/000001.png: expected a picture, which truth.json names"))
  }

  @Test func rowsOfPagesAreMeasured() throws {
    let rows = try measuresOfPages("rows", count: 12, options: "--legible")
    let blocks = rows.flatMap { $0["blocks"] as? [[String: Any]] ?? [] }
    let divisions = blocks.map { $0["divisions"] as? [[String: Any]] ?? [] }
    #expect(divisions.contains { $0.count > 1 } && divisions.allSatisfy { !$0.isEmpty })
    let values = divisions.map { $0.compactMap { $0["values"] as? [Double] } }
    #expect(values.joined().allSatisfy { $0.count == 7 })
    // The known rows are first.
    #expect(values.allSatisfy { $0[0][2] == 1 && $0.dropFirst().allSatisfy { $0[2] == 0 } })
  }

  @Test func turnsOfPagesAreMeasured() throws {
    let rows = try measuresOfPages("turns", count: 6, options: "--legible")
    let turns = rows.map { $0["turns"] as? [[String: Any]] ?? [] }
    #expect(turns.contains { $0.count == 4 } && turns.allSatisfy { [0, 4].contains($0.count) })
    for turn in turns.joined() {
      #expect((turn["sureness"] as? Double).map { $0 < 0 } == true)
      guard let writing = turn["writing"] as? [String: Double] else { continue }
      #expect(Set(writing.keys) == ["characterCount", "legibility", "markCount"])
      #expect((-1.0...0).contains(writing["legibility"] ?? 1))
    }
    #expect(turns.joined().contains { $0["writing"] != nil })
    // A page that lies is not measured.
    let file = "\(folder.path)/pages/truth.json"
    var pages = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
        as? [String: [String: Any]])
    for name in pages.keys { pages[name]?["turned"] = 90 }
    try JSONSerialization.data(withJSONObject: pages).write(to: URL(filePath: file))
    #expect(try run("dataset cut turns pages -o lying.ndjson").status == 0)
    let lying = try measures("lying.ndjson")
    #expect(
      lying.count == rows.count && lying.allSatisfy { ($0["turns"] as? [Any])?.isEmpty == true })
  }

  // MARK: Ink of other programs

  @Test func inkOfOtherProgramsIsReadByEveryCommand() throws {
    let pad = #"[{"points":[{"x":0,"y":0},{"x":50,"y":40},{"x":90,"y":0}]}]"#
    try folder.write("pad.json", pad)
    try folder.write("a.svg", "<svg><path d='M0 0L50 40 90 0'/><text>b</text></svg>")
    try folder.write(
      "m.inkml",
      """
      <ink><annotation type="label">x</annotation><annotation type="normalizedLabel">y</annotation>
      <trace>0 0, 50 40, 90 0</trace><trace type="penUp">90 0, 0 0</trace></ink>
      """)
    for file in ["pad.json", "a.svg", "m.inkml"] {
      for command in ["classify", "read", "automaton recognize"] {
        let result = try run("\(command) \(file)")
        #expect(result.status == 0 && result.output.hasPrefix(file), "\(result.errors)")
      }
    }
    let refused = try run("dataset import pad.json --output a.ndjson")
    #expect(refused.status == 1 && refused.errors.contains("1 recording without a label"))
    #expect(try run("dataset import pad.json a.svg --label v --output a.ndjson").status == 0)
    let written = try String(contentsOfFile: "\(folder.path)/a.ndjson", encoding: .utf8)
    #expect(
      written
        == String(repeating: #"{"drawing":[[[0,50,90],[0,40,0]]],"word":"v"}"# + "\n", count: 2))
    let usual = try run("dataset describe m.inkml")
    #expect(
      usual.output.contains("y") && usual.errors.contains("ignored: pen-up traces in m.inkml"))
    let chosen = try run("dataset import m.inkml --label-annotation label --output b.ndjson")
    #expect(chosen.status == 0)
    #expect(
      try String(contentsOfFile: "\(folder.path)/b.ndjson", encoding: .utf8)
        .contains(#""word":"x""#))
    let svg = try run("classify a.svg")
    #expect(svg.errors == "ignored: <text> elements in a.svg\n")
  }
}
