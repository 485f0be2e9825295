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
      Reads ink files, PNG or JPEG pictures of writing, and folders of them. A drawing or picture has one \
      line of writing or several, and each line gets an answer; words that are apart get a space. Without a \
      path it reads NDJSON from standard input and answers one drawing at a time.

      --grammar limits the texts: state is the name of a state such as q0 or A', symbols is a list \
      with commas, in which eps and λ are the empty word ε and 0/1 is a symbol with its output, and \
      number is a number. Without one, \
      letters that follow each other as in words are likelier than others. --vocabulary prefers \
      words, such as the names that a document already has; long ones are preferred most, and texts that \
      are none of them are read less well.

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
    var chosen = try model.map { try Reader(modelPath: $0) } ?? Reader.released()
    chosen.workers = min(2, ProcessInfo.processInfo.activeProcessorCount)
    let reader = chosen
    let decoder = try texts.decoder(of: reader)
    let failureCount = try DrawingInputs(
      drawing: {
        write(
          try reader.readPage($0.drawing, isTraced: $0.isTraced, with: decoder), named: $1,
          isPicture: false)
      },
      picture: { data, path in
        write(
          try reader.readPage(Bitmap.decode(data, path: path), with: decoder), named: path,
          isPicture: true)
      }
    ).answer(paths)
    if failureCount > 0 { throw ExitCode(2) }
  }

  private struct JSONLine: Encodable {
    var source: String
    /// The number of the line, from 1, on a page of several; otherwise left out.
    var line: Int?
    var text: String
    var probability: Double
    /// Written as `null` if the line is accepted.
    var rejected: String??
    var alternatives: [Alternative]
    /// The indices of the strokes of each character, from 0, none for a space; `null` if they cannot be told
    /// apart.
    var strokes: [[Int]]??
    /// The columns of each character, `[from, to]` in pixels, `[]` for a space; `null` if they cannot be told
    /// apart.
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

  private func write(_ page: [[Reader.Line]], named name: String, isPicture: Bool) {
    for (index, words) in page.enumerated() {
      write(words, number: page.count > 1 ? index + 1 : nil, named: name, isPicture: isPicture)
    }
    // A program that sends one drawing at a time waits for each answer.
    fflush(nil)
  }

  private func write(_ words: [Reader.Line], number: Int?, named name: String, isPicture: Bool) {
    let reading = Reading(words: words.map(\.reading))
    if format.value == .json {
      // A space has no ink.
      func characters<Place>(_ words: [[[Place]]?]) -> [[Place]]? {
        guard words.allSatisfy({ $0 != nil }) else { return nil }
        return Array(words.map { $0! }.joined(separator: [[Place]()]))
      }
      let strokes = characters(words.map(\.strokes))
      let columns = characters(
        words.map { $0.columns?.map { [$0.lowerBound, $0.upperBound] } })
      // Strings and finite numbers can always be encoded as JSON.
      try! Terminal.show(
        json: JSONLine(
          source: name, line: number, text: reading.text, probability: reading.probability,
          rejected: .some(reading.rejection?.rawValue),
          alternatives: reading.alternatives.map { Alternative(candidate: $0) },
          strokes: isPicture ? nil : .some(strokes), columns: isPicture ? .some(columns) : nil),
        indented: false)
      return
    }
    let name = number.map { "\(name), line \($0)" } ?? name
    if let rejection = reading.rejection {
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
  }
}
