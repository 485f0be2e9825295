extension Format {
  /// Returns what of a drawing this format has no place for, for people: `1 note`.
  public func losses(of drawn: PlacedAutomaton) -> [String] {
    var losses: [String] = []
    func add(_ count: Int, _ noun: String) {
      if count > 0 { losses.append("\(count) \(noun)\(count == 1 ? "" : "s")") }
    }
    /// Adds the transitions that read nothing, which the format leaves out.
    func addUnlabelled() {
      let count = drawn.automaton.transitions.count { $0.symbols.isEmpty && !$0.includesEpsilon }
      if count > 0 { losses.append("\(count) transition\(count == 1 ? "" : "s") without a symbol") }
    }
    if drawn.acceptance != .finalState {
      losses.append("the acceptance by \(drawn.acceptance.rawValue)")
    }
    switch self {
    case .jflap: addUnlabelled()
    case .dot, .table, .exchange, .mermaid, .tikz, .att:
      if self == .table || self == .exchange { addUnlabelled() }
      add(drawn.notes.count, "note")
      add(drawn.stateLabels.count, "state label")
      if self != .tikz { add(drawn.controlPoints.count, "bent arrow") }
      guard drawn.kind == nil else { break }
      func addLabels(_ labels: [String], _ what: String) {
        guard !labels.isEmpty else { return }
        losses.append(
          "\(what): \(labels.prefix(10).joined(separator: ", "))\(labels.count > 10 ? ", …" : ""))")
      }
      addLabels(
        drawn.automaton.longLabels, "labels that read several symbols (each is one symbol now")
      addLabels(drawn.automaton.emptyLabels, "labels that read nothing (empty ranges of JFLAP")
    }
    return losses
  }
}
