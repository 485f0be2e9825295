import CInkKernels

/// A convolution of stride 1 with bias, ReLU and 2 × 2 max-pooling in one pass, over planes with the
/// channels last.
///
/// Legend: C channels, F filters, k kernel, P the padded layout of the input. The formula stands
/// beside the kernels, in `CInkKernels.h`; kernels of 3 × 3 and 5 × 5 take Winograd's way.
package struct PlaneConvolution: Sendable {
  /// What a convolution reads, whatever it computes.
  package struct Extent: Hashable, Sendable {
    package let pad: Int
    package let paddedRows: Int
    package let paddedColumns: Int
    fileprivate let kernel: Int
    fileprivate let rows: Int
    fileprivate let columns: Int

    /// The extent of a convolution over planes of `height` × `width`.
    package init(height: Int, width: Int, kernel: Int, padding: Convolution.Padding) {
      self.kernel = kernel
      pad = padding == .same ? kernel / 2 : 0
      rows = height + 2 * pad - kernel + 1
      columns = width + 2 * pad - kernel + 1
      var shape = ink_convolution()
      (shape.rows, shape.columns, shape.kernel) = (rows, columns, kernel)
      paddedRows = ink_padded_rows(&shape)
      paddedColumns = ink_padded_columns(&shape)
    }
  }

  /// What the kernels in C are told.
  package let shape: ink_convolution
  package let channels: Int
  package let filters: Int
  private let isWinograd: Bool

  /// Makes a convolution that reads `input` and writes `output`.
  package init(
    _ extent: Extent, filters: Int, pools: Bool, from input: PlaneLayout, to output: PlaneLayout
  ) {
    channels = input.channels
    self.filters = filters
    isWinograd = ink_has_winograd(extent.kernel) && input.packedChannels > 1
    shape = ink_convolution(
      rows: extent.rows, columns: extent.columns, channels: input.packedChannels,
      kernel: extent.kernel, filters: output.packedChannels, pools: pools, input_row: input.row,
      output_row: output.row)
  }

  private var positions: Int { shape.kernel * shape.kernel }

  /// The numbers in packed weights.
  package var packedCount: Int {
    (isWinograd ? ink_winograd_points(shape.kernel) : positions) * shape.channels * shape.filters
  }

  /// The numbers in a packed bias.
  package var packedBiasCount: Int { shape.filters }

  /// The numbers of scratch memory that ``pack(_:into:scratch:)`` and
  /// ``forward(input:weight:bias:lowest:output:choices:scratch:)`` need.
  package var scratchCount: Int {
    guard isWinograd else { return 0 }
    return withUnsafePointer(to: shape) {
      max(ink_winograd_scratch($0), positions * shape.channels * shape.filters)
    }
  }

  /// Lays weights `[F, C, k, k]` out as ``forward(input:weight:bias:lowest:output:choices:scratch:)``
  /// wants them.
  package func pack(
    _ weight: UnsafePointer<Float>, into packed: UnsafeMutablePointer<Float>,
    scratch: UnsafeMutablePointer<Float>
  ) {
    let target = isWinograd ? scratch : packed
    target.update(repeating: 0, count: positions * shape.channels * shape.filters)
    for filter in 0..<filters {
      for channel in 0..<channels {
        let source = weight + (filter * channels + channel) * positions
        for position in 0..<positions {
          target[(position * shape.channels + channel) * shape.filters + filter] = source[position]
        }
      }
    }
    if isWinograd {
      withUnsafePointer(to: shape) { ink_winograd_weights($0, scratch, packed) }
    }
  }

  /// Computes the output of one example.
  ///
  /// `input` and `output` begin with their layouts' memory and their first used value. `choices`,
  /// `[rows / 2, columns / 2, packed F]`, takes which of four sums was largest, unless it is `nil`.
  package func forward(
    input: UnsafePointer<Float>, weight: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    lowest: Float, output: UnsafeMutablePointer<Float>, choices: UnsafeMutablePointer<UInt8>?,
    scratch: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: shape) { shape in
      if isWinograd {
        ink_convolve_winograd(shape, input, weight, bias, lowest, output, choices, scratch)
      } else {
        ink_convolve(shape, input, weight, bias, lowest, output, choices)
      }
    }
  }
}
