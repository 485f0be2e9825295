import Foundation
import Ink
import InkDatasets
import InkRecognizer
import InkSeries

/// The recordings of sensors in a file, as the page shows them: curves, labels and the model's answers.
struct SeriesFile: Encodable {
  /// A curve of a channel: its values at the positions of the recording, `nil` for a gap.
  struct Curve: Encodable {
    var name: String
    /// The lowest and the highest value, or `nil` if there is no value.
    var low: Float?
    var high: Float?
    var values: [Float?]
  }

  /// A labelled part of a recording: a span of the file, the answer to a window, or an event.
  struct Part: Encodable {
    var start: Double
    var end: Double
    var label: String
    var probability: Double?
    /// The reason for a rejection, as text.
    var rejection: String?
  }

  /// A recording.
  struct Shown: Encodable {
    var name: String
    /// The label of the whole, or `nil` if there is none.
    var label: String?
    var person: String?
    /// The number of steps in the file.
    var length: Int
    /// The unit of all positions: `s` or `steps`.
    var unit: String
    /// The position of the end; the start is at 0.
    var end: Double
    /// The positions of the values of each curve.
    var positions: [Double]
    var curves: [Curve]
    var channelCount: Int
    var spans: [Part]
    /// The answers, each at the part of the recording that it applies to; one for a whole recording.
    var windows: [Part] = []
    var events: [Part] = []
    /// Why answers are missing.
    var problem: String?
  }

  /// The extensions of the files.
  static let endings = ["csv", "tsv", "ts", "ndjson"]
  /// The maximum number of recordings and of curves of each, so that the page stays fast.
  static let maximumRecordings = 12
  static let maximumCurves = 16
  /// The maximum number of points of a curve.
  static let maximumPoints = 2000
  /// The maximum number of windows of a file with an answer, and of the steps in them.
  static let maximumWindows = 5000
  static let maximumSteps = 1_000_000
  /// The maximum number of values of a recording at the rate of the model.
  private static let maximumValues = 4_000_000.0

  /// The first recordings.
  var recordings: [Shown] = []
  /// The number of recordings that were read.
  var total: Int
  /// The number of items that were not read, and the reason for the first one.
  var refused: Int
  var firstProblem: String?
  /// The name of the model in use, and whether it reads recordings of sensors.
  var model: String
  var hasAnswers: Bool

  /// Reads the file `data`, which has the name `name`, and asks `recognizer`, which is called `model`.
  ///
  /// - Throws: `StudioError` if there is no recording in it.
  init(_ data: Data, name: String, recognizer: Recognizer, model: String) throws {
    let shownName = name.isEmpty ? "The file" : String(name.prefix(200))
    guard let ending = Self.endings.first(where: { name.lowercased().hasSuffix(".\($0)") }) else {
      throw StudioError(
        "\(shownName) is not a file of recordings. Use a file whose name ends in "
          + Self.endings.map { ".\($0)" }.joined(separator: ", ") + ".")
    }
    // The format is detected from the extension, that of NDJSON from the content.
    let file = try UploadedFile(data, ending: ending, name: shownName)
    defer { file.remove() }
    var reading = SeriesReading()
    reading.keepsUnlabelled = true
    // The model chooses the channels, and the page shows all.
    reading.leavesOutCounters = false
    let loaded = try file.read { try Dataset.load($0, series: reading) }
    let examples = loaded.dataset.examples.filter(\.isSeries)
    let drawingCount = loaded.dataset.examples.count - examples.count
    let failure = loaded.failures.first.map(file.named)
    guard !examples.isEmpty else {
      throw StudioError(
        failure
          ?? "\(shownName) has no recordings of sensors. Drop files of drawings on the page Record."
      )
    }
    total = examples.count
    refused = loaded.failures.count + drawingCount
    firstProblem =
      failure
      ?? (drawingCount > 0 ? "drawings belong on the page Record" : nil)
    self.model = model
    hasAnswers = recognizer.model.recordings != nil
    var budget = Budget()
    for example in examples.prefix(Self.maximumRecordings) {
      guard case .series(let series) = example.content else { continue }
      let place = file.named(in: example.origin)
      recordings.append(
        Shown(series, of: example, named: place, by: recognizer, within: &budget))
    }
  }

  /// The windows that may still be asked about, and their steps.
  struct Budget {
    var windows = SeriesFile.maximumWindows
    var steps = SeriesFile.maximumSteps

    /// Takes as many of `count` windows of `length` steps as are left, and returns how many.
    mutating func take(_ count: Int, length: Int) -> Int {
      let taken = min(count, windows, steps / length)
      windows -= taken
      steps -= taken * length
      return taken
    }
  }
}

/// The positions of the steps of a series: seconds from its start if they are known, otherwise steps.
private struct Axis {
  private let times: [Double]?
  private let rate: Double?
  private let length: Int
  var unit: String { times == nil && rate == nil ? "steps" : "s" }

  init(_ series: Series) {
    length = series.length
    // Times can be so far apart that their distance is no number.
    let isFinite = series.duration.map { ($0 * 2).isFinite } ?? false
    times = isFinite ? series.times : nil
    rate = isFinite ? series.rate : nil
  }

  subscript(step: Int) -> Double {
    guard let times else { return Double(step) / (rate ?? 1) }
    if step < length { return (times[step] - times[0]) / 1000 }
    // The last step lasts as long as the mean one.
    return (times[length - 1] - times[0]) / 1000 * Double(length) / Double(max(1, length - 1))
  }
}

extension SeriesFile.Shown {
  fileprivate init(
    _ given: Series, of example: Example, named name: String, by recognizer: Recognizer,
    within budget: inout SeriesFile.Budget
  ) {
    var series = given
    let recordings = recognizer.model.recordings
    // Without a rate, it is taken to be that of the training.
    if let rate = recordings?.preparation.rate { series = series.assuming(rate: rate) }
    let axis = Axis(series)
    self.name = name
    label = example.label.isEmpty ? nil : example.label
    person = example.writer
    length = series.length
    unit = axis.unit
    end = axis[series.length]
    let count = min(series.length, SeriesFile.maximumPoints)
    positions = (0..<count).map { axis[$0 * series.length / count] }
    channelCount = series.channels.count
    curves = series.channels.prefix(SeriesFile.maximumCurves).indices.map {
      SeriesFile.Curve(series, channel: $0, count: count)
    }
    spans = example.spans.map {
      .init(start: axis[$0.range.lowerBound], end: axis[$0.range.upperBound], label: $0.label)
    }
    guard recordings != nil else { return }
    do {
      try answer(series, axis: axis, by: recognizer, within: &budget)
    } catch {
      problem = "No answers: \(plainText(of: error))"
    }
  }

  /// Adds the answers of a model for recordings.
  private mutating func answer(
    _ given: Series, axis: Axis, by recognizer: Recognizer, within budget: inout SeriesFile.Budget
  ) throws {
    guard let (preparation, window) = recognizer.model.recordings else { return }
    var series = try given.selecting(preparation.channels)
    if let rate = preparation.rate {
      let size = (series.duration ?? 0) * rate * Double(series.channels.count)
      guard size <= SeriesFile.maximumValues else {
        throw StudioError(
          "at \(rate) steps a second, the recording has more than \(Int(SeriesFile.maximumValues)) "
            + "values")
      }
      series = try series.resampled(toRate: rate)
    }
    func place(_ step: Int) -> Double {
      preparation.rate.map { Double(step) / $0 } ?? axis[step]
    }
    let isCut: Bool
    if let window {
      let whole = window.count(in: series.length)
      guard whole > 0 else {
        throw WindowError.longerThanRecordings(
          length: window.length, longest: series.length, count: 1)
      }
      let count = budget.take(whole, length: window.length)
      isCut = count < whole
      guard count > 0 else {
        problem = Self.cutText(count)
        return
      }
      let rule = try EventRule(restLabels: recognizer.model.eventRestLabels)
      var detector = EventDetector(labels: recognizer.model.labels, windows: window, rule: rule)
      let part = isCut ? series.part(0..<window.range(of: count - 1).upperBound) : series
      var found: [Event] = []
      var index = 0
      recognizer.forEachAnswer(to: part, in: window) { answer in
        let section = window.section(of: index)
        index += 1
        let recognition = try? answer.result.get()
        if let recognition {
          windows.append(
            .init(recognition, from: place(section.lowerBound), to: place(section.upperBound)))
        }
        if let event = detector.add(recognition) { found.append(event) }
      }
      if let event = detector.finish() { found.append(event) }
      events = found.map {
        .init(
          start: place($0.range.lowerBound), end: place($0.range.upperBound), label: $0.label,
          probability: $0.probability)
      }
      if isCut { problem = Self.cutText(count) }
    } else if budget.take(1, length: series.length) == 1 {
      windows = [.init(try recognizer.recognize(series), from: 0, to: end)]
    } else {
      problem = Self.cutText(0)
    }
  }

  /// Says that only the first windows have answers.
  private static func cutText(_ count: Int) -> String {
    (count == 0 ? "No answers" : "Answers for the first \(count.counted("window"))")
      + ", because the file is long. Use `inkstate classify` for all of it."
  }
}

extension SeriesFile.Part {
  fileprivate init(_ recognition: Recognition, from start: Double, to end: Double) {
    self.init(
      start: start, end: end, label: recognition.top.label,
      probability: recognition.top.probability, rejection: recognition.rejection?.explanation)
  }
}

extension SeriesFile.Curve {
  /// Makes a curve of `count` points; of the steps between two pairs of points, it has the lowest and the
  /// highest value, in their order.
  fileprivate init(_ series: Series, channel: Int, count: Int) {
    name = series.channels[channel]
    let all = series.values(ofChannel: channel)
    let known = all.lazy.filter { !$0.isNaN }
    (low, high) = (known.min(), known.max())
    guard count < all.count else {
      values = all.map { $0.isNaN ? nil : $0 }
      return
    }
    let pairs = count / 2
    values = (0..<pairs).flatMap { pair -> [Float?] in
      let steps = pair * all.count / pairs..<(pair + 1) * all.count / pairs
      let known = steps.filter { !all[$0].isNaN }
      guard let lowest = known.min(by: { all[$0] < all[$1] }),
        let highest = known.max(by: { all[$0] < all[$1] })
      else { return [nil, nil] }
      return [all[min(lowest, highest)], all[max(lowest, highest)]]
    }
  }
}
