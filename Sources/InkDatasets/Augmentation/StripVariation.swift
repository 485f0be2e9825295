import Foundation
import Ink
import InkRaster
import SeededRandom

extension Augmentation {
  /// Returns a random variation of `strip`, a line of writing that was cut from a picture.
  ///
  /// The ink is sloped, slanted, stretched, bent, made thinner or thicker and blurred. Remains of
  /// neighbours and lines of the paper are added, and the light is made uneven.
  public func vary(strip: Bitmap, using generator: inout SeededGenerator) -> Bitmap {
    guard let levels = StripLevels(strip) else { return strip }
    var ink = warped(StripPixels(strip, levels), using: &generator)
    let unit = Float(ink.height) / 48
    // Thin lines would vanish before thick ones become too thick.
    let change = Float(generator.uniform(-boldness / 2...boldness))
    if change != 0 { ink.thicken(by: change * max(1, unit)) }
    if remains > 0, generator.chance(remains) { addRemains(to: &ink, using: &generator) }
    if paper > 0, generator.chance(paper) { addPaper(to: &ink, using: &generator) }
    if blur > 0 { ink.blur(Float(generator.uniform(0...blur)) * unit) }
    return developed(ink, levels, using: &generator)
  }

  /// Slope, slant, stretch and elastic distortion.
  private func warped(
    _ strip: StripPixels, using generator: inout SeededGenerator
  ) -> StripPixels {
    let slope = tan(generator.uniform(-rotation...rotation))
    let slant = generator.uniform(-shear...shear)
    let longest = 1 + stretch
    let scale = exp(generator.uniform(-log(longest)...log(longest)))
    let (width, height) = (Double(strip.width), Double(strip.height))
    let extra = min(height, abs(slope) * width * scale)
    let columns = Int((width * scale + abs(slant) * height).rounded(.up))
    let rows = Int((height + extra).rounded(.up))
    let waves = (0..<2).map { _ in
      (
        x: warp * height * generator.normal(), y: warp * height * generator.normal(),
        frequency: generator.uniform(0.1...0.6) * 2 * .pi / height,
        phase: generator.uniform(0...(2 * .pi))
      )
    }
    // The place in the strip of each column at the middle row.
    var places: [(x: Float, y: Float)] = []
    places.reserveCapacity(columns)
    for column in 0..<columns {
      let along = Double(column) + 0.5 - Double(columns) / 2
      var (x, y) = (along / scale, -slope * along)
      for wave in waves where warp > 0 {
        let value = sin(wave.frequency * x + wave.phase)
        x += wave.x * value
        y += wave.y * value
      }
      places.append((Float(x + width / 2 - 0.5), Float(y + height / 2 - 0.5)))
    }
    return strip.sampled(
      columns: columns, rows: rows, places: places, slant: Float(slant / scale))
  }

  private func addRemains(to ink: inout StripPixels, using generator: inout SeededGenerator) {
    let (width, height) = (Double(ink.width), Double(ink.height))
    // The writing fills most of the strip, so what is left of its neighbours is at the border.
    let inset = 0.25 * height
    var inside = Bounds(around: Point(inset, inset))
    inside.maxX = max(inset, width - inset)
    inside.maxY = height - inset
    let pen = Float(generator.uniform(0.03...0.09) * height)
    let strength = Float(generator.uniform(0.6...1))
    for _ in 0...generator.index(below: 2) {
      let stroke = Remain(size: 0.7 * height, using: &generator)
        .stroke(around: inside, using: &generator)
      for (a, b) in zip(stroke.points, stroke.points.dropFirst()) {
        ink.draw(
          from: (Float(a.x), Float(a.y)), to: (Float(b.x), Float(b.y)), pen: pen,
          strength: strength)
      }
    }
  }

  /// Adds ruled lines or a grid behind the ink.
  private func addPaper(to ink: inout StripPixels, using generator: inout SeededGenerator) {
    let distance = Float(ink.height) * Float(generator.uniform(0.2...0.9))
    let slope = Float(generator.normal() * 0.01)
    let strength = Float(generator.uniform(0.08...0.45))
    let pen = max(1, Float(ink.height) / 48) * Float(generator.uniform(0.7...1.4))
    let offsets = (x: Float(generator.uniform()), y: Float(generator.uniform()))
    let isGrid = generator.chance(0.5)
    for row in stride(
      from: distance * (offsets.y - 1), to: Float(ink.height) + distance, by: distance)
    {
      ink.drawRule(at: row, slope: slope, pen: pen, strength: strength)
    }
    guard isGrid else { return }
    for column in stride(from: distance * offsets.x, to: Float(ink.width), by: distance) {
      ink.draw(
        from: (column, 0), to: (column - slope * Float(ink.height), Float(ink.height)), pen: pen,
        strength: strength)
    }
  }

  /// Returns the grey values, in uneven light and with noise, and inverted or not.
  private func developed(
    _ ink: StripPixels, _ levels: StripLevels, using generator: inout SeededGenerator
  ) -> Bitmap {
    let contrast = (1 - Float(light * generator.uniform())) * (levels.ink - levels.paper)
    let uneven = Float(light) * abs(contrast)
    let slopeX = uneven * Float(generator.uniform(-1...1)) / Float(ink.width)
    let slopeY = uneven * Float(generator.uniform(-1...1)) / Float(ink.height)
    let grain = Float(noise * generator.uniform()) * abs(contrast)
    let isInverted = inversion > 0 && generator.chance(inversion)
    let mask: UInt8 = isInverted ? 255 : 0
    var pixels = [UInt8](repeating: 0, count: ink.width * ink.height)
    for row in 0..<ink.height {
      let start = Int(generator.next() & UInt64(Grain.count - 1))
      let level = levels.paper + slopeY * (Float(row) - Float(ink.height) / 2)
      ink.values.withUnsafeBufferPointer { shares in
        Grain.values.withUnsafeBufferPointer { grains in
          pixels.withUnsafeMutableBufferPointer { pixels in
            let row = row * ink.width
            for column in 0..<ink.width {
              let grey =
                level + slopeX * (Float(column) - Float(ink.width) / 2)
                + contrast * shares[row + column]
                + grain * grains[(start + column) & (Grain.count - 1)]
              pixels[row + column] = UInt8(min(255, max(0, grey + 0.5))) ^ mask
            }
          }
        }
      }
    }
    return Bitmap(width: ink.width, height: ink.height, pixels: pixels)
  }
}

/// Random numbers of a normal distribution, which are used again and again as the noise of pixels.
private enum Grain {
  static let count = 1 << 12
  static let values: [Float] = {
    var generator = SeededGenerator(seed: 0x6a11)
    return (0..<count).map { _ in Float(generator.normal()) }
  }()
}

/// The grey values of paper and ink on a strip.
struct StripLevels {
  let paper: Float
  let ink: Float

  /// Finds the levels, or returns `nil` if nothing stands out.
  init?(_ strip: Bitmap) {
    var counts = [Int](repeating: 0, count: 256)
    strip.pixels.withUnsafeBufferPointer { pixels in
      for pixel in pixels { counts[Int(pixel)] += 1 }
    }
    func level(_ share: Double) -> Float {
      var rest = Int(Double(strip.pixels.count) * share)
      for (level, count) in counts.enumerated() {
        rest -= count
        if rest < 0 { return Float(level) }
      }
      return 255
    }
    // More of a strip is paper than ink.
    let (dark, middle, light) = (level(0.02), level(0.5), level(0.98))
    paper = middle
    ink = middle - dark > light - middle ? dark : light
    guard abs(ink - paper) >= 8 else { return nil }
  }
}
