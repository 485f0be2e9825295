/// A rule that cuts labelled windows for training out of recordings.
public struct WindowPlan: Hashable, Sendable {
  /// The length and the stride of the windows.
  public var windows: SlidingWindows
  /// The share of a span that a window has to contain to get its label, above 0 and at most 1.
  ///
  /// It is a share of the window if the span is longer than the window.
  public var minimumShare: Double
  /// The label of the windows that touch no span, or `nil` to leave these windows out.
  public var restLabel: String?

  /// Creates a plan.
  ///
  /// - Precondition: `minimumShare` is above 0 and at most 1.
  public init(_ windows: SlidingWindows, minimumShare: Double = 0.5, restLabel: String? = nil) {
    precondition(minimumShare > 0 && minimumShare <= 1, "the share must be above 0 and at most 1")
    self.windows = windows
    self.minimumShare = minimumShare
    self.restLabel = restLabel
  }

  /// The number of steps, and the labels of a recording.
  public struct Outline: Hashable, Sendable {
    /// The number of steps.
    public var length: Int
    /// One label for all steps, or labelled spans.
    public var labels: Labels

    /// The labels of a recording.
    public enum Labels: Hashable, Sendable {
      /// One label for all steps.
      case whole(String)
      /// The labelled spans; steps outside are unlabelled.
      case spans([Span])
    }

    /// Creates an outline.
    public init(length: Int, labels: Labels) {
      self.length = length
      self.labels = labels
    }
  }

  /// A window with its label.
  public struct LabelledWindow: Hashable, Sendable {
    /// The position of the recording.
    public var recording: Int
    /// The steps of the window.
    public var range: Range<Int>
    /// The label.
    public var label: String
  }

  /// The windows of some recordings, and how much was left out.
  public struct Cut: Hashable, Sendable {
    /// The labelled windows, by recording and start.
    public var windows: [LabelledWindow] = []
    /// The number of recordings that are shorter than a window.
    public var shortRecordingCount = 0
    /// The number of windows that no label applies to.
    public var unlabelledCount = 0
  }

  /// Cuts the windows of `recordings`.
  ///
  /// A window gets the label of the span with the largest overlap among those that it contains the
  /// least share of; of equal ones, the first to start. A window that touches no span is a rest
  /// window. Other windows show only a part of an action, so they are left out.
  ///
  /// - Throws: `WindowError` if there are recordings and all are shorter than a window.
  public func cut(_ recordings: [Outline]) throws(WindowError) -> Cut {
    var result = Cut()
    for (index, recording) in recordings.enumerated() {
      let count = windows.count(in: recording.length)
      if count == 0 { result.shortRecordingCount += 1 }
      switch recording.labels {
      case .whole(let label):
        result.windows += (0..<count).map {
          LabelledWindow(recording: index, range: windows.range(of: $0), label: label)
        }
      case .spans(let spans):
        let spans = spans.sorted { $0.range.lowerBound < $1.range.lowerBound }
        // Windows start later and later: a span joins these once and leaves them once.
        var touched: [Span] = []
        var next = 0
        for window in 0..<count {
          let range = windows.range(of: window)
          while next < spans.count, spans[next].range.lowerBound < range.upperBound {
            touched.append(spans[next])
            next += 1
          }
          touched.removeAll { $0.range.upperBound <= range.lowerBound }
          if let label = label(of: range, touching: touched) {
            result.windows.append(LabelledWindow(recording: index, range: range, label: label))
          } else {
            result.unlabelledCount += 1
          }
        }
      }
    }
    guard recordings.isEmpty || result.shortRecordingCount < recordings.count else {
      throw .longerThanRecordings(
        length: windows.length, longest: recordings.map(\.length).max() ?? 0,
        count: recordings.count)
    }
    return result
  }

  /// Returns the label of a window that overlaps `spans`, which are sorted by their start.
  private func label(of window: Range<Int>, touching spans: [Span]) -> String? {
    guard !spans.isEmpty else { return restLabel }
    var best: (label: String, overlap: Int)?
    for span in spans {
      let overlap = span.range.clamped(to: window).count
      let whole = min(window.count, span.range.count)
      if Double(overlap) >= minimumShare * Double(whole), overlap > best?.overlap ?? 0 {
        best = (span.label, overlap)
      }
    }
    return best?.label
  }
}
