import InkImageIO
import InkRaster

/// Shows the classes of cells as colours over a picture, which becomes pale where there is only background.
public struct ClassOverlay: Sendable {
  private let classes: [SegmentationClass]

  /// How much of the classes' colours covers the picture.
  private static let cover = 0.7

  /// Creates an overlay in the colours of `classes`.
  public init(_ classes: [SegmentationClass]) { self.classes = classes }

  /// The colour of a place of class number `index` whose red, green and blue are `samples`.
  func color(_ index: UInt8, over samples: [Double]) -> ColorPicture.Color {
    // Where no class is known, the picture stays pale as well.
    guard index != 0, Int(index) < classes.count else {
      let pale = samples.map { UInt8(128 + $0 / 2) }
      return .init(pale[0], pale[1], pale[2])
    }
    let color = classes[Int(index)].color
    let mixed = zip(samples, [color.red, color.green, color.blue].map(Double.init)).map {
      UInt8($0 + ($1 - $0) * Self.cover)
    }
    return .init(mixed[0], mixed[1], mixed[2])
  }

  /// The picture with the classes of `mask` over it, which can have larger cells.
  public func picture(of mask: SegmentationMask, over picture: Bitmap) -> ColorPicture {
    // A grey value has one colour for each class.
    let shades = (0...UInt8.max).map { index in
      (0...UInt8.max).map { grey in
        color(index, over: [Double](repeating: Double(grey), count: 3))
      }
    }
    let columns = (0..<picture.width).map { $0 * mask.width / picture.width }
    var samples = [UInt8](repeating: 0, count: picture.width * picture.height * 3)
    for row in 0..<picture.height {
      let cells = row * mask.height / picture.height
      for column in 0..<picture.width {
        let shade = shades[Int(mask[cells, columns[column]])][Int(picture[row, column])]
        let place = 3 * (row * picture.width + column)
        (samples[place], samples[place + 1], samples[place + 2]) = (
          shade.red, shade.green, shade.blue
        )
      }
    }
    return ColorPicture(width: picture.width, height: picture.height, samples: samples)
  }
}
