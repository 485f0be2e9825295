extension InkMask {
  /// The distance of each pixel of ink to the paper, in thirds of a pixel (chamfer 3-4).
  func distances() -> [UInt8] {
    var distances = [UInt8](repeating: 0, count: width * height)
    distances.withUnsafeMutableBufferPointer { d in
      pixels.withUnsafeBufferPointer { pixels in
        for row in 1..<height - 1 {
          for index in row * width + 1..<row * width + width - 1 where pixels[index] != 0 {
            let straight = min(d[index - 1], d[index - width])
            let oblique = min(d[index - width - 1], d[index - width + 1])
            d[index] = min(min(straight, 251) + 3, min(oblique, 251) + 4)
          }
        }
        for row in (1..<height - 1).reversed() {
          for index in (row * width + 1..<row * width + width - 1).reversed()
          where pixels[index] != 0 {
            let straight = min(d[index + 1], d[index + width])
            let oblique = min(d[index + width - 1], d[index + width + 1])
            d[index] = min(d[index], min(min(straight, 251) + 3, min(oblique, 251) + 4))
          }
        }
      }
    }
    return distances
  }

  /// Thins the ink to lines of one pixel that are connected as it was (Guo and Hall, 1989).
  mutating func thin() {
    var active: [Int32] = []
    for index in pixels.indices where pixels[index] != 0 { active.append(Int32(index)) }
    let (width, table) = (width, Self.thinningTable)
    pixels.withUnsafeMutableBufferPointer { pixels in
      var removed: [Int32] = []
      var hasChanged = true
      while hasChanged {
        hasChanged = false
        for pass in 0..<2 as Range<UInt8> {
          removed.removeAll(keepingCapacity: true)
          var kept = 0
          for position in active.indices {
            let index = active[position]
            let code = Self.neighbours(of: Int(index), in: pixels, width: width)
            if table[code] >> pass & 1 != 0 {
              removed.append(index)
            } else {
              active[kept] = index
              kept += 1
            }
          }
          active.removeLast(active.count - kept)
          for index in removed { pixels[Int(index)] = 0 }
          hasChanged = hasChanged || !removed.isEmpty
        }
      }
      // Corners of stairs.
      for index in active {
        let code = Self.neighbours(of: Int(index), in: pixels, width: width)
        if table[code] & 4 != 0 { pixels[Int(index)] = 0 }
      }
    }
  }

  /// Returns the steps from a pixel to its eight neighbours, clockwise from the one above.
  static func steps(width: Int) -> [Int] {
    [-width, -width + 1, 1, width + 1, width, width - 1, -1, -width - 1]
  }

  /// Returns the eight neighbours as bits, clockwise from the one above.
  @inline(__always)
  static func neighbours(
    of index: Int, in pixels: UnsafeMutableBufferPointer<UInt8>, width: Int
  ) -> Int {
    let above = Int(pixels[index - width]) | Int(pixels[index - width + 1]) << 1
    let right = Int(pixels[index + 1]) << 2 | Int(pixels[index + width + 1]) << 3
    let below = Int(pixels[index + width]) << 4 | Int(pixels[index + width - 1]) << 5
    let left = Int(pixels[index - 1]) << 6 | Int(pixels[index - width - 1]) << 7
    return above | right | below | left
  }

  /// For the neighbours of a pixel: bits 0 and 1 if the passes of thinning remove it; bit 2 if it is
  /// not needed to connect them.
  private static let thinningTable: [UInt8] = (0..<256).map { code in
    let p = (0..<8).map { code >> $0 & 1 }
    let (n, ne, e, se, s, sw, w, nw) = (p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7])
    let parts =
      ((1 - n) & (ne | e)) + ((1 - e) & (se | s)) + ((1 - s) & (sw | w)) + ((1 - w) & (nw | n))
    let neighbours = min(
      (nw | n) + (ne | e) + (se | s) + (sw | w), (n | ne) + (e | se) + (s | sw) + (w | nw))
    guard parts == 1 else { return 0 }
    var bits: UInt8 = p.reduce(0, +) >= 2 ? 4 : 0
    guard (2...3).contains(neighbours) else { return bits }
    if (s | sw | (1 - nw)) & w == 0 { bits |= 1 }
    if (n | ne | (1 - se)) & e == 0 { bits |= 2 }
    return bits
  }
}
