import Foundation
import HTTPTypes
import InkNetwork
import InkRecognizer
import InkSeries
import TestSupport
import Testing

@testable import InkStudio

/// Files with recordings of sensors, and what the page shows of them.
@Suite(.timeLimit(.minutes(30))) struct SeriesTests {
  /// A model that answers `jab` if the mean of the channel `x` is above a half, and otherwise `none`.
  private static func model(window: SlidingWindows?, rate: Double? = nil) throws -> Model {
    let architecture = try Architecture(
      name: "mean",
      inputs: [NetworkInput(name: "s", form: .series(channels: 2, length: .variable(1...5000)))],
      nodes: [.init(.timePooling(.mean)), .init(.dense(units: 2))])
    var weights: [String: Tensor] = [:]
    for parameter in architecture.parameters {
      weights[parameter.name] = Tensor(
        shape: parameter.shape, values: parameter.count == 4 ? [20, 0, 0, 0] : [0, 10])
    }
    return try Model(
      network: TrainedNetwork(architecture, weights: weights), labels: ["jab", "none"],
      preprocessing: [
        .series(SeriesPreparation(channels: ["x", "y"], rate: rate), window: window)
      ])
  }

  /// 100 rows of which 40 to 69 are an action, with channels in another order and one more.
  private static let table =
    "y,x,z\n" + (0..<100).map { "0.5,\((40..<70).contains($0) ? 1 : 0),\($0)\n" }.joined()

  private func shown(_ text: String, name: String = "a.csv", by model: Model) throws -> SeriesFile {
    try SeriesFile(Data(text.utf8), name: name, recognizer: Recognizer(model: model), model: "m")
  }

  @Test func aTableIsShownWithItsCurvesWindowsAndEvents() throws {
    let windows = try SlidingWindows(length: 10, stride: 5)
    let file = try shown(Self.table, by: Self.model(window: windows))
    let recording = try #require(file.recordings.first)
    #expect(file.total == 1 && file.refused == 0 && file.hasAnswers && file.model == "m")
    #expect(recording.name == "a.csv" && recording.length == 100 && recording.unit == "steps")
    #expect(recording.curves.map(\.name) == ["y", "x", "z"])
    #expect(recording.curves[1].values == (0..<100).map { (40..<70).contains($0) ? 1 : 0 })
    #expect(recording.curves[2].low == 0 && recording.curves[2].high == 99)
    #expect(recording.positions == (0..<100).map(Double.init) && recording.end == 100)
    #expect(recording.windows.count == 19)
    #expect(zip(recording.windows, recording.windows.dropFirst()).allSatisfy { $0.end == $1.start })
    #expect(recording.problem == nil)
    let event = try #require(recording.events.first)
    #expect(recording.events.count == 1 && event.label == "jab")
    #expect(abs(event.start - 40) <= 5 && abs(event.end - 70) <= 5)
  }

  @Test func positionsAreInSecondsIfTheyAreKnown() throws {
    // 50 rows a second, for a model of 25 steps a second.
    let rows = (0..<200).map { "\(Double($0) / 50),0,\($0 >= 100 ? 1 : 0)" }
    let windows = try SlidingWindows(length: 10, stride: 5)
    let file = try shown(
      "time,y,x\n" + rows.joined(separator: "\n"), by: Self.model(window: windows, rate: 25))
    let recording = try #require(file.recordings.first)
    #expect(recording.unit == "s" && abs(recording.end - 4) < 1e-9)
    #expect(abs(recording.positions[150] - 3) < 1e-9)
    let event = try #require(recording.events.first)
    #expect(abs(event.start - 2) <= 0.2 && event.end > 3.5)
    // Without times, the rate is that of the training.
    let untimed = try shown(Self.table, by: Self.model(window: windows, rate: 25))
    #expect(untimed.recordings[0].unit == "s" && untimed.recordings[0].end == 4)
  }

  @Test func wholeRecordingsHaveOneAnswerAndLabelsAreShown() throws {
    let text = """
      @univariate false
      @dimensions 2
      @classLabel true jab none
      @data
      1,?,1:0,0,0:jab
      0,0:0,0:none

      """
    let preparation = try SeriesPreparation(channels: ["dim_0", "dim_1"])
    let other = try Self.model(window: nil)
    let model = try Model(
      network: other.network, labels: other.labels,
      preprocessing: [.series(preparation, window: nil)])
    let file = try shown(text, name: "PUNCHES_TRAIN.TS", by: model)
    #expect(file.recordings.map(\.label) == ["jab", "none"])
    #expect(file.recordings.map { $0.windows.map(\.label) } == [["jab"], ["none"]])
    #expect(file.recordings[0].curves[0].values == [1, nil, 1])
    #expect(file.recordings[0].name == "PUNCHES_TRAIN.TS, line 5")
    let table = "recording,x,y,label\n1,0,0,walk\n1,0,0,walk\n1,1,0,run\n2,0,0,walk\n"
    let labelled = try shown(table, by: other)
    #expect(labelled.recordings.map(\.label) == [nil, "walk"])
    #expect(labelled.recordings[0].spans.map(\.label) == ["walk", "run"])
    #expect(labelled.recordings[0].spans.map(\.end) == [2, 3])
  }

  @Test func aLongRecordingKeepsItsPeaksAndIsBounded() throws {
    let rows = (0..<300_000).map { $0 == 123_456 ? "9,0" : "\($0 % 2),0" }
    let text = "x,y\n" + rows.joined(separator: "\n")
    let file = try shown(text, by: Self.model(window: SlidingWindows(length: 4, stride: 1)))
    let recording = try #require(file.recordings.first)
    #expect(recording.curves[0].values.count == SeriesFile.maximumPoints)
    #expect(recording.positions.count == SeriesFile.maximumPoints)
    let peak = try #require(recording.curves[0].values.firstIndex(of: 9))
    #expect(abs(recording.positions[peak] - 123_456) <= 300)
    #expect(recording.windows.count == SeriesFile.maximumWindows)
    #expect(recording.problem?.contains("first 5000 windows") ?? false)
    let many = (0..<40).map { "\($0),1,2\n" }.joined()
    let shownOfMany = try shown("recording,x,y\n" + many, by: Self.model(window: nil))
    #expect(shownOfMany.total == 40 && shownOfMany.recordings.count == SeriesFile.maximumRecordings)
    let wide = (0..<30).map { "c\($0)" }.joined(separator: ",")
    let zeros = [String](repeating: "0", count: 30).joined(separator: ",")
    let ofWide = try shown("\(wide)\n\(zeros)\n", by: Self.model(window: nil)).recordings[0]
    #expect(ofWide.curves.count == SeriesFile.maximumCurves && ofWide.channelCount == 30)
    #expect(ofWide.problem?.contains("`x`") ?? false)
  }

  @Test func aRecordingAtTheRateOfTheModelIsBounded() throws {
    let windows = try SlidingWindows(length: 10, stride: 5)
    let model = try Self.model(window: windows, rate: 100)
    for (first, last) in [("0", "1e6"), ("-1e300", "1e9"), ("-1.7e305", "1.7e305")] {
      let file = try shown("time_s,x,y\n\(first),0,0\n\(last),1,0\n", by: model)
      let recording = try #require(file.recordings.first)
      #expect(recording.problem?.contains("more than 4000000 values") ?? false, "\(last)")
      #expect(recording.windows.isEmpty && recording.end.isFinite)
      _ = try JSONEncoder().encode(file)
    }
    let short = try shown("x,y\n1,2\n", by: model).recordings[0]
    #expect(short.problem?.hasPrefix("No answers: ") ?? false)
  }

  @Test func thePageGetsJSONOrAReason() async throws {
    try await RunningStudio.run { studio in
      let table = Data(Self.table.utf8)
      let answer = try await studio.ask(.post, "/api/series?name=my+walk.csv", table)
      #expect(answer.status == 200)
      let recordings = try #require(answer.json["recordings"] as? [[String: Any]])
      #expect(recordings.first?["name"] as? String == "my walk.csv")
      // The released model reads drawings.
      #expect(answer.json["hasAnswers"] as? Bool == false)
      #expect(answer.json["model"] as? String == "released")
      for (name, text, words) in [
        ("a.png", "x", "Use a file whose name ends in .csv, .tsv, .ts, .ndjson."),
        ("", "x", "The file is not a file of recordings."),
        ("a.csv", "", "a.csv"), ("a.csv", "x,x\n1,2\n", "`x` twice"),
        ("a.csv", "x,y\n1,2\n1\n", "a.csv, line 3: expected 2 cells"),
        ("a.csv", "time,y\n2,2\n1,1\n", "expected times that do not go back"),
        ("a.ts", "@dimensions 0\n", "a.ts, line 1"), ("a.ndjson", "{", "a.ndjson"),
        (
          "a.ndjson", #"{"word":"state","drawing":[[[0,9],[0,9]]]}"#,
          "Drop files of drawings on the page Record."
        ),
      ] {
        let problem = try await studio.post("/api/series?name=\(name)", text)
        #expect(problem.status == 400, "\(name) \(text): \(problem.status)")
        #expect(problem.error.contains(words), "\(problem.error)")
        #expect(!problem.error.contains(NSTemporaryDirectory()), "\(problem.error)")
      }
      let stranger = try await studio.ask(.post, "/api/series?name=a.csv", table, cookie: nil)
      #expect(stranger.status == 403)
      // A drawing is no recording of sensors.
      let models = studio.studio.interface.models
      try models.use(try models.add(try Self.model(window: nil), named: "sensors"))
      let drawing = try await studio.post("/api/recognize", #"{"drawing":[[[0,9],[0,9]]]}"#)
      #expect(drawing.status == 400 && drawing.error.contains("reads something else"))
      let answers = try await studio.ask(.post, "/api/series?name=a.csv", table)
      #expect(answers.json["hasAnswers"] as? Bool == true)
    }
  }
}
