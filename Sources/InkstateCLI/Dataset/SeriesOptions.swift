import ArgumentParser
import InkDatasets
import InkSeries

/// How tables of time series are read.
struct SeriesOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The column with the name of the recording.", valueName: "name"))
  var recordingColumn = SeriesReading().recordingColumn

  @Option(help: ArgumentHelp("The column with the label.", valueName: "name"))
  var labelColumn = SeriesReading().labelColumn

  @Option(help: ArgumentHelp("The column with the person.", valueName: "name"))
  var personColumn = SeriesReading().personColumn

  @Option(help: ArgumentHelp("The column with the session.", valueName: "name"))
  var sessionColumn = SeriesReading().sessionColumn

  @Option(
    help: ArgumentHelp(
      """
      The column with the time. (default: one with a name such as time, ts, seconds_elapsed or \
      Milliseconds, or with times such as 2024-01-17T08:14:46Z)
      """, valueName: "name"))
  var timeColumn: String?

  @Option(
    help: ArgumentHelp(
      """
      The unit of the times. (default: from a name such as time_ms; otherwise seconds, but smaller \
      units for times since 1970)
      """, valueName: "unit"))
  var timeUnit: TimeUnit?

  @Option(help: "The steps per second of recordings without times.")
  var rate: Double?

  @Option(
    help: ArgumentHelp(
      """
      The columns to read as channels. (default: all columns of numbers without another meaning, except \
      those that only count up, like a clock)
      """, valueName: "a,b,…"))
  var channels: String?

  @Option(
    help: ArgumentHelp("Columns to leave out; can be repeated.", valueName: "a,b,…"))
  var ignore: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      What names of files mean, such as {session}_{person}-*. With a slash, the pattern is \
      for the path in the folder, such as {person}/{label}/*.
      """, valueName: "pattern"))
  var name: String?

  /// Whether an option was given.
  var isGiven: Bool { (try? reading()) != SeriesReading() }

  func validate() throws {
    if let rate, !(rate > 0 && rate.isFinite) {
      throw ValidationError("--rate must be above 0, not \(rate)")
    }
    if let channels, channels.split(separator: ",", omittingEmptySubsequences: false).contains("") {
      throw ValidationError("--channels: expected names with commas, found `\(channels)`")
    }
    _ = try reading()
  }

  func reading() throws -> SeriesReading {
    var reading = SeriesReading()
    reading.recordingColumn = recordingColumn
    reading.labelColumn = labelColumn
    reading.personColumn = personColumn
    reading.sessionColumn = sessionColumn
    reading.timeColumn = timeColumn
    reading.timeUnit = timeUnit
    reading.rate = rate
    reading.channels = channels.map { $0.split(separator: ",").map(String.init) }
    reading.ignored = Set(ignore.flatMap { $0.split(separator: ",").map(String.init) })
    reading.namePattern = try name.map { try NamePattern($0) }
    return reading
  }
}

extension TimeUnit: ExpressibleByArgument {}
