import Foundation
import Ink
import Testing

@Suite(.timeLimit(.minutes(30))) struct VersionTests {
  private static func text(of file: String) throws -> String {
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: project.appendingPathComponent(file), encoding: .utf8)
  }

  @Test func theNewestEntryOfTheChangelogIsTheVersion() throws {
    let versions = try Self.text(of: "CHANGELOG.md").matches(of: /(?m)^## (\d+\.\d+\.\d+)\b/)
      .map { String($0.1) }
    #expect(versions.first == Version.current)
    #expect(Set(versions).count == versions.count)
  }

  @Test func theVersionIsWrittenInOneFile() throws {
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let sources = project.appendingPathComponent("Sources").path
    let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
    let places = try files.filter { $0.hasSuffix(".swift") }.filter {
      try Self.text(of: "Sources/\($0)").contains("\"\(Version.current)\"")
    }
    #expect(places == ["Ink/Version.swift"])
  }
}
