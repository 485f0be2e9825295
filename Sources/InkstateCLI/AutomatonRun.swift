import ArgumentParser
import Automata

/// Runs words.
struct AutomatonRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Tell which words an automaton accepts, and why it rejects the others.",
    discussion: """
      The exit status is 0 where all words are accepted, 1 where one is not. The empty word is '', or ε \
      unless ε is a symbol. Where the alphabet has symbols of several characters, the longest that fits \
      is read, spaces or commas may separate symbols, and the answer shows the symbols that were read.

      Example:

        inkstate automaton run Examples/Automata/mod3.automaton 001011 10
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @Argument(help: "The words.")
  var words: [String]

  @Option(help: "What is printed: \(AnswerFormat.allCases.words).")
  var format = AnswerFormat.text

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
        word: word, symbols: symbols, isAccepted: run.isAccepted, reason: run.rejection?.words,
        endStates: run.endStates, finalPositions: run.finalPositions)
    }
    switch format {
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
