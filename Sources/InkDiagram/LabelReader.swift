import Foundation
import Ink
import InkRaster
import InkReader
import InkRecognizer
import ParallelLoops

/// A text that a label may have, with its score: the logarithm of a probability.
struct ScoredText: Hashable {
  var text: String
  var score: Double
}

/// Reads names and symbols; the labels of one drawing help each other.
struct LabelReader {
  /// A line of writing.
  enum Writing {
    case ink(Drawing)
    /// The pixels of a picture, unless there are none, and the strokes that were traced in them.
    case picture(Bitmap?, Drawing)
  }

  private let reader: Reader
  private let loop: ParallelLoop
  private let vocabulary: Set<String>
  /// The only symbols; empty if any can be.
  private let alphabet: Set<String>
  private let names: [CTCDecoder]
  private let symbols: CTCDecoder
  /// Reads words, conditions and other texts, which few people use as names or symbols.
  private let others: CTCDecoder

  /// The share of the pixels of a picture in a reading; the rest is that of the strokes that were traced in it.
  ///
  /// Pixels show small loops and corners, and strokes still give texts that pixels do not.
  private static let pixelShare = 0.95

  /// The score of a text that was not read.
  private static let unread = -30.0
  /// The number of texts that are kept for a label.
  private static let most = 12
  /// The lengths of texts that may be several symbols without commas, and what each lost comma costs.
  private static let (severalSymbols, lostComma) = (2...4, 3.0)
  /// The digits that look like a letter.
  private static let digits = ["l": "1", "I": "1", "o": "0", "O": "0"]
  /// What a digit costs where a letter that looks like it is read.
  private static let unlikeShape = 0.1
  /// What names have besides letters and digits; a bar is rather a 1.
  private static let signsInNames = Set("_'′’/ =.:,+-()<>*#")
  /// The share of names that are of another kind than those of their drawing.
  private static let differentKind = 0.01
  /// The share of drawings whose symbols have outputs.
  private static let outputs = 0.05
  /// What the last name costs where people number from one: most begin with zero.
  private static let fromOne = 1.0
  /// What a kind of names costs that has fewer names than a drawing has states.
  private static let tooFewNames = 6.0
  /// What a letter or a number costs that is later in its order than there are states.
  private static let (laterLetter, laterNumber) = (1.0, 3.0)
  /// The angles at which writing is read besides 0, in radians: paper lies turned, and hands slant.
  private static let angles = [-16, -8, 8, 16].map { $0 * Double.pi / 180 }
  /// The number of strokes of writing above which it is read at the angle 0 only, to save time.
  private static let maximumStrokes = 400
  /// What an angle costs, per radian, in the score of all writing of a drawing.
  private static let angleCost = 14.0
  /// The score that a label counts with, at least, in the choice of the angle.
  private static let illegible = -12.0

  /// Creates a reader of labels that reads on `workers` cores.
  init(reader: Reader, vocabulary: [String], alphabet: [String], workers: Int) {
    self.reader = reader
    loop = ParallelLoop(workers: workers)
    self.vocabulary = Set(vocabulary)
    self.alphabet = Set(alphabet)
    func decoder(_ grammar: Grammar, _ words: [String]) -> CTCDecoder {
      var decoder = reader.decoder(grammar: grammar, vocabulary: words)
      decoder.options.maximumCandidates = Self.most
      decoder.options.minimumEvidence = -.infinity
      return decoder
    }
    names = [decoder(.state, []), decoder(.number, [])]
    symbols = decoder(.symbols, vocabulary + alphabet)
    others = decoder(.text, [])
  }

  /// Returns the texts that the names and the symbols of a drawing may be, the likeliest first.
  ///
  /// They are read at several angles. One hand wrote them on one paper, so that the angle at which all
  /// together can be read best is likely to be right for each.
  ///
  /// - Parameter writing: Turns a line clockwise by an angle in radians.
  func texts(
    names: [TextLine], symbols: [TextLine],
    as writing: @Sendable (_ line: TextLine, _ angle: Double) -> Writing
  ) -> (names: [[ScoredText]], symbols: [[ScoredText]]) {
    let lines = names + symbols
    let strokeCount = lines.reduce(0) { $0 + $1.traces.count }
    let angles = strokeCount > Self.maximumStrokes ? [0] : [0] + Self.angles
    let read = loop.map(angles.count * lines.count) { task, _ in
      let (view, line) = task.quotientAndRemainder(dividingBy: lines.count)
      let writing = writing(lines[line], angles[view])
      return line < names.count ? self.names(writing) : self.symbols(writing)
    }
    let views = angles.indices.map { Array(read[$0 * lines.count..<($0 + 1) * lines.count]) }
    let shares = Self.shares(
      zip(angles, views).map { angle, texts in
        texts.reduce(-Self.angleCost * abs(angle)) {
          $0 + max(Self.illegible, $1.first?.score ?? Self.illegible)
        }
      })
    let texts = lines.indices.map { line in
      Self.mixed(views.map { $0[line] }, weights: shares)
    }
    return (Array(texts[..<names.count]), Array(texts[names.count...]))
  }

  /// Returns how well lines can be read: the logarithm of the probability of the best text and of its kind, the
  /// mean of all strokes.
  func legibility(
    names: [TextLine], symbols: [TextLine], as writing: @Sendable (_ line: TextLine) -> Writing
  ) -> Double {
    let lines = names + symbols
    let scores = loop.map(lines.count) { line, _ in
      let writing = writing(lines[line])
      if line < names.count {
        return self.names(writing).map { $0.score + log(NameKind.prior(of: $0.text)) }
      }
      return self.symbols(writing).map { text in
        Self.parts(of: text.text).reduce(text.score) { $0 + log(prior($1)) }
      }
    }
    let sum = scores.reduce(0) { $0 + max(Self.illegible, $1.max() ?? Self.illegible) }
    let count = lines.reduce(0) { $0 + $1.traces.count }
    return sum / Double(max(1, count))
  }

  /// Returns the names that a line of writing may be, the likeliest first.
  private func names(_ line: Writing) -> [ScoredText] {
    texts(line, with: names).filter { text in
      text.text.contains { $0.isLetter || $0.isNumber }
        && text.text.allSatisfy {
          $0.isLetter || $0.isNumber || Self.signsInNames.contains($0)
        }
    }
  }

  /// Returns the symbols that a line of writing may be, the likeliest first.
  private func symbols(_ line: Writing) -> [ScoredText] {
    let read = texts(line, with: [symbols])
    var scores = Dictionary(uniqueKeysWithValues: read.map { ($0.text, $0.score) })
    for text in read {
      // A stroke and a ring do not say whether they are letters or digits; the other symbols do.
      let digits = text.text.split(separator: ",", omittingEmptySubsequences: false)
        .map { Self.digits[String($0)] ?? String($0) }.joined(separator: ",")
      scores[digits] = max(scores[digits] ?? -.infinity, text.score - Self.unlikeShape)
    }
    for text in read where Self.severalSymbols.contains(text.text.count) {
      guard text.text.allSatisfy({ $0.isLetter || $0.isNumber }) else { continue }
      let apart = text.text.map(String.init).joined(separator: ",")
      let score = text.score - Self.lostComma * Double(text.text.count - 1)
      scores[apart] = max(scores[apart] ?? -.infinity, score)
    }
    guard !alphabet.isEmpty else { return Self.sorted(scores) }
    let possible = alphabet.union(["ε"])
    return Self.sorted(scores.filter { Self.symbols(of: $0.key).allSatisfy(possible.contains) })
  }

  /// Whether a text is of two characters or more, with letters or digits, and no slash of it lacks an input or an
  /// output.
  static func isWhole(_ text: String) -> Bool {
    text.count > 1 && text.contains { $0.isLetter || $0.isNumber }
      && symbols(of: text).allSatisfy { $0.first != "/" && $0.last != "/" }
  }

  /// Returns what `decoders` read, and other texts.
  private func texts(_ line: Writing, with decoders: [CTCDecoder]) -> [ScoredText] {
    switch line {
    case .ink(let strokes): scored(.drawing(strokes), with: decoders)
    case .picture(nil, let strokes): scored(.drawing(strokes), isTraced: true, with: decoders)
    case .picture(let strip?, let strokes):
      Self.mixed(
        [
          scored(.bitmap(strip), with: decoders),
          scored(.drawing(strokes), isTraced: true, with: decoders),
        ],
        weights: [Self.pixelShare, 1 - Self.pixelShare])
    }
  }

  /// Returns the texts of several readings of a line, each scored with the weighted mean of its probabilities.
  private static func mixed(_ readings: [[ScoredText]], weights: [Double]) -> [ScoredText] {
    var scores: [String: [Double]] = [:]
    for (number, reading) in readings.enumerated() {
      for text in reading {
        scores[text.text, default: readings.map { _ in unread }][number] = text.score
      }
    }
    return sorted(scores.mapValues { mean($0, weights: weights) })
  }

  /// Returns texts with scores, the likeliest first.
  private static func sorted(_ scores: [String: Double]) -> [ScoredText] {
    scores.map { ScoredText(text: $0, score: $1) }
      .sorted { ($0.score, $1.text) > ($1.score, $0.text) }
  }

  /// Returns the logarithm of the weighted mean of numbers whose logarithms are given.
  private static func mean(_ logarithms: [Double], weights: [Double]) -> Double {
    let best = logarithms.max() ?? unread
    let sum = zip(logarithms, weights).reduce(0) { $0 + exp($1.0 - best) * $1.1 }
    // The weight of the only reading with a text can be 0.
    return best + log(max(sum, 1e-30))
  }

  /// Returns the texts of one input with their scores, the likeliest first.
  private func scored(
    _ input: RecognitionInput, isTraced: Bool = false, with decoders: [CTCDecoder]
  ) -> [ScoredText] {
    guard let logits = try? reader.logits(of: input, isTraced: isTraced) else { return [] }
    var found: [String: Double] = [:]
    for (number, decoder) in (decoders + [others]).enumerated() {
      let reading = reader.reading(
        of: logits, with: decoder, temperature: reader.model.decision.temperature)
      guard reading.rejection != .empty, let best = reading.candidates.first else { continue }
      let absolute = reading.evidence * Double(max(1, best.text.count))
      for text in reading.candidates where !text.text.isEmpty && text.probability > 0 {
        guard number < decoders.count || Self.isWhole(text.text) else { continue }
        let score = absolute + log(text.probability / max(best.probability, 1e-12))
        found[text.text] = max(found[text.text] ?? -.infinity, score)
      }
    }
    return Self.sorted(found)
  }

  // MARK: The whole drawing

  /// Returns the texts of all names with probabilities, given that a drawing's names are alike and
  /// differ from each other.
  func agreed(names lists: [[ScoredText]]) -> [[ScoredText]] {
    let kinds = kinds(of: lists)
    func score(_ text: ScoredText, as kind: NameKind) -> Double {
      var score = log(
        (1 - Self.differentKind) * (kinds[kind] ?? 0) + Self.differentKind * kind.prior)
      guard let index = kind.index(of: text.text) else { return score }
      if index >= lists.count { score -= Self.fromOne }
      if index > lists.count + 1 {
        switch kind {
        case .capital, .small: score -= Self.laterLetter
        // 90 is rather q0.
        case .number where index > 20 && text.text.first == "9": score -= 8
        case .bits: break
        default: score -= Self.laterNumber
        }
      }
      return score
    }
    let scored = lists.map { list in
      list.map { text in
        let kindScore = NameKind.kinds(of: text.text).map { score(text, as: $0) }.max()!
        let known = vocabulary.contains(text.text) ? 1.5 : 0
        return ScoredText(text: text.text, score: text.score + kindScore + known)
      }
    }
    let places = lists.map { list in
      list.map { NamePlace($0.text, amongFirst: lists.count + 1) }
    }
    var weights = scored.map(Self.weights)
    for _ in 0..<3 {
      var texts: [String: Double] = [:]
      var taken: [NamePlace: Double] = [:]
      for (number, list) in lists.enumerated() {
        for (text, share) in zip(list, weights[number]) {
          texts[text.text, default: 0] += share
        }
        for (place, share) in zip(places[number], weights[number]) {
          if let place { taken[place, default: 0] += share }
        }
      }
      weights = lists.indices.map { number in
        Self.weights(
          scored[number].indices.map { index in
            let text = scored[number][index]
            // Another state has this name already.
            let others = min(1, max(0, (texts[text.text] ?? 0) - weights[number][index]))
            var score = text.score - 3 * others
            if lists.count > 1, let place = places[number][index] {
              // People number states one after the other.
              let beside = max(taken[place.before] ?? 0, taken[place.after] ?? 0)
              score -= place.kind.aloneCost * (1 - min(1, beside))
            }
            return ScoredText(text: text.text, score: score)
          })
      }
    }
    return Self.ranked(lists, weights)
  }

  /// Returns the probability of each kind of names in a drawing whose names are alike.
  private func kinds(of lists: [[ScoredText]]) -> [NameKind: Double] {
    // One hand writes a letter wrong everywhere, so that many states say little more than one.
    let trust = 0.5
    // In the order of the names: sums in the order of a set would differ in their last digits.
    var all: [NameKind] = []
    for kind in lists.joined().flatMap({ NameKind.kinds(of: $0.text) }) where !all.contains(kind) {
      all.append(kind)
    }
    let scores = all.map { kind in
      let fit = lists.reduce(0.0) { sum, list in
        let share = zip(list, Self.weights(list)).reduce(0.0) {
          $0 + (NameKind.kinds(of: $1.0.text).contains(kind) ? $1.1 : 0)
        }
        return sum + log(share + 0.003)
      }
      let room = kind.count < lists.count ? Self.tooFewNames : 0
      return (kind: kind, score: log(kind.prior) + trust * fit - room)
    }
    guard let best = scores.map(\.score).max() else { return [:] }
    let sum = scores.reduce(0.0) { $0 + exp($1.score - best) }
    return Dictionary(uniqueKeysWithValues: scores.map { ($0.kind, exp($0.score - best) / sum) })
  }

  /// Returns the texts of all labels with probabilities, given that a drawing has a small alphabet.
  func agreed(symbols lists: [[ScoredText]]) -> [[ScoredText]] {
    let rounds = 20
    let split = lists.map { $0.map { Self.parts(of: $0.text) } }
    var weights = lists.map(Self.weights)
    // Outputs may be of another kind than inputs.
    let inputs = split.map { $0.map { $0.compactMap(Self.input) } }
    let kinds = SymbolKind.probabilities(inputs, weights)
    func prior(_ part: String) -> Double {
      guard let input = Self.input(part) else { return self.prior(part) }
      let kind = SymbolKind(input)
      return self.prior(part) * (0.05 + 0.95 * (kinds[kind] ?? 1) / kind.prior)
    }
    for _ in 0..<rounds {
      var counts: [String: Double] = [:]
      var total = 0.0
      for (texts, weight) in zip(split, weights) {
        for (symbols, share) in zip(texts, weight) {
          for symbol in symbols {
            counts[symbol, default: 0] += share
            total += share
          }
        }
      }
      weights = lists.indices.map { number in
        var own: [String: Double] = [:]
        var rest = total
        for (symbols, share) in zip(split[number], weights[number]) {
          for symbol in symbols {
            own[symbol, default: 0] += share
            rest -= share
          }
        }
        let scored = zip(lists[number], split[number]).map { text, symbols in
          var score = text.score
          for symbol in symbols {
            let others = max(0, (counts[symbol] ?? 0) - (own[symbol] ?? 0))
            score += log((others + 2 * prior(symbol)) / (max(0, rest) + 2))
          }
          let all = Self.symbols(of: text.text)
          if Set(all).count < all.count { score -= 4 }
          return ScoredText(text: text.text, score: score)
        }
        return Self.weights(scored)
      }
    }
    return Self.ranked(lists, weights)
  }

  /// Returns the symbols of a list that was read.
  static func symbols(of text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }

  /// Returns what the labels of a drawing repeat: symbols, or an input with its slash (`a/`) and an output (`/1`).
  private static func parts(of text: String) -> [String] {
    symbols(of: text).flatMap { symbol in
      let parts = symbol.split(separator: "/", maxSplits: 1)
      return parts.count == 2 ? ["\(parts[0])/", "/\(parts[1])"] : [symbol]
    }
  }

  /// Returns the symbol of a part of a label, or `nil` for an output.
  private static func input(_ part: String) -> String? {
    guard part.count > 1 else { return part }
    if part.first == "/" { return nil }
    return part.last == "/" ? String(part.dropLast()) : part
  }

  /// Returns how common a part of a label is before anything was read.
  private func prior(_ part: String) -> Double {
    guard let symbol = Self.input(part) else {
      return Self.outputs * prior(String(part.dropFirst()))
    }
    let common: [String: Double] = [
      "a": 0.14, "b": 0.14, "c": 0.06, "d": 0.03, "0": 0.14, "1": 0.14, "ε": 0.06, "2": 0.04,
      "3": 0.03, "x": 0.02, "y": 0.02,
    ]
    let usual: Double
    if let share = common[symbol] {
      usual = share
    } else if symbol.count == 1, let character = symbol.first {
      usual = character.isLetter || character.isNumber ? 0.006 : 0.001
    } else {
      usual = 0.001
    }
    guard !vocabulary.isEmpty else { return usual }
    return 0.1 * usual + (vocabulary.contains(symbol) ? 0.9 / Double(vocabulary.count) : 0)
  }

  /// Returns the texts of one line with probabilities, the likeliest first, whatever is written elsewhere.
  func weighed(_ list: [ScoredText]) -> [ScoredText] {
    Self.ranked([list], [Self.weights(list)])[0]
  }

  /// Returns probabilities that sum to one.
  private static func weights(_ list: [ScoredText]) -> [Double] { shares(list.map(\.score)) }

  /// Returns probabilities that sum to one, with these logarithms.
  private static func shares(_ logarithms: [Double]) -> [Double] {
    guard let best = logarithms.max() else { return [] }
    let parts = logarithms.map { exp($0 - best) }
    let sum = parts.reduce(0, +)
    return parts.map { $0 / sum }
  }

  private static func ranked(_ lists: [[ScoredText]], _ weights: [[Double]]) -> [[ScoredText]] {
    zip(lists, weights).map { list, weight in
      zip(list, weight).map { ScoredText(text: $0.text, score: $1) }
        .sorted { ($0.score, $1.text) > ($1.score, $0.text) }
    }
  }
}

/// The kind of a symbol; the symbols of a drawing are mostly of one kind, besides the empty word.
enum SymbolKind: Hashable, CaseIterable {
  case digit, small, capital, other, empty

  init(_ symbol: String) {
    guard symbol != "ε", let character = symbol.first else {
      self = .empty
      return
    }
    if symbol.allSatisfy(\.isNumber) {
      self = .digit
    } else if !character.isLetter {
      self = .other
    } else {
      self = character.isUppercase ? .capital : .small
    }
  }

  /// Whether a symbol can be of this kind, if its size says nothing.
  private func includes(_ symbol: String) -> Bool {
    let kind = SymbolKind(symbol)
    if kind == self || kind == .empty { return true }
    guard self == .small || self == .capital, symbol.count == 1 else { return false }
    return symbol.first?.isSameInBothCases ?? false
  }

  /// The share of drawings with such symbols.
  var prior: Double {
    switch self {
    case .digit: 0.45
    case .small: 0.4
    case .capital: 0.1
    case .other: 0.05
    case .empty: 1
    }
  }

  /// Returns the probability of each kind, given the texts of all labels with their weights.
  static func probabilities(
    _ labels: [[[String]]], _ weights: [[Double]]
  ) -> [SymbolKind: Double] {
    // As for names, many labels say little more than one.
    let trust = 0.7
    let kinds = allCases.filter { $0 != .empty }
    let scores = kinds.map { kind in
      let fit = zip(labels, weights).reduce(0.0) { sum, label in
        let share = zip(label.0, label.1).reduce(0.0) { share, text in
          let fits = text.0.allSatisfy { kind.includes($0) }
          return share + (fits ? text.1 : 0)
        }
        return sum + log(share + 0.01)
      }
      return log(kind.prior) + trust * fit
    }
    let best = scores.max() ?? 0
    let sum = scores.reduce(0.0) { $0 + exp($1 - best) }
    var result: [SymbolKind: Double] = [.empty: 1]
    for (kind, score) in zip(kinds, scores) { result[kind] = exp(score - best) / sum }
    return result
  }
}

/// The kind of a state's name; the names in a drawing are mostly of one kind.
enum NameKind: Hashable {
  case indexed(Character)
  /// Binary digits, as many in each name: `00`, `01`, `10`.
  case bits(Int)
  /// A name and an output (Moore).
  case withOutput
  case number, capital, small, other

  /// Returns the kinds that a name can be of; `10` is a number, and bits.
  static func kinds(of text: String) -> [NameKind] {
    guard let first = text.first else { return [.other] }
    if nameBeforeOutput(text) != nil { return [.withOutput] }
    let rest = text.dropFirst().drop { $0 == "_" }
    if text.allSatisfy(\.isNumber) {
      let areBits = text.count > 1 && text.allSatisfy("01".contains)
      let isNumber = text.count == 1 || first != "0"
      return (isNumber ? [.number] : [])
        + (areBits ? [.bits(text.count)] : isNumber ? [] : [.other])
    }
    if text.count == 1 { return [first.isUppercase ? .capital : .small] }
    return [!rest.isEmpty && rest.allSatisfy(\.isNumber) ? .indexed(first) : .other]
  }

  /// The number of names of this kind.
  var count: Int {
    if case .bits(let length) = self { return length < 16 ? 1 << length : .max }
    return .max
  }

  /// What a name costs if no other state has the name before or after it.
  var aloneCost: Double {
    switch self {
    case .indexed, .number: 2.5
    case .capital, .small: 1
    case .bits: 0.5
    case .withOutput, .other: 0
    }
  }

  /// The share of drawings with such names.
  var prior: Double {
    switch self {
    case .indexed("q"): 0.3
    case .indexed("s"): 0.08
    case .indexed("p"), .indexed("z"), .indexed("S"), .indexed("Q"): 0.01
    case .indexed: 0.001
    case .bits: 0.01
    case .number: 0.15
    case .capital: 0.2
    case .small: 0.06
    case .withOutput: 0.05
    case .other: 0.01
    }
  }

  /// The share of drawings with names like `text`.
  static func prior(of text: String) -> Double { kinds(of: text).map(\.prior).max()! }

  /// The name in `q0/1`, or `nil` if a text has no output.
  private static func nameBeforeOutput(_ text: String) -> String? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...3).contains(parts[0].count), (1...3).contains(parts[1].count),
      parts.joined().allSatisfy({ $0.isLetter || $0.isNumber })
    else { return nil }
    return String(parts[0])
  }

  /// Returns the number in a name, or the position of a letter in the alphabet; both begin with 0.
  func index(of text: String) -> Int? {
    switch self {
    case .number: Int(text)
    case .bits: Int(text, radix: 2)
    case .indexed: Int(text.drop { !$0.isNumber })
    case .capital, .small:
      text.lowercased().first?.asciiValue.map { Int($0) - Int(UInt8(ascii: "a")) }
    case .withOutput:
      Self.nameBeforeOutput(text).flatMap { NameKind.kinds(of: $0)[0].index(of: $0) }
    case .other: nil
    }
  }
}

/// The place of a name in the order of its kind.
private struct NamePlace: Hashable {
  let kind: NameKind
  private let index: Int

  /// Finds the place of a name, or returns `nil` if its kind has no order or it is none of the first `count`.
  init?(_ name: String, amongFirst count: Int) {
    let kind = NameKind.kinds(of: name).last!
    guard let index = kind.index(of: name), index <= count else { return nil }
    self.init(kind, index)
  }

  private init(_ kind: NameKind, _ index: Int) { (self.kind, self.index) = (kind, index) }

  var before: NamePlace { NamePlace(kind, index - 1) }
  var after: NamePlace { NamePlace(kind, index + 1) }
}
