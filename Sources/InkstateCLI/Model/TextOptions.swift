import ArgumentParser
import Foundation
import Ink
import InkReader
import SafeFiles

/// The texts that a reader may find.
struct TextOptions: ParsableArguments {
  @Option(help: "The texts that are possible: \(Grammar.allCases.map(\.rawValue).alternatives).")
  var grammar: Grammar = .text

  @Option(help: "A text file with preferred words, one per line.")
  var vocabulary: String?

  /// Whether an option is given.
  var isGiven: Bool { grammar != .text || vocabulary != nil }

  /// Returns the decoder of `reader` for these texts, and reports words that it cannot read.
  func decoder(of reader: Reader) throws -> CTCDecoder {
    let decoder = reader.decoder(
      grammar: grammar, vocabulary: try vocabulary.map(Self.words) ?? [])
    if let unreadable = decoder.vocabulary?.unreadable, let first = unreadable.first {
      Terminal.say(
        "\(unreadable.count.counted("word")) of \(vocabulary ?? "") "
          + "\(unreadable.count == 1 ? "has" : "have") characters that the model does not know and "
          + "cannot be read, such as `\(first)`")
    }
    return decoder
  }

  /// Returns the lines of a text file.
  static func words(in path: String) throws -> [String] {
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(data: data, encoding: .utf8)
    else { throw FileError(path: path, expected: "words in UTF-8, one per line", found: "no text") }
    return text.split { $0.isNewline }.map(String.init)
  }
}

extension Grammar: ExpressibleByArgument {}
