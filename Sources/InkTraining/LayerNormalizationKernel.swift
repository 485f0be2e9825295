import CInkKernels
import InkNetwork

/// Layer normalisation with its gradients, step by step.
///
/// Legend: S steps of a slice, C channels. With x̂ = (x − μ) / √(σ² + ε) of each step (Ba et al., 2016):
///
///     output   y  = γ ⊙ x̂ + β
///     scale    ∂γ = Σ_S g ⊙ x̂      shift  ∂β = Σ_S g
///     input    ∂x = (g ⊙ γ − mean(g ⊙ γ) − x̂ · mean(g ⊙ γ ⊙ x̂)) / √(σ² + ε)
struct LayerNormalizationKernel: SeriesKernel {
  private let channels: Int
  /// x̂ and 1 / √(σ² + ε) of every step of the batch.
  private let normalized: FloatBuffer
  private let inverses: FloatBuffer

  init(channels: Int, mostSteps: Int) {
    self.channels = channels
    normalized = FloatBuffer(count: mostSteps * channels)
    inverses = FloatBuffer(count: mostSteps)
  }

  var parameterCount: Int { 2 * channels }
  var scratchCount: Int { 0 }

  func forward(
    _ steps: SliceSteps, parameters: UnsafePointer<Float>, input: UnsafePointer<Float>,
    output: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    let start = steps.firstInput * channels
    ink_layer_normalization(
      steps.inputCount, channels, channels, input + start, parameters, parameters + channels,
      LayerNormalization.epsilon, normalized.pointer + start, inverses.pointer + steps.firstInput,
      output + start)
  }

  func backward(
    _ steps: SliceSteps, parameters: UnsafePointer<Float>, input: UnsafePointer<Float>,
    output: UnsafePointer<Float>, outputGradient: UnsafeMutablePointer<Float>,
    gradients: UnsafeMutablePointer<Float>, inputGradient: UnsafeMutablePointer<Float>?,
    scratch: UnsafeMutablePointer<Float>
  ) {
    let start = steps.firstInput * channels
    gradients.update(repeating: 0, count: 2 * channels)
    ink_layer_normalization_gradient(
      steps.inputCount, channels, normalized.pointer + start, inverses.pointer + steps.firstInput,
      parameters, outputGradient + start, gradients, gradients + channels,
      inputGradient.map { $0 + start })
  }
}
