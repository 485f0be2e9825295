import CInkKernels

/// A convolution of 3 × 3 with a border of 1 over the joined channels of several planes, some of them made
/// twice as high and wide on the way ("nearest"), with bias, ReLU and 2 × 2 max-pooling in one pass.
///
/// The formula stands beside the kernel, `ink_convolve_joined` in `CInkKernels.h`.
struct JoinedConvolution: Sendable {
  /// The kernel that it takes.
  static let kernel = 3

  private let shape: ink_convolution
  private let parts: [ink_part]
  /// The channels of each part that are used.
  private let channels: [Int]
  private let filters: Int

  /// Makes a convolution that reads `parts`, of which those that are doubled come first, and writes
  /// `output`.
  init(_ parts: [(isDoubled: Bool, layout: PlaneLayout)], to output: PlaneLayout, pools: Bool) {
    let factor = parts[0].isDoubled ? 2 : 1
    filters = output.channels
    channels = parts.map(\.layout.channels)
    self.parts = parts.map {
      ink_part(channels: $0.layout.packedChannels, row: $0.layout.row, is_doubled: $0.isDoubled)
    }
    shape = ink_convolution(
      rows: parts[0].layout.height * factor, columns: parts[0].layout.width * factor,
      channels: parts.reduce(0) { $0 + $1.layout.packedChannels }, kernel: Self.kernel,
      filters: output.packedChannels, pools: pools, input_row: 0, output_row: output.row)
  }

  private var positions: Int { Self.kernel * Self.kernel }

  /// The numbers in a packed bias.
  var packedBiasCount: Int { shape.filters }

  /// The numbers of scratch memory that a call needs.
  var scratchCount: Int { withUnsafePointer(to: shape) { ink_winograd_scratch($0) } }

  /// Lays weights `[F, C, 3, 3]` out for the kernel; the channels of each part begin with one of
  /// `firstChannels`.
  func packed(_ weight: [Float], firstChannels: [Int]) -> FloatBuffer {
    let plain = FloatBuffer(count: positions * shape.channels * shape.filters)
    let all = weight.count / filters / positions
    var place = 0
    for (part, first) in firstChannels.enumerated() {
      for channel in 0..<channels[part] {
        for filter in 0..<filters {
          for position in 0..<positions {
            plain.pointer[
              (position * shape.channels + place + channel) * shape.filters + filter] =
              weight[(filter * all + first + channel) * positions + position]
          }
        }
      }
      place += parts[part].channels
    }
    let packed = FloatBuffer(
      count: ink_winograd_points(Self.kernel) * shape.channels * shape.filters)
    withUnsafePointer(to: shape) { ink_winograd_weights($0, plain.pointer, packed.pointer) }
    return packed
  }

  /// Computes `rows` of the output, which begin with an even one; `input` gives the layout's memory of a
  /// part.
  func forward(
    rows: Range<Int>, input: (Int) -> UnsafePointer<Float>, weight: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, lowest: Float, output: UnsafeMutablePointer<Float>,
    scratch: UnsafeMutablePointer<Float>
  ) {
    let factor = shape.pools ? 2 : 1
    var band = shape
    band.rows = min(shape.rows, rows.upperBound * factor) - rows.lowerBound * factor
    withUnsafeTemporaryAllocation(of: UnsafePointer<Float>?.self, capacity: parts.count) {
      inputs in
      for (index, part) in parts.enumerated() {
        let row = rows.lowerBound * factor / (part.is_doubled ? 2 : 1)
        inputs.initializeElement(at: index, to: input(index) + row * part.row)
      }
      ink_convolve_joined(
        &band, parts.count, parts, inputs.baseAddress!, weight, bias, lowest,
        output + rows.lowerBound * shape.output_row, scratch)
    }
  }
}
