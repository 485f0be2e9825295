import Synchronization

/// A network made ready to run: no system library, no allocation per call, safe to share between
/// threads.
///
/// The plan is made once: layers are fused, weights are laid out for the kernels, memory is reserved.
/// Each call takes a workspace from a pool and puts it back, so that there are as many as calls ever
/// ran at the same time.
public struct InferenceNetwork: Sendable {
  /// The number of classes.
  public let classCount: Int
  /// The number of values that go in, over all inputs.
  public let inputCount: Int
  private let inputScale: Float
  private let plan: InferencePlan
  // A caller that never asks for more than one picture need not pay for several.
  private let single = Pool()
  private let several = Pool()

  /// How many examples go through the dense layers together: more only take memory.
  private static let mostTogether = 12

  /// Memory for one call.
  private final class Workspace: @unchecked Sendable {
    let values: [FloatBuffer]
    let scratch: FloatBuffer

    init(_ plan: InferencePlan, together: Int) {
      values = plan.layouts.map { FloatBuffer(count: $0.count * together) }
      scratch = FloatBuffer(count: plan.scratchCount)
    }
  }

  /// The workspaces that nobody uses.
  private final class Pool: Sendable {
    let workspaces = Mutex<[Workspace]>([])
  }

  /// Prepares `network`; `inputScale` is what bytes that go in are multiplied with.
  public init(_ network: TrainedNetwork, inputScale: Float = 1 / 255) {
    classCount = network.architecture.classCount
    inputCount = network.architecture.inputCount
    self.inputScale = inputScale
    plan = InferencePlan(network)
  }

  /// The logits of one example in bytes, such as the grey values of a picture; one a class.
  ///
  /// - Precondition: there are as many values as the network's inputs have, one after the other.
  public func logits(of values: [UInt8]) -> [Float] {
    [Float](unsafeUninitializedCapacity: classCount) { logits, count in
      values.withUnsafeBufferPointer { compute($0, count: 1, into: logits) }
      count = classCount
    }
  }

  /// The logits of one example in numbers, one a class.
  ///
  /// - Precondition: there are as many values as the network's inputs have, one after the other.
  public func logits(of values: [Float]) -> [Float] {
    [Float](unsafeUninitializedCapacity: classCount) { logits, count in
      values.withUnsafeBufferPointer { compute($0, count: 1, into: logits) }
      count = classCount
    }
  }

  /// Computes the logits of `count` examples in bytes, on the calling thread and without allocating.
  ///
  /// Shapes: values `[count, inputs]`, each input as ``Shape`` has it; logits `[count, classes]`.
  public func compute(
    _ values: UnsafeBufferPointer<UInt8>, count: Int, into logits: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(values.count == count * inputCount, "values for \(count) examples")
    compute(count: count, into: logits) { example, layout, first, target in
      let source = values.baseAddress! + example * inputCount + first
      layout.forEachRun { planes, packed, length, stride in
        for x in 0..<length { target[packed + x * stride] = Float(source[planes + x]) * inputScale }
      }
    }
  }

  /// Computes the logits of `count` examples in numbers, on the calling thread and without allocating.
  ///
  /// Shapes: values `[count, inputs]`, each input as ``Shape`` has it; logits `[count, classes]`.
  public func compute(
    _ values: UnsafeBufferPointer<Float>, count: Int, into logits: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(values.count == count * inputCount, "values for \(count) examples")
    compute(count: count, into: logits) { example, layout, first, target in
      layout.pack(values.baseAddress! + example * inputCount + first, into: target)
    }
  }

  /// `write` writes an input of an example, which begins at value `first` of it, to its layout.
  private func compute(
    count: Int, into logits: UnsafeMutableBufferPointer<Float>,
    write: (
      _ example: Int, _ layout: PlaneLayout, _ first: Int, _ target: UnsafeMutablePointer<Float>
    ) -> Void
  ) {
    precondition(logits.count == count * classCount, "room for \(count) times the logits")
    guard count > 0 else { return }
    let together = count == 1 ? 1 : Self.mostTogether
    let pool = count == 1 ? single : several
    let workspace =
      pool.workspaces.withLock { $0.popLast() } ?? Workspace(plan, together: together)
    // Examples go through the convolutions one by one, while their planes are in cache, and through
    // the dense layers together, so that each weight is fetched once.
    for start in stride(from: 0, to: count, by: together) {
      let end = min(start + together, count)
      for example in start..<end {
        var first = 0
        for input in 0..<plan.inputCount {
          let layout = plan.layouts[input]
          write(
            example, layout, first,
            workspace.values[input].pointer + (example - start) * layout.count)
          first += layout.channels * layout.height * layout.width
        }
        for step in plan.planeSteps { run(step, from: example - start, count: 1, workspace) }
      }
      for step in plan.vectorSteps { run(step, from: 0, count: end - start, workspace) }
      let stride = plan.layouts[plan.output].count
      for example in start..<end {
        (logits.baseAddress! + example * classCount).update(
          from: workspace.values[plan.output].pointer + (example - start) * stride,
          count: classCount)
      }
    }
    pool.workspaces.withLock { $0.append(workspace) }
  }

  private func run(
    _ step: InferencePlan.Step, from example: Int, count: Int, _ workspace: Workspace
  ) {
    let (inputLayout, outputLayout) = (plan.layouts[step.input], plan.layouts[step.output])
    step.operation.run(
      count: count,
      input: workspace.values[step.input].pointer + example * inputLayout.count, inputLayout,
      output: workspace.values[step.output].pointer + example * outputLayout.count, outputLayout,
      scratch: workspace.scratch.pointer)
  }
}
