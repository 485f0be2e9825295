import Foundation
import XMLTree

/// JFLAP's file format (version 7; older files lack the element `automaton`).
///
/// Machines beyond finite automata are read and written by ``JFLAPMachines``, and the files of JFLAP 8
/// are read by ``JFLAP8``.
///
/// A label of several characters reads them one after the other: `ab` means a, then b
/// (``LabelSyntax/jflap``). The element `alphabet`, which JFLAP ignores, lists the symbols that no
/// transition reads.
enum JFLAP {
  static func read(_ data: Data, name: String) throws(AutomatonError) -> PlacedAutomaton {
    let root: XMLElementTree
    do {
      root = try XMLTreeParser().parse(data)
    } catch {
      throw AutomatonError(
        at: "\(name), line \(error.line)", expected: error.expected, found: error.found)
    }
    let file = XMLFile(name: name)
    guard root.name == "structure" else {
      throw file.refusal(root, "JFLAP's element `structure`", "`\(root.name)`")
    }
    if root.attributes["type"] != nil { return try JFLAP8.read(root, of: file) }
    let typed = root.children(named: "type").first?.trimmedText
    let type = typed ?? "fa"
    let kind = JFLAPMachines.types.first { $0.names.contains(type) }?.kind
    guard kind != nil || type == "fa" else {
      let types = JFLAPMachines.types.flatMap(\.names).joined(separator: ", ")
      throw file.refusal(root, "a JFLAP type: fa, \(types)", "`\(type)`")
    }
    let parent = root.children(named: "automaton").first ?? root

    var builder = AutomatonBuilder(file: name)
    var places: [String: PlacedAutomaton.Place] = [:]
    var stateLabels: [String: String] = [:]
    // JFLAP 7 calls the states of Turing machines blocks.
    let blocks = kind == .turing ? parent.children(named: "block") : []
    let states = parent.children(named: "state") + blocks
    guard typed != nil || !(states + parent.children(named: "transition")).isEmpty else {
      throw file.refusal(root, "JFLAP's elements `type` or `state`", "neither")
    }
    let contents = kind == .turing ? JFLAPMachines.contents(of: root) : []
    func givenName(of element: XMLElementTree) -> String {
      element.children(named: "name").first?.text ?? element.attributes["name"] ?? ""
    }
    var taken = Set(states.map(givenName))
    for element in states {
      guard let id = element.attributes["id"], !id.isEmpty else {
        throw file.refusal(element, "a state with an id", "none")
      }
      guard !builder.contains(id) else {
        throw file.refusal(element, "a unique id", "another state `\(id)`")
      }
      if kind == .turing { try JFLAPMachines.check(element, contents, file) }
      // JFLAP shows a state without a name by its id.
      var name = givenName(of: element)
      if name.isEmpty { name = Automaton.freeName("q\(id)", besides: &taken) }
      if kind == .moore {
        do { name = try JFLAPMachines.name(name, of: element) } catch {
          throw file.refusal(element, error.expected, error.found)
        }
      }
      builder.state(id) { [name] state in
        state.name = name
        state.isInitial = !element.children(named: "initial").isEmpty
        state.isFinal = !element.children(named: "final").isEmpty
      }
      places[id] = try file.place(of: element)
      if let label = element.children(named: "label").first?.text, !label.isEmpty {
        stateLabels[id] = label
      }
    }
    for alphabet in root.children(named: "alphabet") {
      builder.alphabet += alphabet.children(named: "symbol").map(\.text).filter { !$0.isEmpty }
    }
    var controlPoints: [String: PlacedAutomaton.Place] = [:]
    for element in parent.children(named: "transition") {
      func end(_ name: String) throws(AutomatonError) -> String {
        guard let id = element.children(named: name).first?.trimmedText else {
          throw file.refusal(element, "a transition with `\(name)`", "none")
        }
        guard builder.contains(id) else { throw file.refusal(element, "a state `\(id)`", "none") }
        return id
      }
      let (start, target) = (try end("from"), try end("to"))
      var label = element.children(named: "read").first?.text ?? ""
      if let kind {
        do { label = try JFLAPMachines.rule(of: element, kind).text } catch {
          throw file.refusal(element, error.expected, error.found)
        }
      } else if label.count > 1 {
        builder.labelSyntax = .jflap
      }
      let id = builder.transition(start, target, symbol: label.isEmpty ? nil : label)
      if controlPoints[id] == nil {
        controlPoints[id] = try file.place(of: element, "controlx", "controly")
      }
    }
    var drawn = PlacedAutomaton(automaton: try builder.automaton(), places: places, kind: kind)
    try drawn.automaton.checkLabels(at: name)
    drawn.stateLabels = stateLabels
    drawn.controlPoints = controlPoints
    for element in parent.children(named: "note") {
      guard let text = element.children(named: "text").first?.text else { continue }
      drawn.notes.append(PlacedAutomaton.Note(text, at: try file.place(of: element)))
    }
    return drawn
  }

  /// Returns the file of an automaton.
  ///
  /// - Throws: `AutomatonError` for characters that XML does not allow, and for symbols of several
  ///   characters, which JFLAP would read as several symbols.
  static func write(_ drawn: PlacedAutomaton) throws(AutomatonError) -> String {
    let automaton = drawn.automaton
    if drawn.kind == nil, automaton.labelSyntax == .symbols,
      let symbol = automaton.longSymbols.first
    {
      throw AutomatonError(
        at: "JFLAP format",
        expected: "symbols of one character, because JFLAP reads `\(symbol)` as "
          + "\(symbol.prefix(8).map(String.init).joined(separator: ", then ")) (rename the symbol, or "
          + "use another format: .automaton, .dot or .txt)", found: "the symbol `\(symbol)`")
    }
    let numbers = Dictionary(
      uniqueKeysWithValues: zip(automaton.states.map(\.id), automaton.stateNumbers))
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>", "<structure>",
      "  <type>\(JFLAPMachines.types.first { $0.kind == drawn.kind }?.names[0] ?? "fa")</type>",
      "  <automaton>",
    ]
    let machine = try drawn.machine
    let names = automaton.stateNames
    for (index, state) in automaton.states.enumerated() {
      let place = drawn.places[state.id] ?? circle(index, of: automaton.states.count)
      let name = machine?.kind == .moore ? MooreName(names[index]).name : names[index]
      lines.append("    <state id=\"\(numbers[state.id]!)\" name=\"\(try escaped(name))\">")
      lines.append("      <x>\(place.x)</x>")
      lines.append("      <y>\(place.y)</y>")
      if let label = drawn.stateLabels[state.id] {
        lines.append("      <label>\(try escaped(label))</label>")
      }
      if state.isInitial { lines.append("      <initial/>") }
      if state.isFinal { lines.append("      <final/>") }
      if let output = machine?.outputs[state.id] {
        lines.append("      <output>\(try escaped(output))</output>")
      }
      lines.append("    </state>")
    }
    /// Writes a transition with its elements and their contents.
    func write(
      _ id: String, from start: String, to end: String,
      _ elements: [(name: String, content: String)]
    ) throws(AutomatonError) {
      lines.append("    <transition>")
      lines.append("      <from>\(numbers[start]!)</from>")
      lines.append("      <to>\(numbers[end]!)</to>")
      for (element, content) in elements {
        lines.append(
          content.isEmpty
            ? "      <\(element)/>" : "      <\(element)>\(try escaped(content))</\(element)>")
      }
      if let point = drawn.controlPoints[id] {
        // JFLAP reads whole numbers here.
        lines.append("      <controlx>\(whole(point.x))</controlx>")
        lines.append("      <controly>\(whole(point.y))</controly>")
      }
      lines.append("    </transition>")
    }
    for transition in machine?.transitions ?? [] {
      for rule in transition.rules {
        try write(
          transition.id, from: transition.start, to: transition.end,
          JFLAPMachines.elements(of: rule))
      }
    }
    for transition in machine == nil ? automaton.transitions : [] {
      for symbol in transition.symbols + (transition.includesEpsilon ? [""] : []) {
        try write(
          transition.id, from: transition.start, to: transition.end, [("read", symbol)])
      }
    }
    for note in drawn.notes {
      lines.append("    <note>")
      lines.append("      <text>\(try escaped(note.text, keepsLines: true))</text>")
      if let place = note.place {
        lines.append("      <x>\(place.x)</x>")
        lines.append("      <y>\(place.y)</y>")
      }
      lines.append("    </note>")
    }
    lines.append("  </automaton>")
    let unread = machine == nil ? automaton.unreadSymbols : []
    if !unread.isEmpty {
      lines.append("  <alphabet>")
      for symbol in unread { lines.append("    <symbol>\(try escaped(symbol))</symbol>") }
      lines.append("  </alphabet>")
    }
    return (lines + ["</structure>", ""]).joined(separator: "\n")
  }

  /// Returns a coordinate as a whole number of canvas points.
  private static func whole(_ value: Double) -> Int32 {
    Int32(max(Double(Int32.min), min(Double(Int32.max), value.rounded())))
  }

  /// Returns a position on a circle, for states without positions.
  private static func circle(_ index: Int, of count: Int) -> PlacedAutomaton.Place {
    let radius = max(100, 30 * Double(count))
    let angle = 2 * Double.pi * Double(index) / Double(max(1, count))
    return PlacedAutomaton.Place(
      x: (radius * (1.2 - cos(angle))).rounded(), y: (radius * (1.2 - sin(angle))).rounded())
  }

  private static func escaped(
    _ text: String, keepsLines: Bool = false
  ) throws(AutomatonError) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where keepsLines: escaped += "\n"
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      // XML 1.0, section 2.2.
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}":
        throw AutomatonError(
          at: "JFLAP format", expected: "characters that XML allows",
          found: "the control character \(scalar.value)")
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// An XML file of JFLAP, with its name in messages.
struct XMLFile {
  var name: String

  /// Returns the error for `found` instead of `expected` at an element.
  func refusal(
    _ element: XMLElementTree, _ expected: String, _ found: String
  ) -> AutomatonError {
    AutomatonError(at: "\(name), line \(element.line)", expected: expected, found: found)
  }

  /// Returns the position in two children of an element, or `nil` if one is missing or no number.
  ///
  /// - Throws: `AutomatonError` for a number that is not finite.
  func place(
    of element: XMLElementTree, _ x: String = "x", _ y: String = "y"
  ) throws(AutomatonError) -> PlacedAutomaton.Place? {
    let coordinates = [x, y].map { name in
      element.children(named: name).first.flatMap { Double($0.trimmedText) }
    }
    guard let x = coordinates[0], let y = coordinates[1] else { return nil }
    guard x.isFinite, y.isFinite else {
      throw refusal(element, "finite coordinates", "\(x), \(y)")
    }
    return PlacedAutomaton.Place(x: x, y: y)
  }
}
