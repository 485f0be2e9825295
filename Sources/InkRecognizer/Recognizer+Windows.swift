import InkSeries

extension Recognizer {
  /// The answer to a window of a recording, or the reason why there is none.
  public struct WindowAnswer: Sendable {
    /// The steps of the window.
    public var range: Range<Int>
    /// The answer; a window without any value has none.
    public var result: Result<Recognition, PreparationError>

    /// Creates an answer.
    public init(range: Range<Int>, result: Result<Recognition, PreparationError>) {
      self.range = range
      self.result = result
    }
  }

  /// Calls `body` with the answer to each window of a recording, which is at the rate of the model.
  public func forEachAnswer(
    to series: Series, in windows: SlidingWindows, _ body: (WindowAnswer) throws -> Void
  ) rethrows {
    for index in 0..<windows.count(in: series.length) {
      let range = windows.range(of: index)
      let result = Result { () throws(PreparationError) -> Recognition in
        try recognize(series.part(range))
      }
      try body(WindowAnswer(range: range, result: result))
    }
  }
}

extension EventDetector {
  /// Adds the answer to the next window, and returns the event that it ends, if there is one.
  ///
  /// A window that is rejected or has no answer counts as one in which no label is likely.
  public mutating func add(_ answer: Recognition?) -> Event? {
    guard let answer, answer.rejection == nil else {
      return add([Double](repeating: 0, count: labels.count))
    }
    let probabilities = Dictionary(
      answer.ranked.map { ($0.label, $0.probability) }, uniquingKeysWith: { first, _ in first })
    return add(labels.map { probabilities[$0] ?? 0 })
  }
}
