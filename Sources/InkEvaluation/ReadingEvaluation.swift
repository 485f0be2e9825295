import InkDatasets
import InkReader
import SafeFiles

/// The results of a reader on lines of writing.
///
/// The answer to a line is its best text, even if the reader rejects it. Drawings that are no writing count in
/// ``noWritingRejected`` only.
public struct ReadingEvaluation: Hashable, Sendable, Codable {
  /// The share of lines that are read exactly.
  public var right: Share
  /// The share of lines that are read right if `o`, `O` and `0`, `l`, `1` and `I`, and letters whose
  /// capital differs in its size only count as the same.
  public var folded: Share
  /// The characters to insert, delete or replace, per character of the texts.
  public var characterErrorRate: Double
  /// The words to insert, delete or replace, per word of the texts.
  public var wordErrorRate: Double
  /// The share of lines that are rejected.
  public var rejected: Share
  /// The share of drawings that are no writing and are rejected.
  public var noWritingRejected: Share
  /// The number of known writers.
  public var writerCount: Int
  /// How often the best text is right, by its probability.
  public var reliability: Reliability
  /// The characters that are mistaken for others, left out or added, the most frequent first.
  public var confusions: [Confusion]
  /// The characters of the texts that the reader does not know, with their counts.
  public var unknown: [String: Int]
  /// The lines that are read wrongly, the most probable first.
  public var errors: [Mistake]
  /// The drawings that are no writing and are accepted, the most probable first.
  public var accepted: [Mistake]

  /// A character that is read as another one.
  public struct Confusion: Hashable, Sendable, Codable {
    /// The character of the text; empty if there is none.
    public var written: String
    /// The character that was read; empty if it was left out.
    public var read: String
    /// How often.
    public var count: Int
  }

  /// A line with a wrong answer.
  public struct Mistake: Hashable, Sendable, Codable {
    /// The index of the line in the data set.
    public var index: Int
    /// The file and place of the line.
    public var origin: String
    /// The text of the line.
    public var text: String
    /// The text that was read.
    public var read: String
    /// The probability of what was read.
    public var probability: Double
    /// Why it is rejected, or `nil` if it is accepted.
    public var rejection: String?
  }

  /// Evaluates `readings` of the lines of `dataset`.
  init(_ readings: [Reading], dataset: Dataset, alphabet: Alphabet) {
    let writers = dataset.examples.map(\.hand)
    let sampling = WriterSampling(writers)
    writerCount = Set(writers.compactMap { $0 }).count
    var (rightLines, foldedLines, rejections) = (ShareTally(), ShareTally(), ShareTally())
    var otherRejections = ShareTally()
    var (characters, edits, words, wordEdits) = (0, 0, 0, 0)
    var confusions: [[String]: Int] = [:]
    var unknown: [String: Int] = [:]
    var answers: [(probability: Double, isRight: Bool)] = []
    var errors: [Mistake] = []
    var accepted: [Mistake] = []
    for (index, (reading, example)) in zip(readings, dataset.examples).enumerated() {
      let (text, read) = (example.label, reading.text)
      let mistake = Mistake(
        index: index, origin: example.origin, text: text, read: read,
        probability: reading.probability, rejection: reading.rejection?.rawValue)
      if example.isNoWriting {
        otherRejections.add(reading.rejection != nil, index, sampling)
        if reading.rejection == nil { accepted.append(mistake) }
        continue
      }
      answers.append((reading.probability, read == text))
      rightLines.add(read == text, index, sampling)
      if read != text { errors.append(mistake) }
      foldedLines.add(read.folded(cases: true) == text.folded(cases: true), index, sampling)
      rejections.add(reading.rejection != nil, index, sampling)
      let script = EditScript(from: Array(text), to: Array(read))
      characters += text.count
      edits += script.count
      for step in script.steps where step.old != step.new {
        confusions[
          [step.old.map(String.init) ?? "", step.new.map(String.init) ?? ""], default: 0] +=
          1
      }
      for character in text where alphabet.class(of: character) == nil {
        unknown[String(character), default: 0] += 1
      }
      let (written, found) = (text.split(separator: " "), read.split(separator: " "))
      words += written.count
      wordEdits += EditScript(from: written, to: found).count
    }
    right = rightLines.share(sampling)
    folded = foldedLines.share(sampling)
    rejected = rejections.share(sampling)
    noWritingRejected = otherRejections.share(sampling)
    characterErrorRate = Double(edits) / Double(max(1, characters))
    wordErrorRate = Double(wordEdits) / Double(max(1, words))
    reliability = Reliability(answers)
    self.confusions = confusions.map { Confusion(written: $0[0], read: $0[1], count: $1) }
      .sorted { ($1.count, $0.written, $0.read) < ($0.count, $1.written, $1.read) }
    self.unknown = unknown
    self.errors = errors.sorted { ($0.probability, $1.index) > ($1.probability, $0.index) }
    self.accepted = accepted.sorted { ($0.probability, $1.index) > ($1.probability, $0.index) }
  }

  /// Evaluates `reader` on the lines of `dataset`, with the grammar and vocabulary of `decoder`.
  ///
  /// `breakdowns` has the results by each of `axes`.
  ///
  /// - Throws: `FileError` if an example cannot be rendered as a line of writing.
  public static func of(
    _ reader: Reader, on dataset: Dataset, with decoder: CTCDecoder,
    by axes: [Breakdown.Axis] = [], workers: Int
  ) throws(FileError) -> (evaluation: ReadingEvaluation, breakdowns: [ReadingBreakdown]) {
    let readings = try reader.readings(
      of: dataset, with: decoder, temperature: reader.model.decision.temperature,
      workers: workers)
    func evaluation(_ indices: [Int]) -> ReadingEvaluation {
      ReadingEvaluation(
        indices.map { readings[$0] }, dataset: dataset.subset(indices), alphabet: reader.alphabet)
    }
    // A text is no kind of lines.
    var lines = dataset.examples
    for index in lines.indices where lines[index].attributes["kind"] == nil {
      let kind = lines[index].label.count == 1 ? "single character" : "text"
      lines[index].attributes["kind"] = .text(lines[index].isNoWriting ? "no writing" : kind)
    }
    return (
      evaluation(Array(readings.indices)),
      axes.map { axis in
        ReadingBreakdown(
          axis: axis,
          rows: axis.groups(of: lines).map {
            ReadingBreakdown.Row(value: $0.value, evaluation($0.indices))
          })
      }
    )
  }
}

/// The results of a reader by one attribute of the lines, such as the writer.
public struct ReadingBreakdown: Hashable, Sendable, Codable {
  /// The lines with one value of the attribute.
  public struct Row: Hashable, Sendable, Codable {
    /// The value.
    public var value: String
    /// The share of lines that are read exactly.
    public var right: Share
    /// The share of lines that are read right if similar characters count as the same.
    public var folded: Share
    /// The characters to insert, delete or replace, per character of the texts.
    public var characterErrorRate: Double
    /// The share of lines that are rejected.
    public var rejected: Share
    /// The share of drawings that are no writing and are rejected.
    public var noWritingRejected: Share

    init(value: String, _ evaluation: ReadingEvaluation) {
      self.value = value
      right = evaluation.right
      folded = evaluation.folded
      characterErrorRate = evaluation.characterErrorRate
      rejected = evaluation.rejected
      noWritingRejected = evaluation.noWritingRejected
    }
  }

  /// The attribute.
  public var axis: Breakdown.Axis
  /// The results for each of its values.
  public var rows: [Row]
}
