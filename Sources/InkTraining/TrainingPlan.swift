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

  /// Values between layers: rows of `row` values, as many per example as a series has steps, or planes of
  /// different widths have columns, otherwise one.
  struct Buffer {
    var row: Int
    var mostRows = 1
    /// Where the number of rows comes from.
    var rows = SeriesLength.fixed
    /// More rows in memory, for the columns around packed planes.
    var margin = 0

    /// The most values of an example.
    var count: Int { row * (mostRows + margin) }
  }

  private(set) var phases: [TrainingNetwork.Phase] = []
  /// The buffers; the first ones are the inputs.
  private(set) var buffers: [Buffer] = []
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
  /// The layers over series, whose weights are laid out before each batch.
  private(set) var seriesKernels: [(kernel: any SeriesKernel, step: TrainingNetwork.Step)] = []
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
  /// The nodes that are computed together with a node before them.
  private var taken: Set<Int> = []

  /// Source number `position` of node `node`.
  private struct Reading: Hashable {
    var node: Int
    var position: Int
  }

  /// `longest` has the maximum number of steps of each series, and of columns of pictures of different
  /// widths; other inputs ignore it.
  init(_ architecture: Architecture, longest: [Int], mostExamples: Int, blas: BLAS) {
    let architecture = architecture.limited(to: longest)
    self.architecture = architecture
    self.mostExamples = mostExamples
    self.blas = blas
    let learnt = architecture.parameters.filter(\.isLearnt)
    let statistics = architecture.parameters.filter { !$0.isLearnt }
    learntCount = learnt.reduce(0) { $0 + $1.count }
    statisticsCount = statistics.reduce(0) { $0 + $1.count }
    for (parameter, offset) in Self.offsets(learnt) + Self.offsets(statistics) {
      offsets[parameter] = offset
    }
    for (index, shape) in architecture.inputShapes.enumerated() {
      if case .series(_, let channels) = shape {
        buffers.append(Buffer(row: channels, mostRows: longest[index], rows: .input(index)))
      } else {
        let isVariable = architecture.inputs[index].stepBounds.count > 1
        buffers.append(planes(shape, isVariable ? .input(index) : .fixed))
      }
    }
    for index in architecture.inputs.indices { share(index, as: .input(index)) }
    for index in architecture.nodes.indices where !taken.contains(index) { add(index) }
    close()
  }

  /// Adds the steps of node `index` and of the nodes that are computed with it.
  private mutating func add(_ index: Int) {
    let input = places[Reading(node: index, position: 0)]!
    let shape = architecture.inputShape(of: index)
    let outputShape = architecture.outputShapes[index]
    var step = TrainingNetwork.Step(operation: .relu, input: input, output: input)
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
      addBuffer(
        planes(outputShape, columns(of: input, without: layer.kernel - 1 - 2 * layer.pad)),
        writtenBy: &step)
      reserveSlice(
        weights: layer.filters * kernel.geometry.patchLength, biases: layer.filters, for: &step)
      append(step)
      share(step.output, as: .node(kernel.hasReLU ? reader(of: index)! : index))
    case .maxPooling(let layer):
      step.operation = .pooling(
        PoolingKernel(layer, of: shape),
        choices: ChoiceBuffer(count: outputShape.count * mostExamples))
      addBuffer(planes(outputShape, columns(of: input, dividedBy: layer.size)), writtenBy: &step)
      append(step)
      share(step.output, as: .node(index))
    case .dense(let layer):
      if case .series = shape {
        let convolution = SeriesConvolution(
          filters: layer.units, kernel: 1, padding: .valid)
        addSeriesConvolution(convolution, node: index, from: input)
        return
      }
      step.input = joined(readBy: index)
      let inputCount = buffers[step.input].count
      let kernel = DenseKernel(
        inputs: inputCount, units: layer.units, hasReLU: takesReLU(after: index), blas: blas)
      step.operation = .dense(kernel)
      addBuffer(Buffer(row: outputShape.count), writtenBy: &step)
      if inputCount * layer.units > Self.mostSlicedWeights {
        close()
        phases.append(.whole(step))
      } else {
        reserveSlice(weights: inputCount * layer.units, biases: layer.units, for: &step)
        runs.append(.dense(step, kernel))
      }
      share(step.output, as: .node(kernel.hasReLU ? reader(of: index)! : index))
    case .batchNormalization:
      let channels = shape.channelCount
      let isVariable = isOfVariablePlanes(input, shape)
      if isVariable {
        // The places become steps, for the kernel works on rows of one length.
        let height = buffers[input].row / channels
        step.input = addStep(
          .toSteps(channels: channels), from: input,
          to: Buffer(
            row: channels, mostRows: height * buffers[input].mostRows,
            rows: .repeated(height, of: input)))
      }
      step.operation = .batchNormalization(
        BatchNormalizationKernel(
          channels: channels, length: isVariable ? 1 : buffers[input].row / channels),
        statistics: FloatBuffer(count: 5 * channels), sums: ChannelSums(count: channels),
        others: ChannelSums(count: channels))
      addBuffer(like(step.input), writtenBy: &step)
      close()
      phases.append(.whole(step))
      share(
        isVariable
          ? addStep(.fromSteps(channels: channels), from: step.output, to: like(input))
          : step.output, as: .node(index))
    case .relu:
      append(step)
      share(input, as: .node(index))
    case .dropout(let layer):
      step.operation = .dropout(
        rate: Float(layer.rate), layer: index,
        mask: FloatBuffer(count: buffers[input].count * mostExamples))
      append(step)
      share(input, as: .node(index))
    case .flatten:
      guard case .series = shape else {
        share(input, as: .node(index))
        return
      }
      // The steps of a series of one length follow each other already.
      share(
        addStep(.copy(adds: false), from: input, to: Buffer(row: shape.count)), as: .node(index))
    case .seriesConvolution(let layer):
      addSeriesConvolution(layer, node: index, from: input)
    case .gru(let layer):
      addRecurrence(.gru, layer.units, layer.direction, node: index, step)
    case .lstm(let layer):
      addRecurrence(.lstm, layer.units, layer.direction, node: index, step)
    case .timePooling(let layer):
      let kernel = TimePoolingKernel(
        layer, channels: shape.channelCount, mostSteps: buffers[input].mostRows)
      addBuffer(Buffer(row: outputShape.count), writtenBy: &step)
      append(kernel, step)
      share(step.output, as: .node(index))
    case .layerNormalization:
      let kernel = LayerNormalizationKernel(
        channels: shape.channelCount, mostSteps: buffers[input].mostRows * mostExamples)
      addBuffer(like(input), writtenBy: &step)
      append(kernel, step)
      share(step.output, as: .node(index))
    case .concatenation: share(joined(readBy: index), as: .node(index))
    case .columns:
      guard case .series(let width, let rows) = outputShape else {
        preconditionFailure("columns are a series")
      }
      step.operation = .toSteps(channels: rows)
      addBuffer(Buffer(row: rows, mostRows: width, rows: columns(of: input)), writtenBy: &step)
      append(step)
      share(step.output, as: .node(index))
    }
  }

  /// Adds a convolution over time, with the ReLU that follows it.
  private mutating func addSeriesConvolution(
    _ layer: SeriesConvolution, node index: Int, from input: Int
  ) {
    let output = Buffer(
      row: layer.filters, mostRows: layer.outputLength(of: buffers[input].mostRows),
      rows: .convolved(layer, of: input))
    let kernel = SeriesConvolutionKernel(
      layer: layer, channels: buffers[input].row, hasReLU: takesReLU(after: index),
      mostSteps: output.mostRows * mostSliceExamples, blas: blas)
    var step = TrainingNetwork.Step(operation: .relu, input: input, output: input)
    step.place(offsets, of: index)
    addBuffer(output, writtenBy: &step)
    append(kernel, step)
    share(step.output, as: .node(kernel.hasReLU ? reader(of: index)! : index))
  }

  /// Adds the directions of a recurrent layer.
  private mutating func addRecurrence(
    _ kind: RecurrentCell.Kind, _ units: Int, _ direction: Direction, node index: Int,
    _ step: TrainingNetwork.Step
  ) {
    var step = step
    let input = buffers[step.input]
    var output = input
    output.row = units * direction.passes.count
    output.rows = .same(as: step.input)
    addBuffer(output, writtenBy: &step)
    for (number, pass) in direction.passes.enumerated() {
      let kernel = RecurrentKernel(
        kind, inputs: input.row, units: units, pass: pass, outputRow: output.row,
        outputStart: number * units,
        // In the backward pass, the last one comes first.
        addsInputGradient: number + 1 < direction.passes.count,
        mostExamples: mostSliceExamples, mostSteps: input.mostRows * mostExamples, blas: blas)
      append(kernel, step)
      step.weight += kernel.parameterCount
    }
    share(step.output, as: .node(index))
  }

  /// The most examples of a slice.
  private var mostSliceExamples: Int {
    TrainingNetwork.slices(of: mostExamples).map(\.count).max() ?? 0
  }

  private mutating func append(_ kernel: any SeriesKernel, _ step: TrainingNetwork.Step) {
    var step = step
    step.sliceWeight = sliceCount
    if kernel.parameterCount > 0, kernel.batchSumCount == 0 {
      sliceSpans.append((slice: sliceCount, total: step.weight, count: kernel.parameterCount))
      sliceCount += kernel.parameterCount
    }
    scratchCount = max(scratchCount, kernel.scratchCount)
    seriesKernels.append((kernel, step))
    runs.append(.series(step, kernel))
  }

  /// Makes the value in `buffer` available to its readers: a single one reads it directly, several get
  /// copies, whose gradients are added.
  private mutating func share(_ buffer: Int, as source: Architecture.Source) {
    let readings = architecture.sources.enumerated().flatMap { node, sources in
      sources.indices.filter { sources[$0] == source }.map { Reading(node: node, position: $0) }
    }
    if source == .node(architecture.nodes.count - 1) { output = buffer }
    // In the backward pass, the last copy comes first.
    for (index, reading) in readings.enumerated() {
      places[reading] =
        readings.count == 1
        ? buffer
        : addStep(
          .copy(adds: index + 1 < readings.count), from: buffer, to: like(buffer))
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

  /// The buffer with all sources of node `index`, row by row one after the other.
  private mutating func joined(readBy index: Int) -> Int {
    let places = architecture.sources[index].indices.map {
      self.places[Reading(node: index, position: $0)]!
    }
    guard places.count > 1 else { return places[0] }
    var output = like(places[0])
    output.row = places.reduce(0) { $0 + buffers[$1].row }
    buffers.append(output)
    var start = 0
    for place in places {
      append(
        TrainingNetwork.Step(
          operation: .gather(start: start), input: place, output: buffers.count - 1))
      start += buffers[place].row
    }
    return buffers.count - 1
  }

  /// A buffer with the rows of another.
  private func like(_ buffer: Int) -> Buffer {
    var copy = buffers[buffer]
    if !copy.rows.isFixed { copy.rows = .same(as: buffer) }
    return copy
  }

  /// Adds a step that writes a new buffer; returns that.
  private mutating func addStep(
    _ operation: TrainingNetwork.Step.Operation, from input: Int, to buffer: Buffer
  ) -> Int {
    var step = TrainingNetwork.Step(operation: operation, input: input, output: 0)
    addBuffer(buffer, writtenBy: &step)
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
    let isVariable = isOfVariablePlanes(source, shape)
    let input = PlaneLayout(
      shape, packedChannels: fusion.readsPicture ? 1 : PlaneLayout.packed(shape.channelCount),
      readBy: fusion.extent, variesInWidth: isVariable)
    var place = source
    if case .node(let node) = architecture.sources[fusion.index][0], packed.contains(node) {
    } else {
      place = addStep(.pack(input), from: source, to: planes(input, columns(of: source)))
    }
    let next = reader(of: fusion.end).flatMap { Fusion($0, of: architecture) }
    let filters = fusion.layer.filters
    let output = PlaneLayout(
      outputShape, packedChannels: PlaneLayout.packed(filters), readBy: next?.extent,
      variesInWidth: isVariable)
    var step = TrainingNetwork.Step(
      operation: .relu, input: place, output: 0, sliceWeight: sliceCount)
    step.place(offsets, of: fusion.index)
    let columns = columns(
      of: place, without: fusion.layer.kernel - 1 - 2 * fusion.layer.pad,
      dividedBy: fusion.pools ? 2 : 1)
    addBuffer(planes(output, columns), writtenBy: &step)
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
      let unpacked = addStep(
        .unpack(output), from: step.output,
        to: planes(outputShape, self.columns(of: step.output)))
      share(unpacked, as: .node(fusion.end))
    } else {
      packed.insert(fusion.end)
      share(step.output, as: .node(fusion.end))
    }
  }

  /// Whether a buffer holds planes of different widths.
  private func isOfVariablePlanes(_ buffer: Int, _ shape: Shape) -> Bool {
    guard case .planes = shape else { return false }
    return !buffers[buffer].rows.isFixed
  }

  /// The columns of planes after a convolution that takes away `lost` of them and a pooling by `size`.
  private func columns(
    of buffer: Int, without lost: Int = 0, dividedBy size: Int = 1
  ) -> SeriesLength {
    buffers[buffer].rows.isFixed ? .fixed : .narrowed(by: lost, dividedBy: size, of: buffer)
  }

  /// A buffer for planes `[channels, height, width]`, with a row for each column where their widths differ.
  private func planes(_ shape: Shape, _ columns: SeriesLength) -> Buffer {
    guard !columns.isFixed, case .planes(let channels, let height, let width) = shape else {
      return Buffer(row: shape.count)
    }
    return Buffer(row: channels * height, mostRows: width, rows: columns)
  }

  /// A buffer for packed planes.
  private func planes(_ layout: PlaneLayout, _ columns: SeriesLength) -> Buffer {
    guard layout.variesInWidth else { return Buffer(row: layout.count) }
    return Buffer(
      row: layout.rows * layout.packedChannels, mostRows: layout.width, rows: columns,
      margin: layout.mostMargin)
  }

  private mutating func addBuffer(_ buffer: Buffer, writtenBy step: inout TrainingNetwork.Step) {
    buffers.append(buffer)
    step.output = buffers.count - 1
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
