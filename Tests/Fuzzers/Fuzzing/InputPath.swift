import Foundation

/// A file with the input under test, for readers that take paths.
public final class InputPath: Sendable {
  /// The path.
  public let path: String
  /// Its folder, which has nothing else in it.
  public let folder: String

  /// Makes a folder for a file of the name `name`, in `INKSTATE_FUZZ_FOLDER`.
  public init(_ name: String) {
    guard let parent = ProcessInfo.processInfo.environment["INKSTATE_FUZZ_FOLDER"] else {
      fatalError("fuzz: expected a folder in INKSTATE_FUZZ_FOLDER, found none")
    }
    // libFuzzer starts other processes with the same environment.
    folder = "\(parent)/\(ProcessInfo.processInfo.processIdentifier)-\(name)"
    path = "\(folder)/\(name)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Replaces the file's content, and returns its path.
  public func callAsFunction(_ data: Data) -> String {
    guard let file = fopen(path, "wb") else { fatalError("fuzz: \(path) cannot be written") }
    data.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    fclose(file)
    return path
  }
}
