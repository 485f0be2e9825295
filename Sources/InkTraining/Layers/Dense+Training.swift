import CInkKernels
import InkNetwork

extension Dense: TrainableLayer {
  /// A layer with more weights than this works on the whole batch: to add up its gradients slice by slice
  /// would cost more than to compute them.
  private static let maximumSlicedWeights = 1 << 18

  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    if case .series = node.shape { return stepByStep.addSteps(of: node, to: &plan) }
    let input = plan.joined(readBy: node.index)
    let kernel = DenseKernel(
      inputs: plan.buffers[input].count, units: units,
      hasReLU: plan.takesReLU(after: node.index), blas: plan.blas)
    let step = plan.step(
      of: node.index, from: input, to: TrainingPlan.Buffer(row: node.outputShape.count))
    if kernel.inputs * units > Self.maximumSlicedWeights {
      plan.append(whole: kernel, step)
    } else {
      plan.append(slice: kernel, step)
    }
    return step.output
  }
}

/// A dense layer with its gradients, for a range of examples and of units at a time.
///
/// Legend: B examples, I inputs, U units. With input X `[B, I]`, weights W `[U, I]`, bias b `[U]`
/// and the output's gradient G `[B, U]`:
///
///     output   Y  = X · Wᵀ + b
///     weights  ∂W = Gᵀ · X        bias  ∂b = Σ_B G
///     input    ∂X = G · W
struct DenseKernel: SliceKernel, BatchKernel {
  let inputs: Int
  let units: Int
  /// Whether a ReLU, max(0, ·), follows and is fused into this layer.
  let hasReLU: Bool
  let blas: BLAS

  private static let unitsPerTask = 128
  private static let inputsPerTask = 512

  private var weightCount: Int { inputs * units }

  var scratchCount: Int { 0 }
  var gradientCount: Int { weightCount + units }

  func forward(_ slice: SliceValues) {
    forward(
      examples: slice.steps.examples, units: 0..<units, input: slice.input,
      weight: slice.parameters, bias: slice.parameters + weightCount, output: slice.output)
  }

  func backward(_ slice: SliceValues, gradients: UnsafeMutablePointer<Float>) {
    let examples = slice.steps.examples
    maskGradient(
      examples: examples, output: slice.output, outputGradient: slice.outputGradient)
    parameterGradients(
      examples: examples, units: 0..<units, input: slice.input,
      outputGradient: slice.outputGradient, weightGradient: gradients,
      biasGradient: gradients + weightCount)
    guard let target = slice.inputGradient else { return }
    inputGradient(
      examples: examples, inputs: 0..<inputs, weight: slice.parameters,
      outputGradient: slice.outputGradient, inputGradient: target)
  }

  func forward(_ batch: BatchValues, isTraining: Bool) {
    let tasks = TrainingNetwork.blocks(of: units, size: Self.unitsPerTask)
    batch.loop.run(tasks.count) { task, _ in
      forward(
        examples: 0..<batch.count, units: tasks[task], input: batch.input,
        weight: batch.parameters, bias: batch.parameters + weightCount, output: batch.output)
    }
  }

  func backward(_ batch: BatchValues) {
    maskGradient(
      examples: 0..<batch.count, output: batch.output, outputGradient: batch.outputGradient)
    let units = TrainingNetwork.blocks(of: units, size: Self.unitsPerTask)
    let inputs =
      batch.inputGradient == nil
      ? [] : TrainingNetwork.blocks(of: inputs, size: Self.inputsPerTask)
    batch.loop.run(units.count + inputs.count) { task, _ in
      if task < units.count {
        parameterGradients(
          examples: 0..<batch.count, units: units[task], input: batch.input,
          outputGradient: batch.outputGradient, weightGradient: batch.gradients,
          biasGradient: batch.gradients + weightCount)
      } else {
        inputGradient(
          examples: 0..<batch.count, inputs: inputs[task - units.count], weight: batch.parameters,
          outputGradient: batch.outputGradient, inputGradient: batch.inputGradient!)
      }
    }
  }

  private func forward(
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
  private func maskGradient(
    examples: Range<Int>, output: UnsafePointer<Float>,
    outputGradient: UnsafeMutablePointer<Float>
  ) {
    guard hasReLU else { return }
    let start = examples.lowerBound * units
    ink_relu_gradient(outputGradient + start, output + start, examples.count * units)
  }

  /// Writes the gradients of weight and bias for the units in `range`, summed over `examples`.
  private func parameterGradients(
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
  private func inputGradient(
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
