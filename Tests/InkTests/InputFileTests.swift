import Foundation
import Ink
import Testing
import TestSupport

/// Pipes give their bytes once, and not all together.
@Suite(.timeLimit(.minutes(30))) struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A named pipe into which somebody writes `text` in pieces of `size` bytes.
  private func pipe(_ text: String, inPiecesOf size: Int) -> String {
    let path = "\(folder.path)/pipe-\(UUID().uuidString)"
    #expect(mkfifo(path, 0o600) == 0)
    let bytes = Array(text.utf8)
    Thread.detachNewThread {
      let descriptor = open(path, O_WRONLY)
      defer { close(descriptor) }
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        guard Foundation.write(descriptor, piece, piece.count) == piece.count else { return }
        if start < 10 * size { usleep(1000) }
      }
    }
    return path
  }

  @Test(arguments: [1, 7, 100_000]) func pipesGiveAllTheirInk(size: Int) throws {
    let line = "{\"word\":\"a\",\"drawing\":[[[1,2],[3,4]]]}\n"
    let lines = try InkFile.items(path: pipe(String(repeating: line, count: 50), inPiecesOf: size))
    #expect(lines.count == 50)
    #expect(try lines.allSatisfy { try $0.result.get().drawing.pointCount == 2 })
    let long = (0..<20_000).map { "\($0) \($0)" }.joined(separator: ",")
    let ink = try InkFile.items(
      path: pipe(
        "<?xml version=\"1.0\"?><!-- \(line) --><ink><trace>\(long)</trace></ink>", inPiecesOf: size
      ))
    #expect(try ink.map { try $0.result.get().drawing.pointCount } == [20_000])
  }

  @Test func whatWasLookedAtIsReadAgain() throws {
    let text = String(repeating: "0123456789", count: 20_000)
    for path in [try folder.write("file", text), pipe(text, inPiecesOf: 999)] {
      let input = try InputFile(path: path)
      #expect(input.isRegular == path.hasSuffix("file"))
      #expect(try input.start(8) == Data("01234567".utf8))
      #expect(try input.start(3) == Data("012".utf8))
      #expect(try input.start(100_001).count == 100_001)
      #expect(try input.rest(atMost: 200_000) == Data(text.utf8))
      #expect(try input.rest(atMost: 5) == Data())
    }
    #expect(try InputFile(path: folder.write("f", text)).rest(atMost: 199_999) == nil)
    #expect(try InputFile(path: folder.write("f", "abc")).start(9) == Data("abc".utf8))
  }
}
