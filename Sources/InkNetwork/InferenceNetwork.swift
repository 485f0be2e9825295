import ParallelLoops
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
  /// Whether one example is worth several cores.
  private let isWorthSpreading: Bool
  private let output: Architecture.Output
  /// Where the values of each input begin where all follow each other at their longest.
  private let starts: [Int]
  /// The allowed numbers of steps of each input, and the values of a step.
  private let bounds: [ClosedRange<Int>]
  private let valuesPerStep: [Int]
  private let longest: [Int]
  // A caller that never asks for more than one picture need not pay for several.
  private let single = Pool()
  private let several = Pool()

  /// How many examples go through the dense layers together: more only take memory.
  private static let maximumTogether = 12

  /// Memory for one call: the pool gives it to one at a time.
  private final class Workspace: @unchecked Sendable {
    let values: [FloatBuffer]
    /// Scratch memory for each core.
    private(set) var scratch: [FloatBuffer]
    /// The values of an example in each of ``values``.
    let counts: [Int]
    /// The steps of the present example, for each layout.
    let steps: UnsafeMutablePointer<Int>
    /// The layouts for these steps.
    private(set) var layouts: [PlaneLayout]
    private let together: Int
    private var isLaidOut = false
    /// The most steps of each input.
    let longest: [Int]

    init(_ plan: InferencePlan, together: Int, longest: [Int]) {
      self.longest = longest
      self.together = together
      layouts = plan.layouts
      steps = .allocate(capacity: plan.layouts.count)
      let steps = steps
      for (index, layout) in plan.layouts.enumerated() {
        (steps + index).initialize(
          to: plan.lengths[index].steps(inputs: { longest[$0] }, values: { steps[$0] })
            ?? (layout.isSeries ? layout.width : 1))
      }
      counts = plan.layouts.enumerated().map { index, layout in
        layout.variesInWidth
          ? layout.with(width: steps[index]).count
          : layout.isSeries ? steps[index] * layout.packedChannels : layout.count
      }
      values = counts.map { FloatBuffer(count: $0 * together) }
      let maximumSteps = plan.layouts.indices.map { steps[$0] }.max() ?? 0
      scratch = [FloatBuffer(count: max(plan.scratchCount, maximumSteps))]
    }

    /// Makes scratch memory for so many cores.
    func makeRoom(workers: Int) {
      while scratch.count < workers { scratch.append(FloatBuffer(count: scratch[0].count)) }
    }

    deinit { steps.deallocate() }

    /// The values of an example in a layout.
    func values(_ layout: Int, of example: Int) -> PlacedValues {
      PlacedValues(
        memory: values[layout].pointer + example * counts[layout], layout: layouts[layout],
        steps: steps[layout])
    }

    /// Lays out inputs of so many steps.
    func lay(out length: [Int], _ plan: InferencePlan) {
      for (index, rule) in plan.lengths.enumerated() {
        guard let count = rule.steps(inputs: { length[$0] }, values: { steps[$0] }) else {
          continue
        }
        steps[index] = count
        guard plan.layouts[index].variesInWidth, layouts[index].width != count || !isLaidOut else {
          continue
        }
        layouts[index] = plan.layouts[index].with(width: count)
        for example in 0..<together {
          layouts[index].clearMargins(values[index].pointer + example * counts[index])
        }
      }
      isLaidOut = true
    }
  }

  /// The workspaces that nobody uses.
  private final class Pool: Sendable {
    let workspaces = Mutex<[Workspace]>([])
  }

  /// Whether there is a series.
  private var hasSeries: Bool { plan.layouts.prefix(plan.inputCount).contains { $0.isSeries } }

  /// Whether examples may have different numbers of steps.
  private var variesInLength: Bool { bounds.contains { $0.count > 1 } }

  /// Prepares `network`; `inputScale` is what bytes that go in are multiplied with.
  ///
  /// - Precondition: its output is no distribution for each cell, which ``CellNetwork`` computes.
  public init(_ network: TrainedNetwork, inputScale: Float = 1 / 255) {
    self.init(network, inputScale: inputScale, spreadFrom: Self.usualSpread)
  }

  /// The same; several cores share an example of a network with so many multiplications at its longest.
  package init(_ network: TrainedNetwork, inputScale: Float = 1 / 255, spreadFrom spread: Int) {
    classCount = network.architecture.classCount
    inputCount = network.architecture.inputCount
    self.inputScale = inputScale
    let architecture = network.architecture
    output = architecture.output
    if case .distributionPerCell = output { preconditionFailure("a network for CellNetwork") }
    starts = architecture.inputShapes.indices.map { index in
      architecture.inputShapes[..<index].reduce(0) { $0 + $1.count }
    }
    bounds = architecture.inputs.map(\.stepBounds)
    valuesPerStep = architecture.inputs.map(\.valuesPerStep)
    longest = architecture.longestInputs
    plan = InferencePlan(network)
    isWorthSpreading = architecture.multiplyAdds.reduce(0, +) >= spread
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
  ///
  /// - Precondition: the buffers have these sizes, and no input is a series.
  public func compute(
    _ values: UnsafeBufferPointer<UInt8>, count: Int, into logits: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(values.count == count * inputCount, "values for \(count) examples")
    precondition(logits.count == count * classCount, "room for \(count) times the logits")
    precondition(!hasSeries, "series are numbers")
    _ = compute(count: count, into: logits, length: longest) { example, input, _, layout, target in
      let source = values.baseAddress! + example * inputCount + starts[input]
      layout.pack(source, scale: inputScale, into: target)
    }
  }

  /// Computes the logits of `count` examples in numbers, on the calling thread and without allocating.
  ///
  /// Shapes: values `[count, inputs]`, each input as ``Shape`` has it, at its longest; logits
  /// `[count, classes]`.
  ///
  /// - Precondition: the buffers have these sizes.
  public func compute(
    _ values: UnsafeBufferPointer<Float>, count: Int, into logits: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(values.count == count * inputCount, "values for \(count) examples")
    precondition(logits.count == count * classCount, "room for \(count) times the logits")
    _ = compute(count: count, into: logits, length: longest) {
      example, input, steps, layout, target in
      write(
        values.baseAddress! + example * inputCount + starts[input], layout, steps: steps,
        into: target)
    }
  }

  /// The logits of one example, whose series are as long as they are: `[classes]`, or
  /// `[steps, classes]` where there is a distribution for each step; on `workers` cores, with the same bytes for
  /// any number; a network that is small at its longest input takes one core.
  ///
  /// - Precondition: `inputs` has the values of each input, and series and pictures are neither shorter nor
  ///   longer than the architecture allows.
  public func logits(of inputs: [[Float]], workers: Int = 1) -> [Float] {
    precondition(inputs.count == plan.inputCount, "one array for each input")
    let steps = inputs.indices.map { index in
      let steps = inputs[index].count / valuesPerStep[index]
      precondition(
        inputs[index].count % valuesPerStep[index] == 0 && bounds[index] ~= steps,
        "an input of \(bounds[index].lowerBound) to \(bounds[index].upperBound) steps of "
          + "\(valuesPerStep[index]) values")
      return steps
    }
    let most = output == .distributionPerStep ? outputSteps(of: steps) : 1
    return [Float](unsafeUninitializedCapacity: most * classCount) { logits, count in
      count = compute(count: 1, into: logits, length: steps, workers: workers) {
        _, input, steps, layout, target in
        inputs[input].withUnsafeBufferPointer {
          write($0.baseAddress!, layout, steps: steps, into: target)
        }
      }
    }
  }

  /// The steps that come out of inputs of so many steps.
  private func outputSteps(of inputs: [Int]) -> Int {
    var steps: [Int] = []
    for (index, length) in plan.lengths.enumerated() {
      steps.append(
        length.steps(inputs: { inputs[$0] }, values: { steps[$0] }) ?? plan.layouts[index].width)
    }
    return steps[plan.output]
  }

  /// Writes an input in numbers to its layout.
  @inline(__always)
  private func write(
    _ values: UnsafePointer<Float>, _ layout: PlaneLayout, steps: Int,
    into target: UnsafeMutablePointer<Float>
  ) {
    if layout.isSeries {
      layout.pack(values, count: steps, into: target)
    } else {
      layout.pack(values, into: target)
    }
  }

  /// Computes the logits; returns how many there are.
  ///
  /// `length` has the steps of each input, the same for all examples; `write` writes an input of an
  /// example to its layout.
  @inline(__always)
  private func compute(
    count: Int, into logits: UnsafeMutableBufferPointer<Float>, length: [Int], workers: Int = 1,
    write: (
      _ example: Int, _ input: Int, _ steps: Int, _ layout: PlaneLayout,
      _ target: UnsafeMutablePointer<Float>
    ) -> Void
  ) -> Int {
    guard count > 0 else { return 0 }
    let together = count == 1 ? 1 : Self.maximumTogether
    let pool = count == 1 ? single : several
    var workspace = pool.workspaces.withLock { $0.popLast() }
    if let found = workspace, zip(found.longest, length).contains(where: { $0 < $1 }) {
      workspace = nil
    }
    let memory = workspace ?? Workspace(plan, together: together, longest: length)
    if variesInLength { memory.lay(out: length, plan) }
    let outputSteps = output == .distributionPerStep ? memory.steps[plan.output] : 1
    let isSpread = workers > 1 && count == 1 && isWorthSpreading
    // Examples go through the convolutions one by one, while their planes are in cache, and through
    // the dense layers together, so that each weight is fetched once.
    for start in stride(from: 0, to: count, by: together) {
      let end = min(start + together, count)
      for example in start..<end {
        for input in 0..<plan.inputCount {
          write(
            example, input, memory.steps[input], memory.layouts[input],
            memory.values[input].pointer + (example - start) * memory.counts[input])
        }
        if isSpread {
          runStages(memory, ParallelLoop(workers: workers))
        } else {
          for step in plan.planeSteps { run(step, from: example - start, count: 1, memory) }
        }
      }
      if !isSpread {
        for step in plan.vectorSteps { run(step, from: 0, count: end - start, memory) }
      }
      let (stride, row) = (memory.counts[plan.output], plan.layouts[plan.output].packedChannels)
      for example in start..<end {
        for step in 0..<outputSteps {
          (logits.baseAddress! + (example * outputSteps + step) * classCount).update(
            from: memory.values[plan.output].pointer + (example - start) * stride + step * row,
            count: classCount)
        }
      }
    }
    pool.workspaces.withLock { $0.append(memory) }
    return count * outputSteps * classCount
  }

  private func run(
    _ step: InferencePlan.Step, from example: Int, count: Int, _ memory: Workspace
  ) {
    let scratch = memory.scratch[0].pointer
    if let joining = step.joins {
      for index in 0..<count {
        joining.run(
          rows: 0..<memory.layouts[step.output].height,
          { memory.values(step.inputs[$0], of: example + index) },
          memory.values(step.output, of: example + index), scratch: scratch)
      }
      return
    }
    step.operation.run(
      count: count, memory.values(step.input, of: example), memory.values(step.output, of: example),
      scratch: scratch)
  }

  // MARK: Several cores

  /// The multiplications from which several cores are worth it: on two of an AMD EPYC, `lenet` with 14 million
  /// takes 105 instead of 133 µs, and `sketch` with 3 million 18.7 instead of 16.5 µs.
  private static let usualSpread = 8_000_000
  /// The least steps that are worth a task.
  private static let leastSteps = 8

  /// Computes all steps for one example: those that write parts of the same value side by side, others in bands of
  /// rows, steps or units.
  private func runStages(_ memory: Workspace, _ loop: ParallelLoop) {
    memory.makeRoom(workers: loop.workers)
    let most = 2 * loop.workers
    let tasks = plan.stages.map { steps in
      let output = memory.values(steps[0].output, of: 0)
      if steps.count > 1 { return steps.count }
      if let rows = steps[0].rows {
        return max(1, min(most, output.layout.height / rows.rowMultiple))
      }
      if steps[0].joins != nil { return max(1, min(most, output.layout.height / 2)) }
      // One part a core: each reads the weights from memory, at the same speed.
      if let units = steps[0].units {
        return max(1, min(loop.workers, output.layout.count / units.unitMultiple))
      }
      return steps[0].steps == nil ? 1 : max(1, min(most, output.steps / Self.leastSteps))
    }
    loop.run(stages: tasks) { stage, task, worker in
      let scratch = memory.scratch[worker].pointer
      let steps = plan.stages[stage]
      let step = steps.count > 1 ? steps[task] : steps[0]
      let parts = steps.count > 1 ? 1 : tasks[stage]
      let part = steps.count > 1 ? 0 : task
      let output = memory.values(step.output, of: 0)
      func range(of count: Int, multiple: Int) -> Range<Int> {
        func bound(_ part: Int) -> Int {
          part == parts ? count : count * part / parts / multiple * multiple
        }
        return bound(part)..<bound(part + 1)
      }
      if let operation = step.joins {
        operation.run(
          rows: range(of: output.layout.height, multiple: 2),
          { memory.values(step.inputs[$0], of: 0) }, output, scratch: scratch)
      } else if let operation = step.rows {
        operation.run(
          rows: range(of: output.layout.height, multiple: operation.rowMultiple),
          memory.values(step.input, of: 0), output, scratch: scratch)
      } else if let operation = step.units {
        operation.run(
          units: range(of: output.layout.count, multiple: operation.unitMultiple),
          memory.values(step.input, of: 0), output, scratch: scratch)
      } else if let operation = step.steps {
        operation.run(
          steps: range(of: output.steps, multiple: 1), memory.values(step.input, of: 0), output,
          scratch: scratch)
      } else {
        step.operation.run(count: 1, memory.values(step.input, of: 0), output, scratch: scratch)
      }
    }
  }
}
