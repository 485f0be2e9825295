import Foundation
import InkRaster

/// A trained network with everything that is needed to use it: one file explains itself.
public struct Model: Hashable, Sendable {
  /// The layers.
  public let architecture: Architecture
  /// What the logits stand for, in order.
  public let labels: [String]
  /// How drawings are turned into the network's input.
  public let rasterizer: Rasterizer
  /// What a grey value of 0…255 is multiplied with.
  public let inputScale: Float
  /// How sure an answer has to be.
  public var decision: Decision
  /// Where the model came from, for people: data and their hashes, seed, command, version.
  public var provenance: [String: String]
  /// The stored arrays, by `Parameter.name`.
  public let weights: [String: Tensor]

  /// The version of the file format that is written.
  static let formatVersion = "2"

  /// When an answer is accepted.
  ///
  /// Fitted on validation data and stored with the weights.
  public struct Decision: Hashable, Sendable, Codable {
    /// The logits are divided by this before the softmax (Guo et al., 2017); 1 changes nothing.
    public var temperature: Double
    /// The least probability of an answer, for each label that has one.
    public var leastProbabilities: [String: Double]
    /// The least distance between the two highest probabilities, for each label that has one.
    public var leastMargins: [String: Double]
    /// A drawing whose longer side is shorter than this, in canvas points, is a tap.
    public var leastExtent: Double
    /// The label that stands for "none of the others", or `nil` where there is no such class.
    public var rejectedLabel: String?

    /// Accepts everything.
    public init(
      temperature: Double = 1, leastProbabilities: [String: Double] = [:],
      leastMargins: [String: Double] = [:], leastExtent: Double = 0, rejectedLabel: String? = nil
    ) {
      self.temperature = temperature
      self.leastProbabilities = leastProbabilities
      self.leastMargins = leastMargins
      self.leastExtent = leastExtent
      self.rejectedLabel = rejectedLabel
    }
  }

  /// Makes a model.
  ///
  /// - Throws: `ModelError` where labels, input or weights do not fit the architecture.
  public init(
    architecture: Architecture, labels: [String], rasterizer: Rasterizer,
    inputScale: Float = 1 / 255, decision: Decision = Decision(),
    provenance: [String: String] = [:], weights: [String: Tensor], path: String = "model"
  ) throws(ModelError) {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    guard labels.count == architecture.classCount else {
      throw refuse("labels", "\(architecture.classCount), one a class", "\(labels.count)")
    }
    guard Self.canName(classes: labels) else {
      throw refuse("labels", "different names that are not empty", labels.joined(separator: ", "))
    }
    guard rasterizer.size == architecture.inputSize else {
      throw refuse("raster", "a size of \(architecture.inputSize)", "\(rasterizer.size)")
    }
    guard inputScale.isFinite, inputScale > 0 else {
      throw refuse("input_scale", "a positive number", "\(inputScale)")
    }
    try decision.check(labels: labels, path: path)
    for parameter in architecture.parameters {
      guard let tensor = weights[parameter.name] else {
        throw refuse(parameter.name, "a tensor of \(parameter.shape)", "none")
      }
      guard tensor.shape == parameter.shape else {
        throw refuse(parameter.name, "a tensor of \(parameter.shape)", "\(tensor.shape)")
      }
      guard tensor.values.allSatisfy(\.isFinite) else {
        throw refuse(parameter.name, "finite numbers", "NaN or infinity")
      }
      guard parameter.role != .runningVariance || tensor.values.allSatisfy({ $0 >= 0 }) else {
        throw refuse(parameter.name, "variances of 0 or more", "\(tensor.values.min() ?? 0)")
      }
    }
    let known = Set(architecture.parameters.map(\.name))
    if let unknown = weights.keys.filter({ !known.contains($0) }).min() {
      throw refuse(unknown, "only the network's own tensors", "one more")
    }
    self.architecture = architecture
    self.labels = labels
    self.rasterizer = rasterizer
    self.inputScale = inputScale
    self.decision = decision
    self.provenance = provenance
    self.weights = weights
  }

  /// Whether `labels` can name the classes of a model: all different, none empty.
  public static func canName(classes labels: [String]) -> Bool {
    Set(labels).count == labels.count && !labels.contains("")
  }

  /// Reads a model file, or a pipe.
  ///
  /// - Throws: `ModelError` naming the file and the field that does not fit.
  public static func read(path: String) throws(ModelError) -> Model {
    let mostBytes = 4 * Architecture.mostParameters + (8 << 20)
    // A pipe has no size, and is opened once.
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: mostBytes + 1) ?? Data()
    else { throw ModelError(path: path, problem: "the file is missing or cannot be read") }
    try? handle.close()
    guard data.count <= mostBytes else {
      throw ModelError(
        path: path, problem: "the file is larger than a model can be (208 MB)")
    }
    return try Model(data, path: path)
  }

  /// Reads a model from the bytes of a file; `path` is how errors call it.
  ///
  /// - Throws: `ModelError` naming the field that does not fit.
  public init(_ data: Data, path: String) throws(ModelError) {
    let file = try Safetensors(data, path: path)
    try self.init(metadata: file.metadata, weights: file.tensors, path: path)
  }

  /// Makes a model of what ``metadata`` says and `weights`; `path` is how errors call it.
  ///
  /// - Throws: `ModelError` naming the field that does not fit.
  public init(
    metadata: [String: String], weights: [String: Tensor], path: String
  ) throws(ModelError) {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    func field<Value: Decodable>(_ name: String, as type: Value.Type) throws(ModelError) -> Value {
      guard let text = metadata[name] else {
        throw refuse(name, "a value in the metadata", "none: not an Inkstate model")
      }
      do {
        return try JSONDecoder().decode(type, from: Data(text.utf8))
      } catch let error as ArchitectureError {
        throw refuse(name, error.expected, error.found)
      } catch let error as RasterError {
        throw refuse(name, "raster parameters that fit", "\(error)")
      } catch {
        throw refuse(name, "a value as Inkstate writes it", Safetensors.explain(error))
      }
    }
    guard metadata["inkstate_format"] == Self.formatVersion else {
      throw refuse(
        "inkstate_format", Self.formatVersion,
        metadata["inkstate_format"] ?? "none: not an Inkstate model")
    }
    try self.init(
      architecture: field("architecture", as: Architecture.self),
      labels: field("labels", as: [String].self),
      rasterizer: field("raster", as: Rasterizer.self),
      inputScale: field("input_scale", as: Float.self),
      decision: field("decision", as: Decision.self),
      provenance: field("provenance", as: [String: String].self),
      weights: weights, path: path)
  }

  /// Everything but the weights, as texts: the format's version and JSON.
  public var metadata: [String: String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A decision can be changed to anything; then what is read is no number, and not taken.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "NaN")
    func text(_ value: some Encodable) -> String {
      String(decoding: try! encoder.encode(value), as: UTF8.self)
    }
    return [
      "inkstate_format": Self.formatVersion,
      "architecture": text(architecture),
      "labels": text(labels),
      "raster": text(rasterizer),
      "input_scale": text(inputScale),
      "decision": text(decision),
      "provenance": text(provenance),
    ]
  }

  /// The model as the bytes of a file; the same model gives the same bytes.
  ///
  /// - Throws: `ModelError` where the decision has numbers that no reader takes.
  public func encoded() throws -> Data {
    try checkDecision()
    return try Safetensors(metadata: metadata, tensors: weights).encoded()
  }
}

extension Model {
  /// Checks the decision, which may have been changed since the model was made.
  ///
  /// - Throws: `ModelError` naming the field that does not fit.
  public func checkDecision() throws(ModelError) {
    try decision.check(labels: labels, path: "model")
  }
}

extension Model.Decision {
  /// Checks every number and label, for a model of `labels`.
  fileprivate func check(labels: [String], path: String) throws(ModelError) {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    for (field, value, range) in [
      ("temperature", temperature, 0.01...100),
      ("leastExtent", leastExtent, 0...1e6),
    ] where !range.contains(value) {
      throw refuse(
        "decision.\(field)", "a number from \(range.lowerBound) to \(range.upperBound)", "\(value)")
    }
    for (field, thresholds) in [
      ("leastProbabilities", leastProbabilities), ("leastMargins", leastMargins),
    ] {
      for (label, value) in thresholds.sorted(by: { $0.key < $1.key }) {
        guard labels.contains(label) else {
          throw refuse("decision.\(field)", "only labels of the model", label)
        }
        guard (0...1).contains(value) else {
          throw refuse("decision.\(field).\(label)", "a number from 0.0 to 1.0", "\(value)")
        }
      }
    }
    if let rejected = rejectedLabel, !labels.contains(rejected) {
      throw refuse("decision.rejectedLabel", "one of the labels", rejected)
    }
  }
}
