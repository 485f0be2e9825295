import Foundation

/// A prefix beam search over the texts that a grammar and a vocabulary allow.
struct PrefixSearch {
  /// A text that was found.
  struct Found {
    /// The classes of its characters.
    var classes: [Int]
    /// The logarithm of its probability by CTC, as far as the search followed its paths.
    var logProbability: Double
    /// The same with the weight of the vocabulary.
    var weight: Double
  }

  private let table: GrammarTable
  private let vocabulary: Vocabulary?
  private let options: CTCDecoder.Options

  private var prefixes: [Prefix]
  /// The logarithm of the estimated probability of the allowed paths that were left out.
  ///
  /// It is exact if all texts are allowed. Otherwise paths that were left out are taken to become
  /// texts that are not allowed as often as those that were followed.
  private var lost = -Double.infinity

  /// A prefix of a text.
  ///
  /// Prefixes are a tree, whose root is the empty one.
  private struct Prefix {
    /// The prefix without the last character, or -1.
    var parent: Int32
    var lastClass: Int
    var grammarState: Int
    /// The node of the vocabulary, or -1 if no word begins so.
    var node: Int32
    /// The number of characters since the root of the vocabulary.
    var depth: Int
    /// What the words of the vocabulary before the current one add to the weight.
    var bonus: Double
    var firstChild: Int32 = -1
    var nextSibling: Int32 = -1
    /// The logarithm of the probability of the paths up to now that end in a blank.
    var blank = -Double.infinity
    /// That of the paths that end in the last character.
    var character = -Double.infinity
    var nextBlank = -Double.infinity
    var nextCharacter = -Double.infinity
    var isTouched = false

    var total: Double { logSum(blank, character) }
    var nextTotal: Double { logSum(nextBlank, nextCharacter) }
  }

  init(_ table: GrammarTable, vocabulary: Vocabulary?, options: CTCDecoder.Options) {
    self.table = table
    self.vocabulary = vocabulary
    self.options = options
    prefixes = [
      Prefix(
        parent: -1, lastClass: Alphabet.blank, grammarState: 0,
        node: vocabulary == nil ? -1 : Vocabulary.root, depth: 0, bonus: 0)
    ]
  }

  /// Returns the allowed texts at the end of `output`, and the logarithm of the estimated probability
  /// of those that were left out.
  consuming func texts(of output: LogProbabilities) -> (texts: [Found], lost: Double) {
    var active: [Int32] = [0]
    prefixes[0].blank = 0
    let least = options.leastClassProbability > 0 ? log(options.leastClassProbability) : -.infinity
    var likely: [(number: Int, logProbability: Double)] = []
    for step in 0..<output.stepCount {
      likely.removeAll(keepingCapacity: true)
      var skipped = 0.0
      for number in 1..<output.classCount {
        let logProbability = Double(output[step, number])
        if logProbability >= least {
          if logProbability > -.infinity { likely.append((number, logProbability)) }
        } else {
          skipped += exp(logProbability)
        }
      }
      active = advance(
        active, output, step: step, likely: likely, least: least, skipped: min(1, skipped))
    }
    let found = active.compactMap { text(of: $0) }
    let followed = active.reduce(-.infinity) { logSum($0, prefixes[Int($1)].total) }
    let allowed = found.reduce(-.infinity) { logSum($0, $1.logProbability) }
    return (found, allowed > -.infinity ? lost + allowed - followed : lost)
  }

  /// Follows the paths of all active prefixes for one step, and returns those to go on with.
  private mutating func advance(
    _ active: [Int32], _ output: LogProbabilities, step: Int,
    likely: [(number: Int, logProbability: Double)], least: Double, skipped: Double
  ) -> [Int32] {
    var touched: [Int32] = []
    touched.reserveCapacity(active.count * (likely.count + 1))
    func touch(_ index: Int32) {
      guard !prefixes[Int(index)].isTouched else { return }
      prefixes[Int(index)].isTouched = true
      touched.append(index)
    }
    let blank = Double(output[step, Alphabet.blank])
    var before = -Double.infinity
    for index in active {
      let prefix = prefixes[Int(index)]
      let total = prefix.total
      before = logSum(before, total)
      touch(index)
      prefixes[Int(index)].nextBlank = logSum(prefix.nextBlank, total + blank)
      if index != 0 {
        let again = prefix.character + Double(output[step, prefix.lastClass])
        prefixes[Int(index)].nextCharacter = logSum(
          prefixes[Int(index)].nextCharacter, again)
      }
      func extend(by number: Int, _ logProbability: Double) {
        // A repeated character needs a blank before it.
        let before = number == prefix.lastClass ? prefix.blank : total
        guard before > -.infinity, let child = child(of: index, number) else { return }
        touch(child)
        prefixes[Int(child)].nextCharacter = logSum(
          prefixes[Int(child)].nextCharacter, before + logProbability)
      }
      for (number, logProbability) in likely { extend(by: number, logProbability) }
      if prefix.node >= 0, least > -.infinity, let vocabulary {
        for node in vocabulary.children(of: prefix.node) {
          let number = vocabulary.label(of: node)
          let logProbability = Double(output[step, number])
          guard logProbability < least, logProbability > -.infinity else { continue }
          extend(by: number, logProbability)
        }
      }
    }
    let after = touched.reduce(-.infinity) { logSum($0, prefixes[Int($1)].nextTotal) }
    // The share of the paths with likely classes that the grammar allows.
    let allowed = min(0, after - before - log(1 - skipped))
    if skipped < 1, allowed > -.infinity {
      lost = logSum(lost, before + log(skipped)) + allowed
    }
    let kept = best(of: touched)
    for index in touched {
      let place = Int(index)
      prefixes[place].blank = -.infinity
      prefixes[place].character = -.infinity
    }
    for index in kept {
      let place = Int(index)
      prefixes[place].blank = prefixes[place].nextBlank
      prefixes[place].character = prefixes[place].nextCharacter
    }
    for index in touched {
      let place = Int(index)
      prefixes[place].nextBlank = -.infinity
      prefixes[place].nextCharacter = -.infinity
      prefixes[place].isTouched = false
    }
    return kept
  }

  /// Returns the prefixes with the highest weights, and of those in the vocabulary as many again.
  private mutating func best(of touched: [Int32]) -> [Int32] {
    let width = max(1, options.beamWidth)
    guard touched.count > width else { return touched }
    var ranked = touched.map { index -> (index: Int32, weight: Double, total: Double, word: Bool) in
      let prefix = prefixes[Int(index)]
      let total = prefix.nextTotal
      let isInVocabulary = prefix.node > Vocabulary.root
      let bonus =
        prefix.bonus + (isInVocabulary ? options.vocabularyWeight * Double(prefix.depth) : 0)
      return (index, total + bonus, total, isInVocabulary)
    }
    // Equal weights keep the order of their creation, so the result is the same everywhere.
    ranked.sort { $0.weight > $1.weight || ($0.weight == $1.weight && $0.index < $1.index) }
    var kept: [Int32] = []
    var words = 0
    for (place, one) in ranked.enumerated() {
      if place < width || (one.word && words < width) {
        kept.append(one.index)
        if one.word { words += 1 }
      } else {
        lost = logSum(lost, one.total)
      }
    }
    return kept
  }

  /// Returns the prefix with one more character, or `nil` if it is not allowed.
  private mutating func child(of index: Int32, _ number: Int) -> Int32? {
    var sibling = prefixes[Int(index)].firstChild
    while sibling >= 0 {
      if prefixes[Int(sibling)].lastClass == number { return sibling }
      sibling = prefixes[Int(sibling)].nextSibling
    }
    guard var child = extended(prefixes[Int(index)], by: number) else { return nil }
    child.parent = index
    child.nextSibling = prefixes[Int(index)].firstChild
    prefixes[Int(index)].firstChild = Int32(prefixes.count)
    prefixes.append(child)
    return Int32(prefixes.count - 1)
  }

  private func extended(_ prefix: Prefix, by number: Int) -> Prefix? {
    if number == table.separator {
      guard isComplete(prefix) else { return nil }
      return Prefix(
        parent: -1, lastClass: number, grammarState: 0,
        node: vocabulary == nil ? -1 : Vocabulary.root, depth: 0,
        bonus: prefix.bonus + wordBonus(of: prefix))
    }
    var node: Int32 = -1
    if prefix.node >= 0, let vocabulary {
      node = vocabulary.child(of: prefix.node, number) ?? -1
    }
    let next = table.next(after: prefix.grammarState, number)
    guard next != nil || node >= 0 else { return nil }
    return Prefix(
      parent: -1, lastClass: number, grammarState: next ?? GrammarTable.wordOnly, node: node,
      depth: prefix.depth + 1, bonus: prefix.bonus)
  }

  private func isWord(_ prefix: Prefix) -> Bool {
    prefix.node >= 0 && vocabulary?.isWord(prefix.node) == true
  }

  /// Whether the text, or the symbol in a list, may end here.
  private func isComplete(_ prefix: Prefix) -> Bool {
    table.isComplete(prefix.grammarState) || isWord(prefix)
  }

  private func wordBonus(of prefix: Prefix) -> Double {
    isWord(prefix) ? options.vocabularyWeight * Double(prefix.depth) : 0
  }

  /// Returns the text of a prefix, if it may end here.
  private func text(of index: Int32) -> Found? {
    let prefix = prefixes[Int(index)]
    guard isComplete(prefix) else { return nil }
    let logProbability = prefix.total
    guard logProbability > -.infinity else { return nil }
    var classes: [Int] = []
    var current = index
    while current > 0 {
      classes.append(prefixes[Int(current)].lastClass)
      current = prefixes[Int(current)].parent
    }
    return Found(
      classes: classes.reversed(), logProbability: logProbability,
      weight: logProbability + prefix.bonus + wordBonus(of: prefix))
  }
}

/// The best path of a text.
enum Alignment {
  /// Returns the steps of each character on the most probable path of a text (Viterbi, 1967), from
  /// the first to the last step with its class.
  ///
  /// - Precondition: the text fits into the steps.
  static func steps(of classes: [Int], in output: LogProbabilities) -> [Range<Int>] {
    guard !classes.isEmpty, output.stepCount > 0 else { return classes.map { _ in 0..<0 } }
    // The states: a blank, then each character followed by a blank.
    let labels = [Alphabet.blank] + classes.flatMap { [$0, Alphabet.blank] }
    var scores = [Double](repeating: -.infinity, count: labels.count)
    scores[0] = Double(output[0, Alphabet.blank])
    scores[1] = Double(output[0, labels[1]])
    // How many states each path came up, at each step.
    var moves = [UInt8](repeating: 0, count: output.stepCount * labels.count)
    for step in 1..<max(1, output.stepCount) {
      var next = scores
      for state in labels.indices {
        var (best, move) = (scores[state], 0)
        if state > 0, scores[state - 1] > best { (best, move) = (scores[state - 1], 1) }
        if state > 1, labels[state] != Alphabet.blank, labels[state] != labels[state - 2],
          scores[state - 2] > best
        {
          (best, move) = (scores[state - 2], 2)
        }
        next[state] = best + Double(output[step, labels[state]])
        moves[step * labels.count + state] = UInt8(move)
      }
      scores = next
    }
    var state = labels.count - 1
    if scores[state - 1] > scores[state] { state -= 1 }
    var result = [Range<Int>?](repeating: nil, count: classes.count)
    for step in stride(from: output.stepCount - 1, through: 0, by: -1) {
      if state % 2 == 1 {
        let index = state / 2
        result[index] = step..<(result[index]?.upperBound ?? step + 1)
      }
      state -= Int(moves[step * labels.count + state])
    }
    return result.map { $0 ?? 0..<0 }
  }
}
