import CInkKernels
import InkNetwork

/// The sizes of a convolution, and the layout of its patches.
struct ConvolutionGeometry: Hashable, Sendable {
  /// The number of input planes.
  let channels: Int
  /// The height of an input plane.
  let height: Int
  /// The width of an input plane.
  private(set) var width: Int
  /// The width and height of the kernel, which is odd.
  let kernel: Int
  /// The rows and columns from one patch to the next.
  let stride: Int
  /// The padding on each side.
  let pad: Int

  /// Creates the geometry of `layer` for an input of `shape`.
  init(_ layer: Convolution, of shape: Shape) {
    guard case .planes(let channels, let height, let width) = shape else {
      preconditionFailure("a convolution reads planes")
    }
    self.channels = channels
    self.height = height
    self.width = width
    kernel = layer.kernel
    stride = layer.stride
    pad = layer.pad
  }

  /// The geometry for planes of another width, unless that is `nil`.
  func with(width: Int?) -> ConvolutionGeometry {
    var other = self
    other.width = width ?? self.width
    return other
  }

  /// The height of an output plane.
  var outputHeight: Int { (height + 2 * pad - kernel) / stride + 1 }
  /// The width of an output plane.
  var outputWidth: Int { (width + 2 * pad - kernel) / stride + 1 }
  /// The number of input values for one output value.
  var patchLength: Int { channels * kernel * kernel }
  /// The number of output values of one filter.
  var positionCount: Int { outputHeight * outputWidth }
  /// ``positionCount``, rounded up to whole vectors of 16.
  var paddedPositionCount: Int { (positionCount + 15) / 16 * 16 }

  /// Copies the input values of every output position to `patches` ("im2col"; Chellapilla, Puri &
  /// Simard, 2006).
  ///
  /// Shapes: input `[channels, height, width]`, patches `[channels, kernel, kernel, positions]`
  /// with rows of ``paddedPositionCount``.
  /// `patches[c, i, j, (y, x)] = input[c, s · y + i − pad, s · x + j − pad]` for the stride s, 0 outside.
  func gatherPatches(
    _ input: UnsafePointer<Float>, into patches: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: kernelShape) { ink_gather_patches($0, input, patches) }
  }

  /// Adds the values of patches to their input positions ("col2im"), the transpose of
  /// ``gatherPatches(_:into:)``.
  ///
  /// `input[c, s · y + i − pad, s · x + j − pad] += patches[c, i, j, (y, x)]`, inside only.
  func scatterPatches(
    _ patches: UnsafePointer<Float>, addingTo input: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: kernelShape) { ink_scatter_patches($0, patches, input) }
  }

  /// The sizes for the kernels in C.
  private var kernelShape: ink_patches {
    ink_patches(
      channels: channels, height: height, width: width, kernel: kernel, stride: stride, pad: pad,
      row_stride: paddedPositionCount)
  }
}
