import InkRaster

/// A sheet of many lines of writing, in sections with titles, each line above its text.
public struct LineSheet: Sendable {
  /// A title and its lines.
  public struct Section: Sendable {
    /// The title above the lines.
    public var title: String
    /// The lines with their texts, row by row.
    public var lines: [(bitmap: Bitmap, text: String)]

    /// Creates a section.
    public init(title: String, lines: [(bitmap: Bitmap, text: String)]) {
      self.title = title
      self.lines = lines
    }
  }

  /// The sections from top to bottom.
  public var sections: [Section]
  /// The number of lines in a row.
  public var columns: Int

  /// The widest part of a line that is shown, in pixels.
  public static let widest = 240
  private static let gap = 6
  private static let titleHeight = 18
  private static let textHeight = 14

  /// Creates a sheet.
  public init(_ sections: [Section], columns: Int = 6) {
    self.sections = sections
    self.columns = columns
  }

  /// Renders the sheet on a dark background.
  public func render() -> Bitmap {
    let bitmaps = sections.flatMap(\.lines).map(\.bitmap)
    let width = min(Self.widest, bitmaps.map(\.width).max() ?? 1) + Self.gap
    let lineHeight = (bitmaps.map(\.height).max() ?? 1) + Self.textHeight + Self.gap
    func rows(_ section: Section) -> Int { (section.lines.count + columns - 1) / columns }
    let height = sections.reduce(Self.gap) { $0 + Self.titleHeight + rows($1) * lineHeight }
    var sheet = Bitmap(width: columns * width + Self.gap, height: height, filledWith: 40)
    var top = Self.gap
    for section in sections {
      PixelFont.draw(section.title, on: &sheet, row: top + 2, column: Self.gap, zoom: 2)
      top += Self.titleHeight
      for (index, line) in section.lines.enumerated() {
        let left = Self.gap + index % columns * width
        let upper = top + index / columns * lineHeight
        for row in 0..<line.bitmap.height {
          for column in 0..<min(Self.widest, line.bitmap.width) {
            sheet[upper + row, left + column] = line.bitmap[row, column]
          }
        }
        let shown = String(line.text.prefix((width - Self.gap) / (2 * PixelFont.advance)))
        PixelFont.draw(
          shown, on: &sheet, row: upper + line.bitmap.height + 2, column: left, zoom: 2)
      }
      top += rows(section) * lineHeight
    }
    return sheet
  }
}
