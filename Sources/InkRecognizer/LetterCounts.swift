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
  /// For each sequence the number of its last letter, the number of sequences that have one letter more, which follow
  /// each other, and the logarithm of its count, or 0 for none.
  private let nodes: [UInt8]
  /// For each sequence the first one with one letter more, and the one without its first letter.
  private let links: [Int]

  /// The most letters of a sequence.
  public static let maximumLength = 6
  /// The most letters of an alphabet.
  public static let maximumLetters = 90
  /// The most sequences; with more, the longest ones are left out.
  public static let maximumSequences = 400_000
  /// The ratio of two counts that are one level apart, and the count of level 0.
  private static let (ratio, unit) = (1.2, 0.1)

  /// The number of sequences, with the empty one.
  public var sequenceCount: Int { nodes.count / 3 }

  /// The number of the last letter of a sequence.
  package func last(of sequence: Int) -> Int { Int(nodes[3 * sequence]) }

  /// The sequences that have one letter more than `sequence`, by their last letters.
  package func longer(than sequence: Int) -> Range<Int> {
    let first = links[2 * sequence]
    return first..<first + Int(nodes[3 * sequence + 1])
  }

  /// Returns `sequence` with one letter more, or `nil` if that does not occur.
  package func longer(than sequence: Int, with letter: Int) -> Int? {
    var range = longer(than: sequence)
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      let last = last(of: middle)
      if last == letter { return middle }
      range = last < letter ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// Returns `sequence` without its first letter.
  ///
  /// - Precondition: it is not the empty one.
  package func shorter(than sequence: Int) -> Int { links[2 * sequence + 1] }

  /// How often a sequence occurs; each word counts with its weight.
  package func count(of sequence: Int) -> Double { Self.counts[Int(nodes[3 * sequence + 2])] }

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
    var nodes: [UInt8] = [0, 0, 0]
    for key in keys {
      numbersOfKeys[key] = nodes.count / 3
      nodes += [UInt8(Self.letters(ofKey: key).last!), 0, Self.level(ofCount: counts[key]!)]
      nodes[3 * numbersOfKeys[key >> Self.keyBits]! + 1] += 1
    }
    self.nodes = nodes
    links = Self.links(of: nodes)!
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

  /// Returns the first longer sequence and the one without its first letter, for each; `nil` if the sequences do not fit
  /// together.
  private static func links(of nodes: [UInt8]) -> [Int]? {
    let count = nodes.count / 3
    guard count > 0 else { return nil }
    var depths = [UInt8](repeating: 0, count: count)
    var links = [Int](repeating: 0, count: 2 * count)
    let fit = nodes.withUnsafeBufferPointer { nodes in
      depths.withUnsafeMutableBufferPointer { depths in
        links.withUnsafeMutableBufferPointer { links in
          link(nodes.baseAddress!, depths.baseAddress!, links.baseAddress!, count: count)
        }
      }
    }
    return fit ? links : nil
  }

  /// Finds the links, and returns whether the sequences fit together.
  ///
  /// Pointers and plain loops, since programs that are not optimised, such as the tests, read models as well: arrays
  /// take a quarter of a second there.
  private static func link(
    _ nodes: UnsafePointer<UInt8>, _ depths: UnsafeMutablePointer<UInt8>,
    _ links: UnsafeMutablePointer<Int>, count: Int
  ) -> Bool {
    let maximumDepth = UInt8(maximumLength)
    var (next, sequence) = (1, 0)
    while sequence < count {
      guard sequence < next else { return false }
      links[2 * sequence] = next
      let end = next + Int(nodes[3 * sequence + 1])
      guard end <= count, end == next || depths[sequence] < maximumDepth else { return false }
      // After the sequence without its first letter come the same letters, and others.
      var (other, otherEnd) = (0, 0)
      if sequence > 0, end > next {
        let shorter = links[2 * sequence + 1]
        other = links[2 * shorter]
        otherEnd = other + Int(nodes[3 * shorter + 1])
      }
      var longer = next
      while longer < end {
        let last = nodes[3 * longer]
        guard longer == next || nodes[3 * longer - 3] < last else { return false }
        depths[longer] = depths[sequence] + 1
        if sequence > 0 {
          while other < otherEnd, nodes[3 * other] < last { other += 1 }
          guard other < otherEnd, nodes[3 * other] == last else { return false }
          links[2 * longer + 1] = other
        }
        longer += 1
      }
      next = end
      sequence += 1
    }
    return next == count
  }
}

// MARK: Probabilities

extension LetterCounts {
  /// The probability of the last letter of each sequence after the others, and the share of what follows each that is left to
  /// shorter ones, one after the other (Witten & Bell, 1991).
  package var probabilities: [Float] {
    let count = sequenceCount
    return [Float](unsafeUninitializedCapacity: 2 * count) { probabilities, written in
      let probabilities = probabilities.baseAddress!
      (probabilities[0], probabilities[1]) = (1, 1)
      nodes.withUnsafeBufferPointer { nodes in
        links.withUnsafeBufferPointer { links in
          Self.counts.withUnsafeBufferPointer { counts in
            Self.find(
              probabilities, nodes.baseAddress!, links.baseAddress!, counts.baseAddress!,
              count: count)
          }
        }
      }
      written = 2 * count
    }
  }

  private static func find(
    _ probabilities: UnsafeMutablePointer<Float>, _ nodes: UnsafePointer<UInt8>,
    _ links: UnsafePointer<Int>, _ counts: UnsafePointer<Double>, count: Int
  ) {
    var sequence = 0
    while sequence < count {
      let (first, longerCount) = (links[2 * sequence], Int(nodes[3 * sequence + 1]))
      let end = first + longerCount
      var (sum, longer) = (0.0, first)
      while longer < end {
        sum += counts[Int(nodes[3 * longer + 2])]
        longer += 1
      }
      // After the empty sequence, half a letter is added to the count of each.
      let left = sequence == 0 ? 0.5 * Double(longerCount) : Double(longerCount)
      longer = first
      while longer < end {
        let share =
          sequence == 0 ? 1 / Double(longerCount) : Double(probabilities[2 * links[2 * longer + 1]])
        let own = counts[Int(nodes[3 * longer + 2])] + left * share
        probabilities[2 * longer] = Float(own / (sum + left))
        longer += 1
      }
      probabilities[2 * sequence + 1] = longerCount == 0 ? 1 : Float(left / (sum + left))
      sequence += 1
    }
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
    for number in nodes { bytes.append(Self.codes[Int(number)]) }
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
    guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      throw refuse("a line with letters and one with sequences", "1 line")
    }
    letters = Array(String(decoding: bytes[..<lineEnd], as: UTF8.self))
    guard letters.count <= Self.maximumLetters, Set(letters).count == letters.count,
      letters.allSatisfy({ $0.isLetter && $0.small == $0 })
    else {
      throw refuse(
        "up to \(Self.maximumLetters) different small letters", String(letters.prefix(100)))
    }
    let length = bytes.count - lineEnd - 1
    guard length % 3 == 0, length / 3 <= Self.maximumSequences else {
      throw refuse(
        "three characters for each of at most \(Self.maximumSequences) sequences",
        length.counted("byte"))
    }
    let (nodes, largest) = Self.numbers(of: bytes, from: lineEnd + 1)
    // Every letter is a sequence.
    guard largest < UInt8(Self.codes.count), let links = Self.links(of: nodes),
      Int(nodes[1]) == letters.count + 1, Int(nodes[3 * letters.count + 3]) == letters.count
    else {
      throw refuse("sequences of these letters that fit together", "others; see models/FORMAT.md")
    }
    (self.nodes, self.links) = (nodes, links)
  }

  /// Returns the numbers of the characters of `bytes` from `start`, and the largest one; what is no character of a number is
  /// larger than all.
  private static func numbers(
    of bytes: [UInt8], from start: Int
  ) -> (numbers: [UInt8], largest: UInt8) {
    var table = [UInt8](repeating: .max, count: 256)
    for (number, code) in codes.enumerated() { table[Int(code)] = UInt8(number) }
    let count = bytes.count - start
    var largest: UInt8 = 0
    let numbers = [UInt8](unsafeUninitializedCapacity: count) { numbers, written in
      guard let numbers = numbers.baseAddress else { return }
      bytes.withUnsafeBufferPointer { bytes in
        table.withUnsafeBufferPointer { table in
          let (bytes, table) = (bytes.baseAddress! + start, table.baseAddress!)
          var index = 0
          while index < count {
            let number = table[Int(bytes[index])]
            numbers[index] = number
            if number > largest { largest = number }
            index += 1
          }
        }
      }
      written = count
    }
    return (numbers, largest)
  }
}

extension Character {
  /// The small letter, or `nil` if that is several characters.
  package var small: Character? {
    let small = lowercased()
    return small.count == 1 ? small.first : nil
  }
}
