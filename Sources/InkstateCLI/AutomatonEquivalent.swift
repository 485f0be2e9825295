import ArgumentParser
import Automata
import AutomatonEditor

/// Compares the languages of two automata.
struct AutomatonEquivalent: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "equivalent",
    abstract:
      "Report whether two automata accept the same words; if not, print the shortest difference.",
    discussion: """
      The exit status is 1 if they do not.

      Example:

        inkstate automaton minimize Examples/Automata/mod3.jff -o runs/min.dot
        inkstate automaton equivalent Examples/Automata/mod3.jff runs/min.dot
      """)

  @Argument(help: "The first automaton; - is standard input.")
  var first: String

  @Argument(help: "The second automaton; - is standard input.")
  var second: String

  @Option(
    help: "The format of both files. (default: detected)")
  var from: DocumentForm?

  @OptionGroup var alphabet: AlphabetOptions
  @OptionGroup var limit: LimitOptions

  @OptionGroup var format: FormatOptions

  private struct Answer: Encodable {
    var areEquivalent: Bool
    var word: [String]?
    var acceptedBy: String?
  }

  func validate() throws {
    guard first != "-" || second != "-" else {
      throw ValidationError("only one of the two automata can come from standard input")
    }
  }

  func run() throws {
    let source = try AutomatonSource.read(first, form: from)
    let other = try AutomatonSource.read(second, form: from).automaton
    // The word is written over both alphabets.
    let one = try source.automaton.addingToAlphabet(alphabet.symbols() + other.alphabet)
    let word = try one.counterexample(to: other, limit: limit.value)
    let owner = word.map { one.accepts($0) ? first : second }
    switch format.value {
    case .text:
      if let word, let owner {
        let text = word.isEmpty ? "the empty word" : "`\(one.text(of: word))`"
        print("different: \(text) is accepted by \(owner) only")
      } else {
        print("equivalent")
      }
    case .json:
      try Terminal.show(json: Answer(areEquivalent: word == nil, word: word, acceptedBy: owner))
    }
    if word != nil { throw ExitCode(1) }
  }
}
