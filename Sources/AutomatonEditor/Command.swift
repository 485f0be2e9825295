import Automata
import ErrorText
import Ink

/// A change of a document, which is one undo step; see <doc:HowDrawingWorks>.
public enum Command: Hashable, Sendable {
  /// The effect of deleting a state on its transitions.
  public enum Cascade: String, Hashable, Sendable, CaseIterable {
    /// They stay with a dangling end; self-loops are deleted.
    case keepsDangling
    /// They are deleted as well.
    case deletesAttached
  }

  /// Adds a drawing that was recognised as a state, or as the second ring of a final state.
  case drawState(Drawing)
  /// Adds a drawing that was recognised as a transition.
  case drawTransition(Drawing)
  /// Adds a drawing that was recognised as a self-loop.
  case drawLoop(Drawing)
  /// Adds a state; without a radius, it has the usual size.
  case addState(center: Vector, radius: Double? = nil)
  /// Adds a straight transition between two states, or a self-loop if they are the same.
  case connect(from: String, to: String)
  /// Sets whether a state is final.
  case setFinal(state: String, Bool)
  /// Sets whether a state is initial: adds an initial arrow, or removes all of them.
  case setInitial(state: String, Bool)
  /// Moves a state.
  case moveState(String, to: Vector)
  /// Moves states with their arrows, and bends the transitions between other states.
  case move([String], by: Vector)
  /// Moves states, or changes their radii, so that they are arranged.
  case arrange([String], Arrangement)
  /// Adds copies of the elements of another document, moved by a vector.
  case insert(Document, by: Vector)
  /// Changes a state's radius.
  case resizeState(String, radius: Double)
  /// Bends a transition through a point; an initial arrow turns around its tip instead.
  case bend(transition: String, through: Vector)
  /// Moves a transition's start, and attaches it to the state there.
  case moveStart(transition: String, to: Vector)
  /// Moves a transition's tip, and attaches it to the state there.
  case moveTip(transition: String, to: Vector)
  /// Turns a self-loop around its state, towards a point.
  case turnLoop(transition: String, towards: Vector)
  /// Exchanges start and end.
  case flip(transition: String)
  /// Renames a state; invisible characters are refused.
  case rename(state: String, String)
  /// Sets the symbol that is being typed.
  case setPendingSymbol(transition: String, String)
  /// Replaces all symbols by the typed ones, as `TypedSymbols` parses them, or all rules of a machine,
  /// as `MachineRule` parses them.
  case setSymbols(transition: String, String)
  /// Adds the typed symbols, as `TypedSymbols` parses them; ε makes it an ε-transition as well.
  case addSymbols(transition: String, String)
  /// Removes a symbol.
  case removeSymbol(transition: String, String)
  /// Sets whether a transition is also an ε-transition.
  case setEpsilon(transition: String, Bool)
  /// Deletes the states and transitions of those ids.
  case delete(Set<String>, Cascade = .keepsDangling)
  /// Deletes the elements and the unread ink that a drawing crosses.
  case erase(Drawing, Cascade = .keepsDangling)
  /// Converts a stroke of the ink, by its number, to an element.
  case convertInk(Int, DrawnClass)
  /// Deletes a stroke of the ink, by its number.
  case deleteInk(Int)
  /// Sets which kind of machine it is, `nil` for a finite automaton; names and labels stay as they are.
  case setKind(Machine.Kind?)
  /// Sets the additional symbols of the alphabet, besides those of the transitions.
  case setAlphabet([String])
  /// Deletes all elements, the unread ink and the additional symbols.
  case clear
}

/// The reason why a command was refused.
public enum Refusal: DescribedError, Hashable, Sendable {
  /// No element of the right kind has this id.
  case noSuchElement(String)
  /// A number is not finite or exceeds `Vector.furthest`, or a radius is not positive.
  case notANumber
  /// The command would change nothing.
  case nothingToDo
  /// A self-loop has no state at its ends.
  case noStateThere
  /// A second ring around a state that is final.
  case alreadyFinal
  /// The drawing has no extent.
  case tooSmall
  /// The source of ids returns only ids that are in use.
  case noFreeID
  /// The typed symbols cannot be parsed.
  case unreadableSymbols(AutomatonError)
  /// The typed name contains invisible characters.
  case unreadableName(AutomatonError)
  /// The label is not one of ``DrawnClass/labels``.
  case noSuchLabel(String)
  /// The last change was not a drawn stroke.
  case noLastDrawing
  /// Only finite automata have an alphabet of their own and ε-transitions.
  case onlyFiniteAutomata(Machine.Kind)
  /// Labels of several characters would be read in another way in this document.
  case otherLabels
}

extension Refusal {
  /// The reason in plain English, without ids.
  public var description: String {
    switch self {
    case .noSuchElement:
      "the state or transition no longer exists, or cannot be changed like this"
    case .notANumber: "a position or size is not a number, not positive or too large"
    case .nothingToDo: "nothing would change"
    case .noStateThere: "a self-loop has to start or end near a state"
    case .alreadyFinal: "the state is already final"
    case .tooSmall: "the drawing is too small, or is a line and not a ring"
    case .noFreeID: "no id is free for a new element"
    case .unreadableSymbols(let error), .unreadableName(let error): "\(error)"
    case .otherLabels:
      "labels of several characters, such as ab, are one symbol in one of the documents and two in the "
        + "other"
    case .noSuchLabel(let label):
      "a drawing can become \(DrawnClass.labels.joined(separator: ", ")), but not `\(label)`"
    case .onlyFiniteAutomata(let kind):
      "the labels of \(kind.noun) are all that it has, such as \(kind.exampleLabel)"
    case .noLastDrawing: "the last change was not a drawn stroke"
    }
  }
}

/// The distances of the editor, which follow the zoom.
public struct EditorOptions: Hashable, Sendable {
  /// The zoom: screen points per canvas point.
  public var zoom = 1.0
  /// The reach of a state for ends of transitions, in screen points; it is at least half the
  /// radius.
  public var attachment = 40.0
  /// The reach of the eraser, in screen points.
  public var eraserReach = 12.0
  /// The radius of a state that is added without being drawn, in canvas points.
  public var usualRadius = 60.0

  /// The minimum reach of a state at any zoom, in canvas points.
  private static let minimumAttachment = 16.0

  /// Creates the default options.
  public init() {}

  func attachment(to state: Document.State) -> Double {
    max(attachment / zoom, Self.minimumAttachment, state.radius / 2)
  }
}

/// A source of ids for new elements.
public protocol IDSource: Sendable {
  /// Returns another id; the editor skips ids that are in use.
  mutating func next() -> String
}

/// Numbered ids, `e1`, `e2` and so on, so that the same commands give the same document.
public struct CountingIDs: IDSource {
  private var count: Int

  /// Creates a source that starts after `count`.
  public init(after count: Int = 0) { self.count = count }

  /// Returns the next id.
  public mutating func next() -> String {
    count += 1
    return "e\(count)"
  }
}
