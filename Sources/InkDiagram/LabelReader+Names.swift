import Foundation

extension LabelReader {
  /// The share of names that are of another kind than those of their drawing.
  private static let differentKind = 0.01
  /// The cost of the number `n` or a later one among `n` names: numbering from zero does not reach it.
  private static let fromOne = 1.0
  /// The cost of a name that another state has.
  private static let repeatedNameCost = 5.0
  /// The cost of a kind with fewer names than there are states.
  private static let tooFewNames = 6.0
  /// The cost of a letter, and of a number, that comes long after as many names as there are.
  private static let (laterLetter, laterNumber) = (1.0, 3.0)

  /// Returns the texts of the names of an automaton with probabilities, given that they are alike, differ from each
  /// other, and follow each other.
  ///
  /// - Parameter count: The number of names in the whole drawing: numbers may continue from one automaton to the next.
  func agreed(names lists: [[ScoredText]], among count: Int? = nil) -> [[ScoredText]] {
    let count = max(count ?? 0, lists.count)
    let kinds = kinds(of: lists, among: count)
    let names = lists.map { $0.map { name($0, kinds: kinds, among: count) } }
    var weights = names.map { Self.weights($0.map(\.text)) }
    for _ in 0..<3 {
      let shares = names.indices.map { NameShares(names[$0], weights[$0]) }
      let all = NameShares(shares)
      weights = names.indices.map { number in
        Self.weights(
          names[number].map { name in
            var score = name.text.score
            // Another state has this name already.
            score -= Self.repeatedNameCost * all.share(of: name.text.text, besides: shares[number])
            if let place = name.place, names.count > 1 {
              let beside = [place.before, place.after].map {
                all.share(at: $0, besides: shares[number])
              }
              score -= place.kind.aloneCost * (1 - beside.max()!)
            }
            return ScoredText(text: name.text.text, score: score)
          })
      }
    }
    return Self.ranked(lists, weights)
  }

  /// Returns a text with the score and the place that it has as the likeliest of its kinds.
  private func name(
    _ text: ScoredText, kinds: [NameKind: Double], among count: Int
  ) -> PlacedName {
    let known = vocabulary.contains(text.text) ? 1.5 : 0
    return NameKind.kinds(of: text.text).map { kind in
      var score = text.score + known + log(kind.fit(of: text.text))
      score += log(
        (1 - Self.differentKind) * (kinds[kind] ?? 0) + Self.differentKind * kind.prior)
      let index = kind.index(of: text.text)
      if let index, index >= count, kind.isNumbered { score -= Self.fromOne }
      score -= laterCost(of: text.text, as: kind, among: count)
      return PlacedName(
        text: ScoredText(text: text.text, score: score),
        place: index.flatMap { $0 <= count + 1 ? NamePlace(kind: kind, index: $0) : nil })
    }.max { $0.text.score < $1.text.score }!
  }

  /// Returns the cost of a name that comes long after as many names as there are, or 0.
  private func laterCost(of text: String, as kind: NameKind, among count: Int) -> Double {
    guard let index = kind.index(of: text), index > count + 1 else { return 0 }
    return switch kind {
    case .capital, .small: Self.laterLetter
    case .bits: 0
    // 90 is rather q0.
    case .number where index > 20 && text.first == "9": 8
    default: Self.laterNumber
    }
  }

  /// Returns the probability of each kind of names in an automaton whose names are alike.
  private func kinds(of lists: [[ScoredText]], among count: Int) -> [NameKind: Double] {
    // One hand writes a letter wrong everywhere, so that many states say little more than one.
    let trust = 0.5
    // In the order of the names: sums in the order of a set would differ in their last digits.
    var all: [NameKind] = []
    for kind in lists.joined().flatMap({ NameKind.kinds(of: $0.text) }) where !all.contains(kind) {
      all.append(kind)
    }
    let scores = all.map { kind in
      let fit = lists.reduce(0.0) { sum, list in
        let share = zip(list, Self.weights(list)).reduce(0.0) { share, text in
          guard NameKind.kinds(of: text.0.text).contains(kind) else { return share }
          // Two states are rarely named by late letters: a stroke and a ring are 1 and 0 rather than I and O.
          let isLetter = kind == .capital || kind == .small
          let later = isLetter ? laterCost(of: text.0.text, as: kind, among: count) : 0
          return share + text.1 * kind.fit(of: text.0.text) * exp(-later)
        }
        return sum + log(share + 0.003)
      }
      let shortage = kind.count < lists.count ? Self.tooFewNames : 0
      return (kind: kind, score: log(kind.prior) + trust * fit - shortage)
    }
    return Dictionary(
      uniqueKeysWithValues: zip(scores.map(\.kind), Self.shares(scores.map(\.score))))
  }
}

/// A text that may be a name, as one of a kind.
private struct PlacedName {
  var text: ScoredText
  /// Its place in the order of its kind; `nil` if the kind has none, or the place is far after the last state.
  var place: NamePlace?
}

/// The place of a name in the order of its kind.
private struct NamePlace: Hashable {
  var kind: NameKind
  var index: Int

  var before: NamePlace { NamePlace(kind: kind, index: index - 1) }
  var after: NamePlace { NamePlace(kind: kind, index: index + 1) }
}

/// How probable it is that states have a name, and a place.
private struct NameShares {
  private var texts: [String: Double] = [:]
  private var places: [NamePlace: Double] = [:]

  /// The shares of one state.
  init(_ names: [PlacedName], _ weights: [Double]) {
    for (name, weight) in zip(names, weights) {
      texts[name.text.text, default: 0] += weight
      if let place = name.place { places[place, default: 0] += weight }
    }
  }

  /// The sums of the shares of all states.
  init(_ states: [NameShares]) {
    for state in states {
      texts.merge(state.texts, uniquingKeysWith: +)
      places.merge(state.places, uniquingKeysWith: +)
    }
  }

  /// Returns how probable it is that a state besides `own` has a name.
  func share(of text: String, besides own: NameShares) -> Double {
    min(1, max(0, (texts[text] ?? 0) - (own.texts[text] ?? 0)))
  }

  /// Returns how probable it is that a state besides `own` has a place.
  func share(at place: NamePlace, besides own: NameShares) -> Double {
    min(1, max(0, (places[place] ?? 0) - (own.places[place] ?? 0)))
  }
}

/// The kind of a state's name; the names of an automaton are mostly of one kind.
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
      return areBits ? [.number, .bits(text.count)] : [.number]
    }
    if text.count == 1 { return [first.isUppercase ? .capital : .small] }
    return [!rest.isEmpty && rest.allSatisfy(\.isNumber) ? .indexed(first) : .other]
  }

  /// How well a name fits its kind: few people number with leading zeros.
  func fit(of text: String) -> Double {
    self == .number && text.count > 1 && text.first == "0" ? 0.02 : 1
  }

  /// Whether names of this kind are numbers, or letters with one.
  var isNumbered: Bool {
    switch self {
    case .indexed, .number: true
    case .bits, .capital, .small, .withOutput, .other: false
    }
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
      Self.nameBeforeOutput(text).flatMap { NameKind.kinds(of: $0).last!.index(of: $0) }
    case .other: nil
    }
  }
}
