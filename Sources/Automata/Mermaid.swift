/// Mermaid's state diagrams, which can only be written.
extension Automaton {
  /// The automaton as a Mermaid state diagram: initial states have an arrow from a dot, final states one
  /// to a ring.
  public var mermaid: String {
    let numbers = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($1.id, "s\($0)") })
    var lines = ["stateDiagram-v2", "  direction LR"]
    for state in states {
      let name = state.name.isEmpty ? state.id : state.name
      lines.append("  state \"\(Self.mermaidText(name))\" as \(numbers[state.id]!)")
    }
    for state in states where state.isInitial { lines.append("  [*] --> \(numbers[state.id]!)") }
    for transition in transitions {
      let symbols = transition.symbols + (transition.includesEpsilon ? ["ε"] : [])
      let label = symbols.isEmpty ? "" : ": \(Self.mermaidText(symbols.joined(separator: ", ")))"
      lines.append(
        "  \(numbers[transition.start]!) --> \(numbers[transition.end]!)\(label)")
    }
    for state in states where state.isFinal { lines.append("  \(numbers[state.id]!) --> [*]") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes characters with a meaning in Mermaid by their number.
  private static func mermaidText(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "#", ";", ":", "<", ">", "&", "%", "{", "}", "[", "]", "\\", "*", "-", "`", "_",
        "~":
        "#\(scalar.value);"
      default: "\(scalar)"
      }
    }.joined()
  }
}
