/// The text form of AT&T's FSM library and OpenFst: a line for each transition, and one for each final state.
///
///     0 1 a
///     1
///
/// The first line begins at the initial state. With a fourth column, the transitions have outputs.
enum ATT {
  /// Returns whether `text` looks like this form and like no table: states are numbers, and a line
  /// names a final state.
  static func matches(_ text: String) -> Bool {
    var hasTransition = false
    var hasFinal = false
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard let first = fields.first else { continue }
      guard Int(first) != nil, fields.count < 6 else { return false }
      if fields.count > 2 {
        guard Int(fields[1]) != nil else { return false }
        hasTransition = true
      } else {
        hasFinal = true
      }
    }
    return hasTransition && hasFinal
  }

  static func read(
    _ text: String, name: String, as choice: KindChoice
  ) throws(AutomatonError) -> PlacedAutomaton {
    var graph = LabelledGraph(file: name) { TextPlace(line: $0, column: 1) }
    var count: Int?
    func refuse(_ line: Int, _ column: Int, _ expected: String, _ found: String) -> AutomatonError {
      AutomatonError(
        name, TextPlace(line: line, column: column), expected: expected, found: found)
    }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard let first = fields.first else { continue }
      let place = index + 1
      func column(_ field: Substring) -> Int {
        line.distance(from: line.startIndex, to: field.startIndex) + 1
      }
      let isFirst = graph.nodes.isEmpty
      if fields.count < 3 {
        guard fields.count == 1 || Double(fields[1]) == 0 else {
          throw refuse(
            place, column(fields[1]), "a final state without a weight", "`\(fields[1])`")
        }
        graph.node(String(first)) { state in
          state.isFinal = true
          if isFirst { state.isInitial = true }
        }
        continue
      }
      guard count == nil || count == fields.count else {
        throw refuse(
          place, 1, "\(count ?? 3) columns as in the lines before", "\(fields.count)")
      }
      count = fields.count
      guard fields.count < 5 else {
        throw refuse(
          place, column(fields[4]), "at most 4 columns: no weights", "\(fields.count)")
      }
      if fields.count == 4, fields[3].contains("."), Double(fields[3]) != nil {
        throw refuse(
          place, column(fields[3]), "a transition without a weight", "`\(fields[3])`")
      }
      graph.node(String(first)) { if isFirst { $0.isInitial = true } }
      graph.node(String(fields[1]))
      let symbols = fields[2...].map { isEpsilon($0) ? "ε" : String($0) }
      graph.edges.append(
        LabelledGraph.Edge(
          start: String(first), end: String(fields[1]), label: symbols.joined(separator: "/"),
          offset: place, isSymbol: symbols.count == 1 && symbols[0] != "ε"))
    }
    guard !graph.nodes.isEmpty else {
      throw AutomatonError(at: name, expected: "lines of transitions", found: "an empty file")
    }
    graph.kind = count == 4 ? .machine(.mealy) : .finite
    if count == 4, graph.nodes.contains(where: \.isFinal), choice == .detected {
      graph.remarks.append("it is read as a Mealy machine, whose final states have no effect")
    }
    return try graph.placed(as: choice)
  }

  private static func isEpsilon(_ symbol: Substring) -> Bool {
    ["<eps>", "<epsilon>", "@0@", "@_EPSILON_SYMBOL_@", "ε"].contains(symbol)
  }
}
