import ArgumentParser
import Automata
import AutomatonEditor
import Foundation
import Ink
import JSONReading

/// Prints a link that contains a whole document.
struct AutomatonLink: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Print a link to a studio that contains the whole automaton.",
    discussion: """
      Open the link in the address bar of a browser in which a studio is open. After a question, the \
      studio adds the automaton as a new document.

      Example:

        inkstate automaton link Examples/Automata/mod3.automaton
      """)

  @OptionGroup var input: AutomatonInput

  @Option(help: "The address of the studio, without its token.")
  var studio = "http://127.0.0.1:8080"

  /// The longest link that the studio reads, in characters.
  private static let longest = 500_000

  func run() throws {
    let document = try input.read().drawing(id: UUID().uuidString)
    let value = try JSONValue(json: DocumentFile.write(document))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try encoder.encode(value).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
    let stem = ((input.file as NSString).lastPathComponent as NSString).deletingPathExtension
    let name = (stem == "-" ? "Linked" : stem)
      .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    let base = studio.hasSuffix("/") ? String(studio.dropLast()) : studio
    let link = "\(base)/#document=\(text)&name=\(name ?? "Linked")"
    guard link.count <= Self.longest else {
      throw AutomatonError(
        at: input.file, expected: "a link of at most \(Self.longest) characters",
        found: "\(link.count); send the file instead")
    }
    Terminal.show(link)
  }
}
