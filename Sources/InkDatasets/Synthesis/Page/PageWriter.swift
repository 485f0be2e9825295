import Ink
import SafeFiles
import SeededRandom

/// A person who writes on pages: recorded characters or words, or both.
public struct PageWriter: Sendable {
  /// The source and the name.
  public let name: String
  /// A recording of the writer; `nil` if there are only words.
  let model: Example?
  private let letters: LineWriter?
  private let texts: [LineKind: LineTexts]
  fileprivate let words: [Word]

  /// A recorded word, with capitals of height 1 and the baseline at y 0.
  fileprivate struct Word {
    let text: String
    let paths: [[Vector]]
  }

  /// The kinds of text that pages have.
  private static let kinds: [LineKind] = [
    .name, .index, .symbol, .list, .number, .expression, .word, .letters, .emptyWord, .signs,
    .output, .condition, .machine, .description, .pattern,
  ]
  /// The fewest characters, and the fewest words, of a writer.
  private static let (fewestCharacters, fewestWords) = (12, 15)

  /// Creates a writer, or returns `nil` if there are too few recordings.
  fileprivate init?(
    name: String, model: Example?, samples: [Character: [Drawing]], words: [Word],
    vocabulary: [String], fewestCharacters: Int, using generator: inout SeededGenerator
  ) {
    let hasLetters = samples.count >= fewestCharacters
    guard hasLetters || words.count >= Self.fewestWords else { return nil }
    (self.name, self.model) = (name, model)
    self.words = words.count >= Self.fewestWords ? words : []
    let writer = hasLetters ? LineWriter(samples: samples, using: &generator) : nil
    letters = writer
    texts = Dictionary(
      uniqueKeysWithValues: writer.map { writer in
        Self.kinds.map { ($0, writer.texts($0, vocabulary: vocabulary)) }
      } ?? [])
  }

  /// Returns the writers of recorded characters and words with at least 12 characters or 15 words.
  ///
  /// With characters, they write words of diagrams and of the vocabulary.
  public static func all(
    in dataset: Dataset, seed: UInt64, vocabulary: [String] = []
  ) -> [PageWriter] {
    all(in: dataset, seed: seed, vocabulary: vocabulary, fewestCharacters: fewestCharacters)
  }

  /// Returns the writers with at least `fewestCharacters` different characters, or 15 words.
  static func all(
    in dataset: Dataset, seed: UInt64, vocabulary: [String] = [], fewestCharacters: Int
  ) -> [PageWriter] {
    let letters = dataset.charactersByHand
    var words: [String: [Word]] = [:]
    for example in dataset.examples {
      guard let hand = example.hand, example.label.count > 1,
        let drawing = example.content.drawing, let word = Word(example.label, drawing)
      else { continue }
      words[hand, default: []].append(word)
    }
    return Set(letters.keys).union(words.keys).sorted().enumerated().compactMap { number, hand in
      var generator = SeededGenerator(seed: seed, stream: 0x9a6e, UInt64(number))
      let samples = letters[hand]?.samples ?? [:]
      return PageWriter(
        name: hand, model: letters[hand]?.model, samples: samples.compactMapValues(\.wellFormed),
        words: words[hand] ?? [], vocabulary: vocabulary, fewestCharacters: fewestCharacters,
        using: &generator)
    }
  }

  /// Returns the writers of data sets that were read from `paths`.
  ///
  /// - Throws: `FileError` if there is none.
  public static func all(
    in dataset: Dataset, from paths: [String], seed: UInt64, vocabulary: [String] = []
  ) throws(FileError) -> [PageWriter] {
    let writers = all(in: dataset, seed: seed, vocabulary: vocabulary)
    guard !writers.isEmpty else {
      throw FileError(
        path: paths.joined(separator: ", "),
        expected: "a writer of \(fewestCharacters) characters or \(fewestWords) words, with points",
        found: "none")
    }
    return writers
  }

  /// Returns synthetic writers.
  public static func synthetic(count: Int, seed: UInt64, vocabulary: [String] = []) -> [PageWriter]
  {
    (0..<count).compactMap { number in
      var samples: [Character: [Drawing]] = [:]
      let recordings = Synthesizer(seed: seed).characters(by: number, perCharacter: 4)
      for recording in recordings {
        samples[Character(recording.label!), default: []].append(recording.drawing.simplified)
      }
      var generator = SeededGenerator(seed: seed, stream: 0x9a6f, UInt64(number))
      return PageWriter(
        name: "synthetic/\(number)",
        model: Example(recordings[0], label: recordings[0].label!, origin: "synthesised"),
        samples: samples, words: [], vocabulary: vocabulary, fewestCharacters: fewestCharacters,
        using: &generator)
    }
  }

  /// Writes a text of one of `kinds`, the first for which the writer has the characters.
  func text(_ kinds: LineKind..., using generator: inout SeededGenerator) -> Writing {
    for kind in kinds + [.letters] {
      if let text = texts[kind]?.next(using: &generator) {
        return write(text, using: &generator)
      }
    }
    if !words.isEmpty { return Writing(generator.pick(words)) }
    // The writer recorded no letters.
    let recorded = letters?.recorded.sorted() ?? []
    guard !recorded.isEmpty else { return Writing([]) }
    let characters = (0...generator.index(below: 3)).map { _ in generator.pick(recorded) }
    return write(LineText(String(characters)), using: &generator)
  }

  /// Writes the characters of a text that the writer has, or random letters if there are none.
  func spelled(_ text: String, using generator: inout SeededGenerator) -> Writing {
    guard let letters else { return word(using: &generator) }
    let known = letters.recorded.union(letters.drawable).union(DrawnSigns.all)
    let parts = text.split(separator: " ").map { $0.filter(known.contains) }.filter { !$0.isEmpty }
    guard !parts.isEmpty else { return self.text(.letters, using: &generator) }
    return Writing(
      row: parts.map { write(LineText($0), using: &generator) }, gap: generator.uniform(0.35...0.9))
  }

  /// Writes a word.
  func word(using generator: inout SeededGenerator) -> Writing {
    guard words.isEmpty || letters != nil && generator.chance(0.2) else {
      return Writing(generator.pick(words))
    }
    return text(.word, using: &generator)
  }

  /// Writes `count` words in a row.
  func phrase(_ count: Int, using generator: inout SeededGenerator) -> Writing {
    let gap = generator.uniform(0.45...1.1)
    return Writing(row: (0..<count).map { _ in word(using: &generator) }, gap: gap)
  }

  /// Whether the writer recorded 0 and 1.
  var canWriteBits: Bool { letters.map { $0.recorded.isSuperset(of: "01") } ?? false }

  /// One of the recorded or drawable letters and digits, as a text.
  func symbol(using generator: inout SeededGenerator) -> String {
    guard let letters else { return "" }
    let usual = Array("01ab").filter(letters.recorded.contains)
    if !usual.isEmpty, generator.chance(0.4) { return String(generator.pick(usual)) }
    let all = letters.recorded.filter { $0.isLetter || $0.isNumber }.sorted()
    return all.isEmpty ? "-" : String(generator.pick(all))
  }

  /// The characters that the writer recorded or can draw.
  var characters: Set<Character> { letters.map { $0.recorded.union($0.drawable) } ?? [] }

  /// Writes a text, of which the writer has all characters.
  func write(_ text: LineText, using generator: inout SeededGenerator) -> Writing {
    guard let letters else { return word(using: &generator) }
    let drawing = letters.strokes(of: text, LineVariety(using: &generator), using: &generator)
      .drawing
    return Writing(
      drawing.strokes.map { $0.points.map { Vector($0) } },
      text: text.spelled(markingSubscripts: false))
  }
}

extension PageWriter.Word {
  /// Places a recorded word on its baseline, or returns `nil` if it has no ink.
  fileprivate init?(_ text: String, _ drawing: Drawing) {
    let drawing = drawing.simplified
    guard let bounds = drawing.bounds, bounds.height > 0, bounds.width > 0 else { return nil }
    let rises = text.contains { "bdfhklit".contains($0) || $0.isUppercase || $0.isNumber }
    let top = rises ? -1.0 : -0.6
    let bottom = text.contains { "gjpqy".contains($0) } ? 0.35 : 0
    let scale = (bottom - top) / bounds.height
    self.text = text
    paths = drawing.strokes.map { stroke in
      stroke.points.map {
        Vector(scale * ($0.x - bounds.minX), top + scale * ($0.y - bounds.minY))
      }
    }
  }
}

/// Written ink; capitals have a height of 1.
struct Writing {
  /// The text, whose lines are separated by line breaks.
  let text: String
  private(set) var paths: [[Vector]]
  private(set) var low = Vector(0, 0)
  private(set) var high = Vector(0, 0)

  init(_ paths: [[Vector]], text: String = "") {
    (self.paths, self.text) = (paths, text)
    guard let first = paths.first?.first else { return }
    (low, high) = (first, first)
    for place in paths.joined() {
      low = Vector(min(low.x, place.x), min(low.y, place.y))
      high = Vector(max(high.x, place.x), max(high.y, place.y))
    }
  }

  /// Places texts on one baseline.
  init(row: [Writing], gap: Double) {
    var (x, paths) = (0.0, [[Vector]]())
    for writing in row {
      paths += writing.paths.map { $0.map { Vector($0.x - writing.low.x + x, $0.y) } }
      x += writing.width + gap
    }
    self.init(paths, text: row.map(\.text).joined(separator: " "))
  }

  /// A recorded word.
  fileprivate init(_ word: PageWriter.Word) { self.init(word.paths, text: word.text) }

  /// Places texts below each other, `pitch` apart, in the middle or at the left.
  init(column: [Writing], pitch: Double, isCentered: Bool) {
    self.init(
      column.enumerated().flatMap { number, writing in
        let left = isCentered ? (writing.low.x + writing.high.x) / 2 : writing.low.x
        return writing.paths.map {
          $0.map { Vector($0.x - left, $0.y + pitch * Double(number)) }
        }
      }, text: column.map(\.text).joined(separator: "\n"))
  }

  var width: Double { high.x - low.x }
  var height: Double { high.y - low.y }

  /// Returns the paths with their middle at `center`, scaled and turned.
  func placed(at center: Vector, scale: Double, turn: Double) -> [[Vector]] {
    let middle = (low + high) * 0.5
    return paths.map { $0.map { center + ((($0 - middle) * scale).turned(by: turn)) } }
  }
}

extension [Drawing] {
  /// The recordings of a character without those that are a part of it by mistake, simplified; `nil` if
  /// none is left.
  fileprivate var wellFormed: [Drawing]? {
    let usual = compactMap(\.bounds).map { $0.width / Swift.max(1e-9, $0.height) }.sorted()
    guard let median = usual.isEmpty ? nil : usual[usual.count / 2] else { return nil }
    let kept = filter { drawing in
      guard let bounds = drawing.bounds else { return false }
      return bounds.width < 4 * Swift.max(median, 0.4) * bounds.height || median > 4
    }
    return kept.isEmpty ? nil : kept.map(\.simplified)
  }
}

extension Drawing {
  /// The drawing with only the points that show on a page.
  fileprivate var simplified: Drawing {
    guard let size = bounds?.longerSide, size > 0 else { return self }
    return Drawing(strokes.map { $0.withoutTimes.simplified(tolerance: 0.008 * size) })
  }
}
