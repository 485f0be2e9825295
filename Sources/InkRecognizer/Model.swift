import Foundation
import Ink
import InkNetwork
import InkRaster
import InkSeries
import JSONReading

/// A network with its labels, preprocessing, thresholds and provenance.
public struct Model: Hashable, Sendable {
  /// The layers and their weights.
  public let network: TrainedNetwork
  /// What the logits stand for, in order; for a reader, the characters, which come after the blank.
  public let labels: [String]
  /// How a drawing or a recording becomes the network's inputs, one for each.
  public let preprocessing: [Preprocessing]
  /// The temperature and the rejection thresholds.
  public var decision: Decision
  /// Where the model came from, for people: data and their hashes, seed, command, version.
  public var provenance: [String: String]
  /// How often letters follow each other in the words that a reader knows; other models have none.
  public let letters: LetterCounts?
  /// What the numbers beside the classes of each cell are, in order; models without such numbers have none.
  public let fields: [String]

  /// The version of the file format that is written; those of version 2 are read as well.
  static let formatVersion = "3"

  /// What draws pictures for the network, if it reads them.
  public var rasterizer: Rasterizer? { preprocessing.lazy.compactMap(\.rasterizer).first }

  /// Whether an input of the network is the series of a drawing's strokes.
  public var readsStrokes: Bool {
    preprocessing.contains { if case .strokes = $0 { true } else { false } }
  }

  /// What the grey values of pictures are multiplied with, if the network reads nothing else.
  public var pictureScale: Float? {
    if case .raster(_, let scale) = preprocessing[0], preprocessing.count == 1 {
      scale
    } else {
      nil
    }
  }

  /// The preparation of recordings and the windows that the network learnt, if it reads recordings.
  public var recordings: (preparation: SeriesPreparation, window: SlidingWindows?)? {
    for case .series(let preparation, let window) in preprocessing { return (preparation, window) }
    return nil
  }

  /// The key of ``restLabel`` in ``provenance``.
  public static let restLabelKey = "rest_label"

  /// The label that the network learnt for windows of a recording without an action, if it did.
  public var restLabel: String? { provenance[Self.restLabelKey] }

  /// The labels that make no events: the standard ones, and ``restLabel``.
  public var eventRestLabels: Set<String> {
    EventRule.standardRestLabels.union([restLabel].compactMap { $0 })
  }

  /// The inputs, nodes and output of the network.
  public var architecture: Architecture { network.architecture }

  /// When an answer is accepted.
  ///
  /// Fitted on validation data and stored with the weights.
  public struct Decision: Hashable, Sendable, Codable {
    /// The logits are divided by this before the softmax (Guo et al., 2017); 1 changes nothing.
    public var temperature: Double
    /// The least probability of an answer, for each label that has one.
    public var minimumProbabilities: [String: Double]
    /// The least distance between the two highest probabilities, for each label that has one.
    public var minimumMargins: [String: Double]
    /// A drawing whose longer side is shorter than this, in the unit of the training's drawings, is a tap.
    ///
    /// The unit is usually the canvas point.
    public var minimumExtent: Double
    /// The label of drawings that show none of the other classes, or `nil` if there is no such class.
    public var rejectedLabel: String?
    /// When a reader accepts a text, or `nil` for the usual limits.
    public var reading: ReadingLimits?
    /// The numbers with which the automaton on a page is decoded from the answers for its cells, by name, or `nil` for
    /// the usual ones.
    public var decoding: [String: Double]?

    /// The usual label of drawings that show none of the other classes.
    public static let otherLabel = "other"

    /// Returns ``otherLabel`` if it is one of `labels`, otherwise `nil`.
    public static func rejectedLabel(among labels: [String]) -> String? {
      labels.contains(otherLabel) ? otherLabel : nil
    }

    /// The limits within which a reader accepts a text.
    public struct ReadingLimits: Hashable, Sendable, Codable {
      /// The least evidence: the logarithm of the probability of the text for each of its characters.
      public var minimumEvidence: Double
      /// The least probability of the text among all texts that are allowed.
      public var minimumProbability: Double
      /// The highest probability that the ink is no writing.
      public var maximumNoWriting: Double

      /// The limits of models without their own: they reject ink that is rather no writing, and texts
      /// with less evidence than any validation line of the first released reader had.
      public static let standard = ReadingLimits(
        minimumEvidence: -2.5, minimumProbability: 0, maximumNoWriting: 0.5)

      /// The names in model files.
      private enum CodingKeys: String, CodingKey {
        case minimumEvidence = "leastEvidence"
        case minimumProbability = "leastProbability"
        case maximumNoWriting = "mostNoWriting"
      }

      /// Creates limits.
      public init(minimumEvidence: Double, minimumProbability: Double, maximumNoWriting: Double) {
        self.minimumEvidence = minimumEvidence
        self.minimumProbability = minimumProbability
        self.maximumNoWriting = maximumNoWriting
      }
    }

    /// The names in model files.
    private enum CodingKeys: String, CodingKey {
      case temperature, rejectedLabel, reading, decoding
      case minimumProbabilities = "leastProbabilities"
      case minimumMargins = "leastMargins"
      case minimumExtent = "leastExtent"
    }

    /// Accepts everything.
    public init(
      temperature: Double = 1, minimumProbabilities: [String: Double] = [:],
      minimumMargins: [String: Double] = [:], minimumExtent: Double = 0,
      rejectedLabel: String? = nil
    ) {
      self.temperature = temperature
      self.minimumProbabilities = minimumProbabilities
      self.minimumMargins = minimumMargins
      self.minimumExtent = minimumExtent
      self.rejectedLabel = rejectedLabel
    }
  }

  /// Creates a model; errors name it `path`.
  ///
  /// - Throws: `ModelError` where labels, preprocessing or decision do not fit the network.
  public init(
    network: TrainedNetwork, labels: [String], preprocessing: [Preprocessing],
    decision: Decision = Decision(), provenance: [String: String] = [:],
    letters: LetterCounts? = nil, fields: [String] = [], path: String = "model"
  ) throws(ModelError) {
    let architecture = network.architecture
    guard labels.count == architecture.labelCount else {
      throw ModelError(
        path: path, field: "labels",
        expected: "\(architecture.labelCount), one a class"
          + (architecture.output == .distributionPerStep ? " without the blank" : ""),
        found: "\(labels.count)")
    }
    guard Self.canName(classes: labels) else {
      throw ModelError(
        path: path, field: "labels", expected: "different names that are not empty",
        found: labels.joined(separator: ", "))
    }
    if architecture.output == .distributionPerStep,
      let text = labels.first(where: { $0.count > 1 })
    {
      throw ModelError(
        path: path, field: "labels", expected: "single characters, which a reader reads",
        found: text)
    }
    try Self.check(preprocessing, for: architecture, path: path)
    let fieldCount =
      if case .distributionPerCell(let count) = architecture.output { count } else { 0 }
    guard fields.count == fieldCount, Self.canName(classes: fields) else {
      throw ModelError(
        path: path, field: "fields", expected: "\(fieldCount.counted("different name"))",
        found: fields.isEmpty ? "none" : fields.joined(separator: ", "))
    }
    try decision.check(labels: labels, path: path)
    self.network = network
    self.labels = labels
    self.preprocessing = preprocessing
    self.decision = decision
    self.provenance = provenance
    self.letters = letters
    self.fields = fields
  }

  /// Whether the model answers for each cell of a picture; see ``PageRecognizer``.
  public var answersCells: Bool {
    if case .distributionPerCell = architecture.output { true } else { false }
  }

  /// Whether the model reads text: its answer is a distribution over characters for each step.
  public var readsText: Bool { architecture.output == .distributionPerStep }

  /// The classes with commas between them, or the characters without.
  package var labelList: String { labels.joined(separator: readsText ? "" : ", ") }

  /// Checks that a network reads what `preprocessing` makes.
  ///
  /// - Throws: `ModelError` naming what does not fit.
  public static func check(
    _ preprocessing: [Preprocessing], for architecture: Architecture, path: String = "model"
  ) throws(ModelError) {
    guard preprocessing.count == architecture.inputs.count else {
      throw ModelError(
        path: path, field: "preprocessing",
        expected: "\(architecture.inputs.count), one for each input",
        found: "\(preprocessing.count)")
    }
    for (index, preprocessing) in preprocessing.enumerated() {
      try preprocessing.check(for: architecture, input: index, path: path)
    }
  }

  /// Whether `labels` can name the classes of a model: all different, none empty.
  public static func canName(classes labels: [String]) -> Bool {
    Set(labels).count == labels.count && !labels.contains("")
  }

  /// Reads a model file, or a pipe.
  ///
  /// - Throws: `ModelError` naming the file and the field that does not fit.
  public static func read(path: String) throws(ModelError) -> Model {
    let maximumBytes = 4 * Architecture.maximumParameters + (8 << 20)
    let isMissing = ModelError(path: path, problem: "the file is missing or cannot be read")
    // Foundation's attributes would ask for the names of owner and group as well.
    var status = stat()
    guard stat(path, &status) == 0 else { throw isMissing }
    let data: Data
    if status.st_mode & S_IFMT == S_IFREG {
      guard status.st_size <= maximumBytes else {
        throw ModelError(
          path: path, problem: "the file has \(status.st_size) bytes; models have at most 208 MB")
      }
      // Mapped, not copied: all that is needed of it is in the tensors when this returns.
      let url = URL(fileURLWithPath: path)
      guard let mapped = try? Data(contentsOf: url, options: .alwaysMapped) else { throw isMissing }
      data = mapped
    } else {
      // A pipe has no size, and is opened once.
      guard let handle = FileHandle(forReadingAtPath: path),
        let read = try? handle.read(upToCount: maximumBytes + 1) ?? Data()
      else { throw isMissing }
      try? handle.close()
      data = read
    }
    guard data.count <= maximumBytes else {
      throw ModelError(path: path, problem: "more bytes than a model can have (208 MB)")
    }
    return try Model(data, path: path)
  }

  /// Reads the model file at `url`.
  ///
  /// - Throws: `ModelError` naming the file and the field that does not fit.
  public static func read(url: URL) throws(ModelError) -> Model {
    guard url.isFileURL else {
      throw ModelError(
        path: url.absoluteString, problem: "this is not the address of a file; load its data first")
    }
    return try read(path: url.path)
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
        return try type.init(strictJSON: Data(text.utf8), name: "\(path), \(name)")
      } catch let error as ArchitectureError {
        throw refuse(name, error.expected, error.found)
      } catch let error as RasterError {
        throw refuse(name, "raster parameters that fit", "\(error)")
      } catch {
        throw ModelError(json: error, path: "\(path), \(name)")
      }
    }
    let preprocessing: [Preprocessing]
    switch metadata["inkstate_format"] {
    case Self.formatVersion:
      // One input has its preprocessing, and several have a list.
      if metadata["preprocessing"]?.hasPrefix("[") == true {
        preprocessing = try field("preprocessing", as: [Preprocessing].self)
      } else {
        preprocessing = [try field("preprocessing", as: Preprocessing.self)]
      }
    case "2":
      preprocessing = [
        .raster(
          try field("raster", as: Rasterizer.self), scale: try field("input_scale", as: Float.self))
      ]
    case let version:
      throw refuse(
        "inkstate_format", "2 or \(Self.formatVersion)",
        version ?? "none: not an Inkstate model")
    }
    var letters: LetterCounts?
    if let text = metadata["letters"] { letters = try LetterCounts(text: text, path: path) }
    try self.init(
      network: TrainedNetwork(
        field("architecture", as: Architecture.self), weights: weights, path: path),
      labels: field("labels", as: [String].self), preprocessing: preprocessing,
      decision: field("decision", as: Decision.self),
      provenance: field("provenance", as: [String: String].self),
      letters: letters,
      fields: metadata["fields"] == nil ? [] : field("fields", as: [String].self), path: path)
  }

  /// Everything but the weights, as texts: the format's version, the letters, and JSON.
  public var metadata: [String: String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A decision can be changed to anything; then what is read is no number, and not taken.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "NaN")
    func text(_ value: some Encodable) -> String {
      String(decoding: try! encoder.encode(value), as: UTF8.self)
    }
    var metadata = [
      "inkstate_format": Self.formatVersion,
      "architecture": text(architecture),
      "labels": text(labels),
      "preprocessing": preprocessing.count == 1 ? text(preprocessing[0]) : text(preprocessing),
      "decision": text(decision),
      "provenance": text(provenance),
    ]
    if let letters { metadata["letters"] = letters.text }
    if !fields.isEmpty { metadata["fields"] = text(fields) }
    return metadata
  }

  /// The model as the bytes of a file; the same model gives the same bytes.
  ///
  /// - Throws: `ModelError` where the decision has numbers that no reader takes.
  public func encoded() throws -> Data {
    try checkDecision()
    return try Safetensors(metadata: metadata, tensors: network.weights).encoded()
  }
}

extension Model {
  /// The same answers with fewer layers; see `TrainedNetwork.foldingBatchNormalization()`.
  ///
  /// - Throws: `ModelError` where a folded weight is too large for a number.
  public func foldingBatchNormalization() throws(ModelError) -> Model {
    try Model(
      network: network.foldingBatchNormalization(), labels: labels, preprocessing: preprocessing,
      decision: decision, provenance: provenance, letters: letters, fields: fields)
  }

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
    var numbers: [(String, Double, ClosedRange<Double>)] = [
      ("temperature", temperature, 0.01...100), ("leastExtent", minimumExtent, 0...1e6),
    ]
    if let reading {
      numbers += [
        ("reading.leastEvidence", reading.minimumEvidence, -1000...0),
        ("reading.leastProbability", reading.minimumProbability, 0...1),
        ("reading.mostNoWriting", reading.maximumNoWriting, 0...1),
      ]
    }
    // What decodes pages knows their names and ranges.
    for (name, value) in (decoding ?? [:]).sorted(by: { $0.key < $1.key }) {
      numbers.append(("decoding.\(name)", value, -1000...1000))
    }
    for (field, value, range) in numbers
    where !range.contains(value) {
      throw refuse(
        "decision.\(field)", "a number from \(range.lowerBound) to \(range.upperBound)", "\(value)")
    }
    for (field, thresholds) in [
      ("leastProbabilities", minimumProbabilities), ("leastMargins", minimumMargins),
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
