import InkRaster

/// A sheet of many pictures, in sections with titles, each picture above its text.
public struct ContactSheet: Sendable {
  /// A title and its pictures.
  public struct Section: Sendable {
    /// The title above the pictures: lower-case letters, digits and some punctuation.
    public var title: String
    /// The pictures with the texts below them, row by row.
    public var pictures: [(bitmap: Bitmap, text: String)]

    /// Creates a section.
    public init(title: String, pictures: [(bitmap: Bitmap, text: String)]) {
      self.title = title
      self.pictures = pictures
    }

    /// Creates a section of pictures without texts.
    public init(title: String, bitmaps: [Bitmap]) {
      self.init(title: title, pictures: bitmaps.map { ($0, "") })
    }
  }

  /// The sections from top to bottom.
  public var sections: [Section]
  /// The number of pictures in a row; no more than the section with most of them has.
  public var columns: Int
  /// The scale of the pictures on the sheet.
  public var zoom: Int

  /// The columns of a picture that are shown.
  public var shownWidth: Int

  /// The scale of pictures where none is given.
  public static let standardZoom = 2
  /// The columns of a line of writing that are shown.
  public static let lineWidth = 240
  private static let gap = 4
  private static let titleHeight = 18
  private static let textHeight = 14

  /// Creates a sheet.
  public init(
    _ sections: [Section], columns: Int = 16, zoom: Int = standardZoom,
    shownWidth: Int = .max
  ) {
    self.sections = sections
    self.columns = max(1, min(columns, sections.map(\.pictures.count).max() ?? 1))
    self.zoom = zoom
    self.shownWidth = shownWidth
  }

  /// Creates a sheet of lines of writing, whose ends are cut off.
  public init(lines sections: [Section], columns: Int = 6) {
    self.init(sections, columns: columns, zoom: 1, shownWidth: Self.lineWidth)
  }

  /// Renders the sheet on a dark background.
  public func render() -> Bitmap {
    let pictures = sections.flatMap(\.pictures)
    let shown = min(shownWidth, pictures.map(\.bitmap.width).max() ?? 28)
    let width = zoom * shown + Self.gap
    let textHeight = pictures.allSatisfy(\.text.isEmpty) ? 0 : Self.textHeight
    let rowHeight = zoom * (pictures.map(\.bitmap.height).max() ?? 28) + textHeight + Self.gap
    func rows(_ section: Section) -> Int { (section.pictures.count + columns - 1) / columns }
    let height = sections.reduce(Self.gap) { $0 + Self.titleHeight + rows($1) * rowHeight }
    var sheet = Bitmap(width: columns * width + Self.gap, height: height, filledWith: 40)

    var top = Self.gap
    for section in sections {
      PixelFont.draw(section.title, on: &sheet, row: top + 2, column: Self.gap, zoom: 2)
      top += Self.titleHeight
      for (index, picture) in section.pictures.enumerated() {
        let left = Self.gap + index % columns * width
        let upper = top + index / columns * rowHeight
        let bitmap = picture.bitmap
        for row in 0..<bitmap.height * zoom {
          for column in 0..<min(shown, bitmap.width) * zoom {
            sheet[upper + row, left + column] = bitmap[row / zoom, column / zoom]
          }
        }
        let text = picture.text.prefix((width - Self.gap) / (2 * PixelFont.advance))
        PixelFont.draw(
          String(text), on: &sheet, row: upper + bitmap.height * zoom + 2, column: left, zoom: 2)
      }
      top += rows(section) * rowHeight
    }
    return sheet
  }
}

/// Letters of 3 × 5 pixels for the titles of contact sheets.
enum PixelFont {
  /// Five rows of three pixels each, one octal digit a row.
  private static let glyphs: [Character: Int] = [
    "a": 0o25755, "b": 0o65656, "c": 0o34443, "d": 0o65556, "e": 0o74647, "f": 0o74644,
    "g": 0o34553, "h": 0o55755, "i": 0o72227, "j": 0o11152, "k": 0o55655, "l": 0o44447,
    "m": 0o57755, "n": 0o65555, "o": 0o25552, "p": 0o65644, "q": 0o25563, "r": 0o65655,
    "s": 0o34216, "t": 0o72222, "u": 0o55557, "v": 0o55552, "w": 0o55775, "x": 0o55255,
    "y": 0o55222, "z": 0o71247, "0": 0o75557, "1": 0o26227, "2": 0o61247, "3": 0o71317,
    "4": 0o55711, "5": 0o74616, "6": 0o34757, "7": 0o71222, "8": 0o75757, "9": 0o75716,
    ".": 0o00002, ",": 0o00024, ":": 0o02020, "-": 0o00700, "_": 0o00007, "%": 0o51245,
    "'": 0o22000, "ε": 0o34343, "λ": 0o42255, "(": 0o24442, ")": 0o21112, "/": 0o11244,
    ">": 0o42124, "=": 0o07070, "+": 0o02720,
  ]

  /// The columns from one letter to the next.
  static let advance = 4

  static func draw(_ text: String, on bitmap: inout Bitmap, row: Int, column: Int, zoom: Int) {
    forEachPixel(of: text, zoom: zoom) { y, x in
      if row + y < bitmap.height, column + x < bitmap.width { bitmap[row + y, column + x] = 220 }
    }
  }

  /// Calls `body` with the row and column of each pixel of a text.
  static func forEachPixel(
    of text: String, zoom: Int, _ body: (_ row: Int, _ column: Int) -> Void
  ) {
    for (index, character) in text.lowercased().enumerated() {
      guard let glyph = glyphs[character] else { continue }
      for y in 0..<5 * zoom {
        for x in 0..<3 * zoom
        where glyph >> (3 * (4 - y / zoom) + 2 - x / zoom) & 1 == 1 {
          body(y, index * advance * zoom + x)
        }
      }
    }
  }
}
