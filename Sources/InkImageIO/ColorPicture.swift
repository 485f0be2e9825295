/// A picture with 8-bit red, green and blue.
public struct ColorPicture: Hashable, Sendable {
  /// A colour.
  public struct Color: Hashable, Sendable {
    /// The red, from 0 to 255.
    public var red: UInt8
    /// The green, from 0 to 255.
    public var green: UInt8
    /// The blue, from 0 to 255.
    public var blue: UInt8

    /// Creates a colour.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }
  }

  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The samples, `[height, width, 3]`.
  public private(set) var samples: [UInt8]

  /// Creates a picture of one colour.
  public init(width: Int, height: Int, color: Color) {
    self.width = width
    self.height = height
    samples = [UInt8](repeating: 0, count: width * height * 3)
    fill(rows: 0..<height, columns: 0..<width, color: color)
  }

  /// Creates a picture of `samples`, `[height, width, 3]`.
  ///
  /// - Precondition: there are three samples for each pixel.
  public init(width: Int, height: Int, samples: [UInt8]) {
    precondition(samples.count == width * height * 3, "a pixel has three samples")
    (self.width, self.height, self.samples) = (width, height, samples)
  }

  /// The colour of a pixel.
  public subscript(row: Int, column: Int) -> Color {
    let start = (row * width + column) * 3
    return Color(samples[start], samples[start + 1], samples[start + 2])
  }

  /// Fills a rectangle.
  public mutating func fill(rows: Range<Int>, columns: Range<Int>, color: Color) {
    for row in rows {
      for column in columns {
        let start = (row * width + column) * 3
        samples[start] = color.red
        samples[start + 1] = color.green
        samples[start + 2] = color.blue
      }
    }
  }
}
