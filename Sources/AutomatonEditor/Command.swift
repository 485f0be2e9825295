import Automata
import Ink

/// Something that is done to a document, one step of undoing.
public enum Command: Hashable, Sendable {
  /// What happens to the transitions of a state that is deleted.
  public enum Cascade: String, Hashable, Sendable, CaseIterable {
    /// They stay with that end loose; loops go.
    case keepsDangling
    /// They go as well.
    case deletesAttached
  }

  /// A drawing that was recognised as a state: a new one, or the second ring of a final one.
  case drawState(Drawing)
  /// A drawing that was recognised as a transition.
  case drawTransition(Drawing)
  /// A drawing that was recognised as a loop.
  case drawLoop(Drawing)
  /// A state at a place, of the usual size unless there is a radius.
  case addState(center: Vector, radius: Double? = nil)
  /// A straight transition between two states, a loop where they are the same.
  case connect(from: String, to: String)
  /// Whether a state is final.
  case setFinal(state: String, Bool)
  /// Whether a state is initial: adds an arrow from nowhere, or takes all of them away.
  case setInitial(state: String, Bool)
  /// Moves a state's middle.
  case moveState(String, to: Vector)
  /// Changes a state's radius.
  case resizeState(String, radius: Double)
  /// Bends a transition through a place; an initial marker turns about its tip instead.
  case bend(transition: String, through: Vector)
  /// Moves a transition's start; it lets go of its state, and holds on to another one there.
  case moveStart(transition: String, to: Vector)
  /// Moves a transition's tip; it lets go of its state, and holds on to another one there.
  case moveTip(transition: String, to: Vector)
  /// Moves a loop round its state's ring, towards a place.
  case turnLoop(transition: String, towards: Vector)
  /// Exchanges start and end.
  case flip(transition: String)
  /// Names a state; characters that cannot be seen are refused.
  case rename(state: String, String)
  /// What is being typed as a symbol.
  case setPendingSymbol(transition: String, String)
  /// Adds the symbols that were typed, as ``TypedSymbols`` reads them; ε makes the transition one that
  /// may be taken without reading.
  case addSymbols(transition: String, String)
  /// Removes a symbol.
  case removeSymbol(transition: String, String)
  /// Whether a transition may be taken without reading.
  case setEpsilon(transition: String, Bool)
  /// Deletes the state or transition of that id.
  case delete(String, Cascade = .keepsDangling)
  /// Deletes everything that a drawing crosses.
  case erase(Drawing, Cascade = .keepsDangling)
  /// Gives the symbols of the alphabet; those of the transitions count as well.
  case setAlphabet([String])
  /// Deletes everything, the given alphabet included.
  case clear
}

/// Why a command did nothing.
public enum Refusal: Error, Hashable, Sendable {
  /// There is no element of that id, or not of the kind that the command is for.
  case noSuchElement(String)
  /// A number is not finite or beyond ``Vector/furthest``, or a radius not positive.
  case notANumber
  /// Nothing would change.
  case nothingToDo
  /// A loop needs a state at its start.
  case noStateThere
  /// A second ring around a state that is final.
  case alreadyFinal
  /// The drawing has no extent.
  case tooSmall
  /// The source of ids gives only some that are taken.
  case noFreeID
  /// What was typed as symbols cannot be read.
  case unreadableSymbols(AutomatonError)
  /// What was typed as a name has characters that cannot be seen.
  case unreadableName(AutomatonError)
  /// A label was asked for that is none of ``SketchSession/labels``.
  case noSuchLabel(String)
  /// Something else was done since a stroke was drawn, or nothing was drawn.
  case noLastDrawing
}

extension Refusal: CustomStringConvertible {
  /// The reason in plain English, without ids.
  public var description: String {
    switch self {
    case .noSuchElement:
      "the state or transition does not exist any more, or cannot be changed in this way"
    case .notANumber: "a place or size is not a number, not positive or too far away"
    case .nothingToDo: "nothing would change"
    case .noStateThere: "a self-loop has to begin or end at a state, and none is near"
    case .alreadyFinal: "the state is final already"
    case .tooSmall: "the drawing is too small, or a line where a ring was expected"
    case .noFreeID: "there is no free id for a new element"
    case .unreadableSymbols(let error), .unreadableName(let error): "\(error)"
    case .noSuchLabel(let label):
      "a drawing can become \(SketchSession.labels.joined(separator: ", ")), not `\(label)`"
    case .noLastDrawing: "the last thing that was done is not a stroke"
    }
  }
}

/// How near is near enough; distances are on the screen and follow the zoom.
public struct EditorOptions: Hashable, Sendable {
  /// Screen points a canvas point.
  public var zoom = 1.0
  /// How far from a ring an end may be that still belongs to the state, in screen points; half the
  /// radius always is.
  public var attachment = 40.0
  /// How far from a curve an eraser may pass, in screen points.
  public var eraserReach = 12.0
  /// The radius of a state that is added without being drawn, in canvas points.
  public var usualRadius = 60.0

  /// The least attachment, in canvas points, however much the canvas is enlarged.
  private static let leastAttachment = 16.0

  /// Makes the usual options.
  public init() {}

  func attachment(to state: Document.State) -> Double {
    max(attachment / zoom, Self.leastAttachment, state.radius / 2)
  }
}

/// Where the ids of new elements come from.
public protocol IDSource: Sendable {
  /// Another id; one that an element of the document has already is passed over.
  mutating func next() -> String
}

/// Ids that count, `e1`, `e2` and so on: the same commands give the same documents.
public struct CountingIDs: IDSource {
  private var count: Int

  /// Begins after `count`.
  public init(after count: Int = 0) { self.count = count }

  /// The next number.
  public mutating func next() -> String {
    count += 1
    return "e\(count)"
  }
}
