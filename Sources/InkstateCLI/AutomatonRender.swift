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
    guard let form = output.output == "-" ? .svg : PictureForm(path: output.output) else {
      throw ValidationError(
        "--output: use a name that ends in "
          + "\(PictureForm.allCases.map { ".\($0.ending)" }.alternatives), or - for SVG on standard "
          + "output")
    }
    try Terminal.write(form.data(of: document.svg), to: output.output)
  }
}
