import Foundation
import Ink
import InkDatasets
import InkRecognizer

/// An evaluation taken apart: how well a model does for each writer, at each size, at each angle.
public struct Breakdown: Hashable, Sendable, Codable {
  /// What tells the rows apart.
  public enum Axis: String, Hashable, Sendable, Codable, CaseIterable {
    /// The collection that an example comes from.
    case source
    /// Whose hand drew it.
    case writer
    /// What it shows.
    case label
    /// What it shows more precisely: the attribute `kind`, where examples have one.
    case kind
    /// The number of its strokes.
    case strokes
    /// The longer side that all drawings are scaled to, in canvas points.
    case size
    /// The angle that all examples are turned by, in degrees.
    case angle
    /// The width of the pen that all drawings are rasterised with, in pixels.
    case pen
    /// How far apart the points of all drawings are, in hundredths of their longer side.
    case sampling
  }

  /// The examples of one value of the axis.
  public struct Row: Hashable, Sendable, Codable {
    /// The value.
    public var value: String
    /// How often the most likely label is the right one.
    public var accuracy: Share
    /// The mean over the classes of the share that is answered right.
    public var meanRecall: Double
    /// Of the examples that are to be accepted, how many are refused.
    public var goodRefused: Share
    /// Of the examples that are to be refused, how many are accepted.
    public var junkAccepted: Share
    /// How often each class (row) ended as each label (column); the last column counts what was
    /// refused.
    public var decisions: [[Int]]

    init(value: String, _ evaluation: Evaluation, rejectedLabel: String?) {
      self.value = value
      accuracy = evaluation.accuracy
      meanRecall = evaluation.meanRecall
      let good = evaluation.classes.filter { $0.label != rejectedLabel }
      goodRefused = Share(
        good.reduce(0) { $0 + $1.refused.count }, of: good.reduce(0) { $0 + $1.support })
      let junk = evaluation.classes.filter { $0.label == rejectedLabel }
      let junkCount = junk.reduce(0) { $0 + $1.support }
      junkAccepted = Share(
        junkCount - junk.reduce(0) { $0 + $1.refused.count }, of: junkCount)
      decisions = evaluation.decisions
    }
  }

  /// What tells the rows apart.
  public var axis: Axis
  /// The labels of the model, in order.
  public var labels: [String]
  /// The rows.
  public var rows: [Row]

  /// The mean of the rows' accuracies, each counting alike.
  public var meanAccuracy: Double {
    rows.reduce(0) { $0 + $1.accuracy.value } / Double(max(1, rows.count))
  }

  /// Asks `recognizer` about the examples of `dataset`, grouped or changed as `axis` says.
  ///
  /// Sizes, pens and samplings need points: pictures are left out there. Without an example there
  /// are no rows.
  ///
  /// - Throws: `FileError` where the labels are not the model's, or an example cannot be drawn.
  public init(
    of recognizer: Recognizer, on dataset: Dataset, by axis: Axis, workers: Int
  ) throws {
    self.axis = axis
    let model = recognizer.model
    labels = model.labels
    if let disturbances = axis.disturbances {
      rows = try disturbances.compactMap { value, disturbance in
        // A pen that is too wide for a small picture is no value of this axis.
        if case .penWidth(let width) = disturbance,
          (try? model.preprocessing.rasterizer.with(penWidth: width)) == nil
        {
          return nil
        }
        let subset = Dataset(
          disturbance.needsPoints ? dataset.examples.filter(\.isDrawing) : dataset.examples,
          labels: dataset.labels)
        guard !subset.examples.isEmpty else { return nil }
        return Row(
          value: value,
          try Evaluation(of: recognizer, on: subset, disturbance: disturbance, workers: workers),
          rejectedLabel: model.decision.rejectedLabel)
      }
    } else {
      let answers = try recognizer.answers(to: dataset, workers: workers)
      let dataset = Dataset(dataset.examples, labels: model.labels)
      let classes = try dataset.classes()
      let groups = Dictionary(grouping: dataset.examples.indices) {
        axis.value(of: dataset.examples[$0])
      }
      rows = groups.keys.sorted {
        $0.compare($1, options: .numeric) == .orderedAscending
      }.map { value in
        let indices = groups[value]!
        return Row(
          value: value,
          Evaluation(
            indices.map { answers[$0] }, dataset: dataset.subset(indices),
            classes: indices.map { classes[$0] }, decision: model.decision),
          rejectedLabel: model.decision.rejectedLabel)
      }
    }
  }
}

extension Breakdown.Axis {
  /// The changes to make, each with its value in words, or `nil` where examples are grouped as they
  /// are.
  fileprivate var disturbances: [(value: String, Disturbance)]? {
    switch self {
    case .source, .writer, .label, .kind, .strokes: nil
    case .size:
      [40, 60, 100, 150, 200, 300, 400, 600].map { ("\($0)", .size(Double($0))) }
    case .angle:
      stride(from: 0, to: 360, by: 15).map { ("\($0)", .angle(Double($0) * .pi / 180)) }
    case .pen: [0.8, 1, 1.25, 1.5, 1.75, 2, 2.5, 3].map { ("\($0)", .penWidth($0)) }
    case .sampling: [1, 2, 5, 8, 12, 16, 20, 25].map { ("\($0)", .spacing(Double($0) / 100)) }
    }
  }

  /// The group of an example.
  fileprivate func value(of example: Example) -> String {
    switch self {
    case .writer: example.hand ?? "unknown"
    case .label: example.label
    case .kind: example.kind
    case .strokes:
      switch example.content {
      case .drawing(let drawing): "\(drawing.strokes.count)"
      case .bitmap: "picture"
      case .series: "series"
      }
    default: example.source ?? "unknown"
    }
  }
}

extension Example {
  package var isDrawing: Bool {
    if case .drawing = content { true } else { false }
  }
}
