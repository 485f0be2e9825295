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

extension Sequence<ScoredText> {
  /// Returns the texts, the likeliest first.
  func likeliestFirst() -> [ScoredText] { sorted { ($0.score, $1.text) > ($1.score, $0.text) } }
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
  let loop: ParallelLoop
  let vocabulary: Set<String>
  /// The only symbols; empty if any can be.
  let alphabet: Set<String>
  /// The symbols of both, which stay as they were read.
  private let known: Set<String>
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
  /// The cost of a list that ends with a comma: few go on in another row.
  private static let openList = 3.0
  /// What a letter looks like: a digit, or the sign of the empty word, which looks like `E` in turn.
  private static let lookalikes = [
    "l": "1", "I": "1", "o": "0", "O": "0", "E": "ε", "ε": "E",
  ]
  /// What they cost where a letter that looks like them is read.
  private static let unlikeShape = 0.1
  /// What names have besides letters and digits; a bar is rather a 1.
  private static let signsInNames = Set("_'′’/ =.:,+-()<>*#")
  /// The angles at which writing is read besides 0, in radians: paper lies turned, and hands slant.
  private static let angles = [-16, -8, 8, 16].map { $0 * Double.pi / 180 }
  /// What an angle costs, per radian, in the score of all writing of a drawing.
  private static let angleCost = 14.0
  /// The score that a label counts with, at least, in the choice of the angle, and the mean score of its characters that
  /// counts, at least, in the choice of the quarter turn.
  private static let (illegible, leastLegibility) = (-12.0, -1.0)

  /// Creates a reader of labels that reads on `workers` cores.
  init(reader: Reader, vocabulary: [String], alphabet: [String], workers: Int) {
    self.reader = reader
    loop = ParallelLoop(workers: workers)
    self.vocabulary = Set(vocabulary)
    self.alphabet = Set(alphabet)
    known = self.alphabet.union(vocabulary)
    func decoder(_ grammar: Grammar, _ words: [String]) -> CTCDecoder {
      var decoder = reader.decoder(grammar: grammar, vocabulary: words)
      decoder.options.maximumCandidates = Self.most
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
  /// - Parameters:
  ///   - doubtful: Lines that may be symbols or remarks; they are read at the likeliest angle, which they do not help to
  ///     choose.
  ///   - writing: Turns a line clockwise by an angle in radians.
  func texts(
    names: [TextLine], symbols: [TextLine], doubtful: [TextLine],
    as writing: @Sendable (_ line: TextLine, _ angle: Double) -> Writing
  ) -> (names: [[ScoredText]], symbols: [[ScoredText]], doubtful: [[ScoredText]]) {
    let lines = names + symbols
    let strokeCount = lines.reduce(0) { $0 + $1.traces.count }
    let angles = strokeCount > DiagramRecognizer.maximumStrokes ? [0] : [0] + Self.angles
    let read = loop.map(angles.count * lines.count) { task, _ in
      let (view, line) = task.quotientAndRemainder(dividingBy: lines.count)
      let writing = writing(lines[line], angles[view])
      return line < names.count ? self.names(writing) : self.symbols(writing)
    }
    let readings = angles.indices.map { Array(read[$0 * lines.count..<($0 + 1) * lines.count]) }
    let shares = Self.shares(
      zip(angles, readings).map { angle, texts in
        texts.reduce(-Self.angleCost * abs(angle)) {
          $0 + max(Self.illegible, $1.first?.score ?? Self.illegible)
        }
      })
    let angle = zip(angles, shares).max { $0.1 < $1.1 }!.0
    let texts = loop.map(lines.count + doubtful.count) { number, _ in
      let line = number < lines.count ? lines[number] : doubtful[number - lines.count]
      // Clear lines need no further look.
      lazy var writing = writing(line, angle)
      func texts(_ view: LineView) -> [ScoredText] {
        number < names.count ? self.names(writing, view) : self.symbols(writing, view)
      }
      let plain =
        number < lines.count
        ? Self.mixed(readings.map { $0[number] }, weights: shares) : texts(.plain)
      guard angles.count > 1, (Self.weights(plain).first ?? 0) < Reader.sureProbability else {
        return plain
      }
      let all = [plain] + Reader.otherViews.map(texts)
      return Self.mixed(all, weights: all.map { _ in 1 / Double(all.count) })
    }
    let count = lines.count
    return (Array(texts[..<names.count]), Array(texts[names.count..<count]), Array(texts[count...]))
  }

  /// Returns how well lines can be read: the mean score of the characters of their best texts, and their number.
  ///
  /// The mean of a line is at least ``leastLegibility``, and one that cannot be read counts as one character.
  func legibility(
    names: [TextLine], symbols: [TextLine], as writing: @Sendable (_ line: TextLine) -> Writing
  ) -> (mean: Double, count: Int) {
    let lines = names + symbols
    let best = loop.map(lines.count) { line, _ in
      bestText(of: writing(lines[line]), asName: line < names.count)
    }
    let counts = best.map { max(1, $0.text.count) }
    let sum = zip(best, counts).reduce(0.0) { sum, line in
      sum + max(Self.leastLegibility * Double(line.1), line.0.score)
    }
    let count = counts.reduce(0, +)
    return (sum / Double(max(1, count)), count)
  }

  /// Returns the names that a line of writing may be, the likeliest first.
  private func names(_ line: Writing, _ view: LineView = .plain) -> [ScoredText] {
    let read = texts(line, view, with: names).filter { text in
      text.text.contains { $0.isLetter || $0.isNumber }
        && text.text.allSatisfy {
          $0.isLetter || $0.isNumber || Self.signsInNames.contains($0)
        }
    }
    // The other names say whether a stroke or a ring is a digit; no name is the empty word.
    let scores = Self.scores(of: read) { name in
      Self.lookalikes[name].map { $0 == "ε" ? [] : [$0] } ?? []
    }
    return Self.sorted(scores)
  }

  /// Returns the symbols that a line of writing may be, the likeliest first.
  func symbols(_ line: Writing, _ view: LineView = .plain) -> [ScoredText] {
    let read = Self.withCostOfOpenLists(texts(line, view, with: [symbols]))
    var scores = Self.scores(of: read) { Self.alike($0, known: known) }
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

  /// Returns texts with the cost of lists that end with a comma.
  static func withCostOfOpenLists(_ texts: [ScoredText]) -> [ScoredText] {
    texts.map {
      ScoredText(text: $0.text, score: $0.score - ($0.text.last == "," ? openList : 0))
    }
  }

  /// Returns what else a list of symbols may be, by what its symbols look like.
  ///
  /// A stroke and a ring may be letters or digits, a letter may be small or a capital, and an E may be ε. The other symbols
  /// of the drawing tell, and those that are known.
  static func alike(_ text: String, known: Set<String>) -> [String] {
    func changed(_ change: (String) -> String) -> String {
      text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        .map { known.contains($0) ? $0 : change($0) }.joined(separator: ",")
    }
    func digit(_ symbol: String) -> String {
      // Only an ε that is the whole label can be E: in a list, `ε,l` would lose `ε,1`.
      symbol == "ε" && text != symbol ? symbol : lookalikes[symbol] ?? symbol
    }
    return [changed(digit), changed(small), changed { digit(small($0)) }]
  }

  /// Returns a symbol whose inputs and outputs of one letter are small where their capitals look alike.
  ///
  /// Hands write y like Y as well.
  private static func small(_ symbol: String) -> String {
    symbol.split(separator: "/", omittingEmptySubsequences: false).map { part in
      let isAlike = part.count == 1 && (part == "Y" || part.first!.isSameInBothCases)
      return isAlike ? part.lowercased() : String(part)
    }.joined(separator: "/")
  }

  /// Returns the scores of texts, and of those that look like them.
  private static func scores(
    of read: [ScoredText], alike: (String) -> [String]
  ) -> [String: Double] {
    var scores = Dictionary(uniqueKeysWithValues: read.map { ($0.text, $0.score) })
    for text in read {
      for alike in alike(text.text) where alike != text.text {
        scores[alike] = max(scores[alike] ?? -.infinity, text.score - unlikeShape)
      }
    }
    return scores
  }

  /// Returns the text that a line of writing is likeliest to be, whatever is written elsewhere.
  func bestText(of line: Writing, asName isName: Bool) -> ScoredText {
    (isName ? names(line) : symbols(line)).first ?? ScoredText(text: "", score: Self.unread)
  }

  /// Whether a text has two characters or more, among them letters or digits, and lacks no input or output beside a slash
  /// and no symbol before a comma.
  static func isWhole(_ text: String) -> Bool {
    text.count > 1 && text.contains { $0.isLetter || $0.isNumber }
      && text.first != "," && !text.contains(",,")
      && symbols(of: text).allSatisfy { $0.first != "/" && $0.last != "/" }
  }

  /// Returns what `decoders` read, and other texts.
  private func texts(
    _ line: Writing, _ view: LineView, with decoders: [CTCDecoder]
  ) -> [ScoredText] {
    switch line {
    case .ink(let strokes): scored(.drawing(strokes), view, with: decoders)
    case .picture(nil, let strokes):
      scored(.drawing(strokes), isTraced: true, view, with: decoders)
    case .picture(let strip?, let strokes):
      Self.mixed(
        [
          scored(.bitmap(strip), view, with: decoders),
          scored(.drawing(strokes), isTraced: true, view, with: decoders),
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
    scores.map { ScoredText(text: $0, score: $1) }.likeliestFirst()
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
    _ input: RecognitionInput, isTraced: Bool = false, _ view: LineView,
    with decoders: [CTCDecoder]
  ) -> [ScoredText] {
    guard let logits = try? reader.logits(of: input, isTraced: isTraced, view: view) else {
      return []
    }
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

  // MARK: Probabilities

  /// Returns the texts of one line with probabilities, the likeliest first, whatever is written elsewhere.
  func weighed(_ list: [ScoredText]) -> [ScoredText] {
    Self.ranked([list], [Self.weights(list)])[0]
  }

  /// Returns probabilities that sum to one.
  static func weights(_ list: [ScoredText]) -> [Double] { shares(list.map(\.score)) }

  /// Returns probabilities that sum to one, with these logarithms.
  static func shares(_ logarithms: [Double]) -> [Double] {
    guard let best = logarithms.max() else { return [] }
    let parts = logarithms.map { exp($0 - best) }
    let sum = parts.reduce(0, +)
    return parts.map { $0 / sum }
  }

  static func ranked(_ lists: [[ScoredText]], _ weights: [[Double]]) -> [[ScoredText]] {
    zip(lists, weights).map { list, weight in
      zip(list, weight).map { ScoredText(text: $0.text, score: $1) }.likeliestFirst()
    }
  }
}
