import CInkKernels
import InkNetwork

/// Where the steps of a slice's examples lie: one example after the other.
///
/// The counts are of steps from the first example of the batch on, one more than there are examples.
struct SliceSteps {
  let examples: Range<Int>
  let input: UnsafePointer<Int>
  let output: UnsafePointer<Int>

  /// The first step of the slice, of what goes in and of what comes out.
  var firstInput: Int { input[examples.lowerBound] }
  var firstOutput: Int { output[examples.lowerBound] }
  /// The steps of the whole slice.
  var inputCount: Int { input[examples.upperBound] - firstInput }
  var outputCount: Int { output[examples.upperBound] - firstOutput }
}

/// A layer over series with its gradients, for all steps of a slice of the batch at a time.
///
/// `parameters` and `gradients` begin with the layer's first stored array; values begin with those of the
/// batch.
protocol SeriesKernel: Sendable {
  /// The values of all learnt arrays.
  var parameterCount: Int { get }
  /// The memory of a worker.
  var scratchCount: Int { get }

  /// How many sums ``addUp(_:_:input:gradients:)`` makes of the whole batch; where there are none,
  /// ``backward(_:parameters:input:output:outputGradient:gradients:inputGradient:scratch:)`` writes the
  /// gradients of the parameters.
  var batchSumCount: Int { get }

  /// Lays out weights before a batch.
  func pack(_ parameters: UnsafePointer<Float>)

  /// Writes the output of a slice.
  func forward(
    _ steps: SliceSteps, parameters: UnsafePointer<Float>, input: UnsafePointer<Float>,
    output: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>)

  /// Writes the gradients of the parameters, summed over the slice, and that of the input unless that is
  /// `nil`; may change that of the output.
  func backward(
    _ steps: SliceSteps, parameters: UnsafePointer<Float>, input: UnsafePointer<Float>,
    output: UnsafePointer<Float>, outputGradient: UnsafeMutablePointer<Float>,
    gradients: UnsafeMutablePointer<Float>, inputGradient: UnsafeMutablePointer<Float>?,
    scratch: UnsafeMutablePointer<Float>)

  /// Writes sum number `index`, a part of the gradients of the parameters, over all steps of the batch,
  /// after the way back.
  func addUp(
    _ index: Int, _ steps: SliceSteps, input: UnsafePointer<Float>,
    gradients: UnsafeMutablePointer<Float>)
}

extension SeriesKernel {
  var batchSumCount: Int { 0 }

  func addUp(
    _ index: Int, _ steps: SliceSteps, input: UnsafePointer<Float>,
    gradients: UnsafeMutablePointer<Float>
  ) {}

  func pack(_ parameters: UnsafePointer<Float>) {}
}
