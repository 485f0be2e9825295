import Foundation

/// A reader of lines from a file or pipe, which keeps only one line in memory.
public struct LineReader {
  /// A line and its place.
  public struct Line: Sendable {
    /// The file and the number of the line.
    public var place: Place
    /// The bytes without the line end; `nil` for a line of more than ``longestLine`` bytes.
    public var bytes: Data?

    /// Creates a line.
    public init(place: Place, bytes: Data?) {
      self.place = place
      self.bytes = bytes
    }
  }

  /// The longest line that is kept, in bytes; 10⁶ points take about 16 MB.
  public static let longestLine = 32 << 20

  private let input: InputFile

  /// Reads from `handle`; `name` is how errors call it.
  public init(_ handle: FileHandle, name: String) {
    self.init(InputFile(handle, name: name))
  }

  /// Reads what was not yet read of `input`.
  public init(_ input: InputFile) {
    self.input = input
  }

  /// Calls `body` with each line as soon as it is complete.
  ///
  /// - Throws: whatever `body` throws, and `InkError` where reading fails.
  public func forEach(_ body: (Line) throws -> Void) throws {
    var number = 0
    var pending = Data()
    var tooLong = false

    func finish() throws {
      number += 1
      let place = Place(file: input.path, line: number)
      try body(Line(place: place, bytes: tooLong ? nil : pending))
      pending = Data()
      tooLong = false
    }
    func keep(_ part: ArraySlice<UInt8>) {
      guard !tooLong else { return }
      if pending.count + part.count > Self.longestLine {
        tooLong = true
        pending = Data()
      } else {
        pending.append(contentsOf: part)
      }
    }

    while true {
      let bytes = try input.next()
      guard !bytes.isEmpty else { break }
      var rest = bytes[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        keep(rest[..<end])
        try finish()
        rest = rest[(end + 1)...]
      }
      keep(rest)
    }
    if tooLong || !pending.isEmpty { try finish() }
  }
}
