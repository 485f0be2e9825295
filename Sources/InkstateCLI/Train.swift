import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRaster
import InkRecognizer
import InkTraining
import Synchronization

/// Trains a network.
struct Train: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train",
    abstract: "Train a network on a data set.",
    discussion: """
      Of a divided data set, the train part is learnt from and the validation part chooses the \
      epoch that is kept; the test part is not looked at. Beside the model there come a log \
      (.csv), a learning curve (.svg) and, until the training is over, a checkpoint. Ctrl-C \
      leaves a good checkpoint, and --resume goes on to the same bytes.

      What no option sets is chosen from the data, and printed: the length of the training, batch \
      size, learning rate, averaging of the weights, and augmentation. Examples are turned by any \
      angle where all labels belong to automata (cycle, other, state, transition), or where turned \
      examples do not look like another class; otherwise they are kept upright, as letters have to \
      be. Classes count alike, however many examples they have.

      --from goes on from a model instead of random weights, with its network and labels. With \
      --adapt it learns one person's hand from a few recordings, 5 to 20 of each class, and \
      rehearses the data sets meanwhile, so that it does not forget the rest; without any, it \
      rehearses synthetic drawings.

      Built with `swift build --traits MPI`, several processes share every batch: mpirun -n 4 \
      inkstate train … gives the same weights as one process, but for rounding. Should one of them \
      die, the others end, and --resume goes on from the last checkpoint.

      Example: inkstate train datasets/synthetic.ndjson --epochs 20 --output runs/model.safetensors

      Example: inkstate train --from models/inkstate.safetensors --adapt datasets/synthetic.ndjson \
      --epochs 2 --output runs/mine.safetensors
      """)

  @Argument(help: "Divided data sets, or data sets in any form; several are learnt from together.")
  var data: [String] = []

  @Option(help: "The model to go on from.")
  var from: String?

  @Option(help: "One person's recordings to adapt the model to.")
  var adapt: String?

  @Option(help: "A data set to choose the epoch by.")
  var validation: String?

  @Option(help: "The share of the data to set aside, by writer, to choose the epoch by.")
  var validationShare = 0.0

  @Flag(help: "Go on from the checkpoint.")
  var resume = false

  @Flag(
    help: """
      Go on also where the checkpoint was made with another instruction set; the model then differs \
      in its last bits from that of an uninterrupted training.
      """)
  var anyInstructionSet = false

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
      throw ValidationError("name a data set to learn from")
    }
    guard adapt == nil || from != nil else {
      throw ValidationError("--adapt: name the model to adapt with --from")
    }
    guard adapt == nil || validationShare == 0 else {
      throw ValidationError(
        "--validation-share cannot be used with --adapt; give a data set with --validation")
    }
    guard (0..<1).contains(validationShare) else {
      throw ValidationError("--validation-share: expected 0 to below 1, found \(validationShare)")
    }
    guard validation == nil || validationShare == 0 else {
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
      // What is wrong may be so on this machine only.
      FileHandle.standardError.write(Data("process \(group.rank): \(error)\n".utf8))
      throw ExitCode.failure
    }
    group.leave()
  }

  private func run(in group: ProcessGroup) throws {
    try output.check(inputs: data + [validation, from, adapt].compactMap { $0 })
    if !resume, !output.force, FileTree.exists(checkpointPath) {
      throw DatasetError(
        path: checkpointPath,
        expected: "no unfinished training (--resume goes on, --force begins anew)",
        found: "one")
    }
    for ending in ["csv", "svg"] {
      try FileTree.refuseExisting("\(stem).\(ending)", force: output.force || resume)
    }
    let recipe = try training.recipe()
    let start = try from.map { try Recognizer(modelPath: $0).model }
    var (learnt, chosenBy) = try load()
    if let adapt, let start { learnt = try rehearsal(of: adapt, known: learnt, start: start) }
    if let start {
      learnt = try learnt.relabelled(start.labels)
      chosenBy = try chosenBy?.relabelled(start.labels)
    }
    let rasterizer = try start?.preprocessing.rasterizer ?? raster.rasterizer()
    let network =
      try start?.architecture
      ?? training.network(classCount: learnt.labels.count, inputSize: rasterizer.size)
    let options = recipe.options(
      for: learnt, network: network, hasValidation: chosenBy != nil, startsFromModel: start != nil)
    let trainer = try Trainer(
      network, training: learnt, validation: chosenBy, rasterizer: rasterizer, options: options,
      startingFrom: start, workers: training.workers(of: group), group: group)
    if resume {
      try trainer.resume(from: checkpointPath, onAnyInstructionSet: anyInstructionSet)
    }
    // The first process may soon write, or remove, what others have yet to look for.
    group.wait()

    Terminal.say(
      "\(network.name): \(network.parameterCount.counted("parameter")), "
        + "\(trainer.exampleCount.counted("example")) of "
        + "\(learnt.labels.joined(separator: ", "))"
        + (chosenBy == nil
          ? "; no validation part, so the last epoch is kept"
          : ", \(trainer.validationCount) for validation")
        + (trainer.tapCount > 0 ? "; \(trainer.tapCount.counted("tap")) left out" : "")
        + (group.size > 1 ? "; \(group.size) processes" : ""))
    Terminal.say("\(options.summary) (options overrule each choice)")
    Interrupt.listen()
    let progress = TrainingProgress()
    var logFailure: (any Error)?
    let outcome = try trainer.run(
      checkpointPath: checkpointPath, provenance: provenance(chosenBy, options),
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
      Terminal.say(
        "interrupted in epoch \(epoch) after step \(step); --resume goes on from \(checkpointPath)")
      throw ExitCode(130)
    case .finished(let model):
      guard group.rank == 0 else { return }
      try FileTree.write(model.encoded(), to: output.output)
      try? FileManager.default.removeItem(atPath: checkpointPath)
      print("\(output.output): \(model.labels.joined(separator: ", "))")
    }
    // A log that cannot be written must not cost the model.
    if let logFailure { throw logFailure }
  }

  /// What is learnt from, and what the epoch is chosen by, from all data sets together.
  private func load() throws -> (training: Dataset, validation: Dataset?) {
    var learnt = Dataset([])
    var chosenBy = Dataset([])
    for path in data {
      let source = try DataSource.load(path, part: .train, loading: loading)
      if let folder = try SplitFolder(path: path) {
        guard validationShare == 0 else {
          throw ValidationError(
            "--validation-share: \(path) is divided already and has a validation part")
        }
        learnt.add(source.dataset)
        if validation == nil { chosenBy.add(try folder.load(.validation).dataset) }
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
    if let validation {
      chosenBy = try DataSource.load(validation, part: .validation, loading: loading).dataset
    }
    return (learnt, chosenBy.examples.isEmpty ? nil : chosenBy)
  }

  /// The recordings to adapt to, mixed with what is rehearsed.
  private func rehearsal(of path: String, known: Dataset, start: Model) throws -> Dataset {
    let own = try DataSource.load(path, part: .train, loading: loading).dataset
    var known = known
    if known.examples.isEmpty {
      guard let invented = Rehearsal.invented(labels: start.labels, seed: training.seed) else {
        throw ValidationError(
          "--adapt: name data sets to rehearse; none can be invented for "
            + start.labels.joined(separator: ", "))
      }
      known = invented
    }
    return Rehearsal(own, with: known, seed: training.seed).dataset
  }

  /// Where the model came from, without anything that a resumed or repeated training would change.
  private func provenance(_ validation: Dataset?, _ options: TrainingOptions) -> [String: String] {
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
      "version": Inkstate.version,
    ]
    provenance["training"] = options.summary
    provenance["validation_fingerprint"] = validation?.fingerprint.description
    about.add(to: &provenance)
    return provenance
  }
}

extension Dataset {
  /// The same examples with the labels of a model in their order.
  fileprivate func relabelled(_ labels: [String]) throws -> Dataset {
    let result = Dataset(examples, labels: labels)
    _ = try result.classes()
    return result
  }
}

/// Remembers that Ctrl-C was pressed; the second time ends the program at once.
private enum Interrupt {
  private static let asked = Atomic(false)

  static var wasAsked: Bool { asked.load(ordering: .relaxed) }

  static func listen() {
    for number in [SIGINT, SIGTERM] {
      // A parent that starts us from a thread with blocked signals hands its mask down.
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
