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

  @OptionGroup var input: AutomatonPair
  @OptionGroup var limit: LimitOptions

  @OptionGroup var format: FormatOptions

  private struct Report: Encodable {
    var areEquivalent: Bool
    var word: [String]?
    var acceptedBy: String?
  }

  func run() throws {
    let (first, other) = try input.read(for: "equivalent")
    // The word is written over both alphabets.
    let one = try first.addingToAlphabet(input.alphabet.symbols() + other.alphabet)
    let word = try one.counterexample(to: other, limit: limit.value)
    let owner = word.map { one.accepts($0) ? input.first : input.second }
    switch format.value {
    case .text:
      if let word, let owner {
        let text = word.isEmpty ? "the empty word" : "`\(one.text(of: word))`"
        print("different: \(text) is accepted by \(owner) only")
      } else {
        print("equivalent")
      }
    case .json:
      try Terminal.show(json: Report(areEquivalent: word == nil, word: word, acceptedBy: owner))
    }
    if word != nil { throw ExitCode(1) }
  }
}
