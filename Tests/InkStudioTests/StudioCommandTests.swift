import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import ArgumentParser
@testable import InkStudio
@testable import StudioCommand

/// `inkstate-studio` as a person starts it.
@Suite(.timeLimit(.minutes(30))) struct StudioCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// As in StartTests of the other commands.
  @Test func optionsAreDeclaredAsTheParserWants() {
    #expect(throws: Never.self) { try StudioCommand._validate(parent: nil) }
  }

  private func text(_ name: String) -> String {
    let data = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
    return String(decoding: data, as: UTF8.self)
  }

  /// What `read` returns, once it is something.
  private func wait(_ read: () throws -> String) async throws -> String {
    for _ in 0..<400 {
      let text = try read()
      if text.hasSuffix("\n") { return text.trimmingCharacters(in: .newlines) }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("nothing came")
    return ""
  }

  private func start(_ arguments: [String]) throws -> Process {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent()
      .appendingPathComponent("inkstate-studio")
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(folder.path)/bin:/usr/bin:/bin"
    process.environment = environment
    try folder.write("out", "")
    process.standardOutput = FileHandle(forWritingAtPath: "\(folder.path)/out")
    try process.run()
    return process
  }

  @Test func theTokenIsInNoCommandLineAndFilesArePrivate() async throws {
    // In place of the desktop's, it writes down what it is given.
    try folder.write(
      "bin/xdg-open",
      "#!/bin/sh\ncat \"$1\" > '\(folder.path)/shown'\necho \"$@\" > '\(folder.path)/words'\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/bin/xdg-open")
    let data = "\(folder.path)/data"
    let process = try start(["--port", "0", "--data", data, "--open"])
    defer { if process.isRunning { process.terminate() } }
    let output = try await wait { text("out") }
    let address = try #require(URLComponents(string: output.components(separatedBy: "\n")[0]))
    let token = try #require(address.queryItems?.first { $0.name == "token" }?.value)
    let words = try await wait { text("words") }
    #expect(words == "\(data)/open.html")
    #expect(text("shown").contains("\(address.string ?? "-")\""))
    let commandLine = FileManager.default.contents(
      atPath: "/proc/\(process.processIdentifier)/cmdline")
    #expect(!String(decoding: commandLine ?? Data(), as: UTF8.self).contains(token))

    let stroke = "[[0,50,99],[0,80,5],[0,9,20]]"
    let port = try #require(address.port)
    let host = "127.0.0.1:\(port)"
    let page = try await LocalServer(port: port).ask(.get, "/?token=\(token)", host: host)
    let cookie = try #require(page.headers[.setCookie]?.components(separatedBy: ";").first)
    let headers: HTTPFields = [.cookie: cookie, OwnRequests.secret: token]
    for (path, body) in [
      ("/api/documents?name=A", ""), ("/api/models/released/use", ""),
      ("/api/documents/A/command", #"{"kind":"addState","place":{"x":1,"y":2}}"#),
      ("/api/recordings", #"{"word":"state","drawing":[\#(stroke)]}"#),
    ] {
      let answer = try await LocalServer(port: port).ask(
        .post, path, Data(body.utf8), host: host, headers: headers)
      #expect([200, 201].contains(answer.status), "\(path)")
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let enumerator = FileManager.default.enumerator(atPath: data)
    let names = ["."] + (enumerator?.allObjects ?? []).compactMap { $0 as? String }
    #expect(names.contains("documents/A.automaton") && names.contains("recordings.ndjson"))
    #expect(names.contains("models/used.txt") && !names.contains("open.html"))
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(data)/\(name)")
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
      #expect(mode & 0o077 == 0, "\(name) has mode \(String(mode, radix: 8))")
    }
  }

  @Test(.enabled(if: !Studio.canBeShared, "this build has encryption"))
  func sharingNeedsABuildWithEncryption() async throws {
    let data = "\(folder.path)/data"
    let process = try start(["--port", "0", "--share", "--data", data])
    process.waitUntilExit()
    #expect(process.terminationStatus != 0 && text("out").isEmpty)
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test func aFolderInUseIsSaid() async throws {
    let data = "\(folder.path)/data"
    let lock = try FolderLock(data)
    let process = try start(["--port", "0", "--data", data])
    for _ in 0..<400 where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
    #expect(!process.isRunning && text("out").isEmpty)
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
    _ = lock
  }
}
