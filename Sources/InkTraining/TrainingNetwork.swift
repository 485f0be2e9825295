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
  let mostExamples: Int
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
  private let seriesKernels: [(kernel: any SeriesKernel, step: Step)]
  /// The sums over the whole batch that layers over series leave for the end.
  private let batchSums: [(kernel: any SeriesKernel, step: Step, task: Int)]
  private let scratch: [FloatBuffer]

  /// A layer with where its data lie.
  struct Step {
    enum Operation {
      case convolution(ConvolutionKernel)
      case pooling(PoolingKernel, choices: ChoiceBuffer<Int32>)
      case pooledConvolution(PooledConvolutionKernel, choices: ChoiceBuffer<UInt8>)
      case normalizedConvolution(
        NormalizedConvolutionKernel, NormalizedConvolutionKernel.Stage)
      /// Planes with the channels first are brought into the order of a packed convolution, and back.
      case pack(PlaneLayout)
      case unpack(PlaneLayout)
      /// The same values for one of several nodes that read them; in the backward pass its gradient is added
      /// to those of the others, or is the first.
      case copy(adds: Bool)
      /// The values of each row in a longer row, from `start` on.
      case gather(start: Int)
      /// The transpose of `[channels, steps]`, and of `[steps, channels]`.
      case toSteps(channels: Int)
      case fromSteps(channels: Int)
      case dense(DenseKernel)
      /// `statistics` is `[5, C]`: means, 1 / √(σ² + ε), and three factors that a pass works with.
      case batchNormalization(
        BatchNormalizationKernel, statistics: FloatBuffer, sums: ChannelSums, others: ChannelSums)
      case relu
      case dropout(rate: Float, layer: Int, mask: FloatBuffer)
    }

    var operation: Operation
    /// Which buffers are read and written.
    var input: Int
    var output: Int
    /// Where the layer's learnt arrays, the first of which has weights, and its bias begin in ``learnt``;
    /// where both are in a slice's gradients; and where the running ones are in ``statistics``.
    var weight = 0
    var bias = 0
    var sliceWeight = 0
    var sliceBias = 0
    var runningMean = 0
    var runningVariance = 0

    /// Takes over where the parameters of layer `index` begin.
    mutating func place(_ offsets: [Parameter: Int], of index: Int) {
      let own = offsets.filter { $0.key.node == index }
      func offset(of role: Parameter.Role) -> Int { own.first { $0.key.role == role }?.value ?? 0 }
      weight = own.filter(\.key.isLearnt).map(\.value).min() ?? 0
      bias = offset(of: .bias)
      runningMean = offset(of: .runningMean)
      runningVariance = offset(of: .runningVariance)
    }
  }

  enum Phase {
    /// Work on one slice after the other: runs of steps that take an example through all of them,
    /// and dense layers, which take the slice at once.
    case slices([Run])
    /// Work on the whole batch.
    case whole(Step)
  }

  enum Run {
    case examples([Step])
    case dense(Step, DenseKernel)
    case series(Step, any SeriesKernel)
  }

  private static let unitsPerTask = 128
  private static let inputsPerTask = 512

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
    _ architecture: Architecture, longest: [Int]? = nil, mostExamples: Int, workers: Int,
    seed: UInt64, group: ProcessGroup = .alone
  ) throws(BLASError) {
    let blas = try BLAS.load()
    self.architecture = architecture
    self.mostExamples = mostExamples
    self.seed = seed
    self.group = group
    loop = ParallelLoop(workers: workers)

    let plan = TrainingPlan(
      architecture, longest: longest ?? architecture.longestInputs, mostExamples: mostExamples,
      blas: blas)
    phases = plan.phases
    buffers = plan.buffers
    values = buffers.map { FloatBuffer(count: $0.count * mostExamples) }
    gradients = buffers.map { FloatBuffer(count: $0.count * mostExamples) }
    rowStarts = buffers.map { RowStarts(examples: mostExamples, rows: $0.mostRows) }
    output = plan.output
    learnt = FloatBuffer(count: plan.learntCount)
    gradient = FloatBuffer(count: plan.learntCount)
    statistics = FloatBuffer(count: plan.statisticsCount)
    sumBlocks = plan.sliceSpans.flatMap { span in
      Self.blocks(of: span.count, size: 8192).map { (span, $0) }
    }
    packedConvolutions = plan.packedConvolutions
    seriesKernels = plan.seriesKernels
    batchSums = seriesKernels.flatMap { kernel, step in
      (0..<kernel.batchSumCount).map { (kernel, step, $0) }
    }
    let (sliceCount, scratchCount) = (plan.sliceCount, plan.scratchCount)
    sliceGradients = (0..<Self.mostSlices(of: mostExamples)).map { _ in
      FloatBuffer(count: sliceCount)
    }
    scratch = (0..<workers).map { _ in FloatBuffer(count: scratchCount) }
    initialize()
  }

  /// The logits of the last batch, `[batch, classes]`.
  var logits: UnsafeMutablePointer<Float> { values[output].pointer }

  private static let mostSlices = 16
  private static let leastSlice = 8

  /// The most slices of any batch up to `count`: a smaller batch may have more.
  private static func mostSlices(of count: Int) -> Int {
    min(mostSlices, (count + leastSlice - 1) / leastSlice)
  }

  /// The fixed cut of a batch into slices.
  static func slices(of count: Int) -> [Range<Int>] {
    let size = max(leastSlice, (count + mostSlices - 1) / mostSlices)
    return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }

  // MARK: Weights

  private func initialize() {
    for (parameter, offset) in storedLearnt {
      let start = learnt.pointer + offset
      let layer = architecture.layers[parameter.node]
      let inputs: Int
      var stream = UInt64(parameter.node)
      switch parameter.role {
      case .weight:
        switch layer {
        case .batchNormalization, .layerNormalization:
          start.update(repeating: 1, count: parameter.count)
          continue
        case .convolution, .dense, .seriesConvolution, .timePooling:
          inputs = parameter.count / parameter.shape[0]
        case .relu, .maxPooling, .flatten, .dropout, .gru, .lstm, .concatenation, .columns:
          preconditionFailure("\(layer.kind) has no weight")
        }
      case .inputWeight, .stateWeight, .inputWeightBackward, .stateWeightBackward:
        guard let recurrent = layer.recurrent else {
          preconditionFailure("only recurrent layers have weights of a state")
        }
        // The bound depends on the size of the state, as in PyTorch.
        inputs = parameter.shape[0] / type(of: recurrent).gates
        stream |= UInt64(offset) << 16
      case .bias, .inputBias, .stateBias, .inputBiasBackward, .stateBiasBackward: continue
      case .runningMean, .runningVariance: preconditionFailure("statistics are not learnt")
      }
      var generator = SeededGenerator(seed: seed, stream: 0x11e5, stream)
      let most = 1 / Double(inputs).squareRoot()
      for index in 0..<parameter.count { start[index] = Float(generator.uniform(-most...most)) }
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
    precondition(count <= mostExamples)
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
  func learn(
    targets: [[Int]], loss: any TrainingLoss, trainingStep: Int, length: Length? = nil,
    fill: @escaping Fill
  ) -> AnswerSums {
    precondition(targets.count <= mostExamples)
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
      let slices = Self.slices(of: count)
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
      result = results.reduce(into: AnswerSums(), +=)
    case .whole(let step):
      forward(phase: last, count: count, trainingStep: trainingStep, fill: fill)
      result = evaluate(0..<count, targets: targets, loss: loss, batchWeight: batchWeight)
      backwardWhole(step, count: count)
    }
    for index in (0..<last).reversed() { backward(phase: index, count: count) }
    if count > 0 {
      addSlices(Self.slices(of: count).count, examples: count)
    } else {
      gradient.pointer.update(repeating: 0, count: gradient.count)
    }
    group.sum(gradient.pointer, count: gradient.count)
    result.add(over: group)
    return result
  }

  /// The loss of some examples and how right their answers are; the logits' gradients are written beside
  /// them.
  func evaluate(
    _ examples: Range<Int>, targets: [[Int]], loss: any TrainingLoss, batchWeight: Double
  ) -> AnswerSums {
    var sums = AnswerSums()
    for example in examples {
      let start = start(of: example, in: output)
      sums += loss.evaluate(
        logits: values[output].pointer + start, steps: rows(of: example, in: output),
        target: targets[example], batchWeight: batchWeight,
        gradient: gradients[output].pointer + start)
    }
    sums.loss /= batchWeight
    return sums
  }

  private func packWeights() {
    loop.run(packedConvolutions.count + seriesKernels.count) { task, _ in
      if task < packedConvolutions.count {
        let (kernel, step) = packedConvolutions[task]
        kernel.pack(weight: learnt.pointer + step.weight, bias: learnt.pointer + step.bias)
      } else {
        let (kernel, step) = seriesKernels[task - packedConvolutions.count]
        kernel.pack(learnt.pointer + step.weight)
      }
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
          inputs: { length?(example, $0) ?? buffer.mostRows },
          values: { self.rows(of: example, in: $0) })
        guard let rows else { break }
        precondition((1...buffer.mostRows).contains(rows), "a series of a length that was stated")
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

  /// The layout of an example's packed planes.
  private func layout(_ layout: PlaneLayout, of example: Int, in buffer: Int) -> PlaneLayout {
    layout.variesInWidth ? layout.with(width: rows(of: example, in: buffer)) : layout
  }

  /// The width of an example's planes, or `nil` if all have the same.
  private func width(of example: Int, in buffer: Int) -> Int? {
    buffers[buffer].rows.isFixed ? nil : rows(of: example, in: buffer)
  }

  private func count(of example: Int, in buffer: Int) -> Int {
    rows(of: example, in: buffer) * buffers[buffer].row
  }

  private func steps(_ slice: Range<Int>, of step: Step) -> SliceSteps {
    SliceSteps(
      examples: slice, input: rowStarts[step.input].pointer, output: rowStarts[step.output].pointer)
  }

  /// Whether a buffer is an input, for whose gradient nobody asks.
  private func isInput(_ buffer: Int) -> Bool { buffer < architecture.inputs.count }

  private func forward(phase index: Int, count: Int, trainingStep: Int?, fill: Fill) {
    let slices = Self.slices(of: count)
    switch phases[index] {
    case .slices(let runs):
      loop.run(slices.count) { task, worker in
        if index == 0 { self.fill(slices[task], fill) }
        for run in runs {
          forward(run, slice: slices[task], trainingStep: trainingStep, worker: worker)
        }
      }
    case .whole(let step):
      if index == 0 { loop.run(slices.count) { task, _ in self.fill(slices[task], fill) } }
      forwardWhole(step, count: count, isTraining: trainingStep != nil)
    }
  }

  private func backward(phase index: Int, count: Int) {
    switch phases[index] {
    case .slices(let runs):
      let slices = Self.slices(of: count)
      loop.run(slices.count) { task, worker in
        for run in runs.reversed() {
          backward(run, slice: slices[task], sums: sliceGradients[task].pointer, worker: worker)
        }
      }
    case .whole(let step): backwardWhole(step, count: count)
    }
  }

  private func forward(_ run: Run, slice: Range<Int>, trainingStep: Int?, worker: Int) {
    switch run {
    case .examples(let steps):
      for example in slice {
        for step in steps {
          forward(step, example: example, trainingStep: trainingStep, worker: worker)
        }
      }
    case .dense(let step, let kernel):
      kernel.forward(
        examples: slice, units: 0..<kernel.units, input: values[step.input].pointer,
        weight: learnt.pointer + step.weight, bias: learnt.pointer + step.bias,
        output: values[step.output].pointer)
    case .series(let step, let kernel):
      kernel.forward(
        steps(slice, of: step), parameters: learnt.pointer + step.weight,
        input: values[step.input].pointer, output: values[step.output].pointer,
        scratch: scratch[worker].pointer)
    }
  }

  private func backward(
    _ run: Run, slice: Range<Int>, sums: UnsafeMutablePointer<Float>, worker: Int
  ) {
    switch run {
    case .examples(let steps):
      for step in steps { zeroGradients(of: step, in: sums) }
      for example in slice {
        for step in steps.reversed() {
          backward(step, example: example, sums: sums, worker: worker)
        }
      }
    case .dense(let step, let kernel):
      let outputGradient = gradients[step.output].pointer
      kernel.maskGradient(
        examples: slice, output: values[step.output].pointer, outputGradient: outputGradient)
      kernel.parameterGradients(
        examples: slice, units: 0..<kernel.units, input: values[step.input].pointer,
        outputGradient: outputGradient, weightGradient: sums + step.sliceWeight,
        biasGradient: sums + step.sliceBias)
      guard !isInput(step.input) else { return }
      kernel.inputGradient(
        examples: slice, inputs: 0..<kernel.inputs, weight: learnt.pointer + step.weight,
        outputGradient: outputGradient, inputGradient: gradients[step.input].pointer)
    case .series(let step, let kernel):
      kernel.backward(
        steps(slice, of: step), parameters: learnt.pointer + step.weight,
        input: values[step.input].pointer, output: values[step.output].pointer,
        outputGradient: gradients[step.output].pointer, gradients: sums + step.sliceWeight,
        inputGradient: isInput(step.input) ? nil : gradients[step.input].pointer,
        scratch: scratch[worker].pointer)
    }
  }

  private func forward(_ step: Step, example: Int, trainingStep: Int?, worker: Int) {
    let input = values[step.input].pointer + start(of: example, in: step.input)
    let output = values[step.output].pointer + start(of: example, in: step.output)
    switch step.operation {
    case .convolution(let kernel):
      kernel.with(width: width(of: example, in: step.input)).forward(
        input: input, weight: learnt.pointer + step.weight, bias: learnt.pointer + step.bias,
        output: output, scratch: scratch[worker].pointer)
    case .pooling(let kernel, let choices):
      kernel.with(width: width(of: example, in: step.input)).forward(
        input: input, output: output,
        choices: choices.pointer + example * buffers[step.output].count)
    case .pooledConvolution(let kernel, let choices):
      kernel.forward(
        width: width(of: example, in: step.input), input: input, output: output,
        choices: choices.pointer + example * kernel.choiceCount, scratch: scratch[worker].pointer)
    case .normalizedConvolution(let kernel, .normalize):
      kernel.normalize(example: example, output: output)
    case .normalizedConvolution(let kernel, .convolve):
      kernel.convolve(
        example: example, width: width(of: example, in: step.input),
        isTraining: trainingStep != nil, input: input, scratch: scratch[worker].pointer)
    case .pack(let layout):
      let layout = self.layout(layout, of: example, in: step.output)
      if layout.variesInWidth { layout.clearMargins(output) }
      layout.pack(input, into: output)
    case .unpack(let layout):
      self.layout(layout, of: example, in: step.input).unpack(input, into: output)
    case .copy: output.update(from: input, count: count(of: example, in: step.input))
    case .gather(let start):
      let (row, target) = (buffers[step.input].row, buffers[step.output].row)
      for index in 0..<rows(of: example, in: step.input) {
        (output + index * target + start).update(from: input + index * row, count: row)
      }
    case .toSteps(let channels):
      let steps = count(of: example, in: step.input) / channels
      Self.exchange(input, channels, steps, into: output)
    case .fromSteps(let channels):
      let steps = count(of: example, in: step.input) / channels
      Self.exchange(input, steps, channels, into: output)
    case .relu: ink_relu(output, count(of: example, in: step.input))
    case .dropout(let rate, let layer, let mask):
      guard let trainingStep, rate > 0 else { return }
      var generator = SeededGenerator(
        seed: seed, stream: 0xd407, UInt64(layer), UInt64(trainingStep),
        UInt64(firstExample + example))
      let factors = mask.pointer + start(of: example, in: step.input)
      let kept = 1 / (1 - rate)
      let count = count(of: example, in: step.input)
      // Numbers first, and then vectors of them: a branch each would be guessed wrong too often.
      for index in 0..<count { factors[index] = Float(generator.uniform()) }
      for index in 0..<count {
        factors[index] = factors[index] < rate ? 0 : kept
        output[index] *= factors[index]
      }
    case .dense, .batchNormalization, .normalizedConvolution(_, .gather):
      preconditionFailure("handled for several examples at once")
    }
  }

  private func backward(
    _ step: Step, example: Int, sums: UnsafeMutablePointer<Float>, worker: Int
  ) {
    let (inputStart, outputStart) = (
      start(of: example, in: step.input), start(of: example, in: step.output)
    )
    let (input, output) = (
      values[step.input].pointer + inputStart, values[step.output].pointer + outputStart
    )
    let outputGradient = gradients[step.output].pointer + outputStart
    let inputGradient = gradients[step.input].pointer + inputStart
    let isFirst = isInput(step.input)
    switch step.operation {
    case .convolution(let kernel):
      kernel.with(width: width(of: example, in: step.input)).backward(
        input: input, output: output, weight: learnt.pointer + step.weight,
        outputGradient: outputGradient, weightGradient: sums + step.sliceWeight,
        biasGradient: sums + step.sliceBias, inputGradient: isFirst ? nil : inputGradient,
        scratch: scratch[worker].pointer)
    case .pooling(let kernel, let choices):
      guard !isFirst else { return }
      kernel.with(width: width(of: example, in: step.input)).backward(
        outputGradient: outputGradient,
        choices: choices.pointer + example * buffers[step.output].count,
        inputGradient: inputGradient)
    case .pooledConvolution(let kernel, let choices):
      kernel.backward(
        width: width(of: example, in: step.input), input: input, output: output,
        choices: choices.pointer + example * kernel.choiceCount, outputGradient: outputGradient,
        gradients: sums + step.sliceWeight,
        inputGradient: inputGradient, scratch: scratch[worker].pointer)
    case .normalizedConvolution(let kernel, .normalize):
      kernel.addUp(example: example, outputGradient: outputGradient)
    case .normalizedConvolution(let kernel, .convolve):
      kernel.backward(
        example: example, input: input, outputGradient: outputGradient,
        gradients: sums + step.sliceWeight, inputGradient: inputGradient,
        scratch: scratch[worker].pointer)
    case .pack(let layout):
      guard !isFirst else { return }
      self.layout(layout, of: example, in: step.output).unpack(outputGradient, into: inputGradient)
    case .unpack(let layout):
      self.layout(layout, of: example, in: step.input).pack(outputGradient, into: inputGradient)
    case .copy(let adds):
      guard !isFirst else { return }
      if adds {
        ink_add(inputGradient, outputGradient, count(of: example, in: step.input))
      } else {
        inputGradient.update(from: outputGradient, count: count(of: example, in: step.input))
      }
    case .gather(let start):
      guard !isFirst else { return }
      let (row, source) = (buffers[step.input].row, buffers[step.output].row)
      for index in 0..<rows(of: example, in: step.input) {
        (inputGradient + index * row).update(
          from: outputGradient + index * source + start, count: row)
      }
    case .toSteps(let channels):
      guard !isFirst else { return }
      let steps = count(of: example, in: step.input) / channels
      Self.exchange(outputGradient, steps, channels, into: inputGradient)
    case .fromSteps(let channels):
      let steps = count(of: example, in: step.input) / channels
      Self.exchange(outputGradient, channels, steps, into: inputGradient)
    case .relu: ink_relu_gradient(outputGradient, output, count(of: example, in: step.output))
    case .dropout(let rate, _, let mask):
      guard rate > 0 else { return }
      let factors = mask.pointer + inputStart
      for index in 0..<count(of: example, in: step.input) { inputGradient[index] *= factors[index] }
    case .dense, .batchNormalization, .normalizedConvolution(_, .gather):
      preconditionFailure("handled for several examples at once")
    }
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

  private func zeroGradients(of step: Step, in sums: UnsafeMutablePointer<Float>) {
    switch step.operation {
    case .convolution(let kernel):
      let count = kernel.filters * kernel.geometry.patchLength
      (sums + step.sliceWeight).update(repeating: 0, count: count)
      (sums + step.sliceBias).update(repeating: 0, count: kernel.filters)
    case .pooledConvolution(let kernel, _):
      (sums + step.sliceWeight).update(repeating: 0, count: kernel.gradientCount)
    case .normalizedConvolution(let kernel, .convolve):
      (sums + step.sliceWeight).update(repeating: 0, count: kernel.gradientCount)
    case .normalizedConvolution, .pooling, .pack, .unpack, .copy, .gather, .toSteps, .fromSteps,
      .dense,
      .batchNormalization, .relu, .dropout:
      break
    }
  }

  private func forwardWhole(_ step: Step, count: Int, isTraining: Bool) {
    let input = values[step.input]
    let output = values[step.output]
    let rows = rowStarts[step.input].pointer[count]
    switch step.operation {
    case .dense(let kernel):
      let tasks = Self.blocks(of: kernel.units, size: Self.unitsPerTask)
      loop.run(tasks.count) { task, _ in
        kernel.forward(
          examples: 0..<count, units: tasks[task], input: input.pointer,
          weight: learnt.pointer + step.weight, bias: learnt.pointer + step.bias,
          output: output.pointer)
      }
    case .batchNormalization(let kernel, let statistics, let sums, let squares):
      let channels = kernel.channels
      let (weight, bias) = (learnt.pointer + step.weight, learnt.pointer + step.bias)
      let runningMean = self.statistics.pointer + step.runningMean
      let runningVariance = self.statistics.pointer + step.runningVariance
      let scales = statistics.pointer + 2 * channels
      let shifts = scales + channels
      if isTraining {
        let total = group.sum(Double(rows)) * Double(kernel.length)
        loop.run(kernel.blockCount) { task, _ in
          kernel.sums(kernel.block(task), batch: rows, input: input.pointer, into: sums.values)
        }
        sums.add(over: group)
        for channel in 0..<channels { sums.values[channel] /= total }
        loop.run(kernel.blockCount) { task, _ in
          kernel.squares(
            kernel.block(task), batch: rows, input: input.pointer, means: sums.values,
            into: squares.values)
        }
        squares.add(over: group)
        for channel in 0..<channels {
          (scales[channel], shifts[channel]) = kernel.gather(
            channel: channel, count: total, mean: sums.values[channel],
            squares: squares.values[channel], weight: weight, bias: bias,
            runningMean: runningMean, runningVariance: runningVariance,
            statistics: statistics.pointer)
        }
      } else {
        for channel in 0..<channels {
          (scales[channel], shifts[channel]) = kernel.inferred(
            channel: channel, weight: weight, bias: bias, runningMean: runningMean,
            runningVariance: runningVariance)
        }
      }
      let slices = Self.slices(of: rows)
      loop.run(slices.count) { task, _ in
        kernel.forward(
          slices[task], input: input.pointer, scale: statistics.pointer + 2 * channels,
          shift: statistics.pointer + 3 * channels, output: output.pointer)
      }
    case .normalizedConvolution(let kernel, .gather) where isTraining:
      kernel.gather(
        count: count, group: group, weight: learnt.pointer + step.weight,
        bias: learnt.pointer + step.bias, runningMean: statistics.pointer + step.runningMean,
        runningVariance: statistics.pointer + step.runningVariance)
    case .normalizedConvolution(let kernel, .gather):
      kernel.gather(
        weight: learnt.pointer + step.weight, bias: learnt.pointer + step.bias,
        runningMean: statistics.pointer + step.runningMean,
        runningVariance: statistics.pointer + step.runningVariance)
    case .convolution, .pooling, .pooledConvolution, .normalizedConvolution, .pack, .unpack, .copy,
      .gather, .toSteps, .fromSteps, .relu, .dropout:
      preconditionFailure("handled one example at a time")
    }
  }

  private func backwardWhole(_ step: Step, count: Int) {
    let input = values[step.input]
    let inputGradient = gradients[step.input]
    let outputGradient = gradients[step.output]
    let rows = rowStarts[step.input].pointer[count]
    switch step.operation {
    case .dense(let kernel):
      kernel.maskGradient(
        examples: 0..<count, output: values[step.output].pointer,
        outputGradient: outputGradient.pointer)
      let units = Self.blocks(of: kernel.units, size: Self.unitsPerTask)
      let inputs =
        isInput(step.input) ? [] : Self.blocks(of: kernel.inputs, size: Self.inputsPerTask)
      loop.run(units.count + inputs.count) { task, _ in
        if task < units.count {
          kernel.parameterGradients(
            examples: 0..<count, units: units[task], input: input.pointer,
            outputGradient: outputGradient.pointer,
            weightGradient: gradient.pointer + step.weight,
            biasGradient: gradient.pointer + step.bias)
        } else {
          kernel.inputGradient(
            examples: 0..<count, inputs: inputs[task - units.count],
            weight: learnt.pointer + step.weight, outputGradient: outputGradient.pointer,
            inputGradient: inputGradient.pointer)
        }
      }
    case .batchNormalization(let kernel, let statistics, let scales, let shifts):
      let channels = kernel.channels
      let total = group.sum(Double(rows)) * Double(kernel.length)
      loop.run(kernel.blockCount) { task, _ in
        kernel.gradientSums(
          kernel.block(task), batch: rows, input: input.pointer, statistics: statistics.pointer,
          outputGradient: outputGradient.pointer, scales: scales.values, shifts: shifts.values)
      }
      let factors = statistics.pointer + 2 * channels
      for channel in 0..<channels {
        // The sum of all gradients over the group comes later.
        gradient.pointer[step.weight + channel] = Float(scales.values[channel])
        gradient.pointer[step.bias + channel] = Float(shifts.values[channel])
      }
      scales.add(over: group)
      shifts.add(over: group)
      for channel in 0..<channels {
        factors[channel] =
          learnt.pointer[step.weight + channel] * statistics.pointer[channels + channel]
        factors[channels + channel] = Float(scales.values[channel]) / Float(total)
        factors[2 * channels + channel] = Float(shifts.values[channel]) / Float(total)
      }
      guard !isInput(step.input) else { return }
      let slices = Self.slices(of: rows)
      loop.run(slices.count) { task, _ in
        kernel.backward(
          slices[task], input: input.pointer, statistics: statistics.pointer,
          factors: statistics.pointer + 2 * channels, outputGradient: outputGradient.pointer,
          inputGradient: inputGradient.pointer)
      }
    case .normalizedConvolution(let kernel, .gather):
      kernel.gatherGradients(
        count: count, group: group, weight: learnt.pointer + step.weight,
        weightGradient: gradient.pointer + step.weight,
        biasGradient: gradient.pointer + step.bias)
    case .convolution, .pooling, .pooledConvolution, .normalizedConvolution, .pack, .unpack, .copy,
      .gather, .toSteps, .fromSteps, .relu, .dropout:
      preconditionFailure("handled one example at a time")
    }
  }

  /// Adds the slices' gradients, always in slice order, and makes the sums over the whole batch.
  private func addSlices(_ count: Int, examples: Int) {
    loop.run(batchSums.count + sumBlocks.count) { task, _ in
      if task < batchSums.count {
        let (kernel, step, number) = batchSums[task]
        kernel.addUp(
          number, steps(0..<examples, of: step), input: values[step.input].pointer,
          gradients: gradient.pointer + step.weight)
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
        gradients: sliceGradients[0].pointer + step.sliceWeight,
        weight: gradient.pointer + step.weight, bias: gradient.pointer + step.bias)
    }
  }

  private static func blocks(of count: Int, size: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }
}
