import Foundation
import InkNetwork

/// How often letters follow each other in words: the counts of all sequences of up to six letters.
///
/// Letters are small, and the beginning and the end of a word count as one. Each sequence is there without its first
/// and without its last letter as well. Counts are rounded to powers of 1.2.
public struct LetterCounts: Hashable, Sendable {
  /// The letters, which have the numbers from 1; 0 stands for the beginning and the end of a word.
  public let letters: [Character]

  // The sequences, shorter ones first, those of one length in order: a tree in breadth-first order, whose root is
  // the empty one.
  /// The number of the last letter of each sequence.
  private let last: [UInt8]
  /// The number of sequences that have one letter more than each, which follow each other.
  private let longerCounts: [UInt8]
  /// The logarithm of each count; 0 stands for none.
  private let levels: [UInt8]
  /// The first sequence with one letter more than each.
  private let firstLonger: [Int32]
  /// Each sequence without its first letter.
  private let shorter: [Int32]

  /// The most letters of a sequence.
  public static let maximumLength = 6
  /// The most letters of an alphabet.
  public static let maximumLetters = 90
  /// The most sequences; with more, the longest ones are left out.
  public static let maximumSequences = 400_000
  /// The ratio of two counts that are one level apart, and the count of level 0.
  private static let (ratio, unit) = (1.2, 0.1)

  /// The number of sequences, with the empty one.
  public var sequenceCount: Int { last.count }

  /// The number of the last letter of a sequence.
  package func last(of sequence: Int) -> Int { Int(last[sequence]) }

  /// The sequences that have one letter more than `sequence`, by their last letters.
  package func longer(than sequence: Int) -> Range<Int> {
    let first = Int(firstLonger[sequence])
    return first..<first + Int(longerCounts[sequence])
  }

  /// Returns `sequence` with one letter more, or `nil` if that does not occur.
  package func longer(than sequence: Int, with letter: Int) -> Int? {
    var range = longer(than: sequence)
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if last[middle] == letter { return middle }
      range =
        last[middle] < letter ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// Returns `sequence` without its first letter.
  ///
  /// - Precondition: it is not the empty one.
  package func shorter(than sequence: Int) -> Int { Int(shorter[sequence]) }

  /// How often a sequence occurs; each word counts with its weight.
  package func count(of sequence: Int) -> Double { Self.counts[Int(levels[sequence])] }

  /// The count of each level.
  private static let counts = codes.indices.map { $0 == 0 ? 0 : unit * pow(ratio, Double($0)) }

  private static func level(ofCount count: Double) -> UInt8 {
    guard count > 0 else { return 0 }
    return UInt8(max(1, min(Double(codes.count - 1), (log(count / unit) / log(ratio)).rounded())))
  }
}

// MARK: Counting

extension LetterCounts {
  /// Counts the sequences of `words`, and keeps those of `earlier` that occurred more often there.
  ///
  /// Words with other characters than letters of `alphabet` are left out. The order of words decides how sums are rounded.
  ///
  /// - Parameters:
  ///   - words: Words with weights.
  ///   - alphabet: The characters that a reader knows; its letters are those of the sequences, as small ones.
  ///   - earlier: Counts of another reader.
  ///   - limit: The most sequences, of which every letter is one.
  /// - Returns: The counts, or `nil` if there are no words, or the alphabet has no letters that can be counted.
  public init?(
    of words: [(word: String, weight: Double)], alphabet: [Character],
    earlier: LetterCounts? = nil, limit: Int = maximumSequences
  ) {
    letters = Self.letters(of: alphabet)
    guard !letters.isEmpty else { return nil }
    let numbers = Dictionary(uniqueKeysWithValues: letters.enumerated().map { ($1, $0 + 1) })
    var counts: [UInt64: Double] = [:]
    for (word, weight) in words {
      let own = word.map { $0.small.flatMap { numbers[$0] } }
      guard weight > 0, !own.isEmpty, !own.contains(nil) else { continue }
      let letters = [0] + own.map { $0! } + [0]
      for end in 1..<letters.count {
        for length in 1...min(Self.maximumLength, end + 1) {
          counts[Self.key(letters[end + 1 - length...end]), default: 0] += weight
        }
      }
    }
    earlier?.forEach { sequence, count in
      let own = sequence.map { $0 == 0 ? 0 : numbers[earlier!.letters[$0 - 1]] }
      guard !own.contains(nil) else { return }
      let key = Self.key(own.map { $0! }[...])
      counts[key] = max(counts[key] ?? 0, count)
    }
    guard !counts.isEmpty else { return nil }
    for letter in 0...letters.count { counts[Self.key([letter]), default: 0] += 0 }
    // Longer sequences have larger keys.
    var keys = counts.keys.sorted()
    // The empty sequence has no key.
    if keys.count >= limit {
      let length = Self.letters(ofKey: keys[limit - 1]).count
      keys.removeAll { Self.letters(ofKey: $0).count >= length }
    }
    var numbersOfKeys: [UInt64: Int] = [0: 0]
    var (last, longerCounts, levels) = ([UInt8(0)], [UInt8(0)], [UInt8(0)])
    for key in keys {
      numbersOfKeys[key] = last.count
      last.append(UInt8(Self.letters(ofKey: key).last!))
      longerCounts.append(0)
      levels.append(Self.level(ofCount: counts[key]!))
      longerCounts[numbersOfKeys[key >> Self.keyBits]!] += 1
    }
    (self.last, self.longerCounts, self.levels) = (last, longerCounts, levels)
    (firstLonger, shorter) = Self.links(last, longerCounts)!
  }

  /// The small letters of `alphabet` that can be counted: none if there are more than ``maximumLetters``, or if some become
  /// one character where they meet.
  public static func letters(of alphabet: [Character]) -> [Character] {
    let letters = Set(alphabet.filter(\.isLetter).compactMap(\.small)).sorted()
    return letters.count <= maximumLetters && Array(String(letters)) == letters ? letters : []
  }

  private static let keyBits = 7

  /// A number for a sequence; no letter is 0 in it.
  private static func key(_ sequence: ArraySlice<Int>) -> UInt64 {
    sequence.reduce(0) { $0 << keyBits | UInt64($1 + 1) }
  }

  private static func letters(ofKey key: UInt64) -> [Int] {
    var (rest, letters) = (key, [Int]())
    while rest > 0 {
      letters.append(Int(rest & (1 << keyBits - 1)) - 1)
      rest >>= keyBits
    }
    return letters.reversed()
  }

  /// Calls `body` with the letters of each sequence but the empty one, and its count.
  package func forEach(_ body: ([Int], Double) -> Void) {
    var sequences: [[Int]] = [[]]
    for sequence in 0..<sequenceCount {
      if sequence > 0 { body(sequences[sequence], count(of: sequence)) }
      sequences += longer(than: sequence).map { sequences[sequence] + [last(of: $0)] }
    }
  }

  /// Returns the first longer sequence and the sequence without its first letter, for each; `nil` if the sequences
  /// do not fit together.
  private static func links(
    _ last: [UInt8], _ longerCounts: [UInt8]
  ) -> (firstLonger: [Int32], shorter: [Int32])? {
    var firstLonger = [Int32](repeating: 0, count: last.count)
    var shorter = firstLonger
    var (next, depths) = (1, [UInt8](repeating: 0, count: last.count))
    for sequence in last.indices {
      guard sequence < next else { return nil }
      firstLonger[sequence] = Int32(next)
      let end = next + Int(longerCounts[sequence])
      guard end <= last.count, end == next || depths[sequence] < maximumLength else { return nil }
      // Of the sequence without its first letter, the same ones follow, and others.
      var other = sequence == 0 ? 0 : Int(firstLonger[Int(shorter[sequence])])
      let otherEnd =
        sequence == 0 ? 0 : other + Int(longerCounts[Int(shorter[sequence])])
      for longer in next..<end {
        guard longer == next || last[longer - 1] < last[longer] else { return nil }
        depths[longer] = depths[sequence] + 1
        guard sequence > 0 else { continue }
        while other < otherEnd, last[other] < last[longer] { other += 1 }
        guard other < otherEnd, last[other] == last[longer] else { return nil }
        shorter[longer] = Int32(other)
      }
      next = end
    }
    return next == last.count ? (firstLonger, shorter) : nil
  }
}

// MARK: Text

extension LetterCounts {
  /// The characters for the numbers from 0: those of ASCII that JSON does not escape.
  private static let codes: [UInt8] = (0x21...0x7E).filter { $0 != 0x22 && $0 != 0x5C }

  /// The counts as a text: a line with the letters, and one with three characters for each sequence.
  ///
  /// These are the number of its last letter, the number of longer ones, and the level of its count.
  public var text: String {
    var bytes = Array(String(letters).utf8)
    bytes.append(UInt8(ascii: "\n"))
    for sequence in last.indices {
      for number in [last[sequence], longerCounts[sequence], levels[sequence]] {
        bytes.append(Self.codes[Int(number)])
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads counts from their text.
  ///
  /// - Throws: `ModelError` for a text that is none.
  init(text: String, path: String) throws(ModelError) {
    func refuse(_ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: "letters", expected: expected, found: found)
    }
    let bytes = Array(text.utf8)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count == 2 else {
      throw refuse("a line with letters and one with sequences", lines.count.counted("line"))
    }
    letters = Array(String(decoding: lines[0], as: UTF8.self))
    guard letters.count <= Self.maximumLetters, Set(letters).count == letters.count,
      letters.allSatisfy({ $0.isLetter && $0.small == $0 })
    else {
      throw refuse(
        "up to \(Self.maximumLetters) different small letters", String(letters.prefix(100)))
    }
    var numbers = [UInt8](repeating: .max, count: 256)
    for (number, code) in Self.codes.enumerated() { numbers[Int(code)] = UInt8(number) }
    let count = lines[1].count / 3
    guard lines[1].count == 3 * count, count <= Self.maximumSequences else {
      throw refuse(
        "three characters for each of at most \(Self.maximumSequences) sequences",
        lines[1].count.counted("byte"))
    }
    /// What is at `place` of the three characters of each sequence.
    func column(_ place: Int) -> [UInt8] {
      (0..<count).map { numbers[Int(bytes[lines[1].startIndex + 3 * $0 + place])] }
    }
    let (last, longerCounts, levels) = (column(0), column(1), column(2))
    let letterCount = letters.count
    // Every letter is a sequence.
    guard let links = Self.links(last, longerCounts), longerCounts[0] == letterCount + 1,
      last.allSatisfy({ $0 <= letterCount }), !levels.contains(.max)
    else {
      throw refuse("sequences of these letters that fit together", "others; see models/FORMAT.md")
    }
    (self.last, self.longerCounts, self.levels) = (last, longerCounts, levels)
    (firstLonger, shorter) = links
  }
}

extension Character {
  /// The small letter, or `nil` if that is several characters.
  package var small: Character? {
    let small = lowercased()
    return small.count == 1 ? small.first : nil
  }
}
