import Automata
import Foundation
import Ink
import JSONReading

/// The file format `.automaton` of the reference editor; see <doc:HowDrawingWorks>.
///
/// Additional keys, which the reference editor ignores, store the order of the elements and which
/// arrows mark initial states. The reference editor's files of 2021 are read as well.
public enum DocumentFile {
  private static let maximumBytes = 256 << 20
  private static let formatVersion = 1.0
  /// The version of files of machines, which older programs would read as finite automata.
  private static let machineVersion = 2.0
  /// The version of files that older programs would run otherwise: with labels as in JFLAP, or with
  /// another acceptance.
  private static let newestVersion = 3.0

  /// The keys that the editor uses; all other keys are kept unchanged.
  private static let documentKeys: Set = [
    "id", "automatonStates", "automatonStatesDict", "transitions", "transitionsDict", "stateOrder",
    "transitionOrder", "formatVersion", "alphabet", "ink", "kind",
    "labelSyntax", "acceptance", notesKey,
  ]
  /// Keys that files of other programs may have with other values, which are then kept as they are.
  private static let (notesKey, labelKey, labelPlaceKey) = ("notes", "label", "labelPlace")
  private static let stateKeys: Set = [
    "id", "name", "isFinalState", "isEndState", "center", "radius", "dragPoint", "currentDragPoint",
    labelKey,
  ]
  private static let transitionKeys: Set = [
    "id", "startState", "endState", "currentSymbol", "symbols", "includesEpsilon", "type",
    "currentFlexPoint", "endsFreely", labelPlaceKey,
  ]
  private static let shapeKeys: Set = [
    "type", "startPoint", "tipPoint", "flexPoint", "point", "center", "radians", "isMirrored",
  ]

  /// Returns a line for each key of a document that differs from a known one only in capitals.
  ///
  /// Like all unknown keys they are kept, and what they say has no effect.
  package static func misspeltKeys(in document: Document) -> [String] {
    func lines(_ place: String, _ keys: Dictionary<String, JSONValue>.Keys, _ known: Set<String>)
      -> [String]
    {
      keys.sorted().compactMap { key in
        known.first { $0.lowercased() == key.lowercased() && $0 != key }.map {
          "\(place): the key `\(key)` has no effect; write `\($0)`"
        }
      }
    }
    let names = document.automaton.shownNames
    return lines("the document", document.extras.keys, documentKeys)
      + document.states.flatMap { lines("state \(names.state($0.id))", $0.extras.keys, stateKeys) }
      + document.transitions.flatMap { transition in
        let ends = [transition.start, transition.end].map { $0.map(names.state) ?? "nowhere" }
        let place = "the arrow from \(ends[0]) to \(ends[1])"
        return lines(place, transition.extras.keys, transitionKeys)
          + lines(place, transition.shapeExtras.keys, shapeKeys)
      }
  }

  // MARK: Reading

  /// Reads a document; `name` is the file's name in messages.
  ///
  /// Ends that name missing states are dangling. The key of an element is its id, whatever its `id`
  /// says.
  ///
  /// - Throws: `AutomatonError` with the element.
  public static func read(_ data: Data, name: String) throws(AutomatonError) -> Document {
    guard data.count <= maximumBytes else {
      throw AutomatonError(
        at: name, expected: "at most \(maximumBytes >> 20) MiB", found: "\(data.count >> 20) MiB")
    }
    let value: JSONValue
    do {
      value = try JSONValue(json: data)
    } catch {
      throw AutomatonError(at: name, expected: "a document in JSON", found: reason(error, in: data))
    }
    if let key = JSONProblem.repeatedKey(in: data) {
      throw AutomatonError(
        at: name, expected: "each key once in an object", found: "`\(key)` twice")
    }
    let root = try Reader(value, at: name)
    let states = try root.member("automatonStates", or: "automatonStatesDict")
    let transitions = try root.member("transitions", or: "transitionsDict")
    guard let states, let transitions else {
      throw AutomatonError(
        at: name, expected: "`automatonStates` and `transitions`",
        found: states == nil && transitions == nil ? "neither" : "only one")
    }
    if let version = try root.number("formatVersion"), version > newestVersion {
      throw AutomatonError(
        at: name, expected: "format version \(Int(newestVersion)) or an older one",
        found: "\(version)")
    }
    var document = Document(id: try root.text("id") ?? "")
    document.kind = try kind(root.text("kind"), at: name)
    document.labelSyntax = try choice("labelSyntax", in: root, at: name) ?? .symbols
    document.acceptance = try choice("acceptance", in: root, at: name) ?? .finalState
    guard document.acceptance == .finalState || document.kind == .pushdown else {
      throw AutomatonError(
        at: "\(name), acceptance",
        expected: "final-state, because only pushdown automata have a stack",
        found: "`\(document.acceptance.rawValue)`")
    }
    document.extras = root.extras(besides: documentKeys)
    switch notes(root[notesKey]) {
    case let notes?: document.notes = notes
    case nil: document.extras[notesKey] = root[notesKey]
    }
    let alphabet = try texts(root.list("alphabet"), at: "\(name), alphabet")
    document.givenAlphabet = Set(alphabet).sorted()
    document.ink = try (root.list("ink") ?? []).map { value throws(AutomatonError) in
      try stroke(value, at: "\(name), ink")
    }
    for (id, value) in try ordered(states, by: root.list("stateOrder")) {
      document.states.append(try state(id, value, at: "\(name), state `\(id)`"))
    }
    let known = Dictionary(uniqueKeysWithValues: document.states.map { ($0.id, $0) })
    for (id, value) in try ordered(transitions, by: root.list("transitionOrder")) {
      guard known[id] == nil else {
        throw AutomatonError(
          at: "\(name), transition `\(id)`", expected: "a unique id", found: "the id of a state")
      }
      document.transitions.append(
        try transition(id, value, states: known, at: "\(name), transition `\(id)`"))
    }
    try document.labelSyntax.check(document.transitions.lazy.flatMap(\.symbols), at: name)
    return document
  }

  /// Returns the value of a key that is one of a few texts, or `nil` if it is missing.
  private static func choice<Value: RawRepresentable & CaseIterable>(
    _ key: String, in root: Reader, at name: String
  ) throws(AutomatonError) -> Value? where Value.RawValue == String {
    guard let text = try root.text(key) else { return nil }
    guard let value = Value(rawValue: text) else {
      throw AutomatonError(
        at: "\(name), \(key)",
        expected: Value.allCases.map(\.rawValue).joined(separator: ", "), found: "`\(text)`")
    }
    return value
  }

  /// Returns the notes in a list of objects, or `nil` if the value is something else.
  private static func notes(_ value: JSONValue?) -> [PlacedAutomaton.Note]? {
    guard let value else { return [] }
    guard case .list(let list) = value else { return nil }
    var notes: [PlacedAutomaton.Note] = []
    for case .object(let members) in list {
      guard case .text(let text)? = members["text"] else { return nil }
      var note = PlacedAutomaton.Note(text)
      if let place = members["place"] {
        guard case .list(let numbers) = place, numbers.count == 2, let x = numbers[0].double,
          let y = numbers[1].double, Vector(x, y).isOnCanvas, members.count == 2
        else { return nil }
        note.place = PlacedAutomaton.Place(x: x, y: y)
      }
      notes.append(note)
    }
    return notes.count == list.count ? notes : nil
  }

  private static func kind(
    _ text: String?, at name: String
  ) throws(AutomatonError) -> Machine.Kind? {
    guard let text, text != "finite" else { return nil }
    guard let kind = Machine.Kind(rawValue: text) else {
      throw AutomatonError(
        at: "\(name), kind",
        expected: "finite, \(Machine.Kind.allCases.map(\.rawValue).joined(separator: ", "))",
        found: "`\(text)`")
    }
    return kind
  }

  private static func reason(_ error: any Error, in data: Data) -> String {
    if let problem = JSONProblem.description(of: data) { return problem }
    guard case DecodingError.dataCorrupted(let context) = error else { return "something else" }
    return context.debugDescription.trimmingCharacters(in: ["."])
  }

  /// Returns the elements in order of creation, then those of unknown order by id.
  private static func ordered(
    _ elements: [String: JSONValue], by order: [JSONValue]?
  ) -> [(String, JSONValue)] {
    var places: [String: Int] = [:]
    for case .text(let id) in order ?? [] where places[id] == nil { places[id] = places.count }
    return elements.map { ($0, $1) }.sorted {
      (places[$0.0] ?? .max, $0.0) < (places[$1.0] ?? .max, $1.0)
    }
  }

  private static func state(
    _ id: String, _ value: JSONValue, at place: String
  ) throws(AutomatonError) -> Document.State {
    let reader = try Reader(value, at: place)
    guard let center = try reader.vector("center") else { throw reader.missing("center") }
    guard let radius = try reader.number("radius") else { throw reader.missing("radius") }
    guard radius > 0, radius <= Vector.furthest else {
      throw AutomatonError(
        at: place, expected: "a radius above 0 and up to 10^9", found: "\(radius)")
    }
    let (isFinal, wasFinal) = (try reader.bool("isFinalState"), try reader.bool("isEndState"))
    var state = Document.State(
      id: id, name: try reader.text("name") ?? "", isFinal: isFinal ?? wasFinal ?? false,
      center: center,
      radius: radius)
    state.extras = reader.extras(besides: stateKeys)
    if case .text(let label)? = reader[labelKey] {
      state.label = label
    } else {
      state.extras[labelKey] = reader[labelKey]
    }
    return state
  }

  private static func transition(
    _ id: String, _ value: JSONValue, states: [String: Document.State], at place: String
  ) throws(AutomatonError) -> Document.Transition {
    let reader = try Reader(value, at: place)
    guard let type = try reader.member("type").map(JSONValue.object) else {
      throw reader.missing("type")
    }
    let shape = try Reader(type, at: "\(place), type")
    func end(_ key: String) throws(AutomatonError) -> String? {
      try reader.text(key).flatMap { states[$0] == nil ? nil : $0 }
    }
    var transition: Document.Transition
    switch try shape.text("type") {
    case "regular":
      guard let start = try shape.vector("startPoint") else { throw shape.missing("startPoint") }
      guard let tip = try shape.vector("tipPoint") else { throw shape.missing("tipPoint") }
      let (flex, gesture) = (try shape.vector("flexPoint"), try reader.vector("currentFlexPoint"))
      transition = Document.Transition(
        id: id, start: try end("startState"), end: try end("endState"),
        shape: .regular(start: start, tip: tip, flex: flex ?? gesture ?? start.middle(to: tip)))
      // In the reference editor, an arrow without a start marks its end as initial.
      let hadStart = try reader.text("startState") != nil
      transition.endsFreely =
        try reader.bool("endsFreely") ?? (transition.start == nil && !hadStart)
    case "cycle":
      let angle = try shape.number("radians") ?? .pi
      let (start, tip) = (try end("startState"), try end("endState"))
      switch (start.flatMap { states[$0] }, tip.flatMap { states[$0] }) {
      case (let from?, let to?) where from.id != to.id:
        // It has the shape of a self-loop, but leads to another state.
        transition = Document.Transition(
          id: id, start: from.id, end: to.id, shape: .straight(from: from, to: to))
      case (let owner?, _), (nil, let owner?):
        transition = Document.Transition(
          id: id, start: owner.id, end: owner.id,
          shape: .loop(angle: angle, isMirrored: try shape.bool("isMirrored") ?? false))
      case (nil, nil):
        // Its state is missing, so it becomes a dangling arrow where the self-loop started.
        let foot = try shape.vector("point") ?? Vector(0, 0)
        let way = Vector(angle: angle + .pi / 2, length: 80)
        transition = Document.Transition(
          id: id, shape: .regular(start: foot, tip: foot + way, flex: foot + way * 0.5))
      }
    case let other:
      throw AutomatonError(
        at: place, expected: "a type, regular or cycle", found: other.map { "`\($0)`" } ?? "none")
    }
    transition.symbols = try texts(reader.list("symbols"), at: place)
    transition.pendingSymbol = try reader.text("currentSymbol") ?? ""
    transition.includesEpsilon = try reader.bool("includesEpsilon") ?? false
    transition.extras = reader.extras(besides: transitionKeys)
    if case .object(let members)? = reader[labelPlaceKey], members.count == 2,
      let along = members["along"]?.double, let gap = members["gap"]?.double,
      (0...1).contains(along), abs(gap) <= Vector.furthest
    {
      transition.labelPlace = .init(along: along, gap: gap)
    } else {
      transition.extras[labelPlaceKey] = reader[labelPlaceKey]
    }
    transition.shapeExtras = shape.extras(besides: shapeKeys)
    return transition
  }

  /// Returns a stroke, a list of points.
  private static func stroke(
    _ value: JSONValue, at place: String
  ) throws(AutomatonError) -> Stroke {
    guard case .list(let points) = value else {
      throw AutomatonError(at: place, expected: "a list of points", found: "something else")
    }
    var stroke = Stroke([])
    for point in points {
      guard case .list(let numbers) = point, numbers.count == 2, let x = numbers[0].double,
        let y = numbers[1].double, Vector(x, y).isOnCanvas
      else {
        throw AutomatonError(
          at: place, expected: "points of two numbers from −10^9 to 10^9", found: "something else")
      }
      stroke.points.append(Point(x, y))
    }
    return stroke
  }

  /// Returns the unique, non-empty symbols of a list.
  private static func texts(
    _ list: [JSONValue]?, at place: String
  ) throws(AutomatonError) -> [String] {
    var texts: [String] = []
    var known: Set<String> = [""]
    for (index, symbol) in (list ?? []).enumerated() {
      guard case .text(let text) = symbol else {
        throw AutomatonError(
          at: "\(place), symbol \(index + 1)", expected: "a text", found: "something else")
      }
      if known.insert(text).inserted { texts.append(text) }
    }
    return texts
  }

  /// A JSON object with its place in the file.
  private struct Reader {
    private let members: [String: JSONValue]
    private let place: String

    init(_ value: JSONValue, at place: String) throws(AutomatonError) {
      guard case .object(let members) = value else {
        throw AutomatonError(at: place, expected: "an object", found: "something else")
      }
      self.members = members
      self.place = place
    }

    func missing(_ key: String) -> AutomatonError {
      AutomatonError(at: place, expected: "`\(key)`", found: "none")
    }

    private func refuse(_ key: String, _ expected: String) -> AutomatonError {
      AutomatonError(at: "\(place), \(key)", expected: expected, found: "something else")
    }

    func extras(besides known: Set<String>) -> [String: JSONValue] {
      members.filter { !known.contains($0.key) }
    }

    /// The value of a key, or `nil` if it is missing.
    subscript(key: String) -> JSONValue? { members[key] }

    func text(_ key: String) throws(AutomatonError) -> String? {
      switch members[key] {
      case nil, .null?: return nil
      case .text(let value)?: return value
      default: throw refuse(key, "a text")
      }
    }

    func bool(_ key: String) throws(AutomatonError) -> Bool? {
      switch members[key] {
      case nil, .null?: return nil
      case .bool(let value)?: return value
      default: throw refuse(key, "true or false")
      }
    }

    func number(_ key: String) throws(AutomatonError) -> Double? {
      switch members[key] {
      case nil, .null?: return nil
      case let value?:
        guard let number = value.double, number.isFinite else {
          throw refuse(key, "a finite number")
        }
        return number
      }
    }

    func list(_ key: String) throws(AutomatonError) -> [JSONValue]? {
      switch members[key] {
      case nil, .null?: return nil
      case .list(let values)?: return values
      default: throw refuse(key, "a list")
      }
    }

    func member(_ key: String) throws(AutomatonError) -> [String: JSONValue]? {
      switch members[key] {
      case nil, .null?: return nil
      case .object(let value)?: return value
      default: throw refuse(key, "an object")
      }
    }

    func member(
      _ key: String, or older: String
    ) throws(AutomatonError) -> [String: JSONValue]? {
      if let value = try member(key) { return value }
      return try member(older)
    }

    func vector(_ key: String) throws(AutomatonError) -> Vector? {
      guard let list = try list(key) else { return nil }
      guard list.count == 2, let x = list[0].double, let y = list[1].double else {
        throw refuse(key, "two numbers")
      }
      guard Vector(x, y).isOnCanvas else {
        throw AutomatonError(
          at: "\(place), \(key)", expected: "two numbers from −10^9 to 10^9", found: "\(x), \(y)")
      }
      return Vector(x, y)
    }
  }

  // MARK: Writing

  /// Returns the file of a document, with sorted keys.
  public static func write(_ document: Document) -> Data {
    var root = document.extras
    let isNewest = document.labelSyntax != .symbols || document.acceptance != .finalState
    root["formatVersion"] = .number(
      isNewest ? newestVersion : document.kind == nil ? formatVersion : machineVersion)
    if document.labelSyntax != .symbols {
      root["labelSyntax"] = .text(document.labelSyntax.rawValue)
    }
    if document.acceptance != .finalState {
      root["acceptance"] = .text(document.acceptance.rawValue)
    }
    if !document.notes.isEmpty { root[notesKey] = .list(document.notes.map(value(of:))) }
    if let kind = document.kind { root["kind"] = .text(kind.rawValue) }
    root["id"] = .text(document.id)
    let states = Dictionary(uniqueKeysWithValues: document.states.map { ($0.id, $0) })
    root["automatonStates"] = .object(states.mapValues { value(of: $0) })
    root["transitions"] = .object(
      Dictionary(
        uniqueKeysWithValues: document.transitions.map { ($0.id, value(of: $0, at: states)) }))
    if !document.givenAlphabet.isEmpty {
      root["alphabet"] = .list(document.givenAlphabet.map(JSONValue.text))
    }
    if !document.ink.isEmpty {
      root["ink"] = .list(document.ink.map { .list($0.points.map { value(of: Vector($0)) }) })
    }
    root["stateOrder"] = .list(document.states.map { .text($0.id) })
    root["transitionOrder"] = .list(document.transitions.map { .text($0.id) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(JSONValue.object(root)) else {
      preconditionFailure("a document holds finite numbers only")
    }
    return data + Data("\n".utf8)
  }

  private static func value(of vector: Vector) -> JSONValue {
    .list([.number(vector.x), .number(vector.y)])
  }

  private static func value(of note: PlacedAutomaton.Note) -> JSONValue {
    var members: [String: JSONValue] = ["text": .text(note.text)]
    if let place = note.place { members["place"] = value(of: Vector(place.x, place.y)) }
    return .object(members)
  }

  private static func value(of state: Document.State) -> JSONValue {
    var members = state.extras
    if !state.label.isEmpty { members[labelKey] = .text(state.label) }
    members["id"] = .text(state.id)
    members["name"] = .text(state.name)
    members["isFinalState"] = .bool(state.isFinal)
    members["center"] = value(of: state.center)
    members["radius"] = .number(state.radius)
    members["dragPoint"] = value(of: state.center + Vector(0, -state.radius))
    return .object(members)
  }

  private static func value(
    of transition: Document.Transition, at states: [String: Document.State]
  ) -> JSONValue {
    var members = transition.extras
    members["id"] = .text(transition.id)
    if let start = transition.start { members["startState"] = .text(start) }
    if let end = transition.end { members["endState"] = .text(end) }
    members["currentSymbol"] = .text(transition.pendingSymbol)
    members["symbols"] = .list(transition.symbols.map(JSONValue.text))
    members["includesEpsilon"] = .bool(transition.includesEpsilon)
    if let place = transition.labelPlace {
      members[labelPlaceKey] = .object(["along": .number(place.along), "gap": .number(place.gap)])
    }
    if transition.start == nil || transition.end == nil {
      members["endsFreely"] = .bool(transition.endsFreely)
    }
    switch transition.shape {
    case .regular(let start, let tip, let flex):
      members["currentFlexPoint"] = value(of: flex)
      let type: [String: JSONValue] = [
        "type": .text("regular"), "startPoint": value(of: start), "tipPoint": value(of: tip),
        "flexPoint": value(of: flex),
      ]
      members["type"] = .object(type.merging(transition.shapeExtras) { known, _ in known })
    case .loop(let angle, let isMirrored):
      let state = transition.start.flatMap { states[$0] }
      let center = state?.center ?? Vector(0, 0)
      let point = center + Vector(angle: angle + .pi / 2, length: state?.radius ?? 0)
      var type: [String: JSONValue] = [
        "type": .text("cycle"), "point": value(of: point), "center": value(of: center),
        "radians": .number(angle),
      ]
      if isMirrored { type["isMirrored"] = .bool(true) }
      members["type"] = .object(type.merging(transition.shapeExtras) { known, _ in known })
    }
    return .object(members)
  }
}
