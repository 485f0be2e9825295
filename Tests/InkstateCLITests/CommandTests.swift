import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkImageIO
import InkRaster
import InkRecognizer
import SafeFiles
import Testing
import TestSupport

@testable import InkstateCLI

/// What a command printed and how it ended.
struct CommandResult {
  var output: String
  var errors: String
  var status: Int32
}

/// Runs the `inkstate` that was built with these tests, in `folder`; `prefix` is a shell's words before
/// it.
func inkstate(
  _ arguments: [String], in folder: TemporaryFolder, input: String = "", fileLimitKB: Int? = nil,
  prefix: String = ""
) throws -> CommandResult {
  let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  let command = tests.deletingLastPathComponent().appendingPathComponent("inkstate").path
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/bash")
  // No command needs 1 GB for bad input; address space is more than memory, so the limit is wide.
  let limits =
    (fileLimitKB.map { "ulimit -f \($0); " } ?? "")
    + (hasSanitizer ? "" : "ulimit -v 6000000; ")
  process.arguments = ["-c", "\(limits)exec \(prefix) \"$0\" \"$@\"", command] + arguments
  process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
  // Files take what pipes would have to be emptied of.
  let names = ["in", "out", "err"].map { "\(folder.path)/.\($0)-\(UUID().uuidString)" }
  for (name, content) in zip(names, [input, "", ""]) {
    try Data(content.utf8).write(to: URL(fileURLWithPath: name))
  }
  process.standardInput = FileHandle(forReadingAtPath: names[0])
  process.standardOutput = FileHandle(forWritingAtPath: names[1])
  process.standardError = FileHandle(forWritingAtPath: names[2])
  try process.run()
  process.waitUntilExit()
  func text(_ name: String) -> String {
    String(decoding: FileManager.default.contents(atPath: name) ?? Data(), as: UTF8.self)
  }
  return CommandResult(
    output: text(names[1]), errors: text(names[2]), status: process.terminationStatus)
}

/// A prefix for `inkstate train` that interrupts it when it has said that it begins.
let interrupting = """
  bash -c '"$0" "$@" & until grep -q " steps on " /proc/$$/fd/2 || ! kill -0 $!; do sleep 0.05; done; \
  kill -INT $!; wait $!'
  """

@Suite(.timeLimit(.minutes(30))) struct CommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ line: String, input: String = "") throws -> CommandResult {
    try inkstate(line.split(separator: " ").map(String.init), in: folder, input: input)
  }

  @Test func fromRecordingsToAnAnswer() throws {
    var result = try run("dataset synthesize --writers 12 --per-class 4 --seed 3 -o ink.ndjson")
    #expect(result.output == "192 synthetic recordings by 12 writers in ink.ndjson\n")
    #expect(result.status == 0 && result.errors.isEmpty)

    result = try run("dataset split ink.ndjson --by writer --seed 7 -o data")
    #expect(
      result.output == """
        train          128  cycle 32, other 32, state 32, transition 32
        validation      32  cycle 8, other 8, state 8, transition 8
        test            32  cycle 8, other 8, state 8, transition 8

        """)

    result = try run("train data --epochs 2 --seed 1 --threads 2 -o m.safetensors")
    #expect(result.status == 0)
    #expect(result.output == "m.safetensors: cycle, other, state, transition\n")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 6 && lines[5].hasPrefix("warning: the last epoch still changed whether"))
    #expect(lines[0].hasPrefix("drawing: 97668 parameters, "))
    #expect(lines[1].hasPrefix("2 epochs of batches of 16, "))
    #expect(lines[3].hasPrefix("epoch 1/2  loss ") && lines[3].hasSuffix(" examples/s"))
    #expect(
      FileTree.names(in: folder.path) == [
        "data", "ink.ndjson", "m.csv", "m.safetensors", "m.svg",
      ])

    result = try run("evaluate data --model m.safetensors --html r.html --errors e.png")
    #expect(result.status == 0)
    #expect(
      result.output.hasPrefix("model m.safetensors\ndata  data (split: test)\n\nmean recall  "))
    #expect(!result.errors.contains("the model was trained on these examples"))
    result = try run("evaluate data --model m.safetensors --part train")
    #expect(result.errors.contains("note: the model was trained on these examples"))
    #expect(try PNG.read(path: "\(folder.path)/e.png").width > 28)
    #expect(FileManager.default.contents(atPath: "\(folder.path)/r.html")!.count > 1000)

    result = try run("evaluate data --model m.safetensors --part validation --format json")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    #expect(json?["part"] as? String == "validation")

    result = try run("inspect m.safetensors")
    #expect(
      result.output.contains("total" + String(repeating: " ", count: 52) + "97668        1993472"))
    #expect(result.output.contains("labels        cycle, other, state, transition"))
    #expect(
      result.output.contains("command                 inkstate train data --epochs 2 --seed 1\n"))

    result = try run("classify --model m.safetensors --format json data/test.ndjson")
    #expect(result.status == 0)
    let answers = result.output.split(separator: "\n")
    #expect(answers.count == 32)
    let first = try JSONSerialization.jsonObject(with: Data(answers[0].utf8)) as? [String: Any]
    #expect(Set(first!.keys) == ["source", "label", "probability", "rejected", "ranked"])
    #expect(first?["source"] as? String == "data/test.ndjson:1")
    #expect((first?["ranked"] as? [[Any]])?.count == 4)

    result = try run("dataset describe data")
    #expect(result.output.contains("12 writers:\n  16 to 16 examples each, median 16"))
    result = try run("dataset preview data --augmented -o p.png")
    #expect(result.output == "4 classes on p.png\n")
    result = try run("dataset render ink.ndjson --form npy -o pictures")
    #expect(result.output == "192 pictures of 28 × 28 in pictures\n")
    result = try run("train pictures --epochs 1 -o p.safetensors --validation-share 0.2")
    #expect(result.status == 0)
  }

  @Test func aModelIsCalibratedTakenApartAndAdapted() throws {
    _ = try run("dataset synthesize --writers 12 --per-class 6 --seed 3 -o ink.ndjson")
    var result = try run("dataset compose ink.ndjson --per-writer 3 --seed 1 -o composed.ndjson")
    #expect(result.status == 0 && result.output.contains("drawings composed by 12 writers"))
    result = try run("dataset preview composed.ndjson --kinds -o kinds.png")
    #expect(result.output == "8 kinds on kinds.png\n")

    _ = try run("dataset split ink.ndjson --by writer --seed 7 -o data")
    _ = try run("train data composed.ndjson --epochs 3 --threads 2 -o m.safetensors")
    result = try run("calibrate m.safetensors data --false-rejections 0.1 -o c.safetensors")
    #expect(result.status == 0 && result.output.hasPrefix("temperature "))
    #expect(result.output.split(separator: "\n").count == 5)
    result = try run("inspect c.safetensors")
    #expect(result.output.contains("state: probability at least "))
    result = try run("calibrate m.safetensors data -o m.safetensors --force")
    #expect(result.status == 1 && result.errors.contains("expected an output other than the input"))

    result = try run("evaluate data composed.ndjson --model c.safetensors --by source,angle,kind")
    #expect(result.status == 0)
    #expect(result.output.contains("\nby source "))
    #expect(result.output.contains("\nby angle "))
    #expect(result.output.contains("(split: test and whole)"))
    #expect(result.output.contains("\ncomposed bent arrow "))
    result = try run("evaluate data --by size,weather")
    #expect(
      result.status == 64 && result.errors.contains("--by: `weather` is not one of source, writer"))

    result = try run(
      "train --from c.safetensors --adapt data/test.ndjson --epochs 1 -o mine.safetensors")
    #expect(
      result.status == 0 && result.output == "mine.safetensors: cycle, other, state, transition\n")
    // What was calibrated stays.
    #expect(
      try Model.read(path: "\(folder.path)/mine.safetensors").decision
        == Model.read(path: "\(folder.path)/c.safetensors").decision)
    result = try run("train --adapt ink.ndjson -o n.safetensors")
    #expect(
      result.status == 64 && result.errors.contains("--adapt: name the model to adapt with --from"))
    result = try run("train -o n.safetensors")
    #expect(result.status == 64 && result.errors.contains("name a data set to train on"))
  }

  @Test func aTrainingGoesOnWithTheSameValidationPartOnly() throws {
    _ = try run("dataset synthesize --writers 4 --per-class 2 --seed 3 -o ink.ndjson")
    _ = try run("dataset synthesize --writers 2 --per-class 2 --seed 4 -o chosen.ndjson")
    let train = "train ink.ndjson --validation chosen.ndjson --epochs 100000 -o m.safetensors"
    var result = try inkstate(
      train.split(separator: " ").map(String.init), in: folder,
      prefix: interrupting)
    #expect(result.errors.contains("interrupted"), "\(result.errors.suffix(300))")
    result = try run("train ink.ndjson --epochs 100000 --resume -o m.safetensors")
    #expect(result.status == 1 && result.errors.contains("validation fingerprint"))
  }

  @Test func strokesBecomeAnAutomatonThatRuns() throws {
    let sketch = Sketch([
      .ring(center: Point(300, 300), radius: 70), .ring(center: Point(800, 300), radius: 70),
      .ring(center: Point(800, 300), radius: 50), .line(from: Point(80, 300), to: Point(225, 300)),
      .line(from: Point(376, 300), to: Point(724, 300)),
      .loop(center: Point(300, 300), radius: 70, angle: -.pi / 2),
    ])
    let drawing = Synthesizer(seed: 31).drawing(of: sketch, writer: 2)
    try folder.write("strokes.ndjson", try NDJSON.line(Recording(drawing), at: Place(file: "s")))
    var result = try run("automaton replay strokes.ndjson -o a.automaton --svg a.svg")
    #expect(result.status == 0 && result.output.hasSuffix("2 states, 2 transitions\n"))
    #expect(result.output.contains("stroke 1: state 0.9"))
    result = try run("automaton run a.automaton a")
    #expect(result.output == "a\trejected: no symbol `a` in the automaton, at symbol 1\n")
    result = try run("automaton replay strokes.ndjson -o a.automaton")
    #expect(result.status == 1 && result.errors.contains("expected no file of that name"))
    // Of a file that is no ink, the first line is named, and the others are counted.
    result = try run("automaton replay a.automaton")
    let lines = result.errors.split(separator: "\n")
    #expect(result.status == 1 && lines.count == 3 && lines[0].hasPrefix("not read: "))
    #expect(lines[1].hasSuffix(" more could not be read"))
    #expect(try run("automaton render a.automaton -o a.png").status == 0)
    #expect(try PNG.read(path: "\(folder.path)/a.png").width > 600)
  }

  @Test func automataAreRunComparedAndConverted() throws {
    try folder.write("m.txt", "state | a | b\n→ q0 | q0, q1 | q0\nq1 | | q2\n* q2 | |\n")
    var result = try inkstate(
      ["automaton", "run", "m.txt", "ab", "", "abx", "b"], in: folder)
    #expect(
      result.output == """
        ab\taccepted
        ''\trejected: ends in no final state
        abx\trejected: no symbol `x` in the automaton, at symbol 3
        b\trejected: ends in no final state

        """)
    #expect(result.status == 1)
    #expect(try run("automaton run m.txt ab aab").status == 0)
    result = try run("automaton trace m.txt ab")
    #expect(result.output == "   {q0}\na  {q0, q1}\nb  {q0, q2}\naccepted\n")
    for form in ["automaton", "jff", "dot"] {
      #expect(try run("automaton convert m.txt -o m.\(form)").status == 0)
      #expect(try run("automaton equivalent m.txt m.\(form)").output == "equivalent\n")
    }
    #expect(try run("automaton determinize m.txt -o d.jff").status == 0)
    #expect(try run("automaton equivalent d.jff m.automaton").status == 0)
    result = try run("automaton check d.jff")
    #expect(result.output.hasSuffix("deterministic\n") && !result.output.contains("not det"))
    #expect(try run("automaton complement m.txt -o c.json").status == 0)
    result = try run("automaton equivalent c.json m.txt")
    #expect(
      result.status == 1
        && result.output == "different: the empty word is accepted by c.json only\n")
    result = try run("automaton minimize - --to dot", input: "state | a\n→ * q | q\n")
    #expect(result.output.hasPrefix("digraph automaton {") && result.status == 0)
  }

  @Test func modelsTravelToOtherToolsAndBack() throws {
    try folder.write("line.ndjson", #"{"drawing":[[[0,100],[0,3]]]}"# + "\n")
    let own = try run("classify --format json line.ndjson").output
    for (form, file) in [("coreml", "inkstate.mlmodel"), ("onnx", "inkstate.onnx")] {
      let exported = try run("export --to \(form) --author Me --license MIT")
      #expect(exported.status == 0 && exported.output.hasPrefix("\(file): \(form), "))
      let again = try run("export --to \(form)")
      #expect(
        again.status == 1 && again.errors.hasPrefix("Error: \(file): expected no file of that"))
      let imported = try run("import \(file) --output \(form).safetensors")
      #expect(
        imported.output
          == "\(form).safetensors: sketch, 15 layers, 120756 parameters, cycle, other, state, transition\n"
      )
      #expect(
        try run("inspect \(form).safetensors").output.contains("author                  Me\n"))
      // The folded layers differ from the others by rounding only.
      func probability(_ line: String) throws -> Double {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["probability"] as? Double)
      }
      let theirs = try run("classify --format json --model \(form).safetensors line.ndjson").output
      #expect(try abs(probability(own) - probability(theirs)) < 1e-5)
    }
    let source = try run("export --output Sketch.swift --to swift")
    #expect(source.status == 0)
    let text = try String(contentsOfFile: "\(folder.path)/Sketch.swift", encoding: .utf8)
    #expect(text.contains("public enum Sketch {"))
    #expect(
      try run("export").errors.contains(
        "name the format with --to: coreml, onnx, safetensors or swift"))
    #expect(
      try run("import inkstate.onnx --output x.safetensors --labels a,b").errors
        == "Error: inkstate.onnx, labels: expected 4, one a class, found 2\n")
    #expect(
      try run("import none.onnx --output x.safetensors").errors
        == "Error: none.onnx: the file is missing or cannot be read\n")
  }

  @Test func theMachineIsShown() throws {
    let result = try run("inspect --machine")
    let lines = result.output.split(separator: "\n")
    #expect(result.status == 0 && lines.count == 5)
    #expect(lines[1].contains("OpenBLAS") || lines[1].contains("Accelerate"))
    #expect(lines[4].contains("GFLOP/s on one core"))
    let overruled = try inkstate(
      ["inspect", "--machine"], in: folder, prefix: "env INKSTATE_BLAS_CORE=Haswell")
    #expect(overruled.output.contains("Haswell\n") || !lines[1].contains("OpenBLAS"))
  }

  @Test func whatCannotWorkIsRefusedBeforeItIsTried() throws {
    _ = try run("dataset synthesize --writers 3 --per-class 2 --seed 3 -o ink.ndjson")
    var result = try run("dataset split ink.ndjson --by fold --folds 2 -o s")
    #expect(
      result.status == 64 && result.errors.contains("--folds: 2 folds leave nothing to train on"))
    // Pictures are shown twice as large as they are.
    for size in ["--size 512 --rows 100 --columns 100", "--size 96 --rows 50 --columns 50"] {
      result = try run("dataset preview ink.ndjson \(size) -o p.png")
      #expect(
        result.status == 64
          && result.errors.contains("at most 100 million are allowed"))
    }
    #expect(FileTree.names(in: folder.path) == ["ink.ndjson"])
  }

  @Test func drawingsAreTakenApartIntoTheirStrokes() throws {
    try folder.write(
      "null.ndjson",
      #"""
      {"word":"null","writer":"a","drawing":[[[100,200,100,0,100],[0,100,200,100,2]],[[0,200],[200,0]]]}
      {"word":"dot","writer":"a","drawing":[[[100,101],[0,0]]]}
      """#)
    var result = try run("dataset import null.ndjson --strokes -o strokes.ndjson")
    #expect(result.output == "2 examples of 2 labels in strokes.ndjson\n")
    result = try run(
      "dataset import null.ndjson --strokes --map null/curve=state --others drop -o rings.ndjson")
    #expect(result.output == "1 example of 1 label in rings.ndjson\n")
    let text = String(
      decoding: FileManager.default.contents(atPath: "\(folder.path)/rings.ndjson")!,
      as: UTF8.self)
    #expect(text.contains(#""kind":"stroke of null""#) && text.contains(#""word":"state""#))
  }

  @Test func importMapsLabelsAndCountsWhatIsLeftOut() throws {
    try folder.write(
      "g/circle01.xml",
      "<Gesture Name=\"circle01\" Subject=\"1\"><Point X=\"1\" Y=\"2\"/></Gesture>")
    try folder.write(
      "g/star01.xml", "<Gesture Name=\"star01\" Subject=\"1\"><Point X=\"1\" Y=\"2\"/></Gesture>")
    try folder.write("g/lost.xml.nodata", "<Gesture/>")
    var result = try run("dataset import g --map circle=state --others drop -o a.ndjson")
    #expect(result.output == "1 example of 1 label in a.ndjson\n")
    #expect(
      result.errors == """
        skipped: 1 other file (g/lost.xml.nodata)
        left out: 1 example whose label is dropped in g

        """)
    #expect(result.status == 0)
    try folder.write("g/bad.xml", "<Gesture><Point X=\"1\" Y=\"a\"/></Gesture>")
    result = try run("dataset import g --others other -o b.ndjson")
    #expect(result.status == 2)
    #expect(result.output == "2 examples of 1 label in b.ndjson\n")
    #expect(
      result.errors.hasPrefix(
        "left out: g/bad.xml, line 1, stroke 1, point 1: expected a finite number as Y, found `a`"))
  }

  private let stroke = #"{"drawing":[[[0,100,200],[0,3,0]]]}"#

  @Test func standardInputIsAnsweredLineByLine() throws {
    let result = try run(
      "classify --format json", input: "\(stroke)\n\nnonsense\n{\"drawing\":[[[5],[5]]]}\n")
    #expect(result.status == 2)
    let answers = result.output.split(separator: "\n")
    #expect(answers.count == 2)
    #expect(answers[0].contains(#""rejected":null,"source":"-:1""#))
    #expect(answers[1].contains(#""rejected":"tooSmall","source":"-:4""#))
    #expect(result.errors.hasPrefix("not read: -, line 3: expected a complete JSON object"))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func aFolderMeansEveryReadableFileBelowIt() throws {
    try folder.write("in/deep/a.ndjson", stroke)
    try folder.write("in/b.txt", stroke)
    try folder.write("in/README.md", "not ink")
    let picture = try Rasterizer.standard.render(circle(radius: 50))
    try folder.write("in/c.png", PNG.encode(picture))
    try folder.write("in/d.png", PNG.encode(picture.inverted()))
    var result = try run("classify in")
    #expect(result.status == 0)
    #expect(
      result.errors == "skipped: 1 other file (in/README.md)\n"
        + "in/d.png: dark ink on a light background, inverted\n")
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.map { String($0.prefix { $0 != " " }) }
        == ["in/b.txt:1:", "in/c.png:", "in/d.png:", "in/deep/a.ndjson:1:"])
    // The same picture with dark ink gets the same answer.
    #expect(lines[1].drop { $0 != " " } == lines[2].drop { $0 != " " })
    try folder.write("in/e.png", "broken")
    result = try run("classify in")
    #expect(result.status == 2)
    #expect(
      result.errors.hasSuffix(
        "not read: in/e.png: expected a PNG or a JPEG, found something else\n"))
    #expect(result.output.split(separator: "\n").count == 4)
  }

  @Test func whatTheNetworkSeesIsShown() throws {
    let result = try run("classify --show", input: stroke)
    #expect(result.output.split(separator: "\n").count == 29)
    #expect(result.output.contains("@@@@@@"))
  }

  /// A name that has to be made from that of the type costs every start a tenth of its time.
  @Test func everyCommandStatesItsName() {
    var left = [Inkstate.configuration]
    while let configuration = left.popLast() {
      #expect(configuration.commandName != nil, "\(configuration.abstract)")
      left += configuration.subcommands.map { $0.configuration }
    }
  }

  @Test func aStudioThatWasNotBuiltIsNamed() throws {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    try FileManager.default.copyItem(
      at: tests.deletingLastPathComponent().appendingPathComponent("inkstate"),
      to: URL(fileURLWithPath: "\(folder.path)/inkstate"))
    let result = try inkstate([], in: folder, prefix: "./inkstate studio")
    #expect(result.status != 0)
    #expect(result.errors.contains("/inkstate-studio is missing; build it with scripts/build"))
  }

  /// A limit on file sizes is what a full disk looks like: the first checkpoint does not fit.
  ///
  /// A sanitizer has larger files itself.
  @Test(.disabled(if: hasSanitizer)) func aTrainingWithoutRoomLeavesNothing() throws {
    _ = try run("dataset synthesize --writers 4 --per-class 5 --seed 3 -o ink.ndjson")
    let result = try inkstate(
      ["train", "ink.ndjson", "--epochs", "30", "--threads", "1", "-o", "full.safetensors"],
      in: folder, fileLimitKB: 4)
    #expect(result.status == 1)
    #expect(result.errors.contains("full.checkpoint: expected room and permission to write"))
    #expect(!FileTree.exists("\(folder.path)/full.checkpoint"))
    #expect(!FileTree.names(in: folder.path).contains { $0.contains(".part-") })
  }

  @Test func anInterruptedTrainingGoesOnToTheSameBytes() throws {
    _ = try run("dataset synthesize --writers 20 --per-class 5 --seed 3 -o ink.ndjson")
    _ = try run("train ink.ndjson --epochs 15 --threads 1 -o whole.safetensors")
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("inkstate")
    process.arguments = [
      "train", "ink.ndjson", "--epochs", "15", "--threads", "1", "-o", "cut.safetensors",
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardError = FileHandle.nullDevice
    func bytes(_ name: String) -> Data? {
      FileManager.default.contents(atPath: "\(folder.path)/\(name)")
    }
    try process.run()
    // Once a checkpoint is there, the training is under way.
    while process.isRunning, !FileTree.exists("\(folder.path)/cut.checkpoint") { usleep(2000) }
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    let checkpoint = try #require(bytes("cut.checkpoint"))
    let again = try run("train ink.ndjson --epochs 15 --threads 1 -o cut.safetensors")
    #expect(again.status == 1 && again.errors.contains("expected no unfinished training"))
    let resumed = try run("train ink.ndjson --epochs 15 --threads 1 -o cut.safetensors --resume")
    #expect(resumed.status == 0)
    #expect(bytes("cut.safetensors") == bytes("whole.safetensors"))
    #expect(bytes("cut.csv") == bytes("whole.csv"))
    #expect(bytes("cut.safetensors") != nil)

    // It may be killed after the model was written. Another model is not replaced.
    try folder.write("cut.checkpoint", checkpoint)
    let last = try run("train ink.ndjson --epochs 15 --threads 2 -o cut.safetensors --resume")
    #expect(last.status == 0 && bytes("cut.safetensors") == bytes("whole.safetensors"))
    #expect(bytes("cut.checkpoint") == nil)
    try folder.write("cut.checkpoint", checkpoint)
    let other = try Data(contentsOf: URL(fileURLWithPath: Recognizer.releasedModelPath))
    try folder.write("cut.safetensors", other)
    let refused = try run("train ink.ndjson --epochs 15 --threads 1 -o cut.safetensors --resume")
    #expect(refused.status == 1 && refused.errors.contains("expected no file of that name"))
    #expect(bytes("cut.safetensors") == other && bytes("cut.checkpoint") == checkpoint)
  }

  /// Each line of arguments with what its one line on stderr must say.
  @Test(arguments: [
    (
      "classify nothing.ndjson", 2,
      "not read: nothing.ndjson: expected a file, found nothing of that name"
    ),
    (
      "classify empty", 2,
      "not read: empty: expected ink: NDJSON, InkML"
    ),
    (
      "classify bomb.png", 2,
      "not read: bomb.png: expected at most 67108864 pixels, found 60000 × 60000"
    ),
    (
      "classify entities.inkml", 2,
      "not read: entities.inkml, line 1: expected no entity declarations, found one"
    ),
    (
      "classify nested.inkml", 2,
      "not read: nested.inkml, line 1: expected at most 100 nested elements, found more"
    ),
    (
      "classify long.ndjson", 2,
      "not read: long.ndjson, line 1: expected a line of at most 32 MiB, found a longer one"
    ),
    (
      "classify --model empty a.ndjson", 1,
      "Error: empty: this is not a model file (.safetensors, as `inkstate train` writes it)"
    ),
    ("classify --model a.ndjson a.ndjson", 1, "Error: a.ndjson: this is not a model file"),
    (
      "inspect none.safetensors", 1,
      "Error: none.safetensors: the file is missing or cannot be read"
    ),
    ("dataset describe none", 1, "Error: none: expected a data set, found nothing of that name"),
    (
      "dataset describe idx", 1,
      "Error: idx/images-idx3-ubyte: expected 51380224 values, as the header says, found 1"
    ),
    (
      "dataset describe empty", 1,
      "Error: empty: expected examples with labels, found empty: expected ink: NDJSON"
    ),
    (
      "dataset synthesize -o a.ndjson", 1,
      "Error: a.ndjson: expected no file of that name (--force replaces it), found one"
    ),
    (
      "train a.ndjson -o m", 1,
      "Error: training data: at least two classes are needed, and there is only `line`"
    ),
    (
      "train one.ndjson -o m", 1,
      "Error: training data: at least two classes are needed, and there is only `line`"
    ),
    (
      "train hollow -o m", 1,
      "Error: hollow: expected examples with labels, found 1 blank picture"
    ),
    (
      "train two.ndjson --architecture odd.json -o m", 1,
      "Error: odd.json, layer 0: expected convolution with an odd kernel of 1 to 31"
    ),
    (
      "train two.ndjson --resume -o m", 1,
      "Error: m.checkpoint: there is no checkpoint to go on from"
    ),
    ("evaluate a.ndjson", 1, "Error: a.ndjson, line 1: expected labels of the model"),
    (
      "evaluate two.ndjson --html two.ndjson --force", 1,
      "Error: two.ndjson: expected an output other than the input, found the input itself"
    ),
    (
      "train two.ndjson --augment thin.json -o m", 1,
      "Error: thin.json, penWidths: expected two numbers of 0.5 or more, found a list"
    ),
    ("dataset compose dots.ndjson -o c.ndjson", 1, "Error: dots.ndjson: expected"),
    (
      "automaton run deep.automaton a", 1,
      "Error: deep.automaton: expected a document in JSON, found lists or objects nested deeper"
    ),
    (
      "automaton convert twice.jff -o t.dot", 1,
      "Error: twice.jff, line 1: expected a unique id, found another state `1`"
    ),
    ("automaton check none.jff", 1, "Error: none.jff: expected a file, found nothing of that name"),
    (
      "dataset render a.ndjson --size 5 -o r", 1,
      "Error: raster parameter size: expected 8 to 512 pixels, found 5"
    ),
  ])
  func badInputGetsOneClearLine(arguments: String, status: Int, message: String) throws {
    try folder.write("a.ndjson", #"{"word":"line","drawing":[[[0,100],[0,3]]]}"# + "\n")
    try folder.write("deep.automaton", String(repeating: "[", count: 1_000_000))
    try folder.write(
      "twice.jff", "<structure><state id='1'/><state id='1'/></structure>")
    try folder.write("thin.json", #"{"penWidths":[0.1,2]}"#)
    try folder.write(
      "dots.ndjson",
      #"{"word":"transition","writer":"w","drawing":[[[0,5],[0,5]]]}"# + "\n")
    try folder.write("one.ndjson", #"{"word":"line","drawing":[[[0,100],[0,3]]]}"# + "\n")
    try folder.write(
      "two.ndjson",
      #"{"word":"a","drawing":[[[0,100],[0,3]]]}"# + "\n"
        + #"{"word":"b","drawing":[[[0,100],[0,99]]]}"#)
    try folder.write("empty", "")
    try folder.write(
      "odd.json",
      #"{"inputSize":28,"layers":[{"kind":"convolution","filters":2,"kernel":2,"padding":"same"}]}"#
    )
    try folder.write(
      "entities.inkml", "<!DOCTYPE ink [<!ENTITY a \"1\">]><ink><trace>&a;</trace></ink>")
    try folder.write("nested.inkml", "<ink>" + String(repeating: "<traceGroup>", count: 100_000))
    try folder.write(
      "idx/images-idx3-ubyte", Data([0, 0, 8, 3, 0, 1, 0, 0, 0, 0, 0, 28, 0, 0, 0, 28, 1]))
    try folder.write("idx/labels-idx1-ubyte", Data())
    let picture = try PNG.encode(Bitmap(width: 28, height: 28))
    try folder.write("hollow/a/1.png", picture)
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/hollow/b", withIntermediateDirectories: true)
    if arguments.contains("long") {
      try folder.write(
        "long.ndjson", "{\"drawing\":[" + String(repeating: "[1,2],", count: 17_000_000))
    }
    if arguments.contains("bomb") {
      var bomb = picture
      bomb.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
      bomb.replaceSubrange(29..<33, with: [0xA5, 0xB9, 0x2A, 0x9E])
      try folder.write("bomb.png", bomb)
    }
    let before = FileManager.default.contents(atPath: "\(folder.path)/a.ndjson")
    let result = try run(arguments)
    #expect(result.status == Int32(status))
    let lines = result.errors.split(separator: "\n").filter {
      !$0.contains("ink on a dark background") && !$0.hasPrefix("left out: 1 blank picture")
        && !$0.contains("(--scale overrides this)")
    }
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix(message) == true, "\(result.errors)")
    #expect(FileManager.default.contents(atPath: "\(folder.path)/a.ndjson") == before)
    #expect(!FileTree.exists("\(folder.path)/m"))
    // The largest that any command of these tests has been, in kilobytes. Linux begins to count a
    // command with what this process has when it starts it.
    var (usage, own) = (rusage(), rusage())
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
    #else
      getrusage(RUSAGE_CHILDREN, &usage)
      getrusage(RUSAGE_SELF, &own)
    #endif
    #expect(usage.ru_maxrss < max(1 << 20, own.ru_maxrss + (1 << 16)))
  }

  /// Arguments that are checked after others were read, each with its own command's usage.
  @Test(arguments: [
    ("train a.ndjson --threads 0 -o m", "train [<options>]"),
    ("cross-validate a.ndjson --augment none.json", "cross-validate <data>"),
    ("automaton render a.txt -o a.gif", "automaton render <file>"),
    ("dataset render a.ndjson --form ndjson -o r", "dataset render <data>"),
    ("dataset import a.ndjson --map x -o b.ndjson", "dataset import <paths>"),
  ])
  func wrongArgumentsGetTheUsageOfTheirCommand(arguments: String, usage: String) throws {
    try folder.write("a.ndjson", stroke.replacing("{", with: #"{"word":"a","#))
    try folder.write("a.txt", "state | a\n→ * q | q\n")
    let result = try run(arguments)
    #expect(result.status == 64)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("Error: --"))
    let command = usage.prefix { $0 != "<" && $0 != "[" }
    #expect(lines[1].hasPrefix("Usage: inkstate \(command)"), "\(result.errors)")
    #expect(lines[2] == "  See 'inkstate \(command)--help' for more information.")
  }

  @Test func oneThingIsNotSeveral() throws {
    var result = try run("dataset synthesize --writers 1 --per-class 1 -o ink.ndjson")
    #expect(result.output == "4 synthetic recordings by 1 writer in ink.ndjson\n")
    result = try run("dataset describe ink.ndjson --map cycle=a --others drop")
    #expect(result.output.hasPrefix("1 example of 1 class\n"))
    #expect(result.output.contains("\n1 writer:\n"))
    #expect(result.output.contains("\n0 pairs of exact duplicates"))
    result = try run("dataset render ink.ndjson --map cycle=a --others drop -o r")
    #expect(result.output == "1 picture of 28 × 28 in r\n")
    result = try run("dataset preview ink.ndjson --map cycle=a --others drop -o p.png")
    #expect(result.output == "1 class on p.png\n")
    result = try run("train ink.ndjson --epochs 1 -o m.safetensors")
    #expect(result.errors.contains("\n1 epoch of 1 step on "))
    try folder.write("none.ndjson", stroke)
    result = try run("dataset describe none.ndjson")
    #expect(result.errors.contains("found 1 recording without a label\n"))
    result = try run("automaton check -", input: "state | a\n→ * q | q\n")
    #expect(result.output.hasPrefix("1 state, 1 transition, symbols a\n"))
  }
}
