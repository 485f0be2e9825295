import InkDatasets
import InkRecognizer
import InkSeries
import ParallelLoops

extension EventEvaluation {
  /// Finds events in the recordings of `dataset` and evaluates them against the labelled spans.
  ///
  /// The recordings are at the rate of the model. A recording with one label is one span.
  public init(
    of recognizer: Recognizer, on dataset: Dataset, windows: SlidingWindows, rule: EventRule,
    minimumOverlap: Double = 0, workers: Int
  ) {
    let found = ParallelLoop(workers: workers).map(dataset.examples.count) { index, _ -> [Event] in
      guard case .series(let series) = dataset.examples[index].content else { return [] }
      var detector = EventDetector(
        labels: recognizer.model.labels, windows: windows, rule: rule)
      var events: [Event] = []
      recognizer.forEachAnswer(to: series, in: windows) { answer in
        if let event = detector.add(try? answer.result.get()) { events.append(event) }
      }
      if let event = detector.finish() { events.append(event) }
      return events
    }
    let recordings = dataset.examples.indices.compactMap { index -> Recording? in
      let example = dataset.examples[index]
      guard case .series(let series) = example.content else { return nil }
      let spans =
        example.spans.isEmpty && !example.label.isEmpty
        ? [Span(0..<series.length, label: example.label)] : example.spans
      return Recording(
        spans: spans, events: found[index], rate: series.meanRate, person: example.person,
        session: example.session)
    }
    self.init(recordings, minimumOverlap: minimumOverlap, restLabels: rule.restLabels)
  }
}

extension Example {
  /// The person, with the collection if there is one.
  var person: String? { source == nil ? writer : hand }
}
