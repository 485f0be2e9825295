extension Format {
  /// Returns what of a drawing this format has no place for, for people: `1 note`.
  public func losses(of drawn: PlacedAutomaton) -> [String] {
    var losses: [String] = []
    func add(_ count: Int, _ noun: String) {
      if count > 0 { losses.append("\(count) \(noun)\(count == 1 ? "" : "s")") }
    }
    switch self {
    case .jflap:
      if drawn.acceptance != .finalState {
        losses.append("the acceptance by \(drawn.acceptance.rawValue)")
      }
    case .dot, .table, .exchange, .mermaid, .tikz, .att:
      add(drawn.notes.count, "note")
      add(drawn.stateLabels.count, "state label")
      add(drawn.controlPoints.count, "bent arrow")
      let labels = drawn.kind == nil ? drawn.automaton.longLabels : []
      if !labels.isEmpty {
        losses.append(
          "labels that read several symbols (each is one symbol now: "
            + labels.prefix(10).joined(separator: ", ") + (labels.count > 10 ? ", …)" : ")"))
      }
    }
    return losses
  }
}
