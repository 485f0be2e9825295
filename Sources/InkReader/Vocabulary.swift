/// The words that a reader prefers, for example the names and symbols of a document.
///
/// They are stored as a trie, so 100,000 words hardly slow a reader down.
public struct Vocabulary: Sendable {
  /// The number of different words that can be read.
  public let count: Int
  /// The words with a character that is not in the alphabet, in their order; they are never read.
  public let unreadable: [String]

  // The nodes are in breadth-first order. The children of a node are neighbours, by class.
  private var firstChild: [Int32] = []
  private var labels: [UInt16] = []
  private var isWord: [Bool] = []

  /// The node of no characters.
  static let root: Int32 = 0

  /// Creates a vocabulary of `words` for a reader with an alphabet; empty words are left out.
  public init(_ words: some Sequence<String>, alphabet: Alphabet) {
    var unreadable: [String] = []
    var letters: [UInt16] = []
    var spelled: [Range<Int>] = []
    for word in words where !word.isEmpty {
      let start = letters.count
      guard let classes = alphabet.classes(of: word) else {
        unreadable.append(word)
        continue
      }
      letters.append(contentsOf: classes.lazy.map { UInt16($0) })
      spelled.append(start..<letters.count)
    }
    self.unreadable = unreadable
    letters.withUnsafeBufferPointer { letters in
      spelled.sort { a, b in
        letters[a].lexicographicallyPrecedes(letters[b])
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
      var ends = false
      while let word = rest.first, spelled[word].count == depth {
        ends = true
        rest = rest.dropFirst()
      }
      isWord.append(ends)
      if ends { count += 1 }
      while let first = rest.first {
        let label = letters[spelled[first].lowerBound + depth]
        let next =
          rest.first { letters[spelled[$0].lowerBound + depth] != label } ?? rest.upperBound
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

  /// Whether the characters up to `node` are a word.
  func isWord(_ node: Int32) -> Bool { isWord[Int(node)] }
}
