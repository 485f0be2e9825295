import CInkKernels

/// How the fast kernels keep planes in memory: channels last, rounded up to whole vectors (but for a
/// picture's only one), with the zeros around them that the next convolution wants.
///
/// Shapes: `[rows, columns, packedChannels]`, of which `[height, width, channels]`, from `(pad, pad)`
/// on, are used; the rest stays 0. A vector is one place with many channels.
package struct PlaneLayout: Hashable, Sendable {
  package let channels: Int
  package let height: Int
  package let width: Int
  package let pad: Int
  package let packedChannels: Int
  package let rows: Int
  package let columns: Int

  /// The values of a vector of the CPU.
  package static let lanes = 16

  /// `count`, rounded up to whole vectors.
  package static func packed(_ count: Int) -> Int { (count + lanes - 1) / lanes * lanes }

  /// Makes the layout of what a convolution reads, or, where that is `nil`, of planes without zeros
  /// around them.
  package init(
    _ shape: Shape, packedChannels: Int, readBy convolution: PlaneConvolution.Extent?
  ) {
    switch shape {
    case .planes(let channels, let height, let width):
      (self.channels, self.height, self.width) = (channels, height, width)
    case .vector(let count): (channels, height, width) = (count, 1, 1)
    }
    self.packedChannels = packedChannels
    pad = convolution?.pad ?? 0
    rows = convolution?.paddedRows ?? height
    columns = convolution?.paddedColumns ?? width
  }

  /// The values from one row to the next.
  package var row: Int { columns * packedChannels }
  /// The values in memory.
  package var count: Int { rows * row }
  /// Where the first value that is used lies.
  package var start: Int { pad * row + pad * packedChannels }

  /// Copies `[channels, height, width]` to its places; `packed` begins with the layout's memory.
  package func pack(
    _ planes: UnsafePointer<Float>, into packed: UnsafeMutablePointer<Float>
  ) {
    ink_pack(channels, height, width, planes, packedChannels, row, packed + start)
  }

  /// Copies the places that are used to `[channels, height, width]`.
  package func unpack(
    _ packed: UnsafePointer<Float>, into planes: UnsafeMutablePointer<Float>
  ) {
    ink_unpack(channels, height, width, packed + start, packedChannels, row, planes)
  }

  /// Where value `index` of `[channels, height, width]` lies.
  package func place(of index: Int) -> Int {
    let (channel, position) = index.quotientAndRemainder(dividingBy: height * width)
    return start + position / width * row + position % width * packedChannels + channel
  }
}
