/// A loss that a network learns to lower, with its gradient.
///
/// The target of an example is its class, in a list of its own, or the classes of its characters.
protocol TrainingLoss: Sendable {
  /// Returns the weight of an example in the mean over a batch.
  func weight(of target: [Int]) -> Double

  /// Returns the loss of an example times its weight, and how right the answer is.
  ///
  /// `logits` is `[steps, classes]`; a distribution for the whole example has one step. The gradient of the
  /// loss of the batch is written to `gradient` unless it is `nil`. `batchWeight` is the sum of all weights.
  func evaluate(
    logits: UnsafePointer<Float>, steps: Int, target: [Int], batchWeight: Double,
    gradient: UnsafeMutablePointer<Float>?
  ) -> AnswerSums
}

/// The loss of some examples, and how right their answers are.
struct AnswerSums: Hashable, Sendable {
  /// The sum of their losses.
  var loss = 0.0
  /// The number of examples whose answer is right.
  var rightCount = 0
  /// How well their texts were read.
  var reading = ReadingCounts()

  static func += (sums: inout AnswerSums, others: AnswerSums) {
    sums.loss += others.loss
    sums.rightCount += others.rightCount
    sums.reading += others.reading
  }

  /// Adds up the sums of all processes.
  mutating func add(over group: ProcessGroup) {
    var values = [
      loss, Double(rightCount), Double(reading.characters), Double(reading.edits),
      Double(reading.words), Double(reading.wordEdits), Double(reading.steps),
      Double(reading.blanks),
    ]
    group.sum(&values, count: values.count)
    loss = values[0]
    rightCount = Int(values[1])
    reading = ReadingCounts(
      characters: Int(values[2]), edits: Int(values[3]), words: Int(values[4]),
      wordEdits: Int(values[5]), steps: Int(values[6]), blanks: Int(values[7]))
  }
}

/// What was counted while texts were read; all 0 where answers are classes.
struct ReadingCounts: Hashable, Sendable, Codable {
  /// The characters that the texts have.
  var characters = 0
  /// The least number of insertions, deletions and substitutions that correct what was read.
  var edits = 0
  /// The words that the texts have.
  var words = 0
  /// The least number of words to insert, delete or replace.
  var wordEdits = 0
  /// The steps of all lines.
  var steps = 0
  /// The steps whose highest logit is that of the blank.
  var blanks = 0

  static func += (counts: inout ReadingCounts, others: ReadingCounts) {
    counts.characters += others.characters
    counts.edits += others.edits
    counts.words += others.words
    counts.wordEdits += others.wordEdits
    counts.steps += others.steps
    counts.blanks += others.blanks
  }

  /// The rates, or `nil` if nothing was read.
  var record: ReadingRecord? {
    guard steps > 0 else { return nil }
    return ReadingRecord(
      characterErrorRate: Double(edits) / Double(max(1, characters)),
      wordErrorRate: Double(wordEdits) / Double(max(1, words)),
      blankShare: Double(blanks) / Double(steps))
  }
}
