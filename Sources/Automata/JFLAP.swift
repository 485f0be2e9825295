import Foundation
import XMLTree

/// JFLAP's file format (version 7; older files lack the element `automaton`).
///
/// Machines beyond finite automata are read and written by ``JFLAPMachines``.
///
/// In JFLAP, a label of several characters reads them one after the other: `ab` means a, then b.
/// Such a label becomes a chain of transitions through new states. The element `alphabet`, which
/// JFLAP ignores, lists the symbols that no transition reads.
enum JFLAP {
  static func read(_ data: Data, name: String) throws(AutomatonError) -> PlacedAutomaton {
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
    let kind = JFLAPMachines.types.first { $0.name == type }?.kind
    guard kind != nil || type == "fa" else {
      throw refuse(
        root, "a type: fa, \(JFLAPMachines.types.map(\.name).joined(separator: ", "))",
        "type \(type)")
    }
    let parent = root.children(named: "automaton").first ?? root

    var builder = AutomatonBuilder(file: name)
    var places: [String: PlacedAutomaton.Place] = [:]
    // JFLAP 7 calls the states of Turing machines blocks.
    let blocks = kind == .turing ? parent.children(named: "block") : []
    for element in parent.children(named: "state") + blocks {
      guard let id = element.attributes["id"], !id.isEmpty else {
        throw refuse(element, "a state with an id", "none")
      }
      guard !builder.contains(id) else {
        throw refuse(element, "a unique id", "another state `\(id)`")
      }
      var name = element.attributes["name"] ?? ""
      if kind == .moore {
        do { name = try JFLAPMachines.name(of: element) } catch {
          throw refuse(element, error.expected, error.found)
        }
      }
      builder.state(id) { [name] state in
        state.name = name
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
        places[id] = PlacedAutomaton.Place(x: x, y: y)
      }
    }
    for alphabet in root.children(named: "alphabet") {
      builder.alphabet += alphabet.children(named: "symbol").map(\.text).filter { !$0.isEmpty }
    }
    var chains = Chains(names: builder.names)
    for element in parent.children(named: "transition") {
      func end(_ name: String) throws(AutomatonError) -> String {
        guard let id = element.children(named: name).first?.trimmedText else {
          throw refuse(element, "a transition with `\(name)`", "none")
        }
        guard builder.contains(id) else { throw refuse(element, "a state `\(id)`", "none") }
        return id
      }
      let (start, target) = (try end("from"), try end("to"))
      if let kind {
        let rule: MachineRule
        do { rule = try JFLAPMachines.rule(of: element, kind) } catch {
          throw refuse(element, error.expected, error.found)
        }
        builder.transition(start, target, symbol: rule.text)
        continue
      }
      let label = element.children(named: "read").first?.text ?? ""
      if label.count > 1 {
        chains.add(label, from: start, to: target, &builder, &places)
      } else {
        builder.transition(start, target, symbol: label.isEmpty ? nil : label)
      }
    }
    return PlacedAutomaton(automaton: try builder.automaton(), places: places, kind: kind)
  }

  /// The chains of new states for labels of several characters.
  private struct Chains {
    /// The number of chains between two states, in both directions.
    private var counts: [Set<String>: Int] = [:]
    /// The chains that were added: start, end and label.
    private var known: Set<[String]> = []
    /// The names and ids of all states.
    private var taken: Set<String>
    private let names: [String: String]
    private var nameCounts: [String: Int] = [:]
    /// The distance between chains of the same two states, in canvas points.
    private static let distance = 60.0

    /// Creates a set of chains; `names` are the names of the existing states by id.
    init(names: [String: String]) {
      self.names = names
      taken = Set(names.keys).union(names.values)
    }

    /// Adds transitions that read the characters of `label` one by one.
    mutating func add(
      _ label: String, from start: String, to end: String, _ builder: inout AutomatonBuilder,
      _ places: inout [String: PlacedAutomaton.Place]
    ) {
      guard known.insert([start, end, label]).inserted else { return }
      let symbols = label.map(String.init)
      let number = counts[[start, end], default: 0]
      counts[[start, end]] = number + 1
      var previous = start
      for (index, symbol) in symbols.enumerated() {
        guard index + 1 < symbols.count else {
          builder.transition(previous, end, symbol: symbol)
          return
        }
        let name = freeName(symbols[...index], after: start)
        builder.state(name)
        if let from = places[start], let to = places[end] {
          let share = Double(index + 1) / Double(symbols.count)
          places[name] = Self.place(share, from: from, to: to, aside: number, isAhead: start < end)
        }
        builder.transition(previous, name, symbol: symbol)
        previous = name
      }
    }

    /// Returns a name for a state of a chain: the name of the first state and the symbols read.
    private mutating func freeName(
      _ symbols: ArraySlice<String>, after start: String
    ) -> String {
      let read = symbols.count <= 8 ? symbols.joined() : "\(symbols.count)"
      let base = "\((names[start] ?? start).prefix(40)).\(read)"
      while true {
        let number = nameCounts[base, default: 0]
        nameCounts[base] = number + 1
        let name = number == 0 ? base : "\(base).\(number + 1)"
        if taken.insert(name).inserted { return name }
      }
    }

    /// Returns a position on the line between two states, beside it for further chains, or on a
    /// circle above the state for a self-loop.
    private static func place(
      _ share: Double, from: PlacedAutomaton.Place, to: PlacedAutomaton.Place, aside number: Int,
      isAhead: Bool
    ) -> PlacedAutomaton.Place {
      let (x, y) = (to.x - from.x, to.y - from.y)
      let length = (x * x + y * y).squareRoot()
      guard length > 0 else {
        let radius = distance * Double(number + 1)
        let angle = 2 * Double.pi * share
        return PlacedAutomaton.Place(
          x: from.x + radius * sin(angle), y: from.y - radius * (1 - cos(angle)))
      }
      let side = Double((number + 1) / 2) * (number.isMultiple(of: 2) ? -1 : 1)
      let aside = distance * side * (isAhead ? 1 : -1) / length
      return PlacedAutomaton.Place(
        x: from.x + x * share - y * aside, y: from.y + y * share + x * aside)
    }
  }

  /// Returns the file of an automaton.
  ///
  /// - Throws: `AutomatonError` for characters that XML does not allow, and for symbols of several
  ///   characters, which JFLAP would read as several symbols.
  static func write(_ drawn: PlacedAutomaton) throws(AutomatonError) -> String {
    if drawn.kind == nil, let symbol = drawn.automaton.longSymbols.first {
      throw AutomatonError(
        at: "JFLAP format",
        expected: "symbols of one character, because JFLAP reads `\(symbol)` as "
          + "\(symbol.prefix(8).map(String.init).joined(separator: ", then ")) (rename the symbol, or "
          + "use another format: .automaton, .dot or .txt)", found: "the symbol `\(symbol)`")
    }
    // JFLAP's ids are numbers.
    let numbers = Dictionary(
      uniqueKeysWithValues: drawn.automaton.states.enumerated().map { ($1.id, $0) })
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>", "<structure>",
      "  <type>\(JFLAPMachines.types.first { $0.kind == drawn.kind }?.name ?? "fa")</type>",
      "  <automaton>",
    ]
    let machine = try drawn.kind.map { kind throws(AutomatonError) in
      try Machine(drawn.automaton, kind: kind)
    }
    for (index, state) in drawn.automaton.states.enumerated() {
      let place = drawn.places[state.id] ?? circle(index, of: drawn.automaton.states.count)
      let name = machine?.kind == .moore ? MooreName(state.name).name : state.name
      lines.append("    <state id=\"\(index)\" name=\"\(try escaped(name))\">")
      lines.append("      <x>\(place.x)</x>")
      lines.append("      <y>\(place.y)</y>")
      if state.isInitial { lines.append("      <initial/>") }
      if state.isFinal { lines.append("      <final/>") }
      if let output = machine?.outputs[state.id] {
        lines.append("      <output>\(try escaped(output))</output>")
      }
      lines.append("    </state>")
    }
    for transition in machine?.transitions ?? [] {
      for rule in transition.rules {
        lines.append("    <transition>")
        lines.append("      <from>\(numbers[transition.start]!)</from>")
        lines.append("      <to>\(numbers[transition.end]!)</to>")
        for (element, content) in JFLAPMachines.elements(of: rule) {
          lines.append(
            content.isEmpty
              ? "      <\(element)/>" : "      <\(element)>\(try escaped(content))</\(element)>")
        }
        lines.append("    </transition>")
      }
    }
    for transition in machine == nil ? drawn.automaton.transitions : [] {
      let symbols = transition.symbols + (transition.includesEpsilon ? [""] : [])
      for symbol in symbols {
        lines.append("    <transition>")
        lines.append("      <from>\(numbers[transition.start]!)</from>")
        lines.append("      <to>\(numbers[transition.end]!)</to>")
        lines.append(symbol.isEmpty ? "      <read/>" : "      <read>\(try escaped(symbol))</read>")
        lines.append("    </transition>")
      }
    }
    lines.append("  </automaton>")
    let unread = machine == nil ? drawn.automaton.unreadSymbols : []
    if !unread.isEmpty {
      lines.append("  <alphabet>")
      for symbol in unread { lines.append("    <symbol>\(try escaped(symbol))</symbol>") }
      lines.append("  </alphabet>")
    }
    return (lines + ["</structure>", ""]).joined(separator: "\n")
  }

  /// Returns a position on a circle, for states without positions.
  private static func circle(_ index: Int, of count: Int) -> PlacedAutomaton.Place {
    let radius = max(100, 30 * Double(count))
    let angle = 2 * Double.pi * Double(index) / Double(max(1, count))
    return PlacedAutomaton.Place(
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
          at: "JFLAP format", expected: "characters that XML allows",
          found: "the control character \(scalar.value)")
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
