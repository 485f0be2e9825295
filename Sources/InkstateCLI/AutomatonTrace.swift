import ArgumentParser
import Automata
import InkEvaluation

/// Runs a word step by step and prints the states.
struct AutomatonTrace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Print the set of states after each symbol of a word.",
    discussion: """
      Example:

        inkstate automaton trace Examples/Automata/c.automaton ABB
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @Argument(help: "The word to run.")
  var word: String

  @OptionGroup var format: FormatOptions

  private struct Answer: Encodable {
    struct Step: Encodable {
      var symbol: String?
      var states: [String]
      var transitions: [String]
    }

    var steps: [Step]
    var isAccepted: Bool
    var reason: String?
    var path: [String]?
  }

  func run() throws {
    let automaton = try input.readToRun()
    let trace = automaton.trace(automaton.symbols(of: word))
    let reason = trace.run.rejection?.message
    switch format.value {
    case .text:
      let names = automaton.shownNames
      let width = trace.steps.compactMap(\.symbol?.count).max() ?? 1
      for step in trace.steps {
        print((step.symbol ?? "").padded(width) + "  {\(names.list(step.states))}")
      }
      print(reason.map { "rejected: \($0)" } ?? "accepted")
    case .json:
      try Terminal.show(
        json: Answer(
          steps: trace.steps.map {
            .init(symbol: $0.symbol, states: $0.states, transitions: $0.transitions)
          }, isAccepted: trace.run.isAccepted, reason: reason, path: trace.path))
    }
    if !trace.run.isAccepted { throw ExitCode(1) }
  }
}
