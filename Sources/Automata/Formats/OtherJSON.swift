import Foundation
import JSONReading

/// The JSON of other editors of automata: FSM Designer, automatonSimulator and Automatarium.
enum OtherJSON {
  /// Reads the automaton, or returns `nil` if the keys of `data` are those of none of them.
  ///
  /// - Throws: `AutomatonError` if the file belongs to one of them and cannot be read.
  static func read(
    _ data: Data, name: String, as choice: KindChoice
  ) throws(AutomatonError) -> PlacedAutomaton? {
    guard let keys = (try? [String: IgnoredJSON](json: data)).map({ Set($0.keys) }) else {
      return nil
    }
    func decoded<File: OtherFile>(_ program: String) throws(AutomatonError) -> File {
      try File.keys.check(data, name: name)
      do { return try File(json: data) } catch {
        throw AutomatonError(
          at: name, expected: "a file of \(program)", found: "\(problem(error))")
      }
    }
    if keys.isSuperset(of: ["nodes", "links"]) {
      return try FSMDesignerFile.graph(try decoded("FSM Designer"), name).placed(as: choice)
    }
    if keys.isSuperset(of: ["type", "states"]), !keys.isDisjoint(with: ["dfa", "nfa", "pda"]) {
      return try SimulatorFile.graph(try decoded("automatonSimulator"), name).placed(as: choice)
    }
    if keys.contains("transitions"), keys.contains("states"),
      !keys.isDisjoint(with: ["projectType", "initialState"])
    {
      return try AutomatariumFile.graph(try decoded("Automatarium"), name).placed(as: choice)
    }
    return nil
  }

  /// What a decoder did not find, with its path.
  private static func problem(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "something else" }
    let (what, path) =
      switch error {
      case .keyNotFound(let key, let context): ("no `\(key.stringValue)`", context.codingPath)
      case .typeMismatch(_, let context), .dataCorrupted(let context):
        ("another value", context.codingPath)
      case .valueNotFound(_, let context): ("no value", context.codingPath)
      @unknown default: ("something else", [])
      }
    let shown = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return shown.isEmpty ? what : "\(what) at \(shown.drop { $0 == "." })"
  }

  fileprivate static func place(_ x: Double?, _ y: Double?) -> PlacedAutomaton.Place? {
    guard let x, let y, abs(x) < 1e9, abs(y) < 1e9 else { return nil }
    return PlacedAutomaton.Place(x: x, y: y)
  }

  /// Returns text in which `\beta` is a Greek letter and `_0` an index.
  fileprivate static func shown(_ text: String) -> String {
    text.contains("\\") || text.contains(/_[0-9]/) ? Typeset.tex(text) : text
  }

  fileprivate static func graph(_ name: String) -> LabelledGraph {
    LabelledGraph(file: name) { _ in TextPlace(line: 1, column: 1) }
  }
}

/// A JSON value that is not decoded.
struct IgnoredJSON: Decodable { init(from decoder: any Decoder) {} }

/// The file of another editor.
private protocol OtherFile: Decodable {
  /// The keys that the program writes.
  static var keys: KeySpelling { get }
}

/// The file of FSM Designer (https://github.com/evanw/fsm).
private struct FSMDesignerFile: OtherFile {
  struct Node: Decodable {
    var x: Double
    var y: Double
    var text: String?
    var isAcceptState: Bool?
  }

  struct Link: Decodable {
    var type: String
    var node: Int?
    var nodeA: Int?
    var nodeB: Int?
    var text: String?
    var anchorAngle: Double?
    var parallelPart: Double?
    var perpendicularPart: Double?
  }

  var nodes: [Node]
  var links: [Link]

  static let keys: KeySpelling = [
    "": ["nodes", "links"], "nodes": ["x", "y", "text", "isAcceptState"],
    "links": [
      "type", "node", "nodeA", "nodeB", "text", "anchorAngle", "parallelPart",
      "perpendicularPart", "lineAngleAdjust", "deltaX", "deltaY",
    ],
  ]

  /// The radius of a state.
  private static let radius = 30.0

  static func graph(_ file: Self, _ name: String) throws(AutomatonError) -> LabelledGraph {
    var graph = OtherJSON.graph(name)
    for (index, node) in file.nodes.enumerated() {
      graph.node("\(index)") { state in
        state.name = OtherJSON.shown(node.text ?? "")
        state.isFinal = node.isAcceptState ?? false
        state.place = OtherJSON.place(node.x, node.y)
      }
    }
    for (index, link) in file.links.enumerated() {
      let place = "\(name), link \(index + 1)"
      func state(_ number: Int?) throws(AutomatonError) -> Int {
        guard let number, file.nodes.indices.contains(number) else {
          throw AutomatonError(
            at: place, expected: "the number of a node", found: number.map { "\($0)" } ?? "none")
        }
        return number
      }
      let text = OtherJSON.shown(link.text ?? "")
      switch link.type {
      case "StartLink": graph.node("\(try state(link.node))") { $0.isInitial = true }
      case "SelfLink":
        let number = try state(link.node)
        let node = file.nodes[number]
        let angle = link.anchorAngle ?? -.pi / 2
        graph.edges.append(
          LabelledGraph.Edge(
            start: "\(number)", end: "\(number)", label: text, offset: 0,
            middle: OtherJSON.place(
              node.x + 2.25 * radius * cos(angle), node.y + 2.25 * radius * sin(angle))))
      case "Link":
        let (start, end) = (try state(link.nodeA), try state(link.nodeB))
        let (from, to) = (file.nodes[start], file.nodes[end])
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let length = max(1e-9, (dx * dx + dy * dy).squareRoot())
        let (along, across) = (link.parallelPart ?? 0.5, (link.perpendicularPart ?? 0) / length)
        let isBent = abs(link.perpendicularPart ?? 0) > 1
        graph.edges.append(
          LabelledGraph.Edge(
            start: "\(start)", end: "\(end)", label: text, offset: 0,
            middle: isBent
              ? OtherJSON.place(
                from.x + dx * along - dy * across, from.y + dy * along + dx * across) : nil))
      default:
        throw AutomatonError(
          at: place, expected: "a type: Link, SelfLink or StartLink", found: "`\(link.type)`")
      }
    }
    return graph
  }
}

/// The file of automatonSimulator (https://github.com/kdickerson/automatonSimulator).
private struct SimulatorFile: OtherFile {
  struct State: Decodable {
    var isAccept: Bool?
    var top: Double?
    var left: Double?
  }

  struct Target: Decodable {
    var state: String
    var stackPushChar: String
  }

  struct Machine<Targets: Decodable>: Decodable {
    var transitions: [String: [String: Targets]]
    var startState: String?
    var acceptStates: [String]?
  }

  var states: [String: State]
  var dfa: Machine<String>?
  var nfa: Machine<[String]>?
  var pda: Machine<[String: [Target]]>?

  private static let machineKeys: Set = ["transitions", "startState", "acceptStates"]
  static let keys: KeySpelling = [
    "": ["type", "dfa", "nfa", "pda", "states", "transitions", "bulkTests"],
    "dfa": machineKeys, "nfa": machineKeys, "pda": machineKeys,
    "states.*": ["isAccept", "top", "left"],
  ]

  static func graph(_ file: Self, _ name: String) throws(AutomatonError) -> LabelledGraph {
    var graph = OtherJSON.graph(name)
    let start = file.dfa?.startState ?? file.nfa?.startState ?? file.pda?.startState
    let accepted =
      file.dfa?.acceptStates ?? file.nfa?.acceptStates ?? file.pda?.acceptStates ?? []
    let rows = file.states.values.compactMap(\.top)
    let order = file.states.keys.sorted { one, other in
      let order = one.compare(other, options: .numeric)
      return order == .orderedSame ? one < other : order == .orderedAscending
    }
    for id in order.filter({ $0 == start }) + order.filter({ $0 != start }) {
      let state = file.states[id]!
      graph.node(id) { node in
        node.isFinal = state.isAccept ?? false
        node.place = OtherJSON.place(state.left, state.top)
      }
      // The page itself places the start, on the left.
      guard id == start, state.left == nil else { continue }
      let middle = rows.isEmpty ? 0 : rows.reduce(0, +) / Double(rows.count)
      graph.node(id) { $0.place = OtherJSON.place(-100, middle) }
    }
    func check(_ id: String, _ what: String) throws(AutomatonError) {
      guard graph.contains(id) else {
        throw AutomatonError(at: "\(name), \(what)", expected: "a state `\(id)`", found: "none")
      }
    }
    if let start {
      try check(start, "startState")
      graph.node(start) { $0.isInitial = true }
    }
    for id in accepted {
      try check(id, "acceptStates")
      graph.node(id) { $0.isFinal = true }
    }
    func add(_ from: String, _ to: String, _ symbol: String) throws(AutomatonError) {
      try check(from, "transitions")
      try check(to, "transitions of `\(from)`")
      graph.edges.append(
        LabelledGraph.Edge(
          start: from, end: to, label: symbol.isEmpty ? "ε" : symbol, offset: 0,
          isSymbol: !symbol.isEmpty))
    }
    graph.kind = file.pda == nil ? .finite : .machine(.pushdown)
    for (from, ways) in sorted(file.dfa?.transitions) {
      for (symbol, to) in sorted(ways) { try add(from, to, symbol) }
    }
    for (from, ways) in sorted(file.nfa?.transitions) {
      for (symbol, ends) in sorted(ways) { for to in ends { try add(from, to, symbol) } }
    }
    for (from, ways) in sorted(file.pda?.transitions) {
      for (symbol, stacks) in sorted(ways) {
        for (pop, ends) in sorted(stacks) {
          for end in ends {
            let rule = MachineRule.stack(read: symbol, pop: pop, push: end.stackPushChar)
            try add(from, end.state, rule.text)
          }
        }
      }
    }
    return graph
  }

  private static func sorted<Value>(_ table: [String: Value]?) -> [(key: String, value: Value)] {
    (table ?? [:]).sorted { $0.key < $1.key }
  }
}

/// The file of Automatarium (https://github.com/automatarium/automatarium).
private struct AutomatariumFile: OtherFile {
  struct State: Decodable {
    var id: Int
    var x: Double?
    var y: Double?
    var name: String?
    var isFinal: Bool?
  }

  struct Transition: Decodable {
    var from: Int
    var to: Int
    var read: String?
    var pop: String?
    var push: String?
    var write: String?
    var direction: String?
  }

  struct Configuration: Decodable {
    var type: String?
    var statePrefix: String?
    var orOperator: String?
  }

  struct Comment: Decodable { var text: String? }

  var projectType: String?
  var config: Configuration?
  var initialState: Int?
  var states: [State]
  var transitions: [Transition]
  var comments: [Comment]?

  static let keys: KeySpelling = [
    "": [
      "projectType", "config", "initialState", "states", "transitions", "comments", "simResult",
      "tests", "meta",
    ],
    "states": ["id", "x", "y", "name", "label", "isFinal"],
    "transitions": ["id", "from", "to", "read", "pop", "push", "write", "direction"],
    "config": [
      "type", "statePrefix", "orOperator", "acceptanceCriteria", "color", "playbackInterval",
    ],
  ]

  static func graph(_ file: Self, _ name: String) throws(AutomatonError) -> LabelledGraph {
    var graph = OtherJSON.graph(name)
    let type = file.projectType ?? file.config?.type ?? "FSA"
    switch type {
    case "FSA": graph.kind = .finite
    case "PDA": graph.kind = .machine(.pushdown)
    case "TM": graph.kind = .machine(.turing)
    default:
      throw AutomatonError(
        at: "\(name), projectType", expected: "FSA, PDA or TM", found: "`\(type)`")
    }
    for state in file.states {
      guard !graph.contains("\(state.id)") else {
        throw AutomatonError(
          at: "\(name), states", expected: "unique ids", found: "`\(state.id)` twice")
      }
      graph.node("\(state.id)") { node in
        node.name = state.name ?? "\(file.config?.statePrefix ?? "q")\(state.id)"
        node.isInitial = state.id == file.initialState
        node.isFinal = state.isFinal ?? false
        node.place = OtherJSON.place(state.x, state.y)
      }
    }
    for (index, transition) in file.transitions.enumerated() {
      let place = "\(name), transition \(index + 1)"
      for id in [transition.from, transition.to] where !graph.contains("\(id)") {
        throw AutomatonError(at: place, expected: "a state `\(id)`", found: "none")
      }
      func add(_ label: String?) {
        graph.edges.append(
          LabelledGraph.Edge(
            start: "\(transition.from)", end: "\(transition.to)", label: label ?? "ε", offset: 0,
            isSymbol: label != nil))
      }
      let read = transition.read ?? ""
      switch type {
      case "PDA":
        add(
          MachineRule.stack(
            read: read, pop: transition.pop ?? "", push: transition.push ?? ""
          ).text)
      case "TM":
        guard let move = MachineRule.Move(rawValue: transition.direction ?? "S"),
          read.count < 2, (transition.write ?? "").count < 2
        else {
          throw AutomatonError(
            at: place, expected: "one symbol to read and write, and L, R or S",
            found: "`\(read)`, `\(transition.write ?? "")`, `\(transition.direction ?? "")`")
        }
        let cells = [read, transition.write ?? ""].map { $0.first ?? Machine.blank }
        add(MachineRule.tape(cells[0], cells[1], move).text)
      default:
        guard let symbols = symbols(read, or: file.config?.orOperator ?? "|") else {
          throw AutomatonError(
            at: place, expected: "symbols or ranges such as [a-z]", found: "`\(read)`")
        }
        if symbols.isEmpty { add(nil) } else { for symbol in symbols { add(symbol) } }
      }
    }
    if !(file.comments ?? []).isEmpty { graph.remarks.append("comments are left out") }
    return graph
  }

  /// Returns the symbols of `a|b` or `[a-z]`, or `nil` if they cannot be read.
  private static func symbols(_ read: String, or separator: String) -> [String]? {
    if read.count < 2 { return read.isEmpty || read == " " ? [] : [read] }
    guard !read.contains("!") else { return nil }
    var symbols: [String] = []
    var rest = read[...]
    while let character = rest.popFirst() {
      if character == "[" {
        let range = Array(rest.prefix(4))
        guard range.count == 4, range[1] == "-", range[3] == "]",
          let low = range[0].unicodeScalars.first?.value,
          let high = range[2].unicodeScalars.first?.value, low <= high, high - low < 1000
        else { return nil }
        symbols += (low...high).compactMap { Unicode.Scalar($0).map { String($0) } }
        rest = rest.dropFirst(4)
      } else if !character.isWhitespace, String(character) != separator {
        symbols.append(String(character))
      }
    }
    return symbols
  }
}
