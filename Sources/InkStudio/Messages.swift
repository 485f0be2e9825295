import Automata
import AutomatonEditor
import Foundation
import InkRaster
import InkRecognizer

/// What the page sends and gets, in JSON.
enum Message {
  /// What is wrong; where a document is gone, what became of it.
  struct Failure: Encodable {
    var error: String
    var renamedTo: String?
    var isDeleted: Bool?
  }

  /// A place on the canvas.
  struct Place: Decodable {
    var x: Double
    var y: Double

    var vector: Vector { Vector(x, y) }
  }

  /// A command by its kind, with what that kind needs.
  struct CommandMessage: Decodable {
    var kind: String
    var id: String?
    var to: String?
    var place: Place?
    var radius: Double?
    var text: String?
    var value: Bool?
    /// Screen points per canvas point.
    var zoom: Double?

    func command() throws(Problem) -> Command {
      func need<Value>(_ value: Value?, _ name: String) throws(Problem) -> Value {
        guard let value else { throw Problem("The command \(kind.prefix(40)) needs `\(name)`.") }
        return value
      }
      switch kind {
      case "addState": return .addState(center: try need(place, "place").vector, radius: radius)
      case "connect": return .connect(from: try need(id, "id"), to: try need(to, "to"))
      case "setFinal": return .setFinal(state: try need(id, "id"), try need(value, "value"))
      case "setInitial": return .setInitial(state: try need(id, "id"), try need(value, "value"))
      case "moveState":
        return .moveState(try need(id, "id"), to: try need(place, "place").vector)
      case "resizeState":
        return .resizeState(try need(id, "id"), radius: try need(radius, "radius"))
      case "bend":
        return .bend(
          transition: try need(id, "id"), through: try need(place, "place").vector)
      case "moveStart":
        return .moveStart(transition: try need(id, "id"), to: try need(place, "place").vector)
      case "moveTip":
        return .moveTip(transition: try need(id, "id"), to: try need(place, "place").vector)
      case "turnLoop":
        return .turnLoop(
          transition: try need(id, "id"), towards: try need(place, "place").vector)
      case "flip": return .flip(transition: try need(id, "id"))
      case "rename": return .rename(state: try need(id, "id"), try need(text, "text"))
      case "addSymbol":
        return .addSymbols(transition: try need(id, "id"), try need(text, "text"))
      case "setAlphabet":
        let typed = try need(text, "text")
        do { return .setAlphabet(try TypedSymbols.alphabet(typed)) } catch {
          throw Problem("\(error)")
        }
      case "removeSymbol":
        return .removeSymbol(transition: try need(id, "id"), try need(text, "text"))
      case "setEpsilon":
        return .setEpsilon(transition: try need(id, "id"), try need(value, "value"))
      case "delete":
        return .delete(
          try need(id, "id"), value == true ? .deletesAttached : .keepsDangling)
      case "clear": return .clear
      default: throw Problem("There is no command `\(kind.prefix(40))`.")
      }
    }
  }

  /// A document as it is drawn.
  struct Picture {
    var name: String
    var state: Documents.State
    /// What became of the last stroke, where there was one.
    var decision: Decision?

    init(_ name: String, _ state: Documents.State, decision: Decision? = nil) {
      (self.name, self.state, self.decision) = (name, state, decision)
    }
  }

  struct Decision {
    var text: String
    var isRefused: Bool
    /// The labels that it could be instead.
    var instead: [String]
  }

  struct Answer: Encodable {
    var bitmap: Data
    var size: Int
    var ranked: [Ranked]
    var rejection: String?
    /// Why it was rejected, for people.
    var reason: String?
    var microseconds: Double

    struct Ranked: Encodable {
      var label: String
      var probability: Double
    }

    init(_ recognition: Recognition, _ bitmap: Bitmap, microseconds: Double) {
      self.bitmap = Data(bitmap.pixels)
      size = bitmap.width
      ranked = recognition.ranked.map { .init(label: $0.label, probability: $0.probability) }
      rejection = recognition.rejection?.rawValue
      reason = recognition.rejection?.explanation
      self.microseconds = microseconds
    }
  }
}

extension Message.Picture {
  /// The picture in JSON.
  func write(to json: inout JSONWriter) {
    let document = state.session.editor.document
    let automaton = document.automaton
    let (findings, names) = (automaton.findings, automaton.shownNames)
    json.object { json in
      json.name("name")
      json.value(name)
      json.name("id")
      json.value(document.id)
      json.name("version")
      json.value(state.version)
      json.name("canUndo")
      json.value(state.session.editor.canUndo)
      json.name("canRedo")
      json.value(state.session.editor.canRedo)
      json.name("alphabet")
      json.list(automaton.alphabet) { $0.value($1) }
      let given = Set(document.givenAlphabet)
      json.name("typedAlphabet")
      json.value(TypedSymbols.text(of: document.givenAlphabet))
      json.name("otherSymbols")
      json.value(TypedSymbols.text(of: automaton.alphabet.filter { !given.contains($0) }))
      json.name("isDeterministic")
      json.value(automaton.isDeterministic)
      json.name("errors")
      json.list(findings.filter(\.isError)) { $0.value($1.message(names)) }
      json.name("warnings")
      json.list(
        findings.filter { !$0.isError }.map { $0.message(names) }
          + document.danglingTransitionDescriptions.map { "\($0) is left out" }
          + (state.problem.map { ["The last changes are not saved: \($0)."] } ?? [])
      ) { $0.value($1) }
      json.name("states")
      json.list(document.states) { Self.write($1, of: document, to: &$0) }
      json.name("transitions")
      json.list(document.transitions) { Self.write($1, of: document, to: &$0) }
      guard let decision else { return }
      json.name("decision")
      json.object { json in
        json.name("text")
        json.value(decision.text)
        json.name("isRefused")
        json.value(decision.isRefused)
        json.name("instead")
        json.list(decision.instead) { $0.value($1) }
      }
    }
  }

  private static func write(
    _ state: Document.State, of document: Document, to json: inout JSONWriter
  ) {
    json.object { json in
      json.name("id")
      json.value(state.id)
      json.name("name")
      json.value(state.name)
      json.name("center")
      write(state.center, to: &json)
      json.name("radius")
      json.value(state.radius)
      json.name("rings")
      json.list(document.rings(of: state)) { $0.value(rounded($1)) }
      json.name("textScale")
      json.value(Geometry.nameScale(of: state))
      json.name("isFinal")
      json.value(state.isFinal)
      json.name("isInitial")
      json.value(document.isInitial(state.id))
    }
  }

  private static func write(
    _ transition: Document.Transition, of document: Document, to json: inout JSONWriter
  ) {
    guard let appearance = document.appearance(of: transition) else { return }
    let paths = appearance.paths(text)
    var ends: [Vector] = []
    if case .regular(let start, let tip, _) = transition.shape { ends = [start, tip] }
    json.object { json in
      json.name("id")
      json.value(transition.id)
      if let start = transition.start {
        json.name("start")
        json.value(start)
      }
      if let end = transition.end {
        json.name("end")
        json.value(end)
      }
      json.name("line")
      json.value(paths.line)
      json.name("head")
      json.value(paths.head)
      json.name("label")
      write(appearance.label, to: &json)
      json.name("text")
      json.value(document.labelText(of: transition))
      json.name("handle")
      write(appearance.handle, to: &json)
      json.name("ends")
      json.list(ends) { write($1, to: &$0) }
      json.name("symbols")
      json.list(transition.allSymbols) { $0.value($1) }
      json.name("includesEpsilon")
      json.value(transition.includesEpsilon)
      json.name("isLoop")
      json.value(transition.isLoop)
      json.name("isInitialMarker")
      json.value(transition.isInitialMarker)
      json.name("isDangling")
      json.value(transition.isDangling)
    }
  }

  private static func write(_ place: Vector, to json: inout JSONWriter) {
    json.object { json in
      json.name("x")
      json.value(rounded(place.x))
      json.name("y")
      json.value(rounded(place.y))
    }
  }

  /// Hundredths of a canvas point are enough for the eye.
  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  private static func text(_ place: Vector) -> String {
    "\(rounded(place.x)),\(rounded(place.y))"
  }
}

extension Automaton {
  /// Returns the same automaton with short ids, for files and results that show the ids of states
  /// without a name of their own; `namesAll` gives such states their id as a name.
  func withShortIDs(namesAll: Bool) -> Automaton {
    let short = Dictionary(
      uniqueKeysWithValues: states.enumerated().map { ($1.id, "s\($0 + 1)") })
    let states = states.map { state in
      let id = short[state.id]!
      return State(
        id, name: namesAll && state.name.isEmpty ? id : state.name, isInitial: state.isInitial,
        isFinal: state.isFinal)
    }
    let transitions = transitions.enumerated().map { index, transition in
      Transition(
        "t\(index + 1)", from: short[transition.start]!, to: short[transition.end]!,
        symbols: transition.symbols, includesEpsilon: transition.includesEpsilon)
    }
    guard
      let automaton = try? Automaton(states: states, transitions: transitions, alphabet: alphabet)
    else {
      preconditionFailure("the ids are unique and known")
    }
    return automaton
  }
}
