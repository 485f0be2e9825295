import ArgumentParser
import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkDiagram
import InkEvaluation
import InkImageIO
import InkRaster
import InkRecognizer
import InkTracing
import SafeFiles

/// Measures how well the automata in a folder of pictures are recognised.
struct AutomatonEvaluate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Measure how well the automata in pictures are recognised.",
    discussion: """
      The folder has PNG and JPEG pictures, and truth.json: an object with the true automaton of each \
      picture by its name, such as

        {"a.png": {"states": ["q0", "q1"], "initial": ["q0"], "final": ["q1"],
                   "transitions": [["q0", "q1", "a,b"], ["q1", "q1", "b"]]}}

      All four are needed; [] is none. The symbols of a transition are one text with commas, and "" if \
      there are none. What follows a # in a state is not part of its name: q0#2 is another state named q0. With \
      "nameless": true, names do not count. The names of pictures are those of their files, in the folder or \
      in its folder pictures. A folder of `inkstate dataset compose pages` has all of this; its states are \
      numbers, and names has their names.

      The result names for each picture what is wrong first: states, final states, transitions, their \
      directions, initial states; or, where this structure is right, symbols or names. Letters that look \
      alike count as one (o, O and 0; l, 1 and I; small and capital c), as do the symbols e, eps and ε; spaces \
      do not count. --html writes a page that shows each picture, the class of each of its cells as the \
      network sees it, and the automaton.

      Example: inkstate automaton evaluate runs/pages --html runs/pages.html
      """)

  @Argument(help: "A folder with pictures and truth.json.")
  var folder: String

  @Option(help: "Write a page that shows each picture beside what was recognised.")
  var html: String?

  @Flag(help: "Overwrite the file of --html if it exists.")
  var force = false

  @OptionGroup var format: FormatOptions

  /// The longer side of the pictures on the page, in pixels, at most.
  private static let shownSide = 480

  func run() throws {
    let folder = FileTree.trimmed(folder)
    let truths = try PageTruth.read(folder: folder).sorted { $0.key < $1.key }
    if let html {
      let inputs =
        [FileTree.join(folder, PageTruth.fileName)]
        + truths.flatMap { PageTruth.places(of: $0.key, in: folder) }
      for input in inputs { try FileTree.refuseReplacing(input, by: html) }
      try FileTree.refuseExisting(html, force: force)
    }
    let recognizer = try DiagramRecognizer.released()
    let network = try html.map { _ in try PageRecognizer.released() }
    let progress = WorkProgress(count: truths.count, unit: "pictures")
    var report = PictureReport()
    var pictures: [PictureEvaluation.Picture] = []
    var failures: [String] = []
    for (index, (name, truth)) in truths.enumerated() {
      do {
        let photograph = try Photograph.read(path: PageTruth.path(of: name, in: folder))
        let (diagram, traced) = try recognizer.recognize(photograph)
        let picture = PictureEvaluation.Picture(
          diagram.moved(by: traced.pictureTransform), name: name, truth: truth)
        if let network {
          let document =
            diagram.rejection == nil
            ? try Document(diagram, drawing: traced.uprightDrawing, id: name) : nil
          try report.add(picture, cells: Self.shown(traced.page, by: network), svg: document?.svg)
        }
        pictures.append(picture)
      } catch let error as TracingError {
        failures.append("\(name): \(error)")
      } catch {
        failures.append("\(error)")
      }
      progress.reach(index + 1)
    }
    progress.end()
    for failure in failures { Terminal.say("not read: \(failure)") }
    guard !pictures.isEmpty else { throw ExitCode(2) }
    let evaluation = PictureEvaluation(pictures)
    switch format.value {
    case .json: try Terminal.show(json: evaluation)
    case .text: for line in evaluation.lines { Terminal.show(line) }
    }
    if let html {
      try FileTree.write(Data(report.html(evaluation, of: folder).utf8), to: html)
      Terminal.say("wrote \(html)")
    }
    if !failures.isEmpty { throw ExitCode(2) }
  }

  /// Returns a picture, small and in grey, and the same with what the network sees in it.
  private static func shown(
    _ page: Bitmap, by network: PageRecognizer
  ) -> (picture: ColorPicture, overlay: ColorPicture) {
    let small = PagePreparation.scaled(page, longerSide: shownSide)
    let cells = network.recognize(page, workers: ProcessInfo.processInfo.activeProcessorCount).cells
    let overlay = ClassOverlay(SegmentationClass.pages)
    let nothing = SegmentationMask(width: 1, height: 1, classes: [0])
    return (
      overlay.picture(of: nothing, over: small),
      overlay.picture(of: SegmentationMask(cells), over: small)
    )
  }
}
