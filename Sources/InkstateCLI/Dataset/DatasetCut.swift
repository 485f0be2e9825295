import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkEvaluation
import InkImageIO
import InkRaster
import InkRecognizer
import InkTracing
import ParallelLoops
import SafeFiles

/// The group of commands that cut examples out of photographs whose truth is known.
struct DatasetCut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Cut writing, or lines that may be arrows, out of pictures.",
    discussion: """
      The models that come with inkstate learn from the examples what writing in photographs looks like, and which \
      lines of a page are arrows.

      Example: inkstate dataset cut labels runs/photographs --output runs/labels
      """,
    subcommands: [Labels.self, Arrows.self])

  struct Labels: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "labels",
      abstract: "Cut names and symbols as strips with their texts.",
      discussion: """
        The folder has pictures and truth.ndjson, as `inkstate dataset photograph` writes it.

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

extension DatasetCut {
  struct Arrows: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "arrows",
      abstract: "Measure the lines of pages that may be arrows.",
      discussion: """
        The folder has pages and truth.json, as `inkstate dataset compose pages` writes it. The output is NDJSON: for \
        each page with a truth, its states, and the measures and the way, in pixels, of each line, of the heads of \
        chosen lines, and of heads without a line. models/train/fit-arrows.py fits the networks to them that tell \
        arrows from other lines.

        Example: inkstate dataset cut arrows runs/pages --output runs/arrows.ndjson
        """)

    @Argument(help: "A folder with pages and truth.json.")
    var folder: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try output.check(inputs: [folder])
      let truths = try PageTruth.read(folder: folder)
      let network = try PageRecognizer.released()
      let names = truths.keys.sorted()
      let progress = WorkProgress(count: names.count, unit: "pages")
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let loop = ParallelLoop(workers: ProcessInfo.processInfo.activeProcessorCount)
      var rows = Data()
      // Progress is shown after so many pages.
      let batch = 64
      for first in stride(from: 0, to: names.count, by: batch) {
        let size = min(batch, names.count - first)
        let lines = loop.map(size) { index, _ in
          Result {
            let name = names[first + index]
            let picture = try Bitmap.read(path: PageTruth.path(of: name, in: folder))
            return try encoder.encode(
              PageMeasures(of: picture, named: name, with: network, workers: 1))
          }
        }
        for line in lines { rows += try line.get() + Data("\n".utf8) }
        progress.reach(first + size)
      }
      progress.end()
      try FileTree.write(rows, to: output.output)
      Terminal.show("\(names.count.counted("page")) in \(output.output)")
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
