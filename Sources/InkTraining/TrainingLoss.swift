/// A loss that a network learns to lower, with its gradient.
///
/// The target of an example is its class, in a list of its own, the classes of its characters, or the truth of
/// its cells.
protocol TrainingLoss<Target>: Sendable {
  /// What is known of an example.
  associatedtype Target: Sendable

  /// The sums of no examples.
  var noSums: AnswerSums { get }

  /// Returns the weight of an example in the mean over a batch.
  func weight(of target: Target) -> Double

  /// Returns the loss with what it needs to know of the whole batch.
  func prepared(for targets: [Target]) -> Self

  /// Returns the loss of an example times its weight, and how right the answer is.
  ///
  /// `logits` is `[steps, classes]`; a distribution for the whole example has one step. The gradient of the
  /// loss of the batch is written to `gradient` unless it is `nil`. `batchWeight` is the sum of all weights.
  func evaluate(
    logits: UnsafePointer<Float>, steps: Int, target: Target, batchWeight: Double,
    gradient: UnsafeMutablePointer<Float>?
  ) -> AnswerSums
}

extension TrainingLoss {
  var noSums: AnswerSums { AnswerSums() }
  func prepared(for targets: [Target]) -> Self { self }
}

/// The loss of some examples, and how right their answers are.
struct AnswerSums: Hashable, Sendable {
  /// The sum of their losses.
  var loss = 0.0
  /// The number of examples, or of cells, whose answer is right.
  var rightCount = 0
  /// The sum of the losses of the fields of cells, and their number.
  var fieldLoss = 0.0
  var fieldCount = 0
  /// The number of cells of each class and answer, `[classes, classes]`; empty where answers are no cells'.
  var confusion: [Int] = []
  /// How well their texts were read.
  var reading = ReadingCounts()

  static func += (sums: inout AnswerSums, others: AnswerSums) {
    sums.loss += others.loss
    sums.rightCount += others.rightCount
    sums.fieldLoss += others.fieldLoss
    sums.fieldCount += others.fieldCount
    if sums.confusion.isEmpty {
      sums.confusion = others.confusion
    } else {
      for (index, count) in others.confusion.enumerated() { sums.confusion[index] += count }
    }
    sums.reading += others.reading
  }

  /// Adds up the sums of all processes.
  mutating func add(over group: ProcessGroup) {
    var values: [Double] = [
      loss, Double(rightCount), Double(reading.characters), Double(reading.edits),
      Double(reading.words), Double(reading.wordEdits), Double(reading.steps),
      Double(reading.blanks), fieldLoss, Double(fieldCount),
    ]
    values += confusion.map { Double($0) }
    group.sum(&values, count: values.count)
    loss = values[0]
    rightCount = Int(values[1])
    reading = ReadingCounts(
      characters: Int(values[2]), edits: Int(values[3]), words: Int(values[4]),
      wordEdits: Int(values[5]), steps: Int(values[6]), blanks: Int(values[7]))
    (fieldLoss, fieldCount) = (values[8], Int(values[9]))
    confusion = values[10...].map { Int($0) }
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
