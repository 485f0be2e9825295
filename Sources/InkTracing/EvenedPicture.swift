import Ink
import InkImageIO
import ParallelLoops

/// A photograph in even light, made smaller for tracing: how much darker each pixel is than the paper.
struct EvenedPicture {
  /// The number of columns.
  let width: Int
  /// The number of rows.
  let height: Int
  /// The width and height of a pixel in pixels of the photograph.
  let reduction: Int
  /// Whether the ink is lighter than what it is on, as chalk is.
  let isLightOnDark: Bool
  /// The brightness in 0…255, `[height, width]`, inverted where the ink is light.
  let brightness: [UInt8]
  /// The contrast with the paper in 255ths of its brightness, `[height, width]`.
  var ink: [UInt8]
  /// The deviation of the contrast where there is no ink.
  let noise: Double

  /// The side of the squares whose brightness is that of the paper, in pixels.
  private static let blockSide = 8
  /// The number of squares to either side that ink may fill.
  private static let closing = 2
  /// Contrast is relative to a paper that is at least so bright.
  private static let darkestPaper = 64

  /// Evens `photograph`, with `reduction` of its pixels in a row averaged.
  init(_ photograph: Photograph, reduction: Int, loop: ParallelLoop) {
    self.reduction = reduction
    width = photograph.width / reduction
    height = photograph.height / reduction
    isLightOnDark = Self.isLightOnDark(photograph, step: reduction, loop: loop)
    let brightness = Self.brightness(
      photograph, reduction: reduction, isLightOnDark: isLightOnDark, loop: loop)
    self.brightness = brightness
    let paper = Self.paper(of: brightness, width: width, height: height, loop: loop)
    ink = Self.contrast(of: brightness, width: width, height: height, paper: paper, loop: loop)
    noise = Self.noise(of: ink, width: width)
  }

  /// Whether the pixels that stand out from their surroundings are light.
  private static func isLightOnDark(
    _ photograph: Photograph, step: Int, loop: ParallelLoop
  ) -> Bool {
    let side = blockSide * step * 2
    let blocksAcross = max(1, photograph.width / side)
    let blocksDown = max(1, photograph.height / side)
    let (skipX, skipY) = (max(1, blocksAcross / 64), max(1, blocksDown / 64))
    let blockRows = Array(stride(from: 0, to: blocksDown, by: skipY))
    /// How much more the light pixels of a row of blocks stand out than the dark ones.
    let lightness = loop.map(blockRows.count) { number, _ in
      let top = blockRows[number] * side
      var ofRow = 0
      for block in stride(from: 0, to: blocksAcross, by: skipX) {
        var counts = [Int](repeating: 0, count: 256)
        var total = 0
        for row in stride(from: top, to: min(photograph.height, top + side), by: step) {
          for column in stride(
            from: block * side, to: min(photograph.width, (block + 1) * side), by: step)
          {
            let start = (row * photograph.width + column) * photograph.channels
            let value =
              photograph.channels == 1
              ? Int(photograph.samples[start])
              : luma(
                Int(photograph.samples[start]), Int(photograph.samples[start + 1]),
                Int(photograph.samples[start + 2]))
            counts[value] += 1
            total += 1
          }
        }
        guard total > 8 else { continue }
        let dark = counts.value(atRank: total / 50)!
        let light = counts.value(atRank: total - 1 - total / 50)!
        ofRow += light + dark - 2 * counts.value(atRank: total / 2)!
      }
      return ofRow
    }
    return lightness.reduce(0, +) > 0
  }

  private static func luma(_ red: Int, _ green: Int, _ blue: Int) -> Int {
    (77 * red + 150 * green + 29 * blue) >> 8
  }

  /// Returns the brightness: half luma, half the channel in which coloured ink is darkest.
  private static func brightness(
    _ photograph: Photograph, reduction: Int, isLightOnDark: Bool, loop: ParallelLoop
  ) -> [UInt8] {
    let (width, height) = (photograph.width / reduction, photograph.height / reduction)
    let (stride, channels) = (photograph.width * photograph.channels, photograph.channels)
    let area = reduction * reduction
    return [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
      // Each task writes its row, and nobody the source.
      nonisolated(unsafe) let target = target
      photograph.samples.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let source = source
        loop.run(height) { row, _ in
          for column in 0..<width {
            var (red, green, blue) = (0, 0, 0)
            for y in row * reduction..<(row + 1) * reduction {
              var index = y * stride + column * reduction * channels
              for _ in 0..<reduction {
                red += Int(source[index])
                if channels == 3 {
                  green += Int(source[index + 1])
                  blue += Int(source[index + 2])
                }
                index += channels
              }
            }
            var value = red
            if channels == 3 {
              let extreme =
                isLightOnDark ? max(red, max(green, blue)) : min(red, min(green, blue))
              value = (luma(red, green, blue) + extreme) / 2
            }
            value /= area
            target[row * width + column] = UInt8(isLightOnDark ? 255 - value : value)
          }
        }
      }
      count = width * height
    }
  }

  /// Returns the brightness of the paper in each square of `blockSide`.
  private static func paper(
    of brightness: [UInt8], width: Int, height: Int, loop: ParallelLoop
  ) -> Blocks {
    let across = (width + blockSide - 1) / blockSide
    let down = (height + blockSide - 1) / blockSide
    let rows = brightness.withUnsafeBufferPointer { source in
      // Nobody writes it.
      nonisolated(unsafe) let source = source
      return loop.map(down) { blockY, _ in
        (0..<across).map { blockX -> UInt8 in
          var counts = [Int](repeating: 0, count: 256)
          var total = 0
          for row in blockY * blockSide..<min(height, (blockY + 1) * blockSide) {
            for column in blockX * blockSide..<min(width, (blockX + 1) * blockSide) {
              counts[Int(source[row * width + column])] += 1
              total += 1
            }
          }
          // A quarter of the pixels are brighter.
          return UInt8(counts.value(atRank: total - 1 - total / 4)!)
        }
      }
    }
    var blocks = Blocks(width: across, height: down, values: rows.flatMap { $0 })
    blocks.spread(radius: closing, by: max)
    blocks.spread(radius: closing, by: min)
    blocks.smooth()
    return blocks
  }

  private static func contrast(
    of brightness: [UInt8], width: Int, height: Int, paper: Blocks, loop: ParallelLoop
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
      // Each task writes its row, and nobody the source.
      nonisolated(unsafe) let target = target
      brightness.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let source = source
        loop.run(height) { row, _ in
          paper.withRow(row, side: blockSide, width: width) { light in
            for column in 0..<width {
              let paper = Int(light[column])
              let value = (paper - Int(source[row * width + column])) * 255
              target[row * width + column] = UInt8(
                max(0, min(255, value / max(darkestPaper, paper))))
            }
          }
        }
      }
      count = width * height
    }
  }

  /// Estimates the deviation of the noise from differences of neighbours in a row.
  private static func noise(of ink: [UInt8], width: Int) -> Double {
    let step = max(1, ink.count >> 16) | 1
    var counts = [Int](repeating: 0, count: 256)
    var total = 0
    for index in stride(from: 0, to: ink.count - 1, by: step) where (index + 1) % width != 0 {
      // Where the paper is brighter than estimated, the contrast is cut off.
      guard ink[index] > 0 || ink[index + 1] > 0 else { continue }
      counts[abs(Int(ink[index + 1]) - Int(ink[index]))] += 1
      total += 1
    }
    var left = total / 2
    for (difference, count) in counts.enumerated() {
      // Half of the differences of normal noise are below 0.674 √2 deviations.
      if count > left { return (Double(difference) + Double(left) / Double(count)) / 0.954 }
      left -= count
    }
    return 0
  }

  /// Returns the usual brightness along a line, from 0 for black to 255.
  func grey(along points: [Vector]) -> UInt8 {
    let value = median(of: brightness, along: points)
    return isLightOnDark && !points.isEmpty ? 255 - value : value
  }

  /// Returns the usual contrast along a line.
  func contrast(along points: [Vector]) -> UInt8 { median(of: ink, along: points) }

  private func median(of values: [UInt8], along points: [Vector]) -> UInt8 {
    points.map { point in
      let column = max(0, min(width - 1, Int(point.x)))
      let row = max(0, min(height - 1, Int(point.y)))
      return values[row * width + column]
    }.median() ?? 0
  }

  /// Whether a line follows the edge of something dark, such as a shadow, and not ink: on one side of
  /// it, it is as dark as on it.
  func isEdge(along line: TracedLine) -> Bool {
    let points = line.points
    // Beside a short line, there often is another.
    guard Double(points.count) > 15 * line.width else { return false }
    let reach = 0.8 * line.width + 2.5
    var (samples, edges) = (0, 0)
    for index in stride(from: 2, to: points.count - 2, by: max(1, points.count / 40)) {
      let (before, after) = (points[index - 2], points[index + 2])
      let length = before.distance(to: after)
      guard length > 0 else { continue }
      let (x, y) = ((before.y - after.y) / length, (after.x - before.x) / length)
      func value(_ offset: Double) -> Int? {
        let column = Int(points[index].x + x * offset)
        let row = Int(points[index].y + y * offset)
        guard (0..<width).contains(column), (0..<height).contains(row) else { return nil }
        return Int(brightness[row * width + column])
      }
      guard let here = value(0), let left = value(-reach), let right = value(reach) else {
        continue
      }
      samples += 1
      let (more, less) = (max(left, right) - here, min(left, right) - here)
      if less * 5 < more { edges += 1 }
    }
    return samples >= 4 && edges * 10 > samples * 7
  }
}
