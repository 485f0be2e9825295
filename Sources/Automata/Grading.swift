/// The grading of automata that should accept the same words as a solution.
public struct Grading: Sendable {
  /// A condition on a submission besides the words it accepts.
  public enum Condition: Hashable, Sendable {
    /// It is deterministic.
    case deterministic
    /// It has at most so many states.
    case maximumStates(Int)

    /// Returns what is wrong with `automaton` in one line, or `nil` if it meets the condition.
    func objection(to automaton: Automaton) -> String? {
      switch self {
      case .deterministic:
        automaton.nondeterminism.first.map {
          "not deterministic: \($0.message(automaton.shownNames))"
        }
      case .maximumStates(let most):
        automaton.states.count <= most
          ? nil : "\(automaton.states.count) states, at most \(most) are allowed"
      }
    }
  }

  /// The result of one submission.
  public struct Grade: Hashable, Sendable {
    /// The shortest word that only one of solution and submission accepts, or `nil` if both accept
    /// the same words.
    public var difference: [String]?
    /// Whether the submission, and not the solution, accepts ``difference``.
    public var acceptsDifference: Bool
    /// The share of words with the right answer, from 0 to 1.
    ///
    /// Without tests, these are all words over the alphabet of the solution up to ``Grading/longestWord``.
    public var share: Double
    /// The tests with a wrong answer.
    public var failedTests: [WordTest]
    /// What is wrong with it for each condition that it does not meet, in one line each.
    public var objections: [String]

    /// Whether it accepts the right words and meets all conditions.
    public var isRight: Bool { difference == nil && objections.isEmpty }
  }

  /// The automaton that accepts the right words.
  public var solution: Automaton
  /// The words to test; without any, all words up to ``longestWord`` count.
  public var tests: [WordTest]
  /// The conditions.
  public var conditions: [Condition]
  /// The length, in symbols, of the longest words that count towards the share; not negative.
  public var longestWord: Int {
    didSet { precondition(longestWord >= 0, "a length is not negative") }
  }
  /// The limit on the size of a computation.
  public var limit: Limit

  /// Creates a grading.
  ///
  /// - Precondition: `longestWord` is not negative.
  public init(
    solution: Automaton, tests: [WordTest] = [], conditions: [Condition] = [],
    longestWord: Int = 8, limit: Limit = .standard
  ) {
    precondition(longestWord >= 0, "a length is not negative")
    self.solution = solution
    self.tests = tests
    self.conditions = conditions
    self.longestWord = longestWord
    self.limit = limit
  }

  /// Returns the tests that the solution itself answers otherwise.
  public var wrongTests: [WordTest] { failedTests(of: solution) }

  /// Grades `submission`.
  ///
  /// - Throws: `AutomatonError` if the computation exceeds the limit.
  public func grade(_ submission: Automaton) throws(AutomatonError) -> Grade {
    let difference = try solution.counterexample(to: submission, limit: limit)
    let failed = failedTests(of: submission)
    let share =
      if difference == nil, failed.isEmpty {
        1.0
      } else if tests.isEmpty {
        try solution.agreement(with: submission, upTo: longestWord, limit: limit)
      } else {
        1 - Double(failed.count) / Double(tests.count)
      }
    return Grade(
      difference: difference,
      acceptsDifference: difference.map { submission.accepts($0) } ?? false, share: share,
      failedTests: failed, objections: conditions.compactMap { $0.objection(to: submission) })
  }

  /// Words are split by the symbols of the solution, whatever a submission has.
  private func failedTests(of automaton: Automaton) -> [WordTest] {
    tests.filter { automaton.accepts(solution.symbols(of: $0.word)) != $0.isAccepted }
  }
}
