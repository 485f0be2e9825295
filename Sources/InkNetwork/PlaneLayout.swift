import CInkKernels

/// How the fast kernels keep planes in memory: channels last, rounded up to whole vectors (but for a
/// picture's only one, and for a series that goes into convolutions only), with the zeros around them that the
/// next convolution wants.
///
/// Shapes: `[rows, columns, packedChannels]`, of which `[height, width, channels]`, from `(pad, pad)`
/// on, are used; the rest stays 0. A vector is one place with many channels, and a series has one row with
/// its steps as columns; of these, as many are used as the example has. Planes of different widths have a
/// layout for each width, ``with(width:)``.
package struct PlaneLayout: Hashable, Sendable {
  package let channels: Int
  package let height: Int
  package let width: Int
  package let pad: Int
  package let packedChannels: Int
  package let rows: Int
  package let columns: Int
  package let isSeries: Bool
  /// Whether examples have planes of different widths.
  package let variesInWidth: Bool
  /// What reads planes of different widths.
  private let reader: PlaneConvolution.Extent?

  /// The values of a vector of the CPU.
  package static let lanes = 16

  /// `count`, rounded up to whole vectors.
  package static func packed(_ count: Int) -> Int { (count + lanes - 1) / lanes * lanes }

  /// Makes the layout of what a convolution reads, or, where that is `nil`, of planes without zeros
  /// around them.
  package init(
    _ shape: Shape, packedChannels: Int, readBy convolution: PlaneConvolution.Extent?,
    variesInWidth: Bool = false
  ) {
    self.variesInWidth = variesInWidth
    reader = variesInWidth ? convolution : nil
    switch shape {
    case .planes(let channels, let height, let width):
      (self.channels, self.height, self.width) = (channels, height, width)
    case .series(let length, let channels):
      (self.channels, height, width) = (channels, 1, length)
    case .vector(let count): (channels, height, width) = (count, 1, 1)
    }
    if case .series = shape { isSeries = true } else { isSeries = false }
    self.packedChannels = packedChannels
    pad = convolution?.pad ?? 0
    rows = convolution?.paddedRows ?? height
    columns = convolution?.paddedColumns ?? width
  }

  /// The layout of planes of another width.
  package func with(width: Int) -> PlaneLayout {
    precondition(variesInWidth, "planes of different widths")
    return PlaneLayout(
      .planes(channels: channels, height: height, width: width), packedChannels: packedChannels,
      readBy: reader?.with(width: width), variesInWidth: true)
  }

  /// The most columns of memory that a layout of any width has beside its own.
  package var maximumMargin: Int { reader.map { 2 * $0.pad + 1 } ?? 0 }

  /// Sets everything around the places that are used to 0; needed where the width has changed.
  package func clearMargins(_ packed: UnsafeMutablePointer<Float>) {
    var end = 0
    for y in 0..<height {
      let first = start + y * row
      (packed + end).update(repeating: 0, count: first - end)
      end = first + width * packedChannels
    }
    (packed + end).update(repeating: 0, count: count - end)
  }

  /// The values from one row to the next.
  package var row: Int { columns * packedChannels }
  /// The values in memory.
  package var count: Int { rows * row }
  /// Where the first value that is used lies.
  package var start: Int { pad * row + pad * packedChannels }

  /// Copies bytes of `[channels, height, width]`, multiplied by `scale`, to their places; `packed` begins with
  /// the layout's memory.
  func pack(
    _ bytes: UnsafePointer<UInt8>, scale: Float, into packed: UnsafeMutablePointer<Float>
  ) {
    for channel in 0..<channels {
      for y in 0..<height {
        let source = bytes + (channel * height + y) * width
        let target = packed + start + y * row + channel
        // Most pictures have one channel: values side by side take vectors.
        if packedChannels == 1 {
          for x in 0..<width { target[x] = Float(source[x]) * scale }
        } else {
          for x in 0..<width { target[x * packedChannels] = Float(source[x]) * scale }
        }
      }
    }
  }

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

  /// Copies `[steps, channels]` to its places.
  func pack(
    _ steps: UnsafePointer<Float>, count: Int, into packed: UnsafeMutablePointer<Float>
  ) {
    if packedChannels == channels {
      packed.update(from: steps, count: count * channels)
      return
    }
    for step in 0..<count {
      (packed + step * packedChannels).update(from: steps + step * channels, count: channels)
    }
  }

  /// Copies the places of `count` steps to rows of `row` values.
  func unpack(
    _ packed: UnsafePointer<Float>, count: Int, into steps: UnsafeMutablePointer<Float>, row: Int
  ) {
    for step in 0..<count {
      (steps + step * row).update(from: packed + step * packedChannels, count: channels)
    }
  }

  /// Copies the places that are used to those of another layout of the same shape and packed channels.
  func copy(
    _ packed: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, _ other: PlaneLayout
  ) {
    precondition(packedChannels == other.packedChannels, "layouts of the same channels")
    for y in 0..<height {
      (target + other.start + y * other.row).update(
        from: packed + start + y * row, count: width * packedChannels)
    }
  }

  /// Where value `index` of `[channels, height, width]`, or of `[steps, channels]`, lies.
  package func place(of index: Int) -> Int {
    if isSeries { return index / channels * packedChannels + index % channels }
    let (channel, position) = index.quotientAndRemainder(dividingBy: height * width)
    return start + position / width * row + position % width * packedChannels + channel
  }
}
