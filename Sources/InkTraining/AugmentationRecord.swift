import Foundation
import InkDatasets
import InkRecognizer
import JSONReading

/// The augmentation of a training, as its model file records it, so that a later training of the model varies
/// examples in the same way.
public struct AugmentationRecord: Hashable, Sendable, Codable {
  /// The key of the record in `Model.provenance`.
  public static let key = "augmentation"

  /// The augmentation of drawings and pictures.
  public var drawings: Augmentation
  /// The share of examples that are augmented upright.
  public var uprightShare: Double
  /// The share of drawings whose strokes are put into another order.
  public var reorderedShare: Double
  /// The augmentation of recordings of sensors.
  public var series: SeriesAugmentation

  /// The augmentation in `options`.
  init(_ options: TrainingOptions) {
    drawings = options.augmentation
    uprightShare = options.uprightShare
    reorderedShare = options.reorderedShare
    series = options.seriesAugmentation
  }

  /// The augmentation with which `model` was trained, or `nil` if its file does not say.
  ///
  /// Older files name it in the summary of their options only.
  public init?(of model: Model) {
    if let text = model.provenance[Self.key] {
      guard let record = try? AugmentationRecord(json: Data(text.utf8)) else { return nil }
      self = record
      return
    }
    let pattern =
      #/augmentation ([a-z-]+)( for half of the examples)?(?:, ([0-9]+) % drawn in another order)?$/#
    guard let match = model.provenance["training"]?.firstMatch(of: pattern) else { return nil }
    let name = String(match.1)
    if model.recordings != nil {
      guard let series = SeriesAugmentation.named[name] else { return nil }
      (drawings, uprightShare, reorderedShare, self.series) = (.none, 0, 0, series)
      return
    }
    guard var drawings = Augmentation.named[name] else { return nil }
    if match.2 != nil { drawings.framed = 0.5 }
    self.drawings = drawings
    uprightShare = match.2 == nil ? 0 : 0.5
    reorderedShare = (match.3.flatMap { Double($0) } ?? 0) / 100
    series = .none
  }

  /// The record as the value of ``key``.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Its numbers are finite, for options are checked.
    return String(decoding: try! encoder.encode(self), as: UTF8.self)
  }
}
