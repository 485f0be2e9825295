import CInkKernels

/// A convolution with a stride and bias over planes with the channels last, for kernels of up to 3 × 3.
///
/// The formula stands beside the kernels, in `CInkKernels.h`. Other than ``PlaneConvolution``, it takes every
/// product, and can skip places.
package struct StridedConvolution: Sendable {
  /// What the kernels in C are told.
  package let shape: ink_strided
  /// Where the first value that is read lies in the memory of the input.
  package let start: Int
  private let channels: Int
  private let filters: Int

  /// Makes a convolution that reads `input`, whose padding is at least that of the layer, and writes `output`.
  package init(_ layer: Convolution, from input: PlaneLayout, to output: PlaneLayout) {
    precondition(layer.kernel <= 3 && layer.pad <= input.pad, "a small kernel inside the padding")
    channels = input.channels
    filters = output.channels
    start = input.start - layer.pad * (input.row + input.packedChannels)
    shape = ink_strided(
      rows: output.height, columns: output.width, channels: input.packedChannels,
      kernel: layer.kernel, stride: layer.stride, filters: output.packedChannels,
      input_row: input.row, output_row: output.row)
  }

  private var positions: Int { shape.kernel * shape.kernel }

  /// The numbers in packed weights.
  package var packedCount: Int { positions * shape.channels * shape.filters }

  /// Lays weights `[F, C, k, k]` out as `[k, k, C, F]`, or, for the gradient of the input, as `[k, k, F, C]`.
  package func pack(
    _ weight: UnsafePointer<Float>, filtersFirst: Bool = false,
    into packed: UnsafeMutablePointer<Float>
  ) {
    packed.update(repeating: 0, count: packedCount)
    for filter in 0..<filters {
      for channel in 0..<channels {
        let source = weight + (filter * channels + channel) * positions
        let place =
          filtersFirst
          ? filter * shape.channels + channel : channel * shape.filters + filter
        for position in 0..<positions {
          packed[position * shape.channels * shape.filters + place] = source[position]
        }
      }
    }
  }

  /// Lays sums `[k, k, C, F]` out as `[F, C, k, k]`.
  package func unpack(
    _ packed: UnsafePointer<Float>, into weight: UnsafeMutablePointer<Float>
  ) {
    for filter in 0..<filters {
      for channel in 0..<channels {
        let target = weight + (filter * channels + channel) * positions
        for position in 0..<positions {
          target[position] =
            packed[(position * shape.channels + channel) * shape.filters + filter]
        }
      }
    }
  }

  /// Computes the output of one example; `input` begins with its layout's memory, and `output` with the first
  /// value that is used.
  package func forward(
    input: UnsafePointer<Float>, weight: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    output: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: shape) {
      ink_strided_convolve($0, input + start, weight, bias, -.infinity, output)
    }
  }
}
