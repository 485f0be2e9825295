import Foundation
import XMLTree

/// JFLAP's file of a finite automaton (version 7; older ones lack the element `automaton`).
enum JFLAP {
  static func read(_ data: Data, name: String) throws(AutomatonError) -> Drawn {
    let root: XMLElementTree
    do {
      root = try XMLTreeParser().parse(data)
    } catch {
      throw AutomatonError(
        at: "\(name), line \(error.line)", expected: error.expected, found: error.found)
    }
    func refuse(_ element: XMLElementTree, _ expected: String, _ found: String) -> AutomatonError {
      AutomatonError(at: "\(name), line \(element.line)", expected: expected, found: found)
    }
    guard root.name == "structure" else {
      throw refuse(root, "JFLAP's element `structure`", "`\(root.name)`")
    }
    let type = root.children(named: "type").first?.trimmedText ?? "fa"
    guard type == "fa" else { throw refuse(root, "a finite automaton, type fa", "type \(type)") }
    let parent = root.children(named: "automaton").first ?? root

    var builder = AutomatonBuilder(file: name)
    var places: [String: Drawn.Place] = [:]
    for element in parent.children(named: "state") {
      guard let id = element.attributes["id"], !id.isEmpty else {
        throw refuse(element, "a state with an id", "none")
      }
      guard !builder.contains(id) else {
        throw refuse(element, "an id of its own", "another state `\(id)`")
      }
      builder.state(id) { state in
        state.name = element.attributes["name"] ?? ""
        state.isInitial = !element.children(named: "initial").isEmpty
        state.isFinal = !element.children(named: "final").isEmpty
      }
      let coordinates = ["x", "y"].map { name in
        element.children(named: name).first.flatMap { Double($0.trimmedText) }
      }
      if let x = coordinates[0], let y = coordinates[1] {
        guard x.isFinite, y.isFinite else {
          throw refuse(element, "finite coordinates", "\(x), \(y)")
        }
        places[id] = Drawn.Place(x: x, y: y)
      }
    }
    for element in parent.children(named: "transition") {
      func end(_ name: String) throws(AutomatonError) -> String {
        guard let id = element.children(named: name).first?.trimmedText else {
          throw refuse(element, "a transition with `\(name)`", "none")
        }
        guard builder.contains(id) else { throw refuse(element, "a state `\(id)`", "none") }
        return id
      }
      let symbol = element.children(named: "read").first?.text ?? ""
      builder.transition(
        try end("from"), try end("to"), symbol: symbol.isEmpty ? nil : symbol)
    }
    return Drawn(automaton: try builder.automaton(), places: places)
  }

  /// - Throws: `AutomatonError` for texts that no XML document may hold.
  static func write(_ drawn: Drawn) throws(AutomatonError) -> String {
    // JFLAP's ids are numbers.
    let numbers = Dictionary(
      uniqueKeysWithValues: drawn.automaton.states.enumerated().map { ($1.id, $0) })
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>", "<structure>",
      "  <type>fa</type>", "  <automaton>",
    ]
    for (index, state) in drawn.automaton.states.enumerated() {
      let place = drawn.places[state.id] ?? circle(index, of: drawn.automaton.states.count)
      lines.append("    <state id=\"\(index)\" name=\"\(try escaped(state.name))\">")
      lines.append("      <x>\(place.x)</x>")
      lines.append("      <y>\(place.y)</y>")
      if state.isInitial { lines.append("      <initial/>") }
      if state.isFinal { lines.append("      <final/>") }
      lines.append("    </state>")
    }
    for transition in drawn.automaton.transitions {
      let symbols = transition.symbols + (transition.includesEpsilon ? [""] : [])
      for symbol in symbols {
        lines.append("    <transition>")
        lines.append("      <from>\(numbers[transition.start]!)</from>")
        lines.append("      <to>\(numbers[transition.end]!)</to>")
        lines.append(symbol.isEmpty ? "      <read/>" : "      <read>\(try escaped(symbol))</read>")
        lines.append("    </transition>")
      }
    }
    return (lines + ["  </automaton>", "</structure>", ""]).joined(separator: "\n")
  }

  /// States of which nobody knows where they stand stand in a circle.
  private static func circle(_ index: Int, of count: Int) -> Drawn.Place {
    let radius = max(100, 30 * Double(count))
    let angle = 2 * Double.pi * Double(index) / Double(max(1, count))
    return Drawn.Place(
      x: (radius * (1.2 - cos(angle))).rounded(), y: (radius * (1.2 - sin(angle))).rounded())
  }

  private static func escaped(_ text: String) throws(AutomatonError) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      // XML 1.0, section 2.2.
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}":
        throw AutomatonError(
          at: "JFLAP form", expected: "texts that XML can hold",
          found: "the control character \(scalar.value)")
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
