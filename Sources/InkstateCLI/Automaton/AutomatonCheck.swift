import ArgumentParser
import Automata
import AutomatonEditor
import Ink

/// Reports likely mistakes in an automaton.
struct AutomatonCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report likely mistakes in an automaton, and whether it is deterministic.",
    discussion: """
      The exit status is 1 if the automaton accepts no word, or the machine cannot run. Of machines beyond \
      finite automata, all labels are checked.

      Example:

        inkstate automaton check Examples/Automata/b.automaton
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @OptionGroup var acceptance: AcceptanceOptions
  @OptionGroup var format: FormatOptions

  private struct Report: Encodable {
    var states: Int
    var transitions: Int
    /// The kind of a machine; none for a finite automaton.
    var kind: Machine.Kind?
    var alphabet: [String]
    var isDeterministic: Bool
    var errors: [String]
    var warnings: [String]
    var nondeterminism: [String]
  }

  func run() throws {
    let source = try input.read(acceptance, isSilent: true)
    let automaton = source.drawn.automaton
    let names = automaton.shownNames
    var errors: [String] = []
    var warnings: [String] = []
    var nondeterminism: [String] = []
    var symbols = automaton.alphabet
    if automaton.states.isEmpty {
      errors = [AutomatonSource.noStates]
    } else if let kind = source.drawn.kind {
      (errors, warnings) = Machine.findings(
        of: automaton, kind, acceptance: source.drawn.acceptance)
      let machine = try? Machine(automaton, kind: kind)
      nondeterminism = machine?.conflicts ?? []
      symbols = machine?.inputSymbols ?? []
    } else {
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
      nondeterminism = automaton.nondeterminism.map { $0.message(names) }
    }
    warnings += source.drawn.remarks
    warnings += source.document.map(DocumentFile.misspeltKeys) ?? []
    warnings += (source.document?.danglingTransitionDescriptions ?? []).map { "\($0) is ignored" }
    switch format.value {
    case .text:
      if let kind = source.drawn.kind { print(kind.title) }
      print(
        "\(automaton.states.count.counted("state")), "
          + "\(automaton.transitions.count.counted("transition")), symbols "
          + symbols.joined(separator: ", "))
      for error in errors { print("error: \(error)") }
      for warning in warnings { print("warning: \(warning)") }
      print(nondeterminism.isEmpty ? "deterministic" : "not deterministic:")
      for line in nondeterminism { print("  \(line)") }
    case .json:
      try Terminal.show(
        json: Report(
          states: automaton.states.count, transitions: automaton.transitions.count,
          kind: source.drawn.kind, alphabet: symbols, isDeterministic: nondeterminism.isEmpty,
          errors: errors,
          warnings: warnings, nondeterminism: nondeterminism))
    }
    if !errors.isEmpty { throw ExitCode(1) }
  }
}
