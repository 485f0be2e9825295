import ArgumentParser
import InkDatasets
import InkDiagram
import InkEvaluation
import InkRecognizer
import InkTraining
import SafeFiles

/// Fits a model's temperature and rejection thresholds, or the numbers that decode its pages.
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract:
      "Fit a model's temperature and rejection thresholds, or the numbers that decode its pages.",
    discussion: """
      Uses the validation part of a divided data set; do not calibrate on training examples. The \
      temperature makes the probabilities match the measured accuracy. The thresholds of each label \
      reject at most the given share of its examples. Both are stored in the output model.

      For a model that reads text, the probabilities are those of the whole text, and the thresholds \
      reject at most the given share of the lines. Drawings with the label U+FFFD are no writing; \
      with some of them, the thresholds are chosen to reject as many of these as possible.

      If a label has so few examples that the share is less than one of them (fewer than 100 for 0.01), \
      its thresholds are estimated from the lowest probabilities of its examples. The output says which \
      share of new examples is rejected at most, with 95 % confidence. A label with fewer than 10 \
      right answers keeps its thresholds. A warning names each label of which more than a tenth of the \
      examples are rejected. The model often confuses such a label with another one.

      For a model that sees pages of automata, the data are folders with pages and truth.json, as \
      `inkstate dataset compose pages` writes them. The numbers with which states and arrows are decoded from what \
      the network sees are fitted to them, one after the other, and stored in the output model. Pages with more \
      than 16 states are left out, and every fifth one is held out, to show what the fit is worth. 200 pages take \
      half an hour on two cores.

      Example: inkstate calibrate models/inkstate.safetensors datasets/synthetic.ndjson \
      --false-rejections 0.01 --output runs/calibrated.safetensors
      """)

  @Argument(help: "The model.")
  var model: String

  @Argument(
    help: """
      Divided data sets (the validation parts are used), data sets in any format, or folders with pages.
      """)
  var data: [String]

  @Option(
    help: """
      The largest share of a label's examples that may be rejected, or of lines of writing. \
      (default: 0.01, or 0.03 for a model that reads text)
      """)
  var falseRejections: Double?

  @Option(
    name: .customLong("except"),
    help: ArgumentHelp(
      "A different share for one label; can be repeated.", valueName: "label=share"))
  var exceptions: [String] = []

  @Option(
    help: ArgumentHelp(
      "For pages: fit only these numbers; an unknown name lists all. (default: all)",
      valueName: "name,…"))
  var only: String?

  @Option(help: "The number of CPU cores to use. (default: all)")
  var threads: Int?

  @OptionGroup(title: "Options for windows of recordings of sensors") var windows: WindowOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  /// The share of rejected examples from which on a warning names the label.
  private static let alarmingShare = 0.1

  /// What the intervals and bounds mean.
  private static let basis = "intervals and bounds are of 95 %, as if all examples were independent"

  func validate() throws {
    try check("--false-rejections", falseRejections ?? 0, in: 0...0.5)
    _ = try shares()
  }

  private func shares() throws -> [String: Double] {
    var shares: [String: Double] = [:]
    for exception in exceptions {
      let parts = exception.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let share = Double(parts[1]), (0...0.5).contains(share) else {
        throw ValidationError(
          "--except: expected label=share with a share from 0 to 0.5, found `\(exception)`")
      }
      let label = String(parts[0])
      if let other = shares.updateValue(share, forKey: label), other != share {
        throw ValidationError(
          "--except: two different shares for `\(label)`, \(other) and \(share); give one")
      }
    }
    return shares
  }

  func run() throws {
    let shares = try shares()
    let share = falseRejections ?? 0.01
    try output.check(inputs: [model] + data)
    let loaded = try Model.read(path: model)
    if loaded.answersCells { return try calibratePages(loaded) }
    guard only == nil else { throw ValidationError("--only is for a model that sees pages") }
    if loaded.readsText { return try calibrateReader(loaded) }
    var calibrated = try Recognizer(modelPath: model).model
    if let unknown = shares.keys.filter({ !calibrated.labels.contains($0) }).min() {
      throw ValidationError(
        "--except: the model has no label `\(unknown)`; its labels are \(calibrated.labels.alternatives)"
      )
    }
    if let rejected = calibrated.decision.rejectedLabel, shares[rejected] != nil {
      throw ValidationError(
        "--except: `\(rejected)` is the model's label for rejection and has no thresholds")
    }
    var dataset = try examples()
    if let choice = try windows.choice(of: calibrated, for: dataset) {
      let cut = try choice.cut(dataset)
      WindowOptions.report([cut], choice)
      dataset = cut.dataset
    }
    let calibration = try Calibration(
      of: calibrated, on: dataset, falseRejections: share, exceptions: shares,
      workers: workerCount(threads))
    calibrated.decision = calibration.decision
    try write(&calibrated, dataset, share: share)
    if let note = RejectionNote(calibrated) { Terminal.say("note: \(note)") }
    print("temperature \(calibration.decision.temperature.fixed(3))")
    for label in calibrated.labels {
      guard let rejected = calibration.rejected[label] else { continue }
      print(
        "\(label.padded(12)) probability at least "
          + "\((calibration.decision.minimumProbabilities[label] ?? 0).fixed(3)), margin at least "
          + "\((calibration.decision.minimumMargins[label] ?? 0).fixed(3)); rejected "
          + rejected.summary
          + (calibration.bound(of: label).map { "; of new ones at most \($0.percent)" } ?? ""))
    }
    print(Self.basis)
    for label in calibrated.labels {
      let count = (calibration.rejected[label]?.total ?? 0).counted("example")
      let target = (shares[label] ?? share).percent
      switch calibration.fits[label] {
      case .extrapolated(let needed):
        Terminal.say(
          "note: `\(label)` has \(count), and \(needed) are needed to count \(target) of them; its thresholds "
            + "are estimated from the lowest probabilities")
      case .kept(let needed):
        Terminal.say(
          "warning: `\(label)` keeps its thresholds: it has \(count), and at least \(needed) that are classified "
            + "right are needed")
      case .usedUp(let rejected):
        Terminal.say(
          "warning: `\(label)` has no thresholds: the model already answers "
            + "`\(calibrated.decision.rejectedLabel ?? "")` to \(rejected) of its \(count), and \(target) may be "
            + "rejected")
      case .counted, .none?, nil: break
      }
    }
    for label in calibrated.labels {
      guard let rejected = calibration.rejected[label], rejected.value > Self.alarmingShare else {
        continue
      }
      Terminal.say(
        "warning: \(rejected.value.percent) of `\(label)` (\(rejected.count) of \(rejected.total)) is "
          + "rejected; train longer, or with more examples of it")
    }
  }

  private func examples() throws -> Dataset {
    var dataset = Dataset([])
    for path in data {
      let source = try DataSource.load(
        path, part: .validation, loading: loading, keepsCounters: true)
      dataset.add(source.dataset)
    }
    guard !dataset.examples.isEmpty else {
      throw FileError(
        path: data.joined(separator: ", "), expected: "examples to calibrate with", found: "none")
    }
    return dataset
  }

  /// Writes the model with its provenance.
  private func write(_ calibrated: inout Model, _ dataset: Dataset, share: Double) throws {
    calibrated.provenance["calibration_command"] =
      "inkstate calibrate MODEL \(data.joined(separator: " ")) --false-rejections "
      + "\(share)" + exceptions.map { " --except \($0)" }.joined()
    calibrated.provenance["calibration_fingerprint"] = dataset.fingerprint.description
    try FileTree.write(calibrated.encoded(), to: output.output)
  }

  /// Calibrates a model that reads text.
  private func calibrateReader(_ reader: Model) throws {
    guard exceptions.isEmpty else {
      throw ValidationError("--except needs a model that classifies")
    }
    let share = falseRejections ?? 0.03
    let dataset = try examples()
    let calibration = try ReadingCalibration(
      of: reader, on: dataset, falseRejections: share, workers: workerCount(threads))
    var calibrated = reader
    calibrated.decision = calibration.decision
    try write(&calibrated, dataset, share: share)
    let limits = calibration.limits
    print("temperature \(calibration.decision.temperature.fixed(3))")
    print(
      "calibration error \(calibration.reliability.after.expectedError.percent), before "
        + calibration.reliability.before.expectedError.percent)
    print(
      "evidence at least \(limits.minimumEvidence.fixed(3)), probability at least "
        + "\(limits.minimumProbability.fixed(3)), no writing at most \(limits.maximumNoWriting.fixed(3))"
    )
    print(
      "rejected \(calibration.rejected.summary)"
        + (calibration.rejected.upperBound.map { "; of new ones at most \($0.percent)" } ?? ""))
    print(Self.basis)
    let count = calibration.rejected.total.counted("line")
    switch calibration.fit {
    case .extrapolated(let needed):
      Terminal.say(
        "note: there are \(count), and \(needed) are needed to count \(share.percent) of them; the limits are "
          + "estimated from the lowest values")
    case .kept(let needed):
      Terminal.say(
        "warning: the model keeps its temperature and limits: there are \(count), and at least \(needed) are needed"
      )
    case .counted, .usedUp, .none: break
    }
    if calibration.noWritingRejected.total > 0 {
      print("no writing, rejected \(calibration.noWritingRejected.summary)")
    } else if calibration.fit == .counted {
      Terminal.say(
        "note: no example has the label U+FFFD, so the thresholds are chosen to reject lines that are "
          + "read wrongly")
    }
  }

  /// Fits the numbers with which pages are decoded.
  private func calibratePages(_ model: Model) throws {
    guard exceptions.isEmpty, falseRejections == nil else {
      throw ValidationError(
        "--except and --false-rejections are for models that reject; one that sees pages does not")
    }
    let unused: [(String, Bool)] = [
      ("--window", windows.window != nil), ("--stride", windows.stride != nil),
      ("--rest", windows.rest != nil), ("--map", !loading.maps.isEmpty),
      ("--drop", !loading.drops.isEmpty),
    ]
    if let (name, _) = unused.first(where: \.1) {
      throw ValidationError("\(name): the model answers for each cell of a picture")
    }
    let workers = try workerCount(threads)
    let names = only?.split(separator: ",").map(String.init) ?? []
    if let unknown = names.first(where: { PageDecoding.ranges[$0] == nil }) {
      throw ValidationError(
        "--only: there is no number `\(unknown)`; there are "
          + PageDecoding.ranges.keys.sorted().joined(separator: ", "))
    }
    var looking: WorkProgress?
    var trying: WorkProgress?
    let calibration = try DecodingCalibration(
      of: PageNetwork(PageRecognizer(model: model, name: self.model), name: self.model), on: data,
      only: names, workers: workers,
      looked: { done, all in
        if looking == nil { looking = WorkProgress(count: all, unit: "pages") }
        looking?.reach(done)
        if done == all { looking?.end() }
      },
      tried: { done, all in
        if trying == nil { trying = WorkProgress(count: all, unit: "trials") }
        trying?.reach(done)
      })
    trying?.end()
    var calibrated = model
    calibration.store(in: &calibrated)
    calibrated.provenance["calibration_command"] =
      "inkstate calibrate MODEL \(data.joined(separator: " "))"
    calibrated.provenance["calibration_fingerprint"] = nil
    try FileTree.write(calibrated.encoded(), to: output.output)
    for change in calibration.changes {
      print("\(change.name.padded(22)) \(change.now.fixed(4)), before \(change.before.fixed(4))")
    }
    func show(_ right: DecodingCalibration.Right, _ which: String) {
      print(
        "structure right: \(right.now) of \(right.count.counted("page")) \(which), before \(right.before)"
      )
    }
    show(calibration.fitted, "of the fit")
    show(calibration.heldOut, "held out")
  }
}
