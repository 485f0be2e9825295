import ArgumentParser
import Automata

/// Commands that make one automaton of another.
enum AutomatonTransform {
  struct Determinize: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "determinize",
      abstract: "Make an automaton deterministic, by sets of its states.",
      discussion: """
        Example:

          inkstate automaton determinize Examples/Automata/b.automaton -o runs/b.jff
        """,
      aliases: ["determinise"])

    @OptionGroup var input: AutomatonInputOverAlphabet

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
      commandName: "minimize",
      abstract: "Make the smallest deterministic automaton of the same words.",
      discussion: """
        A state that is merged with no other keeps its name. Merged ones are named as a set, {q1,q2}, \
        or where that would be long, by the first of q0, q1, … that no state has.

        Example:

          inkstate automaton minimize Examples/Automata/mod3.jff -o runs/mod3-min.dot
        """,
      aliases: ["minimise"])

    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let automaton = try input.read().automaton
      try output.write(AutomatonSource(try automaton.minimized(limit: limit.value)))
    }
  }

  struct Complement: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "complement",
      abstract: "Make the automaton of all words over the alphabet that one does not accept.",
      discussion: """
        Example:

          inkstate automaton complement Examples/Automata/d.automaton -o runs/not-d.jff
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet

    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let automaton = try input.read().automaton
      try output.write(
        AutomatonSource(try automaton.complement(limit: limit.value)))
    }
  }

  struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "convert",
      abstract: "Write an automaton in another form.",
      discussion: """
        Example:

          inkstate automaton convert Examples/Automata/mod3.automaton -o runs/mod3.dot
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var output: AutomatonOutput

    func run() throws { try output.write(try input.read()) }
  }
}

extension AutomatonSource {
  /// An automaton that was computed.
  init(_ automaton: Automaton) {
    self.init(drawn: Drawn(automaton: automaton), document: nil)
  }
}
