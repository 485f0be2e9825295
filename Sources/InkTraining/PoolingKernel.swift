import CInkKernels
import InkNetwork

/// Max-pooling with its gradient, for one example at a time.
///
/// Shapes: input `[channels, height, width]`, output `[channels, height / size, width / size]`.
/// The output is the largest value of each square, or the first of several equal ones. `choices` is its
/// index in the plane. It receives the gradient; the gradient of all other values is 0.
struct PoolingKernel {
  let channels: Int
  let height: Int
  private(set) var width: Int
  let size: Int

  init(_ layer: MaxPooling, of shape: Shape) {
    guard case .planes(let channels, let height, let width) = shape else {
      preconditionFailure("a pooling reads planes")
    }
    (self.channels, self.height, self.width, size) = (channels, height, width, layer.size)
  }

  /// The kernel for planes of another width, unless that is `nil`.
  func with(width: Int?) -> PoolingKernel {
    var other = self
    other.width = width ?? self.width
    return other
  }

  private var outputHeight: Int { height / size }
  private var outputWidth: Int { width / size }

  func forward(
    input: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>,
    choices: UnsafeMutablePointer<Int32>
  ) {
    for channel in 0..<channels {
      let plane = input + channel * height * width
      let target = channel * outputHeight * outputWidth
      if size == 2 {
        ink_max_pool_2x2(plane, height, width, output + target, choices + target)
      } else {
        pool(plane, output: output + target, choices: choices + target)
      }
    }
  }

  /// Pools a plane with squares of any size.
  private func pool(
    _ plane: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>,
    choices: UnsafeMutablePointer<Int32>
  ) {
    for y in 0..<outputHeight {
      for x in 0..<outputWidth {
        var place = y * size * width + x * size
        for i in 0..<size {
          for j in 0..<size {
            let candidate = (y * size + i) * width + x * size + j
            if plane[candidate] > plane[place] { place = candidate }
          }
        }
        output[y * outputWidth + x] = plane[place]
        choices[y * outputWidth + x] = Int32(truncatingIfNeeded: place)
      }
    }
  }

  func backward(
    outputGradient: UnsafePointer<Float>, choices: UnsafePointer<Int32>,
    inputGradient: UnsafeMutablePointer<Float>
  ) {
    inputGradient.update(repeating: 0, count: channels * height * width)
    let outputs = outputHeight * outputWidth
    for channel in 0..<channels {
      let plane = inputGradient + channel * height * width
      for index in channel * outputs..<(channel + 1) * outputs {
        plane[Int(choices[index])] = outputGradient[index]
      }
    }
  }
}
