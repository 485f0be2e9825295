import Foundation
import Ink
import JSONReading

extension Diagram {
  /// The attributes `automaton` and `strokes` of a recording with this diagram.
  public var attributes: [String: JSONValue] {
    var roles: [JSONValue] = []
    for stroke in strokes {
      var fields = ["role": JSONValue.text(stroke.role.rawValue)]
      if let element = stroke.element { fields["element"] = .text(element) }
      roles.append(.object(fields))
    }
    return [
      "automaton": .object([
        "states": .list(
          states.map { state in
            .object([
              "id": .text(state.id), "name": .text(state.name), "initial": .bool(state.initial),
              "final": .bool(state.final),
              "center": .list([.number(state.center.x), .number(state.center.y)]),
              "radius": .number(state.radius),
            ])
          }),
        "transitions": .list(
          transitions.map {
            .object([
              "from": .text($0.from), "to": .text($0.to),
              "symbols": .list($0.symbols.map { .text($0) }),
            ])
          }),
      ]), "strokes": .list(roles),
    ]
  }

  /// Creates a diagram from the attributes of a recording, or returns `nil` if they have no
  /// automaton.
  ///
  /// - Throws: an error if the attributes do not describe a diagram or have a key that diagrams do not have;
  ///   it calls the recording `name`.
  public init?(attributes: [String: JSONValue], name: String = "recording") throws {
    let own = attributes.filter { $0.key == "automaton" || $0.key == "strokes" }
    guard own["automaton"] != nil else { return nil }
    self = try Diagram(
      strictJSON: JSONEncoder().encode(JSONValue.object(own)), name: name)
  }
}
