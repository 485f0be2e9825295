import CInkKernels
import InkNetwork

extension LayerNormalization: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let kernel = LayerNormalizationKernel(
      channels: node.shape.channelCount,
      maximumSteps: plan.buffers[node.input].maximumRows * plan.maximumExamples)
    let step = plan.step(of: node.index, from: node.input, to: plan.like(node.input))
    plan.append(slice: kernel, step)
    return step.output
  }

  /// Scales begin at 1, shifts at 0.
  func initialValues(of parameter: Parameter) -> InitialValues {
    .constant(parameter.role == .weight ? 1 : 0)
  }
}

/// Layer normalisation with its gradients, step by step.
///
/// Legend: S steps of a slice, C channels. With x̂ = (x − μ) / √(σ² + ε) of each step (Ba et al., 2016):
///
///     output   y  = γ ⊙ x̂ + β
///     scale    ∂γ = Σ_S g ⊙ x̂      shift  ∂β = Σ_S g
///     input    ∂x = (g ⊙ γ − mean(g ⊙ γ) − x̂ · mean(g ⊙ γ ⊙ x̂)) / √(σ² + ε)
struct LayerNormalizationKernel: SliceKernel {
  private let channels: Int
  /// x̂ and 1 / √(σ² + ε) of every step of the batch.
  private let normalized: FloatBuffer
  private let inverses: FloatBuffer

  init(channels: Int, maximumSteps: Int) {
    self.channels = channels
    normalized = FloatBuffer(count: maximumSteps * channels)
    inverses = FloatBuffer(count: maximumSteps)
  }

  var gradientCount: Int { 2 * channels }
  var scratchCount: Int { 0 }

  func forward(_ slice: SliceValues) {
    let (steps, parameters) = (slice.steps, slice.parameters)
    let start = steps.firstInput * channels
    ink_layer_normalization(
      steps.inputCount, channels, channels, slice.input + start, parameters, parameters + channels,
      LayerNormalization.epsilon, normalized.pointer + start, inverses.pointer + steps.firstInput,
      slice.output + start)
  }

  func backward(_ slice: SliceValues, gradients: UnsafeMutablePointer<Float>) {
    let steps = slice.steps
    let start = steps.firstInput * channels
    gradients.update(repeating: 0, count: 2 * channels)
    ink_layer_normalization_gradient(
      steps.inputCount, channels, normalized.pointer + start, inverses.pointer + steps.firstInput,
      slice.parameters, slice.outputGradient + start, gradients, gradients + channels,
      slice.inputGradient.map { $0 + start })
  }
}
