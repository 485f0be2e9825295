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

      A PNG has one pixel for each unit of the canvas, or as many as --scale says.

      Examples:

        inkstate automaton render Examples/Automata/mod3.automaton -o runs/mod3.svg
        inkstate automaton render Examples/Machines/anbn.automaton --scale 3 --transparent -o runs/anbn.png
      """)

  @OptionGroup var input: AutomatonInput
  @OptionGroup var output: OutputOptions

  @Option(help: "The pixels of a PNG for each unit of the canvas, up to 100.")
  var scale: Double?

  @Flag(help: "Leave the background of a PNG or SVG transparent.")
  var transparent = false

  func validate() throws {
    if let scale {
      try check("--scale", scale, in: 0.01...PictureFormat.maximumScale)
      guard PictureFormat(path: output.output) == .png else {
        throw ValidationError("--scale is for PNG; use a name that ends in .png")
      }
    }
    guard transparent, output.output != "-" else { return }
    guard [.png, .svg].contains(PictureFormat(path: output.output)) else {
      throw ValidationError(
        "--transparent is for PNG and SVG; use a name that ends in .png or .svg")
    }
  }

  /// Says which texts of the document are not part of the picture.
  private func sayWhatIsMissing(in document: Document) {
    let labels = document.states.count { !$0.label.isEmpty }
    let missing = [(document.notes.count, "note"), (labels, "state label")]
      .filter { $0.0 > 0 }.map { $0.0.counted($0.1) }
    guard !missing.isEmpty else { return }
    Terminal.say(
      "warning: \(input.file): not drawn in the picture: \(missing.joined(separator: ", "))")
  }

  func run() throws {
    if output.output != "-" { try output.check(inputs: input.file == "-" ? [] : [input.file]) }
    let document = try input.read().drawing(id: UUID().uuidString)
    defer { sayWhatIsMissing(in: document) }
    if let form = TypesettingFormat(path: output.output) {
      try Terminal.write(Data(form.text(of: document).utf8), to: output.output)
    } else if let form = output.output == "-" ? .svg : PictureFormat(path: output.output) {
      let svg = document.svg(isTransparent: transparent)
      let data =
        form == .png && (scale != nil || transparent)
        ? try PictureFormat.pngData(of: svg, scale: scale ?? 1, isTransparent: transparent)
        : try form.data(of: svg)
      try Terminal.write(data, to: output.output)
    } else {
      let endings = PictureFormat.allCases.map(\.ending) + TypesettingFormat.allCases.map(\.ending)
      throw ValidationError(
        "--output: use a name that ends in \(endings.map { ".\($0)" }.alternatives), or - for SVG "
          + "on standard output")
    }
  }
}
