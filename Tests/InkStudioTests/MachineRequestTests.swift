import Foundation
import InkDatasets
import TestSupport
import Testing

@testable import InkStudio

/// Requests about machines beyond finite automata, pictures of any scale, and corrections.
@Suite(.timeLimit(.minutes(30))) struct MachineRequestTests {
  private func opened(_ example: ExampleMachine, in studio: RunningStudio) async throws -> String {
    let title = example.title.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
    let name = try JSONDecoder().decode(
      String.self, from: try await studio.post("/api/examples/\(title)", "").data)
    return "/api/documents/\(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
  }

  @Test func machinesRunStepByStep() async throws {
    try await RunningStudio.run { studio in
      for (example, word, said, key) in [
        (ExampleMachine.all[0], "1011", "Output: 01222", "output"),
        (ExampleMachine.all[1], "0110", "Output: 0101", "output"),
        (ExampleMachine.all[2], "aabb", "Accepted", "stack"),
        (ExampleMachine.all[3], "1011", "Accepted. Tape: 1100.", "tape"),
      ] {
        let path = try await opened(example, in: studio)
        let picture = try await studio.ask(.get, path).json
        #expect((picture["errors"] as? [String]) == [] && picture["isDeterministic"] != nil)
        let run = try await studio.post("\(path)/run", #"{"word":"\#(word)"}"#).json
        #expect(run["said"] as? String == said && run["isAccepted"] as? Bool == true)
        let steps = try #require(run["steps"] as? [[String: Any]])
        #expect(steps.allSatisfy { $0[key] != nil && ($0["states"] as? [String])?.count == 1 })
        for rest in ["minimize", "union?with=none", "compare?with=none"] {
          let refused = try await studio.post("\(path)/\(rest)", "")
          #expect(refused.status == 400 && refused.error.contains("because"), "\(refused.error)")
        }
        #expect(try await studio.ask(.get, "\(path)/expression").status == 400)
        #expect(try await studio.ask(.get, "\(path)/file?form=jff").text.contains("<structure>"))
        #expect(try await studio.ask(.get, "\(path)/file?form=dot").status == 200)
        let words = try await studio.post("\(path)/words", #"{"lines":"\#(word)\n"}"#)
        #expect(words.status == 200)
      }
    }
  }

  @Test func theKindIsChosenAndUndone() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.post("/api/documents?name=A", "")
      let path = "/api/documents/A"
      let made = try await studio.post("\(path)/command", #"{"kind":"setKind","text":"mealy"}"#)
      #expect(made.json["kind"] as? String == "mealy")
      let bad = try await studio.post("\(path)/command", #"{"kind":"setKind","text":"lazy"}"#)
      #expect(bad.status == 400 && bad.error.contains("lazy"))
      #expect(try await studio.post("\(path)/undo", "").json["kind"] as? String == "finite")
    }
  }

  @Test func picturesHaveAnyScaleWithinBounds() async throws {
    try await RunningStudio.run { studio in
      let path = try await opened(ExampleMachine.all[1], in: studio)
      func size(_ query: String) async throws -> [UInt32] {
        let data = try await studio.ask(.get, "\(path)/file?form=png&\(query)").data
        // The header of a PNG: width, height, bits and the type of colours.
        let bytes = [UInt8](data.prefix(26))
        guard bytes.count == 26, bytes[1...3].elementsEqual("PNG".utf8) else { return [] }
        return [16, 20].map { at in bytes[at..<at + 4].reduce(0) { $0 << 8 + UInt32($1) } }
          + [UInt32(bytes[25])]
      }
      let (plain, large) = (try await size("scale=1"), try await size("scale=3&transparent=true"))
      #expect(plain.count == 3 && plain[2] == 0 && large[2] == 4)
      #expect(abs(Int(large[0]) - 3 * Int(plain[0])) <= 3)
      let huge = try await studio.ask(.get, "\(path)/file?form=png&scale=100")
      #expect(huge.status == 400 && huge.error.contains("use a scale of at most"), "\(huge.error)")
      #expect(try await studio.ask(.get, "\(path)/file?form=png&scale=0").status == 400)
      #expect(try await studio.ask(.get, "\(path)/file?form=png&scale=nan").status == 400)
    }
  }

  @Test func correctedWritingIsKeptOnlyWithConsent() async throws {
    let letter = try #require(
      Synthesizer(seed: 5).characters(by: 3, perCharacter: 1).first { $0.label == "B" }
    ).drawing
    let bounds = try #require(letter.bounds)
    try await RunningStudio.run { studio in
      _ = try await studio.post("/api/documents?name=A", "")
      let path = "/api/documents/A"
      let made = try await studio.post(
        "\(path)/command", #"{"kind":"addState","place":{"x":300,"y":300}}"#)
      let id = try #require((made.json["states"] as? [[String: Any]])?.first?["id"] as? String)
      func name(_ answer: RunningStudio.Answer) throws -> String? {
        (answer.json["states"] as? [[String: Any]])?.first?["name"] as? String
      }
      let scale = 46 / bounds.height
      for stroke in letter.strokes {
        let xs = stroke.points.map { 300 + ($0.x - bounds.center.x) * scale }
        let ys = stroke.points.map { 300 + ($0.y - bounds.center.y) * scale }
        _ = try await studio.post("\(path)/stroke", #"{"drawing":[[\#(xs),\#(ys)]]}"#)
      }
      let read = try name(try await studio.post("\(path)/read", ""))
      #expect(read == "B")
      func rename(_ text: String, _ keep: String) async throws {
        let answer = try await studio.post(
          "\(path)/command\(keep)", #"{"kind":"rename","id":"\#(id)","text":"\#(text)"}"#)
        #expect(answer.status == 200, "\(answer.error)")
      }
      try await rename("8", "")
      #expect(studio.files("writing").isEmpty)
      // Another name for the state says nothing about what was written.
      try await rename("start", "?keep=true")
      #expect(studio.files("writing").isEmpty)
      try await rename("D", "")
      try await rename("8", "?keep=true")
      let kept = try String(
        contentsOfFile: "\(studio.folder.path)/writing/recordings.ndjson", encoding: .utf8)
      #expect(kept.split(separator: "\n").count == 1 && kept.contains(#""word":"8""#), "\(kept)")
      #expect(!FileManager.default.fileExists(atPath: "\(studio.folder.path)/recordings.ndjson"))
    }
  }

  @Test func correctionsAreKeptOnlyWithConsent() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.post("/api/documents?name=A", "")
      let path = "/api/documents/A"
      // A zigzag, which is no element.
      func draw(_ x: Int) async throws {
        let points = (0..<12).map { (x + 14 * $0, $0.isMultiple(of: 2) ? 300 : 420) }
        let drawing =
          "[[[\(points.map { "\($0.0)" }.joined(separator: ","))],"
          + "[\(points.map { "\($0.1)" }.joined(separator: ","))]]]"
        let drawn = try await studio.post("\(path)/stroke", #"{"drawing":\#(drawing)}"#)
        #expect(drawn.status == 200, "\(drawn.error)")
      }
      func kept() -> [String] {
        let path = "\(studio.folder.path)/recordings.ndjson"
        let text = FileManager.default.contents(atPath: path).map {
          String(decoding: $0, as: UTF8.self)
        }
        return (text ?? "").split(separator: "\n").map(String.init)
      }
      try await draw(100)
      for query in ["", "&keep=false", "&keep="] {
        let other = query.isEmpty ? "transition" : query == "&keep=" ? "transition" : "state"
        _ = try await studio.post("\(path)/instead?label=\(other)\(query)", "")
      }
      _ = try await studio.post("\(path)/undo", "")
      #expect(kept().isEmpty && studio.files("writing").isEmpty)
      try await draw(500)
      let changed = try await studio.post("\(path)/instead?label=state&keep=true", "")
      #expect(changed.status == 200, "\(changed.error)")
      let lines = kept()
      #expect(lines.count == 1 && lines[0].contains(#""word":"state""#), "\(lines)")
      #expect(lines.allSatisfy { $0.contains(#""corrections""#) })
      // A correction that is refused keeps nothing.
      _ = try await studio.post("\(path)/instead?label=none&keep=true", "")
      #expect(kept().count == 1)
    }
  }
}
