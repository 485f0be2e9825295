/// A grey picture, row by row from the top; 0 is background and 255 is ink.
public struct Bitmap: Hashable, Sendable {
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The grey values, `[height, width]`: always `width` · `height` of them.
  public private(set) var pixels: [UInt8]

  /// Creates a picture of `pixels`, `[height, width]`.
  ///
  /// - Precondition: there are `width` · `height` pixels.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(
      width >= 0 && height >= 0 && pixels.count == width * height,
      "a bitmap of \(width) × \(height) has not \(pixels.count) pixels")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Creates a picture of one grey value, by default the background.
  ///
  /// - Precondition: `width` and `height` are not negative.
  public init(width: Int, height: Int, filledWith grey: UInt8 = 0) {
    self.init(width: width, height: height, pixels: [UInt8](repeating: grey, count: width * height))
  }

  /// The mirror image, with left and right exchanged.
  public var mirrored: Bitmap {
    var mirrored = pixels
    for row in 0..<height { mirrored[row * width..<(row + 1) * width].reverse() }
    return Bitmap(width: width, height: height, pixels: mirrored)
  }

  /// The grey value in `column` of `row`.
  ///
  /// - Precondition: the picture has this column and this row.
  public subscript(row: Int, column: Int) -> UInt8 {
    get { pixels[row * width + column] }
    set { pixels[row * width + column] = newValue }
  }

  /// The picture with ink and background exchanged.
  public func inverted() -> Bitmap {
    Bitmap(width: width, height: height, pixels: pixels.map { 255 - $0 })
  }

  /// The picture with rows and columns exchanged.
  public func transposed() -> Bitmap {
    let transposed = [UInt8](unsafeUninitializedCapacity: pixels.count) { target, count in
      pixels.withUnsafeBufferPointer { source in
        // In squares, whose rows and columns both stay in the cache.
        let side = 32
        for top in stride(from: 0, to: height, by: side) {
          for left in stride(from: 0, to: width, by: side) {
            for row in top..<min(height, top + side) {
              for column in left..<min(width, left + side) {
                target[column * height + row] = source[row * width + column]
              }
            }
          }
        }
      }
      count = pixels.count
    }
    return Bitmap(width: height, height: width, pixels: transposed)
  }

  /// Returns the picture turned clockwise by quarter turns.
  package func turned(byQuarters quarters: Int) -> Bitmap {
    (0..<(quarters & 3)).reduce(self) { turned, _ in turned.transposed().mirrored }
  }

  /// The picture with ink as bright as `strength`, a share of what it is.
  ///
  /// - Precondition: `strength` is from 0 to 1.
  public func dimmed(to strength: Double) -> Bitmap {
    Bitmap(
      width: width, height: height,
      pixels: pixels.map { UInt8((Double($0) * strength).rounded()) })
  }

  /// Whether most of the picture is light, so that the ink is dark and has to be inverted.
  ///
  /// Where ink and background have about as many pixels, that at the edges is the background.
  public var isDarkOnLight: Bool {
    let share = Double(pixels.count { $0 > 127 }) / Double(pixels.count)
    guard 0.3...0.7 ~= share else { return share > 0.5 }
    let edges =
      (0..<width).flatMap { [self[0, $0], self[height - 1, $0]] }
      + (0..<height).flatMap { [self[$0, 0], self[$0, width - 1]] }
    return edges.count { $0 > 127 } * 2 > edges.count
  }

  /// The picture with light ink on a dark background: itself, or inverted if it ``isDarkOnLight``.
  public var lightOnDark: Bitmap { isDarkOnLight ? inverted() : self }

  /// Whether nothing is on the picture: its pixels differ less than the noise of an empty one.
  public var isBlank: Bool {
    guard let darkest = pixels.min(), let brightest = pixels.max() else { return true }
    return brightest - darkest < Self.minimumContrast
  }

  /// The least difference between ink and background.
  ///
  /// JPEGs of empty paper differ by up to 6 levels.
  private static let minimumContrast: UInt8 = 8

  /// The picture as text, with two characters per pixel and a line per row.
  public var characters: String {
    let ramp = Array(" .:-=+*#%@")
    return (0..<height).map { row in
      (0..<width).map { column in
        let shade = ramp[Int(self[row, column]) * (ramp.count - 1) / 255]
        return "\(shade)\(shade)"
      }.joined()
    }.joined(separator: "\n")
  }
}
