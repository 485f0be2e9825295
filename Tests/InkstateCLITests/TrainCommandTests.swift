import Foundation
import InkDatasets
import InkNetwork
import SafeFiles
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30))) struct TrainCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ line: String, prefix: String = "") throws -> CommandResult {
    try inkstate(line.split(separator: " ").map(String.init), in: folder, prefix: prefix)
  }

  private func synthesize() throws {
    _ = try run("dataset synthesize --writers 12 --per-class 4 --seed 3 -o ink.ndjson")
  }

  @Test func drawingsInAnotherUnitThanTheRestAreWarnedOf() throws {
    func line(_ side: Double, _ number: Int) -> String {
      let word = number.isMultiple(of: 2) ? "a" : "b"
      let bend = number.isMultiple(of: 2) ? side : 0
      return #"{"word":"\#(word)","drawing":[[[0,\#(side),\#(side)],[0,\#(bend),\#(side)]]]}"#
    }
    let large = (0..<20).map { line(100 + Double($0), $0) }
    let small = (0..<10).map { line(1 + Double($0) / 100, $0) }
    try folder.write("mixed.ndjson", (large + small).joined(separator: "\n"))
    try folder.write("large.ndjson", large.joined(separator: "\n"))
    let mixed = try run("train mixed.ndjson --epochs 1 -o m.safetensors")
    #expect(
      mixed.errors.contains("warning: 33.33 % of the drawings are less than 12 points large"),
      "\(mixed.errors)")
    #expect(!(try run("train large.ndjson --epochs 1 -o l.safetensors").errors.contains("as taps")))
    // The synthetic taps are to be rejected.
    try synthesize()
    #expect(!(try run("train ink.ndjson --epochs 1 -o s.safetensors").errors.contains("as taps")))
  }

  @Test func whatIsChosenIsSaidAndOverruled() throws {
    try synthesize()
    // Labels of automata, and nothing else said but the length.
    var result = try run("train ink.ndjson --validation-share 0.2 --epochs 1 -o a.safetensors")
    #expect(result.status == 0)
    #expect(
      result.errors.contains(
        "1 epoch of batches of 16, Adam with a one-cycle rate of 0.004, classes balanced, "
          + "weights averaged (0.9), patience 10 epochs, augmentation any-angle for half of "
          + "the examples (options override each choice)\n"), "\(result.errors)")
    // What validates is not learnt from.
    let counts = try #require(
      result.errors.firstMatch(
        of: /([0-9]+) examples of .*, ([0-9]+) for validation; ([0-9]+) taps left out/))
    let (learnt, validating, taps) = (Int(counts.1)!, Int(counts.2)!, Int(counts.3)!)
    #expect(learnt + validating + taps == 192 && validating > 0, "\(result.errors)")
    result = try run("inspect a.safetensors")
    #expect(result.output.contains("training                1 epoch of batches of 16, Adam"))

    result = try run(
      "train ink.ndjson --epochs 1 --batch-size 24 --optimizer sgd --learning-rate 0.01 "
        + "--schedule cosine --no-balance --average 0 --augment none --label-smoothing 0.1 "
        + "--patience 3 -o b.safetensors")
    #expect(
      result.errors.contains(
        "1 epoch of batches of 24, SGD with a cosine rate of 0.01, classes not balanced, labels "
          + "smoothed (0.1), patience 3 epochs, augmentation none (options"), "\(result.errors)")

    // Other labels may have an up and a down.
    _ = try run(
      "dataset synthesize --repertoire digits --writers 12 --per-class 2 --seed 3 -o digits.ndjson")
    result = try run("train digits.ndjson --epochs 1 -o c.safetensors")
    #expect(result.errors.contains("augmentation upright (options"))
    result = try run("cross-validate ink.ndjson --folds 2 --epochs 1")
    #expect(result.errors.contains("augmentation any-angle for half of the examples (options"))
    #expect(result.output.contains("mean recall of the classes: mean "))
    #expect(result.output.hasSuffix("\nintervals 95 %, by resampling 12 writers\n"))
  }

  @Test func doubtfulLabelsAreFoundAndLeftOut() throws {
    _ = try run(
      "dataset synthesize --repertoire digits --writers 12 --per-class 4 --seed 3 -o digits.ndjson")
    // The first 1 is called 8.
    let path = "\(folder.path)/digits.ndjson"
    var lines = try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let wrong = try #require(lines.firstIndex { $0.contains(#""word":"1""#) })
    lines[wrong] = lines[wrong].replacing(#""word":"1""#, with: #""word":"8""#)
    try folder.write("digits.ndjson", lines.joined(separator: "\n") + "\n")
    let command =
      "cross-validate digits.ndjson --folds 2 --epochs 8 --doubtful d.ndjson --doubt 0.01"
    let result = try run(command)
    #expect(result.status == 0, "\(result.errors)")
    let found = try String(contentsOfFile: "\(folder.path)/d.ndjson", encoding: .utf8)
      .split(separator: "\n")
    #expect(found.count < 10 && found.contains { $0 == lines[wrong] }, "\(found.count)")
    let labels = found.count == 1 ? "1 doubtful label" : "\(found.count) doubtful labels"
    #expect(result.errors.contains("\(labels) of 480 in d.ndjson"), "\(result.errors)")
    #expect(try run(command).errors.contains("--force"))
    let imported = try run("dataset import digits.ndjson --without d.ndjson -o clean.ndjson")
    #expect(imported.errors.contains("left out: \(found.count) example"), "\(imported.errors)")
    let clean = try String(contentsOfFile: "\(folder.path)/clean.ndjson", encoding: .utf8)
    #expect(clean.split(separator: "\n").count == 480 - found.count)
    #expect(!clean.contains(lines[wrong]))
    let refused = try run("cross-validate digits.ndjson --doubt 0.5")
    #expect(refused.status != 0 && refused.errors.contains("--doubt needs --doubtful"))
  }

  @Test func aNetworkOfPictureAndStrokesIsUsedLikeAnyOther() throws {
    try synthesize()
    let trained = try run("train ink.ndjson --architecture fusion --epochs 1 -o m.safetensors")
    #expect(trained.status == 0 && trained.errors.hasPrefix("fusion: "), "\(trained.errors)")
    let shown = try run("inspect m.safetensors").output
    for line in [
      "input image                     1 × 28 × 28\n", "input series                    160 × 7\n",
      "preprocessing 28 × 28 pixels", "strokes as x, y", "at most 160\n",
    ] {
      #expect(shown.contains(line), "\(shown)")
    }
    let calibrated = try run(
      "calibrate m.safetensors ink.ndjson --false-rejections 0.1 -o c.safetensors")
    #expect(calibrated.status == 0, "\(calibrated.errors)")
    let evaluated = try run("evaluate ink.ndjson --model c.safetensors --by strokes,angle")
    #expect(evaluated.status == 0, "\(evaluated.errors)")

    func answers(_ model: String) throws -> [(String, Double)] {
      let result = try run("classify --model \(model) --format json ink.ndjson")
      #expect(result.status == 0, "\(result.errors)")
      return try result.output.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try (
          #require(object?["label"] as? String), #require(object?["probability"] as? Double)
        )
      }
    }
    let own = try answers("c.safetensors")
    #expect(own.count == 192)
    for file in ["c.onnx", "c.mlmodel", "c.swift"] {
      #expect(try run("export c.safetensors -o \(file)").status == 0)
      guard file != "c.swift" else { continue }
      #expect(try run("import \(file) --force -o back.safetensors").status == 0)
      for (one, other) in zip(own, try answers("back.safetensors")) {
        #expect(abs(one.1 - other.1) < 1e-5, "\(file)")
      }
    }

    // The same network as a description, which somebody else may have changed.
    let network = try Architecture.fusion(classCount: 4, channels: 7)
    try folder.write("network.json", JSONEncoder().encode(network))
    #expect(
      try run("train ink.ndjson --architecture network.json --epochs 1 -o d.safetensors").status
        == 0)
    func weights(_ file: String) throws -> Data {
      let bytes = try #require(FileManager.default.contents(atPath: "\(folder.path)/\(file)"))
      return bytes.suffix(4 * network.parameterCount)
    }
    #expect(try weights("d.safetensors") == weights("m.safetensors"))

    _ = try run("dataset render ink.ndjson -o pictures")
    let lack = "found a picture, which has no strokes\n"
    let classified = try run("classify --model c.safetensors pictures")
    #expect(classified.status == 2 && classified.output == "")
    let lines = classified.errors.split(separator: "\n", omittingEmptySubsequences: true)
    #expect(
      lines.allSatisfy { $0.hasPrefix("not read: pictures/") && "\($0)\n".hasSuffix(lack) },
      "\(lines.prefix(3))")
    for (command, expected) in [
      ("train pictures --architecture fusion -o p.safetensors", "strokes or a recording"),
      ("evaluate pictures --model c.safetensors", "drawings for the model"),
      ("calibrate c.safetensors pictures -o p.safetensors", "drawings for the model"),
    ] {
      let result = try run(command)
      #expect(result.status == 1 && result.errors.hasSuffix(lack), "\(result.errors)")
      #expect(result.errors.contains(": expected \(expected)"), "\(result.errors)")
    }
  }

  /// A folder with MNIST's files has a train and a test part.
  @Test func partsOfMNISTAreTold() throws {
    for (name, count) in [("train", UInt8(6)), ("t10k", UInt8(4))] {
      var pictures = Data([0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 28, 0, 0, 0, 28])
      for _ in 0..<count { pictures.append(Data((0..<784).map { $0 % 29 == 0 ? 255 : 0 })) }
      try folder.write("mnist/\(name)-images-idx3-ubyte", pictures)
      let labels = Data([0, 0, 8, 1, 0, 0, 0, count] + (0..<count).map { $0 % 2 })
      try folder.write("mnist/\(name)-labels-idx1-ubyte", labels)
    }
    for (option, part, count) in [("", "test", 4), (" --part train", "train", 6)] {
      let result = try run("evaluate mnist --map 0=state --map 1=transition\(option)")
      #expect(result.output.contains("data  mnist (split: \(part))"), "\(result.errors)")
      #expect(result.output.contains(" of \(count)\n"))
    }
  }

  @Test func evaluationLeadsWithTheMeanAndTheWorst() throws {
    try synthesize()
    let result = try run("evaluate ink.ndjson --html r.html")
    let lines = result.output.split(separator: "\n")
    #expect(lines[2].hasPrefix("mean recall  ") && lines[2].hasSuffix(" over 4 classes"))
    #expect(lines[3].hasPrefix("worst class  ") && lines[3].contains(": recall "))
    #expect(lines[4].hasPrefix("accuracy     "))
    #expect(lines.contains("intervals    95 %, by resampling 12 writers"))
    let json = try run("evaluate ink.ndjson --format json").output
    let report = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let evaluation = try #require(report?["evaluation"] as? [String: Any])
    #expect(evaluation["meanRecall"] is Double && evaluation["worstClass"] is [String: Any])
    let page = try String(contentsOfFile: "\(folder.path)/r.html", encoding: .utf8)
    let places = ["mean recall", "worst class", "accuracy", "Rejected"].map {
      page.range(of: $0)?.lowerBound
    }
    #expect(places.allSatisfy { $0 != nil } && places.map { $0! } == places.map { $0! }.sorted())
  }

  /// Rings that are called transitions are taken for something else.
  @Test func calibrationWarnsWhereItRefusesTooMuch() throws {
    try synthesize()
    let model = ProjectFiles.releasedModel
    var result = try run("calibrate \(model) ink.ndjson --false-rejections 0.05 -o a.safetensors")
    #expect(result.status == 0 && !result.errors.contains("warning"))
    // Two in a hundred of so few is less than one.
    result = try run("calibrate \(model) ink.ndjson --false-rejections 0.02 -o a2.safetensors")
    #expect(
      result.errors.contains(
        /note: `state` has 48 .*, and 50 are needed to count 2.00 % .* estimated from the lowest/
      ), "\(result.errors)")
    #expect(!result.errors.contains("warning"))
    #expect(
      result.output.contains(
        /state +probability at least 0.[0-9]*[1-9][0-9]*, .*, 0 of 48; of new ones at most 6.05 %\n/
      ),
      "\(result.output)")
    #expect(result.output.hasSuffix("as if all examples were independent\n"))
    _ = try run("dataset synthesize --writers 2 --per-class 3 --seed 5 -o few.ndjson")
    result = try run("calibrate \(model) few.ndjson -o a3.safetensors")
    #expect(
      result.errors.contains(
        "warning: `state` keeps its thresholds: it has 6 examples, and at least 10 that are classified"
      ),
      "\(result.errors)")
    result = try run(
      "calibrate \(model) ink.ndjson --false-rejections 0.05 --map other=state --map state=other -o b.safetensors"
    )
    #expect(result.status == 0)
    let warnings = result.errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
    #expect(warnings.count == 2, "\(warnings)")
    // Its share of rejections is used up by the network itself.
    #expect(
      warnings.contains {
        $0.hasPrefix("warning: `state` has no thresholds: the model already answers")
      }
    )
    #expect(
      warnings.last?.wholeMatch(
        of: /warning: [0-9.]+ % of `state` \([0-9]+ of [0-9]+\) is rejected; .*/)
        != nil, "\(warnings)")
  }

  #if os(Linux)
    @Test func resumingOnAnotherInstructionSetIsRefused() throws {
      try synthesize()
      let train = "train ink.ndjson --epochs 100000 --threads 1 -o m.safetensors"
      func interrupted(_ core: String, _ more: String = "") throws -> CommandResult {
        try run(
          train + more, prefix: "env INKSTATE_BLAS_CORE=\(core) timeout --foreground -s INT 2")
      }
      var result = try interrupted("Nehalem")
      #expect(result.errors.contains("\ninterrupted in epoch"), "\(result.errors.suffix(300))")
      result = try interrupted("Sandybridge", " --resume")
      #expect(result.status == 1)
      #expect(
        result.errors.contains(
          "m.checkpoint: the checkpoint was computed with OpenBLAS Nehalem and")
          && result.errors.contains("this process computes with OpenBLAS Sandybridge and"),
        "\(result.errors)")
      result = try interrupted("Sandybridge", " --resume --any-instruction-set")
      #expect(result.errors.contains("\nresuming in epoch"), "\(result.errors.suffix(300))")
    }
  #endif

  /// 120 recordings of one class and 4 of another, which differ clearly.
  private func imbalance() throws {
    var lines = ""
    for index in 0..<124 {
      let isRare = index % 31 == 30
      let values = (0..<40).map { step in
        "[\(sin(Double(step) * (isRare ? 1.1 : 0.3) + Double(index)))]"
      }.joined(separator: ",")
      lines +=
        "{\"label\":\"\(isRare ? "hop" : "walk")\",\"series\":{\"channels\":[\"x\"],\"rate\":50,"
        + "\"values\":[\(values)]}}\n"
    }
    try folder.write("imbalance.ndjson", lines)
  }

  @Test func rareClassesDoNotTakeOverWithTheDefaultOptions() throws {
    try imbalance()
    let result = try run("train imbalance.ndjson --epochs 30 --threads 1 -o m.safetensors")
    #expect(result.status == 0 && result.errors.contains("labels smoothed (0.1)"))
    #expect(!result.errors.contains("warning: "), "\(result.errors)")
    let shown = try run("evaluate imbalance.ndjson --model m.safetensors").output
    #expect(shown.contains("mean recall  100.00 % over 2 classes"), "\(shown)")
    #expect(
      result.errors.contains(
        "note: no class is `other`, so the model answers everything with one of its classes"))
  }

  @Test func aTrainingThatLearnsNothingIsWarnedOf() throws {
    try imbalance()
    // Both classes have the same recordings.
    let path = "\(folder.path)/imbalance.ndjson"
    let line = try String(contentsOfFile: path, encoding: .utf8).prefix { $0 != "\n" }
    let same = [String](repeating: String(line), count: 30).enumerated().map { index, line in
      // Copies without a writer are kept together, so these have one each.
      let own = #"{"writer":"\#(index)","# + line.dropFirst()
      return index % 3 == 0 ? own.replacing("walk", with: "other") : own
    }
    try folder.write("same.ndjson", same.joined(separator: "\n"))
    let warning = "% of always answering `walk`, the most frequent class: train for more epochs"
    var result = try run(
      "train same.ndjson --epochs 4 --learning-rate 10 --threads 1 -o m.safetensors")
    #expect(result.status == 0)
    #expect(result.errors.contains("warning: the training accuracy of "), "\(result.errors)")
    #expect(result.errors.contains(warning) && !result.errors.contains("note: no class"))
    result = try run(
      "cross-validate same.ndjson --folds 2 --epochs 4 --learning-rate 10 --threads 1")
    #expect(result.errors.contains("warning: seed 1 fold 1: the training accuracy of "))
  }

  @Test func aTrainingThatEndsTooEarlyIsWarnedOf() throws {
    _ = try run(
      "dataset synthesize --repertoire digits --writers 12 --per-class 1 --seed 5 -o digits.ndjson")
    let train = "train digits.ndjson --augment none --threads 1 --force -o m.safetensors --epochs"
    let early = try run("\(train) 2")
    #expect(early.status == 0)
    #expect(
      early.errors.contains("warning: the last epoch still changed whether "), "\(early.errors)")
    let settled = try run("\(train) 30")
    #expect(settled.status == 0)
    #expect(!settled.errors.contains("still changed"), "\(settled.errors)")
  }

  @Test func adaptationKeepsTheAugmentationAndWantsFiveOfAClass() throws {
    _ = try run(
      "dataset synthesize --repertoire digits --writers 20 --per-class 1 --seed 3 -o digits.ndjson")
    _ = try run("train digits.ndjson --augment printed --epochs 1 -o digits.safetensors")
    _ = try run(
      "dataset synthesize --repertoire digits --writers 1 --per-class 4 --seed 4 -o own.ndjson")
    let adapt =
      "train digits.ndjson --from digits.safetensors --adapt own.ndjson --epochs 1 --force -o own.safetensors"
    var result = try run(adapt)
    #expect(result.status == 0 && result.errors.contains("augmentation printed (options"))
    #expect(
      result.errors.contains(
        "\nthe augmentation is that of digits.safetensors (--augment overrides it)\n"),
      "\(result.errors)")
    #expect(
      result.errors.contains(
        "warning: --adapt own.ndjson has few recordings: 4 of `0`, 4 of `1`, 4 of `2`, "),
      "\(result.errors)")
    #expect(result.errors.contains("; record at least 5 of each class\n"))
    // The adapted model records it, too.
    result = try run(
      "train digits.ndjson --from own.safetensors --epochs 1 --force -o own2.safetensors")
    #expect(result.errors.contains("augmentation printed (options"))
    #expect(!result.errors.contains("warning: --adapt"))
    result = try run(adapt + " --augment upright")
    #expect(result.errors.contains("augmentation upright (options"))
    #expect(!result.errors.contains("the augmentation is that of"))
  }

  /// Starts a training and interrupts it when its first checkpoint is there.
  private func interruptAtTheCheckpoint(_ line: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("inkstate")
    process.arguments = line.split(separator: " ").map(String.init)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    while process.isRunning, !FileTree.exists("\(folder.path)/m.checkpoint") { usleep(2000) }
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
  }

  private func bytes(_ name: String) -> Data? {
    FileManager.default.contents(atPath: "\(folder.path)/\(name)")
  }

  /// --force said that the old model may be replaced, so --resume has to do so without another --force.
  @Test func aForcedTrainingIsResumed() throws {
    try synthesize()
    let line = "train ink.ndjson --epochs 8 --threads 1 -o m.safetensors"
    _ = try run(line)
    let expected = bytes("m.safetensors")
    _ = try run("train ink.ndjson --epochs 1 --threads 1 --force -o m.safetensors")
    let old = bytes("m.safetensors")
    #expect(expected != nil && old != nil && old != expected)
    try interruptAtTheCheckpoint(line + " --force")
    #expect(bytes("m.safetensors") == old)
    // Twice interrupted, it still knows.
    let checkpoint = try #require(bytes("m.checkpoint"))
    let resumed = try run(line + " --resume")
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(bytes("m.safetensors") == expected && bytes("m.checkpoint") == nil)

    // A model that came later was not meant.
    try folder.write("m.checkpoint", checkpoint)
    let later = try Data(contentsOf: URL(fileURLWithPath: ProjectFiles.releasedModel))
    try folder.write("m.safetensors", later)
    let refused = try run(line + " --resume")
    #expect(refused.status == 1 && refused.errors.contains("expected no file of that name"))
    #expect(bytes("m.safetensors") == later && bytes("m.checkpoint") == checkpoint)
    #expect(try run(line + " --resume --force").status == 0)
    #expect(bytes("m.safetensors") == expected)
  }

  /// A training that ends in its first epoch leaves no checkpoint of the training before it.
  @Test func aForcedTrainingForgetsTheCheckpointBefore() throws {
    try synthesize()
    try interruptAtTheCheckpoint("train ink.ndjson --epochs 100000 --threads 1 -o m.safetensors")
    #expect(bytes("m.checkpoint") != nil)
    try folder.write(
      "linear.json",
      #"{"name":"linear","inputSize":28,"layers":[{"kind":"flatten"},{"kind":"dense","units":8},"#
        + #"{"kind":"dense","units":8},{"kind":"dense","units":4}]}"#)
    let diverging =
      "train ink.ndjson --architecture linear.json --optimizer sgd --learning-rate 99 --schedule constant "
      + "--threads 1 -o m.safetensors"
    #expect(try run(diverging).errors.contains("expected no unfinished training"))
    #expect(bytes("m.checkpoint") != nil)
    let forced = try run(diverging + " --force")
    #expect(forced.errors.contains("Error: epoch 1, step "), "\(forced.errors)")
    let resumed = try run(diverging + " --resume")
    #expect(resumed.errors.contains("there is no checkpoint to go on from"), "\(resumed.errors)")
  }

  @Test func aDamagedCheckpointIsSaidToBeDamaged() throws {
    try synthesize()
    let train = "train ink.ndjson --epochs 100000 --threads 1 -o m.safetensors"
    _ = try run(train, prefix: interrupting)
    let path = "\(folder.path)/m.checkpoint"
    let whole = try #require(FileManager.default.contents(atPath: path))
    for place in [3, 8, 40, whole.count / 2, whole.count - 1] {
      var bytes = whole
      bytes[place] ^= 1
      try folder.write("m.checkpoint", bytes)
      let result = try run(train + " --resume")
      #expect(result.status == 1, "byte \(place)")
      #expect(
        result.errors.hasPrefix("Error: ./m.checkpoint")
          || result.errors.hasPrefix("Error: m.checkpoint"), "\(result.errors)")
    }
  }

  @Test func whatIsNoModelIsSaidToBeNone() throws {
    try folder.write("README.md", "# Inkstate\n\nDraw an automaton, get an automaton.\n")
    for line in [
      "inspect README.md", "export README.md --to onnx", "calibrate README.md README.md -o c",
    ] {
      let result = try run(line)
      #expect(
        result.errors
          == "Error: README.md: this is not a model file (.safetensors, as `inkstate train` writes it)\n"
      )
      #expect(result.status == 1)
    }
  }

  /// Options that do not go together are told apart in plain words.
  @Test(arguments: [
    ("train -o m", "name a data set to train on"),
    ("train --adapt a -o m", "--adapt: name the model to adapt with --from"),
    (
      "train a --validation b --validation-share 0.1 -o m",
      "--validation-share and --validation cannot be used together"
    ),
    ("inspect --machine m", "--machine does not show a model; leave out m"),
    ("export m --to swift --name class", "`class` cannot be the name of a Swift type"),
    ("export m", "name the format with --to: coreml, onnx, safetensors or swift"),
    ("import m.onnx --size 3 -o x", "--size is only for .npz files; leave it out for m.onnx"),
  ])
  func optionsThatDoNotFitAreExplained(line: String, message: String) throws {
    let result = try run(line)
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    #expect(!result.errors.contains("found"))
  }
}

/// Files of the project that commands are shown on.
private enum ProjectFiles {
  static let releasedModel = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("models/inkstate.safetensors").path
}
