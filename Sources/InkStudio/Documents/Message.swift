import Automata
import AutomatonEditor
import Foundation
import Ink
import InkRaster
import InkRecognizer

/// The requests of the page and the answers, in JSON.
enum Message {
  /// An error, with what the page needs to ask what to do.
  struct Failure: Encodable {
    var error: String
    var renamedTo: String?
    var isDeleted: Bool?
    /// What a document does not say, as clauses; the request can be sent again with `anyway=true`.
    var missing: [String]?
    /// A name that is valid and not used.
    var freeName: String?
  }

  /// A position on the canvas.
  struct Place: Decodable {
    var x: Double
    var y: Double

    var vector: Vector { Vector(x, y) }
  }

  /// The ids of some elements.
  struct Chosen: Decodable {
    var ids: [String]
  }

  /// A command: its kind and the values that this kind needs.
  struct CommandMessage: Decodable {
    var kind: String
    var id: String?
    var ids: [String]?
    var to: String?
    var number: Int?
    var place: Place?
    var radius: Double?
    var text: String?
    var value: Bool?
    /// Screen points per canvas point.
    var zoom: Double?

    func command() throws(StudioError) -> Command {
      func need<Value>(_ value: Value?, _ name: String) throws(StudioError) -> Value {
        guard let value else {
          throw StudioError("The command \(kind.prefix(40)) needs `\(name)`.")
        }
        return value
      }
      func id() throws(StudioError) -> String { try need(self.id, "id") }
      func text() throws(StudioError) -> String { try need(self.text, "text") }
      func value() throws(StudioError) -> Bool { try need(self.value, "value") }
      func place() throws(StudioError) -> Vector { try need(self.place, "place").vector }
      switch kind {
      case "addState": return .addState(center: try place(), radius: radius)
      case "connect": return .connect(from: try id(), to: try need(to, "to"))
      case "setFinal": return .setFinal(state: try id(), try value())
      case "setInitial": return .setInitial(state: try id(), try value())
      case "moveState": return .moveState(try id(), to: try place())
      case "move": return .move(try need(ids, "ids"), by: try place())
      case "arrange":
        let wish = try text()
        guard let arrangement = Arrangement(rawValue: wish) else {
          throw StudioError("There is no arrangement `\(wish.prefix(40))`.")
        }
        return .arrange(try need(ids, "ids"), arrangement)
      case "insert":
        let (text, place) = (try text(), try place())
        let copied: Document
        do { copied = try DocumentFile.read(Data(text.utf8), name: "clipboard") } catch {
          throw StudioError("The clipboard contains no states and arrows: \(error)")
        }
        return .insert(copied, by: place)
      case "resizeState": return .resizeState(try id(), radius: try need(radius, "radius"))
      case "bend": return .bend(transition: try id(), through: try place())
      case "moveStart": return .moveStart(transition: try id(), to: try place())
      case "moveTip": return .moveTip(transition: try id(), to: try place())
      case "turnLoop": return .turnLoop(transition: try id(), towards: try place())
      case "flip": return .flip(transition: try id())
      case "rename": return .rename(state: try id(), try text())
      case "setKind":
        let wish = try text()
        guard wish != Constants.finiteKind else { return .setKind(nil) }
        guard let kind = Machine.Kind(rawValue: wish) else {
          throw StudioError("There is no kind `\(wish.prefix(40))` of automata.")
        }
        return .setKind(kind)
      case "setSymbols": return .setSymbols(transition: try id(), try text())
      case "setAlphabet":
        let typed = try text()
        do { return .setAlphabet(try TypedSymbols.alphabet(typed)) } catch {
          throw StudioError("\(error)")
        }
      case "convertInk":
        let label = try text()
        guard let drawn = DrawnClass(rawValue: label) else {
          throw StudioError("A stroke cannot become `\(label.prefix(40))`.")
        }
        return .convertInk(try need(number, "number"), drawn)
      case "deleteInk": return .deleteInk(try need(number, "number"))
      case "delete":
        let ids = if let ids { ids } else { [try id()] }
        return .delete(Set(ids), self.value == true ? .deletesAttached : .keepsDangling)
      case "clear": return .clear
      default: throw StudioError("There is no command `\(kind.prefix(40))`.")
      }
    }
  }

  /// A document with everything that the page needs to draw it.
  struct Picture {
    var name: String
    var state: Documents.State
    /// The decision about the last stroke, if the request has one.
    var decision: Decision?

    init(_ name: String, _ state: Documents.State, decision: Decision? = nil) {
      (self.name, self.state, self.decision) = (name, state, decision)
    }
  }

  /// A file that became a document.
  struct Opened: Encodable {
    var name: String
    /// The photograph of which the document was made, if it was.
    var photograph: Photograph?
    /// What a person should know about how it was read, in sentences.
    var remarks: [String] = []

    struct Photograph: Encodable {
      /// Its size in pixels, upright as the camera says.
      var width: Int
      var height: Int
      /// The map from its pixels to the canvas, as ``Transform/matrix``.
      var matrix: [Double]
    }
  }

  struct Decision {
    var text: String
    var isRefused: Bool
    /// The other labels that the stroke could have.
    var instead: [String]
  }

  struct Recognized: Encodable {
    /// The picture that the network sees; empty if it sees none.
    var bitmap: Data
    var size: Int
    var ranked: [Ranked]
    var rejection: String?
    /// The reason for the rejection, as text.
    var reason: String?
    var microseconds: Double

    struct Ranked: Encodable {
      var label: String
      var probability: Double
    }

    init(_ recognition: Recognition, _ bitmap: Bitmap?, microseconds: Double) {
      self.bitmap = Data(bitmap?.pixels ?? [])
      size = bitmap?.width ?? 0
      ranked = recognition.ranked.map { .init(label: $0.label, probability: $0.probability) }
      rejection = recognition.rejection?.rawValue
      reason = recognition.rejection?.explanation
      self.microseconds = microseconds
    }
  }
}

extension Message.Picture {
  /// Writes the document as JSON.
  func write(to json: inout JSONWriter) {
    let document = state.session.editor.document
    let automaton = document.automaton
    let names = automaton.shownNames
    let report = Report(of: document, automaton)
    let initial = Set(automaton.initialStates)
    json.object { json in
      json.member("name", name)
      json.member("id", document.id)
      json.name("version")
      json.value(state.version)
      json.member("canUndo", state.session.editor.canUndo)
      json.member("canRedo", state.session.editor.canRedo)
      json.member("kind", document.kind?.rawValue ?? Constants.finiteKind)
      json.member("alphabet", report.symbols)
      let given = Set(document.givenAlphabet)
      json.member("typedAlphabet", TypedSymbols.text(of: document.givenAlphabet))
      json.member(
        "otherSymbols", TypedSymbols.text(of: report.symbols.filter { !given.contains($0) }))
      json.member("isDeterministic", report.isDeterministic)
      json.name("errors")
      json.list(report.errors) { $0.value($1) }
      json.name("warnings")
      json.list(
        report.warnings
          + document.danglingTransitionDescriptions(names).map { "\($0) is left out" }
      ) { $0.value($1) }
      if let problem = state.problem { json.member("unsaved", problem) }
      if let taken = state.session.takenBack {
        json.name("takenBack")
        json.object { json in
          json.name("number")
          json.value(taken.number)
          json.member("changes", taken.changes)
          json.member("canRestore", state.session.canRestore)
        }
      }
      json.name("states")
      json.list(document.states) { json, state in
        Self.write(state, isInitial: initial.contains(state.id), of: document, to: &json)
      }
      json.name("transitions")
      json.list(document.transitions) { Self.write($1, of: document, to: &$0) }
      json.name("ink")
      json.list(document.ink + state.session.refusedInk) { $0.value(Self.line($1)) }
      json.name("refusedCount")
      json.value(state.session.refusedInk.count)
      json.member("isUnread", state.session.needsSettling)
      json.name("uncertain")
      json.list(
        state.session.uncertain.filter { [.name, .symbols].contains($0.property) }
      ) { json, one in
        json.object { json in
          json.member("element", one.element)
          json.member("text", one.value)
          json.member("others", one.alternatives.prefix(Self.maximumOthers).map(\.value))
        }
      }
      guard let decision else { return }
      json.name("decision")
      json.object { json in
        json.member("text", decision.text)
        json.member("isRefused", decision.isRefused)
        json.member("instead", decision.instead)
      }
    }
  }

  /// What the page says about a document.
  private struct Report {
    var symbols: [String]
    var isDeterministic: Bool
    var errors: [String]
    var warnings: [String]

    init(of document: Document, _ automaton: Automaton) {
      guard let kind = document.kind else {
        let (findings, names) = (automaton.findings, automaton.shownNames)
        (symbols, isDeterministic) = (automaton.alphabet, automaton.isDeterministic)
        errors = findings.filter(\.isError).map { $0.message(names) }
        warnings = findings.filter { !$0.isError }.map { $0.message(names) }
        return
      }
      let machine = try? Machine(automaton, kind: kind)
      symbols = machine?.inputSymbols ?? []
      isDeterministic = machine?.conflicts.isEmpty ?? true
      (errors, warnings) = Machine.findings(
        of: automaton, kind, acceptance: document.acceptance)
    }
  }

  /// The number of alternatives that the page offers for an uncertain name or list of symbols.
  private static let maximumOthers = 3

  /// Returns a stroke as the path of an SVG; a dot is a short line, so that it can be seen.
  private static func line(_ stroke: Stroke) -> String {
    let points = stroke.points.map { Vector($0) }
    return "M" + (points.count == 1 ? points + points : points).map(text).joined(separator: "L")
  }

  private static func write(
    _ state: Document.State, isInitial: Bool, of document: Document, to json: inout JSONWriter
  ) {
    json.object { json in
      json.member("id", state.id)
      json.member("name", state.name)
      json.name("center")
      write(state.center, to: &json)
      json.member("radius", state.radius)
      json.name("rings")
      json.list(document.rings(of: state)) { $0.value(rounded($1)) }
      json.member("shown", Self.parts(of: state.name))
      json.member("textScale", Geometry.nameScale(of: state))
      json.member("isFinal", state.isFinal)
      json.member("isInitial", isInitial)
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
      json.member("id", transition.id)
      if let start = transition.start {
        json.member("start", start)
      }
      if let end = transition.end {
        json.member("end", end)
      }
      json.member("line", paths.line)
      json.member("head", paths.head)
      json.name("label")
      write(appearance.label, to: &json)
      json.member("text", document.labelText(of: transition))
      json.name("lines")
      json.list(document.labelLines(of: transition)) { json, line in
        json.list(Self.parts(of: line)) { $0.value($1) }
      }
      json.member("typed", Self.typed(transition, of: document))
      json.name("handle")
      write(appearance.handle, to: &json)
      json.name("ends")
      json.list(ends) { write($1, to: &$0) }
      json.member("symbols", transition.allSymbols)
      json.member("includesEpsilon", transition.includesEpsilon)
      json.member("isLoop", transition.isLoop)
      json.member("isInitialMarker", transition.isInitialMarker)
      json.member("isDangling", transition.isDangling)
    }
  }

  /// Returns the label of a transition as it is typed.
  private static func typed(_ transition: Document.Transition, of document: Document) -> String {
    guard document.kind == nil else { return document.labelText(of: transition) }
    let typed = TypedSymbols.text(of: transition.allSymbols)
    return transition.includesEpsilon ? typed + (typed.isEmpty ? "ε" : ", ε") : typed
  }

  /// Returns text on the line and indices in turn, from the text on: nothing starts with an index.
  private static func parts(of text: String) -> [String] { ShownText(text).parts.map(\.text) }

  private static func write(_ place: Vector, to json: inout JSONWriter) {
    json.object { json in
      json.member("x", rounded(place.x))
      json.member("y", rounded(place.y))
    }
  }

  /// Returns a coordinate rounded to hundredths of a canvas point, which are too small to see.
  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  private static func text(_ place: Vector) -> String {
    "\(rounded(place.x)),\(rounded(place.y))"
  }
}

extension Automaton {
  /// Returns the same automaton with short ids and with a name for each state, for results whose names
  /// are sets of names.
  func withShortIDs() -> Automaton {
    let names = shownNames
    let short = Dictionary(
      uniqueKeysWithValues: states.enumerated().map { ($1.id, "s\($0 + 1)") })
    let states = states.map { state in
      let id = short[state.id]!
      return State(
        id, name: names.state(state.id), isInitial: state.isInitial,
        isFinal: state.isFinal)
    }
    let transitions = transitions.enumerated().map { index, transition in
      Transition(
        "t\(index + 1)", from: short[transition.start]!, to: short[transition.end]!,
        symbols: transition.symbols, includesEpsilon: transition.includesEpsilon)
    }
    guard
      let automaton = try? Automaton(
        states: states, transitions: transitions, alphabet: alphabet, labelSyntax: labelSyntax)
    else {
      preconditionFailure("the ids are unique and known")
    }
    return automaton
  }
}
