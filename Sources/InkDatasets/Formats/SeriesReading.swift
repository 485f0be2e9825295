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
  /// The column with the time, or `nil` for the first whose name is that of a time, such as `t`,
  /// `timestamp` or `seconds_elapsed`, or else whose cells are times that are text.
  public var timeColumn: String?
  /// The unit of the times, or `nil` if the name or the size of the times decides.
  ///
  /// A name such as `time_ms`, `t [us]` or `Milliseconds` gives the unit. Times that are text, such as
  /// `2024-01-17T08:14:46Z` or `14:12:30.020`, need none. Otherwise, a first time of 10^17 and more
  /// is in nanoseconds, of 10^14 in microseconds and of 10^11 in milliseconds, because such times
  /// count from 1970. All others are in seconds.
  public var timeUnit: TimeUnit?
  /// The steps per second of recordings without times, or `nil` if unknown.
  public var rate: Double?
  /// The columns to read as channels, in order, or `nil` for all that have no other meaning.
  public var channels: [String]?
  /// The columns that are left out.
  public var ignored: Set<String> = []
  /// Whether columns that only count, like a clock, are left out, unless ``channels`` names them.
  ///
  /// This needs all recordings: those for evaluation have to be read with the channels of the model.
  public var leavesOutCounters = true
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
    var search = Search(tokens: tokens, name: Array(name))
    return search.matches(token: 0, place: 0) ? search.fields : nil
  }

  /// The search for a match in one name.
  private struct Search {
    let tokens: [Token]
    let name: [Character]
    var fields: [Field: String] = [:]
    /// The numbers of tokens and places from which there is no match, so that none is tried twice.
    private var failures: Set<[Int]> = []

    init(tokens: [Token], name: [Character]) {
      (self.tokens, self.name) = (tokens, name)
    }

    /// Returns whether the tokens from `token` on match the name from `place` on.
    mutating func matches(token: Int, place: Int) -> Bool {
      guard token < tokens.count else { return place == name.count }
      guard !failures.contains([token, place]) else { return false }
      if matchesAnew(token: token, place: place) { return true }
      failures.insert([token, place])
      return false
    }

    private mutating func matchesAnew(token: Int, place: Int) -> Bool {
      switch tokens[token] {
      case .text(let text):
        return name[place...].starts(with: text)
          && matches(token: token + 1, place: place + text.count)
      case .any:
        return (place...name.count).contains { matches(token: token + 1, place: $0) }
      case .field(let field):
        var end = place
        // A field is within one folder.
        while end < name.count, name[end] != "/" {
          end += 1
          fields[field] = String(name[place..<end])
          if matches(token: token + 1, place: end) { return true }
        }
        return false
      }
    }
  }
}
