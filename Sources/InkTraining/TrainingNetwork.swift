import CInkKernels
import InkDatasets
import InkNetwork
import ParallelLoops
import SeededRandom

/// A network that learns: its weights, the memory for a batch, and the passes forwards and back.
///
/// A batch is cut into slices of a fixed size. Convolutions, pooling and small dense layers take a
/// slice through all of them while it is in cache, and their gradients are added in slice order.
/// Large dense layers and batch normalisation work on the whole batch, cut by units or channels; a
/// normalisation that is fused with a convolution only adds up what its examples have summed.
/// Neither cut depends on the number of workers, so neither do the bits of the result.
///
/// It is shared with the workers of its own loops only: each writes where its slice, units or channels are, and
/// ``firstExample`` and the packed weights change between loops. Others use it on one thread at a time.
final class TrainingNetwork: @unchecked Sendable {
  let architecture: Architecture
  let maximumExamples: Int
  /// Everything the optimiser changes, in the order of `Architecture.parameters`.
  let learnt: FloatBuffer
  /// The gradient of the loss with respect to ``learnt``.
  let gradient: FloatBuffer
  /// Running means and variances.
  let statistics: FloatBuffer

  let loop: ParallelLoop
  private let group: ProcessGroup
  private let seed: UInt64
  /// Where this process's share of the batch begins.
  private var firstExample = 0
  private let phases: [Phase]
  /// What flows between layers and its gradient, one buffer each: the rows of one example after those of
  /// the other.
  private let values: [FloatBuffer]
  private let gradients: [FloatBuffer]
  private let buffers: [TrainingPlan.Buffer]
  /// The number of rows before each example, for each buffer and the present batch.
  private let rowStarts: [RowStarts]
  private let output: Int
  private let sliceGradients: [FloatBuffer]
  /// What is added up over the slices, in pieces for the workers.
  private let sumBlocks: [(span: TrainingPlan.SliceSpan, range: Range<Int>)]
  private let packedConvolutions: [(kernel: any PackedConvolution, step: Step)]
  private let weightPackings: [(kernel: any WeightPacking, step: Step)]
  /// The sums over the whole batch that are left for the end.
  private let batchSums: [(kernel: any BatchSums, step: Step, task: Int)]
  private let scratch: [FloatBuffer]

  /// Where the data of a kernel lie.
  struct Step {
    /// Which buffers are read and written.
    var input: Int
    var output: Int
    /// Where the node's arrays begin in ``learnt`` and in ``statistics``, and the gradients in a slice's.
    var parameters = 0
    var statistics = 0
    var slice = 0
  }

  enum Phase {
    /// Work on one slice after the other.
    case slices([Run])
    /// Work on the whole batch.
    case whole(any BatchKernel, Step)
  }

  enum Run {
    /// Steps that take an example through all of them.
    case examples([(kernel: any ExampleKernel, step: Step)])
    /// A step that takes the slice at once.
    case slice(any SliceKernel, Step)
  }

  /// Makes a network with He's weights (2015, equation 15) for a leak of √5, as PyTorch has them:
  /// even between ±1 / √inputs.
  ///
  /// Those for no leak, √6 times as large, gave a higher loss on MNIST's validation examples (0.042
  /// against 0.032). Biases begin at 0.
  ///
  /// The series of a batch have at most the steps of `longest`, which has one number an input; without
  /// it, as many as the architecture allows.
  ///
  /// - Throws: `BLASError` where there is no BLAS.
  init(
    _ architecture: Architecture, longest: [Int]? = nil, maximumExamples: Int, workers: Int,
    seed: UInt64, group: ProcessGroup = .alone
  ) throws(BLASError) {
    let blas = try BLAS.load()
    self.architecture = architecture
    self.maximumExamples = maximumExamples
    self.seed = seed
    self.group = group
    loop = ParallelLoop(workers: workers)

    let plan = TrainingPlan(
      architecture, longest: longest ?? architecture.longestInputs,
      maximumExamples: maximumExamples,
      blas: blas)
    phases = plan.phases
    buffers = plan.buffers
    values = buffers.map { FloatBuffer(count: $0.count * maximumExamples) }
    gradients = buffers.map { FloatBuffer(count: $0.count * maximumExamples) }
    rowStarts = buffers.map { RowStarts(examples: maximumExamples, rows: $0.maximumRows) }
    output = plan.output
    learnt = FloatBuffer(count: plan.learntCount)
    gradient = FloatBuffer(count: plan.learntCount)
    statistics = FloatBuffer(count: plan.statisticsCount)
    sumBlocks = plan.sliceSpans.flatMap { span in
      Self.blocks(of: span.count, size: 8192).map { (span, $0) }
    }
    packedConvolutions = plan.packedConvolutions
    weightPackings = plan.weightPackings
    batchSums = plan.batchSums.flatMap { kernel, step in
      (0..<kernel.batchSumCount).map { (kernel, step, $0) }
    }
    let (sliceCount, scratchCount) = (plan.sliceCount, plan.scratchCount)
    sliceGradients = (0..<Self.maximumSlices(of: maximumExamples, for: architecture)).map { _ in
      FloatBuffer(count: sliceCount)
    }
    scratch = (0..<workers).map { _ in FloatBuffer(count: scratchCount) }
    initialize()
  }

  /// The logits of the last batch, `[batch, classes]`, or `[batch, rows, columns, …]`, for each cell those of
  /// the classes, the fields, and zeros up to a whole vector.
  var logits: UnsafeMutablePointer<Float> { values[output].pointer }

  private static let maximumSlices = 16

  /// The least examples of a slice: one page is as much work as many drawings.
  private static func minimumSlice(for architecture: Architecture?) -> Int {
    if case .distributionPerCell = architecture?.output { 1 } else { 8 }
  }

  /// The most slices of any batch up to `count`: a smaller batch may have more.
  private static func maximumSlices(of count: Int, for architecture: Architecture) -> Int {
    let least = minimumSlice(for: architecture)
    return min(maximumSlices, (count + least - 1) / least)
  }

  /// The fixed cut of a batch of `count` examples of `architecture`, or of other rows, into slices.
  static func slices(of count: Int, for architecture: Architecture? = nil) -> [Range<Int>] {
    let size = max(
      minimumSlice(for: architecture), (count + maximumSlices - 1) / maximumSlices)
    return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }

  // MARK: Weights

  private func initialize() {
    for (parameter, offset) in storedLearnt {
      let start = learnt.pointer + offset
      let layer = architecture.layers[parameter.node].training
      switch layer.initialValues(of: parameter) {
      case .constant(let value): start.update(repeating: value, count: parameter.count)
      case .uniform(let inputs):
        // Several arrays of a node have a stream each.
        let stream =
          UInt64(parameter.node) | (parameter.role == .weight ? 0 : UInt64(offset) << 16)
        var generator = SeededGenerator(seed: seed, stream: 0x11e5, stream)
        let most = 1 / Double(inputs).squareRoot()
        for index in 0..<parameter.count { start[index] = Float(generator.uniform(-most...most)) }
      }
    }
    for (parameter, offset) in storedStatistics where parameter.role == .runningVariance {
      (statistics.pointer + offset).update(repeating: 1, count: parameter.count)
    }
  }

  private var storedLearnt: [(Parameter, Int)] {
    TrainingPlan.offsets(architecture.parameters.filter(\.isLearnt))
  }

  private var storedStatistics: [(Parameter, Int)] {
    TrainingPlan.offsets(architecture.parameters.filter { !$0.isLearnt })
  }

  /// All stored arrays by name, as the model file has them.
  var weights: [String: Tensor] {
    get { tensors(learnt: learnt, statistics: statistics) }
    set {
      for (parameter, offset) in storedLearnt {
        copy(newValue[parameter.name]!, to: learnt.pointer + offset)
      }
      for (parameter, offset) in storedStatistics {
        copy(newValue[parameter.name]!, to: statistics.pointer + offset)
      }
    }
  }

  /// The learnt values of `learnt`, laid out as this network's, with `statistics`, by name.
  func tensors(learnt: FloatBuffer, statistics: FloatBuffer) -> [String: Tensor] {
    var result: [String: Tensor] = [:]
    for (stored, buffer) in [(storedLearnt, learnt), (storedStatistics, statistics)] {
      for (parameter, offset) in stored {
        result[parameter.name] = Tensor(
          shape: parameter.shape,
          values: Array(
            UnsafeBufferPointer(start: buffer.pointer + offset, count: parameter.count)))
      }
    }
    return result
  }

  private func copy(_ tensor: Tensor, to target: UnsafeMutablePointer<Float>) {
    tensor.values.withUnsafeBufferPointer {
      target.update(from: $0.baseAddress!, count: $0.count)
    }
  }

  // MARK: Passes

  /// Writes input number `input` of an example.
  typealias Fill =
    @Sendable (
      _ example: Int, _ input: Int, _ values: UnsafeMutablePointer<Float>
    ) -> Void

  /// The steps of input number `input` of an example; asked for series, and for the columns of pictures of
  /// different widths.
  typealias Length = (_ example: Int, _ input: Int) -> Int

  /// Computes the logits of `count` examples.
  ///
  /// `trainingStep` seeds what is random; `nil` is for evaluation, where nothing is. Without `length`, all
  /// series are as long as they can be.
  func forward(count: Int, trainingStep: Int?, length: Length? = nil, fill: Fill) {
    precondition(count <= maximumExamples)
    lay(out: count, length: length)
    packWeights()
    for index in phases.indices {
      forward(phase: index, count: count, trainingStep: trainingStep, fill: fill)
    }
  }

  /// Computes the loss of a batch and its gradient with respect to ``learnt``; returns the loss and how
  /// right the answers are.
  ///
  /// Each process of the group works on its share of the batch, and all end with the same sums.
  func learn<Target>(
    targets: [Target], loss: some TrainingLoss<Target>, trainingStep: Int, length: Length? = nil,
    fill: @escaping Fill
  ) -> AnswerSums {
    precondition(targets.count <= maximumExamples)
    let loss = loss.prepared(for: targets)
    let batchWeight = targets.reduce(0) { $0 + loss.weight(of: $1) }
    let share = group.share(of: targets.count)
    let count = share.count
    let targets = Array(targets[share])
    let fill: Fill = { fill(share.lowerBound + $0, $1, $2) }
    firstExample = share.lowerBound
    defer { firstExample = 0 }
    lay(out: count, length: length.map { length in { length(share.lowerBound + $0, $1) } })
    packWeights()
    let last = phases.count - 1
    for index in 0..<last {
      forward(phase: index, count: count, trainingStep: trainingStep, fill: fill)
    }
    var result: AnswerSums
    switch phases[last] {
    case .slices(let runs):
      // Forwards and back at once, while the slice is in cache.
      let slices = Self.slices(of: count, for: architecture)
      let results = loop.map(slices.count) { task, worker in
        let slice = slices[task]
        if last == 0 { self.fill(slice, fill) }
        for run in runs { forward(run, slice: slice, trainingStep: trainingStep, worker: worker) }
        let result = evaluate(slice, targets: targets, loss: loss, batchWeight: batchWeight)
        for run in runs.reversed() {
          backward(run, slice: slice, sums: sliceGradients[task].pointer, worker: worker)
        }
        return result
      }
      // Always in slice order.
      result = results.reduce(into: loss.noSums, +=)
    case .whole(let kernel, let step):
      forward(phase: last, count: count, trainingStep: trainingStep, fill: fill)
      result = evaluate(0..<count, targets: targets, loss: loss, batchWeight: batchWeight)
      kernel.backward(values(ofBatch: count, at: step))
    }
    for index in (0..<last).reversed() { backward(phase: index, count: count) }
    if count > 0 {
      addSlices(Self.slices(of: count, for: architecture).count, examples: count)
    } else {
      gradient.pointer.update(repeating: 0, count: gradient.count)
    }
    group.sum(gradient.pointer, count: gradient.count)
    result.add(over: group)
    return result
  }

  /// The loss of some examples and how right their answers are; the logits' gradients are written beside
  /// them.
  func evaluate<Target>(
    _ examples: Range<Int>, targets: [Target], loss: some TrainingLoss<Target>,
    batchWeight: Double
  ) -> AnswerSums {
    var sums = loss.noSums
    for example in examples {
      let start = start(of: example, in: output)
      sums += loss.evaluate(
        logits: values[output].pointer + start, steps: rows(of: example, in: output),
        target: targets[example], batchWeight: batchWeight,
        gradient: gradients[output].pointer + start)
    }
    if batchWeight > 0 { sums.loss /= batchWeight }
    return sums
  }

  private func packWeights() {
    loop.run(weightPackings.count) { task, _ in
      let (kernel, step) = weightPackings[task]
      kernel.pack(learnt.pointer + step.parameters)
    }
  }

  private func fill(_ examples: Range<Int>, _ fill: Fill) {
    for example in examples {
      for input in architecture.inputs.indices {
        fill(example, input, values[input].pointer + start(of: example, in: input))
      }
    }
  }

  // MARK: Rows

  /// The number of rows before each example of a batch, and that of all; they change between loops.
  private final class RowStarts: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Int>

    /// Where every example has `rows` rows.
    init(examples: Int, rows: Int) {
      pointer = .allocate(capacity: examples + 1)
      for example in 0...examples { (pointer + example).initialize(to: example * rows) }
    }

    deinit { pointer.deallocate() }
  }

  /// Computes the first row of each example.
  private func lay(out count: Int, length: Length?) {
    for (index, buffer) in buffers.enumerated() {
      let starts = rowStarts[index].pointer
      for example in 0..<count {
        let rows = buffer.rows.steps(
          inputs: { length?(example, $0) ?? buffer.maximumRows },
          values: { self.rows(of: example, in: $0) })
        guard let rows else { break }
        precondition(
          (1...buffer.maximumRows).contains(rows), "a series of a length that was stated")
        starts[example + 1] = starts[example] + rows
      }
    }
  }

  private func rows(of example: Int, in buffer: Int) -> Int {
    rowStarts[buffer].pointer[example + 1] - rowStarts[buffer].pointer[example]
  }

  /// Where the values of an example begin in a buffer, and how many there are.
  private func start(of example: Int, in buffer: Int) -> Int {
    (rowStarts[buffer].pointer[example] + example * buffers[buffer].margin) * buffers[buffer].row
  }

  private func steps(_ slice: Range<Int>, of step: Step) -> SliceSteps {
    SliceSteps(
      examples: slice, input: rowStarts[step.input].pointer, output: rowStarts[step.output].pointer)
  }

  /// The gradient of what `step` reads, or `nil` for an input of the network, for whose gradient nobody asks.
  private func inputGradient(of step: Step) -> FloatBuffer? {
    step.input < architecture.inputs.count ? nil : gradients[step.input]
  }

  private func forward(phase index: Int, count: Int, trainingStep: Int?, fill: Fill) {
    let slices = Self.slices(of: count, for: architecture)
    switch phases[index] {
    case .slices(let runs):
      loop.run(slices.count) { task, worker in
        if index == 0 { self.fill(slices[task], fill) }
        for run in runs {
          forward(run, slice: slices[task], trainingStep: trainingStep, worker: worker)
        }
      }
    case .whole(let kernel, let step):
      if index == 0 { loop.run(slices.count) { task, _ in self.fill(slices[task], fill) } }
      kernel.forward(values(ofBatch: count, at: step), isTraining: trainingStep != nil)
    }
  }

  private func backward(phase index: Int, count: Int) {
    switch phases[index] {
    case .slices(let runs):
      let slices = Self.slices(of: count, for: architecture)
      loop.run(slices.count) { task, worker in
        for run in runs.reversed() {
          backward(run, slice: slices[task], sums: sliceGradients[task].pointer, worker: worker)
        }
      }
    case .whole(let kernel, let step): kernel.backward(values(ofBatch: count, at: step))
    }
  }

  private func forward(_ run: Run, slice: Range<Int>, trainingStep: Int?, worker: Int) {
    switch run {
    case .examples(let steps):
      let randomness = trainingStep.map {
        Randomness(seed: seed, trainingStep: $0, firstExample: firstExample)
      }
      for index in slice {
        for (kernel, step) in steps {
          kernel.forward(values(of: index, at: step, worker: worker), randomness)
        }
      }
    case .slice(let kernel, let step):
      kernel.forward(values(of: slice, at: step, worker: worker))
    }
  }

  private func backward(
    _ run: Run, slice: Range<Int>, sums: UnsafeMutablePointer<Float>, worker: Int
  ) {
    switch run {
    case .examples(let steps):
      for (kernel, step) in steps {
        (sums + step.slice).update(repeating: 0, count: kernel.gradientCount)
      }
      for index in slice {
        for (kernel, step) in steps.reversed() {
          kernel.backward(
            values(of: index, at: step, worker: worker), gradients: sums + step.slice)
        }
      }
    case .slice(let kernel, let step):
      kernel.backward(
        values(of: slice, at: step, worker: worker), gradients: sums + step.slice)
    }
  }

  /// What `step` reads and writes of an example.
  private func values(of index: Int, at step: Step, worker: Int) -> ExampleValues {
    let (input, output) = (start(of: index, in: step.input), start(of: index, in: step.output))
    return ExampleValues(
      index: index, parameters: learnt.pointer + step.parameters,
      input: values[step.input].pointer + input, output: values[step.output].pointer + output,
      inputGradient: inputGradient(of: step).map { $0.pointer + input },
      outputGradient: gradients[step.output].pointer + output, inputStart: input,
      rows: rows(of: index, in: step.input), variesInWidth: !buffers[step.input].rows.isFixed,
      inputRow: buffers[step.input].row, outputRow: buffers[step.output].row,
      scratch: scratch[worker].pointer)
  }

  /// What `step` reads and writes of a slice.
  private func values(of slice: Range<Int>, at step: Step, worker: Int) -> SliceValues {
    SliceValues(
      steps: steps(slice, of: step), parameters: learnt.pointer + step.parameters,
      input: values[step.input].pointer, output: values[step.output].pointer,
      inputGradient: inputGradient(of: step)?.pointer,
      outputGradient: gradients[step.output].pointer, scratch: scratch[worker].pointer)
  }

  /// What `step` reads and writes of a batch of `count` examples.
  private func values(ofBatch count: Int, at step: Step) -> BatchValues {
    BatchValues(
      count: count, rows: rowStarts[step.input].pointer[count],
      parameters: learnt.pointer + step.parameters, gradients: gradient.pointer + step.parameters,
      statistics: statistics.pointer + step.statistics, input: values[step.input].pointer,
      output: values[step.output].pointer, inputGradient: inputGradient(of: step)?.pointer,
      outputGradient: gradients[step.output].pointer, loop: loop, group: group)
  }

  /// Adds the slices' gradients, always in slice order, and makes the sums over the whole batch.
  private func addSlices(_ count: Int, examples: Int) {
    loop.run(batchSums.count + sumBlocks.count) { task, _ in
      if task < batchSums.count {
        let (kernel, step, number) = batchSums[task]
        kernel.addUp(
          number, steps(0..<examples, of: step), input: values[step.input].pointer,
          gradients: gradient.pointer + step.parameters)
        return
      }
      let (span, range) = sumBlocks[task - batchSums.count]
      let start = span.slice + range.lowerBound
      let first = sliceGradients[0].pointer + start
      var target = first
      if let total = span.total {
        target = gradient.pointer + total + range.lowerBound
        target.update(from: first, count: range.count)
      }
      for slice in 1..<max(1, count) {
        ink_add(target, sliceGradients[slice].pointer + start, range.count)
      }
    }
    loop.run(packedConvolutions.count) { task, _ in
      let (kernel, step) = packedConvolutions[task]
      kernel.unpack(
        gradients: sliceGradients[0].pointer + step.slice,
        into: gradient.pointer + step.parameters)
    }
  }

  /// Cuts `count` values into blocks of `size`.
  static func blocks(of count: Int, size: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }
}
