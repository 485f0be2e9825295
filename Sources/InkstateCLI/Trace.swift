import ArgumentParser
import Foundation
import Ink
import InkImageIO
import InkTracing
import SafeFiles

/// Turns a photograph into ink.
struct Trace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Trace the ink in a photograph: pen strokes from a picture.",
    discussion: """
      Reads a PNG or a JPEG of up to \(PNG.mostPixels >> 20) million pixels: a photograph, scan or \
      screenshot of a drawing on paper, on squared or ruled paper, or on a board. Writes one drawing \
      as NDJSON, in pixels of the picture, without times.
      """)

  @Argument(help: "The picture, a PNG or a JPEG.")
  var picture: String

  @OptionGroup var output: OutputOptions

  @Option(help: "A PNG of the picture with the strokes over it.")
  var overlay: String?

  func run() throws {
    try output.check(inputs: [picture])
    let photograph = try Photograph.read(path: picture)
    let traced = try Tracer().trace(photograph)
    for remark in traced.remarks { Terminal.say("\(picture): \(remark.message)") }
    try Terminal.write(
      NDJSON.line(traced.recording, at: Place(file: output.output)) + Data("\n".utf8),
      to: output.output)
    if let overlay {
      try Terminal.write(PNG.encode(traced.overlay(on: photograph)), to: overlay)
    }
  }
}
