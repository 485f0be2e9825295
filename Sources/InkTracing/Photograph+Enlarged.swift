import InkImageIO

extension Photograph {
  /// The picture with twice as many rows and columns, linear between the pixels.
  var enlarged: Photograph {
    let (rows, columns) = (2 * height, 2 * width)
    var result = [UInt8](repeating: 0, count: rows * columns * channels)
    // A new pixel is a quarter of an old one before or behind the middle of one.
    func neighbours(_ index: Int, _ count: Int) -> (near: Int, far: Int) {
      let near = index / 2
      return (near, min(count - 1, max(0, near + (index % 2 == 0 ? -1 : 1))))
    }
    samples.withUnsafeBufferPointer { old in
      for row in 0..<rows {
        let y = neighbours(row, height)
        for column in 0..<columns {
          let x = neighbours(column, width)
          for channel in 0..<channels {
            func sample(_ row: Int, _ column: Int) -> Int {
              Int(old[(row * width + column) * channels + channel])
            }
            let sum =
              9 * sample(y.near, x.near) + 3 * sample(y.near, x.far)
              + 3 * sample(y.far, x.near) + sample(y.far, x.far)
            result[(row * columns + column) * channels + channel] = UInt8((sum + 8) / 16)
          }
        }
      }
    }
    return Photograph(
      width: columns, height: rows, channels: channels, samples: result, isDamaged: isDamaged)
  }
}
