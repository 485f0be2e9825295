import ArgumentParser
import Foundation
import Ink
import InkImageIO
import InkTracing
import SafeFiles

/// Turns a photograph into ink.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Trace the ink in a photograph: pen strokes from a picture.",
    discussion: """
      Reads a PNG or a JPEG of up to \(PNG.maximumPixels / 1_000_000) million pixels: a photograph, scan or \
      screenshot of a drawing on paper or a board, in any colours. Shadows and the lines of ruled and \
      squared paper are removed. Writes one drawing as NDJSON, without times, in pixels of the picture, \
      turned upright as the camera says. Its attributes are the usual width of the ink (penWidth), \
      the width and the brightness of each stroke (widths, greys) and the size of the picture.

      What should be known of the picture is printed, for example that the file ends early or that \
      there is no ink in it. Noise is refused.

      Example:

        inkstate trace Examples/Pictures/paper.jpg --output runs/traced.ndjson --overlay runs/traced.png
      """)

  @Argument(help: "The picture, a PNG or a JPEG.")
  var picture: String

  @OptionGroup var output: OutputOptions

  @Option(help: "A PNG of the picture with the strokes over it, each in one of eight colours.")
  var overlay: String?

  func run() throws {
    try output.check(inputs: [picture])
    if let overlay {
      guard overlay.lowercased().hasSuffix(".png") else {
        throw ValidationError("--overlay: expected a name that ends in .png, found \(overlay)")
      }
      try FileTree.refuseReplacing(picture, by: overlay)
      try FileTree.refuseExisting(overlay, force: output.force)
    }
    let photograph = try Photograph.read(path: picture)
    let traced: TracedDrawing
    do {
      traced = try Tracer().trace(photograph)
    } catch {
      throw FileError(path: picture, expected: "a drawing", found: error.found)
    }
    for remark in traced.remarks { Terminal.say("\(picture): \(remark.message)") }
    try Terminal.write(
      NDJSON.line(traced.recording, at: Place(file: output.output)) + Data("\n".utf8),
      to: output.output)
    if let overlay {
      try Terminal.write(PNG.encode(traced.overlay(on: photograph)), to: overlay)
    }
  }
}
