import ArgumentParser
import Automata

/// Looks for mistakes.
struct AutomatonCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tell what looks like a mistake in an automaton, and whether it is deterministic.",
    discussion: """
      The exit status is 1 where no word is accepted.

      Example: inkstate automaton check machine.automaton
      """)

  @OptionGroup var input: AutomatonInput

  @Option(help: "What is printed: \(AnswerFormat.allCases.words).")
  var format = AnswerFormat.text

  private struct Answer: Encodable {
    var states: Int
    var transitions: Int
    var alphabet: [String]
    var isDeterministic: Bool
    var errors: [String]
    var warnings: [String]
    var nondeterminism: [String]
  }

  func run() throws {
    let source = try input.read()
    let automaton = source.automaton
    let names = Dictionary(
      uniqueKeysWithValues: automaton.states.map { ($0.id, $0.name.isEmpty ? $0.id : $0.name) })
    var errors: [String] = []
    var warnings: [String] = []
    for finding in automaton.findings {
      if finding.isError {
        errors.append(words(finding, names))
      } else {
        warnings.append(words(finding, names))
      }
    }
    if errors.isEmpty, automaton.shortestWord == nil {
      errors.append("no word is accepted: no way leads from an initial to a final state")
    }
    for id in source.document?.danglingTransitions ?? [] {
      warnings.append("transition \(id) hangs loose and is left out")
    }
    let nondeterminism = automaton.nondeterminism.map { words($0, names) }
    switch format {
    case .text:
      print(
        "\(automaton.states.count) states, \(automaton.transitions.count) transitions, symbols "
          + automaton.alphabet.joined(separator: ", "))
      for error in errors { print("error: \(error)") }
      for warning in warnings { print("warning: \(warning)") }
      print(nondeterminism.isEmpty ? "deterministic" : "not deterministic:")
      for line in nondeterminism { print("  \(line)") }
    case .json:
      print(
        try JSONText.pretty(
          Answer(
            states: automaton.states.count, transitions: automaton.transitions.count,
            alphabet: automaton.alphabet, isDeterministic: nondeterminism.isEmpty, errors: errors,
            warnings: warnings, nondeterminism: nondeterminism)))
    }
    if !errors.isEmpty { throw ExitCode(1) }
  }

  private func words(_ finding: Automaton.Finding, _ names: [String: String]) -> String {
    switch finding {
    case .noInitialState: "no initial state"
    case .severalInitialStates(let ids): "several initial states: \(list(ids, names))"
    case .noFinalState: "no final state"
    case .withoutSymbols(let id): "transition \(id) has no symbol and no ε"
    case .unreachable(let id): "no word reaches state \(names[id]!)"
    case .unproductive(let id): "no final state is reached from state \(names[id]!)"
    case .unnamed(let id): "state \(id) has no name"
    case .sharedName(let name, let ids): "\(ids.count) states are called \(name)"
    case .longSymbols(let symbols):
      "symbols of several characters, read only with --longest-match: "
        + symbols.joined(separator: ", ")
    }
  }

  private func words(_ reason: Automaton.Nondeterminism, _ names: [String: String]) -> String {
    switch reason {
    case .initialStates(let ids):
      ids.isEmpty ? "no initial state" : "several initial states: \(list(ids, names))"
    case .epsilon(let transition): "transition \(transition) needs no symbol"
    case .choice(let state, let symbol, let transitions):
      "in state \(names[state]!), \(symbol) leads several ways, by "
        + transitions.joined(separator: ", ")
    }
  }

  private func list(_ ids: [String], _ names: [String: String]) -> String {
    ids.map { names[$0]! }.joined(separator: ", ")
  }
}
