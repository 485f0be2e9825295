import Foundation
import Ink
import InkSeries

/// How well events were found in recordings with labelled spans.
///
/// An event matches a span if both have the same label and their overlap, as a share of the time
/// that either covers, is at least ``minimumOverlap``; with 0, any overlap is enough. Each span matches
/// at most one event: in order of time, it gets the first event that matches it and is still free.
public struct EventEvaluation: Hashable, Sendable, Codable {
  /// A recording with its spans and the events that were found in it.
  public struct Recording: Sendable {
    /// The labelled spans.
    public var spans: [Span]
    /// The events that were found.
    public var events: [Event]
    /// The number of steps per second, or `nil` if it is unknown.
    public var rate: Double?
    /// The person, if known.
    public var person: String?
    /// The session of this person, if known.
    public var session: String?

    /// Creates a recording.
    public init(
      spans: [Span], events: [Event], rate: Double? = nil, person: String? = nil,
      session: String? = nil
    ) {
      self.spans = spans
      self.events = events
      self.rate = rate
      self.person = person
      self.session = session
    }
  }

  /// The result for some of the spans and events.
  public struct Score: Hashable, Sendable, Codable {
    /// The share of the events that match a span.
    public var precision: Share
    /// The share of the spans that were found.
    public var recall: Share
    /// The harmonic mean of precision and recall; 0 without spans and events.
    public var f1: Double
    /// The delay of the spans that were found, or `nil` if there is none with a known rate.
    public var delay: Delay?
  }

  /// The time from the start of spans to the report of their events, in seconds.
  public struct Delay: Hashable, Sendable, Codable {
    /// The mean.
    public var mean: Double
    /// The 90th percentile: the smallest delay that 90 % of the delays do not exceed.
    public var percentile90: Double
  }

  /// The result for one label, person or session.
  public struct Row: Hashable, Sendable, Codable {
    /// The label, the person, or the person and session.
    public var value: String
    /// The result.
    public var score: Score
  }

  /// The overlap over union that an event needs to match a span; 0 for any overlap.
  public var minimumOverlap: Double
  /// The result for all labels.
  public var total: Score
  /// The mean of the labels' F1, each with the same weight; 0 without labels.
  public var meanF1: Double
  /// The results by label.
  public var labels: [Row]
  /// The results by person.
  public var persons: [Row]
  /// The results by session of a person.
  public var sessions: [Row]

  /// The names in reports.
  private enum CodingKeys: String, CodingKey {
    case total, meanF1, labels, persons, sessions
    case minimumOverlap = "leastOverlap"
  }

  /// Evaluates events against spans; spans with a rest label are no events, so they do not count.
  public init(
    _ recordings: [Recording], minimumOverlap: Double = 0,
    restLabels: Set<String> = EventRule.standardRestLabels
  ) {
    var total = Tally()
    var labels: [String: Tally] = [:]
    var persons: [String: Tally] = [:]
    var sessions: [String: Tally] = [:]
    for recording in recordings {
      let person = recording.person ?? "unknown"
      let session = recording.session.map { "\(person), session \($0)" } ?? person
      let spans = Dictionary(grouping: recording.spans) { $0.label }
        .filter { !restLabels.contains($0.key) }
      let events = Dictionary(grouping: recording.events) { $0.label }
      for label in Set(spans.keys).union(events.keys).sorted() {
        let tally = Tally(
          spans: spans[label] ?? [], events: events[label] ?? [], rate: recording.rate,
          minimumOverlap: minimumOverlap)
        total.add(tally)
        labels[label, default: Tally()].add(tally)
        persons[person, default: Tally()].add(tally)
        sessions[session, default: Tally()].add(tally)
      }
    }
    self.minimumOverlap = minimumOverlap
    self.total = total.score
    self.labels = Self.rows(labels)
    self.persons = Self.rows(persons)
    self.sessions = Self.rows(sessions)
    meanF1 = self.labels.reduce(0) { $0 + $1.score.f1 } / Double(max(1, self.labels.count))
  }

  private static func rows(_ tallies: [String: Tally]) -> [Row] {
    tallies.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }
      .map { Row(value: $0.key, score: $0.value.score) }
  }

  /// The evaluation for a terminal.
  public var text: String {
    let rule =
      minimumOverlap > 0
      ? "overlap over union of at least \(minimumOverlap.percent)" : "any overlap"
    var lines = [
      "events matched by label and \(rule)",
      "precision".padded(13) + total.precision.summary,
      "recall".padded(13) + total.recall.summary,
      "F1".padded(13) + "\(total.f1.percent), mean of \(labels.count.counted("label")) "
        + meanF1.percent,
      "intervals".padded(13) + "95 %, as if all events were independent",
    ]
    if let delay = total.delay {
      lines.append(
        "delay".padded(13)
          + "mean \(delay.mean.fixed(2)) s, 90th percentile \(delay.percentile90.fixed(2)) s")
    }
    for (title, rows) in [("label", labels), ("person", persons), ("session", sessions)] {
      lines += [""] + Self.lines("by \(title)", rows)
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(_ title: String, _ rows: [Row]) -> [String] {
    let table =
      [[title, "precision", "recall", "F1", "spans", "events", "delay", "90 %"]]
      + rows.map { row in
        let (score, delay) = (row.score, row.score.delay)
        return [
          row.value, score.precision.percent, score.recall.percent, score.f1.percent,
          "\(score.recall.total)", "\(score.precision.total)",
          delay.map { "\($0.mean.fixed(2)) s" } ?? "–",
          delay.map { "\($0.percentile90.fixed(2)) s" } ?? "–",
        ]
      }
    let width = max(10, table.map { $0[0].count }.max() ?? 0) + 2
    return table.map { row in
      row[0].padded(width) + row[1...].map { $0.leftPadded(11) }.joined()
    }
  }
}

/// The counts of spans and events.
private struct Tally {
  var spanCount = 0
  var eventCount = 0
  var matchCount = 0
  /// The delays of matched spans in seconds, where the rate is known.
  var delays: [Double] = []

  init() {}

  /// Matches the spans and events of one label in one recording.
  init(spans: [Span], events: [Event], rate: Double?, minimumOverlap: Double) {
    spanCount = spans.count
    eventCount = events.count
    let spans = spans.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var free = events.sorted { $0.range.lowerBound < $1.range.lowerBound }
    for span in spans {
      let match = free.firstIndex { event in
        let overlap = event.range.clamped(to: span.range).count
        let union = event.range.count + span.range.count - overlap
        return overlap > 0 && Double(overlap) >= minimumOverlap * Double(union)
      }
      guard let match else { continue }
      let event = free.remove(at: match)
      matchCount += 1
      if let rate {
        delays.append(Double(event.reportedAt - span.range.lowerBound) / rate)
      }
    }
  }

  mutating func add(_ other: Tally) {
    spanCount += other.spanCount
    eventCount += other.eventCount
    matchCount += other.matchCount
    delays += other.delays
  }

  var score: EventEvaluation.Score {
    let sorted = delays.sorted()
    let delay =
      sorted.isEmpty
      ? nil
      : EventEvaluation.Delay(
        mean: sorted.reduce(0, +) / Double(sorted.count),
        percentile90: sorted[(9 * sorted.count + 9) / 10 - 1])
    let sum = spanCount + eventCount
    return EventEvaluation.Score(
      precision: Share(matchCount, of: eventCount), recall: Share(matchCount, of: spanCount),
      f1: sum > 0 ? 2 * Double(matchCount) / Double(sum) : 0, delay: delay)
  }
}
