import ArgumentParser
import Automata
import Ink

/// Reports likely mistakes in an automaton.
struct AutomatonCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report likely mistakes in an automaton, and whether it is deterministic.",
    discussion: """
      The exit status is 1 if the automaton accepts no word.

      Example:

        inkstate automaton check Examples/Automata/b.automaton
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @OptionGroup var format: FormatOptions

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
    let names = automaton.shownNames
    var errors: [String] = []
    var warnings: [String] = []
    for finding in automaton.findings {
      if finding.isError {
        errors.append(finding.message(names))
      } else {
        warnings.append(finding.message(names))
      }
    }
    if errors.isEmpty, !automaton.acceptsAnyWord {
      errors.append("no word is accepted: no path leads from an initial to a final state")
    }
    warnings += (source.document?.danglingTransitionDescriptions ?? []).map { "\($0) is ignored" }
    let nondeterminism = automaton.nondeterminism.map { $0.message(names) }
    switch format.value {
    case .text:
      print(
        "\(automaton.states.count.counted("state")), "
          + "\(automaton.transitions.count.counted("transition")), symbols "
          + automaton.alphabet.joined(separator: ", "))
      for error in errors { print("error: \(error)") }
      for warning in warnings { print("warning: \(warning)") }
      print(nondeterminism.isEmpty ? "deterministic" : "not deterministic:")
      for line in nondeterminism { print("  \(line)") }
    case .json:
      try Terminal.show(
        json: Answer(
          states: automaton.states.count, transitions: automaton.transitions.count,
          alphabet: automaton.alphabet, isDeterministic: nondeterminism.isEmpty, errors: errors,
          warnings: warnings, nondeterminism: nondeterminism))
    }
    if !errors.isEmpty { throw ExitCode(1) }
  }
}
