import Ink
import InkRecognizer

/// A class of drawings that becomes an element of a document; its raw value is the class label.
public enum DrawnClass: String, Hashable, Sendable, CaseIterable {
  /// A circle, which becomes a state.
  case state
  /// An arrow or a line, which becomes a transition.
  case transition
  /// An arrow that returns to its start, which becomes a self-loop.
  case cycle

  /// The labels of these classes.
  public static let labels = allCases.map(\.rawValue)
  /// The label of all other drawings, which are rejected.
  public static let otherLabel = Model.Decision.otherLabel
  /// The labels of these classes and of all other drawings.
  ///
  /// Drawings keep these classes at any angle.
  public static let allLabels = labels + [otherLabel]

  /// Returns the class whose drawings become what `command` adds; `nil` for other commands.
  public init?(_ command: Command) {
    switch command {
    case .drawState: self = .state
    case .drawTransition: self = .transition
    case .drawLoop: self = .cycle
    default: return nil
    }
  }

  /// Returns the command that adds what `drawing` shows.
  public func command(_ drawing: Drawing) -> Command {
    switch self {
    case .state: .drawState(drawing)
    case .transition: .drawTransition(drawing)
    case .cycle: .drawLoop(drawing)
    }
  }
}
