/// The mean of each window of planes, which the next dense layer computes with its own weights.
///
/// The network has no such layer. A dense layer after it is a sum of means, and so a sum of the values that are
/// averaged.
struct MeanPooling {
  /// The planes that are averaged.
  let channels: Int
  let height: Int
  let width: Int
  /// The rows and columns of a window.
  let kernel: [Int]
  /// The rows and columns from one window to the next.
  let stride: [Int]
  /// The zeros above, left, below and right.
  let edges: [Int]
  /// Whether the zeros count as values.
  let countsPadding: Bool

  /// The rows and columns of the means.
  private var sizes: [Int] {
    zip([height, width], [0, 1]).map { size, axis in
      (size + edges[axis] + edges[axis + 2] - kernel[axis]) / stride[axis] + 1
    }
  }

  /// The number of means in one plane.
  var planeCount: Int { sizes[0] * sizes[1] }

  /// Returns weights `[units, channels, height, width]` of the averaged values, for weights
  /// `[units, channels, rows, columns]` of the means.
  func weights(for weights: [Float], units: Int) -> [Float] {
    let (rows, columns) = (sizes[0], sizes[1])
    var result = [Float](repeating: 0, count: units * channels * height * width)
    for plane in 0..<units * channels {
      for row in 0..<rows {
        for column in 0..<columns {
          let (top, left) = (row * stride[0] - edges[0], column * stride[1] - edges[1])
          let ys = max(0, top)..<min(height, top + kernel[0])
          let xs = max(0, left)..<min(width, left + kernel[1])
          let count = countsPadding ? kernel[0] * kernel[1] : ys.count * xs.count
          let share = weights[(plane * rows + row) * columns + column] / Float(count)
          for y in ys {
            for x in xs { result[(plane * height + y) * width + x] += share }
          }
        }
      }
    }
    return result
  }
}
