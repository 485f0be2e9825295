import AutomatonEditor
import Foundation
import Ink
import InkRecognizer
import TestSupport
import Testing

@testable import InkStudio

/// The files of the page, and what it and the server have to agree on.
@Suite(.timeLimit(.minutes(30))) struct PageTests {
  /// The constants as the page gets them.
  private struct Shown: Decodable {
    struct Form: Decodable {
      var ending: String
      var title: String
    }
    struct Choice: Decodable {
      var name: String
      var title: String
    }
    struct Network: Decodable {
      var name: String
      var title: String
    }
    var documentEndings: [String]
    var savedForms: [Form]
    var recordingEndings: [String]
    var seriesEndings: [String]
    var meanings: [String: String]
    var shownRecordings: Int
    var lineWidth: Double
    var haloWidth: Double
    var textSize: Double
    var dashes: [Double]
    var indexScale: Double
    var indexDrop: Double
    var eraserReach: Double
    var labels: [String]
    var conversions: [Choice]
    var combinations: [Choice]
    var examples: [String]
    var stateRadius: Double
    var nameCharacters: String
    var nameLength: Int
    var modelNameLength: Int
    var epochs: Int
    var networks: [Network]
    var levels: [Choice]
    var adaptsEvery: Int
  }

  private func constants(of studio: RunningStudio) async throws -> Shown {
    try JSONDecoder().decode(Shown.self, from: try await studio.ask(.get, "/api/constants").data)
  }

  /// The scripts and styles that the page refers to, by their path, from the page on.
  private func files(of studio: RunningStudio) async throws -> [String: String] {
    var files: [String: String] = [:]
    // The page of the audience is only in a shared studio.
    var waiting = ["/", "/watch.js"]
    while let path = waiting.popLast() {
      guard files[path] == nil else { continue }
      let answer = try await studio.ask(.get, path)
      #expect(answer.status == 200, "\(path)")
      files[path] = answer.text
      let base = try #require(URL(string: "http://page\(path)"))
      let references =
        answer.text.matches(of: /from "([^"]+)"/).map(\.1)
        + (path == "/"
          ? answer.text.matches(of: /(?:src|href)="([^"#]+\.(?:js|css))"/).map(\.1) : [])
      waiting += references.compactMap { URL(string: String($0), relativeTo: base)?.path }
    }
    return files
  }

  @Test func everyFileThatThePageRefersToIsServed() async throws {
    try await RunningStudio.run { studio in
      let files = try await files(of: studio)
      #expect(files.keys.contains("/studio.css") && files.keys.contains("/edit/inspector.js"))
      for path in files.keys where path != "/" {
        let type = path.hasSuffix(".css") ? "text/css" : "text/javascript"
        let answer = try await studio.ask(.get, path)
        #expect(answer.headers[.contentType] == "\(type); charset=utf-8", "\(path)")
      }
      let router = studio.studio.router(Authentication(token: ""))
      let served = router.routes.map { "/" + $0.path.description.drop { $0 == "/" } }
      let unused = served.filter { $0.hasSuffix(".js") && files[$0] == nil }
      #expect(unused == [], "files that no other file of the page imports")
    }
  }

  @Test func thePageCanBeInstalledAsAnApp() async throws {
    struct Manifest: Decodable {
      struct Icon: Decodable {
        var src: String
        var type: String
      }
      var name: String
      var display: String
      var icons: [Icon]
    }
    try await RunningStudio.run { studio in
      #expect(try await studio.ask(.get, "/").text.contains("href=\"/manifest.webmanifest\""))
      let answer = try await studio.ask(.get, "/manifest.webmanifest")
      #expect(answer.headers[.contentType] == "application/manifest+json")
      let manifest = try JSONDecoder().decode(Manifest.self, from: answer.data)
      #expect(manifest.display == "standalone" && manifest.icons.count == 3)
      for icon in manifest.icons {
        let file = try await studio.ask(.get, icon.src)
        #expect(file.status == 200 && file.headers[.contentType] == icon.type)
        #expect(file.data.count > 100)
      }
    }
  }

  /// The page asks for what the server defines, and keeps no copy.
  @Test func thePageHasNoConstantsOfItsOwn() async throws {
    try await RunningStudio.run { studio in
      let files = try await files(of: studio)
      let constants = try await studio.ask(.get, "/api/constants").json
      let scripts = files.filter { $0.key.hasSuffix(".js") }.values.joined()
      for name in constants.keys {
        #expect(scripts.contains(name), "\(name) is sent, but the page does not use it")
      }
      let shown = try await self.constants(of: studio)
      let copies =
        // Names of the page's own files and parts of its code end like these.
        (shown.documentEndings + shown.recordingEndings).map { ".\($0)" }.filter {
          ![
            ".txt", ".json", ".ndjson", ".csv", ".tsv", ".md", ".tex", ".att", ".svg", ".dat",
          ].contains($0)
        }
        + shown.savedForms.map { "\"\($0.ending)\"" }
        + shown.meanings.values.filter { $0 != "a circle" } + shown.examples
        + (shown.conversions + shown.combinations).flatMap { ["\"\($0.name)\"", $0.title] }
        + shown.levels.map { "\"\($0.title)\"" }
        + shown.levels.map { "\"\($0.name)\"" }
        + Recognition.Rejection.allCases.flatMap { [$0.rawValue, $0.explanation] }
        + [
          String(shown.nameCharacters.prefix(5)), "maxlength=\"\(shown.nameLength)\"",
          "maxlength=\"\(shown.modelNameLength)\"",
        ]
        + ["max=\"\(shown.epochs)\"", "stroke-width: \(Int(shown.lineWidth));"]
        + ["font-size: \(Int(shown.textSize))px", "stroke-dasharray: 8 10"]
      for copy in copies {
        let holders = files.filter { $0.value.contains(copy) }.map(\.key)
        #expect(holders == [], "a copy of \(copy)")
      }
    }
  }

  @Test func documentsAreOpenedAndSavedInTheFormsThatThePageIsTold() async throws {
    try await RunningStudio.run { studio in
      let constants = try await constants(of: studio)
      #expect(constants.documentEndings.first == "automaton")
      #expect(constants.savedForms.map(\.ending).suffix(5) == ["svg", "png", "pdf", "tex", "mmd"])
      _ = try await studio.ask(.post, "/api/documents?name=A")
      for form in constants.savedForms {
        let file = try await studio.ask(.get, "/api/documents/A/file?form=\(form.ending)")
        #expect(file.status == 200 && !form.title.isEmpty, "\(form.ending): \(file.text)")
      }
      let saved = try await studio.ask(.get, "/api/documents/A/file?form=doc")
      let opened = try await studio.post("/api/documents/x/open?form=pdf", "%PDF")
      for form in constants.savedForms { #expect(saved.error.contains(form.ending)) }
      for ending in constants.documentEndings {
        #expect(opened.error.contains(".\(ending)"))
        // Other endings are refused before the content is looked at.
        let broken = try await studio.post("/api/documents/x/open?form=\(ending)", "\u{0}")
        #expect(!broken.error.contains("cannot open"), "\(ending): \(broken.error)")
      }
    }
  }

  @Test func limitsAreThoseThatThePageIsTold() async throws {
    try await RunningStudio.run { studio in
      let constants = try await constants(of: studio)
      func create(_ count: Int) async throws -> Int {
        let name = String(repeating: "a", count: count)
        return try await studio.ask(.post, "/api/documents?name=\(name)").status
      }
      #expect(try await create(constants.nameLength) == 201)
      #expect(try await create(constants.nameLength + 1) == 400)
      let wish = String(repeating: "m", count: constants.modelNameLength + 1)
      #expect(FileName.unused(wish, or: "model", used: []).count == constants.modelNameLength)
      let training = try await studio.post(
        "/api/training", #"{"epochs":\#(constants.epochs + 1),"name":"x"}"#)
      #expect(training.error.contains("1 to \(constants.epochs) epochs"))
      #expect(constants.levels.count == Practice.Level.allCases.count)
      for level in constants.levels {
        let task = try await studio.ask(.get, "/api/practice/Ada?level=\(level.name)")
        #expect(task.status == 200, "\(level.name): \(task.text)")
      }
      #expect(constants.adaptsEvery == Practice.adaptsEvery)
      let overview = try await studio.ask(.get, "/api/recordings").json
      let classes = (overview["classes"] as? [[String: Any]])?.compactMap { $0["label"] as? String }
      #expect(Set(classes ?? []) == Set(constants.meanings.keys))
      #expect(Set(DrawnClass.allLabels) == Set(constants.meanings.keys))
    }
  }

  @Test func latestRecordingsAreAsManyAsThePageIsTold() async throws {
    try await RunningStudio.run { studio in
      let constants = try await constants(of: studio)
      let line = #"{"word":"state","drawing":[[[0,90],[0,90]]]}"# + "\n"
      let file = String(repeating: line, count: constants.shownRecordings + 1)
      for ending in constants.recordingEndings {
        #expect(InkFile.Format.allCases.contains { $0.ending == ending })
      }
      #expect(try await studio.post("/api/recordings/file?name=a.ndjson", file).status == 200)
      let overview = try await studio.ask(.get, "/api/recordings").json
      #expect((overview["items"] as? [Any])?.count == constants.shownRecordings)
    }
  }

  /// The drawing on the page and the pictures that are saved have the same lines and letters.
  @Test func thePageDrawsAsPicturesAreDrawn() async throws {
    try await RunningStudio.run { studio in
      let constants = try await constants(of: studio)
      _ = try await studio.ask(.post, "/api/documents?name=A")
      let first = try await studio.post(
        "/api/documents/A/command", #"{"kind":"addState","place":{"x":100,"y":100}}"#)
      let states = first.json["states"] as? [[String: Any]]
      #expect(states?.first?["radius"] as? Double == constants.stateRadius)
      let id = try #require(states?.first?["id"] as? String)
      for command in [
        #"{"kind":"rename","id":"\#(id)","text":"q"}"#,
        #"{"kind":"addState","place":{"x":400,"y":100}}"#,
      ] {
        #expect(try await studio.post("/api/documents/A/command", command).status == 200)
      }
      let picture = try await studio.ask(.get, "/api/documents/A").json
      let other = try #require((picture["states"] as? [[String: Any]])?.last?["id"] as? String)
      for command in [
        #"{"kind":"connect","id":"\#(id)","to":"\#(other)"}"#,
        #"{"kind":"delete","id":"\#(other)"}"#,
      ] {
        #expect(try await studio.post("/api/documents/A/command", command).status == 200)
      }
      let svg = try await studio.ask(.get, "/api/documents/A/file?form=svg").text
      let dashes = constants.dashes.map { "\(Int($0))" }.joined(separator: " ")
      for text in [
        "stroke-width=\"\(Int(constants.lineWidth))\"",
        "stroke-width=\"\(Int(constants.haloWidth))\" paint-order",
        "font-size=\"\(Int(constants.textSize))\"", "stroke-dasharray=\"\(dashes)\"",
      ] {
        #expect(svg.contains(text), "\(text) in \(svg)")
      }
    }
  }

  /// A drawing is rejected with the same words on all pages.
  @Test func rejectionsAreExplainedInTheSameWords() async throws {
    try await RunningStudio.run { studio in
      let tap = #"{"drawing":[[[5,5],[5,5],[0,10]]]}"#
      let explanation = Recognition.Rejection.tooSmall.explanation
      let answer = try await studio.post("/api/recognize", tap).json
      #expect(answer["rejection"] as? String == "tooSmall")
      #expect(answer["reason"] as? String == explanation)
      _ = try await studio.ask(.post, "/api/documents?name=A")
      let drawn = try await studio.post("/api/documents/A/stroke", tap).json
      let decision = drawn["decision"] as? [String: Any]
      #expect(decision?["text"] as? String == "Rejected: \(explanation)")
      #expect(Set(Recognition.Rejection.allCases.map(\.explanation)).count == 3)
    }
  }
}
