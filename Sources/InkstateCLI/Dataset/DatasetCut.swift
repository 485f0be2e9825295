import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkImageIO
import InkRaster
import InkTracing
import SafeFiles

/// The group of commands that cut examples out of photographs whose truth is known.
struct DatasetCut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Cut writing out of photographs.",
    discussion: """
      The folder has pictures and truth.ndjson, as `inkstate dataset photograph` writes it. The reader that \
      comes with inkstate learns from the examples what writing in photographs looks like.

      Example: inkstate dataset cut labels runs/photographs --output runs/labels
      """,
    subcommands: [Labels.self])

  struct Labels: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "labels",
      abstract: "Cut names and symbols as strips with their texts.",
      discussion: """
        Example: inkstate dataset cut labels runs/photographs --output runs/labels
        """)

    @OptionGroup var folder: PhotographFolder
    @OptionGroup var output: OutputOptions

    func run() throws {
      try folder.cut(into: output, examples: examples)
    }

    private func examples(of photograph: KnownPhotograph) -> [Example] {
      // The true strokes tell which ink of the picture is writing.
      var truth = photograph.traced
      truth.drawing = photograph.recording.drawing
      let names = photograph.diagram.states.map { ($0.id, $0.name) }
      let symbols = photograph.diagram.transitions.enumerated().map {
        ("t\($0)", $1.symbols.joined(separator: ","))
      }
      return (names + symbols).compactMap { element, text in
        let strokes = photograph.diagram.strokes.indices.filter {
          photograph.diagram.strokes[$0].role == .text
            && photograph.diagram.strokes[$0].element == element
        }
        guard !text.isEmpty, !strokes.isEmpty,
          let strip = truth.strip(of: strokes, turnedBy: 0)
        else { return nil }
        return Example(
          .strip(strip), label: text, writer: photograph.recording.writer, origin: photograph.path)
      }
    }
  }
}

/// A traced photograph whose truth is known.
private struct KnownPhotograph {
  let path: String
  let recording: Recording
  let diagram: Diagram
  let traced: TracedDrawing
}

/// A folder that `dataset photograph` wrote.
struct PhotographFolder: ParsableArguments {
  @Argument(help: "A folder that dataset photograph wrote.")
  var folder: String

  /// Writes the strips that `examples` cuts out of each photograph.
  fileprivate func cut(
    into output: OutputOptions, examples cut: (KnownPhotograph) -> [Example]
  ) throws {
    try output.check(inputs: [folder])
    let truths = try InkFile.items(path: FileTree.join(folder, "truth.ndjson"))
    let pictures = try FileTree.files(below: FileTree.join(folder, "pictures"))
    guard !pictures.isEmpty, pictures.count == truths.count else {
      throw FileError(
        path: folder, expected: "pictures and truth.ndjson with as many drawings",
        found: "\(pictures.count.counted("picture")) and \(truths.count.counted("drawing"))")
    }
    let tracer = Tracer()
    var examples: [Example] = []
    let progress = WorkProgress(count: pictures.count, unit: "photographs")
    for (path, truth) in zip(pictures, truths) {
      let recording = try truth.result.get()
      guard
        let diagram = try Diagram(attributes: recording.attributes, name: "\(truth.place)")
      else {
        throw InkError(
          at: truth.place, expected: "the fields `automaton` and `strokes`", found: "none")
      }
      examples += cut(
        KnownPhotograph(
          path: path, recording: recording, diagram: diagram, traced: try trace(path, with: tracer))
      )
      progress.add(1)
    }
    progress.end()
    try DatasetFormat.strips.write(Dataset(examples), rasterizer: nil, to: output.output)
    Terminal.show("\(examples.count.counted("example")) in \(output.output)")
  }

  private func trace(_ path: String, with tracer: Tracer) throws -> TracedDrawing {
    do {
      return try tracer.trace(Photograph.read(path: path))
    } catch TracingError.tooMuchDetail(let strokes) {
      throw FileError(
        path: path, expected: "a drawing", found: "\(strokes) strokes without any order")
    }
  }
}
