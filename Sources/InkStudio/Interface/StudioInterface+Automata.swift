import Automata
import AutomatonEditor
import Foundation
import Hummingbird

// Requests that run, compare and convert automata.

extension StudioInterface {
  private struct Word: Decodable {
    var word: String
  }

  struct Steps: Encodable {
    struct Step: Encodable {
      var symbol: String?
      var states: [String]
      var transitions: [String]
      /// The number of symbols that were read, if it is not that of the steps.
      var position: Int?
      var output: String?
      var stack: String?
      var tape: Tape?
    }

    struct Tape: Encodable {
      var left: String
      var head: String
      var right: String
    }

    var isAccepted: Bool
    var reason: String?
    /// The answer of a machine beyond finite automata, as a sentence.
    var said: String?
    var symbols: [String]
    var steps: [Step]
  }

  private struct Words: Decodable {
    var lines: String
  }

  private struct WordResult: Encodable {
    var word: String
    var isAccepted: Bool
    var expected: Bool?
    /// The answer of a machine, if it is not that the word is accepted or rejected.
    var said: String?
  }

  private struct Expression: Decodable {
    var text: String
  }

  /// The runs of two automata on the shortest word that only one accepts; none if they are equivalent.
  private struct Comparison: Encodable {
    var runs: [Steps] = []
    /// What the documents do not say, as clauses.
    var missing: [String] = []
  }

  /// The maximum number of words that are run or listed at once.
  private static let maximumWords = 1000
  static let longestWord = 10_000
  /// The maximum number of states and transitions in all steps together.
  private static let maximumSteps = 200_000

  func addAutomata(to router: Router<StudioContext>) {
    router.post("api/documents/:name/run") { request, context in
      let (name, id) = try shown(request, context)
      let word = try await decode(Word.self, request).word
      return try await respondWithJSON {
        let document = try await documents.state(of: name, id: id).document
        return try await longWork.run(for: context) { _ in
          if let machine = try document.machine { return try Self.steps(machine, word) }
          let automaton = document.automaton
          return try Self.steps(automaton, automaton.symbols(of: word))
        }
      }
    }
    router.post("api/documents/:name/words") { request, context in
      let (name, id) = try shown(request, context)
      let lines = try await decode(Words.self, request).lines
      return try await respondWithJSON {
        let document = try await documents.state(of: name, id: id).document
        return try await longWork.run(for: context) { cancellation in
          guard let machine = try document.machine else {
            let automaton = document.automaton
            return try Self.results(lines, cancellation) { word in
              let symbols = automaton.symbols(of: word)
              try Self.check(symbols.count)
              return (automaton.accepts(symbols), nil)
            }
          }
          return try Self.results(lines, cancellation) { try Self.answer($0, of: machine) }
        }
      }
    }
    router.get("api/documents/:name/accepted") { request, context in
      let (name, id) = try shown(request, context)
      let count = try parameter("count", request).flatMap(Int.init) ?? 0
      return try await respondWithJSON {
        let automaton = try await documents.state(of: name, id: id).document.finiteAutomaton(
          for: "accepted words")
        return try await longWork.run(for: context) { _ in
          try automaton.acceptedStrings(
            first: min(max(0, count), Self.maximumWords), limit: Conversion.limit
          ).map(automaton.text)
        }
      }
    }
    router.get("api/documents/:name/expression") { request, context in
      try await respondWithJSON {
        let automaton = try await whole(request, context, for: "expression").automaton
        return try await longWork.run(for: context) { _ in
          try automaton.regularExpression(limit: Conversion.limit).description
        }
      }
    }
    router.post("api/expression") { request, context in
      let text = try await decode(Expression.self, request).text
      guard text.count <= Self.longestWord else {
        throw StudioError(
          "The expression has \(text.count) characters. Type at most \(Self.longestWord).",
          .contentTooLarge)
      }
      return try await respondWithJSON {
        let document = try await longWork.run(for: context) { _ in
          let automaton = try RegularExpression(text).automaton.minimized(limit: Conversion.limit)
          return try Documents.new(PlacedAutomaton(automaton: automaton))
        }
        return try await documents.add(document, named: "Expression")
      }
    }
    for conversion in Conversion.allCases {
      router.post(RouterPath("api/documents/:name/\(conversion.rawValue)")) { request, context in
        try await make(conversion.adjective, request, context) { automaton, _ in
          try conversion.result(of: automaton, limit: Conversion.limit)
        }
      }
    }
    for combination in Conversion.combinations {
      router.post(RouterPath("api/documents/:name/\(combination.name)")) { request, context in
        try await make(combination.name, isCombined: true, request, context) {
          try $0.combined(with: $1!, by: combination.value, limit: Conversion.limit)
        }
      }
    }
    router.post("api/documents/:name/compare") { request, context in
      try await respondWithJSON {
        let whole = try await whole(request, context, isWithOther: true, for: "comparison")
        let (automaton, other) = (whole.automaton, whole.other!)
        return try await longWork.run(for: context) { _ in
          var comparison = Comparison(missing: whole.missing)
          if let word = try automaton.counterexample(to: other, limit: Conversion.limit) {
            comparison.runs = [try Self.steps(automaton, word), try Self.steps(other, word)]
          }
          return comparison
        }
      }
    }
    router.post("api/examples/:name") { _, context in
      let wish = try name(context)
      return try await respondWithJSON {
        if let example = ExampleMachine.all.first(where: { $0.title == wish }) {
          return try await documents.add(example.drawn, named: example.title)
        }
        guard let example = ExampleAutomaton.all.first(where: { $0.title == wish }) else {
          throw StudioError("There is no example `\(wish.prefix(40))`.", .notFound)
        }
        return try await documents.add(
          PlacedAutomaton(automaton: example.automaton), named: example.title)
      }
    }
  }

  /// What whole documents say.
  private struct Whole {
    var automaton: Automaton
    /// The automaton of the document in the parameter `with`, if the request has one.
    var other: Automaton?
    /// What the documents do not say, as clauses.
    var missing: [String] = []
  }

  /// Returns what a document says after its strokes were read, and the one in the parameter `with` if
  /// `isWithOther`.
  ///
  /// - Throws: `IncompleteDocuments` if something is missing, unless the request has `anyway=true`.
  private func whole(
    _ request: Request, _ context: StudioContext, isWithOther: Bool = false, for operation: String
  ) async throws -> Whole {
    let shown = try shown(request, context)
    let document = try await settled(shown, context).document
    var whole = Whole(automaton: try document.finiteAutomaton(for: operation))
    var documents = [(name: shown.name, document: document)]
    if isWithOther {
      let name = FileName.normalized(try parameter("with", request) ?? "")
      do {
        documents.append((name, try await self.documents.state(of: name).document))
      } catch is MissingDocument {
        throw StudioError("There is no document `\(name.prefix(100))` to compare or combine with.")
      }
      whole.other = try documents[1].document.finiteAutomaton(for: "the other document")
    }
    do { try IncompleteDocuments.check(documents) } catch {
      guard try parameter("anyway", request) == "true" else { throw error }
      whole.missing = error.missing
    }
    return whole
  }

  /// Runs an automaton on a word; for long words and large automata, only the first steps are kept.
  static func steps(_ automaton: Automaton, _ symbols: [String]) throws -> Steps {
    try check(symbols.count)
    let size = automaton.states.count + automaton.transitions.count
    let shown = symbols.prefix(max(100, maximumSteps / max(1, size)))
    let run = automaton.run(symbols)
    return Steps(
      isAccepted: run.isAccepted, reason: run.rejection?.message, symbols: symbols,
      steps: automaton.trace(Array(shown)).steps.map {
        .init(symbol: $0.symbol, states: $0.states, transitions: $0.transitions)
      })
  }

  private static func check(_ count: Int) throws(StudioError) {
    guard count <= longestWord else {
      throw StudioError(
        "The word has \(count) symbols. Type at most \(longestWord).", .contentTooLarge)
    }
  }

  /// Runs a machine on a word; only the first steps of a long run are kept.
  private static func steps(_ machine: Machine, _ word: String) throws -> Steps {
    let symbols = machine.symbols(of: word)
    try check(symbols.count)
    let run = try machine.run(symbols)
    var steps: [Steps.Step] = []
    var size = 0
    for index in 0..<run.stepCount where size < maximumSteps {
      let step = run.step(index)
      let tape = step.tape.map {
        Steps.Tape(left: $0.left, head: String($0.head), right: $0.right)
      }
      size +=
        10 + (step.stack?.count ?? 0) + (step.output?.count ?? 0)
        + (tape.map { $0.left.count + $0.right.count } ?? 0)
      steps.append(
        .init(
          states: [step.state], transitions: step.transition.map { [$0] } ?? [],
          position: step.position, output: step.output, stack: step.stack, tape: tape))
    }
    let isCut = steps.count < run.stepCount
    return Steps(
      isAccepted: run.outcome.isGood, reason: run.outcome.reason,
      said: sentence(run) + (isCut ? " Only the first \(steps.count - 1) steps are shown." : ""),
      symbols: symbols.map { String($0) }, steps: steps)
  }

  /// The outcome of a run as a sentence.
  private static func sentence(_ run: MachineRun) -> String {
    let last = run.last
    let message = run.outcome.message
    let output = last.output.map { $0.isEmpty ? "ε" : $0 }
    let tape =
      last.tape.map { tape in
        " Tape: \(run.outcome == .accepted ? tape.shownContent : tape.shortContent)."
      } ?? ""
    return switch run.outcome {
    case .answered: "Output: \(output ?? "ε")"
    default:
      message.prefix(1).uppercased() + message.dropFirst()
        + (tape.isEmpty ? "" : ".\(tape)") + (output.map { ". Output before it: \($0)" } ?? "")
    }
  }

  /// The limits of a run if there are many.
  private static let limitsOfMany = Machine.Limits(steps: 2000, configurations: 5000)

  private static func answer(
    _ word: String, of machine: Machine
  ) throws -> (isAccepted: Bool, said: String?) {
    let symbols = machine.symbols(of: word)
    try check(symbols.count)
    let run = try machine.run(symbols, limits: limitsOfMany)
    switch run.outcome {
    case .accepted, .rejected: return (run.outcome.isGood, nil)
    case .answered: return (true, "output \(run.last.output.map { $0.isEmpty ? "ε" : $0 } ?? "ε")")
    case .undecided, .stopped: return (false, run.outcome.message)
    }
  }

  /// Runs the word of each line; a line with a comma or tab has the expected answer after it.
  private static func results(
    _ text: String, _ cancellation: Cancellation,
    _ answer: (String) throws -> (isAccepted: Bool, said: String?)
  ) throws -> [WordResult] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.count <= maximumWords else {
      throw StudioError(
        "These are \(lines.count) words. Run at most \(maximumWords) at once.", .contentTooLarge)
    }
    return try lines.flatMap { line -> [WordResult] in
      let isTest = line.contains { ",\t".contains($0) }
      let tests: [(word: String, expected: Bool?)] =
        isTest
        ? try WordTest.read(String(line), name: "words").map { ($0.word, $0.isAccepted) }
        : [(line.trimmingCharacters(in: .whitespaces), nil)]
      return try tests.map { test in
        try cancellation.check()
        let (isAccepted, said) = try answer(test.word)
        return WordResult(
          word: test.word, isAccepted: isAccepted, expected: test.expected, said: said)
      }
    }
  }

  /// Adds a document with the result of `make` for an automaton, and answers with its name.
  ///
  /// If it is combined, the second automaton is that of the other document in the request.
  private func make(
    _ title: String, isCombined: Bool = false, _ request: Request, _ context: StudioContext,
    _ make: @escaping @Sendable (Automaton, Automaton?) throws -> Automaton
  ) async throws -> Response {
    let shown = try shown(request, context)
    return try await respondWithJSON {
      let whole = try await whole(request, context, isWithOther: isCombined, for: title)
      let (automaton, other) = (whole.automaton.withShortIDs(), whole.other?.withShortIDs())
      let document = try await longWork.run(for: context) { _ in
        try Documents.new(PlacedAutomaton(automaton: make(automaton, other)))
      }
      return try await documents.add(document, named: "\(shown.name) \(title)")
    }
  }
}
