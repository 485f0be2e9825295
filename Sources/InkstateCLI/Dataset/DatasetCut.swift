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

/// The group of commands that cut examples out of photographs whose truth is known.
struct DatasetCut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cut",
    abstract: "Cut the ends of lines, rings, arrows or writing out of photographs.",
    discussion: """
      The folder has pictures and truth.ndjson, as `inkstate dataset photograph` writes it. The models that \
      come with inkstate learn from the examples what photographs look like.

      Example: inkstate dataset cut rings runs/photographs --output runs/rings
      """,
    subcommands: [Ends.self, Rings.self, Counts.self, Arrows.self, Labels.self],
    defaultSubcommand: Ends.self)

  struct Ends: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ends",
      abstract: "Cut squares around the ends of lines.",
      discussion: """
        The class head is the head of an arrow. The class end is the other end of an arrow, or an end of a \
        stroke of a head or of writing.

        Example: inkstate dataset cut ends runs/photographs --output runs/heads
        """)

    @OptionGroup var options: DisplacedCutOptions

    func run() throws { try options.cut { examples(of: $0, using: &$1) } }

    private func examples(
      of photograph: KnownPhotograph, using generator: inout SeededGenerator
    ) -> [Example] {
      guard let scale = photograph.diagram.usualRadius else { return [] }
      // The truth is in pixels of the picture; what is cut is upright.
      let drawing = photograph.recording.drawing.transformed(by: photograph.traced.uprightTransform)
      var examples: [Example] = []
      for end in ArrowEnd.all(of: photograph.diagram, in: drawing) {
        for _ in 0..<options.copies {
          // As far as traced ends are from true ones, or lines are bent.
          let turn = Transform.rotation(0.15 * generator.normal())
          let direction = turn.apply(to: end.direction)
          let along = scale * generator.uniform(-0.3...0.1)
          let beside = 0.04 * scale * generator.normal()
          let place = Point(
            end.place.x + along * direction.x - beside * direction.y,
            end.place.y + along * direction.y + beside * direction.x)
          let patch = ArrowEnd.patch(
            of: photograph.traced, at: place, direction: direction,
            scale: scale * exp(0.12 * generator.normal()))
          examples.append(
            Example(
              .bitmap(patch), label: end.hasHead ? ArrowEnd.labels.head : ArrowEnd.labels.end,
              writer: photograph.recording.writer, origin: photograph.path))
        }
      }
      return examples
    }
  }

  struct Rings: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rings",
      abstract: "Cut squares around what looks like a ring.",
      discussion: """
        The class state is the ring of a state, and other is anything else.

        Example: inkstate dataset cut rings runs/photographs --output runs/rings
        """)

    @OptionGroup var options: DisplacedCutOptions

    func run() throws { try options.cut { examples(of: $0, using: &$1) } }

    private func examples(
      of photograph: KnownPhotograph, using generator: inout SeededGenerator
    ) -> [Example] {
      StateRing.all(of: photograph.uprightDiagram, in: photograph.traced.uprightDrawing).flatMap {
        ring in
        (0..<options.copies).map { _ in
          let radius = ring.radius * exp(0.1 * generator.normal())
          let center = Point(
            ring.center.x + 0.08 * radius * generator.normal(),
            ring.center.y + 0.08 * radius * generator.normal())
          let patch = StateRing.patch(of: photograph.traced, at: center, radius: radius)
          return Example(
            .bitmap(patch), label: ring.isState ? StateRing.labels.state : StateRing.labels.other,
            writer: photograph.recording.writer, origin: photograph.path)
        }
      }
    }
  }

  struct Counts: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "counts",
      abstract: "Cut the rings of states, unrolled.",
      discussion: """
        The class double is a final state, and single is not.

        Example: inkstate dataset cut counts runs/photographs --output runs/counts
        """)

    @OptionGroup var options: DisplacedCutOptions

    func run() throws { try options.cut { examples(of: $0, using: &$1) } }

    private func examples(
      of photograph: KnownPhotograph, using generator: inout SeededGenerator
    ) -> [Example] {
      photograph.uprightDiagram.states.flatMap { state in
        (0..<options.copies).map { _ in
          // As if either ring had been found.
          let radius = state.radius * exp(generator.uniform(-0.25...0.1))
          let center = Point(
            state.center.x + 0.03 * radius * generator.normal(),
            state.center.y + 0.03 * radius * generator.normal())
          return Example(
            .bitmap(StateRing.unrolled(of: photograph.traced, at: center, radius: radius)),
            label: state.final ? StateRing.counts.double : StateRing.counts.single,
            writer: photograph.recording.writer, origin: photograph.path)
        }
      }
    }
  }

  struct Arrows: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "arrows",
      abstract: "Cut straightened lines that may be arrows.",
      discussion: """
        The classes transition and initial are arrows from left to right, between states and from nowhere, \
        and other is any other line. The models that come with inkstate find the lines.

        Example: inkstate dataset cut arrows runs/photographs --output runs/arrows
        """)

    @OptionGroup var folder: PhotographFolder
    @OptionGroup var output: OutputOptions

    func run() throws {
      let recognizer = try DiagramRecognizer.released()
      try folder.cut(into: output) { photograph, _ in
        examples(of: photograph, found: recognizer)
      }
    }

    private func examples(
      of photograph: KnownPhotograph, found recognizer: DiagramRecognizer
    ) -> [Example] {
      guard let scale = photograph.diagram.usualRadius else { return [] }
      let lines = DrawnArrow.all(
        of: photograph.uprightDiagram,
        in: photograph.recording.drawing.transformed(by: photograph.traced.uprightTransform),
        traced: photograph.traced.uprightDrawing, picture: photograph.traced, recognizer: recognizer
      )
      return lines.map { line in
        let patch = DrawnArrow.patch(of: photograph.traced, along: line.path, scale: scale)
        return Example(
          .bitmap(patch), label: line.kind.rawValue, writer: photograph.recording.writer,
          origin: photograph.path)
      }
    }
  }

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
      try folder.cut(into: output, as: .strips) { photograph, _ in examples(of: photograph) }
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

/// Photographs, and examples of them that differ from the exact place.
struct DisplacedCutOptions: ParsableArguments {
  @OptionGroup var folder: PhotographFolder

  @Option(help: "The number of examples of each end or ring, all a little displaced.")
  var copies = 2

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...100).contains(copies) else {
      throw ValidationError("--copies: expected 1 to 100, found \(copies)")
    }
  }

  /// Writes the examples that `examples` cuts out of each photograph.
  fileprivate func cut(
    examples: (KnownPhotograph, inout SeededGenerator) -> [Example]
  ) throws {
    try folder.cut(into: output, seed: seed, examples: examples)
  }
}

/// A traced photograph whose truth is known.
private struct KnownPhotograph {
  let path: String
  let recording: Recording
  let diagram: Diagram
  let traced: TracedDrawing

  /// The truth with its states where they are in the upright drawing.
  var uprightDiagram: Diagram {
    var diagram = diagram
    for index in diagram.states.indices {
      let center = diagram.states[index].center
      let place = traced.uprightTransform.apply(to: Point(center.x, center.y))
      diagram.states[index].center = Vector(place)
    }
    return diagram
  }
}

/// A folder that `dataset photograph` wrote.
struct PhotographFolder: ParsableArguments {
  @Argument(help: "A folder that dataset photograph wrote.")
  var folder: String

  /// Writes the examples that `examples` cuts out of each photograph.
  fileprivate func cut(
    into output: OutputOptions, as format: DatasetFormat = .folder, seed: UInt64 = 1,
    examples cut: (KnownPhotograph, inout SeededGenerator) -> [Example]
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
    for (index, (path, truth)) in zip(pictures, truths).enumerated() {
      let recording = try truth.result.get()
      guard
        let diagram = try Diagram(attributes: recording.attributes, name: "\(truth.place)")
      else {
        throw InkError(
          at: truth.place, expected: "the fields `automaton` and `strokes`", found: "none")
      }
      let photograph = KnownPhotograph(
        path: path, recording: recording, diagram: diagram, traced: try trace(path, with: tracer))
      var generator = SeededGenerator(seed: seed, stream: UInt64(index))
      examples += cut(photograph, &generator)
      progress.add(1)
    }
    progress.end()
    try format.write(Dataset(examples), rasterizer: nil, to: output.output)
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
