import ArgumentParser
import Automata

/// Runs words through an automaton.
struct AutomatonRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run words, and print which are accepted and why the others are rejected.",
    discussion: """
      The exit status is 0 if all words are accepted, otherwise 1. Write the empty word as '' or ε.

      If the alphabet has symbols of several characters, a word is split by longest match; spaces or \
      commas may separate its symbols. The answer then shows how the word was split.

      Example:

        inkstate automaton run Examples/Automata/mod3.automaton 001011 10
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @Argument(help: "The words to run.")
  var words: [String]

  @OptionGroup var format: FormatOptions

  private struct Answer: Encodable {
    var word: String
    var symbols: [String]
    var isAccepted: Bool
    var reason: String?
    var endStates: [String]
    var finalPositions: [Int]
  }

  func run() throws {
    let automaton = try input.readToRun()
    let answers = words.map { word -> Answer in
      let symbols = automaton.symbols(of: word)
      let run = automaton.run(symbols)
      return Answer(
        word: word, symbols: symbols, isAccepted: run.isAccepted, reason: run.rejection?.message,
        endStates: run.endStates, finalPositions: run.finalPositions)
    }
    switch format.value {
    case .text:
      for answer in answers {
        let word = answer.word.isEmpty ? "''" : answer.word
        let symbols = answer.symbols.joined(separator: " ")
        print(
          "\(word)\t" + (answer.reason.map { "rejected: \($0)" } ?? "accepted")
            + (automaton.longSymbols.isEmpty ? "" : "\tread as: \(symbols)"))
      }
    case .json: try Terminal.show(json: answers)
    }
    if !answers.allSatisfy(\.isAccepted) { throw ExitCode(1) }
  }
}
