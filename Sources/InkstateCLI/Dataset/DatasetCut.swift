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
    abstract: "Cut the ends of lines, rings, arrows or writing out of photographs.",
    discussion: """
      The folder has pictures and truth.ndjson, as `inkstate dataset photograph` writes it. The squares \
      around the ends of lines become an image folder: the class head is the head of an arrow, and end \
      is any other end of an arrow, of a part of a head or of writing. With --rings, they are squares \
      around what looks like a ring: the class state is that of a state, and other is anything else. With \
      --counts, they are the rings of states, unrolled: double is a final state, and single is not. With \
      --arrows, they are straightened lines: transition and initial are arrows from left to right, between \
      states and from nowhere, and other is any other line; the models that come with inkstate find them. \
      With --labels, names and symbols become strips with their texts. Models learn from them what \
      photographs look like.

      Example: inkstate dataset cut runs/photographs --output runs/heads
      """)

  @Argument(help: "A folder that dataset photograph wrote.")
  var folder: String

  @Flag(help: "Cut names and symbols, not ends of lines.")
  var labels = false

  @Flag(help: "Cut what looks like the rings of states, not ends of lines.")
  var rings = false

  @Flag(help: "Cut the rings of states, unrolled, not ends of lines.")
  var counts = false

  @Flag(help: "Cut lines that may be arrows, not ends of lines.")
  var arrows = false

  @Option(help: "The number of squares for each end or ring, all a little displaced.")
  var copies = 2

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard [labels, rings, counts, arrows].count(where: \.self) <= 1 else {
      throw ValidationError("give at most one of --labels, --rings, --counts and --arrows")
    }
    guard (1...100).contains(copies) else {
      throw ValidationError("--copies: expected 1 to 100, found \(copies)")
    }
  }

  func run() throws {
    try output.check(inputs: [folder])
    let truths = try InkFile.items(path: FileTree.join(folder, "truth.ndjson"))
    let pictures = try FileTree.files(below: FileTree.join(folder, "pictures"))
    guard !pictures.isEmpty, pictures.count == truths.count else {
      throw FileError(
        path: folder, expected: "pictures and truth.ndjson with as many drawings",
        found: "\(pictures.count.counted("picture")) and \(truths.count.counted("drawing"))")
    }
    let tracer = Tracer()
    let part = try part()
    var examples: [Example] = []
    let progress = WorkProgress(count: pictures.count, unit: "photographs")
    for (index, (path, truth)) in zip(pictures, truths).enumerated() {
      let recording = try truth.result.get()
      guard
        let diagram = try Diagram(
          attributes: recording.attributes, name: "\(truth.place)")
      else {
        throw InkError(
          at: truth.place, expected: "the fields `automaton` and `strokes`", found: "none")
      }
      let traced = try trace(path, with: tracer)
      var generator = SeededGenerator(seed: seed, stream: UInt64(index))
      switch part {
      case .ends: examples += ends(of: traced, diagram, recording, path, using: &generator)
      case .rings: examples += rings(of: traced, diagram, recording, path, using: &generator)
      case .counts: examples += counts(of: traced, diagram, recording, path, using: &generator)
      case .arrows(let recognizer):
        examples += arrows(of: traced, diagram, recording, path, recognizer)
      case .labels: examples += strips(of: traced, diagram, recording, path)
      }
      progress.add(1)
    }
    progress.end()
    try (labels ? DatasetFormat.strips : .folder).write(
      Dataset(examples), rasterizer: nil, to: output.output)
    Terminal.show("\(examples.count.counted("example")) in \(output.output)")
  }

  /// What is cut.
  private enum Part {
    case ends, rings, counts, labels
    case arrows(DiagramRecognizer)
  }

  private func part() throws -> Part {
    if arrows { return .arrows(try .released()) }
    return rings ? .rings : counts ? .counts : labels ? .labels : .ends
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
  private func ends(
    of traced: TracedDrawing, _ diagram: Diagram, _ recording: Recording, _ path: String,
    using generator: inout SeededGenerator
  ) -> [Example] {
    guard let scale = diagram.usualRadius else { return [] }
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

  /// Returns the squares around rings.
  private func rings(
    of traced: TracedDrawing, _ diagram: Diagram, _ recording: Recording, _ path: String,
    using generator: inout SeededGenerator
  ) -> [Example] {
    StateRing.all(of: upright(diagram, traced), in: traced.uprightDrawing).flatMap { ring in
      (0..<copies).map { _ in
        let radius = ring.radius * exp(0.1 * generator.normal())
        let center = Point(
          ring.center.x + 0.08 * radius * generator.normal(),
          ring.center.y + 0.08 * radius * generator.normal())
        let patch = StateRing.patch(of: traced, at: center, radius: radius)
        return Example(
          .bitmap(patch), label: ring.isState ? StateRing.labels.state : StateRing.labels.other,
          writer: recording.writer, origin: path)
      }
    }
  }

  /// Returns the unrolled rings of states.
  private func counts(
    of traced: TracedDrawing, _ diagram: Diagram, _ recording: Recording, _ path: String,
    using generator: inout SeededGenerator
  ) -> [Example] {
    upright(diagram, traced).states.flatMap { state in
      (0..<copies).map { _ in
        // As if either ring had been found.
        let radius = state.radius * exp(generator.uniform(-0.25...0.1))
        let center = Point(
          state.center.x + 0.03 * radius * generator.normal(),
          state.center.y + 0.03 * radius * generator.normal())
        return Example(
          .bitmap(StateRing.unrolled(of: traced, at: center, radius: radius)),
          label: state.final ? StateRing.counts.double : StateRing.counts.single,
          writer: recording.writer, origin: path)
      }
    }
  }

  /// Returns the squares along lines that may be arrows.
  private func arrows(
    of traced: TracedDrawing, _ diagram: Diagram, _ recording: Recording, _ path: String,
    _ recognizer: DiagramRecognizer
  ) -> [Example] {
    guard let scale = diagram.usualRadius else { return [] }
    let lines = DrawnArrow.all(
      of: upright(diagram, traced), in: recording.drawing.transformed(by: traced.uprightTransform),
      traced: traced.uprightDrawing, picture: traced, recognizer: recognizer)
    return lines.map { line in
      let patch = DrawnArrow.patch(of: traced, along: line.path, scale: scale)
      return Example(
        .bitmap(patch), label: line.kind.rawValue, writer: recording.writer, origin: path)
    }
  }

  /// Returns `diagram` with its states where they are in the upright drawing.
  private func upright(_ diagram: Diagram, _ traced: TracedDrawing) -> Diagram {
    var diagram = diagram
    for index in diagram.states.indices {
      let center = diagram.states[index].center
      let place = traced.uprightTransform.apply(to: Point(center.x, center.y))
      diagram.states[index].center = Vector(place)
    }
    return diagram
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
      guard !text.isEmpty, !strokes.isEmpty,
        let strip = truth.strip(of: strokes, turnedBy: 0)
      else { return nil }
      return Example(.strip(strip), label: text, writer: recording.writer, origin: path)
    }
  }
}
