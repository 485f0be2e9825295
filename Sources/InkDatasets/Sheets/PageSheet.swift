import InkImageIO

/// A sheet of pages, each beside its classes as colours over the picture, in sections with titles.
public struct PageSheet: Sendable {
  /// A page.
  public struct Item: Sendable {
    let picture: Photograph
    let mask: SegmentationMask
    let title: String

    /// Creates a page with a title.
    public init(_ picture: Photograph, mask: SegmentationMask, title: String) {
      (self.picture, self.mask, self.title) = (picture, mask, title)
    }
  }

  /// The pages, row by row.
  public var items: [Item]
  /// The classes of all pages.
  public var classes: [SegmentationClass]
  /// The number of pages in a row.
  public var columns: Int
  /// The longest side of a picture on the sheet, in pixels.
  public var side: Int

  private static let gap = 4
  private static let titleHeight = 14
  /// Creates a sheet.
  public init(_ items: [Item], classes: [SegmentationClass], columns: Int = 3, side: Int = 300) {
    (self.items, self.classes, self.columns, self.side) = (items, classes, columns, side)
  }

  /// The width and height of the sheet, in pixels.
  public var size: (width: Int, height: Int) {
    let rows = (items.count + columns - 1) / columns
    return (
      min(columns, items.count) * 2 * (side + Self.gap) + Self.gap,
      rows * (side + Self.titleHeight + Self.gap) + Self.titleHeight + 2 * Self.gap
    )
  }

  /// Renders the sheet on a dark background, with the names of the classes in their colours on top.
  public func render() -> ColorPicture {
    let size = size
    var samples = [UInt8](repeating: 40, count: size.width * size.height * 3)
    func set(_ row: Int, _ column: Int, _ color: ColorPicture.Color) {
      guard row < size.height, column < size.width else { return }
      let start = (row * size.width + column) * 3
      (samples[start], samples[start + 1], samples[start + 2]) = (
        color.red, color.green, color.blue
      )
    }
    func write(_ text: String, row: Int, column: Int, color: ColorPicture.Color) {
      PixelFont.forEachPixel(of: text, zoom: 2) { set(row + $0, column + $1, color) }
    }
    var left = Self.gap
    for one in classes.dropFirst() {
      write(one.name, row: Self.gap, column: left, color: one.color)
      left += (one.name.count + 2) * 2 * PixelFont.advance
    }
    for (index, item) in items.enumerated() {
      let column = Self.gap + index % columns * 2 * (side + Self.gap)
      let row =
        Self.titleHeight + Self.gap + index / columns * (side + Self.titleHeight + Self.gap)
      write(item.title, row: row, column: column, color: .init(220, 220, 220))
      draw(item, row: row + Self.titleHeight, column: column, set)
    }
    return ColorPicture(width: size.width, height: size.height, samples: samples)
  }

  private func draw(
    _ item: Item, row top: Int, column left: Int, _ set: (Int, Int, ColorPicture.Color) -> Void
  ) {
    let (picture, mask) = (item.picture, item.mask)
    let scale = max(1, Double(max(picture.width, picture.height)) / Double(side))
    for row in 0..<Int(Double(picture.height) / scale) {
      for column in 0..<Int(Double(picture.width) / scale) {
        // The mean of the pixels here, and the class that is not the background, if there is one.
        let rows =
          Int(
            Double(row) * scale)..<max(
            Int(Double(row) * scale) + 1, Int(Double(row + 1) * scale))
        let columns =
          Int(
            Double(column) * scale)..<max(
            Int(Double(column) * scale) + 1, Int(Double(column + 1) * scale))
        var (sums, count, found) = ([0, 0, 0], 0, UInt8(0))
        for y in rows {
          for x in columns {
            for channel in 0..<3 {
              let offset = picture.channels == 3 ? channel : 0
              sums[channel] += Int(
                picture.samples[(y * picture.width + x) * picture.channels + offset])
            }
            count += 1
            let one = mask[y * mask.height / picture.height, x * mask.width / picture.width]
            if one != 0, one != SegmentationMask.ignored { found = one }
          }
        }
        let mean = sums.map { Double($0) / Double(count) }
        set(top + row, left + column, .init(UInt8(mean[0]), UInt8(mean[1]), UInt8(mean[2])))
        let shown = ClassOverlay(classes).color(found, over: mean)
        set(top + row, left + side + Self.gap + column, shown)
      }
    }
  }
}
