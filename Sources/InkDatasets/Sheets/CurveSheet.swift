import InkImageIO
import InkSeries

/// A sheet of many series as curves, in sections with titles.
///
/// A cell shows one series over its whole length, each channel in its colour. A channel has the
/// same scale in all cells.
public struct CurveSheet: Sendable {
  /// A title and its series.
  public struct Section: Sendable {
    /// The title above the curves: lower-case letters, digits and some punctuation.
    public var title: String
    /// The series, row by row.
    public var series: [Series]

    /// Creates a section.
    public init(title: String, series: [Series]) {
      self.title = title
      self.series = series
    }
  }

  /// The sections from top to bottom.
  public var sections: [Section]
  /// The number of cells in a row.
  public var columns: Int

  /// The width of a cell, in pixels.
  public static let cellWidth = 150
  /// The height of a cell, in pixels.
  public static let cellHeight = 80

  private static let gap = 6
  private static let titleHeight = 18
  /// The colours of the channels, repeated if there are more.
  private static let colors: [ColorPicture.Color] = [
    .init(90, 180, 255), .init(255, 150, 60), .init(120, 220, 110), .init(250, 110, 140),
    .init(255, 220, 80), .init(190, 140, 255), .init(80, 220, 210), .init(220, 220, 220),
  ]

  /// Creates a sheet.
  public init(_ sections: [Section], columns: Int = 6) {
    self.sections = sections
    self.columns = columns
  }

  /// The names of the channels, in the order of their first occurrence.
  private var channels: [String] {
    var names: [String] = []
    for channel in sections.flatMap(\.series).flatMap(\.channels) where !names.contains(channel) {
      names.append(channel)
    }
    return names
  }

  /// Renders the sheet on a dark background, with the names of the channels at the top.
  public func render() -> ColorPicture {
    let channels = channels
    let scales = scales()
    func rows(_ section: Section) -> Int { (section.series.count + columns - 1) / columns }
    let rowHeight = Self.cellHeight + Self.gap
    let width = columns * (Self.cellWidth + Self.gap) + Self.gap
    // The names of the channels, in as many lines as they need.
    var legend: [(name: String, row: Int, column: Int)] = []
    var (row, column) = (Self.gap, Self.gap)
    for name in channels {
      let nameWidth = (name.count + 2) * PixelFont.advance * 2
      if column > Self.gap, column + nameWidth > width {
        (row, column) = (row + Self.titleHeight, Self.gap)
      }
      legend.append((name, row, column))
      column += nameWidth
    }
    var top = row + Self.titleHeight
    let height = sections.reduce(top + Self.gap) { $0 + Self.titleHeight + rows($1) * rowHeight }
    var sheet = ColorPicture(width: width, height: height, color: .init(40, 40, 40))
    for (index, entry) in legend.enumerated() {
      sheet.write(
        entry.name, row: entry.row, column: entry.column,
        color: Self.colors[index % Self.colors.count])
    }
    for section in sections {
      sheet.write(
        section.title, row: top + 2, column: Self.gap, color: .init(220, 220, 220))
      top += Self.titleHeight
      for (index, series) in section.series.enumerated() {
        let left = Self.gap + index % columns * (Self.cellWidth + Self.gap)
        let upper = top + index / columns * rowHeight
        sheet.fill(
          rows: upper..<upper + Self.cellHeight, columns: left..<left + Self.cellWidth,
          color: .init(12, 12, 12))
        for (channel, name) in series.channels.enumerated() {
          draw(
            series.values(ofChannel: channel), scale: scales[name]!, on: &sheet, row: upper,
            column: left, color: Self.colors[channels.firstIndex(of: name)! % Self.colors.count])
        }
      }
      top += rows(section) * rowHeight
    }
    return sheet
  }

  /// Returns the smallest and greatest value of each channel on the sheet.
  private func scales() -> [String: ClosedRange<Float>] {
    var scales: [String: ClosedRange<Float>] = [:]
    for series in sections.flatMap(\.series) {
      for (channel, name) in series.channels.enumerated() {
        let values = series.values(ofChannel: channel).filter { !$0.isNaN }
        guard let least = values.min(), let greatest = values.max() else {
          scales[name] = scales[name] ?? 0...1
          continue
        }
        let known = scales[name] ?? least...greatest
        scales[name] = min(known.lowerBound, least)...max(known.upperBound, greatest)
      }
    }
    return scales
  }

  /// Draws a curve; each column of pixels shows the range of the values in it, so that peaks of long
  /// series stay visible.
  private func draw(
    _ values: [Float], scale: ClosedRange<Float>, on sheet: inout ColorPicture, row: Int,
    column: Int, color: ColorPicture.Color
  ) {
    let last = values.count - 1
    let extent = Double(scale.upperBound) - Double(scale.lowerBound)
    func height(_ value: Double) -> Int {
      let share = extent > 0 ? (value - Double(scale.lowerBound)) / extent : 0.5
      return row + Self.cellHeight - 3 - Int(share * Double(Self.cellHeight - 6))
    }
    func value(at position: Double) -> Double {
      let step = min(Int(position), last)
      let fraction = position - Double(step)
      guard step < last, fraction > 0 else { return Double(values[step]) }
      return Double(values[step]) + (Double(values[step + 1]) - Double(values[step])) * fraction
    }
    var previous = 0.0
    for x in 0..<Self.cellWidth {
      let position = Double(last) * Double(x) / Double(Self.cellWidth - 1)
      var shown = [value(at: previous), value(at: position)]
      let first = Int(previous) + 1
      if first <= Int(position) { shown += values[first...Int(position)].map(Double.init) }
      previous = position
      let heights = shown.filter { !$0.isNaN }.map(height)
      guard let upper = heights.min(), let lower = heights.max() else { continue }
      sheet.fill(rows: upper..<lower + 1, columns: column + x..<column + x + 1, color: color)
    }
  }
}

extension ColorPicture {
  /// Writes small letters of one colour.
  fileprivate mutating func write(_ text: String, row: Int, column: Int, color: Color) {
    PixelFont.forEachPixel(of: text, zoom: 2) { y, x in
      guard row + y < height, column + x < width else { return }
      fill(rows: row + y..<row + y + 1, columns: column + x..<column + x + 1, color: color)
    }
  }
}
