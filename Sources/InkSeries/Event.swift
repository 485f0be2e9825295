/// An action that was found in a series.
public struct Event: Hashable, Sendable, Codable {
  /// The label.
  public var label: String
  /// The steps from its start to its end.
  public var range: Range<Int>
  /// The mean probability of the label, before smoothing.
  public var probability: Double
  /// The number of rows that had been read when the event was certain.
  public var reportedAt: Int

  /// Creates an event.
  public init(label: String, range: Range<Int>, probability: Double, reportedAt: Int) {
    self.label = label
    self.range = range
    self.probability = probability
    self.reportedAt = reportedAt
  }
}
