import ArgumentParser
import AutomatonEditor
import Foundation
import InkDatasets

/// Draws an automaton.
struct AutomatonRender: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draw an automaton as SVG.",
    discussion: """
      States stand where the file says; where it does not, in a circle.

      Example: inkstate automaton render machine.automaton --output machine.svg
      """)

  @OptionGroup var input: AutomatonInput
  @OptionGroup var output: OutputOptions

  func run() throws {
    try output.check(inputs: input.file == "-" ? [] : [input.file])
    let document = try input.read().drawing
    try FileTree.write(Data(document.svg.utf8), to: output.output)
  }
}
