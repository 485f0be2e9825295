import CInkKernels
import InkRaster

/// A model made ready to run: plain Swift, no system library, safe to share between threads.
public struct InferenceNetwork: Sendable {
  /// The number of classes.
  public let classCount: Int
  private let inputSize: Int
  private let inputScale: Float
  private let steps: [Step]
  /// The most values that any layer puts out, and the most that goes into a convolution with its padding.
  private let mostValues: Int
  private let mostPaddedValues: Int

  /// A layer with its weights.
  ///
  /// Layers that do nothing at inference are left out; batch normalisation and ReLU become a part of
  /// the convolution or dense layer before them, where there is one.
  private enum Step: Sendable {
    case convolution(ConvolutionGeometry, Product)
    case dense(inputs: Int, Product)
    /// A batch normalisation with its statistics folded in: x · scale + shift, channel by channel.
    case scaleAndShift(channelLength: Int, scale: [Float], shift: [Float])
    case relu(count: Int)
    case maxPooling(channels: Int, height: Int, width: Int, size: Int)
  }

  /// A product with a weight matrix, `[outputs, inputs]`, that keeps what is not below `lowest`.
  private struct Product: Sendable {
    var weight: [Float]
    var bias: [Float]
    var lowest = -Float.infinity

    /// Folds x · scale + shift, output by output, into weight and bias.
    mutating func fold(scale: [Float], shift: [Float]) {
      let length = weight.count / bias.count
      for output in bias.indices {
        for index in output * length..<(output + 1) * length { weight[index] *= scale[output] }
        bias[output] = bias[output] * scale[output] + shift[output]
      }
    }
  }

  /// Prepares `model`.
  public init(_ model: Model) {
    let architecture = model.architecture
    classCount = architecture.classCount
    inputSize = architecture.inputSize
    inputScale = model.inputScale

    var mostPaddedValues = 0
    func values(_ layer: Int, _ role: Parameter.Role) -> [Float] {
      model.weights["\(layer).\(role.rawValue)"]!.values
    }
    var steps: [Step] = []
    for index in architecture.layers.indices {
      let input = architecture.shapes[index]
      switch (architecture.layers[index], input) {
      case (.convolution(_, let kernel, let padding), .planes(let channels, let height, let width)):
        let geometry = ConvolutionGeometry(
          channels: channels, height: height, width: width, kernel: kernel, padding: padding)
        mostPaddedValues = max(
          mostPaddedValues, withUnsafePointer(to: geometry.kernelShape, ink_padded_count))
        steps.append(
          .convolution(
            geometry, Product(weight: values(index, .weight), bias: values(index, .bias))))
      case (.dense, _):
        steps.append(
          .dense(
            inputs: input.count,
            Product(weight: values(index, .weight), bias: values(index, .bias))))
      case (.batchNormalization, _):
        let scale = zip(values(index, .weight), values(index, .runningVariance)).map {
          $0 / ($1 + batchNormalizationEpsilon).squareRoot()
        }
        let shift = zip(values(index, .bias), zip(values(index, .runningMean), scale)).map {
          $0 - $1.0 * $1.1
        }
        let isFolded = Self.changeLastProduct(of: &steps) { $0.fold(scale: scale, shift: shift) }
        if !isFolded {
          let length = input.count / input.channelCount
          steps.append(.scaleAndShift(channelLength: length, scale: scale, shift: shift))
        }
      case (.relu, _):
        if !Self.changeLastProduct(of: &steps, { $0.lowest = 0 }) {
          steps.append(.relu(count: input.count))
        }
      case (.maxPooling(let size), .planes(let channels, let height, let width)):
        steps.append(.maxPooling(channels: channels, height: height, width: width, size: size))
      case (.flatten, _), (.dropout, _): break
      case (.convolution, .vector), (.maxPooling, .vector):
        preconditionFailure("an architecture has planes before \(architecture.layers[index].kind)")
      }
    }
    self.steps = steps
    mostValues = architecture.shapes.map(\.count).max() ?? 0
    self.mostPaddedValues = mostPaddedValues
  }

  /// Changes the last step where it is a product with nothing behind it yet; returns whether it was.
  private static func changeLastProduct(
    of steps: inout [Step], _ change: (inout Product) -> Void
  ) -> Bool {
    switch steps.last {
    case .convolution(let geometry, var product) where product.lowest == -.infinity:
      change(&product)
      steps[steps.count - 1] = .convolution(geometry, product)
    case .dense(let inputs, var product) where product.lowest == -.infinity:
      change(&product)
      steps[steps.count - 1] = .dense(inputs: inputs, product)
    default: return false
    }
    return true
  }

  /// The logits of one picture, one a class.
  ///
  /// - Precondition: the bitmap has the network's size.
  public func logits(of bitmap: Bitmap) -> [Float] {
    precondition(
      bitmap.width == inputSize && bitmap.height == inputSize,
      "the network takes \(inputSize) × \(inputSize), not \(bitmap.width) × \(bitmap.height)")
    return withUnsafeTemporaryAllocation(
      of: Float.self, capacity: 2 * mostValues + mostPaddedValues
    ) { memory in
      let base = memory.baseAddress!
      var input = base
      var output = base + mostValues
      let padded = base + 2 * mostValues
      for (index, pixel) in bitmap.pixels.enumerated() { input[index] = Float(pixel) * inputScale }
      for step in steps {
        switch step {
        case .convolution(let geometry, let product):
          withUnsafePointer(to: geometry.kernelShape) { shape in
            ink_pad(shape, input, padded)
            ink_convolve(
              shape, padded, product.bias.count, product.weight, product.bias, product.lowest,
              output)
          }
          swap(&input, &output)
        case .dense(let inputs, let product):
          ink_multiply_vector(
            product.weight, product.bias.count, inputs, input, product.bias, product.lowest,
            output)
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
          if size == 2 {
            for channel in 0..<channels {
              ink_max_pool_2x2(
                input + channel * height * width, height, width,
                output + channel * (height / 2) * (width / 2), nil)
            }
          } else {
            maxPool(
              input, channels: channels, height: height, width: width, size: size, into: output)
          }
          swap(&input, &output)
        }
      }
      return Array(UnsafeBufferPointer(start: input, count: classCount))
    }
  }
}

/// What is added to a variance before its root is taken (PyTorch's default).
public let batchNormalizationEpsilon: Float = 1e-5
