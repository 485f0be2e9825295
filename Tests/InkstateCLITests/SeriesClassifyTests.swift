import Foundation
import SeededRandom
import Testing
import TestSupport

/// Training, classification and evaluation of recordings in windows.
@Suite(.timeLimit(.minutes(30))) struct SeriesClassifyTests {
  /// Recordings of six people with labelled gestures, and a model that was trained on them.
  private struct Trained {
    let folder: TemporaryFolder
    let split: CommandResult
    let training: CommandResult
  }

  private static let header = "recording,person,session,label,time,ax,ay,az\n"

  /// Rows of one recording: every four seconds a gesture of one second.
  ///
  /// `jab` shakes the first channel, `wave` the second one.
  private static func rows(
    _ name: String, person: String, session: String, rate: Double, seconds: Double = 24
  ) -> String {
    var generator = SeededGenerator(seed: UInt64(person.utf8.last!), stream: UInt64(session.count))
    return (0..<Int(seconds * rate)).map { step in
      let time = Double(step) / rate
      let phase = time.truncatingRemainder(dividingBy: 4)
      let isGesture = phase >= 1.5 && phase < 2.5
      let label = isGesture ? (Int(time / 4) % 2 == 0 ? "jab" : "wave") : ""
      func noise() -> Double { generator.uniform(-0.1...0.1) }
      let ax = (label == "jab" ? 2 * sin(2 * .pi * 5 * phase) : 0) + noise()
      let ay = (label == "wave" ? 2 * sin(2 * .pi * 2 * phase) : 0) + noise()
      let numbers = [time, ax, ay, 1 + noise()].map { String(format: "%.3f", $0) }
      return "\(name),\(person),\(session),\(label),\(numbers.joined(separator: ","))\n"
    }.joined()
  }

  private static let trained = Result { () -> Trained in
    let folder = try TemporaryFolder()
    var table = header
    for (index, person) in ["ann", "ben", "cy", "dan", "eve", "fay"].enumerated() {
      for session in ["mon", "tuesday"] {
        // Some people had a faster device.
        table += rows(
          "\(person)-\(session)", person: person, session: session, rate: index == 1 ? 50 : 25)
      }
    }
    try folder.write("table.csv", table)
    try folder.write("bad/channels.csv", "time,gx,gy\n0,1,2\n1,1,2\n")
    try folder.write("bad/short.csv", "time,ax,ay,az\n0,1,2,3\n0.04,1,2,3\n0.08,1,2,3\n")
    try folder.write(
      "bad/gaps.csv",
      "time,ax,ay,az\n" + (0..<25).map { "\(Double($0) / 25),,nan,?\n" }.joined())
    try folder.write("bad/header.csv", "time,ax,ay,az\n")
    try folder.write("bad/empty.csv", "")
    try folder.write("bad/time.csv", "time,ax,ay,az\n1,1,2,3\n0.5,1,2,3\n")
    try folder.write(
      "bad/no-rate.csv", "label,x\na,1\na,2\nb,3\nb,4\n")
    try folder.write(
      "bad/whole.csv", "recording,label,x\n1,a,1\n1,a,2\n2,b,3\n2,b,4\n")
    try folder.write(
      "drawings/one.ndjson", "{\"word\": \"state\", \"drawing\": [[[0, 50, 90], [0, 60, 5]]]}\n")
    let split = try inkstate(
      "dataset split table.csv --by writer --seed 2 -o data".split(separator: " ").map(String.init),
      in: folder)
    let training = try inkstate(
      "train data --rest none --epochs 12 -o model.safetensors".split(separator: " ")
        .map(String.init), in: folder)
    return Trained(folder: folder, split: split, training: training)
  }

  private func run(
    _ words: String, in folder: TemporaryFolder? = nil, input: String = ""
  ) throws -> CommandResult {
    try inkstate(
      words.split(separator: " ").map(String.init), in: folder ?? Self.trained.get().folder,
      input: input)
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  @Test func spansAreCutIntoWindowsAndTheChoiceIsSaid() throws {
    let trained = try Self.trained.get()
    #expect(trained.training.status == 0, "\(trained.training.errors)")
    for text in [
      "windows of 25 steps (1 s) every 6 steps (0.24 s), 25 steps a second "
        + "(--window and --stride override this)\n",
      " windows with less than half of a span\n", "examples of jab, none, wave",
      "augmentation mild (options override each choice)",
    ] {
      #expect(trained.training.errors.contains(text), "\(trained.training.errors)")
    }
    // Words of drawings.
    for word in [" tap", " pen", "images"] {
      #expect(!trained.training.errors.contains(word), "\(trained.training.errors)")
    }
    let inspected = try run("inspect model.safetensors").output
    #expect(
      inspected.contains(
        "preprocessing ax, ay, az, 25 steps a second, windows of 25 steps every 6\n"),
      "\(inspected)")
    #expect(!inspected.contains("points"))
  }

  @Test func windowsOfOtherLengthsAreTrained() throws {
    let result = try run(
      "train data --window 800ms --stride 10 --epochs 1 --augment wearable -o other.safetensors "
        + "--force")
    #expect(result.status == 0, "\(result.errors)")
    for text in [
      "windows of 20 steps (0.8 s) every 10 steps (0.4 s)", "augmentation wearable",
      "(--rest LABEL keeps those outside)\n", "examples of jab, wave",
    ] {
      #expect(result.errors.contains(text), "\(result.errors)")
    }
    let more = try run(
      "train data --from model.safetensors --rest none --epochs 1 -o more.safetensors --force")
    #expect(more.status == 0 && more.errors.contains("windows of 25 steps"), "\(more.errors)")
    let folds = try run("cross-validate table.csv --folds 2 --epochs 1")
    #expect(folds.status == 0 && folds.errors.contains("windows of 25 steps"), "\(folds.errors)")
  }

  @Test func evaluationReportsWindowsAndEvents() throws {
    struct Report: Decodable {
      struct Evaluation: Decodable {
        var meanF1: Double
      }
      struct Breakdown: Decodable {
        struct Row: Decodable {
          var value: String
        }
        var rows: [Row]
      }
      struct Events: Decodable {
        struct Share: Decodable {
          var value: Double
          var total: Int
        }
        struct Delay: Decodable {
          var mean: Double
        }
        struct Score: Decodable {
          var precision: Share
          var recall: Share
          var delay: Delay?
        }
        var total: Score
      }
      var evaluation: Evaluation
      var breakdowns: [Breakdown]
      var events: Events
    }
    let result = try run(
      "evaluate data --model model.safetensors --by person,session --json --html report.html "
        + "--errors errors.png --force")
    let report = try json(Report.self, result.output)
    #expect(report.evaluation.meanF1 > 0.9)
    #expect(report.breakdowns[0].rows.count == 1 && report.breakdowns[1].rows.count == 2)
    #expect(report.breakdowns[1].rows[0].value.hasSuffix(", session mon"))
    // Two sessions of one person with six gestures each.
    #expect(report.events.total.recall.total == 12)
    #expect(report.events.total.recall.value > 0.8 && report.events.total.precision.value > 0.8)
    #expect(try (0.3...1.2).contains(#require(report.events.total.delay).mean))
    let page = try String(
      contentsOfFile: "\(Self.trained.get().folder.path)/report.html", encoding: .utf8)
    #expect(page.contains("<h2>Events</h2>") && page.contains("windows of 25 steps"))

    let text = try run("evaluate data --model model.safetensors").output
    for part in ["\nmean F1      ", "events matched by label and any overlap\n", "\nby session "] {
      #expect(text.contains(part), "\(text)")
    }
    // A rule that no probability reaches finds nothing.
    let strict = try run(
      "evaluate data --model model.safetensors --min-duration 20s --json"
    ).output
    #expect(try json(Report.self, strict).events.total.precision.total == 0)
  }

  @Test func calibrationUsesWindows() throws {
    let result = try run(
      "calibrate model.safetensors data --false-rejections 0.2 -o calibrated.safetensors --force")
    #expect(result.status == 0 && result.output.hasPrefix("temperature "), "\(result.errors)")
    #expect(try run("inspect calibrated.safetensors").output.contains("rest_label"))
  }

  @Test func aStreamGetsTheAnswersOfTheFile() throws {
    let recording =
      "time,extra,az,ay,ax\n"
      + Self.rows("1", person: "gus", session: "mon", rate: 25).split(separator: "\n")
      .map { line in
        let cells = line.split(separator: ",", omittingEmptySubsequences: false)
        return "\(cells[4]),x,\(cells[7]),\(cells[6]),\(cells[5])\n"
      }.joined()
    let folder = try Self.trained.get().folder
    try folder.write("new/gus.csv", recording)
    for options in ["", " --events", " --stride 1", " --json", " --events --json"] {
      let file = try run("classify --model model.safetensors new/gus.csv" + options)
      let stream = try run("classify --model model.safetensors" + options, input: recording)
      #expect(file.status == 0 && stream.status == 0, "\(file.errors)\(stream.errors)")
      #expect(!file.output.isEmpty)
      #expect(
        stream.output
          == file.output.replacing("new/gus.csv:", with: "-:")
          .replacing("\"new/gus.csv\"", with: "\"-\""))
      #expect(stream.errors.contains("windows of 1.00 s every "), "\(stream.errors)")
    }
    let windows = try run("classify --model model.safetensors new").output
      .split(separator: "\n")
    // (600 − 25) / 6 + 1
    #expect(windows.count == 96)
    #expect(windows[0].hasPrefix("new/gus.csv: 0.00–1.00 s none "), "\(windows[0])")
    let events = try run("classify --model model.safetensors new --events").output
      .split(separator: "\n")
    #expect(events.count == 6, "\(events)")
    #expect(events.first?.contains(" s jab ") == true && events.last?.contains(" s wave ") == true)
    let quiet = try run(
      "classify --model model.safetensors new --events --rest-label jab --rest-label none")
    #expect(quiet.output.split(separator: "\n").count == 3, "\(quiet.output)")
  }

  @Test func eachAnswerOfAStreamIsWrittenAtOnce() throws {
    let folder = try Self.trained.get().folder
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("inkstate")
    process.arguments = ["classify", "--model", "model.safetensors"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let rows = (0..<26).map { "0.1,0,1,\(Double($0) / 25)\n" }.joined()
    try input.fileHandleForWriting.write(contentsOf: Data("ax,ay,az,t\n\(rows)".utf8))
    // The input is still open.
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(answer.hasPrefix("-: 0.00–1.00 s "), "\(answer)")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test func badRowsAreNamedAndReadingGoesOn() throws {
    var rows = (0..<60).map { "0,0,1,\(Double($0) / 25)" }
    rows[10] = "0,zero,1,0.4"
    rows[20] = "0,0,1"
    rows[30] = "0,0,1,0.1"
    let result = try run(
      "classify --model model.safetensors",
      input: "ax,ay,az,t\n" + rows.joined(separator: "\n") + "\n")
    #expect(result.status == 2)
    for message in [
      "not read: -, line 12: expected a finite number in column `ay`, found `zero`\n",
      "not read: -, line 22: expected 4 cells, as in the first row, found 3\n",
      "left out: -, line 32: its time `0.1` is before that of an earlier row\n",
    ] {
      #expect(result.errors.contains(message), "\(result.errors)")
    }
    // (60 − 25) / 6 + 1
    #expect(result.output.split(separator: "\n").count == 6, "\(result.output)")
  }

  /// A clock under any name is no channel of the model, so noise stays noise; all commands read the same
  /// columns, and a stream gets the answers of a file.
  @Test func aColumnThatCountsIsReadByNoCommand() throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 5, stream: 1)
    func table(_ recording: Int) -> String {
      "Milliseconds;clicks;device;x\n"
        + (0..<30).map { row in
          let x = "\(generator.uniform(-1...1))".replacing(".", with: ",")
          return "\(row * 20);\(recording * 500 + row * 5 + (row + recording) % 3);watch;\(x);\n"
        }.joined()
    }
    for recording in 0..<16 {
      try folder.write("noise/\(recording < 8 ? "a" : "b")/\(recording).csv", table(recording))
    }
    try folder.write("new.csv", table(3).replacing("watch", with: "phone"))
    let left = [
      "left out: column `device`, which is text, such as `watch` (noise/a/0.csv, line 2)\n",
      "left out: column `clicks`, which counts in the same way in every recording, like a clock "
        + "(--channels keeps it)\n",
    ]
    for words in [
      "dataset import noise -o all.ndjson", "dataset describe noise",
      "dataset split noise --validation 0.25 -o split",
      "train noise --validation-share 0.25 --window 10 --epochs 1 -o model.safetensors",
    ] {
      let result = try run(words, in: folder)
      #expect(result.status == 0)
      #expect(left.allSatisfy(result.errors.contains), "\(words): \(result.errors)")
    }
    let described = try run("dataset describe split", in: folder)
    #expect(described.status == 0 && !described.output.contains("clicks"), "\(described.errors)")
    let inspected = try run("inspect model.safetensors", in: folder).output
    #expect(inspected.contains("x") && !inspected.contains("clicks"), "\(inspected)")
    let file = try run("classify --model model.safetensors new.csv", in: folder)
    let input = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/new.csv")), as: UTF8.self)
    let stream = try run("classify --model model.safetensors", in: folder, input: input)
    #expect(file.status == 0 && stream.status == 0, "\(file.errors)\(stream.errors)")
    #expect(file.output.split(separator: "\n").count == 11, "\(file.output)")
    #expect(stream.output == file.output.replacing("new.csv:", with: "-:"))
    // The columns of a model are found in a data set that has no other columns to compare.
    let evaluated = try run("evaluate noise --model model.safetensors", in: folder)
    #expect(
      evaluated.status == 0 && evaluated.output.contains("mean recall"), "\(evaluated.errors)")
    let kept = try run(
      "train noise --channels clicks,x --window 10 --epochs 1 -o kept.safetensors", in: folder)
    #expect(!kept.errors.contains("left out: column"), "\(kept.errors)")
  }

  /// One row that goes back is left out of a file and of a stream alike.
  @Test func aRowThatGoesBackIsLeftOutAlike() throws {
    let folder = try Self.trained.get().folder
    var rows = (0..<60).map { "0.1,\(Double($0 % 7) / 5),1,\(Double($0) / 25)" }
    rows[30] = "5,5,5,0.1"
    let table = "ax,ay,az,t\n" + rows.joined(separator: "\n") + "\n"
    try folder.write("late.csv", table)
    let file = try run("classify --model model.safetensors late.csv")
    let stream = try run("classify --model model.safetensors", input: table)
    #expect(file.status == 0 && stream.status == 0, "\(file.errors)\(stream.errors)")
    #expect(
      file.errors
        == "left out: late.csv, line 32: its time `0.1` is before that of an earlier row\n")
    #expect(stream.output == file.output.replacing("late.csv:", with: "-:"))
    let again = "ax,ay,az,t\n" + (rows[..<30] + rows[..<30]).joined(separator: "\n") + "\n"
    try folder.write("again.csv", again)
    #expect(try run("classify --model model.safetensors again.csv").status == 2)
    #expect(try run("classify --model model.safetensors", input: again).status == 2)
  }

  @Test(arguments: [
    // Standard input.
    (
      "classify --model model.safetensors", "ax,ay,t\n0,0,0\n", 2,
      "not read: -, line 1: expected a column `az`, found ax, ay, t\n"
    ),
    (
      "classify --model model.safetensors", "", 2,
      "not read: -: expected a row with the names of the channels, found no text\n"
    ),
    (
      "classify --model model.safetensors", "ax,ay,az\n0,0,0\n", 2,
      "not read: -: the window of 25 steps is longer than the recording of 1 step; choose a shorter "
        + "window\n"
    ),
    // Files.
    (
      "classify --model model.safetensors bad/channels.csv", "", 2,
      "not read: bad/channels.csv, line 1: expected a column `ax`, found time, gx, gy\n"
    ),
    (
      "classify --model model.safetensors bad/short.csv", "", 2,
      "not read: bad/short.csv: the window of 25 steps is longer than the recording of 3 steps; "
        + "choose a shorter window\n"
    ),
    (
      "classify --model model.safetensors bad/gaps.csv", "", 2, "expected values, found gaps only\n"
    ),
    (
      "classify --model model.safetensors bad/header.csv", "", 2,
      "not read: bad/header.csv: expected rows after the header, found none\n"
    ),
    (
      "classify --model model.safetensors bad/empty.csv", "", 2,
      "not read: bad/empty.csv: expected a recording, found an empty file\n"
    ),
    (
      "classify --model model.safetensors bad/time.csv", "", 2,
      "not read: bad/time.csv, line 3: expected times that do not go back, found `0.5` here, and "
        + "1 of 2 rows before an earlier time"
    ),
    (
      "classify --model model.safetensors nothing.csv", "", 2,
      "not read: nothing.csv: expected a data set, found nothing of that name\n"
    ),
    (
      "classify --model model.safetensors drawings", "", 2,
      "expected recordings, found a drawing or picture\n"
    ),
    // Options.
    ("classify --model model.safetensors --window 0 bad", "", 64, "The value '0' is invalid"),
    (
      "classify --model model.safetensors --stride 26 bad", "", 1,
      "the stride must be from 1 step to the window's length of 25 steps, not 26\n"
    ),
    ("classify --model model.safetensors --on 0.5 bad", "", 64, "--on needs --events\n"),
    (
      "classify --model model.safetensors --events --on 2 bad", "", 64,
      "the on-threshold must be above 0 and at most 1, not 2.0\n"
    ),
    (
      "classify --model model.safetensors --events --rest-label q bad", "", 64,
      "--rest-label: the model has no label `q`; its labels are jab, none or wave\n"
    ),
    (
      "classify --model model.safetensors --show bad", "", 64,
      "--show: the model classifies recordings, not drawings\n"
    ),
    ("classify --events drawings", "", 64, "need a model for recordings"),
    // Evaluation.
    (
      "evaluate data --model model.safetensors --by angle", "", 64,
      "--by: `angle` needs drawings or pictures\n"
    ),
    (
      "evaluate data --model model.safetensors --disturb 0.7", "", 64,
      "--disturb needs drawings or pictures\n"
    ),
    (
      "evaluate bad/whole.csv --model model.safetensors", "", 1,
      "the window of 25 steps is longer than each of the 2 recordings; the longest has 2 steps; "
    ),
    // Training.
    (
      "train data --from model.safetensors --window 1s -o x.safetensors", "", 64,
      "--window cannot be used with --from; the windows are those of the model\n"
    ),
    (
      "train table.csv --window 100s -o x.safetensors", "", 1,
      "the window of 2500 steps is longer than each of the 12 recordings; the longest has 600 steps; "
        + "choose a shorter window\n"
    ),
    (
      "train bad/no-rate.csv --window 1s -o x.safetensors", "", 1,
      "1 s cannot be converted to steps, because the recordings have no sampling rate; give the "
        + "length as a number of steps\n"
    ),
    (
      "train bad/whole.csv --rest none -o x.safetensors", "", 64,
      "--rest needs recordings with labelled spans, or --window\n"
    ),
    (
      "train table.csv --augment upright -o x.safetensors", "", 64,
      "--augment: `upright` is not mild, none or wearable"
    ),
  ])
  func badInputGetsOneClearLine(
    line: String, input: String, status: Int, message: String
  ) throws {
    let result = try run(line, input: input)
    #expect(result.status == Int32(status) && result.output == "", "\(result)")
    #expect(result.errors.contains(message), "\(result.errors)")
    if status == 2 {
      let failures = result.errors.split(separator: "\n").filter { $0.hasPrefix("not read:") }
      #expect(failures.count == 1, "\(result.errors)")
    }
  }

  @Test func aClassOfOnePersonIsReported() throws {
    let folder = try TemporaryFolder()
    var table = Self.header
    for person in ["ann", "ben", "cy", "dan", "eve", "fay"] {
      table += Self.rows(person, person: person, session: "mon", rate: 25, seconds: 8)
    }
    // Only one person kicks.
    try folder.write(
      "table.csv",
      table.replacing("dan,mon,wave", with: "dan,mon,kick"))
    let split = try run("dataset split table.csv --by writer --seed 1 -o data", in: folder)
    #expect(split.status == 0)
    let result = try run("train data --epochs 1 -o model.safetensors", in: folder)
    let isInTraining = try String(
      contentsOfFile: "\(folder.path)/data/train.ndjson", encoding: .utf8
    )
    .contains("kick")
    if isInTraining {
      #expect(
        result.errors.contains(
          "of `kick` for training are of dan, and the validation part has none"),
        "\(result.errors)")
    } else {
      #expect(result.status == 1)
      #expect(result.errors.contains("there are no examples of `kick`"), "\(result.errors)")
    }
  }

  @Test func wholeRecordingsGetOneAnswer() throws {
    let folder = try TemporaryFolder()
    for index in 0..<16 {
      let label = ["up", "down"][index % 2]
      let rows = (0..<12).map {
        "\(Double($0) * (label == "up" ? 1 : -1) + Double(index) / 10),1\n"
      }.joined()
      try folder.write("data/\(label)/\(index).csv", "x,y\n" + rows)
    }
    let training = try run("train data --epochs 12 -o model.safetensors", in: folder)
    #expect(training.status == 0, "\(training.errors)")
    let answers = try run("classify --model model.safetensors data/up", in: folder)
    #expect(answers.status == 0, "\(answers.errors)")
    let lines = answers.output.split(separator: "\n")
    #expect(lines.count == 8 && lines.allSatisfy { $0.contains(".csv: up ") }, "\(lines)")
    let stream = try run("classify --model model.safetensors", in: folder, input: "x,y\n1,1\n")
    #expect(
      stream.status == 64
        && stream.errors.contains("give the length of the windows of a stream with --window"),
      "\(stream.errors)")
    let windows = try run(
      "classify --model model.safetensors --window 8 --stride 4", in: folder,
      input: "x,y\n" + (0..<12).map { "\($0),1\n" }.joined())
    #expect(windows.output.hasPrefix("-: steps 0–8 "), "\(windows.output)\(windows.errors)")
    #expect(windows.output.contains("\n-: steps 4–12 "))
  }
}
