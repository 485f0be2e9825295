import Foundation
import Ink
import InkRaster
import InkSeries

/// Statistics of a data set.
public struct DatasetDescription: Hashable, Sendable, Codable {
  /// The number of examples of each source in each class: label → source → count.
  ///
  /// A recording with labelled spans counts for each of its labels.
  public var counts: [String: [String: Int]]
  /// The number of examples of each writer; examples of unknown writers are not included.
  public var hands: [String: Int]
  /// Minimum, median and maximum of each measure of the ink; empty if there is no ink.
  public var ink: [Measure]
  /// Minimum, median and maximum of each measure of the strips; empty if there are none.
  public var strips: [Measure]
  /// How often each character occurs in the texts of strips; empty if there are none.
  public var characters: [String: Int]
  /// Statistics of the series, or `nil` if there are none.
  public var series: SeriesDescription?
  /// Pairs of examples with the same points, pixels or values.
  public var exactDuplicates: [Pair]
  /// Pairs whose pictures differ by less than ``nearDistance`` on average; series and strips have
  /// none.
  ///
  /// The search ends after ``maximumPairs``.
  public var nearDuplicates: [Pair]
  /// Whether the search ended before all were found.
  public var hasMoreNearDuplicates: Bool

  /// One quantity over all drawings.
  public struct Measure: Hashable, Sendable, Codable {
    /// The name of the measure, with its unit.
    public var name: String
    /// The minimum.
    public var least: Double
    /// The median.
    public var median: Double
    /// The maximum.
    public var greatest: Double

    /// Measures `values`, or returns `nil` if there are none.
    init?(name: String, of values: [Double]) {
      guard let least = values.min(), let median = values.median(), let greatest = values.max()
      else { return nil }
      (self.name, self.least, self.median, self.greatest) = (name, least, median, greatest)
    }
  }

  /// Two duplicate examples.
  public struct Pair: Hashable, Sendable, Codable {
    /// The origin of the first example.
    public var first: String
    /// The origin of the second example.
    public var second: String
    /// Whether their labels differ.
    public var labelsDiffer: Bool
    /// Whether they are in different parts of a divided data set.
    public var crossesParts: Bool
  }

  /// The maximum number of near duplicates; straight lines alone can have millions.
  public static let maximumPairs = 10_000
  /// The maximum mean difference of the pixels of near duplicates; the range is 255.
  public static let nearDistance = 2.5

  /// Describes `dataset`; `parts` has the part of each example if it is divided.
  ///
  /// `progress` is called with the number of pictures that have been compared with all others.
  ///
  /// - Throws: `RasterError` if a coordinate is not finite.
  public init(
    of dataset: Dataset, parts: [String]? = nil, rasterizer: Rasterizer = .standard,
    progress: (_ compared: Int) -> Void = { _ in }
  ) throws(RasterError) {
    counts = Dictionary(uniqueKeysWithValues: dataset.labels.map { ($0, [:]) })
    hands = [:]
    for example in dataset.examples {
      for label in example.labels {
        counts[label, default: [:]][example.source ?? "unknown", default: 0] += 1
      }
      if let hand = example.hand { hands[hand, default: 0] += 1 }
    }
    ink = Self.measures(of: dataset)
    strips = Self.stripMeasures(of: dataset)
    characters = dataset.examples.lazy.filter(\.isStrip).reduce(into: [:]) { counts, example in
      for character in example.label { counts[String(character), default: 0] += 1 }
    }
    series = SeriesDescription(of: dataset)

    let pictured = dataset.examples.indices.filter {
      !dataset.examples[$0].isSeries && !dataset.examples[$0].isStrip
    }
    var bitmaps: [Bitmap] = []
    bitmaps.reserveCapacity(pictured.count)
    for index in pictured { bitmaps.append(try dataset.examples[index].bitmap(rasterizer)) }
    func pair(_ first: Int, _ second: Int) -> Pair {
      let (low, high) = (min(first, second), max(first, second))
      return Pair(
        first: dataset.examples[low].origin, second: dataset.examples[high].origin,
        labelsDiffer: dataset.examples[low].label != dataset.examples[high].label,
        crossesParts: parts.map { $0[low] != $0[high] } ?? false)
    }
    var seen: [Fingerprint: Int] = [:]
    exactDuplicates = []
    var copies = Set<Int>()
    for (index, example) in dataset.examples.enumerated() {
      let fingerprint = example.contentFingerprint
      if let first = seen[fingerprint] {
        exactDuplicates.append(pair(first, index))
        copies.insert(index)
      } else {
        seen[fingerprint] = index
      }
    }
    let originals = pictured.indices.filter { !copies.contains(pictured[$0]) }
    let near = NearPictures(bitmaps).pairs(
      among: originals, within: Self.nearDistance, atMost: Self.maximumPairs, progress: progress)
    hasMoreNearDuplicates = near.count > Self.maximumPairs
    nearDuplicates = near.prefix(Self.maximumPairs).map { pair(pictured[$0], pictured[$1]) }
  }

  private static func measure<Item>(
    _ items: [Item], _ name: String, _ value: (Item) -> Double?
  ) -> Measure? {
    Measure(name: name, of: items.compactMap(value))
  }

  private static func stripMeasures(of dataset: Dataset) -> [Measure] {
    let strips = dataset.examples.filter(\.isStrip)
    func side(_ example: Example, _ length: KeyPath<Bitmap, Int>) -> Double? {
      if case .strip(let strip) = example.content { Double(strip[keyPath: length]) } else { nil }
    }
    return [
      measure(strips, "width, pixels") { side($0, \.width) },
      measure(strips, "height, pixels") { side($0, \.height) },
      measure(strips, "characters") { Double($0.label.count) },
    ].compactMap { $0 }
  }

  private static func measures(of dataset: Dataset) -> [Measure] {
    let drawings = dataset.examples.compactMap { example -> (ink: Drawing, points: Double)? in
      guard let drawing = example.content.drawing else { return nil }
      return (drawing, example.pointsPerUnit ?? 1)
    }
    func measure(_ name: String, _ value: (Drawing) -> Double?) -> Measure? {
      Self.measure(drawings, name) { value($0.ink) }
    }
    return [
      measure("strokes") { Double($0.strokes.count) },
      measure("points") { Double($0.pointCount) },
      Self.measure(drawings, "longer side, canvas points") { drawing in
        drawing.ink.bounds.map { $0.longerSide * drawing.points }
      },
      Self.measure(drawings, "length of ink, canvas points") { $0.ink.length * $0.points },
      measure("duration, ms") { drawing in
        let times = drawing.strokes.flatMap(\.points).compactMap(\.time)
        guard let first = times.min(), let last = times.max() else { return nil }
        return last - first
      },
    ].compactMap { $0 }
  }
}
