import CInkKernels
import InkNetwork

extension SeriesConvolution: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let input = plan.buffers[node.input]
    let output = TrainingPlan.Buffer(
      row: filters, maximumRows: outputLength(of: input.maximumRows),
      rows: .convolved(self, of: node.input))
    let kernel = SeriesConvolutionKernel(
      layer: self, channels: input.row, hasReLU: plan.takesReLU(after: node.index),
      maximumSteps: output.maximumRows * plan.maximumSliceExamples, blas: plan.blas)
    let step = plan.step(of: node.index, from: node.input, to: output)
    plan.append(slice: kernel, step)
    return step.output
  }
}

/// A convolution over time, or a dense layer step by step, with its gradients.
///
/// Legend: S steps of a slice that come out, C channels, F filters, a kernel of k steps. With the windows
/// X `[S, k · C]` of the input, weights W `[F, k · C]`, bias b `[F]` and the output's gradient G `[S, F]`:
///
///     output   Y  = X · Wᵀ + b
///     weights  ∂W = Gᵀ · X        bias  ∂b = Σ_S G
///     input    ∂X = G · W, added where windows overlap
///
/// Steps lie with their channels together, so that a window is one run of memory.
struct SeriesConvolutionKernel: SliceKernel {
  let layer: SeriesConvolution
  let channels: Int
  /// Whether max(0, ·) follows at once and is done in the same pass.
  let hasReLU: Bool
  /// The maximum number of output steps of a slice.
  let maximumSteps: Int
  let blas: BLAS

  private var windowCount: Int { layer.kernel * channels }
  /// Whether a window is a step, so that nothing has to be gathered.
  private var isStepByStep: Bool { layer.kernel == 1 && layer.stride == 1 }
  private var weightCount: Int { layer.filters * windowCount }

  var gradientCount: Int { weightCount + layer.filters }
  var scratchCount: Int { isStepByStep ? 0 : maximumSteps * windowCount }

  func forward(_ slice: SliceValues) {
    let steps = slice.steps
    let output = slice.output + steps.firstOutput * layer.filters
    blas.multiply(
      .init(values: windows(slice), stride: windowCount),
      .init(values: slice.parameters, stride: windowCount, isTransposed: true),
      rows: steps.outputCount, inner: windowCount, columns: layer.filters, beta: 0, into: output,
      outputStride: layer.filters)
    let bias = slice.parameters + weightCount
    for step in 0..<steps.outputCount {
      ink_add(output + step * layer.filters, bias, layer.filters)
    }
    if hasReLU { ink_relu(output, steps.outputCount * layer.filters) }
  }

  func backward(_ slice: SliceValues, gradients: UnsafeMutablePointer<Float>) {
    let (steps, scratch) = (slice.steps, slice.scratch)
    let (count, filters) = (steps.outputCount, layer.filters)
    let gradient = slice.outputGradient + steps.firstOutput * filters
    if hasReLU {
      ink_relu_gradient(gradient, slice.output + steps.firstOutput * filters, count * filters)
    }
    blas.multiply(
      .init(values: gradient, stride: filters, isTransposed: true),
      .init(values: windows(slice), stride: windowCount),
      rows: filters, inner: count, columns: windowCount, beta: 0, into: gradients,
      outputStride: windowCount)
    let bias = gradients + weightCount
    bias.update(repeating: 0, count: filters)
    for step in 0..<count { ink_add(bias, gradient + step * filters, filters) }

    guard let inputGradient = slice.inputGradient else { return }
    blas.multiply(
      .init(values: gradient, stride: filters),
      .init(values: slice.parameters, stride: windowCount),
      rows: count, inner: filters, columns: windowCount, beta: 0,
      into: isStepByStep ? inputGradient + steps.firstInput * channels : scratch,
      outputStride: windowCount)
    guard !isStepByStep else { return }
    (inputGradient + steps.firstInput * channels).update(
      repeating: 0, count: steps.inputCount * channels)
    forEachWindow(steps) { window, offset, first, count in
      ink_add(
        inputGradient + first * channels, scratch + window * windowCount + offset * channels,
        count * channels)
    }
  }

  /// The windows of the slice, one after the other.
  private func windows(_ slice: SliceValues) -> UnsafePointer<Float> {
    let (steps, input, scratch) = (slice.steps, slice.input, slice.scratch)
    if isStepByStep { return input + steps.firstInput * channels }
    forEachWindow(steps) { window, offset, first, count in
      let target = scratch + window * windowCount
      if count < layer.kernel { target.update(repeating: 0, count: windowCount) }
      (target + offset * channels).update(from: input + first * channels, count: count * channels)
    }
    return UnsafePointer(scratch)
  }

  /// Calls `body` for each window: its number in the slice, and which of its steps exist: from `offset`
  /// on, `count` steps from step `first` of the batch on.
  @inline(__always)
  private func forEachWindow(
    _ steps: SliceSteps, _ body: (_ window: Int, _ offset: Int, _ first: Int, _ count: Int) -> Void
  ) {
    var window = 0
    for example in steps.examples {
      let (start, end) = (steps.input[example], steps.input[example + 1])
      for step in 0..<steps.output[example + 1] - steps.output[example] {
        let place = start + step * layer.stride - layer.before
        let first = max(place, start)
        body(window, first - place, first, max(0, min(place + layer.kernel, end) - first))
        window += 1
      }
    }
  }
}
