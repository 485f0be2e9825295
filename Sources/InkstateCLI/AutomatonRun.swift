import ArgumentParser
import Automata

/// Runs words.
struct AutomatonRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Tell which words an automaton accepts, and why it rejects the others.",
    discussion: """
      The exit status is 0 where all words are accepted, 1 where one is not. An empty word is ''.

      Example: inkstate automaton run machine.automaton ABA ''
      """)

  @OptionGroup var input: AutomatonInput

  @Argument(help: "The words.")
  var words: [String]

  @OptionGroup var reading: WordOptions

  @Option(help: "What is printed: \(AnswerFormat.allCases.words).")
  var format = AnswerFormat.text

  private struct Answer: Encodable {
    var word: String
    var isAccepted: Bool
    var reason: String?
    var endStates: [String]
    var finalPositions: [Int]
  }

  func run() throws {
    let automaton = try input.read().automaton
    let answers = words.map { word -> Answer in
      let run = automaton.run(reading.symbols(word, automaton))
      return Answer(
        word: word, isAccepted: run.isAccepted, reason: run.rejection?.words,
        endStates: run.endStates, finalPositions: run.finalPositions)
    }
    switch format {
    case .text:
      for answer in answers {
        let word = answer.word.isEmpty ? "''" : answer.word
        print("\(word)\t" + (answer.reason.map { "rejected: \($0)" } ?? "accepted"))
      }
    case .json: print(try JSONText.pretty(answers))
    }
    if !answers.allSatisfy(\.isAccepted) { throw ExitCode(1) }
  }
}
