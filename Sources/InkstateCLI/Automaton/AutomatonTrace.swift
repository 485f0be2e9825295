import ArgumentParser
import Automata
import InkEvaluation

/// Runs a word step by step and prints the states.
struct AutomatonTrace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Print the set of states after each symbol of a word.",
    discussion: """
      Of other machines, each line is a step on the way that accepts, or on the one that reads furthest: \
      the state, the rest of the word, and the output, stack (its top first) or tape (the head in brackets). \
      Long stacks and tapes are cut.

      Examples:

        inkstate automaton trace Examples/Automata/c.automaton ABB
        inkstate automaton trace Examples/Machines/anbn.automaton aabb
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @Argument(help: "The word to run.")
  var word: String

  @OptionGroup var options: MachineRunOptions
  @OptionGroup var format: FormatOptions

  private struct Report: Encodable {
    struct Step: Encodable {
      var symbol: String?
      var states: [String]
      /// Where labels of several symbols have been read in part.
      var unfinished: [String]?
      var transitions: [String]
    }

    var steps: [Step]
    var result: String
    var isAccepted: Bool
    var reason: String?
    var path: [String]?
  }

  private struct MachineAnswer: Encodable {
    struct Step: Encodable {
      var transition: String?
      var state: String
      var rest: String?
      var output: String?
      var stack: String?
      var left: String?
      var head: String?
      var right: String?
    }

    var steps: [Step]
    var result: String
    var isAccepted: Bool?
    var reason: String?
    var configurations: Int
  }

  func run() throws {
    switch try input.readToRun(options.acceptance) {
    case .finite(let automaton): try trace(automaton)
    case .machine(let machine): try trace(machine)
    }
  }

  private func trace(_ machine: Machine) throws {
    let symbols = machine.symbols(of: word)
    let run = try machine.run(symbols, limits: options.limits)
    func rest(_ step: Machine.Step) -> String? {
      step.tape == nil ? String(symbols[step.position...]) : nil
    }
    switch format.value {
    case .text:
      let width = machine.states.map { machine.name(of: $0.id).count }.max() ?? 1
      for index in 0..<run.stepCount {
        let step = run.step(index)
        let parts = [
          rest(step).map { ($0.isEmpty ? "ε" : $0).padded(symbols.count) },
          step.output.map { "output \($0.isEmpty ? "ε" : $0)" },
          step.stack.map { "stack \($0.isEmpty ? "ε" : Self.top($0))" },
          step.tape?.text(around: Machine.Tape.shownReach),
        ]
        Terminal.show(
          ([machine.name(of: step.state).padded(width)] + parts.compactMap(\.self))
            .joined(separator: "  "))
      }
      Terminal.show(run.outcome.message)
    case .json:
      let steps = (0..<run.stepCount).map { index in
        let step = run.step(index)
        return MachineAnswer.Step(
          transition: step.transition, state: step.state, rest: rest(step), output: step.output,
          stack: step.stack, left: step.tape?.left, head: step.tape.map { "\($0.head)" },
          right: step.tape?.right)
      }
      try Terminal.show(
        json: MachineAnswer(
          steps: steps, result: run.outcome.name, isAccepted: run.outcome.isAccepted,
          reason: run.outcome.reason,
          configurations: run.configurationCount))
    }
    if !run.outcome.isGood { throw ExitCode(1) }
  }

  /// Returns the upper part of a stack.
  private static func top(_ stack: String) -> String {
    let most = 2 * Machine.Tape.shownReach
    let missing = stack.count - most
    return missing > 0 ? "\(stack.prefix(most)) (… \(missing) more)" : stack
  }

  private func trace(_ automaton: Automaton) throws {
    let trace = automaton.trace(automaton.symbols(of: word))
    let reason = trace.run.rejection?.message
    switch format.value {
    case .text:
      let names = automaton.shownNames
      let width = trace.steps.compactMap(\.symbol?.count).max() ?? 1
      for step in trace.steps {
        let places = step.states.map(names.state) + step.unfinished
        print((step.symbol ?? "").padded(width) + "  {\(places.joined(separator: ", "))}")
      }
      print(reason.map { "rejected: \($0)" } ?? "accepted")
    case .json:
      try Terminal.show(
        json: Report(
          steps: trace.steps.map {
            .init(
              symbol: $0.symbol, states: $0.states,
              unfinished: $0.unfinished.isEmpty ? nil : $0.unfinished, transitions: $0.transitions)
          }, result: trace.run.isAccepted ? "accepted" : "rejected",
          isAccepted: trace.run.isAccepted, reason: reason, path: trace.path))
    }
    if !trace.run.isAccepted { throw ExitCode(1) }
  }
}
