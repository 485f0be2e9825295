/// The windows of a convolution over time, gathered in blocks that stay in cache.
struct SeriesWindows: Sendable {
  let layer: SeriesConvolution
  /// The values of a step, with those that fill up whole vectors.
  let row: Int

  private static let blockSize = 48

  init(_ layer: SeriesConvolution, row: Int) {
    self.layer = layer
    self.row = row
  }

  private var windowCount: Int { layer.kernel * row }

  /// Whether the windows follow each other in the series itself.
  private var areContiguous: Bool { layer.kernel == layer.stride && layer.padding == .valid }

  var scratchCount: Int { areContiguous ? 0 : Self.blockSize * windowCount }

  /// Calls `body` with the windows of some output steps after each other: `count` from step `first` on.
  @inline(__always)
  func forEachBlock(
    of input: UnsafePointer<Float>, steps: Int, outputSteps: Int,
    scratch: UnsafeMutablePointer<Float>,
    _ body: (_ windows: UnsafePointer<Float>, _ first: Int, _ count: Int) -> Void
  ) {
    if areContiguous {
      body(input, 0, outputSteps)
      return
    }
    for first in stride(from: 0, to: outputSteps, by: Self.blockSize) {
      let count = min(Self.blockSize, outputSteps - first)
      for window in 0..<count {
        let place = (first + window) * layer.stride - layer.before
        let target = scratch + window * windowCount
        let start = max(0, place)
        let length = max(0, min(place + layer.kernel, steps) - start)
        if length < layer.kernel { target.update(repeating: 0, count: windowCount) }
        (target + (start - place) * row).update(from: input + start * row, count: length * row)
      }
      body(scratch, first, count)
    }
  }
}
