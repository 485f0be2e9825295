import Foundation
import InkDatasets
import InkNetwork
import InkRaster

/// A training in the middle: weights, the optimiser's memory, the average, the best weights so far,
/// and where it stands.
///
/// What is random needs no storing, for it depends on seed, epoch and step.
struct Checkpoint {
  let progress: Trainer.Progress
  let best: [String: Tensor]?

  /// What has to be the same for a training to go on.
  struct Identity: Codable, Hashable {
    var architecture: Architecture
    var labels: [String]
    var rasterizer: Rasterizer
    var options: TrainingOptions
    var fingerprint: String
    /// Of what chooses the epoch, where there is something.
    var validationFingerprint: String?
    /// Of the weights that the training began with, where they were not random.
    var startFingerprint: String?
  }

  private static let formatVersion = "checkpoint-1"

  /// Reads the checkpoint at `path` into `network`, `optimizer` and `average`.
  init(
    path: String, identity: Identity, network: TrainingNetwork, optimizer: OptimizerState,
    average: FloatBuffer?
  ) throws {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw refuse("file", "a checkpoint to go on from", "none")
    }
    let file = try Safetensors(data, path: path)
    guard file.metadata["inkstate_format"] == Self.formatVersion else {
      throw refuse(
        "inkstate_format", Self.formatVersion, file.metadata["inkstate_format"] ?? "none")
    }
    func field<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
      guard
        let value = try? JSONDecoder().decode(type, from: Data((file.metadata[name] ?? "").utf8))
      else { throw refuse(name, "a value as Inkstate writes it", "something else") }
      return value
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
    try compare("labels", identity.labels, stored.labels)
    try compare("architecture", identity.architecture, stored.architecture)
    try compare("raster", identity.rasterizer, stored.rasterizer)
    try compare("options", identity.options, stored.options)
    progress = try field("progress", as: Trainer.Progress.self)

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
    to path: String, identity: Identity, progress: Trainer.Progress, network: TrainingNetwork,
    optimizer: OptimizerState, average: FloatBuffer?, best: [String: Tensor]?
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
    let file = Safetensors(
      metadata: [
        "inkstate_format": formatVersion, "identity": try text(identity),
        "progress": try text(progress),
      ], tensors: tensors)
    try FileTree.write(file.encoded(), to: path)
  }
}
