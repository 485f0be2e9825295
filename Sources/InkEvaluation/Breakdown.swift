import Foundation
import Ink
import InkDatasets
import InkRecognizer

/// The results of an evaluation by one attribute: for example for each writer, or at each size.
public struct Breakdown: Hashable, Sendable, Codable {
  /// The attribute or change that distinguishes the rows.
  public enum Axis: String, Hashable, Sendable, Codable, CaseIterable {
    /// The collection of the example.
    case source
    /// The person who drew the example.
    case writer
    /// The person of a recording of sensors.
    case person
    /// The session of a person's recordings.
    case session
    /// The class of the example.
    case label
    /// The subclass of the example: its attribute `kind`, if it has one.
    case kind
    /// The number of strokes.
    case strokes
    /// The number of characters of the text, of lines of writing.
    case length
    /// The longer side to which all drawings are scaled, in canvas points.
    case size
    /// The angle by which all examples are rotated, in degrees.
    case angle
    /// The pen width with which all drawings are rasterised, in pixels.
    case pen
    /// The distance between the points of all drawings, in hundredths of their longer side.
    case sampling
  }

  /// The examples of one value of the axis.
  public struct Row: Hashable, Sendable, Codable {
    /// The value.
    public var value: String
    /// The share of examples whose most likely label is correct.
    public var accuracy: Share
    /// The mean of the recalls of the classes.
    public var meanRecall: Double
    /// The share of valid examples that are rejected.
    public var falseRejectionRate: Share
    /// The share of the other examples, those of the rejected label, that are accepted.
    public var falseAcceptanceRate: Share
    /// The number of examples of each class (row) that are accepted as each label (column); the last
    /// column counts rejected examples.
    public var decisions: [[Int]]

    private enum CodingKeys: String, CodingKey {
      case value, accuracy, meanRecall, decisions
      case falseRejectionRate = "goodRefused"
      case falseAcceptanceRate = "junkAccepted"
    }

    init(value: String, _ evaluation: Evaluation) {
      self.value = value
      accuracy = evaluation.accuracy
      meanRecall = evaluation.meanRecall
      falseRejectionRate = evaluation.falseRejectionRate
      falseAcceptanceRate = evaluation.falseAcceptanceRate
      decisions = evaluation.decisions
    }
  }

  /// The attribute or change that distinguishes the rows.
  public var axis: Axis
  /// The labels of the model, in order.
  public var labels: [String]
  /// The results for each value of the axis.
  public var rows: [Row]

  /// The mean of the accuracies of the rows, which count equally.
  public var meanAccuracy: Double {
    rows.reduce(0) { $0 + $1.accuracy.value } / Double(max(1, rows.count))
  }

  /// Evaluates `recognizer` on the examples of `dataset`, grouped or changed by `axis`.
  ///
  /// The axes `size`, `pen` and `sampling` need points, so they leave out pictures. A data set without
  /// suitable examples gives no rows.
  ///
  /// - Throws: `FileError` if a label is not one of the model's, or if an example cannot be rasterised.
  public init(
    of recognizer: Recognizer, on dataset: Dataset, by axis: Axis, workers: Int
  ) throws {
    self.axis = axis
    let model = recognizer.model
    labels = model.labels
    if let perturbations = axis.perturbations {
      rows = try perturbations.compactMap { value, perturbation in
        // Skip a pen that is too wide for the model's pictures.
        if case .penWidth(let width) = perturbation,
          (try? model.rasterizer?.with(penWidth: width)) == nil
        {
          return nil
        }
        let subset = Dataset(
          perturbation.needsPoints ? dataset.examples.filter(\.isDrawing) : dataset.examples,
          labels: dataset.labels)
        guard !subset.examples.isEmpty else { return nil }
        return Row(
          value: value,
          try Evaluation(of: recognizer, on: subset, perturbation: perturbation, workers: workers))
      }
    } else {
      let answers = try recognizer.answers(to: dataset, workers: workers)
      let dataset = Dataset(dataset.examples, labels: model.labels)
      let classes = try dataset.classes()
      rows = axis.groups(of: dataset.examples).map { value, indices in
        Row(
          value: value,
          Evaluation(
            indices.map { answers[$0] }, dataset: dataset.subset(indices),
            classes: indices.map { classes[$0] }, decision: model.decision))
      }
    }
  }
}

extension Breakdown.Axis {
  /// Whether the rows are changes of all examples, which are drawings or pictures.
  public var changesExamples: Bool { perturbations != nil }

  /// The changes to the examples and their values as text; `nil` if the axis groups unchanged examples.
  fileprivate var perturbations: [(value: String, Perturbation)]? {
    switch self {
    case .source, .writer, .person, .session, .label, .kind, .strokes, .length: nil
    case .size:
      [40, 60, 100, 150, 200, 300, 400, 600].map { ("\($0)", .size(Double($0))) }
    case .angle:
      stride(from: 0, to: 360, by: 15).map { ("\($0)", .angle(Double($0) * .pi / 180)) }
    case .pen: [0.8, 1, 1.25, 1.5, 1.75, 2, 2.5, 3].map { ("\($0)", .penWidth($0)) }
    case .sampling: [1, 2, 5, 8, 12, 16, 20, 25].map { ("\($0)", .spacing(Double($0) / 100)) }
    }
  }

  /// Whether lines of writing can be grouped by this.
  public var groupsLines: Bool { !changesExamples && self != .session }

  /// Returns the values of the axis in order, each with the indices of its examples.
  func groups(of examples: [Example]) -> [(value: String, indices: [Int])] {
    Dictionary(grouping: examples.indices) { value(of: examples[$0]) }
      .sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }
      .map { ($0.key, $0.value) }
  }

  /// Returns the group of an example.
  private func value(of example: Example) -> String {
    switch self {
    case .writer: example.hand ?? "unknown"
    case .person: example.person ?? "unknown"
    case .session:
      "\(example.person ?? "unknown"), session \(example.session ?? "unknown")"
    case .label: example.label
    case .kind: example.kind
    case .length: example.isNoWriting ? "no writing" : "\(example.label.count)"
    case .strokes:
      switch example.content {
      case .drawing(let drawing): "\(drawing.strokes.count)"
      case .bitmap, .strip: "picture"
      case .series: "series"
      }
    case .source, .size, .angle, .pen, .sampling: example.source ?? "unknown"
    }
  }
}
