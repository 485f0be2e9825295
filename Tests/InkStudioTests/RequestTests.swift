import AutomatonEditor
import Foundation
import HTTPTypes
import Hummingbird
import InkDiagram
import InkImageIO
import InkRaster
import InkTracing
import TestSupport
import Testing

@testable import InkStudio

/// What the page asks, and what it is answered.
@Suite(.timeLimit(.minutes(30))) struct RequestTests {
  /// A line of points, as a page sends a stroke.
  private static func line(
    _ places: [(x: Double, y: Double)], from start: Double, step: Double = 8
  ) -> String {
    var points: [(Double, Double)] = []
    for (a, b) in zip(places, places.dropFirst()) {
      for part in 0..<20 {
        let share = Double(part) / 20
        points.append((a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share))
      }
    }
    points.append(places.last!)
    let times = points.indices.map { start + step * Double($0) }
    return "[\(points.map(\.0)),\(points.map(\.1)),\(times)]"
  }

  private static let now = 1_767_225_600_123.25
  private static let shaft = line([(100, 100), (320, 100)], from: now)
  /// Half a second after the shaft began.
  private static let head = line([(295, 80), (320, 100), (295, 120)], from: now + 500)

  private static func isUUID(_ text: String) -> Bool {
    text.contains(/[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-/)
  }

  // MARK: Writing

  /// Strokes of the shipped drawings; the page sends their writing one stroke at a time.
  private static func strokes(ofLine number: Int) throws -> [String] {
    let data = try Data(contentsOf: example("Lines/names.ndjson"))
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n")[number]
    let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return (json?["drawing"] as? [[[Double]]] ?? []).map { "\($0)" }
  }

  private static func example(_ name: String) -> URL {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("Examples/\(name)")
  }

  @Test func writingInAStateIsKeptAndReadAndCorrected() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.post("/api/documents?name=written", "")
      let path = "/api/documents/written"
      let add = #"{"kind":"addState","place":{"x":80,"y":80},"radius":90}"#
      _ = try await studio.post("\(path)/command", add)
      let strokes = try Self.strokes(ofLine: 0)
      for (count, stroke) in strokes.enumerated() {
        let answer = try await studio.post(
          "\(path)/stroke", #"{"drawing":[\#(stroke)],"page":"p"}"#)
        #expect((answer.json["ink"] as? [String])?.count == count + 1)
        #expect(answer.json["isUnread"] as? Bool == true)
      }
      // The last stroke is taken back, and drawn again.
      let undone = try await studio.post("\(path)/undo", "")
      #expect((undone.json["ink"] as? [String])?.count == strokes.count - 1)
      _ = try await studio.post(
        "\(path)/stroke", #"{"drawing":[\#(strokes.last!)],"page":"p"}"#)
      let read = try await studio.post("\(path)/read", "")
      #expect(read.json["isUnread"] as? Bool == false)
      #expect(read.json["ink"] as? [String] == [])
      let state = (read.json["states"] as? [[String: Any]])?.first
      #expect(state?["name"] as? String == "q0")
      let id = try #require(state?["id"] as? String)
      let chosen = try await studio.post("\(path)/choose?element=\(id)&text=q9", "")
      let renamed = (chosen.json["states"] as? [[String: Any]])?.first
      #expect(renamed?["name"] as? String == "q9")
      let missing = try await studio.post("\(path)/choose?element=none&text=q9", "")
      #expect(missing.status >= 400 && !missing.error.isEmpty)
    }
  }

  /// Whichever way the photograph lies.
  @Test(arguments: [0, 1]) func aStateThatWasMissedComesBackWithItsArrows(
    quarters: Int
  ) async throws {
    let upright = try Data(contentsOf: Self.example("Pictures/paper.jpg"))
    let lying = (0..<quarters).reduce(try Bitmap.decode(upright, path: "paper.jpg")) { picture, _ in
      picture.transposed().mirrored
    }
    let photograph = quarters == 0 ? upright : try PNG.encode(lying)
    let form = quarters == 0 ? "jpg" : "png"
    try await RunningStudio.run { studio in
      let path = "/api/documents/board"
      let opened = try await studio.ask(.post, "\(path)/open?form=\(form)", photograph)
      let place = try #require(opened.json["photograph"] as? [String: Any])
      let matrix = try #require(place["matrix"] as? [Double]).map { "\($0)" }.joined(separator: ",")
      let whole = try await studio.ask(.get, path).json
      let state = try #require((whole["states"] as? [[String: Any]])?.last)
      let (id, center) = (
        try #require(state["id"] as? String), try #require(state["center"] as? [String: Double])
      )
      let delete = #"{"kind":"delete","ids":["\#(id)"],"text":"deletesAttached"}"#
      let without = try await studio.post("\(path)/command", delete)
      #expect(without.status == 200)
      func missed(_ x: Double, _ y: Double, _ map: String, form other: String? = nil) async throws
        -> (status: Int, error: String, json: [String: Any])
      {
        let query = "form=\(other ?? form)&x=\(x)&y=\(y)&matrix=\(map)"
        let answer = try await studio.ask(.post, "\(path)/missed?\(query)", photograph)
        return (answer.status, answer.error, answer.json)
      }
      let (x, y) = (center["x"] ?? 0, center["y"] ?? 0)
      let mended = try await missed(x + 5, y - 5, matrix)
      #expect(mended.status == 200)
      func summary(_ document: [String: Any]) -> [String] {
        let states = document["states"] as? [[String: Any]] ?? []
        let names = Dictionary(
          uniqueKeysWithValues: states.map {
            ($0["id"] as? String ?? "", $0["name"] as? String ?? "")
          })
        let arrows = document["transitions"] as? [[String: Any]] ?? []
        return names.values.sorted()
          + arrows.map { arrow in
            let ends = ["start", "end"].map { names[arrow[$0] as? String ?? ""] ?? "none" }
            return "\(ends[0]) to \(ends[1]): \(arrow["text"] as? String ?? "")"
          }.sorted()
      }
      #expect(summary(without.json) != summary(whole))
      #expect(summary(mended.json) == summary(whole))
      #expect((mended.json["ink"] as? [Any])?.count == (whole["ink"] as? [Any])?.count)
      // One undo step.
      let undone = try await studio.post("\(path)/undo", "")
      #expect(summary(undone.json) == summary(without.json))
      for (answer, word) in [
        (try await missed(x, y, "1,2,3"), "six numbers"),
        (try await missed(x, y, "0,0,0,0,0,0"), "six numbers"),
        (try await missed(1e300, y, matrix), "coordinate"),
        (try await missed(x, y, matrix, form: "jff"), "photograph"),
        // A map by which everything is outside of the photograph.
        (try await missed(x, y, "1e-30,0,0,1e-30,0,0"), "place"),
        (try await missed(x, y, "1,0,0,1,-1e300,0"), "place"),
        (try await missed(x, y, matrix, form: "ndjson"), "xpected"),
      ] {
        #expect(answer.status >= 400 && answer.status < 500 && answer.error.contains(word))
      }
    }
  }

  @Test func aPhotographBecomesADocument() async throws {
    try await RunningStudio.run { studio in
      let photograph = try Data(contentsOf: Self.example("Pictures/paper.jpg"))
      let opened = try await studio.ask(
        .post, "/api/documents/board/open?form=jpg", photograph)
      #expect(opened.status == 200)
      let document = try await studio.ask(.get, "/api/documents/board").json
      #expect((document["states"] as? [Any])?.count == 2)
      #expect(document["uncertain"] is [Any])
      // The same as on the command line, a third larger: heads are looked for where they are in the picture.
      let picture = opened.json["photograph"] as? [String: Any]
      #expect(picture?["width"] as? Int == 900 && picture?["height"] as? Int == 600)
      let scale = try #require((picture?["matrix"] as? [Double])?.first)
      #expect(abs(scale - 1200.0 / 900) < 0.1)
      let traced = try Tracer().trace(Photograph.decode(photograph, path: "paper.jpg"))
      let diagram = try DiagramRecognizer.released().recognize(traced).diagram
      let states = try #require(document["states"] as? [[String: Any]])
      for (state, truth) in zip(states, diagram.states) {
        let center = try #require(state["center"] as? [String: Double])
        #expect(abs((center["x"] ?? 0) - truth.center.x * 1200 / 900) < 0.01)
        #expect(abs((state["radius"] as? Double ?? 0) - truth.radius * 1200 / 900) < 0.01)
      }
      let ids = Dictionary(
        uniqueKeysWithValues: zip(diagram.states.map(\.id), states.map { $0["id"] as? String }))
      let arrows = try #require(document["transitions"] as? [[String: Any]])
        .filter { $0["isInitialMarker"] as? Bool == false }
      #expect(
        Set(arrows.map { [$0["start"] as? String, $0["end"] as? String] })
          == Set(diagram.transitions.map { [ids[$0.from]!, ids[$0.to]!] }))
      #expect(opened.json["remarks"] as? [String] == ["the paper is turned by 2° clockwise"])
      let cut = try await studio.ask(
        .post, "/api/documents/cut/open?form=jpg", photograph.dropLast(2_000))
      let remarks = cut.json["remarks"] as? [String] ?? []
      #expect(remarks.contains { $0.hasPrefix("the file is damaged or ends early") })
      let drawing = try Data(contentsOf: Self.example("Drawings/mod3.ndjson"))
      _ = try await studio.ask(.post, "/api/documents/ink/open?form=ndjson", drawing)
      let drawn = try await studio.ask(.get, "/api/documents/ink").json["states"]
      #expect(
        (drawn as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["A", "B", "C"])
      for (ending, data, word) in [
        ("jpg", Data("no picture".utf8), "expected"),
        ("ndjson", drawing + drawing, "one drawing"),
        ("ndjson", Data(#"{"drawing":[[[0,100],[0,0]]]}"#.utf8), "No automaton"),
      ] {
        let refused = try await studio.ask(
          .post, "/api/documents/bad/open?form=\(ending)", data)
        #expect(refused.status >= 400 && refused.error.contains(word))
      }
    }
  }

  // MARK: Recordings

  @Test func aClassHasTheNameThatWasGiven() async throws {
    try await RunningStudio.run { studio in
      for query in ["class=final+state%21", "class=final%20state!"] {
        let answer = try await studio.ask(.get, "/api/recordings?\(query)&skip=state")
        let classes = (answer.json["classes"] as? [[String: Any]] ?? []).compactMap { $0["label"] }
        #expect(classes.last as? String == "final state!")
      }
      #expect(try await studio.ask(.get, "/api/recordings?class=%ff").status == 400)
      let body = #"{"word":"final state!","drawing":[\#(Self.shaft)]}"#
      let answer = try await studio.post("/api/recordings?class=final+state%21", body)
      let counts = (answer.json["classes"] as? [[String: Any]])?.last
      #expect(counts?["label"] as? String == "final state!" && counts?["count"] as? Int == 1)
    }
  }

  @Test func aTapIsNotRecorded() async throws {
    try await RunningStudio.run { studio in
      for drawing in ["[[100],[50],[0]]", "[[100,101],[50,50],[0,8]]", ""] {
        let answer = try await studio.post(
          "/api/recordings", #"{"word":"state","drawing":[\#(drawing)]}"#)
        #expect(answer.status == 422)
        #expect(answer.error == "This is a tap, not a drawing. Draw first, then save.")
      }
      #expect(try await studio.post("/api/recordings", #"{"drawing":[]}"#).status == 400)
      #expect(try await studio.ask(.get, "/api/recordings").json["total"] as? Int == 0)
      let file =
        #"{"word":"state","drawing":[[[5],[5]]]}"# + "\n"
        + #"{"word":"state","drawing":[[[5,6],[5,5]]]}"#
      let answer = try await studio.post("/api/recordings/file?name=a.ndjson", file)
      #expect(answer.json["added"] as? Int == 1 && answer.json["refused"] as? Int == 1)
      #expect(answer.json["firstProblem"] as? String == "line 1 is a point, not a drawing")
    }
  }

  @Test func aRecordingBeginsAtZeroOnDisk() async throws {
    try await RunningStudio.run { studio in
      let body = #"{"word":"transition","drawing":[\#(Self.shaft),\#(Self.head)]}"#
      #expect(try await studio.post("/api/recordings", body).status == 200)
      let path = "\(studio.folder.path)/recordings.ndjson"
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let line = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      let drawing = line?["drawing"] as? [[[Double]]] ?? []
      #expect(drawing.map { $0[2][0] } == [0, 500] && drawing.map { $0[2][1] } == [8, 508])
    }
  }

  @Test func aRecordingIsDeletedOnce() async throws {
    try await RunningStudio.run { studio in
      let body = #"{"word":"state","drawing":[\#(Self.shaft)]}"#
      let answer = try await studio.post("/api/recordings", body)
      let items = answer.json["items"] as? [[String: Any]] ?? []
      let id = try #require(items.first?["id"] as? String)
      #expect(try await studio.ask(.delete, "/api/recordings/\(id)").status == 200)
      let again = try await studio.ask(.delete, "/api/recordings/\(id)")
      #expect(again.status == 404 && !again.error.contains(id))
    }
  }

  /// What an InkML file says about itself may be called as a key of our own format.
  @Test func recordingsOfInkMLAreDeletedWhateverTheirAnnotationsAreCalled() async throws {
    try await RunningStudio.run { studio in
      for type in ["source", "word", "drawing", "attributes", "id", "writer", "device", "page"] {
        let ink = """
          <ink><annotation type="\(type)">somebody's</annotation><traceGroup>
          <annotation type="truth">state</annotation><trace>0 0, 50 9, 90 40</trace>
          </traceGroup></ink>
          """
        let added = try await studio.post("/api/recordings/file?name=a.inkml", ink)
        #expect(added.json["added"] as? Int == 1, "\(type): \(added.text)")
        let shown = try await studio.ask(.get, "/api/recordings")
        let item = (shown.json["items"] as? [[String: Any]])?.first
        #expect(item?["label"] as? String == "state")
        let id = try #require(item?["id"] as? String)
        let deleted = try await studio.ask(.delete, "/api/recordings/\(id)")
        #expect(deleted.status == 200, "\(type): \(deleted.error)")
        #expect(deleted.json["total"] as? Int == 0)
      }
    }
  }

  @Test(arguments: [
    (200, 1, 200), (201, 1, 413), (1, 50_000, 200), (1, 50_001, 413),
  ])
  func aDrawingHasNoMoreThanAPersonDraws(strokes: Int, points: Int, status: Int) async throws {
    let stroke = "[\((0..<points).map { $0 % 900 }),\((0..<points).map { $0 % 7 })]"
    let drawing = [String](repeating: stroke, count: strokes).joined(separator: ",")
    try await RunningStudio.run { studio in
      let answer = try await studio.post("/api/recognize", "{\"drawing\":[\(drawing)]}")
      #expect(answer.status == status, "\(answer.error)")
    }
  }

  // MARK: Drawing

  @Test func strokesOfOnePageAreTakenTogether() async throws {
    try await RunningStudio.run { studio in
      for (name, pages, isHead) in [
        ("one", ["p", "p"], true), ("none", [nil, nil], true), ("two", ["p", "q"], false),
      ] {
        #expect(try await studio.ask(.post, "/api/documents?name=\(name)").status == 201)
        var texts: [String] = []
        for (stroke, page) in zip([Self.shaft, Self.head], pages) {
          let page = page.map { "\"page\":\"\($0)\"," } ?? ""
          let answer = try await studio.post(
            "/api/documents/\(name)/stroke", "{\(page)\"drawing\":[\(stroke)]}")
          let decision = answer.json["decision"] as? [String: Any]
          texts.append(decision?["text"] as? String ?? "")
        }
        #expect(texts[0].hasPrefix("transition"))
        #expect(texts[1].contains("head of the arrow") == isHead, "\(name): \(texts)")
      }
    }
  }

  @Test func strokesThatPagesDrewLongApartAreNotTakenTogether() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      let late = Self.line([(295, 80), (320, 100), (295, 120)], from: Self.now + 3000)
      _ = try await studio.post("/api/documents/A/stroke", "{\"drawing\":[\(Self.shaft)]}")
      let answer = try await studio.post("/api/documents/A/stroke", "{\"drawing\":[\(late)]}")
      let decision = answer.json["decision"] as? [String: Any]
      let text = try #require(decision?["text"] as? String)
      #expect(!text.contains("head of the arrow"))
    }
  }

  @Test func aNameThatIsUsedOrNotValidIsAskedAbout() async throws {
    try await RunningStudio.run { studio in
      let dot = "digraph { q0 -> q1 }"
      for (wish, status, free) in [
        ("Exercise 3.2 (group A)", 200, nil),
        ("exercise 3.2 (group A)", 409, "exercise 3.2 (group A) 2"),
        ("a:b", 409, "ab"),
      ] {
        let name = try #require(wish.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let answer = try await studio.post("/api/documents/\(name)/open?form=dot", dot)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.json["freeName"] as? String == free)
        if status == 200 { #expect(answer.json["name"] as? String == wish) }
      }
      #expect(studio.files("documents") == ["Exercise 3.2 (group A).automaton"])
    }
  }

  @Test func whatAReadingTakesBackIsRestored() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      for x in [300, 700] {
        _ = try await studio.post(
          "/api/documents/A/command", #"{"kind":"addState","place":{"x":\#(x),"y":300}}"#)
      }
      // Four small rings are a remark.
      for number in 0..<4 {
        let ring = (0...24).map { index -> (Double, Double) in
          let angle = Double(index) * 2.1 * .pi / 24
          return (1000 + 30 * Double(number) + 12 * cos(angle), 600 + 12 * sin(angle))
        }
        let drawing = Self.line(ring, from: Self.now + 900 * Double(number))
        _ = try await studio.post("/api/documents/A/stroke", #"{"drawing":[\#(drawing)]}"#)
      }
      let read = try await studio.post("/api/documents/A/read", "").json
      let taken = try #require(read["takenBack"] as? [String: Any])
      #expect(taken["number"] as? Int == 1 && taken["canRestore"] as? Bool == true)
      #expect((taken["changes"] as? [String])?.isEmpty == false)
      let restored = try await studio.post("/api/documents/A/restore?change=1", "")
      #expect((restored.json["states"] as? [Any])?.count ?? 0 > 2)
      #expect(try await studio.post("/api/documents/A/restore?change=2", "").status == 409)
    }
  }

  /// A disk that is full, or a file that cannot be replaced, is no success.
  @Test func aChangeThatIsNotOnDiskIsAnErrorUntilItIsSentAgain() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      let file = "\(studio.folder.path)/documents/A.automaton"
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.createDirectory(
        atPath: "\(file)/x", withIntermediateDirectories: true)
      func changes() async throws -> [RunningStudio.Answer] {
        [
          try await studio.post(
            "/api/documents/A/command?change=1", #"{"kind":"addState","place":{"x":9,"y":9}}"#),
          try await studio.post(
            "/api/documents/A/stroke", #"{"stroke":"2","drawing":[\#(Self.shaft)]}"#),
        ]
      }
      for answer in try await changes() + changes() {
        #expect(answer.status == 507 && answer.error.hasPrefix("“A” is not saved: "))
      }
      let shown = try await studio.ask(.get, "/api/documents/A").json
      #expect(shown["unsaved"] as? String != nil)
      try FileManager.default.removeItem(atPath: file)
      for answer in try await changes() { #expect(answer.status == 200) }
      let saved = try await studio.ask(.get, "/api/documents/A").json
      #expect(saved["unsaved"] == nil)
      #expect((saved["states"] as? [Any])?.count == 1, "the same state, made once")
      #expect((saved["transitions"] as? [Any])?.count == 1)
      #expect(try await studio.post("/api/documents/A/undo?change=\(UUID())", "").status == 200)
      for _ in 1...2 {
        #expect(try await studio.post("/api/documents/A/redo?change=3", "").status == 200)
      }
    }
  }

  /// A page whose connection broke before the answer sends its stroke again.
  @Test func aStrokeThatIsSentAgainIsDrawnOnce() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      func draw(_ drawing: String, _ id: String?) async throws -> RunningStudio.Answer {
        let id = id.map { #""stroke":"\#($0)","# } ?? ""
        return try await studio.post(
          "/api/documents/A/stroke", #"{"page":"p",\#(id)"drawing":[\#(drawing)]}"#)
      }
      func text(_ answer: RunningStudio.Answer) -> String {
        (answer.json["decision"] as? [String: Any])?["text"] as? String ?? ""
      }
      func count(_ answer: RunningStudio.Answer) -> Int {
        (answer.json["transitions"] as? [Any])?.count ?? 0
      }
      let first = try await draw(Self.shaft, "1")
      let again = try await draw(Self.shaft, "1")
      #expect(count(first) == 1 && count(again) == 1)
      #expect(text(first).hasPrefix("transition") && text(again) == text(first))
      #expect(again.json["version"] as? Int == first.json["version"] as? Int)
      // The strokes around it still belong together.
      let head = try await draw(Self.head, "2")
      #expect(text(head) == "This is the head of the arrow before it.")
      _ = try await studio.post("/api/documents/A/rename?to=B", "")
      let known = try await studio.post(
        "/api/documents/B/stroke", #"{"page":"p","stroke":"2","drawing":[\#(Self.head)]}"#)
      #expect(count(known) == 1 && text(known) == text(head))
      // One that was undone meanwhile does not come back.
      _ = try await studio.post("/api/documents/B/rename?to=A", "")
      while try await studio.ask(.get, "/api/documents/A").json["canUndo"] as? Bool == true {
        _ = try await studio.post("/api/documents/A/undo", "")
      }
      #expect(count(try await draw(Self.shaft, "1")) == 0)
      // Without an id, or with another one, it is another stroke.
      let other = Self.line([(100, 400), (320, 400)], from: Self.now + 9000)
      #expect(count(try await draw(other, nil)) == 1)
      #expect(count(try await draw(other, nil)) == 2)
      #expect(count(try await draw(other, "3")) == 3)
      let long = try await draw(other, String(repeating: "x", count: 101))
      #expect(long.status == 400 && long.error.contains("id of the change"))
    }
  }

  /// What another page drew after an eraser came by is not erased when its stroke is sent again.
  @Test func anEraserThatIsSentAgainErasesOnce() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      let state = #"{"kind":"addState","place":{"x":100,"y":100}}"#
      let across = Self.line([(100, 0), (100, 300)], from: Self.now)
      for (id, count) in [("1", 0), ("1", 1), ("2", 0)] {
        _ = try await studio.post("/api/documents/A/command", state)
        if count == 1 {
          // The stroke is known, so the new state stays.
          let states = try await studio.ask(.get, "/api/documents/A").json["states"] as? [Any]
          #expect(states?.count == 1)
        }
        let answer = try await studio.post(
          "/api/documents/A/erase", #"{"stroke":"\#(id)","drawing":[\#(across)]}"#)
        #expect((answer.json["states"] as? [Any])?.count == count, "\(id)")
      }
    }
  }

  @Test func theEmptyWordCanBeTypedAsEpsilon() async throws {
    try await RunningStudio.run { studio in
      let dot = #"digraph { i [shape=point]; i -> q; q [shape=doublecircle]; q -> q [label="a"]; }"#
      _ = try await studio.post("/api/documents/A/open?form=dot", dot)
      let run = try await studio.post("/api/documents/A/run", #"{"word":"ε"}"#)
      #expect(run.json["isAccepted"] as? Bool == true, "\(run.text)")
      #expect((run.json["symbols"] as? [Any])?.isEmpty == true)
    }
  }

  @Test(arguments: ["\\u200b", "a\\u200b", "\\u0007", "a\\u0000", "\\u202eab"])
  func whatCannotBeSeenIsNoNameAndNoSymbol(text: String) async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      func command(_ json: String) async throws -> RunningStudio.Answer {
        try await studio.post("/api/documents/A/command", json)
      }
      let made = try await command(#"{"kind":"addState","place":{"x":0,"y":0}}"#)
      let state = try #require((made.json["states"] as? [[String: Any]])?[0]["id"] as? String)
      let loop = try await command(#"{"kind":"connect","id":"\#(state)","to":"\#(state)"}"#)
      let transition = try #require(
        (loop.json["transitions"] as? [[String: Any]])?[0]["id"] as? String)
      for body in [
        #""kind":"rename","id":"\#(state)""#, #""kind":"setSymbols","id":"\#(transition)""#,
        #""kind":"setAlphabet""#,
      ] {
        let answer = try await command("{\(body),\"text\":\"\(text)\"}")
        #expect((400..<500).contains(answer.status), "\(body): \(answer.status)")
        #expect(
          answer.error.contains("expected only visible characters, found U+"),
          "\(body): \(answer.error)")
      }
      let after = try await studio.ask(.get, "/api/documents/A").json
      #expect((after["alphabet"] as? [Any])?.isEmpty == true)
      #expect((after["states"] as? [[String: Any]])?[0]["name"] as? String == "q0")
    }
  }

  @Test func aDragFollowsTheZoomOfItsPage() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      func command(_ json: String) async throws -> RunningStudio.Answer {
        try await studio.post("/api/documents/A/command", json)
      }
      for x in [0, 400] {
        _ = try await command("{\"kind\":\"addState\",\"place\":{\"x\":\(x),\"y\":0}}")
      }
      let states = try await studio.ask(.get, "/api/documents/A").json["states"] as? [[String: Any]]
      let ids = (states ?? []).compactMap { $0["id"] as? String }
      let made = try await command(
        "{\"kind\":\"connect\",\"id\":\"\(ids[0])\",\"to\":\"\(ids[1])\"}")
      let arrow = try #require(
        (made.json["transitions"] as? [[String: Any]])?.first?["id"] as? String)
      // 60 points from the ring: near on a small picture, far on a large one.
      for (zoom, isNear) in [(0.25, true), (4, false)] as [(Double, Bool)] {
        let answer = try await command(
          """
          {"kind":"moveTip","id":"\(arrow)","place":{"x":400,"y":190},"zoom":\(zoom)}
          """)
        let transition = (answer.json["transitions"] as? [[String: Any]])?.first
        #expect((transition?["end"] as? String == ids[1]) == isNear, "zoom \(zoom)")
        _ = try await studio.post("/api/documents/A/undo", "")
      }
    }
  }

  // MARK: Documents

  @Test func noAddressOfADocumentMakesOne() async throws {
    let folder = try TemporaryFolder()
    let routes = try Studio(Studio.Configuration(dataFolder: folder.path))
      .router(Authentication(token: "")).routes
      .map { (method: $0.method, path: "/\($0.path)".replacing("//", with: "/")) }
      .filter { $0.path.contains(/documents\/[:{]name/) && !$0.path.hasSuffix("/open") }
    #expect(routes.count >= 14)
    let bodies = [
      "stroke": #"{"drawing":[\#(Self.shaft)]}"#, "erase": #"{"drawing":[\#(Self.shaft)]}"#,
      "command": #"{"kind":"addState","place":{"x":1,"y":2}}"#, "run": #"{"word":"a"}"#,
      "words": #"{"lines":"a"}"#, "copy": #"{"ids":[]}"#,
    ]
    try await RunningStudio.run { studio in
      for id in ["", "id=some"] {
        for route in routes {
          let path = route.path.replacing(/[:{]name}?/, with: "A%20b")
          let body = bodies[String(path.split(separator: "/").last ?? "")] ?? ""
          let answer = try await studio.ask(
            route.method, "\(path)?to=B&\(id)", Data(body.utf8))
          #expect(answer.status == 404, "\(route.method) \(path): \(answer.text)")
          #expect(answer.error == "There is no document A b.")
          #expect(answer.json["renamedTo"] == nil && answer.json["isDeleted"] == nil)
        }
      }
      #expect(studio.files("documents").isEmpty)
    }
  }

  @Test func documentsAreMadeOnRequest() async throws {
    try await RunningStudio.run { studio in
      let first = try await studio.ask(.post, "/api/documents")
      #expect(first.status == 201 && first.json["name"] as? String == "Automaton 1")
      #expect(first.json["id"] as? String != nil && first.json["version"] as? Int == 0)
      let second = try await studio.ask(.post, "/api/documents?name=%C3%84+b")
      #expect(second.status == 201 && second.json["name"] as? String == "Ä b")
      #expect(try await studio.ask(.post, "/api/documents?name=%C3%A4%20B").status == 409)
      for name in ["", "..", "a%2Fb"] {
        let answer = try await studio.ask(.post, "/api/documents?name=\(name)")
        #expect(answer.status == 400 && answer.error.contains("cannot be the name of a document"))
      }
      #expect(studio.files("documents") == ["Automaton 1.automaton", "Ä b.automaton"].sorted())
    }
  }

  @Test func aPageHearsWhatBecameOfItsDocument() async throws {
    try await RunningStudio.run { studio in
      let made = try await studio.ask(.post, "/api/documents?name=A")
      let id = try #require(made.json["id"] as? String)
      let other = try await studio.ask(.post, "/api/documents/A/rename?to=B+%3F+C&id=wrong")
      #expect(other.status == 404)
      let bad = try await studio.ask(.post, "/api/documents/A/rename?to=B+%3F+C&id=\(id)")
      #expect(bad.status == 400)
      let answer = try await studio.ask(.post, "/api/documents/A/rename?to=B+C&id=\(id)")
      #expect(answer.status == 200 && answer.text == "\"B C\"")
      for query in ["", "?id=\(id)"] {
        let gone = try await studio.ask(.get, "/api/documents/A\(query)")
        #expect(gone.status == 404 && gone.json["renamedTo"] as? String == "B C")
        #expect(gone.error == "The document A was renamed to B C.")
        let stream = try await studio.ask(.get, "/api/documents/A/versions\(query)")
        #expect(stream.headers[.contentType] == "text/event-stream")
        #expect(stream.text == "event: renamed\ndata: \"B C\"\n\n")
      }
      _ = try await studio.ask(.delete, "/api/documents/B%20C?id=\(id)")
      let gone = try await studio.ask(.get, "/api/documents/A?id=\(id)")
      #expect(gone.status == 404 && gone.json["isDeleted"] as? Bool == true)
      #expect(gone.json["renamedTo"] == nil)
      let stream = try await studio.ask(.get, "/api/documents/A/versions")
      #expect(stream.text == "event: deleted\ndata: \"A\"\n\n")
      #expect(studio.files("documents/deleted") == ["B C.automaton"])
    }
  }

  @Test func whatTheStudioWritesItOpens() async throws {
    try await RunningStudio.run { studio in
      let dot = #"digraph { i [shape=point]; i -> a; b [shape=doublecircle]; a -> b [label="x"]; }"#
      let name = try await studio.post("/api/documents/%CE%B1%20%CE%B2/open?form=dot", dot)
      #expect(name.json["name"] as? String == "α β")
      let path = "/api/documents/%CE%B1%20%CE%B2"
      for form in ["automaton", "jff", "dot", "txt", "json"] {
        let file = try await studio.ask(.get, "\(path)/file?form=\(form)")
        #expect(file.status == 200)
        #expect(
          file.headers[.contentDisposition]
            == "attachment; filename=\"inkstate.\(form)\"; filename*=UTF-8''%CE%B1%20%CE%B2.\(form)"
        )
        for mark in [Data(), Data([0xEF, 0xBB, 0xBF])] {
          let opened = try await studio.ask(
            .post, "/api/documents/\(form)\(mark.count)/open?form=\(form)", mark + file.data)
          #expect(opened.status == 200, "\(form): \(opened.text)")
          let copy =
            (opened.json["name"] as? String)?
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
          for (word, isAccepted) in [("x", true), ("", false)] {
            let run = try await studio.post("/api/documents/\(copy)/run", #"{"word":"\#(word)"}"#)
            #expect(run.json["isAccepted"] as? Bool == isAccepted, "\(form)")
          }
        }
      }
      // A document under the name of the other form of JSON.
      let file = try await studio.ask(.get, "\(path)/file?form=automaton")
      let opened = try await studio.ask(.post, "/api/documents/json/open?form=json", file.data)
      #expect(opened.status == 200)
      for form in ["svg", "png", "pdf", "tex", "mmd"] {
        #expect(try await studio.ask(.get, "\(path)/file?form=\(form)").status == 200)
      }
      #expect(try await studio.ask(.get, "\(path)/file?form=doc").status == 400)
      let unknown = try await studio.post("/api/documents/x/open?form=doc", "x")
      #expect(unknown.status == 400 && unknown.error.contains(".doc"))
    }
  }

  @Test func whatIsMadeOfADocumentKeepsItsAlphabet() async throws {
    try await RunningStudio.run { studio in
      let dot = #"digraph { i [shape=point]; i -> q; q [shape=doublecircle]; q -> q [label="a"]; }"#
      _ = try await studio.post("/api/documents/A/open?form=dot", dot)
      let set = try await studio.post(
        "/api/documents/A/command", #"{"kind":"setAlphabet","text":"a b"}"#)
      #expect(set.status == 200 && set.json["alphabet"] as? [String] == ["a", "b"])
      #expect(try await studio.post("/api/documents/A/complement", "").text == "\"A complement\"")
      for (word, isAccepted) in [("b", true), ("ab", true), ("a", false), ("", false)] {
        let run = try await studio.post(
          "/api/documents/A%20complement/run", #"{"word":"\#(word)"}"#)
        #expect(run.json["isAccepted"] as? Bool == isAccepted, "\(word)")
      }
    }
  }

  @Test func idsAreNotShownToPeople() async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      func command(_ json: String) async throws -> RunningStudio.Answer {
        try await studio.post("/api/documents/A/command", json)
      }
      for x in [0, 400] {
        let answer = try await command("{\"kind\":\"addState\",\"place\":{\"x\":\(x),\"y\":0}}")
        let states = answer.json["states"] as? [[String: Any]] ?? []
        let id = states.last?["id"] as? String ?? ""
        _ = try await command("{\"kind\":\"rename\",\"id\":\"\(id)\",\"text\":\"\"}")
        _ = try await command("{\"kind\":\"setInitial\",\"id\":\"\(id)\",\"value\":true}")
      }
      let states = try await studio.ask(.get, "/api/documents/A").json["states"] as? [[String: Any]]
      let ids = (states ?? []).compactMap { $0["id"] as? String }
      let picture = try await command(
        "{\"kind\":\"connect\",\"id\":\"\(ids[0])\",\"to\":\"\(ids[1])\"}")
      let id =
        (picture.json["transitions"] as? [[String: Any]])?
        .first { $0["isInitialMarker"] as? Bool == false }?["id"] as? String ?? ""
      _ = try await command("{\"kind\":\"setSymbols\",\"id\":\"\(id)\",\"text\":\"a\"}")
      for form in ["jff", "dot", "txt", "json"] {
        let file = try await studio.ask(.get, "/api/documents/A/file?form=\(form)")
        #expect(file.status == 200 && !Self.isUUID(file.text), "\(form): \(file.text)")
      }
      let made = try await studio.post("/api/documents/A/determinize", "")
      #expect(made.text == "\"A deterministic\"")
      let result = try await studio.ask(.get, "/api/documents/A%20deterministic")
      let names = (result.json["states"] as? [[String: Any]] ?? []).compactMap {
        $0["name"] as? String
      }
      #expect(names.contains("{q0,q1}") && !names.contains(where: Self.isUUID), "\(names)")
    }
  }

  // MARK: Bad requests

  @Test(arguments: [
    ("recognize", "", 400, "The request has no drawing."),
    ("recognize", "{", 400, "drawing, line 1"), ("recognize", "[]", 400, "drawing, line 1"),
    ("recognize", #"{"drawing":[[[1,2],[3]]]}"#, 400, "stroke 1"),
    ("documents/A/command", #"{"kind":"explode"}"#, 400, "There is no command `explode`."),
    ("documents/A/command", #"{"kind":"rename","id":"x"}"#, 400, "needs `text`"),
    ("documents/A/command", "{}", 400, "Reload the page."),
    ("documents/A/instead?label=state", "", 409, "stroke"),
    ("documents/A/run", #"{"word":5}"#, 400, "Reload the page."),
    ("documents/A/rename", "", 400, "cannot be the name"),
    ("documents/x/open?form=jff", "no XML", 400, "x"),
    ("documents/x/open?form=json", "{}", 400, "x"),
    ("models/nobody/use", "", 404, "There is no model `nobody`."),
    ("training", #"{"epochs":0,"name":"x"}"#, 400, "Choose 1 to 1000 epochs"),
    ("training", #"{"epochs":1,"name":"x"}"#, 409, "Record more."),
    (
      "practice/Ada/answer?question=none", #"{"drawing":[[[0,9],[0,9]]]}"#, 409,
      "This task is closed."
    ),
    (
      "practice/Ada/confirm", #"{"answer":"none","text":"7"}"#, 409,
      "does not have this answer any more"
    ),
    ("practice/Ada/confirm", #"{"text":"7"}"#, 400, "Reload the page."),
    ("practice/a%2Fb/confirm", #"{"answer":"x","text":"7"}"#, 400, "name of a learner"),
  ])
  func whatIsWrongIsSaid(path: String, body: String, status: Int, words: String) async throws {
    try await RunningStudio.run { studio in
      _ = try await studio.ask(.post, "/api/documents?name=A")
      let answer = try await studio.post("/api/\(path)", body)
      #expect(answer.status == status, "\(answer.text)")
      #expect(answer.error.contains(words), "\(answer.error)")
    }
  }

  @Test func onlyKnownLevelsAndModelsAreFound() async throws {
    try await RunningStudio.run { studio in
      #expect(try await studio.ask(.get, "/api/practice/Ada?level=none").status == 400)
      #expect(try await studio.ask(.get, "/api/models/released/file").status == 404)
      #expect(try await studio.ask(.get, "/api/example?label=nothing+known").status == 404)
      let answer = try await studio.ask(.get, "/api/practice/Ada?level=digits")
      #expect(answer.status == 200 && answer.json["answered"] as? Int == 0)
    }
  }
}
