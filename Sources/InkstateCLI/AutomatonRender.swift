import ArgumentParser
import AutomatonEditor
import Foundation
import InkDatasets
import InkImageIO
import SafeFiles

/// Draws an automaton as a picture.
struct AutomatonRender: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draw an automaton as SVG or PNG.",
    discussion: """
      The file's positions of the states are used. States without positions are laid out in columns, \
      starting with the initial states. The name of the output, .svg or .png, decides the format; - \
      writes SVG to standard output.

      Example:

        inkstate automaton render Examples/Automata/mod3.automaton -o runs/mod3.svg
      """)

  @OptionGroup var input: AutomatonInput
  @OptionGroup var output: OutputOptions

  func run() throws {
    if output.output != "-" { try output.check(inputs: input.file == "-" ? [] : [input.file]) }
    let document = try input.read().drawing(id: UUID().uuidString)
    switch output.output.lowercased() {
    case "-": Terminal.output(Data(document.svg.utf8))
    case let name where name.hasSuffix(".svg"):
      try FileTree.write(Data(document.svg.utf8), to: output.output)
    case let name where name.hasSuffix(".png"):
      try FileTree.write(try PNG.encode(SVGRenderer.load().bitmap(document.svg)), to: output.output)
    default:
      throw ValidationError(
        "--output: use a name that ends in .svg or .png, or - for SVG on standard output")
    }
  }
}
