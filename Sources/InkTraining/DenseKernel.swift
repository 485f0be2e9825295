import CInkKernels

/// A dense layer with its gradients, for a range of examples and of units at a time.
///
/// Legend: B examples, I inputs, U units. With input X `[B, I]`, weights W `[U, I]`, bias b `[U]`
/// and the output's gradient G `[B, U]`:
///
///     output   Y  = X · Wᵀ + b
///     weights  ∂W = Gᵀ · X        bias  ∂b = Σ_B G
///     input    ∂X = G · W
struct DenseKernel {
  let inputs: Int
  let units: Int
  /// Whether a ReLU, max(0, ·), follows and is fused into this layer.
  let hasReLU: Bool
  let blas: BLAS

  func forward(
    examples: Range<Int>, units range: Range<Int>, input: UnsafePointer<Float>,
    weight: UnsafePointer<Float>, bias: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>
  ) {
    let start = output + examples.lowerBound * units + range.lowerBound
    blas.multiply(
      .init(values: input + examples.lowerBound * inputs, stride: inputs),
      .init(values: weight + range.lowerBound * inputs, stride: inputs, isTransposed: true),
      rows: examples.count, inner: inputs, columns: range.count, beta: 0, into: start,
      outputStride: units)
    let bias = bias + range.lowerBound
    for example in 0..<examples.count {
      let row = start + example * units
      ink_add(row, bias, range.count)
      if hasReLU { ink_relu(row, range.count) }
    }
  }

  /// Sets the gradient to 0 where the output of a ReLU is 0.
  ///
  /// Call this before the functions for the other gradients.
  func maskGradient(
    examples: Range<Int>, output: UnsafePointer<Float>,
    outputGradient: UnsafeMutablePointer<Float>
  ) {
    guard hasReLU else { return }
    let start = examples.lowerBound * units
    ink_relu_gradient(outputGradient + start, output + start, examples.count * units)
  }

  /// Writes the gradients of weight and bias for the units in `range`, summed over `examples`.
  func parameterGradients(
    examples: Range<Int>, units range: Range<Int>, input: UnsafePointer<Float>,
    outputGradient: UnsafePointer<Float>, weightGradient: UnsafeMutablePointer<Float>,
    biasGradient: UnsafeMutablePointer<Float>
  ) {
    let gradient = outputGradient + examples.lowerBound * units + range.lowerBound
    blas.multiply(
      .init(values: gradient, stride: units, isTransposed: true),
      .init(values: input + examples.lowerBound * inputs, stride: inputs),
      rows: range.count, inner: examples.count, columns: inputs, beta: 0,
      into: weightGradient + range.lowerBound * inputs, outputStride: inputs)
    let bias = biasGradient + range.lowerBound
    bias.update(repeating: 0, count: range.count)
    for example in 0..<examples.count {
      ink_add(bias, gradient + example * units, range.count)
    }
  }

  /// Writes the gradients of the inputs in `range`.
  func inputGradient(
    examples: Range<Int>, inputs range: Range<Int>, weight: UnsafePointer<Float>,
    outputGradient: UnsafePointer<Float>, inputGradient: UnsafeMutablePointer<Float>
  ) {
    blas.multiply(
      .init(values: outputGradient + examples.lowerBound * units, stride: units),
      .init(values: weight + range.lowerBound, stride: inputs),
      rows: examples.count, inner: units, columns: range.count, beta: 0,
      into: inputGradient + examples.lowerBound * inputs + range.lowerBound, outputStride: inputs)
  }
}
