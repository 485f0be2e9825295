import Foundation

/// What libFuzzer calls, with the fuzzer that `INKSTATE_FUZZER` names.
public struct FuzzerProgram: Sendable {
  private let fuzzers: [Fuzzer]
  private let chosen: Fuzzer?

  /// Creates the program with its fuzzers.
  public init(_ fuzzers: [Fuzzer]) {
    self.fuzzers = fuzzers
    let name = ProcessInfo.processInfo.environment["INKSTATE_FUZZER"]
    chosen = fuzzers.first { $0.name == name }
  }

  /// Lists the fuzzers if none is chosen, or writes the seeds and the dictionary of the chosen one into
  /// the folder `INKSTATE_SEEDS`; both end the process.
  public func start() {
    guard let chosen else {
      for fuzzer in fuzzers { print(fuzzer.name) }
      exit(0)
    }
    guard let folder = ProcessInfo.processInfo.environment["INKSTATE_SEEDS"] else { return }
    do {
      let seeds = "\(folder)/seeds"
      try FileManager.default.createDirectory(atPath: seeds, withIntermediateDirectories: true)
      let contents = try chosen.seeds()
      for (index, seed) in contents.enumerated() {
        try seed.write(to: URL(fileURLWithPath: "\(seeds)/\(index)"))
      }
      require(
        contents.contains { (try? chosen.read($0)) != nil },
        "\(chosen.name) reads none of its seeds")
      let words = chosen.dictionary.map { word in
        "\"" + word.utf8.map { String(format: "\\x%02x", Int($0)) }.joined() + "\"\n"
      }
      try Data(words.joined().utf8).write(to: URL(fileURLWithPath: "\(folder)/dictionary"))
    } catch { fatalError("fuzz: the seeds of \(chosen.name): \(error)") }
    exit(0)
  }

  /// Checks one input.
  public func check(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    chosen?.check(Data(UnsafeBufferPointer(start: bytes, count: count)))
  }
}

extension Fuzzer {
  /// The contents of files of this repository, by their paths in it.
  public static func files(_ paths: String...) throws -> [Data] {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try paths.map { try Data(contentsOf: package.appendingPathComponent($0)) }
  }
}
