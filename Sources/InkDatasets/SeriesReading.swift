import InkSeries
import SafeFiles

/// How tables of time series are read: the columns with a meaning, the times and the rate.
public struct SeriesReading: Hashable, Sendable {
  /// The column with the name of the recording; without it, a file is one recording.
  public var recordingColumn = "recording"
  /// The column with the label of each step; without it, the folder of the file is the label.
  public var labelColumn = "label"
  /// The column with the person.
  public var personColumn = "person"
  /// The column with the session.
  public var sessionColumn = "session"
  /// The column with the time, or `nil` for `time`, `t` or `timestamp`.
  public var timeColumn: String?
  /// The unit of the times, or `nil` if the name or the size of the times decides.
  ///
  /// A name such as `time_ms` or `t [us]` gives the unit. Otherwise, a first time of 10^17 and more
  /// is in nanoseconds, of 10^14 in microseconds and of 10^11 in milliseconds, because such times
  /// count from 1970. All others are in seconds.
  public var timeUnit: TimeUnit?
  /// The steps per second of recordings without times, or `nil` if unknown.
  public var rate: Double?
  /// The columns to read as channels, in order, or `nil` for all that have no other meaning.
  public var channels: [String]?
  /// What the names of files say about a recording.
  public var namePattern: NamePattern?
  /// Whether recordings without a label are read, with an empty label; otherwise they are counted.
  public var keepsUnlabelled = false

  /// Creates the defaults.
  public init() {}
}

/// A pattern for names of files with the person, the session or the label of a recording.
///
/// `{person}`, `{session}` and `{label}` stand for a part of the name, `*` for any text. Each is as
/// short as possible. Without a slash, the pattern is for the name of the file without its
/// ending. With one, it is for the path below the data set's folder.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  /// A part of a name with a meaning.
  public enum Field: String, Sendable, CaseIterable {
    /// The person.
    case person
    /// The session.
    case session
    /// The label.
    case label
  }

  private enum Token: Hashable {
    case text([Character])
    case field(Field)
    case any
  }

  /// The pattern as text.
  public let description: String
  private let tokens: [Token]

  /// Reads a pattern such as `{session}_{person}-*`.
  ///
  /// - Throws: `FileError` if a placeholder is unknown or occurs twice.
  public init(_ pattern: String) throws(FileError) {
    description = pattern
    let fields = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
    var tokens: [Token] = []
    var text: [Character] = []
    var rest = Substring(pattern)
    func endText() {
      if !text.isEmpty { tokens.append(.text(text)) }
      text = []
    }
    while let character = rest.first {
      if character == "{" {
        guard let end = rest.firstIndex(of: "}"),
          let field = Field(rawValue: String(rest[rest.index(after: rest.startIndex)..<end])),
          !tokens.contains(.field(field))
        else {
          throw FileError(
            path: "pattern `\(pattern)`", expected: "each of \(fields) at most once",
            found: "`\(rest.prefix(through: rest.firstIndex(of: "}") ?? rest.startIndex))`")
        }
        endText()
        tokens.append(.field(field))
        rest = rest[rest.index(after: end)...]
      } else {
        if character == "*" {
          endText()
          tokens.append(.any)
        } else {
          text.append(character)
        }
        rest = rest.dropFirst()
      }
    }
    endText()
    self.tokens = tokens
  }

  /// Returns the fields of the file at `path` in the data set's folder, or `nil` if the pattern does
  /// not match.
  func fields(of path: String, below folder: String) -> [Field: String]? {
    var name =
      description.contains("/")
      ? String(path.dropFirst(folder.count).drop { $0 == "/" }) : FileTree.name(of: path)
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    var fields: [Field: String] = [:]
    return match(tokens[...], Array(name)[...], &fields) ? fields : nil
  }

  private func match(
    _ tokens: ArraySlice<Token>, _ name: ArraySlice<Character>, _ fields: inout [Field: String]
  ) -> Bool {
    guard let token = tokens.first else { return name.isEmpty }
    let rest = tokens.dropFirst()
    switch token {
    case .text(let text):
      return name.starts(with: text) && match(rest, name.dropFirst(text.count), &fields)
    case .any, .field:
      var least = 0
      if case .field = token { least = 1 }
      guard name.count >= least else { return false }
      for length in least...name.count {
        // A field is within one folder.
        if case .field(let field) = token {
          if name.prefix(length).contains("/") { return false }
          fields[field] = String(name.prefix(length))
        }
        if match(rest, name.dropFirst(length), &fields) { return true }
      }
      return false
    }
  }
}
