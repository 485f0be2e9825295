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
    abstract: "Draw an automaton as SVG, PNG, PDF, TikZ or Mermaid.",
    discussion: """
      The file's positions of the states are used. States without positions are laid out in columns, \
      starting with the initial states. The name of the output decides the format: .svg, .png, .pdf, \
      .tex (LaTeX with TikZ) or .mmd (Mermaid, which has no positions); - writes SVG to standard \
      output.

      Example:

        inkstate automaton render Examples/Automata/mod3.automaton -o runs/mod3.svg
      """)

  @OptionGroup var input: AutomatonInput
  @OptionGroup var output: OutputOptions

  func run() throws {
    if output.output != "-" { try output.check(inputs: input.file == "-" ? [] : [input.file]) }
    let document = try input.read().drawing(id: UUID().uuidString)
    if let form = TypesettingForm(path: output.output) {
      try Terminal.write(Data(form.text(of: document).utf8), to: output.output)
    } else if let form = output.output == "-" ? .svg : PictureForm(path: output.output) {
      try Terminal.write(form.data(of: document.svg), to: output.output)
    } else {
      let endings = PictureForm.allCases.map(\.ending) + TypesettingForm.allCases.map(\.ending)
      throw ValidationError(
        "--output: use a name that ends in \(endings.map { ".\($0)" }.alternatives), or - for SVG "
          + "on standard output")
    }
  }
}
