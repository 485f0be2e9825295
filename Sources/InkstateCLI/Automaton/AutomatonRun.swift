import ArgumentParser
import Automata
import AutomatonEditor
import Ink
import SafeFiles

/// Runs words through an automaton.
struct AutomatonRun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run words, and print which are accepted and why the others are rejected.",
    discussion: """
      The exit status is 0 if all words are accepted, otherwise 1. Write the empty word as '' or ε.

      Spaces or commas may separate the symbols of a word. If the alphabet has symbols of several \
      characters, the rest is split by longest match, and the answer shows how the word was split.

      With --words, the words come from a file. Each line has a word, a comma or tab, and accepted or \
      rejected. The exit status is then 0 if all answers are as expected.

      A Moore or Mealy machine answers with its output, and a Turing machine with its tape as well. A run \
      of a pushdown automaton or Turing machine that reaches a limit is undecided. Of a long tape, \
      only the cells around the head are shown, unless the word is accepted.

      Examples:

        inkstate automaton run Examples/Automata/mod3.automaton 001011 10
        inkstate automaton run Examples/Automata/mod3.automaton --words Examples/Automata/mod3-words.csv
        inkstate automaton run Examples/Machines/increment.automaton 1011
      """)

  @OptionGroup var input: AutomatonInputOverAlphabet

  @Argument(help: "The words to run.")
  var words: [String] = []

  @Option(name: .customLong("words"), help: "A file of words with the expected answers.")
  var tests: String?

  @OptionGroup var options: MachineRunOptions
  @OptionGroup var format: FormatOptions

  /// The answer for a word, of finite automata and of other machines.
  private struct Report: Encodable {
    var word: String
    var symbols: [String]
    /// `accepted`, `rejected` or `undecided`; of a machine with an output, `answered` or `stopped`.
    var result: String
    /// Whether the word is accepted; none if that is undecided, or the machine answers with an output.
    var isAccepted: Bool?
    var expected: Bool?
    var reason: String?
    var endStates: [String]?
    var finalPositions: [Int]?
    var output: String?
    var stack: String?
    var tape: String?
    var steps: Int?
  }

  func validate() throws {
    guard !words.isEmpty || tests != nil else {
      throw ValidationError("give words to run, or a file of them with --words")
    }
  }

  func run() throws {
    let runnable = try input.readToRun(options.acceptance)
    let expected = try tests.map(WordTest.read(path:)) ?? []
    let asked: [(word: String, expected: Bool?)] =
      words.map { ($0, nil) } + expected.map { ($0.word, $0.isAccepted) }
    switch runnable {
    case .finite(let automaton): try run(asked, automaton)
    case .machine(let machine): try run(asked, machine)
    }
  }

  private func run(_ asked: [(word: String, expected: Bool?)], _ automaton: Automaton) throws {
    let answers = asked.map { word, expected -> Report in
      let symbols = automaton.symbols(of: word)
      let run = automaton.run(symbols)
      return Report(
        word: word, symbols: symbols, result: run.isAccepted ? "accepted" : "rejected",
        isAccepted: run.isAccepted, expected: expected, reason: run.rejection?.message,
        endStates: run.endStates,
        finalPositions: run.finalPositions)
    }
    func isRight(_ answer: Report) -> Bool { answer.isAccepted == answer.expected ?? true }
    switch format.value {
    case .text:
      for answer in answers {
        let word = answer.word.isEmpty ? "''" : answer.word
        let symbols = answer.symbols.joined(separator: " ")
        print(
          "\(word)\t" + (answer.reason.map { "rejected: \($0)" } ?? "accepted")
            + (answer.expected == nil ? "" : isRight(answer) ? "\tas expected" : "\tWRONG")
            + (automaton.longSymbols.isEmpty ? "" : "\tread as: \(symbols)"))
      }
    case .json: try Terminal.show(json: answers)
    }
    if !answers.allSatisfy(isRight) { throw ExitCode(1) }
  }
}

extension AutomatonRun {
  private func run(_ asked: [(word: String, expected: Bool?)], _ machine: Machine) throws {
    guard !machine.kind.isTransducer || tests == nil else {
      throw ValidationError(
        "--words: \(machine.kind.noun) answers with an output, and neither accepts nor rejects")
    }
    var areRight = true
    var answers: [Report] = []
    for (word, expected) in asked {
      let symbols = machine.symbols(of: word)
      let run = try machine.run(symbols, limits: options.limits)
      let last = run.last
      let isRight =
        expected.map { run.outcome == .accepted ? $0 : !$0 && run.outcome.name == "rejected" }
        ?? run.outcome.isGood
      areRight = areRight && isRight
      switch format.value {
      case .text:
        print(
          "\(word.isEmpty ? "''" : word)\t\(run.outcome.message)"
            + (last.output.map { "\toutput: \($0.isEmpty ? "ε" : $0)" } ?? "")
            + (last.tape.map {
              "\ttape: \(run.outcome == .accepted ? $0.shownContent : $0.shortContent)"
            } ?? "")
            + (expected == nil ? "" : isRight ? "\tas expected" : "\tWRONG"))
      case .json:
        answers.append(
          Report(
            word: word, symbols: symbols.map { String($0) }, result: run.outcome.name,
            isAccepted: run.outcome.isAccepted, expected: expected, reason: run.outcome.reason,
            output: last.output, stack: last.stack, tape: last.tape?.content,
            steps: run.stepCount - 1))
      }
    }
    if format.value == .json { try Terminal.show(json: answers) }
    if !areRight { throw ExitCode(1) }
  }
}

extension WordTest {
  /// Reads the tests in the file at `path`.
  static func read(path: String) throws -> [WordTest] {
    guard let data = try InputFile(path: path).rest(atMost: 1 << 26) else {
      throw FileError(path: path, expected: "at most 64 MiB of words", found: "a larger file")
    }
    guard let text = String(validating: data.withoutByteOrderMark, as: UTF8.self) else {
      throw FileError(path: path, expected: "text in UTF-8", found: "other bytes")
    }
    let tests = try read(text, name: path)
    guard !tests.isEmpty else { throw FileError(path: path, expected: "words", found: "none") }
    return tests
  }
}
