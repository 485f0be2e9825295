import Ink
import InkImageIO

extension TracedDrawing {
  /// Returns the picture, pale and in grey, with the strokes in colours over it.
  package func overlay(on photograph: Photograph) -> ColorPicture {
    var picture = ColorPicture(
      width: photograph.width, height: photograph.height, color: .init(255, 255, 255))
    for row in 0..<photograph.height {
      for column in 0..<photograph.width {
        let start = (row * photograph.width + column) * photograph.channels
        let last = start + photograph.channels - 1
        let sum = photograph.samples[start...last].reduce(0) { $0 + Int($1) }
        let pale = UInt8(127 + sum / photograph.channels / 2)
        picture.fill(
          rows: row..<row + 1, columns: column..<column + 1, color: .init(pale, pale, pale))
      }
    }
    for (index, stroke) in drawing.strokes.enumerated() {
      let color = Self.colors[index % Self.colors.count]
      for point in stroke.resampled(spacing: 0.7).points {
        let (row, column) = (Int(point.y), Int(point.x))
        guard (0..<height).contains(row), (0..<width).contains(column) else { continue }
        picture.fill(
          rows: row..<min(height, row + 2), columns: column..<min(width, column + 2),
          color: color)
      }
    }
    return picture
  }

  private static let colors: [ColorPicture.Color] = [
    .init(220, 30, 30), .init(20, 130, 30), .init(40, 60, 230), .init(210, 110, 0),
    .init(170, 20, 190), .init(0, 140, 160), .init(120, 80, 20), .init(230, 40, 130),
  ]
}
