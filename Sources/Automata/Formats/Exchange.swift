import Foundation
import JSONReading

/// The exchange form of the reference editor: JSON with the names of states, and for each state its
/// symbols with one target each (see "How drawing works" in the documentation of
/// `AutomatonEditor`).
///
/// The key `alphabet`, which the reference editor ignores, lists the symbols that no transition
/// reads.
enum Exchange {
  private struct File: Codable {
    var initial: [String]
    var final: [String]
    var states: [String: [String: String]]
    var alphabet: [String]?
  }

  static func read(_ data: Data, name: String) throws(AutomatonError) -> Automaton {
    try refuseOtherJSON(data, name: name)
    let file: File
    do {
      file = try File(strictJSON: data, name: name)
    } catch {
      let error = error as? JSONError
      throw AutomatonError(
        at: error?.place ?? name,
        expected: error?.expected ?? "JSON with `initial`, `final` and `states`",
        found: error?.found ?? "other JSON")
    }
    var builder = AutomatonBuilder(file: name)
    for state in file.states.keys.sorted(by: { one, other in
      let order = one.compare(other, options: .numeric)
      // `1` and `01` compare as equal numbers.
      return order == .orderedSame ? one < other : order == .orderedAscending
    }) {
      builder.state(state)
    }
    builder.alphabet = file.alphabet ?? []
    for (list, change) in [
      (file.initial, { (state: inout Automaton.State) in state.isInitial = true }),
      (file.final, { (state: inout Automaton.State) in state.isFinal = true }),
    ] {
      for state in list {
        guard builder.contains(state) else {
          throw AutomatonError(at: name, expected: "a state `\(state)`", found: "none")
        }
        builder.state(state, change)
      }
    }
    for (start, ways) in file.states.sorted(by: { $0.key < $1.key }) {
      for (list, end) in ways.sorted(by: { $0.key < $1.key }) {
        guard builder.contains(end) else {
          throw AutomatonError(
            at: "\(name), state `\(start)`", expected: "a state `\(end)`", found: "none")
        }
        for part in list.split(separator: ",") {
          let symbol = part.trimmingCharacters(in: .whitespaces)
          guard !symbol.isEmpty else { continue }
          builder.transition(start, end, symbol: symbol == "ε" ? nil : symbol)
        }
      }
    }
    return try builder.automaton()
  }

  /// Throws if the data are well-formed JSON with none of the keys of this form.
  private static func refuseOtherJSON(_ data: Data, name: String) throws(AutomatonError) {
    guard JSONProblem.description(of: data) == nil else { return }
    let keys = (try? [String: IgnoredJSON](json: data)).map { Array($0.keys) } ?? []
    guard !keys.contains(where: { ["initial", "final"].contains($0) }) else { return }
    throw AutomatonError(
      at: name,
      expected:
        "a document of the editor, the exchange form (`initial`, `final`, `states`), or a file of "
        + "FSM Designer, automatonSimulator or Automatarium",
      found: "JSON of no known kind")
  }

  static func write(_ automaton: Automaton) throws(AutomatonError) -> Data {
    let names = automaton.uniqueNames
    var states = Dictionary(uniqueKeysWithValues: names.values.map { ($0, [String: String]()) })
    for transition in automaton.transitions {
      let (start, end) = (names[transition.start]!, names[transition.end]!)
      let symbols = transition.symbols + (transition.includesEpsilon ? ["ε"] : [])
      if let symbol = transition.symbols.first(where: {
        $0 == "ε" || $0.contains(",") || $0.contains(where: \.isWhitespace)
      }) {
        throw AutomatonError(
          at: "exchange form", expected: "symbols without commas, white space and ε",
          found: "`\(symbol)`")
      }
      let list = symbols.joined(separator: ", ")
      guard !list.isEmpty else { continue }
      guard states[start]![list] == nil || states[start]![list] == end else {
        throw AutomatonError(
          at: "exchange form, state `\(start)`",
          expected: "one target for `\(list)`, because this format cannot hold two", found: "two")
      }
      states[start]![list] = end
    }
    let unread = automaton.unreadSymbols
    let file = File(
      initial: automaton.initialStates.map { names[$0]! },
      final: automaton.finalStates.map { names[$0]! }, states: states,
      alphabet: unread.isEmpty ? nil : unread)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(file) else {
      preconditionFailure("strings can be encoded as JSON")
    }
    return data + Data("\n".utf8)
  }
}
