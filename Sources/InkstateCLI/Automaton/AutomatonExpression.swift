import ArgumentParser
import Automata

extension RegularExpression.Notation: ExpressibleByArgument {}

/// Commands between automata and other descriptions of their words.
enum AutomatonExpression {
  struct Expression: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "expression",
      abstract: "Print a regular expression for the words that an automaton accepts.",
      discussion: """
        Example:

          inkstate automaton expression Examples/Automata/mod3.automaton
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet
    @OptionGroup var limit: LimitOptions

    func run() throws {
      let automaton = try input.read().finite(for: "expression").minimized(limit: limit.value)
      Terminal.show(try automaton.regularExpression(limit: limit.value).description)
    }
  }

  struct FromExpression: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "from-expression",
      abstract: "Compute the minimal automaton of a regular expression.",
      discussion: """
        `ab` is a sequence, `a|b` a choice, `a*`, `a+`, `a?`, `a{3}` and `a{2,4}` are repetitions, and \
        parentheses group. `[a-c]` is one of these symbols, `[^a]` any other symbol of the alphabet, and \
        `.` any symbol of it. `ε` is the empty word, `∅` no word at all, and `\\` escapes a character. A symbol of several \
        characters is quoted: 'begin'(a|b)*. With --notation jflap, `a+b` is a choice and `!` the empty \
        word, as in JFLAP.

        Example:

          inkstate automaton from-expression '(a|b)*abb' -o runs/abb.automaton
        """)

    @Argument(help: "The regular expression.")
    var expression: String

    @Flag(help: "Keep the nondeterministic automaton of Thompson's construction.")
    var thompson = false

    @Option(help: "The notation: standard, or jflap, in which + is a choice and ! the empty word.")
    var notation = RegularExpression.Notation.standard

    @OptionGroup var alphabet: AlphabetOptions
    @OptionGroup var limit: LimitOptions
    @OptionGroup var output: AutomatonOutput

    func run() throws {
      let read = try RegularExpression(
        expression, alphabet: alphabet.symbols(), notation: notation)
      for remark in read.remarks { Terminal.say("warning: \(remark)") }
      let automaton = read.automaton
      try output.write(
        AutomatonSource(thompson ? automaton : try automaton.minimized(limit: limit.value)))
    }
  }

  struct Words: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "words",
      abstract: "List the first words that an automaton accepts, short ones first.",
      discussion: """
        The empty word is listed as ε.

        Example:

          inkstate automaton words Examples/Automata/mod3.automaton --count 5
        """)

    @OptionGroup var input: AutomatonInputOverAlphabet

    @Option(help: "The maximum number of words.")
    var count = 20

    @OptionGroup var limit: LimitOptions
    @OptionGroup var format: FormatOptions

    func validate() throws { try check("--count", count, in: 1...1_000_000) }

    func run() throws {
      let automaton = try input.read().finite(for: "words")
      let words = try automaton.acceptedStrings(first: count, limit: limit.value)
      switch format.value {
      case .text:
        for word in words { Terminal.show(word.isEmpty ? "ε" : automaton.text(of: word)) }
        if words.isEmpty { Terminal.say("\(input.file): accepts no word") }
      case .json: try Terminal.show(json: words)
      }
    }
  }
}
