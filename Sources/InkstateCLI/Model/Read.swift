import ArgumentParser
import Foundation
import Ink
import InkImageIO
import InkRaster
import InkReader
import SafeFiles

/// Reads handwriting.
struct Read: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Read lines of handwriting: print the text and its probability.",
    discussion: """
      Reads ink files, PNG or JPEG strips of one line each, and folders of them. Each drawing is one line of \
      writing. Without a path it reads NDJSON from standard input and answers line by line.

      --grammar limits the texts: state is the name of a state such as q0 or A', symbols is a list \
      with commas, in which eps and λ are the empty word ε, and number is a number. Without one, \
      words that the model knows from its training are likelier than other texts. --vocabulary \
      prefers words, such as the names that a document already has; clear writing of another text \
      still wins.

      With --format json, strokes has the indices of the strokes of each character, and for a \
      picture columns has the columns of each, [from, to] in pixels. They are null if the characters \
      cannot be told apart, as in joined writing.

      The exit status is 0 if every item was read, even if some were rejected; it is 2 if an item \
      could not be read.

      Example: inkstate read Examples/Lines/names.ndjson
      """)

  @Argument(help: "Files and folders; - is standard input.")
  var paths: [String] = []

  @Option(
    help: "A model that was trained with --architecture reader. (default: the released reader)")
  var model: String?

  @OptionGroup var texts: TextOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    let reader = try model.map { try Reader(modelPath: $0) } ?? Reader.released()
    let decoder = try texts.decoder(of: reader)
    let failureCount = try DrawingInputs(
      drawing: { write(try reader.read($0.drawing, with: decoder), named: $1, isPicture: false) },
      picture: { data, path in
        write(
          try reader.read(Bitmap.decode(data, path: path), with: decoder), named: path,
          isPicture: true
        )
      }
    ).answer(paths)
    if failureCount > 0 { throw ExitCode(2) }
  }

  private struct JSONLine: Encodable {
    var source: String
    var text: String
    var probability: Double
    /// Written as `null` if the line is accepted.
    var rejected: String??
    var alternatives: [Alternative]
    /// The indices of the strokes of each character, from 0; `null` if they cannot be told apart.
    var strokes: [[Int]]??
    /// The columns of each character, `[from, to]` in pixels; `null` if they cannot be told apart.
    var columns: [[Double]]??
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

  private func write(_ line: Reader.Line, named name: String, isPicture: Bool) {
    let reading = line.reading
    if format.value == .json {
      // Strings and finite numbers can always be encoded as JSON.
      try! Terminal.show(
        json: JSONLine(
          source: name, text: reading.text, probability: reading.probability,
          rejected: .some(reading.rejection?.rawValue),
          alternatives: reading.alternatives.map { Alternative(candidate: $0) },
          strokes: isPicture ? nil : .some(line.strokes),
          columns: isPicture
            ? .some(line.columns?.map { [$0.lowerBound, $0.upperBound] }) : nil),
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
