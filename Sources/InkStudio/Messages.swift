import Automata
import AutomatonEditor
import Foundation
import InkRaster
import InkRecognizer

/// What the page sends and gets, in JSON.
enum Message {
  /// A place on the canvas.
  struct Place: Codable {
    var x: Double
    var y: Double

    init(_ vector: Vector) { (x, y) = (vector.x, vector.y) }
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

    func command() throws(Problem) -> Command {
      func need<Value>(_ value: Value?, _ name: String) throws(Problem) -> Value {
        guard let value else { throw Problem("\(kind): expected `\(name)`, found none") }
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
      case "addSymbol": return .addSymbol(transition: try need(id, "id"), try need(text, "text"))
      case "removeSymbol":
        return .removeSymbol(transition: try need(id, "id"), try need(text, "text"))
      case "setEpsilon":
        return .setEpsilon(transition: try need(id, "id"), try need(value, "value"))
      case "delete":
        return .delete(
          try need(id, "id"), value == true ? .deletesAttached : .keepsDangling)
      case "clear": return .clear
      default: throw Problem("kind: expected a command, found `\(kind)`")
      }
    }
  }

  /// A document as it is drawn.
  struct Picture: Encodable {
    struct State: Encodable {
      var id: String
      var name: String
      var center: Place
      var radius: Double
      var rings: [Double]
      var textScale: Double
      var isFinal: Bool
      var isInitial: Bool
    }

    struct Transition: Encodable {
      var id: String
      var start: String?
      var end: String?
      var line: String
      var head: String
      var label: Place
      var text: String
      var handle: Place
      var ends: [Place]
      var symbols: [String]
      var includesEpsilon: Bool
      var isLoop: Bool
      var isInitialMarker: Bool
      var isDangling: Bool
    }

    var name: String
    var version: Int
    var states: [State]
    var transitions: [Transition]
    var canUndo: Bool
    var canRedo: Bool
    var errors: [String]
    var warnings: [String]
    var isDeterministic: Bool
    var alphabet: [String]
    /// What became of the last stroke, where there was one.
    var decision: Decision?
  }

  struct Decision: Encodable {
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
      self.microseconds = microseconds
    }
  }
}

extension Message.Picture {
  init(_ name: String, _ state: Documents.State, decision: Message.Decision? = nil) {
    let document = state.session.editor.document
    let automaton = document.automaton
    func text(_ vector: Vector) -> String {
      "\((vector.x * 100).rounded() / 100),\((vector.y * 100).rounded() / 100)"
    }
    self.name = name
    version = state.version
    states = document.states.map { state in
      State(
        id: state.id, name: state.name, center: .init(state.center), radius: state.radius,
        rings: document.rings(of: state), textScale: Geometry.nameScale(of: state),
        isFinal: state.isFinal, isInitial: document.isInitial(state.id))
    }
    transitions = document.transitions.compactMap { transition in
      guard let appearance = document.appearance(of: transition) else { return nil }
      var line = "M\(text(appearance.curves[0].start))"
      for curve in appearance.curves {
        line += " C\(text(curve.controls.0)) \(text(curve.controls.1)) \(text(curve.end))"
      }
      var ends: [Message.Place] = []
      if case .regular(let start, let tip, _) = transition.shape {
        ends = [.init(start), .init(tip)]
      }
      return Transition(
        id: transition.id, start: transition.start, end: transition.end, line: line,
        head: "M\(appearance.head.map(text).joined(separator: " L"))",
        label: .init(appearance.label), text: document.labelText(of: transition),
        handle: .init(appearance.handle), ends: ends, symbols: transition.allSymbols,
        includesEpsilon: transition.includesEpsilon, isLoop: transition.isLoop,
        isInitialMarker: transition.isInitialMarker, isDangling: transition.isDangling)
    }
    canUndo = state.session.editor.canUndo
    canRedo = state.session.editor.canRedo
    let (findings, names) = (automaton.findings, automaton.shownNames)
    errors = findings.filter(\.isError).map { $0.words(names) }
    warnings =
      findings.filter { !$0.isError }.map { $0.words(names) }
      + (document.danglingTransitions.isEmpty
        ? [] : ["\(document.danglingTransitions.count) loose arrows are left out"])
    isDeterministic = automaton.isDeterministic
    alphabet = automaton.alphabet
    self.decision = decision
  }
}
