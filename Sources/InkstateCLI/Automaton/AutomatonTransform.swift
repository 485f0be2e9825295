import ArgumentParser
import Automata

/// Commands that convert one automaton into another.
enum AutomatonTransform {
  struct Determinize: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "determinize",
      abstract: "Make an automaton deterministic by the subset construction.",
      discussion: """
        Example:

          inkstate automaton determinize Examples/Automata/b.automaton -o runs/b.jff
        """,
      aliases: ["determinise"])

    @OptionGroup var input: AutomatonInputOverAlphabet

    @Flag(help: "Add a trap state, so that every state has a transition for every symbol.")
    var trap = false

    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let automaton = try input.read().finite(for: "determinize")
      try output.write(
        AutomatonSource(try automaton.determinized(addsTrap: trap, limit: limit.value)))
    }
  }

  struct Minimize: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "minimize",
      abstract: "Compute the minimal deterministic automaton.",
      discussion: """
        A state that is not merged keeps its name. Merged states are named as a set, {q1,q2}. If \
        that name would be long, the first unused name of q0, q1, … is used instead.

        Example:

          inkstate automaton minimize Examples/Automata/mod3.jff -o runs/mod3-min.dot
        """,
      aliases: ["minimise"])

    @OptionGroup var options: ConversionOptions
    func run() throws { try options.run(.minimize) }
  }

  struct Complement: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "complement",
      abstract:
        "Compute an automaton for the complement: all words over the alphabet that are rejected.",
      discussion: """
        Example:

          inkstate automaton complement Examples/Automata/d.automaton -o runs/not-d.jff
        """)

    @OptionGroup var options: ConversionOptions
    func run() throws { try options.run(.complement) }
  }

  struct Complete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "complete",
      abstract: "Make an automaton deterministic, with a transition for every state and symbol.",
      discussion: """
        Example:

          inkstate automaton complete Examples/Automata/b.automaton
        """)

    @OptionGroup var options: ConversionOptions
    func run() throws { try options.run(.complete) }
  }

  struct RemoveEpsilon: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-epsilon",
      abstract: "Compute an equivalent automaton without ε-transitions.",
      discussion: """
        Example:

          inkstate automaton remove-epsilon Examples/Automata/b.automaton
        """)

    @OptionGroup var options: ConversionOptions
    func run() throws { try options.run(.removeEpsilon) }
  }

  struct Reverse: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reverse",
      abstract: "Compute an automaton for the reversed words.",
      discussion: """
        Example:

          inkstate automaton reverse Examples/Automata/b.automaton
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      try output.write(try input.read().converted(by: .reverse))
    }
  }

  struct Trim: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "trim",
      abstract: "Remove the states that are on no path from an initial to a final state.",
      discussion: """
        Initial states stay.

        Example:

          inkstate automaton trim Examples/Automata/b.automaton
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      try output.write(try input.read().converted(by: .trim))
    }
  }

  struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "convert",
      abstract: "Convert an automaton to another file format.",
      discussion: """
        What the format has no place for, such as notes, is named on standard error.

        Example:

          inkstate automaton convert Examples/Automata/mod3.automaton -o runs/mod3.dot
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var acceptance: AcceptanceOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws { try output.write(try input.read(acceptance)) }
  }

  struct ConversionOptions: ParsableArguments {
    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run(_ conversion: Conversion) throws {
      try output.write(try input.read().converted(by: conversion, limit: limit.value))
    }
  }
}

extension AutomatonSource {
  /// Returns the result of a conversion, which only finite automata have.
  fileprivate func converted(
    by conversion: Conversion, limit: Limit = .standard
  ) throws(AutomatonError) -> AutomatonSource {
    let operation = conversion == .removeEpsilon ? "remove-epsilon" : conversion.rawValue
    return AutomatonSource(try conversion.result(of: finite(for: operation), limit: limit))
  }

  /// Creates a source from a computed automaton, which has no drawing.
  init(_ automaton: Automaton) {
    self.init(drawn: PlacedAutomaton(automaton: automaton), document: nil)
  }
}
