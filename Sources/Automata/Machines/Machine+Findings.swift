extension Machine {
  /// The maximum number of rules of a state that are compared with each other.
  private static let maximumCompared = 1000

  /// The choices that make the machine nondeterministic, for people; none if it is deterministic.
  ///
  /// Of each state, the first 1,000 rules are compared.
  public var conflicts: [String] {
    var conflicts: [String] = []
    let initial = states.filter(\.isInitial).map(\.id)
    if initial.count > 1 {
      conflicts.append("several initial states: \(initial.map(name(of:)).joined(separator: ", "))")
    }
    let byState = Dictionary(grouping: transitions, by: \.start)
    for state in states {
      let ways = byState[state.id, default: []].flatMap { transition in
        transition.rules.map { (end: transition.end, rule: $0) }
      }.prefix(Self.maximumCompared)
      // One message for a state is enough.
      search: for (index, one) in ways.enumerated() {
        for other in ways[..<index] where one.rule.conflicts(with: other.rule) {
          guard one.rule != other.rule || one.end != other.end else { continue }
          conflicts.append(
            "state \(name(of: state.id)) has a choice between \(other.rule.text) to \(name(of: other.end)) "
              + "and \(one.rule.text) to \(name(of: one.end))")
          break search
        }
      }
    }
    return conflicts
  }

  /// Returns the likely mistakes in a drawing of this kind; errors keep it from running.
  public static func findings(
    of drawn: Automaton, _ kind: Kind, acceptance: Acceptance = .finalState
  ) -> (errors: [String], warnings: [String]) {
    var errors = labelProblems(of: drawn, kind)
    var warnings: [String] = []
    let names = drawn.shownNames
    for finding in drawn.findings {
      switch finding {
      case .longSymbols, .longLabels, .unusualRange, .emptyLooking: break
      case .noFinalState, .dead:
        guard !kind.isTransducer, acceptance == .finalState else { continue }
        if case .dead = finding {
          warnings.append(finding.message(names))
        } else {
          errors.append(
            finding.message(names)
              + (kind == .pushdown
                ? " (for acceptance with an empty stack: --accept empty-stack)" : ""))
        }
      case .withoutSymbols(let id):
        warnings.append(
          "the transition \(names.transition(id)) has no label, such as \(kind.exampleLabel)")
      case .noInitialState: errors.append(finding.message(names))
      case .severalInitialStates, .unreachable, .unnamed, .sharedName:
        warnings.append(finding.message(names))
      }
    }
    if kind == .moore {
      warnings += drawn.states.filter { MooreName($0.name).output == nil }.map {
        "state \(names.state($0.id)) has no output; type it after the name, as in q0/x"
      }
    }
    return (errors, warnings)
  }
}

extension MachineRule {
  /// Whether both rules can apply to one configuration.
  fileprivate func conflicts(with other: MachineRule) -> Bool {
    func fit(_ one: String, _ other: String) -> Bool {
      one.starts(with: other) || other.starts(with: one)
    }
    switch (self, other) {
    case (.read(let one), .read(let other)): return one == other
    case (.write(let one, _), .write(let other, _)): return one == other
    case (.stack(let read, let pop, _), .stack(let otherRead, let otherPop, _)):
      return fit(read, otherRead) && fit(pop, otherPop)
    case (.tape(let one, _, _), .tape(let other, _, _)): return one == other
    default: return false
    }
  }
}
