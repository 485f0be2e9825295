import Foundation
import InkDiagram
import InkImageIO
import InkRaster
import InkRecognizer
import TestSupport
import Testing

@testable import InkStudio

/// What the network for whole pages sees in photographs.
@Suite(.timeLimit(.minutes(30))) struct SeenPageTests {
  private static func paper() throws -> Data {
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: project.appendingPathComponent("Examples/Pictures/paper.jpg"))
  }

  @Test func thePageGetsTheClassOfEachCell() async throws {
    let photograph = try Self.paper()
    try await RunningStudio.run { studio in
      let answer = try await studio.ask(.post, "/api/page", photograph)
      #expect(answer.status == 200, "\(answer.error)")
      let recognizer = try PageRecognizer.released()
      let picture = try Bitmap.decode(photograph, path: "paper.jpg", longerSide: 1024)
      let cells = recognizer.recognize(picture).cells
      #expect(answer.json["rows"] as? Int == cells.rows)
      #expect(answer.json["columns"] as? Int == cells.columns)
      let text = try #require(answer.json["cells"] as? String)
      #expect(try #require(Data(base64Encoded: text)) == Data(cells.classes))
      let classes = try #require(answer.json["classes"] as? [[String: Any]])
      #expect(
        classes.map { $0["name"] as? String } == ["nothing", "ring", "line", "head", "writing"])
      #expect(Set(classes.map { $0["color"] as? String }).count == 5)
      let shares = try classes.map { try #require($0["share"] as? Double) }
      #expect(abs(shares.reduce(0, +) - 1) < 1e-9)
      // A drawing covers little of its paper, with some of everything.
      #expect(shares[0] > 0.8 && shares.allSatisfy { $0 > 0.0005 }, "\(shares)")
    }
  }

  @Test func whatIsNoPhotographIsNamed() async throws {
    let photograph = try Self.paper()
    // A header says a size, and the pixels are missing.
    let small = try PNG.encode(Bitmap(width: 1, height: 1, pixels: [0]))
    let large = small.prefix(16) + [0, 0, 0x1F, 0x40, 0, 0, 0x1F, 0x40] + small.dropFirst(24)
    try await RunningStudio.run { studio in
      for (data, message) in [
        (Data("no picture".utf8), "expected a PNG or a JPEG, found something else."),
        (Data("GIF89a".utf8), "expected a PNG or a JPEG, found a GIF."),
        (Data(), "expected a PNG or a JPEG, found an empty file."),
        (photograph.prefix(9000), "expected a whole JPEG, found the start of one."),
        (large, "expected at most 50 megapixels, found 8000 × 8000."),
      ] {
        let problem = try await studio.ask(.post, "/api/page", data)
        #expect(problem.status == 422, "\(message): \(problem.status)")
        #expect(problem.error == "The photograph: \(message)")
      }
      let long = try await studio.ask(.post, "/api/page", Data(count: (16 << 20) + 1))
      #expect(long.status == 413)
      #expect(try await studio.ask(.post, "/api/page", photograph, cookie: nil).status == 403)
    }
  }

  @Test func workThatNobodyWaitsForEnds() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: StudioError.self) {
      try SeenPage(Self.paper(), by: .released(), cancellation)
    }
  }
}
