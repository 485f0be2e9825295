import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkImageIO
import InkRaster
import InkTracing
import SafeFiles
import SeededRandom

/// Cuts examples out of photographs whose truth is known.
struct DatasetCut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Cut the ends of lines, or writing, out of photographs.",
    discussion: """
      The folder has pictures and truth.ndjson, as `inkstate dataset photograph` writes it. The squares \
      around the ends of lines become an image folder: the class head is the head of an arrow, and end \
      is any other end of an arrow, of a part of a head or of writing. With --labels, names and symbols \
      become strips with their texts. Models learn from them what photographs look like.

      Example: inkstate dataset cut runs/photographs --output runs/heads
      """)

  @Argument(help: "A folder that dataset photograph wrote.")
  var folder: String

  @Flag(help: "Cut names and symbols, not ends of lines.")
  var labels = false

  @Option(help: "The number of squares for each end, all a little displaced.")
  var copies = 2

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...100).contains(copies) else {
      throw ValidationError("--copies: expected 1 to 100, found \(copies)")
    }
  }

  func run() throws {
    try output.check(inputs: [folder])
    let truths = try InkFile.items(path: FileTree.join(folder, "truth.ndjson"))
    let pictures = FileTree.files(below: FileTree.join(folder, "pictures"))
    guard !pictures.isEmpty, pictures.count == truths.count else {
      throw FileError(
        path: folder, expected: "pictures and truth.ndjson with as many drawings",
        found: "\(pictures.count.counted("picture")) and \(truths.count.counted("drawing"))")
    }
    let tracer = Tracer()
    var examples: [Example] = []
    let progress = WorkProgress(count: pictures.count, unit: "photographs")
    for (index, (path, truth)) in zip(pictures, truths).enumerated() {
      let recording = try truth.result.get()
      guard let diagram = try Diagram(attributes: recording.attributes) else {
        throw InkError(
          at: truth.place, expected: "the fields `automaton` and `strokes`", found: "none")
      }
      let traced = try trace(path, with: tracer)
      var generator = SeededGenerator(seed: seed, stream: UInt64(index))
      examples +=
        labels
        ? strips(of: traced, diagram, recording, path)
        : squares(of: traced, diagram, recording, path, using: &generator)
      progress.add(1)
    }
    progress.end()
    try (labels ? DatasetForm.strips : .folder).write(
      Dataset(examples), rasterizer: nil, to: output.output)
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

  /// Returns the squares around the ends of lines.
  private func squares(
    of traced: TracedDrawing, _ diagram: Diagram, _ recording: Recording, _ path: String,
    using generator: inout SeededGenerator
  ) -> [Example] {
    let radii = diagram.states.map(\.radius).sorted()
    guard !radii.isEmpty else { return [] }
    let scale = radii[radii.count / 2]
    // The truth is in pixels of the picture; what is cut is upright.
    let drawing = recording.drawing.transformed(by: traced.uprightTransform)
    var examples: [Example] = []
    for end in ArrowEnd.all(of: diagram, in: drawing) {
      for _ in 0..<copies {
        // As far as traced ends are from true ones, or lines are bent.
        let turn = Transform.rotation(0.15 * generator.normal())
        let direction = turn.apply(to: end.direction)
        let along = scale * generator.uniform(-0.3...0.1)
        let beside = 0.04 * scale * generator.normal()
        let place = Point(
          end.place.x + along * direction.x - beside * direction.y,
          end.place.y + along * direction.y + beside * direction.x)
        let patch = ArrowEnd.patch(
          of: traced, at: place, direction: direction,
          scale: scale * exp(0.12 * generator.normal()))
        examples.append(
          Example(
            .bitmap(patch), label: end.hasHead ? ArrowEnd.labels.head : ArrowEnd.labels.end,
            writer: recording.writer, origin: path))
      }
    }
    return examples
  }

  /// Returns names and symbols with their texts.
  private func strips(
    of traced: TracedDrawing, _ diagram: Diagram, _ recording: Recording, _ path: String
  ) -> [Example] {
    // The true strokes tell which ink of the picture is writing.
    var truth = traced
    truth.drawing = recording.drawing
    let names = diagram.states.map { ($0.id, $0.name) }
    let symbols = diagram.transitions.enumerated().map {
      ("t\($0)", $1.symbols.joined(separator: ","))
    }
    return (names + symbols).compactMap { element, text in
      let strokes = diagram.strokes.indices.filter {
        diagram.strokes[$0].role == .text && diagram.strokes[$0].element == element
      }
      guard !text.isEmpty, !strokes.isEmpty, let strip = truth.strip(of: strokes) else {
        return nil
      }
      return Example(.strip(strip), label: text, writer: recording.writer, origin: path)
    }
  }
}
