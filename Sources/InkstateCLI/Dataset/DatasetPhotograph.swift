import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkImageIO
import SafeFiles

/// Simulates photographs of drawings.
struct DatasetPhotograph: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photograph",
    abstract: "Simulate photographs of drawings, on paper and boards.",
    discussion: """
      Each drawing becomes a grey JPEG: ink on paper, with or without lines, or on a board, in uneven light, \
      blurred and noisy, turned by up to 10° and seen at an angle of up to 20°. The folder gets the \
      pictures, pictures/00001.jpg, and their drawings in pixels, truth.ndjson, one per line with all \
      fields of the data and the surface, such as white or blackboard. The seed and the number of a drawing \
      decide everything.

      Example: inkstate dataset photograph Examples/Drawings/drawings.ndjson --output runs/photographs

      Then: inkstate automaton recognize runs/photographs/pictures --truth runs/photographs/truth.ndjson
      """)

  @Argument(
    help: "Drawings, such as dataset compose automata writes: \(InkFile.formatNames).")
  var data: String

  @Option(help: "The random seed.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions

  /// The quality of the JPEG files.
  private static let quality = 92

  func run() throws {
    try output.check(inputs: [data])
    var recordings: [(recording: Recording, place: Place)] = []
    try InkFile(path: data).forEach { item in
      for part in item.ignored { Terminal.say("ignored: \(part) in \(item.place)") }
      let recording = try item.result.get()
      guard recording.drawing.bounds != nil else {
        throw InkError(at: item.place, expected: "a drawing with points", found: "none")
      }
      recordings.append((recording, item.place))
    }
    guard !recordings.isEmpty else {
      throw InkError(at: Place(file: data), expected: "drawings", found: "none")
    }
    let progress = WorkProgress(count: recordings.count, unit: "photographs")
    try FileTree.replace(output.output) { temporary in
      let pictures = FileTree.join(temporary, "pictures")
      try FileManager.default.createDirectory(
        atPath: pictures, withIntermediateDirectories: true)
      var truth = Data()
      for (index, (recording, place)) in recordings.enumerated() {
        let diagram = try Diagram(attributes: recording.attributes)
        let picture = PagePicture(
          photographOf: recording.drawing, states: diagram?.states ?? [],
          seed: seed, number: index)
        let name = String(index + 1)
        let file = String(repeating: "0", count: max(0, 5 - name.count)) + name + ".jpg"
        try FileTree.write(
          JPEG.encode(picture.photograph, quality: Self.quality),
          to: FileTree.join(pictures, file))
        truth += try NDJSON.line(picture.moved(recording, diagram), at: place) + Data("\n".utf8)
        progress.add(1)
      }
      try FileTree.write(truth, to: FileTree.join(temporary, "truth.ndjson"))
    }
    progress.end()
    Terminal.show("\(recordings.count.counted("photograph")) in \(output.output)")
  }
}

extension PagePicture {
  /// The recording as it is in the picture.
  fileprivate func moved(_ recording: Recording, _ diagram: Diagram?) -> Recording {
    var moved = recording
    for (stroke, placed) in page.strokes.enumerated() {
      for (point, place) in placed.path.enumerated() {
        moved.drawing.strokes[stroke].points[point].x = place.x
        moved.drawing.strokes[stroke].points[point].y = place.y
      }
    }
    moved.attributes["surface"] = .text(surface)
    guard var diagram else { return moved }
    for (index, state) in page.states.enumerated() {
      diagram.states[index].center = state.center
      diagram.states[index].radius = state.halfWidth
    }
    moved.attributes.merge(diagram.attributes) { $1 }
    return moved
  }
}
