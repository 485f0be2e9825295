import ErrorText
import Ink
import InkNetwork

/// The characters that a reader knows, in the order of the classes of its network.
///
/// Class 0 is the blank of CTC: no new character. The first character is class 1. The character
/// ``noWriting`` stands for ink that is no writing, and is in no text.
public struct Alphabet: Hashable, Sendable {
  /// The class of the blank.
  public static let blank = Architecture.blank
  /// The character for ink that is no writing: U+FFFD, the replacement character.
  public static let noWriting = Character(Recording.noWriting)

  /// The characters; that at `index` is class `index + 1`.
  public let characters: [Character]
  /// The class of ink that is no writing, or `nil` if the reader has not learnt any.
  public let noWritingClass: Int?
  private let classes: [Character: Int]
  /// The classes of the ASCII characters, or 0, so that long vocabularies are read quickly.
  private let asciiClasses: [Int]

  /// Creates an alphabet.
  ///
  /// - Throws: `ReaderError.emptyAlphabet` without characters, and `ReaderError.repeatedCharacter`
  ///   if a character occurs twice.
  public init(_ characters: some Sequence<Character>) throws(ReaderError) {
    self.characters = Array(characters)
    guard !self.characters.isEmpty else { throw .emptyAlphabet }
    var classes: [Character: Int] = [:]
    for (index, character) in self.characters.enumerated() {
      guard classes.updateValue(index + 1, forKey: character) == nil else {
        throw .repeatedCharacter(character)
      }
    }
    noWritingClass = classes.removeValue(forKey: Self.noWriting)
    self.classes = classes
    asciiClasses = (0..<128).map { classes[Character(Unicode.Scalar(UInt8($0)))] ?? 0 }
  }

  /// The number of classes, the blank included.
  public var classCount: Int { characters.count + 1 }

  /// Returns the character of a class other than the blank.
  ///
  /// - Precondition: `number` is from 1 to less than ``classCount``.
  public func character(ofClass number: Int) -> Character { characters[number - 1] }

  /// Returns the class of `character`, or `nil` if texts cannot have it.
  public func `class`(of character: Character) -> Int? { classes[character] }

  /// Returns the classes of the characters of `text`, or `nil` if texts cannot have one of them.
  public func classes(of text: String) -> [Int]? {
    var result: [Int] = []
    result.reserveCapacity(text.utf8.count)
    if text.utf8.allSatisfy({ $0 < 128 && asciiClasses[Int($0)] > 0 }) {
      for byte in text.utf8 { result.append(asciiClasses[Int(byte)]) }
      return result
    }
    for character in text {
      guard let number = classes[character] else { return nil }
      result.append(number)
    }
    return result
  }
}

/// Why an alphabet or a decoder cannot be made, or an output cannot be decoded.
public enum ReaderError: DescribedError, Hashable {
  /// There are no characters.
  case emptyAlphabet
  /// A character occurs twice in the alphabet.
  case repeatedCharacter(Character)
  /// The output of the network does not have one class for each character and the blank.
  case classCount(expected: Int, found: Int)

  /// The error in one line.
  public var description: String {
    switch self {
    case .emptyAlphabet: "expected an alphabet with at least one character, found none"
    case .repeatedCharacter(let character):
      "expected each character of an alphabet once, found `\(character)` twice"
    case .classCount(let expected, let found):
      "expected \(expected) classes, the characters of the alphabet and the blank, found \(found)"
    }
  }
}
