import CInkKernels
import InkNetwork

/// How a convolution of stride 1 reads its input, and the layout of its patches.
struct ConvolutionGeometry: Hashable, Sendable {
  /// The planes that go in.
  let channels: Int
  /// The rows of a plane that goes in.
  let height: Int
  /// The columns of a plane that goes in.
  let width: Int
  /// The rows and columns of the kernel; odd.
  let kernel: Int
  /// The zeros on each side.
  let pad: Int

  /// Makes the geometry of `layer` over planes of the shape `shape`.
  init(_ layer: Convolution, of shape: Shape) {
    guard case .planes(let channels, let height, let width) = shape else {
      preconditionFailure("a convolution reads planes")
    }
    self.channels = channels
    self.height = height
    self.width = width
    kernel = layer.kernel
    pad = layer.pad
  }

  /// The rows of a plane that comes out.
  var outputHeight: Int { height + 2 * pad - kernel + 1 }
  /// The columns of a plane that comes out.
  var outputWidth: Int { width + 2 * pad - kernel + 1 }
  /// The values that one output value is made of.
  var patchLength: Int { channels * kernel * kernel }
  /// The output values of one filter.
  var positionCount: Int { outputHeight * outputWidth }
  /// ``positionCount``, rounded up to whole vectors of 16.
  var paddedPositionCount: Int { (positionCount + 15) / 16 * 16 }

  /// Lays out what every output position sees ("im2col"; Chellapilla, Puri & Simard, 2006).
  ///
  /// Shapes: input `[channels, height, width]`, patches `[channels, kernel, kernel, positions]`
  /// with rows of ``paddedPositionCount``.
  /// `patches[c, i, j, (y, x)] = input[c, y + i − pad, x + j − pad]`, 0 outside.
  func gatherPatches(
    _ input: UnsafePointer<Float>, into patches: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: kernelShape) { ink_gather_patches($0, input, patches) }
  }

  /// Adds patches back to where they were gathered from ("col2im"), the transpose of
  /// ``gatherPatches(_:into:)``.
  ///
  /// `input[c, y + i − pad, x + j − pad] += patches[c, i, j, (y, x)]`, inside only.
  func scatterPatches(
    _ patches: UnsafePointer<Float>, addingTo input: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: kernelShape) { ink_scatter_patches($0, patches, input) }
  }

  /// What the kernels in C are told.
  private var kernelShape: ink_patches {
    ink_patches(
      channels: channels, height: height, width: width, kernel: kernel, pad: pad,
      row_stride: paddedPositionCount)
  }
}
