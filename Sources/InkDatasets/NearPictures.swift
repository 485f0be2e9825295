import InkRaster

/// Finds pictures of one size that are nearly the same.
///
/// The distance of two pictures is the sum of the differences of their pixels. It is at least the
/// difference of the sums of their pixels, for the whole picture or in each square. The pictures
/// are therefore sorted by their sums, and only neighbours are compared: first sixteen squares at
/// once, and then, if these are near, pixel by pixel.
struct NearPictures {
  private let bitmaps: [Bitmap]
  /// The sums of the pixels in each of 4 × 4 squares.
  private let squares: [SIMD16<Int32>]
  private let sums: [Int]

  init(_ bitmaps: [Bitmap]) {
    self.bitmaps = bitmaps
    squares = bitmaps.map { Self.squares(of: $0) }
    sums = squares.map { Int($0.wrappedSum()) }
  }

  /// Returns pairs with a mean difference per pixel of at most `distance`.
  ///
  /// The search ends when there are more than `most`.
  func pairs(
    among indices: [Int], within distance: Double, atMost most: Int,
    progress: (_ compared: Int) -> Void
  ) -> [(Int, Int)] {
    let order = indices.sorted { (sums[$0], $0) < (sums[$1], $1) }
    // In this order in memory, too.
    let (orderedSquares, orderedSums) = (order.map { squares[$0] }, order.map { sums[$0] })
    var pairs: [(Int, Int)] = []
    for (position, first) in order.enumerated() {
      if position % 256 == 0 { progress(position) }
      let reach = Int(distance * Double(bitmaps[first].pixels.count))
      let lastSum = sums[first] + reach
      let firstSquares = orderedSquares[position]
      var other = position + 1
      while other < order.count, orderedSums[other] <= lastSum {
        if Int(Self.distance(firstSquares, orderedSquares[other])) <= reach,
          isNear(first, order[other], within: reach)
        {
          pairs.append((first, order[other]))
          if pairs.count > most { return pairs }
        }
        other += 1
      }
    }
    return pairs.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  @inline(__always)
  private static func distance(_ a: SIMD16<Int32>, _ b: SIMD16<Int32>) -> Int32 {
    let difference = a &- b
    let sign = difference &>> 31
    return ((difference ^ sign) &- sign).wrappedSum()
  }

  private func isNear(_ first: Int, _ second: Int, within reach: Int) -> Bool {
    bitmaps[first].pixels.withUnsafeBufferPointer { a in
      bitmaps[second].pixels.withUnsafeBufferPointer { b in
        var sum = 0
        // A few rows at a time: most pictures differ enough in those.
        for start in stride(from: 0, to: a.count, by: 112) {
          var part: Int32 = 0
          for index in start..<min(start + 112, a.count) {
            part &+= abs(Int32(a[index]) &- Int32(b[index]))
          }
          sum += Int(part)
          if sum > reach { return false }
        }
        return true
      }
    }
  }

  private static func squares(of bitmap: Bitmap) -> SIMD16<Int32> {
    var squares = SIMD16<Int32>.zero
    bitmap.pixels.withUnsafeBufferPointer { pixels in
      for row in 0..<bitmap.height {
        let first = row * 4 / bitmap.height * 4
        for column in 0..<bitmap.width {
          squares[first + column * 4 / bitmap.width] &+=
            Int32(pixels[row * bitmap.width + column])
        }
      }
    }
    return squares
  }
}
