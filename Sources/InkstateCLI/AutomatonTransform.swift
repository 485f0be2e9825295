import ArgumentParser
import Automata

/// Commands that make one automaton of another.
enum AutomatonTransform {
  struct Determinize: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an automaton deterministic, by sets of its states.",
      discussion: """
        Example: inkstate automaton determinize machine.jff --output deterministic.jff
        """)

    @OptionGroup var input: AutomatonInput

    @Flag(help: "Let every symbol lead somewhere from every state.")
    var trap = false

    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let automaton = try input.read().automaton
      try output.write(
        AutomatonSource(try automaton.determinized(addsTrap: trap, limit: limit.value)))
    }
  }

  struct Minimize: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make the smallest deterministic automaton of the same words.",
      discussion: """
        Example: inkstate automaton minimize machine.jff --output minimal.dot
        """)

    @OptionGroup var input: AutomatonInput
    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let automaton = try input.read().automaton
      try output.write(AutomatonSource(try automaton.minimized(limit: limit.value)))
    }
  }

  struct Complement: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make the automaton of all words that one does not accept.",
      discussion: """
        Example: inkstate automaton complement machine.jff --over AB --output others.jff
        """)

    @OptionGroup var input: AutomatonInput

    @Option(help: "Symbols, each a character, that count besides those that occur.")
    var over = ""

    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let automaton = try input.read().automaton
      try output.write(
        AutomatonSource(try automaton.complement(over: over.map(String.init), limit: limit.value)))
    }
  }

  struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write an automaton in another form.",
      discussion: """
        Example: inkstate automaton convert machine.automaton --output machine.jff
        """)

    @OptionGroup var input: AutomatonInput
    @OptionGroup var output: AutomatonOutput

    func run() throws { try output.write(try input.read()) }
  }
}

extension AutomatonSource {
  /// An automaton that was computed.
  init(_ automaton: Automaton) {
    self.init(drawn: Drawn(automaton: automaton), document: nil, name: "automaton")
  }
}
