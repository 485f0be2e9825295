import Foundation
import SafeFiles
import Synchronization
import Testing
import TestSupport

/// Runs what README, the pages in `docs` and the help show, as written, in a folder that looks like a fresh clone.
@Suite(.timeLimit(.minutes(30))) struct DocumentationTests {
  /// The project's folder.
  private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A command with the output that is shown after it, where there is any.
  private struct Example {
    var command: String
    var output: [String] = []
  }

  /// A folder with links to what a clone holds for users.
  ///
  /// The synthetic recordings are those of the first five of thirty writers, on which a training takes a sixth of the
  /// time.
  private static func clone() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let recordings = "datasets/synthetic.ndjson"
    let datasets = FileTree.names(in: project.appendingPathComponent("datasets").path)
      .map { "datasets/\($0)" }
    #expect(datasets.contains(recordings))
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/datasets", withIntermediateDirectories: false)
    for name in ["models", "Examples", "Tests"] + datasets where name != recordings {
      try FileManager.default.createSymbolicLink(
        at: URL(fileURLWithPath: "\(folder.path)/\(name)"),
        withDestinationURL: project.appendingPathComponent(name))
    }
    let endings = (1...5).map { #""writer":"synthetic-\#($0)"}"# }
    let lines = try text(of: recordings).split(separator: "\n").filter { line in
      endings.contains { line.hasSuffix($0) }
    }
    #expect(lines.count == 160)
    try folder.write(recordings, lines.joined(separator: "\n") + "\n")
    return folder
  }

  /// The commands in the code blocks of a Markdown file.
  ///
  /// In a block with lines that begin with `$`, the other lines are output.
  private static func examples(inMarkdown text: String) -> [Example] {
    var examples: [Example] = []
    let blocks = text.components(separatedBy: "```")
    for index in stride(from: 1, to: blocks.count, by: 2) {
      // The first line names the language.
      let lines = blocks[index].replacingOccurrences(of: "\\\n", with: "")
        .components(separatedBy: "\n").dropFirst()
      let showsOutput = lines.contains { $0.hasPrefix("$ ") }
      for line in lines {
        let command = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line
        if command.hasPrefix("inkstate "), !showsOutput || line.hasPrefix("$ ") {
          examples.append(Example(command: command))
        } else if showsOutput, !line.isEmpty, !examples.isEmpty {
          examples[examples.count - 1].output.append(line)
        }
      }
    }
    return examples
  }

  private struct Run {
    var output: String
    var status: Int32
  }

  /// Examples of the studio use the same port.
  private static let port = Mutex(())

  private static func run(_ command: String, in folder: TemporaryFolder) throws -> Run {
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    // The studio serves until it is told to stop.
    let isStudio = command.hasPrefix("inkstate studio")
    process.arguments = ["-c", isStudio ? "timeout --preserve-status 5 \(command)" : command]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging([
      "PATH": "\(products):/usr/bin:/bin", "INKSTATE_BROWSER": "true",
    ]) { $1 }
    let output = "\(folder.path)/.output"
    try Data().write(to: URL(fileURLWithPath: output))
    let handle = FileHandle(forWritingAtPath: output)!
    handle.seekToEndOfFile()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    process.waitUntilExit()
    let bytes = FileManager.default.contents(atPath: output) ?? Data()
    return Run(output: String(decoding: bytes, as: UTF8.self), status: process.terminationStatus)
  }

  /// Runs a command; one that may answer "no" by its exit status, and does, has still worked.
  private static func expectSuccess(
    _ command: String, in folder: TemporaryFolder, mayAnswerNo: Bool
  ) throws -> String {
    let isStudio = command.hasPrefix("inkstate studio")
    let run =
      isStudio
      ? try port.withLock { _ in try Self.run(command, in: folder) }
      : try Self.run(command, in: folder)
    let answers = ["automaton run", "automaton equivalent"].contains {
      command.hasPrefix("inkstate \($0)")
    }
    let worked =
      isStudio
      ? run.output.contains("http://127.0.0.1:")
      : run.status == 0
        || (mayAnswerNo && answers && run.status == 1 && !run.output.contains("Error:"))
    #expect(worked, "\(command)\n\(run.output)")
    return run.output
  }

  /// The text with every number replaced: they depend on the machine.
  private static func withoutNumbers(_ line: String) -> String {
    line.replacing(#/[0-9]+([.,:][0-9]+)*/#, with: "#").replacing(#/ +/#, with: " ")
  }

  /// Whether `lines` are what `shown` shows; `…` stands for any text, and alone on a line for any
  /// lines.
  private static func isShown(_ lines: [String], by shown: [String]) -> Bool {
    guard let first = shown.first else { return lines.isEmpty }
    let rest = Array(shown.dropFirst())
    if first == "…" {
      return (0...lines.count).contains { isShown(Array(lines.dropFirst($0)), by: rest) }
    }
    guard let line = lines.first else { return false }
    let parts = withoutNumbers(first).components(separatedBy: "…")
    var left = Substring(withoutNumbers(line))
    for (index, part) in parts.enumerated() {
      if index == 0 {
        guard left.hasPrefix(part) else { return false }
        left = left.dropFirst(part.count)
      } else if index == parts.count - 1, !part.isEmpty {
        guard left.hasSuffix(part) else { return false }
        left = ""
      } else if let range = left.range(of: part) {
        left = left[range.upperBound...]
      } else if part.isEmpty {
        left = ""
      } else {
        return false
      }
    }
    return left.isEmpty && isShown(Array(lines.dropFirst()), by: rest)
  }

  private struct CommandHelp: Decodable {
    var commandName: String
    var discussion: String?
    var subcommands: [CommandHelp]?

    /// The commands that this help and that of its subcommands show.
    func examples(path: String = "") -> [(command: String, example: String)] {
      let name = path.isEmpty ? commandName : "\(path) \(commandName)"
      let own = (discussion ?? "").replacingOccurrences(of: "\\\n", with: "")
        .components(separatedBy: "\n").compactMap { line -> (command: String, example: String)? in
          let text = line.trimmingCharacters(in: .whitespaces)
            .replacingOccurrences(of: "Example: ", with: "")
            .trimmingCharacters(in: .whitespaces)
          return text.hasPrefix("inkstate ") ? (name, text) : nil
        }
      return own + (subcommands ?? []).flatMap { $0.examples(path: name) }
    }

    /// The names of all commands that do something.
    func leaves(path: String = "") -> [String] {
      let name = path.isEmpty ? commandName : "\(path) \(commandName)"
      guard let subcommands, !subcommands.isEmpty else { return [name] }
      return subcommands.flatMap { $0.leaves(path: name) }
    }
  }

  private struct HelpDump: Decodable {
    var command: CommandHelp
  }

  /// README and the pages that it leads to.
  private static let pages =
    ["README.md"]
    + FileTree.names(in: project.appendingPathComponent("docs").path).filter { $0.hasSuffix(".md") }
    .sorted().map { "docs/\($0)" }

  private static func text(of page: String) throws -> String {
    try String(contentsOf: project.appendingPathComponent(page), encoding: .utf8)
  }

  /// Each page by itself, in a fresh clone.
  @Test(arguments: pages) func thePageWorksAsWritten(page: String) throws {
    let folder = try Self.clone()
    let examples = Self.examples(inMarkdown: try Self.text(of: page))
    #expect(!examples.isEmpty || ["docs/apps.md", "docs/measurements.md"].contains(page))
    for example in examples {
      let output = try Self.expectSuccess(example.command, in: folder, mayAnswerNo: true)
      guard !example.output.isEmpty else { continue }
      let lines = output.components(separatedBy: "\n").filter { !$0.isEmpty }
      #expect(
        Self.isShown(lines, by: example.output),
        """
        \(example.command)
        \(page) shows:
        \(example.output.joined(separator: "\n"))
        It prints:
        \(output)
        """)
    }
  }

  /// README is short, leads to every page, and no link leads nowhere.
  @Test func thePagesAreLinked() throws {
    let readme = try Self.text(of: "README.md")
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
    for page in Self.pages.dropFirst() { #expect(readme.contains("(\(page))"), "\(page)") }
    for page in Self.pages {
      let folder = Self.project.appendingPathComponent(page).deletingLastPathComponent()
      for link in try Self.text(of: page).matches(of: #/\]\(([^)#\s]+)[^)]*\)/#) {
        let target = String(link.1)
        guard !target.hasPrefix("http") else { continue }
        #expect(
          FileManager.default.fileExists(atPath: folder.appendingPathComponent(target).path),
          "\(page) links to \(target)")
      }
    }
  }

  @Test func theHelpWorksAsWritten() throws {
    let folder = try Self.clone()
    let dump = try Self.run("inkstate --experimental-dump-help", in: folder).output
    let help = try JSONDecoder().decode(HelpDump.self, from: Data(dump.utf8)).command
    let examples = help.examples()
    let leaves = help.leaves().filter { !$0.contains(" help") }
    #expect(leaves.count > 20)
    for command in leaves + ["inkstate", "inkstate dataset", "inkstate automaton"] {
      #expect(examples.contains { $0.command == command }, "\(command): its help shows no example")
    }
    for example in examples {
      // Examples of several commands have the same output, which is not replaced. A training writes
      // files of other endings as well.
      var remove = ""
      if let output = example.example.firstMatch(of: #/--output (runs/[^.\s]+)/#) {
        remove = "rm -rf \(output.1) \(output.1).*"
      }
      _ = try Self.run(remove, in: folder)
      let output = try Self.expectSuccess(example.example, in: folder, mayAnswerNo: false)
      let isSilent = !["inkstate dataset", "inkstate classify"].contains {
        example.command.hasPrefix($0)
      }
      #expect(isSilent || !output.isEmpty, "\(example.example) prints nothing")
    }
    // What the examples write is in runs, and what the studio writes is where it is told to.
    #expect(
      Set(FileTree.names(in: folder.path)).isSubset(of: [
        "datasets", "models", "Examples", "Tests", "runs", "my-ink",
      ]))
  }

  /// What no user has is not named where users read.
  @Test func whatUsersReadNamesOnlyWhatTheyHave() throws {
    let folder = try Self.clone()
    let help = try Self.run("inkstate --experimental-dump-help", in: folder).output
    for text in try Self.pages.map(Self.text) + [help] {
      #expect(!text.contains("../shared"))
      #expect(!text.contains("git clone …"))
    }
  }
}
