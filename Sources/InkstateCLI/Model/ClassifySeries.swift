import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkRecognizer
import InkSeries
import InkTraining

/// Options of `classify` for recordings of sensors.
struct SeriesClassificationOptions: ParsableArguments {
  @Option(
    help: """
      The length of a window, such as 2s, 500ms or 120 (steps). (default: that of the model; \
      otherwise recordings are classified as a whole)
      """)
  var window: SeriesDuration?

  @Option(
    help: "The distance between windows. (default: that of the model, or a quarter of the window)")
  var stride: SeriesDuration?

  @Flag(help: "Print events instead of windows.")
  var events = false

  @OptionGroup var rule: EventOptions
  @OptionGroup var reading: SeriesOptions

  func validate() throws {
    if !events, let option = rule.given { throw ValidationError("\(option) needs --events") }
  }

  /// Throws if an option was given that needs a model for recordings.
  func checkUnused() throws {
    guard window == nil, stride == nil, !events, !reading.isGiven else {
      throw ValidationError(
        "the options for recordings need a model for recordings; this one classifies drawings")
    }
  }
}

/// Classifies recordings with one model.
struct SeriesClassification {
  private let recognizer: Recognizer
  private let options: SeriesClassificationOptions
  private let isJSON: Bool
  /// The steps per second of the model, if it resamples.
  private let rate: Double?
  private let storedWindows: SlidingWindows?

  init(_ recognizer: Recognizer, options: SeriesClassificationOptions, isJSON: Bool) throws {
    guard let recordings = recognizer.model.recordings else {
      preconditionFailure("the model is for recordings")
    }
    self.recognizer = recognizer
    self.options = options
    self.isJSON = isJSON
    rate = recordings.preparation.rate
    storedWindows = recordings.window
    guard options.window != nil || storedWindows != nil else {
      guard options.stride == nil, !options.events else {
        throw ValidationError(
          "\(options.events ? "--events" : "--stride") needs --window, because the model classifies "
            + "whole recordings")
      }
      return
    }
    // Errors in numbers are found before anything is read.
    if let rate { _ = try windows(rate: rate) }
    _ = try options.rule.rule(rate: rate ?? 1, model: recognizer.model)
  }

  private func windows(rate: Double?) throws -> SlidingWindows? {
    try SlidingWindows.chosen(
      window: options.window, stride: options.stride, stored: storedWindows, rate: rate)
  }

  // MARK: Files

  /// Classifies the recordings at `path`; returns how many could not be read.
  func answer(path: String) throws -> Int {
    var reading = try options.reading.reading()
    reading.keepsUnlabelled = true
    reading.channels = reading.channels ?? recognizer.model.recordings?.preparation.channels
    let loaded: LoadedDataset
    do { loaded = try Dataset.load(path, series: reading) } catch {
      Terminal.say("not read: \(error)")
      return 1
    }
    for failure in loaded.failures { Terminal.say("not read: \(failure)") }
    Terminal.say(notes: loaded.notes)
    var failureCount = loaded.failures.count
    let withoutRate = loaded.dataset.examples.count { example in
      if case .series(let series) = example.content { series.meanRate == nil } else { false }
    }
    if let rate, withoutRate > 0 {
      Terminal.say(
        "note: \(withoutRate.counted("recording")) in \(path) without times or --rate; "
          + "\(rate.briefText) steps a second are assumed, as in training")
    }
    for example in loaded.dataset.examples {
      do { failureCount += try answer(example) } catch let error as ValidationError {
        throw error
      } catch {
        Terminal.say("not read: \(example.origin): \(error)")
        failureCount += 1
      }
    }
    return failureCount
  }

  /// Classifies a recording; returns how many of its windows have no answer.
  private func answer(_ example: Example) throws -> Int {
    guard case .series(var series) = example.content else {
      throw PreparationError.unsuitable(
        expected: "recordings", found: "a drawing or picture")
    }
    let name = example.origin
    // Without a rate, it is taken to be that of the training.
    if let rate { series = series.assuming(rate: rate) }
    let seriesRate = rate ?? series.meanRate
    guard let windows = try windows(rate: seriesRate) else {
      write(try recognizer.recognize(series), named: name)
      return 0
    }
    if let rate { series = try series.resampled(toRate: rate) }
    guard series.length >= windows.length else {
      throw WindowError.longerThanRecordings(
        length: windows.length, longest: series.length, count: 1)
    }
    var output = try WindowOutput(
      name: name, rate: seriesRate, windows: windows, recognizer.model, options, isJSON: isJSON)
    recognizer.forEachAnswer(to: series, in: windows) { output.add($0) }
    output.finish()
    return output.failureCount
  }

  /// Prints the answer to a whole recording.
  private func write(_ answer: Recognition, named name: String) {
    Classify.write(answer, named: name, isJSON: isJSON)
    fflush(nil)
  }

  // MARK: Standard input

  /// Classifies rows from standard input as they come; returns how many could not be read.
  func answerStandardInput() throws -> Int {
    let reading = try options.reading.reading()
    let channels = recognizer.model.recordings!.preparation.channels
    // The rate of rows without times.
    let rowRate = reading.rate ?? rate
    let outputRate = rate ?? reading.rate
    guard let windows = try windows(rate: outputRate) else {
      throw ValidationError(
        "the model classifies whole recordings; give the length of the windows of a stream with "
          + "--window")
    }
    if isatty(STDIN_FILENO) == 1 {
      Terminal.say("reading rows from standard input; press Ctrl-D to end")
    }
    var rows: RowReader
    do {
      rows = try RowReader(
        InputFile(.standardInput, name: "-"), channels: channels, timeColumn: reading.timeColumn)
    } catch {
      Terminal.say("not read: \(error)")
      return 1
    }
    var output = try WindowOutput(
      name: "-", rate: outputRate, windows: windows, recognizer.model, options, isJSON: isJSON)
    Terminal.say(output.delay(hasTimes: rows.hasTimes, rowRate: rowRate))
    var stream = SeriesStream(windows, channelCount: channels.count)
    func add(_ row: [Float]) {
      stream.append(row) { range, values in
        // The reader gives finite numbers and gaps only.
        let series = Series(
          unchecked: Array(values), channels: channels, rate: rate, times: nil)
        let result = Result { () throws(PreparationError) in try recognizer.recognize(series) }
        output.add(.init(range: range, result: result))
      }
    }
    var resampler = rate.map { RowResampler(rate: $0, channelCount: channels.count) }
    let resamples = rate != nil && (rows.hasTimes || rowRate != rate)
    let gap = [Float](repeating: .nan, count: channels.count)
    var unit: TimeUnit?
    var rowCount = 0
    var lateCount = 0
    while true {
      do {
        guard try rows.next() else { break }
      } catch {
        Terminal.say("not read: \(error)")
        output.failureCount += 1
        // The rows before and after it keep their distance.
        rowCount += 1
        if !resamples { add(gap) }
        continue
      }
      if let late = rows.lateTime {
        // As in a file.
        lateCount += 1
        Terminal.say(
          "left out: -, line \(rows.line): its time `\(late)` is before that of an earlier row")
        continue
      }
      if resamples {
        if unit == nil, let time = rows.time {
          unit =
            rows.timesAreText
            ? .ms : reading.timeUnit ?? rows.timeUnit ?? TimeUnit.typical(of: time)
        }
        let time =
          rows.time.map { $0 * (unit ?? .s).milliseconds } ?? 1000 * Double(rowCount) / rowRate!
        if resampler!.append(rows.values, at: time, add) {
          Terminal.say(
            "-, line \(rows.line): the pause before this row is longer than a minute; it is shortened "
              + "to one step")
        }
      } else {
        add(rows.values)
      }
      rowCount += 1
    }
    output.finish()
    if TimeCells.areTooMany(late: lateCount, of: rowCount + lateCount) {
      Terminal.say(
        "not read: -: the times of \(lateCount.counted("row")) go back; send the rows in order, or "
          + "start again when the clock does")
      output.failureCount += 1
    }
    if output.windowCount == 0, output.failureCount == 0 {
      Terminal.say(
        "not read: -: "
          + "\(WindowError.longerThanRecordings(length: windows.length, longest: stream.rowCount, count: 1))"
      )
      output.failureCount += 1
    }
    return output.failureCount
  }
}

/// Prints the answers about the windows of one recording, or the events in them.
private struct WindowOutput {
  private let name: String
  /// The steps per second, or `nil` if times are in steps.
  private let rate: Double?
  private let windows: SlidingWindows
  private let isJSON: Bool
  private let rule: EventRule
  private var detector: EventDetector?
  private(set) var windowCount = 0
  var failureCount = 0

  init(
    name: String, rate: Double?, windows: SlidingWindows, _ model: Model,
    _ options: SeriesClassificationOptions, isJSON: Bool
  ) throws {
    self.name = name
    self.rate = rate
    self.windows = windows
    self.isJSON = isJSON
    rule = try options.rule.rule(rate: rate, model: model)
    if options.events {
      detector = EventDetector(labels: model.labels, windows: windows, rule: rule)
    }
  }

  /// How late answers are, as a line of text.
  func delay(hasTimes: Bool, rowRate: Double?) -> String {
    let rows =
      hasTimes
      ? "the times of the rows"
      : rowRate.map { "\($0.briefText) rows a second" } ?? "rows without times"
    func duration(_ steps: Int) -> String {
      rate.map { "\((Double(steps) / $0).fixed(2)) s" } ?? steps.counted("step")
    }
    let windowText =
      "windows of \(duration(windows.length)) every \(duration(windows.stride)), by \(rows)"
    guard detector != nil else {
      return "\(windowText); each answer comes at the end of its window"
    }
    guard let delay = rule.longestDelay(with: WindowPlan(windows)) else {
      return "\(windowText); no event reaches --on with this --smoothing"
    }
    return "\(windowText); an event is certain at most "
      + duration(delay) + " after its start, and is printed when it ends"
  }

  /// Prints the answer about the next window, or the event that it ends.
  mutating func add(_ answer: Recognizer.WindowAnswer) {
    windowCount += 1
    if case .failure(let error) = answer.result {
      Terminal.say("not read: \(name), \(span(answer.range)): \(error)")
      failureCount += 1
    }
    let recognition = try? answer.result.get()
    if detector != nil {
      if let event = detector!.add(recognition) { write(event) }
    } else if let recognition {
      write(recognition, answer.range)
    }
  }

  /// Prints the event that lasts until the end.
  mutating func finish() {
    if let event = detector?.finish() { write(event) }
    fflush(nil)
  }

  /// `1.00–3.00 s`, or `steps 25–75`.
  private func span(_ range: Range<Int>) -> String {
    guard let rate else { return "steps \(range.lowerBound)–\(range.upperBound)" }
    return "\((Double(range.lowerBound) / rate).fixed(2))–"
      + "\((Double(range.upperBound) / rate).fixed(2)) s"
  }

  private func place(_ step: Int) -> Double { rate.map { Double(step) / $0 } ?? Double(step) }

  private func write(_ answer: Recognition, _ range: Range<Int>) {
    if isJSON {
      let line = JSONLine(
        source: name, start: place(range.lowerBound), end: place(range.upperBound),
        unit: rate == nil ? "steps" : "s", label: answer.top.label,
        probability: answer.top.probability, rejected: .some(answer.rejection?.rawValue),
        ranked: answer.ranked.map { JSONPair(label: $0.label, probability: $0.probability) })
      // Strings and finite numbers can always be encoded as JSON.
      try! Terminal.show(json: line, indented: false)
    } else {
      Terminal.show("\(name): \(span(range)) \(answer.text)")
    }
    fflush(nil)
  }

  private func write(_ event: Event) {
    if isJSON {
      let line = JSONLine(
        source: name, start: place(event.range.lowerBound), end: place(event.range.upperBound),
        unit: rate == nil ? "steps" : "s", label: event.label, probability: event.probability,
        reported: place(event.reportedAt))
      try! Terminal.show(json: line, indented: false)
    } else {
      Terminal.show("\(name): \(span(event.range)) \(event.label) \(event.probability.fixed(3))")
    }
    fflush(nil)
  }
}

/// An answer or an event as one line of JSON.
struct JSONLine: Encodable {
  var source: String
  /// The place of a window or an event.
  var start: Double?
  var end: Double?
  var unit: String?
  var label: String
  var probability: Double
  /// The time at which an event is certain.
  var reported: Double?
  /// Why an answer is rejected; `.some(nil)` for one that is not, and `nil` for events.
  var rejected: String??
  /// Whether a picture had dark ink on a light background.
  var inverted: Bool?
  var ranked: [JSONPair]?

  enum CodingKeys: CodingKey {
    case source, start, end, unit, label, probability, reported, rejected, inverted, ranked
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(start, forKey: .start)
    try container.encodeIfPresent(end, forKey: .end)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encode(label, forKey: .label)
    try container.encode(probability, forKey: .probability)
    try container.encodeIfPresent(reported, forKey: .reported)
    // `null` is written for an answer, not omitted.
    if let rejected { try container.encode(rejected, forKey: .rejected) }
    try container.encodeIfPresent(inverted, forKey: .inverted)
    try container.encodeIfPresent(ranked, forKey: .ranked)
  }
}

extension Double {
  /// The number with two decimals, or without if it is whole.
  fileprivate var briefText: String {
    self == rounded() && magnitude < 1e9 ? "\(Int(self))" : fixed(2)
  }
}
