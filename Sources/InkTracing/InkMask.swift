import Ink
import ParallelLoops

/// The pixels of a picture that are ink.
///
/// The outermost rows and columns are never ink, so that every pixel of ink has eight neighbours.
struct InkMask {
  let width: Int
  let height: Int
  /// 1 where there is ink, `[height, width]`.
  var pixels: [UInt8]

  /// The side of the squares in which the level of the ink is estimated, in pixels.
  private static let tileSide = 32
  /// The least contrast that can be ink, in 255ths.
  static let minimumContrast = 20.0
  /// The share of the level of the ink from which a pixel is ink.
  private static let share = 0.36
  /// The share of ink around a pixel from which it is ink too, so that scribbled areas are filled.
  private static let solidShare = 0.85

  /// Finds the pixels of `picture` that are about as dark as the ink around them.
  init(_ picture: EvenedPicture, loop: ParallelLoop) {
    let (width, height) = (picture.width, picture.height)
    (self.width, self.height) = (width, height)
    let levels = Self.thresholds(picture)
    // How much of a pixel is ink, in 255ths.
    var shares = [UInt8](repeating: 0, count: width * height)
    pixels = [UInt8](repeating: 0, count: width * height)
    pixels.withUnsafeMutableBufferPointer { pixels in
      // Each task writes the pixels and shares of its row, and nobody the ink.
      nonisolated(unsafe) let pixels = pixels
      shares.withUnsafeMutableBufferPointer { shares in
        nonisolated(unsafe) let shares = shares
        picture.ink.withUnsafeBufferPointer { ink in
          nonisolated(unsafe) let ink = ink
          loop.run(height) { row, _ in
            let isInside = row > 0 && row < height - 1
            levels.withRow(row, side: Self.tileSide, width: width) { level in
              for column in 0..<width {
                let index = row * width + column
                let (value, level) = (ink[index], level[column])
                pixels[index] = isInside && value > level ? 1 : 0
                shares[index] = UInt8(min(255, Int(value) * 255 / max(1, Int(level))))
              }
            }
            pixels[row * width] = 0
            pixels[row * width + width - 1] = 0
          }
        }
      }
    }
    fillSolid(shares, radius: max(2, Int((1.2 * meanWidth).rounded())), loop: loop)
  }

  /// The mean width of the ink, in pixels, from its area and the length of its edges.
  var meanWidth: Double {
    var (area, edges) = (0, 0)
    pixels.withUnsafeBufferPointer { pixels in
      for index in width..<pixels.count - width where pixels[index] != 0 {
        area += 1
        edges += 4 - Int(pixels[index - 1] + pixels[index + 1])
        edges -= Int(pixels[index - width] + pixels[index + width])
      }
    }
    // The mean number of pixel edges beside a line of length 1, over all angles, is 8/π.
    return edges > 0 ? max(1, 8 / Double.pi * Double(area) / Double(edges)) : 1
  }

  /// Adds pixels around which most is ink.
  private mutating func fillSolid(_ shares: [UInt8], radius: Int, loop: ParallelLoop) {
    let (width, height) = (width, height)
    let side = 2 * radius + 1
    let least = Int(Self.solidShare * 255 * Double(side * side))
    let bandHeight = 64
    let bands = (height + bandHeight - 1) / bandHeight
    pixels.withUnsafeMutableBufferPointer { pixels in
      // Each task writes the pixels of its band, and nobody the shares.
      nonisolated(unsafe) let pixels = pixels
      shares.withUnsafeBufferPointer { shares in
        nonisolated(unsafe) let shares = shares
        loop.run(bands) { band, _ in
          withUnsafeTemporaryAllocation(of: Int32.self, capacity: width) { sums in
            sums.initialize(repeating: 0)
            let first = max(radius, band * bandHeight)
            let last = min(height - radius - 1, (band + 1) * bandHeight - 1)
            guard first <= last, side <= width else { return }
            for row in first - radius..<first + radius {
              for column in 0..<width { sums[column] += Int32(shares[row * width + column]) }
            }
            for row in first...last {
              let (new, old) = ((row + radius) * width, (row - radius - 1) * width)
              for column in 0..<width { sums[column] += Int32(shares[new + column]) }
              if row > first {
                for column in 0..<width { sums[column] -= Int32(shares[old + column]) }
              }
              var sum = 0
              for column in 0..<side - 1 { sum += Int(sums[column]) }
              for column in radius..<width - radius {
                sum += Int(sums[column + radius])
                if sum > least { pixels[row * width + column] = 1 }
                sum -= Int(sums[column - radius])
              }
            }
          }
        }
      }
    }
  }

  /// Returns the contrast from which a pixel is ink, for each tile.
  private static func thresholds(_ picture: EvenedPicture) -> Blocks {
    let (width, height) = (picture.width, picture.height)
    let across = (width + tileSide - 1) / tileSide
    let down = (height + tileSide - 1) / tileSide
    let floor = UInt8(min(250, max(minimumContrast, 5 * picture.noise)))
    var levels = [UInt8](repeating: 0, count: across * down)
    var counts = [Int](repeating: 0, count: 256)
    picture.ink.withUnsafeBufferPointer { ink in
      for tileY in 0..<down {
        for tileX in 0..<across {
          for value in 0..<256 { counts[value] = 0 }
          var total = 0
          for row in tileY * tileSide..<min(height, (tileY + 1) * tileSide) {
            for column in tileX * tileSide..<min(width, (tileX + 1) * tileSide) {
              let value = ink[row * width + column]
              guard value > floor else { continue }
              counts[Int(value)] += 1
              total += 1
            }
          }
          guard total >= tileSide / 2 else { continue }
          levels[tileY * across + tileX] = UInt8(counts.value(atRank: total - 1 - total / 8)!)
        }
      }
    }
    let usual = levels.filter { $0 > 0 }.median() ?? floor
    var blocks = Blocks(
      width: across, height: down,
      values: levels.map { level in
        level == 0 ? usual : min(max(level, usual / 2), UInt8(min(255, Int(usual) * 3 / 2)))
      })
    blocks.smooth()
    blocks.values = blocks.values.map { max(floor, UInt8(Double($0) * share)) }
    return blocks
  }
}
