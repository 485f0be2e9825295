import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import InkTraining
import SafeFiles
import Synchronization

/// Trains a network.
struct Train: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train",
    abstract: "Train a network on a data set.",
    discussion: """
      With a divided data set, training uses the train part, and the validation part selects the \
      best epoch. The test part is not read. A log (.csv) and a learning curve (.svg) are written \
      next to the model. Until training ends there is also a checkpoint: Ctrl-C saves it and stops, \
      and --resume continues. The result has the same bytes as an uninterrupted training.

      A reader learns from several kinds of lines together: drawings in NDJSON files, and strips, \
      PNGs with their texts in labels.tsv.

      Options that are not given are chosen from the data and printed: the number of epochs, batch \
      size, learning rate, weight averaging and augmentation. The augmentation rotates examples by \
      any angle if all labels are cycle, other, state or transition, or if no rotated example looks \
      like another class. Otherwise examples stay upright, as for letters. By default all classes \
      count equally.

      Recordings of sensors with labelled spans are cut into windows, which the model stores. A window \
      gets the label of a span if it contains at least half of the span, or if the span covers at \
      least half of the window. --window also cuts recordings with one label each.

      --from starts from a model instead of random weights, and keeps its network and labels. With \
      --adapt, the model learns one person's handwriting from 5 to 20 recordings of each class. It \
      also trains on the given data sets, so that it does not forget them. Without any, it uses \
      synthetic drawings if the labels allow it; a reader needs data sets.

      Pages are pictures with a class for each pixel: a folder with pictures, masks and classes.tsv. \
      The network answers with a class for each 2 × 2 pixels. It learns from parts of the pages that are \
      changed at random; every 100 steps count as an epoch. With --compose-pages, pages with automata are \
      composed while it learns, in the handwriting of the given data sets.

      A build with `swift build --traits MPI` can share each batch among processes: mpirun -n 4 \
      inkstate train …. The weights equal those of one process up to rounding. If a process fails, \
      the others stop, and --resume continues from the last checkpoint.

      Example: inkstate train datasets/synthetic.ndjson --epochs 5 --output runs/model.safetensors

      Example: inkstate train --from models/inkstate.safetensors --adapt datasets/synthetic.ndjson \
      --epochs 2 --output runs/mine.safetensors

      Example: inkstate train runs/pages --architecture page --steps 5 --validation-share 0.1 \
      --output runs/page.safetensors
      """)

  @Argument(help: "Divided data sets, or data sets in any format; several are used together.")
  var data: [String] = []

  @Option(help: "The model to start from.")
  var from: String?

  @Option(help: "One person's recordings to adapt the model to.")
  var adapt: String?

  @Option(help: "A data set that selects the best epoch; can be repeated.")
  var validation: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      The characters that a reader learns, U+FFFD included for what is no writing; lines with others \
      are left out. With --from, these are learnt besides the characters of the model. (default: all \
      characters of the labels, or those of the model in --from)
      """, valueName: "characters"))
  var alphabet: String?

  @Option(
    help: ArgumentHelp(
      """
      A text file with words, one per line. Letter sequences of these words, and of labels of three letters \
      or more that at least two people wrote, become likelier when the model reads any text.
      """, valueName: "file"))
  var words: String?

  @Option(help: "The share of the data to use for validation, split by writer.")
  var validationShare = 0.0

  @Flag(help: "Continue from the checkpoint.")
  var resume = false

  @Flag(
    help: """
      Also continue a checkpoint from another instruction set; the model then differs in the last \
      bits from that of an uninterrupted training.
      """)
  var anyInstructionSet = false

  @OptionGroup(title: "Options for windows of recordings of sensors") var windows: WindowOptions
  @OptionGroup(title: "Options for pages") var pages: PageTrainingOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var training: TrainingArguments
  @OptionGroup var raster: RasterOptions
  @OptionGroup var loading: LoadingOptions
  @OptionGroup var about: AboutOptions

  private var stem: String {
    output.output.hasSuffix(".safetensors")
      ? String(output.output.dropLast(".safetensors".count)) : output.output
  }
  private var checkpointPath: String { "\(stem).checkpoint" }

  func validate() throws {
    guard !data.isEmpty || adapt != nil else {
      throw ValidationError("name a data set to train on")
    }
    guard adapt == nil || from != nil else {
      throw ValidationError("--adapt: name the model to adapt with --from")
    }
    guard alphabet == nil || adapt == nil else {
      throw ValidationError("--alphabet cannot be used with --adapt, which keeps the characters")
    }
    guard adapt == nil || validationShare == 0 else {
      throw ValidationError(
        "--validation-share cannot be used with --adapt; give a data set with --validation")
    }
    guard (0..<1).contains(validationShare) else {
      throw ValidationError("--validation-share must be from 0 to below 1, not \(validationShare)")
    }
    guard validation.isEmpty || validationShare == 0 else {
      throw ValidationError("--validation-share and --validation cannot be used together")
    }
  }

  func run() throws {
    let group = try ProcessGroup.join()
    if group.rank > 0 { Terminal.silence() }
    do { try run(in: group) } catch let code as ExitCode {
      group.leave()
      throw code
    } catch {
      guard group.rank > 0 else { throw error }
      // The error may occur only on this machine.
      FileHandle.standardError.write(Data("process \(group.rank): \(error)\n".utf8))
      throw ExitCode.failure
    }
    group.leave()
  }

  private func run(in group: ProcessGroup) throws {
    try output.check(
      inputs: data + validation + [from, adapt, words].compactMap { $0 }, mayExist: resume)
    if !resume, !output.force, FileTree.exists(checkpointPath) {
      throw FileError(
        path: checkpointPath,
        expected: "no unfinished training (--resume continues it, --force starts again)",
        found: "one")
    }
    for ending in ["csv", "svg"] {
      try FileTree.refuseExisting("\(stem).\(ending)", force: output.force || resume)
    }
    if try pages.areAsked(for: data, architecture: training.architecture) {
      return try trainOnPages(in: group)
    }
    let listed = try words.map(TextOptions.words) ?? []
    var start = try from.map { try Model.read(path: $0) }
    if let alphabet, let model = start, model.readsText {
      start = try model.adding(characters: alphabet.map { String($0) })
    }
    var (learnt, chosenBy) = try load()
    if let adapt, let start { learnt = try rehearsal(of: adapt, known: learnt, start: start) }
    if let alphabet = start.flatMap({ $0.readsText ? $0.labels.joined() : nil }) ?? alphabet {
      learnt = limited(learnt, to: alphabet, part: "training")
      // A character that occurs in the validation part only cannot be learnt.
      let known = start == nil ? learnt.characters.joined() : alphabet
      chosenBy = chosenBy.map { limited($0, to: known, part: "validation") }
    }
    let choice = try windows.choice(for: learnt, startingFrom: start)
    if let choice { (learnt, chosenBy) = try cut(learnt, chosenBy, choice) }
    if let start, !start.readsText {
      learnt = try learnt.relabelled(start.labels)
      chosenBy = try chosenBy?.relabelled(start.labels)
    }
    reportMissingClasses(of: learnt, in: chosenBy)
    let recipe = try training.recipe(for: learnt)
    let network =
      try start.map { NetworkChoice(of: $0) }
      ?? training.network(
        for: learnt, rasterizer: raster.rasterizer(for: learnt), window: choice?.plan.windows)
    guard alphabet == nil || network.architecture.output == .distributionPerStep else {
      throw ValidationError("--alphabet needs a network that reads text, such as reader")
    }
    guard words == nil || network.architecture.output == .distributionPerStep else {
      throw ValidationError("--words needs a network that reads text, such as reader")
    }
    let options = recipe.options(
      for: learnt, network: network.architecture, hasValidation: chosenBy != nil,
      startingFrom: start)
    let trainer = try Trainer(
      network.architecture, training: learnt, validation: chosenBy,
      preprocessing: network.preprocessing, options: options, alphabet: start?.labels,
      words: try counted(listed, of: start?.labels ?? learnt.characters), startingFrom: start,
      workers: training.workers(of: group), group: group)
    var provenance = provenance(options, validationFingerprint: chosenBy?.fingerprint.description)
    provenance[Model.restLabelKey] = choice?.plan.restLabel
    try prepare(trainer, provenance, in: group)

    Terminal.say(
      "\(network.architecture.name): \(network.architecture.parameterCount.counted("parameter")), "
        + "\(trainer.exampleCount.counted("example")) of "
        + (network.architecture.output == .distributionPerStep
          ? learnt.characters.joined() : learnt.labels.joined(separator: ", "))
        + (chosenBy == nil
          ? "; no validation part, so the last epoch is kept"
          : ", \(trainer.validationCount) for validation")
        + (trainer.tapCount > 0 ? "; \(trainer.tapCount.counted("tap")) left out" : "")
        + (group.size > 1 ? "; \(group.size) processes" : ""))
    if trainer.acceptedTapShare > 0.05 {
      Terminal.say(
        "warning: \(trainer.acceptedTapShare.percent) of the drawings are less than "
          + "\(Int(Stroke.minimumExtent)) points large and left out as taps; if they are in another unit than "
          + "the others, import them apart with --scale")
    }
    Terminal.say("\(options.summary) (options override each choice)")
    if let start, let from, training.augment == nil {
      Terminal.say(
        AugmentationRecord(of: start) == nil
          ? "note: \(from) does not record its augmentation, so it was chosen by the labels (--augment "
            + "overrides it)"
          : "the augmentation is that of \(from) (--augment overrides it)")
    }
    if let note = RejectionNote(
      labels: trainer.labels, readsText: network.architecture.output == .distributionPerStep,
      restLabels: learnt.examples.contains(where: \.isSeries)
        ? EventRule.standardRestLabels.union([choice?.plan.restLabel].compactMap { $0 }) : [])
    {
      Terminal.say("note: \(note)")
    }
    try run(trainer, provenance, in: group)
    if group.rank == 0, let shortfall = trainer.shortfall { Terminal.say("warning: \(shortfall)") }
  }

  /// Trains on pages with a class for each cell.
  private func trainOnPages(in group: ProcessGroup) throws {
    let unused: [(String, Bool)] = [
      ("--adapt", adapt != nil), ("--alphabet", alphabet != nil), ("--words", words != nil),
      ("--window", windows.window != nil), ("--stride", windows.stride != nil),
      ("--rest", windows.rest != nil), ("--margin", raster.margin != nil),
      ("--pen-width", raster.penWidth != nil), ("--augment", training.augment != nil),
      ("--reorder", training.reorder != nil), ("--patience", training.patience != nil),
      ("--average", training.average != nil),
      ("--label-smoothing", training.labelSmoothing != nil),
    ]
    if let (name, _) = unused.first(where: \.1) {
      throw ValidationError("\(name) does not apply to pages")
    }
    guard pages.steps == nil || training.epochs == nil else {
      throw ValidationError("--steps and --epochs cannot be used together")
    }
    let start = try from.map { try Model.read(path: $0) }
    let plan = try pages.plan(
      data: data, validation: validation, validationShare: validationShare, training: training,
      loading: loading, startingFrom: start)
    let trainer = try SegmentationTrainer(
      plan.architecture, feed: plan.feed, validation: plan.validation,
      preparation: plan.preparation, options: plan.options, startingFrom: start,
      workers: training.workers(of: group), group: group)
    var provenance = provenance(
      plan.options, validationFingerprint: plan.validation?.fingerprint)
    provenance.merge(plan.provenance) { $1 }
    try prepare(trainer, provenance, in: group)
    let classes = plan.feed.classes.map(\.name).joined(separator: ", ")
    Terminal.say(
      "\(plan.architecture.name): \(plan.architecture.parameterCount.counted("parameter")), "
        + (plan.feed.pageCount.map { $0.counted("page") } ?? "composed pages") + " of \(classes)"
        + (trainer.validationCount > 0
          ? ", \(trainer.validationCount) for validation"
          : "; no validation part, so the last epoch is kept"))
    Terminal.say("\(plan.options.summary) (options override each choice)")
    let missing = zip(plan.feed.classes, plan.feed.shares).filter { $0.1 == 0 }.map(\.0.name)
    if plan.feed.pageCount != nil, !missing.isEmpty {
      Terminal.say(
        "warning: no page to train on has \(missing.joined(separator: ", ")), so the network does not "
          + "learn \(missing.count == 1 ? "this class" : "these classes")")
    }
    try run(trainer, provenance, in: group)
  }

  /// Resumes a training if it is asked for, and removes the checkpoint of another one if not.
  private func prepare(
    _ trainer: any TrainingRun, _ provenance: [String: String], in group: ProcessGroup
  ) throws {
    if resume {
      try trainer.resume(from: checkpointPath, onAnyInstructionSet: anyInstructionSet)
      try refuseModel(unlessOf: provenance, orNamedIn: trainer.checkpointNotes)
    }
    if output.force { trainer.checkpointNotes[Self.replacedKey] = outputFingerprint() }
    // Waits, because the first process may write or remove files that others still look for.
    group.wait()
    // With --force, the checkpoint of another training would be in the place of this one's until the first
    // epoch ends.
    if !resume, group.rank == 0 { try? FileManager.default.removeItem(atPath: checkpointPath) }
  }

  /// Trains, and writes the model and its log.
  private func run(
    _ trainer: any TrainingRun, _ provenance: [String: String], in group: ProcessGroup
  ) throws {
    Interrupt.listen()
    let progress = TrainingProgress()
    var logFailure: (any Error)?
    let outcome = try trainer.run(
      checkpointPath: checkpointPath, provenance: provenance,
      shouldStop: { Interrupt.wasAsked }
    ) { event in
      progress.show(event)
      if case .epoch = event, group.rank == 0 {
        let curve = LearningCurve(trainer.history)
        do {
          try FileTree.write(Data(curve.csv.utf8), to: "\(stem).csv")
          try FileTree.write(Data(curve.svg.utf8), to: "\(stem).svg")
        } catch { logFailure = error }
      }
    }
    switch outcome {
    case .interrupted(let epoch, let step):
      progress.end()
      Terminal.say(
        "interrupted in epoch \(epoch) after step \(step); --resume continues from \(checkpointPath)"
      )
      throw ExitCode(130)
    case .finished(let model):
      guard group.rank == 0 else { return }
      try FileTree.write(model.encoded(), to: output.output)
      try? FileManager.default.removeItem(atPath: checkpointPath)
      print("\(output.output): \(model.labelList)")
    }
    // The model is written even if the log cannot be.
    if let logFailure { throw logFailure }
  }

  /// The key of the fingerprint of the file that the training may replace, in the notes of a checkpoint.
  private static let replacedKey = "replaces"

  /// Returns a fingerprint of the output that exists, or `nil` if there is none.
  private func outputFingerprint() -> String? {
    guard let bytes = FileManager.default.contents(atPath: output.output) else { return nil }
    var fingerprint = Fingerprint()
    fingerprint.add([UInt8](bytes))
    return fingerprint.description
  }

  /// Throws if the output exists, and is neither the file that the training was told to replace, nor the
  /// model of this training, which may have been killed between writing it and removing the checkpoint.
  private func refuseModel(
    unlessOf provenance: [String: String], orNamedIn notes: [String: String]
  ) throws {
    if let replaced = notes[Self.replacedKey], replaced == outputFingerprint() { return }
    let known = try? Model.read(path: output.output).provenance
    guard let known, known.merging(provenance, uniquingKeysWith: { $1 }) == known else {
      return try FileTree.refuseExisting(output.output, force: output.force)
    }
  }

  /// Returns the training examples and the validation examples of all data sets.
  private func load() throws -> (training: Dataset, validation: Dataset?) {
    var learnt = Dataset([])
    var chosenBy = Dataset([])
    var leftOutColumns: Set<String> = []
    for path in data {
      // A model to start from chooses the columns.
      let source = try DataSource.load(
        path, part: .train, loading: loading, keepsCounters: from != nil)
      leftOutColumns.formUnion(source.leftOutColumns)
      if let folder = try SplitFolder(path: path) {
        guard validationShare == 0 else {
          throw ValidationError(
            "--validation-share: \(path) is divided already and has a validation part")
        }
        learnt.add(source.dataset)
        if validation.isEmpty { chosenBy.add(try folder.load(.validation).dataset) }
      } else if let own = source.validation, validationShare == 0 {
        learnt.add(source.dataset)
        if validation.isEmpty { chosenBy.add(own) }
      } else if validationShare == 0 {
        learnt.add(source.dataset)
      } else {
        let split = Split(
          method: .writer, seed: training.seed, validationShare: validationShare, testShare: 0)
        let parts = split.parts(of: source.dataset)
        learnt.add(source.dataset.subset(parts.indices.filter { parts[$0] == .train }))
        chosenBy.add(source.dataset.subset(parts.indices.filter { parts[$0] == .validation }))
      }
    }
    for path in validation {
      let source = try DataSource.load(
        path, part: .validation, loading: loading, keepsCounters: true)
      chosenBy.add(source.dataset)
    }
    // What only counts in one data set is no measurement in another.
    (learnt, chosenBy) = (
      learnt.without(channels: leftOutColumns), chosenBy.without(channels: leftOutColumns)
    )
    return (learnt, chosenBy.examples.isEmpty ? nil : chosenBy)
  }

  /// Returns the words of --words with letters of `alphabet` only, and reports others.
  private func counted(_ listed: [String], of alphabet: [String]) throws -> [String] {
    guard let words else { return [] }
    let letters = Set(LetterCounts.letters(of: alphabet.map { Character($0) }))
    let counted = listed.filter { $0.lowercased().allSatisfy(letters.contains) }
    guard !counted.isEmpty else {
      throw ValidationError(
        letters.isEmpty
          ? "--words: the model has no letters, or more than \(LetterCounts.maximumLetters)"
          : "--words: no line of \(words) has letters of the model only")
    }
    if let other = listed.first(where: { !$0.lowercased().allSatisfy(letters.contains) }) {
      Terminal.say(
        "left out: \((listed.count - counted.count).counted("line")) of \(words) with other characters "
          + "than letters of the model, such as `\(other)`")
    }
    return counted
  }

  /// Returns the lines that have only characters of `alphabet`, and reports the other characters.
  private func limited(_ dataset: Dataset, to alphabet: String, part: String) -> Dataset {
    let (limited, others) = dataset.limited(to: Set(alphabet))
    let count = dataset.examples.count - limited.examples.count
    if count > 0 {
      let counts = others.map { "`\($0.character)` \($0.count)" }.joined(separator: ", ")
      Terminal.say(
        "left out: \(count.counted("line")) for \(part) with characters outside the alphabet: \(counts)"
      )
    }
    return limited
  }

  /// Cuts the recordings of both parts into windows, and reports what was left out.
  private func cut(
    _ learnt: Dataset, _ chosenBy: Dataset?, _ choice: WindowChoice
  ) throws -> (Dataset, Dataset?) {
    let cut = try choice.cut(learnt)
    let validation = try chosenBy.map { try choice.cut($0) }
    let isChosen = windows.window == nil && from == nil
    Terminal.say(choice.summary + (isChosen ? " (--window and --stride override this)" : ""))
    WindowOptions.report([cut, validation].compactMap { $0 }, choice)
    return (
      cut.dataset, validation.map { Dataset($0.dataset.examples, labels: cut.dataset.labels) }
    )
  }

  /// Reports each class of which only one person's recordings are known, so that the validation part
  /// has none.
  private func reportMissingClasses(of learnt: Dataset, in chosenBy: Dataset?) {
    guard let chosenBy, learnt.examples.contains(where: \.isSeries) else { return }
    let validated = Set(chosenBy.examples.map(\.label))
    for label in learnt.labels where !validated.contains(label) {
      let examples = learnt.examples.filter { $0.label == label }
      let people = Set(examples.compactMap(\.writer))
      guard people.count == 1, let person = people.first else { continue }
      Terminal.say(
        "note: all \(examples.count.counted("example")) of `\(label)` for training are of \(person), "
          + "and the validation part has none; record other people")
    }
  }

  /// Returns the recordings to adapt to, mixed with examples of the known data.
  private func rehearsal(of path: String, known: Dataset, start: Model) throws -> Dataset {
    let own = try DataSource.load(
      path, part: .train, loading: loading, keepsCounters: true
    ).dataset
    let scarce = ExperienceReplay.scarceClasses(of: start, in: own)
    if !scarce.isEmpty {
      let counts = scarce.map { label, count in label.map { "\(count) of `\($0)`" } ?? "\(count)" }
      Terminal.say(
        "warning: --adapt \(path) has few \(start.readsText ? "lines" : "recordings"): "
          + "\(counts.joined(separator: ", ")); record at least \(ExperienceReplay.minimumPerClass)"
          + (start.readsText ? "" : " of each class"))
    }
    var known = known
    if known.examples.isEmpty {
      guard let synthetic = ExperienceReplay.synthetic(labels: start.labels, seed: training.seed)
      else {
        throw ValidationError(
          "--adapt: name data sets to train on as well; none can be synthesised for "
            + (start.readsText ? "a reader" : start.labels.joined(separator: ", ")))
      }
      known = synthetic
    }
    return ExperienceReplay(own, with: known, seed: training.seed).dataset
  }

  /// Returns the model's provenance, without options that do not change the result.
  private func provenance(
    _ options: TrainingOptions, validationFingerprint: String?
  ) -> [String: String] {
    let incidental = ["--resume", "--force", "--any-instruction-set"]
    var arguments = CommandLine.arguments.dropFirst().filter { !incidental.contains($0) }
    for option in ["--threads", "--output", "-o"] {
      while let index = arguments.firstIndex(of: option) {
        arguments.removeSubrange(index...min(index + 1, arguments.count - 1))
      }
      arguments.removeAll { $0.hasPrefix(option + "=") }
    }
    var provenance = [
      "command": "inkstate " + arguments.joined(separator: " "),
      "data": (data + [adapt].compactMap { $0 }).joined(separator: " "),
      "version": Version.current,
    ]
    provenance["training"] = options.summary
    provenance["validation_fingerprint"] = validationFingerprint
    about.add(to: &provenance)
    return provenance
  }
}

extension Dataset {
  /// Returns the same examples with a model's labels in its order.
  fileprivate func relabelled(_ labels: [String]) throws -> Dataset {
    let result = Dataset(examples, labels: labels)
    _ = try result.classes()
    return result
  }
}

/// Records the first Ctrl-C; the second one ends the program immediately.
private enum Interrupt {
  private static let asked = Atomic(false)

  static var wasAsked: Bool { asked.load(ordering: .relaxed) }

  static func listen() {
    for number in [SIGINT, SIGTERM] {
      // The signal may be blocked in the mask that the parent process passed on.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, number)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      signal(number) { number in
        Interrupt.asked.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
  }
}
