import Foundation

/// A prefix beam search over the texts that a grammar and a vocabulary allow.
struct PrefixSearch {
  /// A text that was found.
  struct Found {
    /// The classes of its characters.
    var classes: [Int]
    /// The logarithm of its probability by CTC, as far as the search followed its paths.
    var logProbability: Double
    /// The same with the weights of the vocabulary and of the letters.
    var weight: Double
  }

  private let table: GrammarTable
  private let vocabulary: Vocabulary?
  private let letters: LetterSequences?
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
    var parent: Int32 = -1
    var lastClass: Int
    var grammarState: Int
    /// The node of the vocabulary, or -1 if no word begins so.
    var node: Int32
    /// The number of characters since the root of the vocabulary.
    var depth: Int
    /// What the words of the vocabulary before the current one, and letters in a row before the current ones, add to
    /// the weight.
    var bonus: Double
    /// The letters in a row at its end.
    var run = LetterSequences.Run.none
    /// The part of `bonus` for letters in a row that its last character ended.
    var ended = 0.0
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

  init(
    _ table: GrammarTable, vocabulary: Vocabulary?, letters: LetterSequences?,
    options: CTCDecoder.Options
  ) {
    self.table = table
    self.vocabulary = vocabulary
    self.letters = letters
    self.options = options
    prefixes = [
      Prefix(
        lastClass: Alphabet.blank, grammarState: 0,
        node: vocabulary == nil ? -1 : Vocabulary.root, depth: 0, bonus: 0)
    ]
  }

  /// Returns the allowed texts at the end of `output`, and the logarithm of the estimated probability
  /// of those that were left out.
  consuming func texts(of output: LogProbabilities) -> (texts: [Found], lost: Double) {
    var active: [Int32] = [0]
    prefixes[0].blank = 0
    let least =
      options.minimumClassProbability > 0 ? log(options.minimumClassProbability) : -.infinity
    for step in 0..<output.stepCount {
      var classes = StepClasses(least: least)
      for number in 1..<output.classCount {
        let logProbability = Double(output[step, number])
        if logProbability < least {
          classes.skipped += exp(logProbability)
        } else if logProbability > -.infinity {
          classes.likely.append((number, logProbability))
        }
      }
      active = advance(active, output, step: step, classes: classes)
    }
    let found = active.compactMap { text(of: $0) }
    let followed = active.reduce(-.infinity) { logSum($0, prefixes[Int($1)].total) }
    let allowed = found.reduce(-.infinity) { logSum($0, $1.logProbability) }
    return (found, allowed > -.infinity ? lost + allowed - followed : lost)
  }

  /// The classes of one step that continue prefixes.
  private struct StepClasses {
    /// The logarithm of the least probability of a likely class.
    var least: Double
    var likely: [(number: Int, logProbability: Double)] = []
    /// The probability of all other classes, without the blank.
    var skipped = 0.0
  }

  /// Follows the paths of all active prefixes for one step, and returns those to go on with.
  private mutating func advance(
    _ active: [Int32], _ output: LogProbabilities, step: Int, classes: StepClasses
  ) -> [Int32] {
    var touched: [Int32] = []
    touched.reserveCapacity(active.count * (classes.likely.count + 1))
    func touch(_ index: Int32) {
      guard !prefixes[Int(index)].isTouched else { return }
      prefixes[Int(index)].isTouched = true
      touched.append(index)
    }
    var before = -Double.infinity
    for index in active {
      let prefix = prefixes[Int(index)]
      before = logSum(before, prefix.total)
      touch(index)
      prefixes[Int(index)].nextBlank = prefix.total + Double(output[step, Alphabet.blank])
      prefixes[Int(index)].nextCharacter =
        prefix.character + Double(output[step, prefix.lastClass])
    }
    let least = minimumWeight(of: active)

    var cut = -Double.infinity
    for index in active {
      let prefix = prefixes[Int(index)]
      /// Adds the paths with one more character; `node` is that of the longer prefix.
      func extend(by number: Int, _ logProbability: Double, node: Int32, isLikely: Bool) {
        // A repeated character needs a blank before it.
        let paths =
          (number == prefix.lastClass ? prefix.blank : prefix.total) + logProbability
        guard paths > -.infinity else { return }
        // A prefix that would not be kept is not made.
        let existing = existingChild(of: index, number)
        let (run, ended) =
          existing.map { (prefixes[Int($0)].run, prefixes[Int($0)].ended) }
          ?? self.run(after: prefix, number)
        var weight = paths + prefix.bonus + run.weight + ended
        if number == table.separator {
          weight += wordBonus(of: prefix)
        } else if node >= 0 {
          weight += options.preferredWeight * Double(prefix.depth + 1)
        }
        guard weight >= least else {
          if isLikely { cut = logSum(cut, paths) }
          return
        }
        guard let child = existing ?? newChild(of: index, number, node: node, run, ended: ended)
        else { return }
        touch(child)
        prefixes[Int(child)].nextCharacter = logSum(prefixes[Int(child)].nextCharacter, paths)
      }
      for (number, logProbability) in classes.likely {
        var node: Int32 = -1
        if prefix.node >= 0, number != table.separator, let vocabulary {
          node = vocabulary.child(of: prefix.node, number) ?? -1
        }
        extend(by: number, logProbability, node: node, isLikely: true)
      }
      if prefix.node >= 0, classes.least > -.infinity, let vocabulary {
        for node in vocabulary.children(of: prefix.node) {
          let number = vocabulary.label(of: node)
          let logProbability = Double(output[step, number])
          guard logProbability < classes.least, number != table.separator else { continue }
          extend(by: number, logProbability, node: node, isLikely: false)
        }
      }
    }

    let after = touched.reduce(-.infinity) { logSum($0, prefixes[Int($1)].nextTotal) }
    let skipped = classes.skipped + exp(cut - before)
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

  /// The least weight with which a prefix can be among those to go on with.
  ///
  /// At least the active prefixes themselves compete with it.
  private func minimumWeight(of active: [Int32]) -> Double {
    let width = max(1, options.beamWidth)
    guard active.count >= width else { return -.infinity }
    return active.map(nextWeight).sorted(by: >)[width - 1]
  }

  /// The weight of a prefix after the step, as if a word that it begins were complete.
  private func nextWeight(of index: Int32) -> Double {
    let prefix = prefixes[Int(index)]
    let weight = prefix.node > Vocabulary.root ? options.preferredWeight : 0
    return prefix.nextTotal + prefix.bonus + prefix.run.weight + weight * Double(prefix.depth)
  }

  /// Returns the prefixes with the highest weights.
  private mutating func best(of touched: [Int32]) -> [Int32] {
    let width = max(1, options.beamWidth)
    guard touched.count > width else { return touched }
    var ranked = touched.map { (index: $0, weight: nextWeight(of: $0)) }
    // Equal weights keep the order of their creation, so the result is the same everywhere.
    ranked.sort { $0.weight > $1.weight || ($0.weight == $1.weight && $0.index < $1.index) }
    for one in ranked[width...] { lost = logSum(lost, prefixes[Int(one.index)].nextTotal) }
    return ranked[..<width].map(\.index)
  }

  /// Returns the letters in a row after one more character, and what those before it add if it ends them.
  private func run(
    after prefix: Prefix, _ number: Int
  ) -> (run: LetterSequences.Run, ended: Double) {
    letters?.run(after: prefix.run, number, last: prefix.lastClass) ?? (.none, 0)
  }

  /// Returns the prefix with one more character if it was made before.
  private func existingChild(of index: Int32, _ number: Int) -> Int32? {
    var sibling = prefixes[Int(index)].firstChild
    while sibling >= 0 {
      if prefixes[Int(sibling)].lastClass == number { return sibling }
      sibling = prefixes[Int(sibling)].nextSibling
    }
    return nil
  }

  /// Makes the prefix with one more character, unless it is not allowed.
  private mutating func newChild(
    of index: Int32, _ number: Int, node: Int32, _ run: LetterSequences.Run, ended: Double
  ) -> Int32? {
    let prefix = prefixes[Int(index)]
    var child: Prefix
    if number == table.separator {
      guard isComplete(prefix) else { return nil }
      child = Prefix(
        lastClass: number, grammarState: 0, node: vocabulary == nil ? -1 : Vocabulary.root,
        depth: 0, bonus: prefix.bonus + wordBonus(of: prefix))
    } else {
      let next = table.next(after: prefix.grammarState, number)
      guard next != nil || node >= 0 else { return nil }
      child = Prefix(
        lastClass: number, grammarState: next ?? GrammarTable.wordOnly, node: node,
        depth: prefix.depth + 1, bonus: prefix.bonus)
    }
    (child.run, child.ended) = (run, ended)
    child.bonus += ended
    child.parent = index
    child.nextSibling = prefix.firstChild
    prefixes[Int(index)].firstChild = Int32(prefixes.count)
    prefixes.append(child)
    return Int32(prefixes.count - 1)
  }

  /// Whether a prefix is a word of the vocabulary.
  private func isWord(_ prefix: Prefix) -> Bool {
    vocabulary.map { prefix.node >= 0 && $0.isWord(prefix.node) } ?? false
  }

  /// Whether the text, or the symbol in a list, may end here.
  private func isComplete(_ prefix: Prefix) -> Bool {
    table.isComplete(prefix.grammarState) || isWord(prefix)
  }

  private func wordBonus(of prefix: Prefix) -> Double {
    isWord(prefix) ? options.preferredWeight * Double(prefix.depth) : 0
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
      weight: logProbability + prefix.bonus + wordBonus(of: prefix)
        + (letters?.ended(prefix.run) ?? 0))
  }
}
