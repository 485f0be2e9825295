import CInkKernels

/// A convolution with bias and ReLU in one pass, and 2 × 2 max-pooling where its stride is 1, over planes
/// with the channels last.
///
/// Legend: C channels, F filters, k kernel, P the padded layout of the input. The formula stands
/// beside the kernels, in `CInkKernels.h`; kernels of 3 × 3 and 5 × 5 of stride 1 take Winograd's way.
package struct PlaneConvolution: Sendable {
  /// What a convolution reads, whatever it computes.
  package struct Extent: Hashable, Sendable {
    package let pad: Int
    package let paddedRows: Int
    package let paddedColumns: Int
    package let kernel: Int
    /// Of the output.
    package let rows: Int
    package let columns: Int

    /// The extent of a convolution over planes of `height` × `width`.
    package init(height: Int, width: Int, kernel: Int, padding: Convolution.Padding) {
      let pad = padding == .same ? kernel / 2 : 0
      self.init(
        kernel: kernel, pad: pad, rows: height + 2 * pad - kernel + 1,
        columns: width + 2 * pad - kernel + 1)
    }

    private init(kernel: Int, pad: Int, rows: Int, columns: Int) {
      (self.kernel, self.pad, self.rows, self.columns) = (kernel, pad, rows, columns)
      var shape = ink_convolution()
      (shape.rows, shape.columns, shape.kernel) = (rows, columns, kernel)
      paddedRows = ink_padded_rows(&shape)
      paddedColumns = ink_padded_columns(&shape)
    }

    /// The same over planes of another width.
    package func with(width: Int) -> Extent {
      Extent(kernel: kernel, pad: pad, rows: rows, columns: width + 2 * pad - kernel + 1)
    }

    /// The extent of the convolution that makes the gradient of the input from that of the output.
    package var backwards: Extent {
      Extent(
        kernel: kernel, pad: kernel - 1 - pad, rows: rows - 2 * pad + kernel - 1,
        columns: columns - 2 * pad + kernel - 1)
    }
  }

  /// What the kernels in C are told.
  package private(set) var shape: ink_convolution
  package let channels: Int
  package let filters: Int
  package let stride: Int
  private let method: Method

  /// How the sums are made.
  private enum Method {
    case direct
    /// Winograd's, of tiles that make 2 × 2 sums.
    case winograd
    /// Winograd's, of tiles that make 4 × 4 sums; at inference only.
    case wideWinograd
  }

  /// Makes a convolution that reads `input` and writes `output`.
  ///
  /// With `isWide`, kernels of 3 × 3 take larger tiles, which are faster, a little less exact, and do not report
  /// which sum was largest.
  package init(
    _ extent: Extent, filters: Int, stride: Int = 1, pools: Bool, isWide: Bool = false,
    from input: PlaneLayout, to output: PlaneLayout
  ) {
    precondition(stride == 1 || !pools, "pooling after every sum")
    channels = input.channels
    self.filters = filters
    self.stride = stride
    if stride == 1 && ink_has_winograd(extent.kernel) && input.packedChannels > 1 {
      method = isWide && extent.kernel == 3 ? .wideWinograd : .winograd
    } else {
      method = .direct
    }
    shape = ink_convolution(
      rows: (extent.rows + stride - 1) / stride, columns: (extent.columns + stride - 1) / stride,
      channels: input.packedChannels, kernel: extent.kernel, filters: output.packedChannels,
      pools: pools, input_row: input.row, output_row: output.row)
  }

  /// The same convolution of planes of another width.
  package func from(_ input: PlaneLayout, to output: PlaneLayout) -> PlaneConvolution {
    var other = self
    other.shape.columns = (input.width + 2 * input.pad - shape.kernel) / stride + 1
    (other.shape.input_row, other.shape.output_row) = (input.row, output.row)
    return other
  }

  /// What the first row of a part that is computed apart is a multiple of.
  package var rowMultiple: Int { method == .wideWinograd && !shape.pools ? 4 : 2 }

  private var positions: Int { shape.kernel * shape.kernel }

  /// The numbers in packed weights.
  package var packedCount: Int {
    let points =
      switch method {
      case .direct: positions
      case .winograd: ink_winograd_points(shape.kernel)
      case .wideWinograd: ink_wide_winograd_points()
      }
    return points * shape.channels * shape.filters
  }

  /// The numbers in a packed bias.
  package var packedBiasCount: Int { shape.filters }

  /// The numbers of scratch memory that ``pack(_:isTurned:into:scratch:)`` and
  /// ``forward(input:weight:bias:lowest:output:choices:scratch:)`` need.
  package var scratchCount: Int {
    let weightCount = positions * shape.channels * shape.filters
    return withUnsafePointer(to: shape) {
      switch method {
      case .direct: 0
      case .winograd: max(ink_winograd_scratch($0), weightCount)
      case .wideWinograd: max(ink_wide_winograd_scratch($0), weightCount)
      }
    }
  }

  /// Lays weights `[F, C, k, k]` out as ``forward(input:weight:bias:lowest:output:choices:scratch:)``
  /// wants them.
  ///
  /// Where `isTurned`, they come as `[C, F, k, k]` and are turned by 180°, for the gradient of the
  /// input of a convolution from F to C.
  package func pack(
    _ weight: UnsafePointer<Float>, isTurned: Bool = false,
    into packed: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    let target = method == .direct ? packed : scratch
    target.update(repeating: 0, count: positions * shape.channels * shape.filters)
    for filter in 0..<filters {
      for channel in 0..<channels {
        let plane = isTurned ? channel * filters + filter : filter * channels + channel
        for position in 0..<positions {
          let source = isTurned ? positions - 1 - position : position
          target[(position * shape.channels + channel) * shape.filters + filter] =
            weight[plane * positions + source]
        }
      }
    }
    withUnsafePointer(to: shape) {
      switch method {
      case .direct: break
      case .winograd: ink_winograd_weights($0, scratch, packed)
      case .wideWinograd: ink_wide_winograd_weights($0, scratch, packed)
      }
    }
  }

  /// Computes `rows` of the output of one example; they begin with a multiple of ``rowMultiple`` where the stride
  /// is 1.
  package func forward(
    rows: Range<Int>, input: UnsafePointer<Float>, weight: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, lowest: Float, output: UnsafeMutablePointer<Float>,
    scratch: UnsafeMutablePointer<Float>
  ) {
    var band = self
    let factor = shape.pools ? 2 : 1
    band.shape.rows = min(shape.rows, rows.upperBound * factor) - rows.lowerBound * factor
    band.forward(
      input: input + rows.lowerBound * factor * stride * shape.input_row, weight: weight,
      bias: bias, lowest: lowest, output: output + rows.lowerBound * shape.output_row,
      choices: nil, scratch: scratch)
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
      if stride > 1 {
        var strided = ink_strided(
          rows: shape.pointee.rows, columns: shape.pointee.columns,
          channels: shape.pointee.channels, kernel: shape.pointee.kernel, stride: stride,
          filters: shape.pointee.filters, input_row: shape.pointee.input_row,
          output_row: shape.pointee.output_row)
        ink_strided_convolve(&strided, input, weight, bias, lowest, output)
        return
      }
      switch method {
      case .direct: ink_convolve(shape, input, weight, bias, lowest, output, choices)
      case .winograd:
        ink_convolve_winograd(shape, input, weight, bias, lowest, output, choices, scratch)
      case .wideWinograd:
        precondition(choices == nil, "larger tiles do not report which sum was largest")
        ink_convolve_wide_winograd(shape, input, weight, bias, lowest, output, scratch)
      }
    }
  }
}
