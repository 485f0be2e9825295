import Ink
import InkSeries

/// What the columns of recordings do from step to step, which shows those that only count.
///
/// A clock, a number of the row or a number of the recording tells recordings apart without measuring
/// anything, so a network that reads it learns the recordings by heart.
struct ColumnCensus: Sendable {
  /// The values of a channel of one recording, from step to step.
  struct Course: Sendable {
    private(set) var first = 0.0
    private(set) var last = 0.0
    /// The number of values.
    private(set) var count = 0
    /// The number of steps up and down, and how far they lead.
    private(set) var up = (count: 0, sum: 0.0)
    private(set) var down = (count: 0, sum: 0.0)
    private var squares = 0.0

    /// Adds the next value that was measured.
    mutating func add(_ value: Double) {
      if count == 0 {
        first = value
      } else {
        let step = value - last
        if step > 0 { up = (up.count + 1, up.sum + step) }
        if step < 0 { down = (down.count + 1, down.sum - step) }
        squares += step * step
      }
      last = value
      count += 1
    }

    /// The mean step.
    var step: Double { count > 1 ? (last - first) / Double(count - 1) : 0 }

    /// The mean step without those in the other direction.
    func speed(isUp: Bool) -> Double {
      let (way, back) = isUp ? (up, down) : (down, up)
      return way.sum / Double(max(1, count - 1 - back.count))
    }

    /// Whether all steps are the same, up to rounding.
    var isEven: Bool {
      guard count > 1, step > 0 else { return false }
      let variance = squares / Double(count - 1) - step * step
      return variance <= (ColumnCensus.unevenness * step) * (ColumnCensus.unevenness * step)
    }
  }

  /// The deviation of the steps of an even column, as a share of their mean.
  private static let unevenness = 0.02
  /// How much faster or slower than others a clock is in one recording, as a share.
  private static let rateTolerance = 0.15
  /// The share of recordings that have to be within ``rateTolerance``; others have pauses.
  private static let steadyShare = 0.8
  /// The fewest steps, in all recordings, that show that a column only counts.
  ///
  /// Values of noise that were drawn 9 times rise each time with a probability of 1 : 362,880.
  private static let minimumSteps = 8
  /// The fewest steps of a single recording.
  private static let minimumStepsOfOne = 20
  /// The share of steps back, such as those of a counter that starts again, that a column that counts
  /// has at most; with the name of one, and without.
  private static let backSteps = (named: 0.12, others: 0.05)
  /// The fewest recordings that show that a constant is the number of a recording.
  private static let minimumNumbered = 5

  private var courses: [String: [(course: Course, label: String)]] = [:]
  /// The columns in the order of their first occurrence.
  private var order: [String] = []
  /// The text columns of each table, with the examples of it.
  private var tables: [(examples: Range<Int>, texts: [Text])] = []
  private var textOrder: [String] = []
  /// The names of all columns of tables.
  private(set) var names: Set<String> = []

  /// What was chosen for the columns of tables, each once.
  private var choices: [String] = []

  /// Adds a line about what was chosen, if it is not there yet.
  mutating func add(choice: String) {
    if !choices.contains(choice) { choices.append(choice) }
  }

  private struct Text {
    var name: String
    var place: String
    var text: String
  }

  /// Adds what a channel does in one recording.
  mutating func add(_ course: Course, named name: String, label: String) {
    if courses[name] == nil { order.append(name) }
    courses[name, default: []].append((course, label))
  }

  /// Adds all channels of a recording.
  mutating func add(_ series: Series, label: String) {
    let count = series.channels.count
    for (channel, name) in series.channels.enumerated() {
      var course = Course()
      for index in stride(from: channel, to: series.values.count, by: count) {
        let value = series.values[index]
        if !value.isNaN { course.add(Double(value)) }
      }
      add(course, named: name, label: label)
    }
    names.formUnion(series.channels)
  }

  /// Adds the columns of a table and those that have text.
  mutating func add(
    texts: [(name: String, place: String, text: String)], ofExamples examples: Range<Int>,
    names: [String]
  ) {
    self.names.formUnion(names)
    guard !texts.isEmpty else { return }
    for text in texts where !textOrder.contains(text.name) { textOrder.append(text.name) }
    tables.append(
      (examples, texts.map { Text(name: $0.name, place: $0.place, text: $0.text) }))
  }

  /// Why a column is left out, or looks as if it should be.
  enum Finding: Equatable {
    /// It has no value.
    case empty
    /// It rises in the same way in every recording.
    case counts
    /// It rises, and no two recordings have the same values.
    case runsOn
    /// It is another constant in every recording.
    case numbersRecordings
    /// It never falls, but what it does differs between recordings.
    case rises
    /// It is another constant in each of few recordings.
    case differs
    /// It is a constant in every recording, and another one in each class.
    case tellsClass
  }

  /// Returns what was found about a column, or `nil` for one of measurements.
  func finding(_ name: String) -> Finding? {
    let known = (courses[name] ?? []).filter { $0.course.count > 0 }
    guard !known.isEmpty else { return .empty }
    let all = known.map(\.course)
    guard all.allSatisfy({ $0.down.count == 0 }) else { return countsWithJumps(name, known) }
    let long = all.filter { $0.count > 1 }
    let stepCount = long.reduce(0) { $0 + $1.count - 1 }
    let isNamed = TimeUnit.isColumn(name) || TimeUnit.isCounter(name)
    let rises = !long.isEmpty && long.allSatisfy { $0.last > $0.first }
    guard rises else {
      guard all.count > 1, all.allSatisfy({ $0.count > 1 && $0.first == $0.last }) else {
        return nil
      }
      if Set(all.map(\.first)).count == all.count {
        let isNumber =
          all.count >= Self.minimumNumbered && all.allSatisfy { $0.first == $0.first.rounded() }
        return isNumber ? .numbersRecordings : .differs
      }
      let byClass = Dictionary(grouping: known, by: \.label).mapValues {
        Set($0.map(\.course.first))
      }
      let isClass =
        byClass.count > 1 && byClass.values.allSatisfy { $0.count == 1 }
        && Set(byClass.values.map { $0.first! }).count == byClass.count
      return isClass ? .tellsClass : nil
    }
    if isNamed { return .counts }
    guard stepCount >= (all.count == 1 ? Self.minimumStepsOfOne : Self.minimumSteps) else {
      return nil
    }
    if long.allSatisfy(\.isEven) || Self.isSteady(known, \.step) { return .counts }
    let sorted = all.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
    let isApart = zip(sorted, sorted.dropFirst()).allSatisfy { $0.last < $1.first }
    return isApart ? .runsOn : .rises
  }

  /// Returns whether a column that also falls, or does nothing else, only counts: up or down, but for
  /// a few steps back, and at the same speed everywhere.
  private func countsWithJumps(
    _ name: String, _ known: [(course: Course, label: String)]
  ) -> Finding? {
    let stepCount = known.reduce(0) { $0 + $1.course.count - 1 }
    let up = known.reduce(0) { $0 + $1.course.up.count }
    let down = known.reduce(0) { $0 + $1.course.down.count }
    guard stepCount >= Self.minimumSteps else { return nil }
    let back = Double(min(up, down)) / Double(stepCount)
    if TimeUnit.isColumn(name) || TimeUnit.isCounter(name), back <= Self.backSteps.named {
      return .counts
    }
    guard stepCount >= Self.minimumStepsOfOne, back <= Self.backSteps.others,
      Self.isSteady(known, { $0.speed(isUp: up > down) })
    else { return nil }
    return .counts
  }

  /// Returns whether a column moves at the same speed in nearly all recordings and in all classes.
  private static func isSteady(
    _ known: [(course: Course, label: String)], _ speed: (Course) -> Double
  ) -> Bool {
    let long = known.filter { $0.course.count > 1 }
    let steps = long.map { speed($0.course) }
    guard let median = steps.median() else { return false }
    func isNear(_ step: Double) -> Bool { abs(step - median) <= rateTolerance * median }
    guard Double(steps.count(where: isNear)) >= steadyShare * Double(steps.count) else {
      return false
    }
    // A count of steps is a measurement if it rises faster in one class than in another.
    return Dictionary(grouping: long, by: \.label).values.allSatisfy { members in
      isNear(members.map { speed($0.course) }.median()!)
    }
  }

  /// Leaves out the columns of `loaded` that measure nothing and those of text, and says so.
  func settle(_ loaded: inout LoadedDataset, _ reading: SeriesReading) {
    loaded.notes += choices
    leaveOutTexts(&loaded)
    var dropped: [String] = reading.ignored.filter { courses[$0] != nil }
    for name in reading.ignored.subtracting(names).sorted() where !names.isEmpty {
      loaded.notes.append(
        "--ignore: no column is called `\(name)`; the columns are "
          + names.sorted().prefix(20).joined(separator: ", "))
    }
    if reading.channels == nil, reading.leavesOutCounters {
      var lines: [String] = []
      var found: [String] = []
      for name in order where !reading.ignored.contains(name) {
        guard let finding = finding(name) else { continue }
        guard finding.isCertain else {
          loaded.notes.append(
            "note: column `\(name)` \(finding.text), so it is read (--ignore leaves it out)")
          continue
        }
        found.append(name)
        lines.append("left out: column `\(name)`, which \(finding.text) (--channels keeps it)")
      }
      let leaves = { (example: Example) in
        guard case .series(let series) = example.content else { return true }
        return series.channels.contains { !found.contains($0) && !dropped.contains($0) }
      }
      if loaded.dataset.examples.allSatisfy(leaves) {
        dropped += found
        loaded.notes += lines
        loaded.leftOutColumns = found
      } else if !found.isEmpty {
        loaded.notes.append(
          "note: column `\(found[0])` \(finding(found[0])!.text), but there is no other, so it is "
            + "read")
      }
    }
    guard !dropped.isEmpty else { return }
    loaded.dataset = loaded.dataset.without(channels: Set(dropped))
  }

  /// Says which columns are text, and leaves out recordings with text where others have numbers.
  private func leaveOutTexts(_ loaded: inout LoadedDataset) {
    var wrong: Set<Int> = []
    var texts: [String: Text] = [:]
    for table in tables {
      for text in table.texts {
        guard courses[text.name] == nil else {
          loaded.failures.append(
            "\(text.place): column `\(text.name)`: expected a number, as in other files, found "
              + "`\(text.text)`")
          wrong.formUnion(table.examples)
          continue
        }
        texts[text.name] = texts[text.name] ?? text
      }
    }
    for name in textOrder {
      guard let text = texts[name] else { continue }
      loaded.notes.append(
        "left out: column `\(name)`, which is text, such as `\(text.text)` (\(text.place))")
    }
    guard !wrong.isEmpty else { return }
    loaded.dataset.examples = loaded.dataset.examples.indices.filter { !wrong.contains($0) }
      .map { loaded.dataset.examples[$0] }
  }
}

extension ColumnCensus.Finding {
  /// Whether the column measures nothing.
  fileprivate var isCertain: Bool {
    switch self {
    case .empty, .counts, .runsOn, .numbersRecordings: true
    case .rises, .differs, .tellsClass: false
    }
  }

  /// What a column does, as a part of a sentence.
  fileprivate var text: String {
    switch self {
    case .empty: "has no value"
    case .counts: "counts in the same way in every recording, like a clock"
    case .runsOn: "never falls and has other values in every recording, like a clock"
    case .numbersRecordings: "is another constant in every recording, like its number"
    case .rises:
      "never falls within a recording, but rises differently in different ones"
    case .differs:
      "is another constant in every recording, and these are too few to tell whether it is a number "
        + "of the recording"
    case .tellsClass:
      "is constant in every recording and another number in every class, and may be a measurement"
    }
  }
}

extension Dataset {
  /// The data set without these channels of its recordings.
  public func without(channels: Set<String>) -> Dataset {
    guard !channels.isEmpty else { return self }
    var result = self
    for index in result.examples.indices {
      guard case .series(let series) = result.examples[index].content else { continue }
      let rest = series.channels.filter { !channels.contains($0) }
      // A recording without any other channel is kept as it is, and refused where it is used.
      guard !rest.isEmpty, rest.count < series.channels.count,
        let selected = try? series.selecting(rest)
      else { continue }
      result.examples[index].content = .series(selected)
    }
    return result
  }
}
