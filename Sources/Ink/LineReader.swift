import Foundation

/// The lines of a file or pipe, one at a time and as they come, so that memory holds one line only.
public struct LineReader {
  /// A line's text, or `nil` where it is too long to be ink.
  public struct Line: Sendable {
    /// The file and the number of the line.
    public var place: Place
    /// The bytes without the line end; `nil` for a line of more than ``longestLine`` bytes.
    public var bytes: Data?

    /// Makes a line.
    public init(place: Place, bytes: Data?) {
      self.place = place
      self.bytes = bytes
    }
  }

  /// The longest line that is kept, in bytes; 10⁶ points take about 16 MB.
  public static let longestLine = 32 << 20

  private let handle: FileHandle
  private let name: String

  /// Reads from `handle`; `name` is how errors call it.
  public init(_ handle: FileHandle, name: String) {
    self.handle = handle
    self.name = name
  }

  /// Hands each line to `body` as soon as it is complete.
  ///
  /// - Throws: whatever `body` throws, or the error of reading.
  public func forEach(_ body: (Line) throws -> Void) throws {
    var number = 0
    var pending = Data()
    var tooLong = false

    func finish() throws {
      number += 1
      let place = Place(file: name, line: number)
      try body(Line(place: place, bytes: tooLong ? nil : pending))
      pending = Data()
      tooLong = false
    }
    func keep(_ part: Data) {
      guard !tooLong else { return }
      if pending.count + part.count > Self.longestLine {
        tooLong = true
        pending = Data()
      } else {
        pending.append(part)
      }
    }

    // `availableData` answers with what is there, where `read(upToCount:)` would wait for it all.
    while case var chunk = handle.availableData, !chunk.isEmpty {
      while let end = chunk.firstIndex(of: UInt8(ascii: "\n")) {
        keep(chunk[chunk.startIndex..<end])
        try finish()
        chunk = chunk[chunk.index(after: end)...]
      }
      keep(chunk)
    }
    if tooLong || !pending.isEmpty { try finish() }
  }
}
