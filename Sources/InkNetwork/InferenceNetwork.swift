import CInkKernels
import InkRaster

/// A model made ready to run: plain Swift, no system library, safe to share between threads.
public struct InferenceNetwork: Sendable {
  /// The number of classes.
  public let classCount: Int
  private let inputSize: Int
  private let inputScale: Float
  private let steps: [Step]
  /// The most values that any layer puts out, and the most that a patch matrix holds.
  private let mostValues: Int
  private let mostPatchValues: Int

  /// A layer with its weights.
  ///
  /// Layers that do nothing at inference are left out.
  private enum Step: Sendable {
    case convolution(ConvolutionGeometry, filters: Int, weight: [Float], bias: [Float])
    /// A batch normalisation with its statistics folded in: x · scale + shift, channel by channel.
    case scaleAndShift(channelLength: Int, scale: [Float], shift: [Float])
    case relu(count: Int)
    case maxPooling(channels: Int, height: Int, width: Int, size: Int)
    case dense(inputs: Int, weight: [Float], bias: [Float])
  }

  /// Prepares `model`.
  public init(_ model: Model) {
    let architecture = model.architecture
    classCount = architecture.classCount
    inputSize = architecture.inputSize
    inputScale = model.inputScale

    var mostPatchValues = 0
    func values(_ layer: Int, _ role: Parameter.Role) -> [Float] {
      model.weights["\(layer).\(role.rawValue)"]!.values
    }
    steps = architecture.layers.indices.compactMap { index -> Step? in
      let input = architecture.shapes[index]
      switch (architecture.layers[index], input) {
      case (
        .convolution(let filters, let kernel, let padding),
        .planes(let channels, let height, let width)
      ):
        let geometry = ConvolutionGeometry(
          channels: channels, height: height, width: width, kernel: kernel, padding: padding)
        mostPatchValues = max(mostPatchValues, geometry.patchLength * geometry.paddedPositionCount)
        return .convolution(
          geometry, filters: filters, weight: values(index, .weight), bias: values(index, .bias))
      case (.batchNormalization, _):
        let scale = zip(values(index, .weight), values(index, .runningVariance)).map {
          $0 / ($1 + batchNormalizationEpsilon).squareRoot()
        }
        let shift = zip(values(index, .bias), zip(values(index, .runningMean), scale)).map {
          $0 - $1.0 * $1.1
        }
        return .scaleAndShift(
          channelLength: input.count / input.channelCount, scale: scale, shift: shift)
      case (.relu, _): return .relu(count: input.count)
      case (.maxPooling(let size), .planes(let channels, let height, let width)):
        return .maxPooling(channels: channels, height: height, width: width, size: size)
      case (.dense, _):
        return .dense(
          inputs: input.count, weight: values(index, .weight), bias: values(index, .bias))
      case (.flatten, _), (.dropout, _): return nil
      case (.convolution, .vector), (.maxPooling, .vector):
        preconditionFailure("an architecture has planes before \(architecture.layers[index].kind)")
      }
    }
    mostValues = architecture.shapes.map(\.count).max() ?? 0
    self.mostPatchValues = mostPatchValues
  }

  /// The logits of one picture, one a class.
  ///
  /// - Precondition: the bitmap has the network's size.
  public func logits(of bitmap: Bitmap) -> [Float] {
    precondition(
      bitmap.width == inputSize && bitmap.height == inputSize,
      "the network takes \(inputSize) × \(inputSize), not \(bitmap.width) × \(bitmap.height)")
    return withUnsafeTemporaryAllocation(
      of: Float.self, capacity: 2 * mostValues + mostPatchValues
    ) { memory in
      let base = memory.baseAddress!
      var input = base
      var output = base + mostValues
      let patches = base + 2 * mostValues
      for (index, pixel) in bitmap.pixels.enumerated() { input[index] = Float(pixel) * inputScale }
      for step in steps {
        switch step {
        case .convolution(let geometry, let filters, let weight, let bias):
          geometry.gatherPatches(input, into: patches)
          multiply(
            weight, rows: filters, inner: geometry.patchLength, patches,
            columns: geometry.positionCount, stride: geometry.paddedPositionCount, bias: bias,
            into: output)
          swap(&input, &output)
        case .scaleAndShift(let length, let scale, let shift):
          for channel in scale.indices {
            let plane = input + channel * length
            for index in 0..<length {
              plane[index] = plane[index] * scale[channel] + shift[channel]
            }
          }
        case .relu(let count): ink_relu(input, count)
        case .maxPooling(let channels, let height, let width, let size):
          maxPool(input, channels: channels, height: height, width: width, size: size, into: output)
          swap(&input, &output)
        case .dense(let inputs, let weight, let bias):
          multiply(weight, vector: input, inputs: inputs, bias: bias, into: output)
          swap(&input, &output)
        }
      }
      return Array(UnsafeBufferPointer(start: input, count: classCount))
    }
  }
}

/// What is added to a variance before its root is taken (PyTorch's default).
public let batchNormalizationEpsilon: Float = 1e-5
