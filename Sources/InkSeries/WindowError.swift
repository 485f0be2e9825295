import ErrorText
import Ink

/// The error for windows that cannot be cut.
public enum WindowError: DescribedError, Hashable {
  /// A duration in seconds, and recordings without a sampling rate.
  case noRate(SeriesDuration)
  /// A window without steps, or with more than ``SlidingWindows/longest``.
  case length(Int)
  /// A stride that is not from 1 to the length of the window.
  case stride(Int, length: Int)
  /// A window that is longer than each of `count` recordings.
  case longerThanRecordings(length: Int, longest: Int, count: Int)

  /// The error in one line, with what to do.
  public var description: String {
    switch self {
    case .noRate(let duration):
      "\(duration) cannot be converted to steps, because the recordings have no sampling rate; "
        + "give the length as a number of steps"
    case .length(let length):
      "a window must have from 1 to \(SlidingWindows.longest) steps, not \(length)"
    case .stride(let stride, let length):
      "the stride must be from 1 step to the window's length of "
        + "\(length.counted("step")), not \(stride)"
    case .longerThanRecordings(let length, let longest, let count):
      count == 1
        ? "the window of \(length.counted("step")) is longer than the recording of "
          + "\(longest.counted("step")); choose a shorter window"
        : "the window of \(length.counted("step")) is longer than each of the \(count) recordings; "
          + "the longest has \(longest.counted("step")); choose a shorter window"
    }
  }
}
