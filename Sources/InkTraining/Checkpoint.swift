import Foundation
import InkDatasets
import InkNetwork
import InkRecognizer
import JSONReading
import SafeFiles

/// A training in the middle: weights, the optimiser's memory, the average, the best weights so far,
/// and where it stands.
///
/// What is random needs no storing, for it depends on seed, epoch and step.
struct Checkpoint {
  let progress: Trainer.Progress
  let best: [String: Tensor]?
  /// What the caller of the training stored with it.
  let notes: [String: String]

  /// What has to be the same for a training to go on.
  struct Identity: Codable, Hashable {
    var architecture: Architecture
    var labels: [String]
    var preprocessing: [Preprocessing]
    var options: TrainingOptions
    var fingerprint: String
    /// Of what chooses the epoch, where there is something.
    var validationFingerprint: String?
    /// Of the weights that the training began with, where they were not random.
    var startFingerprint: String?
    /// Of the letters that follow each other in words, where they are counted.
    var lettersFingerprint: String?
  }

  private static let formatVersion = "checkpoint-3"

  /// Reads the checkpoint at `path` into `network`, `optimizer` and `average`.
  ///
  /// Unless it `mayDiffer`, the instruction set has to be the one that the checkpoint was computed
  /// with.
  init(
    path: String, identity: Identity, instructionSet: String, mayDiffer: Bool, epochs: Int,
    stepsPerEpoch: Int, network: TrainingNetwork, optimizer: OptimizerState, average: FloatBuffer?
  ) throws {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    let isDamaged = ModelError(
      path: path, problem: "the checkpoint is damaged; begin anew (--force)")
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ModelError(path: path, problem: "there is no checkpoint to go on from")
    }
    guard let file = try? Safetensors(data, path: path) else { throw isDamaged }
    guard file.metadata["inkstate_format"] == Self.formatVersion else {
      throw refuse(
        "inkstate_format", Self.formatVersion, file.metadata["inkstate_format"] ?? "none")
    }
    // Blanks in the header count as well.
    guard file.metadata["checksum"] == Self.checksum(file), try file.encoded() == data else {
      throw isDamaged
    }
    func field<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
      do {
        return try type.init(
          strictJSON: Data((file.metadata[name] ?? "").utf8), name: "\(path), \(name)")
      } catch {
        throw ModelError(json: error, path: "\(path), \(name)")
      }
    }
    let stored = try field("identity", as: Identity.self)
    func compare(_ name: String, _ mine: some Equatable, _ theirs: some Equatable) throws {
      guard "\(mine)" != "\(theirs)" else { return }
      throw TrainingError.otherTraining(
        path: path, field: name, expected: "\(mine)", found: "\(theirs)")
    }
    try compare("data fingerprint", identity.fingerprint, stored.fingerprint)
    try compare(
      "validation fingerprint", identity.validationFingerprint ?? "none",
      stored.validationFingerprint ?? "none")
    try compare(
      "fingerprint of the model to start from", identity.startFingerprint ?? "none",
      stored.startFingerprint ?? "none")
    try compare(
      "fingerprint of the letters of words (--words)", identity.lettersFingerprint ?? "none",
      stored.lettersFingerprint ?? "none")
    try compare("labels", identity.labels, stored.labels)
    try compare(
      "the size of its input", identity.architecture.pictureSize ?? 0,
      stored.architecture.pictureSize ?? 0)
    try compare("the network", identity.architecture.name, stored.architecture.name)
    guard identity.architecture == stored.architecture else {
      throw TrainingError.otherTraining(
        path: path, field: "the network", expected: "`\(identity.architecture.name)`",
        found: "`\(stored.architecture.name)` with other layers")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func text(_ preprocessing: [Preprocessing]) throws -> String {
      String(decoding: try encoder.encode(preprocessing), as: UTF8.self)
    }
    try compare("the preprocessing", text(identity.preprocessing), text(stored.preprocessing))
    func compareAll(_ mine: Any, _ theirs: Any) throws {
      for (mine, theirs) in zip(
        Mirror(reflecting: mine).children, Mirror(reflecting: theirs).children)
      {
        try compare("option \(mine.label ?? "")", "\(mine.value)", "\(theirs.value)")
      }
    }
    if let mine = identity.options.segmentation, let theirs = stored.options.segmentation {
      // Who trains on pages gives a number of steps, of which epochs are made.
      try compare(
        "the number of steps", identity.options.epochs * mine.stepsPerEpoch,
        stored.options.epochs * theirs.stepsPerEpoch)
      try compareAll(mine, theirs)
    }
    try compareAll(identity.options, stored.options)
    let other = file.metadata["instruction_set"] ?? "unknown instructions"
    guard mayDiffer || other == instructionSet else {
      throw TrainingError.otherInstructionSet(path: path, expected: instructionSet, found: other)
    }
    let progress = try field("progress", as: Trainer.Progress.self)
    guard progress.history.count <= epochs, (0...stepsPerEpoch).contains(progress.step),
      progress.bestEpoch.map({ $0 >= 1 && $0 <= progress.history.count }) ?? true,
      (progress.exampleCount > 0) == (progress.step > 0)
    else { throw isDamaged }
    self.progress = progress
    // Checkpoints of older versions have none.
    notes = file.metadata["notes"] == nil ? [:] : try field("notes", as: [String: String].self)

    func load(_ name: String, into buffer: FloatBuffer) throws {
      guard let tensor = file.tensors[name], tensor.shape == [buffer.count] else {
        throw refuse(
          name, "a tensor of [\(buffer.count)]", "\(file.tensors[name]?.shape ?? [])")
      }
      buffer.values = tensor.values
    }
    try load("weights", into: network.learnt)
    try load("statistics", into: network.statistics)
    try load("optimizer.first", into: optimizer.first)
    try load("optimizer.second", into: optimizer.second)
    if let average { try load("average", into: average) }
    if progress.bestEpoch != nil {
      var tensors: [String: Tensor] = [:]
      for parameter in network.architecture.parameters {
        guard let tensor = file.tensors["best.\(parameter.name)"], tensor.shape == parameter.shape
        else { throw refuse("best.\(parameter.name)", "a tensor of \(parameter.shape)", "none") }
        tensors[parameter.name] = tensor
      }
      best = tensors
    } else {
      best = nil
    }
  }

  /// Writes a checkpoint beside `path` and renames it into place.
  static func write(
    to path: String, identity: Identity, instructionSet: String, progress: Trainer.Progress,
    notes: [String: String], network: TrainingNetwork, optimizer: OptimizerState,
    average: FloatBuffer?,
    best: [String: Tensor]?
  ) throws {
    var tensors: [String: Tensor] = [:]
    for (name, buffer) in [
      ("weights", network.learnt), ("statistics", network.statistics),
      ("optimizer.first", optimizer.first), ("optimizer.second", optimizer.second),
      ("average", average),
    ] {
      if let buffer { tensors[name] = Tensor(shape: [buffer.count], values: buffer.values) }
    }
    for (name, tensor) in best ?? [:] { tensors["best.\(name)"] = tensor }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func text(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    var file = Safetensors(
      metadata: [
        "inkstate_format": formatVersion, "identity": try text(identity),
        "instruction_set": instructionSet, "progress": try text(progress),
        "notes": notes.isEmpty ? nil : try text(notes),
      ].compactMapValues { $0 }, tensors: tensors)
    file.metadata["checksum"] = checksum(file)
    try FileTree.write(file.encoded(), to: path)
  }
  /// A hash of everything but itself.
  private static func checksum(_ file: Safetensors) -> String {
    var fingerprint = Fingerprint()
    for (key, text) in file.metadata.sorted(by: { $0.key < $1.key }) where key != "checksum" {
      fingerprint.add(key)
      fingerprint.add(text)
    }
    for (name, tensor) in file.tensors.sorted(by: { $0.key < $1.key }) {
      fingerprint.add(name)
      fingerprint.add("\(tensor.shape)")
      tensor.values.withUnsafeBytes { fingerprint.add($0) }
    }
    return fingerprint.description
  }
}
