import Foundation
import Testing

@testable import InkStudio

/// The threat model says what the code does, and which tests show it.
@Suite struct ThreatModelTests {
  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// What could happen, how it is stopped, and which tests show it.
  private struct Row {
    var threat: String
    var measure: String
    var tests: [String]
  }

  private static func rows() throws -> [Row] {
    let path = "\(package)/Sources/InkStudio/InkStudio.docc/ThreatModel.md"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      let cells = line.dropFirst().dropLast().components(separatedBy: " |").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let tests = (cells.count > 2 ? cells[2] : "").matches(of: /`([^`]+)`/)
      return Row(
        threat: cells[0], measure: cells.count > 1 ? cells[1] : "",
        tests: tests.map { String($0.1) })
    }.filter { $0.threat != "what could happen" && $0.threat != "---" }
  }

  /// Returns the names of all tests, with their suites.
  private static func knownTests() throws -> Set<String> {
    let folder = "\(package)/Tests"
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var known: Set<String> = []
    for file in files where file.hasSuffix("Tests.swift") {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      let suite = try #require(file.split(separator: "/").last).dropLast(".swift".count)
      for name in text.matches(of: /func ([A-Za-z0-9]+)\(/) { known.insert("\(suite).\(name.1)") }
    }
    return known
  }

  @Test func everyRowNamesTestsThatExist() throws {
    let (rows, known) = (try Self.rows(), try Self.knownTests())
    #expect(rows.count > 40 && known.count > 1000)
    for row in rows {
      #expect(!row.measure.isEmpty && !row.tests.isEmpty, "\(row.threat)")
      for test in row.tests {
        if test.hasPrefix("scripts/") || test.hasPrefix("Tests/Python/") {
          let path = "\(Self.package)/\(test.prefix { $0 != " " })"
          #expect(FileManager.default.fileExists(atPath: path), "\(test)")
        } else {
          #expect(known.contains(test), "\(row.threat): \(test)")
        }
      }
    }
  }

  @Test func theLimitsAreThoseOfTheCode() throws {
    let limits = ConnectionPool.Limits()
    func seconds(_ time: Int64) -> String { "\(time / 1_000_000_000) s" }
    let start = seconds(limits.start.nanoseconds)
    let life = seconds(limits.strangersLife.nanoseconds)
    let stall = seconds(limits.stall.nanoseconds)
    let drain = seconds(limits.drainTime.nanoseconds)
    let sentences = [
      "ends after one answer or \(life); there are at most \(limits.strangers) of them",
      "\(start) for the start of a request, 20 s for its body",
      "at most \(limits.drainedBytes >> 10) KiB and \(drain) are read",
      "not taken for \(stall) end, and all together are at most \(limits.unreadBytes >> 20) MiB",
      "4 wrong codes of an address", "\(PairingCode.maximumGuesses) of all addresses",
      "valid for \(Int(PairingCode.lifetime / .seconds(60))) minutes",
    ]
    let measures = try Self.rows().map(\.measure).joined(separator: "\n")
    for sentence in sentences { #expect(measures.contains(sentence), "\(sentence)") }
    #expect(PairingCode.freeGuesses == 4)
  }
}
