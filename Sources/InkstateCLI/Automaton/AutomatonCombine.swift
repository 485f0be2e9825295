import ArgumentParser
import Automata
import AutomatonEditor

/// Commands that combine two automata into one.
enum AutomatonCombine {
  struct Union: ParsableCommand {
    static let configuration = AutomatonCombine.configuration(
      of: .union, abstract: "Compute an automaton for the words that at least one of two accepts.")
    @OptionGroup var options: CombineOptions
    func run() throws { try options.run(.union) }
  }

  struct Intersection: ParsableCommand {
    static let configuration = AutomatonCombine.configuration(
      of: .intersection, abstract: "Compute an automaton for the words that both of two accept.")
    @OptionGroup var options: CombineOptions
    func run() throws { try options.run(.intersection) }
  }

  struct Difference: ParsableCommand {
    static let configuration = AutomatonCombine.configuration(
      of: .difference,
      abstract: "Compute an automaton for the words that only the first of two accepts.")
    @OptionGroup var options: CombineOptions
    func run() throws { try options.run(.difference) }
  }

  private static func configuration(
    of combination: Combination, abstract: String
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: combination.rawValue, abstract: abstract,
      discussion: """
        The result is deterministic and minimal.

        Example: inkstate automaton \(combination.rawValue) Examples/Automata/a.automaton \
        Examples/Automata/d.automaton
        """)
  }

  struct CombineOptions: ParsableArguments {
    @OptionGroup var input: AutomatonPair
    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run(_ combination: Combination) throws {
      let (first, other) = try input.read(for: combination.rawValue)
      let one = try first.addingToAlphabet(input.alphabet.symbols())
      let combined = try one.combined(with: other, by: combination, limit: limit.value)
      try output.write(AutomatonSource(try combined.minimized(limit: limit.value)))
    }
  }
}
