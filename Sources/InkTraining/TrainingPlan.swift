import CInkKernels
import InkNetwork

/// Which values max-pooling chose, with the lifetime rules of ``FloatBuffer``.
final class ChoiceBuffer<Place: FixedWidthInteger>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Place>

  init(count: Int) {
    pointer = .allocate(capacity: max(1, count))
    pointer.initialize(repeating: 0, count: max(1, count))
  }

  deinit {
    pointer.deallocate()
  }
}

/// An architecture laid out for training: kernels in phases, and where everything lies in memory.
struct TrainingPlan {
  /// A dense layer with more weights than this works on the whole batch: to add up its gradients
  /// slice by slice would cost more than to compute them.
  static let mostSlicedWeights = 1 << 18

  typealias SliceSpan = (slice: Int, total: Int?, count: Int)

  private(set) var phases: [TrainingNetwork.Phase] = []
  /// The values of one example in each buffer; buffer 0 takes all inputs, one after the other.
  private(set) var bufferCounts: [Int]
  /// The buffer that holds the logits.
  private(set) var output = 0
  let learntCount: Int
  let statisticsCount: Int
  private(set) var sliceCount = 0
  /// What a slice's gradients hold, and where it belongs in the whole.
  ///
  /// What has no place there yet is summed in the first slice's.
  private(set) var sliceSpans: [SliceSpan] = []
  /// The convolutions whose gradients are packed in a slice's.
  private(set) var packedConvolutions:
    [(kernel: any PackedConvolution, step: TrainingNetwork.Step)] = []
  private(set) var scratchCount = 0

  /// Where each of `parameters` begins when they lie one after the other.
  static func offsets(_ parameters: [Parameter]) -> [(Parameter, Int)] {
    var next = 0
    return parameters.map { parameter in
      defer { next += parameter.count }
      return (parameter, next)
    }
  }

  private let architecture: Architecture
  private let mostExamples: Int
  private let blas: BLAS
  /// Where each parameter begins among those that are learnt, or among the statistics.
  private var offsets: [Parameter: Int] = [:]
  /// The runs of the phase that is being laid out.
  private var runs: [TrainingNetwork.Run] = []
  /// The buffer with each value, for each node that reads it: of several, each has a copy of its own.
  private var places: [Reading: Int] = [:]
  /// The nodes whose values lie packed.
  private var packed: Set<Int> = []
  /// The nodes that a convolution or dense layer before them has taken with it.
  private var taken: Set<Int> = []

  /// Source number `position` of node `node`.
  private struct Reading: Hashable {
    var node: Int
    var position: Int
  }

  init(_ architecture: Architecture, mostExamples: Int, blas: BLAS) {
    self.architecture = architecture
    self.mostExamples = mostExamples
    self.blas = blas
    let learnt = architecture.parameters.filter(\.isLearnt)
    let statistics = architecture.parameters.filter { !$0.isLearnt }
    learntCount = learnt.reduce(0) { $0 + $1.count }
    statisticsCount = statistics.reduce(0) { $0 + $1.count }
    bufferCounts = [architecture.inputCount]
    for (parameter, offset) in Self.offsets(learnt) + Self.offsets(statistics) {
      offsets[parameter] = offset
    }
    if architecture.inputs.count == 1 {
      hand(on: 0, as: .input(0))
    } else {
      var start = 0
      for (index, shape) in architecture.inputShapes.enumerated() {
        let part = addStep(.part(start: start), from: 0, to: shape.count)
        hand(on: part, as: .input(index))
        start += shape.count
      }
    }
    for index in architecture.nodes.indices where !taken.contains(index) { add(index) }
    close()
  }

  /// Adds what node `index` and those that it takes with it do.
  private mutating func add(_ index: Int) {
    let input = places[Reading(node: index, position: 0)]!
    let shape = architecture.inputShape(of: index)
    let outputShape = architecture.outputShapes[index]
    var step = TrainingNetwork.Step(
      operation: .relu, input: input, inputCount: shape.count, output: input,
      outputCount: outputShape.count)
    step.place(offsets, of: index)

    switch architecture.nodes[index].layer {
    case .convolution(let layer):
      if let fusion = Fusion(index, of: architecture) {
        addPackedConvolution(fusion, from: input)
        return
      }
      let kernel = ConvolutionKernel(
        geometry: ConvolutionGeometry(layer, of: shape), filters: layer.filters,
        hasReLU: takesReLU(after: index), blas: blas)
      scratchCount = max(scratchCount, kernel.scratchCount)
      step.operation = .convolution(kernel)
      addBuffer(outputShape.count, writtenBy: &step)
      reserveSlice(
        weights: layer.filters * kernel.geometry.patchLength, biases: layer.filters, for: &step)
      append(step)
      hand(on: step.output, as: .node(kernel.hasReLU ? reader(of: index)! : index))
    case .maxPooling(let layer):
      step.operation = .pooling(
        PoolingKernel(layer, of: shape),
        choices: ChoiceBuffer(count: outputShape.count * mostExamples))
      addBuffer(outputShape.count, writtenBy: &step)
      append(step)
      hand(on: step.output, as: .node(index))
    case .dense(let layer):
      step.input = vector(readBy: index)
      step.inputCount = bufferCounts[step.input]
      let kernel = DenseKernel(
        inputs: step.inputCount, units: layer.units, hasReLU: takesReLU(after: index), blas: blas)
      step.operation = .dense(kernel)
      addBuffer(outputShape.count, writtenBy: &step)
      if step.inputCount * layer.units > Self.mostSlicedWeights {
        close()
        phases.append(.whole(step))
      } else {
        reserveSlice(weights: step.inputCount * layer.units, biases: layer.units, for: &step)
        runs.append(.dense(step, kernel))
      }
      hand(on: step.output, as: .node(kernel.hasReLU ? reader(of: index)! : index))
    case .batchNormalization:
      let channels = shape.channelCount
      step.operation = .batchNormalization(
        BatchNormalizationKernel(channels: channels, length: shape.count / channels),
        statistics: FloatBuffer(count: 2 * channels))
      addBuffer(outputShape.count, writtenBy: &step)
      close()
      phases.append(.whole(step))
      hand(on: step.output, as: .node(index))
    case .relu:
      append(step)
      hand(on: input, as: .node(index))
    case .dropout(let layer):
      step.operation = .dropout(
        rate: Float(layer.rate), layer: index, mask: FloatBuffer(count: shape.count * mostExamples))
      append(step)
      hand(on: input, as: .node(index))
    case .flatten: hand(on: input, as: .node(index))
    }
  }

  /// Gives the value in `buffer` to the nodes that read it: the one, or each a copy, whose gradients add
  /// up.
  private mutating func hand(on buffer: Int, as source: Architecture.Source) {
    let readings = architecture.sources.enumerated().flatMap { node, sources in
      sources.indices.filter { sources[$0] == source }.map { Reading(node: node, position: $0) }
    }
    if source == .node(architecture.nodes.count - 1) { output = buffer }
    // On the way back, the last copy is the first to give its gradient.
    for (index, reading) in readings.enumerated() {
      places[reading] =
        readings.count == 1
        ? buffer
        : addStep(
          .copy(adds: index + 1 < readings.count), from: buffer, to: bufferCounts[buffer])
    }
  }

  /// The only node that reads node `index`, where it reads nothing else.
  private func reader(of index: Int) -> Int? {
    let readers = architecture.readers(of: .node(index))
    guard readers.count == 1, architecture.sources[readers[0]] == [.node(index)] else { return nil }
    return readers[0]
  }

  /// Whether a ReLU alone reads node `index`; it is computed together with it.
  private mutating func takesReLU(after index: Int) -> Bool {
    guard let reader = reader(of: index), architecture.nodes[reader].layer == .relu else {
      return false
    }
    taken.insert(reader)
    return true
  }

  /// The buffer with all sources of node `index`, one after the other.
  private mutating func vector(readBy index: Int) -> Int {
    let shapes = architecture.sourceShapes(of: index)
    guard shapes.count > 1 else { return places[Reading(node: index, position: 0)]! }
    bufferCounts.append(shapes.reduce(0) { $0 + $1.count })
    let output = bufferCounts.count - 1
    var start = 0
    for (position, shape) in shapes.enumerated() {
      append(
        TrainingNetwork.Step(
          operation: .gather(start: start),
          input: places[Reading(node: index, position: position)]!,
          inputCount: shape.count, output: output, outputCount: bufferCounts[output]))
      start += shape.count
    }
    return output
  }

  /// Adds a step that writes a new buffer of `count` values an example; returns that buffer.
  private mutating func addStep(
    _ operation: TrainingNetwork.Step.Operation, from input: Int, to count: Int
  ) -> Int {
    var step = TrainingNetwork.Step(
      operation: operation, input: input, inputCount: bufferCounts[input], output: 0,
      outputCount: count)
    addBuffer(count, writtenBy: &step)
    append(step)
    return step.output
  }

  /// A convolution with the nodes behind it that are computed together with it.
  struct Fusion {
    /// The convolution.
    let index: Int
    let layer: Convolution
    let extent: PlaneConvolution.Extent
    /// Whether it reads an input of one channel, which is not packed.
    let readsPicture: Bool
    /// The batch normalisation that is taken.
    let normalization: Int?
    let hasReLU: Bool
    let pools: Bool
    /// All nodes behind the convolution that are taken.
    let taken: [Int]

    /// The node whose value comes out.
    var end: Int { taken.last ?? index }

    /// Fails where node `index` is none, or where what follows leaves too little to gain.
    init?(_ index: Int, of architecture: Architecture) {
      guard case .convolution(let layer) = architecture.nodes[index].layer else { return nil }
      var taken: [Int] = []
      func take(_ wanted: Layer) -> Int? {
        let readers = architecture.readers(of: .node(taken.last ?? index))
        guard readers.count == 1, architecture.nodes[readers[0]].layer == wanted else { return nil }
        taken.append(readers[0])
        return readers[0]
      }
      let shape = architecture.inputShape(of: index)
      if case .input = architecture.sources[index][0] {
        readsPicture = shape.channelCount == 1
      } else {
        readsPicture = false
      }
      normalization = take(.batchNormalization)
      hasReLU = take(.relu) != nil
      pools = take(.maxPooling(size: 2)) != nil
      guard
        normalization == nil ? hasReLU && pools : readsPicture || ink_has_winograd(layer.kernel)
      else { return nil }
      self.index = index
      self.layer = layer
      self.taken = taken
      extent = PlaneConvolution.Extent(layer, reading: shape)
    }
  }

  /// Adds a fused convolution, and what brings the planes into its order and, where no other follows,
  /// back.
  private mutating func addPackedConvolution(_ fusion: Fusion, from source: Int) {
    let shape = architecture.inputShape(of: fusion.index)
    let outputShape = architecture.outputShapes[fusion.end]
    taken.formUnion(fusion.taken)
    let input = PlaneLayout(
      shape, packedChannels: fusion.readsPicture ? 1 : PlaneLayout.packed(shape.channelCount),
      readBy: fusion.extent)
    var place = source
    if case .node(let node) = architecture.sources[fusion.index][0], packed.contains(node) {
    } else {
      place = addStep(.pack(input), from: source, to: input.count)
    }
    let next = reader(of: fusion.end).flatMap { Fusion($0, of: architecture) }
    let filters = fusion.layer.filters
    let output = PlaneLayout(
      outputShape, packedChannels: PlaneLayout.packed(filters), readBy: next?.extent)
    var step = TrainingNetwork.Step(
      operation: .relu, input: place, inputCount: input.count, output: 0,
      outputCount: output.count, sliceWeight: sliceCount)
    step.place(offsets, of: fusion.index)
    addBuffer(output.count, writtenBy: &step)
    let convolution: any PackedConvolution
    if let node = fusion.normalization {
      let kernel = NormalizedConvolutionKernel(
        fusion, filters: filters, from: input, to: output, mostExamples: mostExamples)
      step.operation = .normalizedConvolution(kernel, .convolve)
      append(step)
      close()
      var normalization = step
      normalization.place(offsets, of: node)
      normalization.operation = .normalizedConvolution(kernel, .gather)
      phases.append(.whole(normalization))
      normalization.operation = .normalizedConvolution(kernel, .normalize)
      append(normalization)
      convolution = kernel
    } else {
      let kernel = PooledConvolutionKernel(
        fusion.extent, kernel: fusion.layer.kernel, filters: filters, from: input, to: output)
      step.operation = .pooledConvolution(
        kernel, choices: ChoiceBuffer(count: kernel.choiceCount * mostExamples))
      append(step)
      convolution = kernel
    }
    scratchCount = max(scratchCount, convolution.scratchCount)
    sliceSpans.append((slice: sliceCount, total: nil, count: convolution.gradientCount))
    sliceCount += convolution.gradientCount
    packedConvolutions.append((convolution, step))
    if next == nil {
      let unpacked = addStep(.unpack(output), from: step.output, to: outputShape.count)
      hand(on: unpacked, as: .node(fusion.end))
    } else {
      packed.insert(fusion.end)
      hand(on: step.output, as: .node(fusion.end))
    }
  }

  private mutating func addBuffer(_ count: Int, writtenBy step: inout TrainingNetwork.Step) {
    bufferCounts.append(count)
    step.output = bufferCounts.count - 1
  }

  private mutating func reserveSlice(
    weights: Int, biases: Int, for step: inout TrainingNetwork.Step
  ) {
    step.sliceWeight = sliceCount
    step.sliceBias = sliceCount + weights
    sliceSpans.append((slice: step.sliceWeight, total: step.weight, count: weights))
    sliceSpans.append((slice: step.sliceBias, total: step.bias, count: biases))
    sliceCount += weights + biases
  }

  private mutating func append(_ step: TrainingNetwork.Step) {
    if case .examples(let steps)? = runs.last {
      runs[runs.count - 1] = .examples(steps + [step])
    } else {
      runs.append(.examples([step]))
    }
  }

  private mutating func close() {
    if !runs.isEmpty { phases.append(.slices(runs)) }
    runs = []
  }
}
