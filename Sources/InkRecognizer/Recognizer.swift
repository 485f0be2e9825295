import Foundation
import Ink
import InkNetwork
import InkRaster
import InkSeries

/// Classifies drawings, pictures and recordings with one model.
///
/// It is deterministic, reads no files after its creation, and can be shared between threads.
public struct Recognizer: Sendable {
  /// The model that decides.
  public let model: Model
  private let network: InferenceNetwork

  /// Makes a recogniser that decides with `model`.
  ///
  /// - Precondition: the model does not answer for each cell of a picture, as ``PageRecognizer`` does.
  public init(model: Model) {
    self.model = model
    network = InferenceNetwork(model.network)
  }

  /// Makes a recogniser with the model file at `path`.
  ///
  /// - Throws: `ModelError` where the file is not a model, or one that reads text.
  public init(modelPath path: String) throws(ModelError) {
    try self.init(classifying: Model.read(path: path), name: path)
  }

  /// Makes a recogniser with the model file at `url`, such as a resource of an app.
  ///
  /// - Throws: `ModelError` where the file is not a model, or one that reads text.
  public init(modelURL url: URL) throws(ModelError) {
    try self.init(classifying: Model.read(url: url), name: url.path)
  }

  /// Makes a recogniser with the bytes of a model file; errors call it `name`.
  ///
  /// - Throws: `ModelError` where the bytes are not a model, or one that reads text.
  public init(modelData data: Data, name: String = "model") throws(ModelError) {
    try self.init(classifying: Model(data, path: name), name: name)
  }

  /// Makes a recogniser with a model of any kind; errors call it `name`.
  ///
  /// - Throws: `ModelError` where the model reads text, or answers for each cell of a picture.
  public init(classifying model: Model, name: String) throws(ModelError) {
    guard !model.readsText else {
      throw ModelError(path: name, problem: "the model reads text and does not classify")
    }
    guard !model.answersCells else {
      throw ModelError(
        path: name,
        problem: "the model answers for each cell of a picture and does not classify drawings")
    }
    self.init(model: model)
  }

  /// Makes a recogniser with the model that comes with this package, in the resources of the module
  /// `InkRecognizer`.
  ///
  /// - Throws: `ModelError` where the file is missing, with the folders where it was looked for, or damaged.
  public static func released() throws(ModelError) -> Recognizer {
    try Recognizer(modelPath: releasedModelPath)
  }

  /// The path of the released model.
  ///
  /// - Throws: `ModelError` where the file is missing, with the folders where it was looked for.
  public static var releasedModelPath: String {
    get throws(ModelError) {
      try ModuleResources(module: "InkRecognizer").path(of: "inkstate.safetensors")
    }
  }

  /// Classifies `drawing` with all its strokes.
  ///
  /// - Throws: `PreparationError` where the drawing has coordinates that are not finite, or the model reads
  ///   no drawings.
  public func recognize(_ drawing: Drawing) throws(PreparationError) -> Recognition {
    try recognize(.drawing(drawing))
  }

  /// Classifies `bitmap`: bright ink on black, of any size.
  ///
  /// - Throws: `PreparationError` where the model does not read pictures alone.
  public func recognize(_ bitmap: Bitmap) throws(PreparationError) -> Recognition {
    try recognize(.bitmap(bitmap))
  }

  /// Classifies `series`, a whole recording or a window of one.
  ///
  /// - Throws: `PreparationError` where the channels are not those of the model, or the recording is too
  ///   short or too long for it.
  public func recognize(_ series: Series) throws(PreparationError) -> Recognition {
    try recognize(.series(series))
  }

  /// Classifies `input`.
  ///
  /// - Throws: `PreparationError` where the model does not read such inputs, or not this one.
  public func recognize(_ input: RecognitionInput) throws(PreparationError) -> Recognition {
    try recognize(input, minimumExtent: model.decision.minimumExtent)
  }

  /// Classifies `input`; a drawing whose longer side is shorter than `minimumExtent`, in its own unit, is a
  /// tap.
  ///
  /// - Throws: `PreparationError` where the model does not read such inputs, or not this one.
  package func recognize(
    _ input: RecognitionInput, minimumExtent: Double
  ) throws(PreparationError) -> Recognition {
    guard case .drawing(let drawing) = input else { return try answer(to: input) }
    if drawing.bounds == nil, model.readsStrokes {
      // Without points, there is no series to ask about.
      return unknown(.tooSmall)
    }
    var recognition = try answer(to: input)
    let extent = drawing.bounds?.longerSide ?? 0
    if extent < max(minimumExtent, .leastNonzeroMagnitude) {
      recognition.rejection = .tooSmall
    }
    return recognition
  }

  private func answer(to input: RecognitionInput) throws(PreparationError) -> Recognition {
    guard !model.readsText else {
      throw .unsuitable(expected: "a model that classifies", found: "one that reads text")
    }
    var values: [[Float]] = []
    var isBlank = if case .bitmap(let bitmap) = input { bitmap.isBlank } else { false }
    for (index, preprocessing) in model.preprocessing.enumerated() {
      let one = try preprocessing.values(of: input)
      if case .raster = preprocessing {
        isBlank = isBlank || !one.contains { $0 > 0 }
      } else {
        try check(one.count, input: index)
      }
      values.append(one)
    }
    return answer(to: network.logits(of: values), isBlank: isBlank)
  }

  /// Checks that a series of `count` values is as long as the network allows.
  private func check(_ count: Int, input index: Int) throws(PreparationError) {
    guard case .series(let channels, let length) = model.architecture.inputs[index].form,
      !length.bounds.contains(count / channels)
    else { return }
    let bounds = length.bounds
    throw .unsuitable(
      expected: bounds.count == 1
        ? bounds.lowerBound.counted("step")
        : "\(bounds.lowerBound) to \(bounds.upperBound.counted("step"))",
      found: "\(count / channels)")
  }

  /// Returns an answer in which all labels are equally likely.
  private func unknown(_ rejection: Recognition.Rejection) -> Recognition {
    Recognition(
      ranked: model.labels.map { .init(label: $0, probability: 1 / Double(model.labels.count)) },
      rejection: rejection)
  }

  private func answer(to logits: [Float], isBlank: Bool) -> Recognition {
    var probabilities = softmax(logits, temperature: model.decision.temperature)
    let isDefined = probabilities.allSatisfy(\.isFinite)
    if !isDefined {
      // If the logits overflow, all labels are equally likely.
      probabilities = probabilities.map { _ in 1 / Double(probabilities.count) }
    }
    let ranked = zip(model.labels, probabilities)
      .map { Recognition.Candidate(label: $0, probability: $1) }
      .sorted { $0.probability > $1.probability }
    var recognition = Recognition(ranked: ranked, rejection: nil)
    if isBlank {
      recognition.rejection = .tooSmall
    } else {
      recognition.rejection =
        isDefined ? model.decision.rejection(of: recognition) : .unrecognised
    }
    return recognition
  }
}

/// The answer of a recogniser.
public struct Recognition: Hashable, Sendable {
  /// A label with its probability.
  public struct Candidate: Hashable, Sendable {
    /// The label.
    public var label: String
    /// The calibrated probability, from 0 to 1.
    public var probability: Double

    /// Makes a candidate.
    public init(label: String, probability: Double) {
      self.label = label
      self.probability = probability
    }
  }

  /// The reason why an answer is rejected.
  public enum Rejection: String, Hashable, Sendable, CaseIterable {
    /// It is a tap: no extent, or one below the model's least.
    case tooSmall
    /// It is none of the things that the model knows.
    case unrecognised
    /// Two labels are about as likely.
    case ambiguous

    /// The reason in a few words, as in a list of strokes.
    public var words: String {
      switch self {
      case .tooSmall: "too small"
      case .unrecognised: "not recognised"
      case .ambiguous: "ambiguous"
      }
    }

    /// The reason for people who draw, to follow a colon.
    public var explanation: String {
      switch self {
      case .tooSmall: "the drawing is too small"
      case .unrecognised: "no class fits"
      case .ambiguous: "two classes fit equally well"
      }
    }
  }

  /// Every label of the model with its probability, most likely first.
  public package(set) var ranked: [Candidate]
  /// Why the answer should not be used, or `nil` where it is accepted.
  public var rejection: Rejection?

  /// Makes an answer of `ranked`, the most likely first.
  ///
  /// - Precondition: `ranked` is not empty.
  public init(ranked: [Candidate], rejection: Rejection?) {
    precondition(!ranked.isEmpty, "an answer has at least one label")
    self.ranked = ranked
    self.rejection = rejection
  }

  /// The most likely label.
  public var top: Candidate { ranked[0] }

  /// How much likelier it is than the second.
  public var margin: Double { top.probability - (ranked.count > 1 ? ranked[1].probability : 0) }
}

extension Model.Decision {
  /// Whether and why an answer is not accepted: by its label, else its margin, else its probability.
  public func rejection(of answer: Recognition) -> Recognition.Rejection? {
    let top = answer.top
    if top.label == rejectedLabel { return .unrecognised }
    if answer.margin < minimumMargins[top.label] ?? 0 {
      // Between two good labels it is ambiguous; beside the rejected one it is none of them.
      let second = answer.ranked.count > 1 ? answer.ranked[1].label : nil
      return second == rejectedLabel ? .unrecognised : .ambiguous
    }
    return top.probability < minimumProbabilities[top.label] ?? 0 ? .unrecognised : nil
  }
}
