/// The words that are likelier than other texts: those that a reader prefers, for example the names and
/// symbols of a document, and less so those that it knows anyway.
///
/// They are stored as a trie, so 100,000 words hardly slow a reader down.
public struct Vocabulary: Sendable {
  /// The number of different spellings that can be read.
  public let count: Int
  /// The preferred words with a character that is not in the alphabet, in their order; they are never read.
  public let unreadable: [String]

  // The nodes are in breadth-first order. The children of a node are neighbours, by class.
  private var firstChild: [Int32] = []
  private var labels: [UInt16] = []
  /// What each node is as a word, and the most that one below it or itself is.
  private var standings: [Standing] = []
  private var highestStandings: [Standing] = []

  /// How likely a text is.
  enum Standing: UInt8, Comparable {
    case unknown, known, preferred

    static func < (one: Standing, other: Standing) -> Bool { one.rawValue < other.rawValue }
  }

  /// The node of no characters.
  static let root: Int32 = 0

  /// Creates a vocabulary for a reader with an alphabet; empty words are left out.
  ///
  /// The words of `known` are in small letters; they can be written with a capital or in capitals, too.
  public init(
    _ preferred: some Sequence<String>, known: [String] = [], alphabet: Alphabet
  ) {
    var unreadable: [String] = []
    var letters: [UInt16] = []
    var spelled: [(letters: Range<Int>, standing: Standing)] = []
    /// Returns whether the alphabet has the characters of `word`.
    func add(_ word: String, _ standing: Standing) -> Bool {
      let start = letters.count
      guard let classes = alphabet.classes(of: word) else { return false }
      letters.append(contentsOf: classes.lazy.map { UInt16($0) })
      spelled.append((start..<letters.count, standing))
      return true
    }
    for word in preferred where !word.isEmpty && !add(word, .preferred) {
      unreadable.append(word)
    }
    for word in known where !word.isEmpty {
      for spelling in [word, word.prefix(1).uppercased() + word.dropFirst(), word.uppercased()] {
        _ = add(spelling, .known)
      }
    }
    self.unreadable = unreadable
    letters.withUnsafeBufferPointer { letters in
      spelled.sort { a, b in
        letters[a.letters].lexicographicallyPrecedes(letters[b.letters])
      }
    }

    // The range of the sorted words below each node, and the number of their letters up to it.
    var pending: [(words: Range<Int>, depth: Int)] = [(0..<spelled.count, 0)]
    labels = [0]
    var count = 0
    var node = 0
    while node < pending.count {
      var (rest, depth) = pending[node]
      node += 1
      firstChild.append(Int32(pending.count))
      // A word that ends here is before those that go on; the same word may be there twice.
      highestStandings.append(rest.map { spelled[$0].standing }.max() ?? .unknown)
      var standing = Standing.unknown
      while let word = rest.first, spelled[word].letters.count == depth {
        standing = max(standing, spelled[word].standing)
        rest = rest.dropFirst()
      }
      standings.append(standing)
      if standing > .unknown { count += 1 }
      while let first = rest.first {
        let label = letters[spelled[first].letters.lowerBound + depth]
        let next =
          rest.first { letters[spelled[$0].letters.lowerBound + depth] != label } ?? rest.upperBound
        pending.append((first..<next, depth + 1))
        labels.append(label)
        rest = next..<rest.upperBound
      }
    }
    firstChild.append(Int32(pending.count))
    self.count = count
  }

  /// Returns the child of `node` for a class, if a word goes on so.
  func child(of node: Int32, _ number: Int) -> Int32? {
    var range = children(of: node)
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      let label = Int(labels[Int(middle)])
      if label == number { return middle }
      range = label < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The children of `node`.
  func children(of node: Int32) -> Range<Int32> {
    firstChild[Int(node)]..<firstChild[Int(node) + 1]
  }

  /// The class of the last character of `node`.
  func label(of node: Int32) -> Int { Int(labels[Int(node)]) }

  /// What the characters up to `node` are as a word.
  func standing(of node: Int32) -> Standing { standings[Int(node)] }

  /// The most that a word which begins with the characters up to `node` is.
  func highestStanding(from node: Int32) -> Standing { highestStandings[Int(node)] }
}
