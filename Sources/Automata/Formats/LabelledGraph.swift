/// How the labels of a file that does not say its kind of machine are read.
public enum KindChoice: Hashable, Sendable {
  /// The labels decide; a file whose labels fit several kinds is refused.
  case detected
  /// The labels are symbols of a finite automaton.
  case finite
  /// The labels are rules of this kind of machine.
  case machine(Machine.Kind)

  /// The names of all choices that a person can make.
  public static let names = ["finite"] + Machine.Kind.allCases.map(\.rawValue)

  /// Creates the choice of this name: `finite`, or a kind of machine.
  public init?(name: String) {
    if name == "finite" {
      self = .finite
    } else if let kind = Machine.Kind(rawValue: name) {
      self = .machine(kind)
    } else {
      return nil
    }
  }
}

/// A place in a text file.
struct TextPlace: Hashable {
  var line: Int
  var column: Int
}

extension AutomatonError {
  /// Creates the error for a place in the text file `file`.
  init(_ file: String, _ place: TextPlace, expected: String, found: String) {
    self.init(
      at: "\(file), line \(place.line), column \(place.column)", expected: expected, found: found)
  }
}

/// A graph whose edges have labels in text, as other programs write automata.
///
/// ``placed(as:)`` decides what the labels mean.
struct LabelledGraph {
  struct Node {
    var id: String
    var name: String
    var isInitial = false
    var isFinal = false
    /// The output of a state of a Moore machine, if the file keeps it apart from the name.
    var output: String?
    var place: PlacedAutomaton.Place?
  }

  struct Edge {
    var start: String
    var end: String
    /// What a reader sees beside the arrow, with line ends.
    var label: String
    /// Where it is in the file, for ``LabelledGraph/place``.
    var offset: Int
    /// A point in the middle of the line.
    var middle: PlacedAutomaton.Place?
    /// Whether the label is one symbol, and not a list.
    var isSymbol = false
  }

  let file: String
  /// Returns the place of an edge in the file from its offset.
  private let place: (Int) -> TextPlace
  private(set) var nodes: [Node] = []
  private var indices: [String: Int] = [:]
  var edges: [Edge] = []
  var alphabet: [String] = []
  /// The kind that the file says.
  var kind: KindChoice = .detected
  /// What a person should know about how the file was read.
  var remarks: [String] = []

  /// The maximum number of symbols in the ranges of all labels.
  private static let maximumInRanges = 2_000_000

  init(file: String, place: @escaping (Int) -> TextPlace) {
    self.file = file
    self.place = place
  }

  func contains(_ id: String) -> Bool { indices[id] != nil }

  /// Returns the place of a node.
  func place(of id: String) -> PlacedAutomaton.Place? { indices[id].flatMap { nodes[$0].place } }

  /// Adds a node, or changes it if it exists.
  mutating func node(_ id: String, _ change: (inout Node) -> Void = { _ in }) {
    if indices[id] == nil {
      indices[id] = nodes.count
      nodes.append(Node(id: id, name: id))
    }
    change(&nodes[indices[id]!])
  }

  // MARK: Kinds

  /// Returns the automaton or the drawing of a machine.
  ///
  /// - Throws: `AutomatonError` with the label that cannot be read, or if the kind is open.
  func placed(as choice: KindChoice) throws(AutomatonError) -> PlacedAutomaton {
    let kind = try kind(choice)
    var builder = AutomatonBuilder(file: file)
    builder.alphabet = alphabet
    var places: [String: PlacedAutomaton.Place] = [:]
    for node in nodes {
      builder.state(node.id) { state in
        state.name = node.name
        if let output = node.output {
          state.name =
            kind == .moore
            ? MooreName(node.name, output: output).text : "\(node.name)|\(output)"
        }
        state.isInitial = node.isInitial
        state.isFinal = node.isFinal
      }
      places[node.id] = node.place
    }
    var controlPoints: [String: PlacedAutomaton.Place] = [:]
    var remarks = remarks
    var rangeCount = 0
    let lists = edges.map { $0.isSymbol ? nil : LabelList($0.label) }
    let hasEpsilon = lists.contains { $0?.items.contains(where: \.isEpsilon) ?? false }
    let readsLambda =
      !hasEpsilon && lists.contains { $0?.items.contains(where: \.isLambda) ?? false }
    if kind == nil {
      if readsLambda { remarks.append("λ is read as ε") }
      remarks += LabelList.remarks(about: lists.compactMap(\.self))
    }
    for (edge, list) in zip(edges, lists) {
      let id = builder.transition(edge.start, edge.end)
      if controlPoints[id] == nil { controlPoints[id] = controlPoint(of: edge, places) }
      if let kind {
        let isChosen = choice == .machine(kind)
        for rule in try rules(of: edge, list, kind, isChosen: isChosen) {
          builder.transition(edge.start, edge.end, symbol: rule)
        }
        continue
      }
      guard let list else {
        builder.transition(edge.start, edge.end, symbol: edge.label)
        continue
      }
      if let problem = list.problem {
        throw AutomatonError(
          file, place(edge.offset), expected: problem.expected, found: "`\(problem.found)`")
      }
      for item in list.items {
        if item.isEpsilon || readsLambda && item.isLambda {
          builder.transition(edge.start, edge.end, symbol: nil)
          continue
        }
        guard let symbols = item.range else {
          throw AutomatonError(
            file, place(edge.offset), expected: "symbols, or a range such as [a-d]",
            found: "`\(item.text)`")
        }
        rangeCount += symbols.count - 1
        guard rangeCount <= Self.maximumInRanges else {
          throw AutomatonError(
            file, place(edge.offset), expected: "ranges of at most \(Self.maximumInRanges) symbols",
            found: "more, with `\(item.text)`")
        }
        for symbol in symbols { builder.transition(edge.start, edge.end, symbol: symbol) }
      }
    }
    var drawn = PlacedAutomaton(automaton: try builder.automaton(), places: places, kind: kind)
    (drawn.controlPoints, drawn.remarks) = (controlPoints, remarks)
    return drawn
  }

  /// Returns the control point of an arrow whose middle is known and not on the straight line.
  private func controlPoint(
    of edge: Edge, _ places: [String: PlacedAutomaton.Place]
  ) -> PlacedAutomaton.Place? {
    guard let middle = edge.middle, let start = places[edge.start], let end = places[edge.end]
    else {
      return nil
    }
    guard edge.start != edge.end else { return middle }
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = (dx * dx + dy * dy).squareRoot()
    let distance = abs(dx * (middle.y - start.y) - dy * (middle.x - start.x)) / max(length, 1e-9)
    guard distance > 0.02 * length else { return nil }
    return PlacedAutomaton.Place(
      x: 2 * middle.x - (start.x + end.x) / 2, y: 2 * middle.y - (start.y + end.y) / 2)
  }

  /// Returns the rules of a label as text; what is no rule stays as it is unless the kind `isChosen`.
  private func rules(
    of edge: Edge, _ list: LabelList?, _ kind: Machine.Kind, isChosen: Bool
  ) throws(AutomatonError) -> [String] {
    if kind == .moore, edge.isSymbol, edge.label.count == 1 {
      return [MachineRule.read(edge.label.first!).text]
    }
    let label = edge.label.trimmingSpace
    guard !label.isEmpty else { return [] }
    do { return try MachineRule.rules(label, of: kind).map(\.text) } catch {
      guard !isChosen, let list else {
        throw AutomatonError(file, place(edge.offset), expected: error.expected, found: error.found)
      }
      return kind == .mealy || kind == .moore ? list.items.map(\.written) : [label]
    }
  }

  private func kind(_ choice: KindChoice) throws(AutomatonError) -> Machine.Kind? {
    switch choice == .detected ? kind : choice {
    case .finite: return nil
    case .machine(let kind): return kind
    case .detected: break
    }
    let labelled = edges.filter { !$0.isSymbol && !$0.label.trimmingSpace.isEmpty }
    let lists = labelled.map { LabelList($0.label).items }
    let slashed = lists.map { !$0.isEmpty && $0.allSatisfy(\.hasOutput) }
    let hasFinal = nodes.contains(where: \.isFinal)
    if !nodes.isEmpty, nodes.allSatisfy({ $0.output != nil }), !slashed.contains(true) {
      return .moore
    }
    func all(_ kind: Machine.Kind, _ signs: [String]) -> Bool {
      !labelled.isEmpty
        && labelled.allSatisfy { edge in
          let plain = edge.label.replacing(/\\./, with: "")
          return signs.contains(where: plain.contains)
            && (try? MachineRule.rules(edge.label, of: kind)) != nil
        }
    }
    if !slashed.isEmpty, slashed.allSatisfy(\.self), !hasFinal { return .mealy }
    if all(.turing, ["→", "->", "/", ";"]) { return .turing }
    if all(.pushdown, ["→", "->"]) { return .pushdown }
    if let index = lists.firstIndex(where: { $0.contains(where: \.hasOutput) }) {
      throw AutomatonError(
        file, place(labelled[index].offset),
        expected: "labels of one kind (say which one with --kind: "
          + "\(KindChoice.names.joined(separator: ", ")))",
        found: "`\(labelled[index].label)`, which can be a symbol or a rule")
    }
    let areMoore = nodes.allSatisfy { node in
      let name = MooreName(node.name)
      return !name.name.isEmpty && !(name.output ?? "").isEmpty
    }
    return areMoore && !nodes.isEmpty && !hasFinal ? .moore : nil
  }
}

extension String {
  /// The text without white space at its ends.
  var trimmingSpace: String {
    let start = drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) }
    return String(start[..<(end ?? start.startIndex)])
  }
}
