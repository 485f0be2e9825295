import CInkKernels
import InkNetwork
import ParallelLoops
import SeededRandom

// MARK: One example

/// A step that takes one example at a time, with its gradients.
protocol ExampleKernel: Sendable {
  /// The number of values of scratch memory that a worker needs.
  var scratchCount: Int { get }
  /// The number of values of the gradients that are added up over a slice.
  var gradientCount: Int { get }

  /// Writes the output; `randomness` is `nil` in evaluation.
  func forward(_ example: ExampleValues, _ randomness: Randomness?)

  /// Adds to the gradients of the parameters, and writes that of the input unless it is `nil`; may change
  /// that of the output.
  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>)
}

extension ExampleKernel {
  var scratchCount: Int { 0 }
  var gradientCount: Int { 0 }
}

/// What a step reads and writes of an example; the output may be in the place of the input.
struct ExampleValues {
  /// The number of the example among those of this process.
  let index: Int
  /// The learnt arrays of the node, one after the other.
  let parameters: UnsafePointer<Float>
  let input: UnsafeMutablePointer<Float>
  let output: UnsafeMutablePointer<Float>
  /// `nil` for an input of the network.
  let inputGradient: UnsafeMutablePointer<Float>?
  let outputGradient: UnsafeMutablePointer<Float>
  /// Where the example begins in the buffer of the input.
  let inputStart: Int
  /// The rows of the input: its steps, or its columns if `variesInWidth`, otherwise one.
  let rows: Int
  let variesInWidth: Bool
  /// The number of values of a row.
  let inputRow: Int
  let outputRow: Int
  let scratch: UnsafeMutablePointer<Float>

  /// The number of values of the input.
  var count: Int { rows * inputRow }
  /// The width of planes, or `nil` if all have the same.
  var width: Int? { variesInWidth ? rows : nil }
}

/// What the random numbers of a step of training depend on.
struct Randomness {
  let seed: UInt64
  let trainingStep: Int
  /// Where this process's share of the batch begins.
  let firstExample: Int

  /// The generator for an example in a node.
  func generator(node: Int, example: Int) -> SeededGenerator {
    SeededGenerator(
      seed: seed, stream: 0xd407, UInt64(node), UInt64(trainingStep),
      UInt64(firstExample + example))
  }
}

/// The same values for one of several nodes that read them; in the backward pass its gradient is added to
/// those of the others, or is the first.
struct CopyKernel: ExampleKernel {
  let adds: Bool

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    example.output.update(from: example.input, count: example.count)
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    if adds {
      ink_add(inputGradient, example.outputGradient, example.count)
    } else {
      inputGradient.update(from: example.outputGradient, count: example.count)
    }
  }
}

/// The values of each row in a longer row, from `start` on, or of planes after those of `start` values a row.
struct GatherKernel: ExampleKernel {
  let start: Int
  let isOfPlanes: Bool

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    guard !isOfPlanes else {
      (example.output + start * example.rows).update(from: example.input, count: example.count)
      return
    }
    for index in 0..<example.rows {
      (example.output + index * example.outputRow + start).update(
        from: example.input + index * example.inputRow, count: example.inputRow)
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    guard !isOfPlanes else {
      inputGradient.update(
        from: example.outputGradient + start * example.rows, count: example.count)
      return
    }
    for index in 0..<example.rows {
      (inputGradient + index * example.inputRow).update(
        from: example.outputGradient + index * example.outputRow + start, count: example.inputRow)
    }
  }
}

/// The transpose of `[channels, steps]`, or of `[steps, channels]` if `readsSteps`.
struct TranspositionKernel: ExampleKernel {
  let channels: Int
  let readsSteps: Bool

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    let steps = example.count / channels
    Self.exchange(
      example.input, readsSteps ? steps : channels, readsSteps ? channels : steps,
      into: example.output)
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    let steps = example.count / channels
    Self.exchange(
      example.outputGradient, readsSteps ? channels : steps, readsSteps ? steps : channels,
      into: inputGradient)
  }

  /// target[x, y] = source[y, x], of `height` rows of `width` values.
  private static func exchange(
    _ source: UnsafePointer<Float>, _ height: Int, _ width: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    for y in stride(from: 0, to: height, by: PlaneLayout.lanes) {
      ink_transpose(
        min(PlaneLayout.lanes, height - y), width, source + y * width, width, target + y, height)
    }
  }
}

// MARK: A slice

/// Where the steps of a slice's examples lie: one example after the other.
///
/// The counts are of steps from the first example of the batch on, one more than there are examples. A value
/// that is no series has one step.
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

/// What a step reads and writes of a slice of the batch; values begin with those of the batch.
struct SliceValues {
  let steps: SliceSteps
  /// The learnt arrays of the node, one after the other.
  let parameters: UnsafePointer<Float>
  let input: UnsafePointer<Float>
  let output: UnsafeMutablePointer<Float>
  /// `nil` for an input of the network.
  let inputGradient: UnsafeMutablePointer<Float>?
  let outputGradient: UnsafeMutablePointer<Float>
  let scratch: UnsafeMutablePointer<Float>
}

/// A step that takes all examples of a slice of the batch at a time, with its gradients.
protocol SliceKernel: Sendable {
  /// The number of values of scratch memory that a worker needs.
  var scratchCount: Int { get }
  /// The number of values of the gradients that the backward pass writes for a slice.
  var gradientCount: Int { get }

  /// Writes the output of a slice.
  func forward(_ slice: SliceValues)

  /// Writes the gradients of the parameters, summed over the slice, and that of the input unless that is
  /// `nil`; may change that of the output.
  func backward(_ slice: SliceValues, gradients: UnsafeMutablePointer<Float>)
}

/// A kernel that lays its weights out before each batch.
protocol WeightPacking: Sendable {
  /// Lays out the learnt arrays of a node, which lie one after the other.
  func pack(_ parameters: UnsafePointer<Float>)
}

/// A kernel whose gradients of the parameters are sums over the whole batch, made after the backward pass.
protocol BatchSums: Sendable {
  /// The number of sums.
  var batchSumCount: Int { get }

  /// Writes sum number `index`, a part of the gradients of the parameters, over all steps of the batch.
  func addUp(
    _ index: Int, _ steps: SliceSteps, input: UnsafePointer<Float>,
    gradients: UnsafeMutablePointer<Float>)
}

// MARK: The whole batch

/// A step that takes the whole batch at a time, with its gradients.
protocol BatchKernel: Sendable {
  /// Writes the output.
  func forward(_ batch: BatchValues, isTraining: Bool)

  /// Writes the gradients of the parameters, and that of the input unless it is `nil`.
  func backward(_ batch: BatchValues)
}

/// What a step reads and writes of a batch; workers write to different parts of it.
struct BatchValues: @unchecked Sendable {
  /// The number of examples of this process, and of their rows.
  let count: Int
  let rows: Int
  /// The learnt arrays of the node, one after the other, their gradients, and the running statistics.
  let parameters: UnsafePointer<Float>
  let gradients: UnsafeMutablePointer<Float>
  let statistics: UnsafeMutablePointer<Float>
  let input: UnsafePointer<Float>
  let output: UnsafeMutablePointer<Float>
  /// `nil` for an input of the network.
  let inputGradient: UnsafeMutablePointer<Float>?
  let outputGradient: UnsafeMutablePointer<Float>
  let loop: ParallelLoop
  let group: ProcessGroup
}
