import ArgumentParser
import Foundation
import Ink
import InkRaster
import InkReader
import SafeFiles

/// Reads handwriting.
struct Read: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read lines of handwriting: print the text and its probability.",
    discussion: """
      Reads ink files, PNG strips of one line each, and folders of them. Each drawing is one line of \
      writing. Without a path it reads NDJSON from standard input and answers line by line.

      --grammar limits the texts: state is the name of a state such as q0 or A', symbols is a list \
      with commas, in which eps and λ are the empty word ε, and number is a number. --vocabulary \
      prefers words, such as the names that a document already has; clear writing of another text \
      still wins.

      The exit status is 0 if every item was read, even if some were rejected; it is 2 if an item \
      could not be read.

      Example: inkstate read Examples/Lines/names.ndjson
      """)

  @Argument(help: "Files and folders; - is standard input.")
  var paths: [String] = []

  @Option(
    help: "A model that was trained with --architecture reader. (default: the released reader)")
  var model: String?

  @Option(help: "The texts that are possible: \(Grammar.allCases.map(\.rawValue).alternatives).")
  var grammar: Grammar = .text

  @Option(help: "A text file with preferred words, one per line.")
  var vocabulary: String?

  @OptionGroup var format: FormatOptions

  func run() throws {
    let reader = try model.map { try Reader(modelPath: $0) } ?? Reader.released()
    let words = try vocabulary.map(Self.words) ?? []
    let decoder = reader.decoder(grammar: grammar, vocabulary: words)
    if let unreadable = decoder.vocabulary?.unreadable, let first = unreadable.first {
      Terminal.say(
        "\(unreadable.count.counted("word")) of \(vocabulary ?? "") \(unreadable.count == 1 ? "has" : "have") "
          + "characters that the model does not know and cannot be read, such as `\(first)`")
    }
    let failureCount = try DrawingInputs(
      drawing: { write(try reader.read($0, with: decoder).reading, named: $1) },
      picture: { write(try reader.read($0, with: decoder).reading, named: $1) }
    ).answer(paths)
    if failureCount > 0 { throw ExitCode(2) }
  }

  static func words(in path: String) throws -> [String] {
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(data: data, encoding: .utf8)
    else { throw FileError(path: path, expected: "words in UTF-8, one per line", found: "no text") }
    return text.split { $0.isNewline }.map(String.init)
  }

  private struct JSONLine: Encodable {
    var source: String
    var text: String
    var probability: Double
    /// Written as `null` if the line is accepted.
    var rejected: String??
    var alternatives: [Alternative]
  }

  /// `[text, probability]`.
  private struct Alternative: Encodable {
    var candidate: Reading.Candidate

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(candidate.text)
      try container.encode(candidate.probability)
    }
  }

  private func write(_ reading: Reading, named name: String) {
    if format.value == .json {
      // Strings and finite numbers can always be encoded as JSON.
      try! Terminal.show(
        json: JSONLine(
          source: name, text: reading.text, probability: reading.probability,
          rejected: .some(reading.rejection?.rawValue),
          alternatives: reading.alternatives.map { Alternative(candidate: $0) }),
        indented: false)
    } else if let rejection = reading.rejection {
      Terminal.show("\(name): rejected (\(rejection.message))")
    } else {
      let others = reading.alternatives.prefix(2).filter { $0.probability >= 0.01 }
      let more =
        others.isEmpty
        ? ""
        : ", then "
          + others.map { "`\($0.text)` \($0.probability.fixed(3))" }.joined(separator: ", ")
      Terminal.show("\(name): `\(reading.text)` \(reading.probability.fixed(3))\(more)")
    }
    // A program that sends one line at a time waits for each answer.
    fflush(nil)
  }
}

extension Grammar: ExpressibleByArgument {}
