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
  typealias SliceSpan = (slice: Int, total: Int?, count: Int)

  /// Values between layers: rows of `row` values, as many per example as a series has steps, or planes of
  /// different widths have columns, otherwise one.
  struct Buffer {
    var row: Int
    var maximumRows = 1
    /// Where the number of rows comes from.
    var rows = SeriesLength.fixed
    /// More rows in memory, for the columns around packed planes.
    var margin = 0

    /// The most values of an example.
    var count: Int { row * (maximumRows + margin) }
  }

  /// A node that is laid out.
  struct Node {
    let index: Int
    /// The buffer with the first value that it reads.
    let input: Int
    let shape: Shape
    let outputShape: Shape
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
  /// The kernels that lay out their weights before each batch.
  var weightPackings: [(kernel: any WeightPacking, step: TrainingNetwork.Step)] = []
  /// The kernels that leave sums over the whole batch for the end.
  var batchSums: [(kernel: any BatchSums, step: TrainingNetwork.Step)] = []
  private(set) var scratchCount = 0

  /// Where each of `parameters` begins when they lie one after the other.
  static func offsets(_ parameters: [Parameter]) -> [(Parameter, Int)] {
    var next = 0
    return parameters.map { parameter in
      defer { next += parameter.count }
      return (parameter, next)
    }
  }

  let architecture: Architecture
  let maximumExamples: Int
  let blas: BLAS
  /// Where the arrays of each node begin among those that are learnt, and among the statistics.
  private let learntStarts: [Int: Int]
  private let statisticsStarts: [Int: Int]
  /// The runs of the phase that is being laid out.
  private var runs: [TrainingNetwork.Run] = []
  /// The buffer with each value, for each node that reads it: of several, each has a copy of its own.
  private var places: [Reading: Int] = [:]
  /// The sources whose gradient is added to that of other readers, which read from the same place.
  private var adding: Set<Reading> = []
  /// The layouts of the nodes whose values lie packed.
  var layouts: [Int: PlaneLayout] = [:]
  /// The joins that the convolutions that read them do not need.
  var leftJoins: [Int: DoubledJoin] = [:]
  /// The upsamplings whose planes are doubled by what reads them.
  var doubled: Set<Int> = []
  /// The nodes that are computed together with a node before them.
  private var taken: Set<Int> = []
  /// The last of the nodes that are computed together with each node.
  private var ends: [Int: Int] = [:]

  /// Source number `position` of node `node`.
  private struct Reading: Hashable {
    var node: Int
    var position: Int
  }

  /// `longest` has the maximum number of steps of each series, and of columns of pictures of different
  /// widths; other inputs ignore it.
  init(_ architecture: Architecture, longest: [Int], maximumExamples: Int, blas: BLAS) {
    let architecture = architecture.limited(to: longest)
    self.architecture = architecture
    self.maximumExamples = maximumExamples
    self.blas = blas
    let learnt = architecture.parameters.filter(\.isLearnt)
    let statistics = architecture.parameters.filter { !$0.isLearnt }
    learntCount = learnt.reduce(0) { $0 + $1.count }
    statisticsCount = statistics.reduce(0) { $0 + $1.count }
    func starts(_ parameters: [Parameter]) -> [Int: Int] {
      Dictionary(Self.offsets(parameters).map { ($0.node, $1) }) { first, _ in first }
    }
    (learntStarts, statisticsStarts) = (starts(learnt), starts(statistics))
    for (index, shape) in architecture.inputShapes.enumerated() {
      if case .series(_, let channels) = shape {
        buffers.append(Buffer(row: channels, maximumRows: longest[index], rows: .input(index)))
      } else {
        let isVariable = architecture.inputs[index].stepBounds.count > 1
        buffers.append(planes(shape, isVariable ? .input(index) : .fixed))
      }
    }
    for index in architecture.inputs.indices { share(index, as: .input(index)) }
    for index in architecture.nodes.indices where !taken.contains(index) {
      let node = Node(
        index: index, input: places[Reading(node: index, position: 0)]!,
        shape: architecture.inputShape(of: index), outputShape: architecture.outputShapes[index])
      let buffer = architecture.nodes[index].layer.training.addSteps(of: node, to: &self)
      share(buffer, as: .node(ends[index] ?? index))
    }
    close()
  }

  /// The most examples of a slice.
  var maximumSliceExamples: Int {
    TrainingNetwork.slices(of: maximumExamples, for: architecture).map(\.count).max() ?? 0
  }

  /// The buffer with source number `position` of node `index`.
  func place(of index: Int, _ position: Int) -> Int {
    places[Reading(node: index, position: position)]!
  }

  /// Whether the gradient of source number `position` of node `index` is added to what is there.
  func isAdding(_ index: Int, _ position: Int = 0) -> Bool {
    adding.contains(Reading(node: index, position: position))
  }

  /// Makes the value in `buffer` available to its readers.
  ///
  /// A single one reads it directly, several get copies, whose gradients are added. Packed planes are copied
  /// only for readers that cannot add.
  private mutating func share(_ buffer: Int, as source: Architecture.Source) {
    let readings = architecture.sources.enumerated().flatMap { node, sources in
      sources.indices.filter { sources[$0] == source }.map { Reading(node: node, position: $0) }
    }
    if source == .node(architecture.nodes.count - 1) { output = buffer }
    let isPacked =
      if case .node(let node) = source { hasCells && layouts[node] != nil } else { false }
    // In the backward pass, the last reader and the last copy come first.
    for (index, reading) in readings.enumerated() {
      let isLast = index + 1 == readings.count
      if readings.count == 1 || isPacked && (isLast || addsGradients(reading.node)) {
        places[reading] = buffer
        if !isLast { adding.insert(reading) }
      } else {
        places[reading] = addStep(
          CopyKernel(adds: isPacked || !isLast), from: buffer, to: like(buffer))
      }
    }
  }

  /// The only node that reads node `index`, where it reads nothing else.
  func reader(of index: Int) -> Int? {
    let readers = architecture.readers(of: .node(index))
    guard readers.count == 1, architecture.sources[readers[0]] == [.node(index)] else { return nil }
    return readers[0]
  }

  /// Computes `nodes`, which follow each other, together with node `index`.
  mutating func take(_ nodes: [Int], with index: Int) {
    taken.formUnion(nodes)
    ends[index] = nodes.last
  }

  /// Whether a ReLU alone reads node `index`; it is computed together with it.
  mutating func takesReLU(after index: Int) -> Bool {
    guard let reader = reader(of: index), architecture.nodes[reader].layer == .relu else {
      return false
    }
    take([reader], with: index)
    return true
  }

  /// The buffer with all sources of node `index`: planes one after the other, and rows of others side by side.
  mutating func joined(readBy index: Int) -> Int {
    let places = architecture.sources[index].indices.map {
      self.places[Reading(node: index, position: $0)]!
    }
    guard places.count > 1 else { return places[0] }
    let isOfPlanes = if case .planes = architecture.outputShapes[index] { true } else { false }
    var output = like(places[0])
    output.row = places.reduce(0) { $0 + buffers[$1].row }
    buffers.append(output)
    var start = 0
    for place in places {
      append(
        GatherKernel(start: start, isOfPlanes: isOfPlanes),
        TrainingNetwork.Step(input: place, output: buffers.count - 1))
      start += buffers[place].row
    }
    return buffers.count - 1
  }

  /// A buffer with the rows of another.
  func like(_ buffer: Int) -> Buffer {
    var copy = buffers[buffer]
    if !copy.rows.isFixed { copy.rows = .same(as: buffer) }
    return copy
  }

  /// Whether a buffer holds planes of different widths.
  func isOfVariablePlanes(_ buffer: Int, _ shape: Shape) -> Bool {
    guard case .planes = shape else { return false }
    return !buffers[buffer].rows.isFixed
  }

  /// The columns of planes after a convolution that takes away `lost` of them and a pooling by `size`.
  func columns(of buffer: Int, without lost: Int = 0, dividedBy size: Int = 1) -> SeriesLength {
    buffers[buffer].rows.isFixed ? .fixed : .narrowed(by: lost, dividedBy: size, of: buffer)
  }

  /// A buffer for planes `[channels, height, width]`, with a row for each column where their widths differ.
  func planes(_ shape: Shape, _ columns: SeriesLength) -> Buffer {
    guard !columns.isFixed, case .planes(let channels, let height, let width) = shape else {
      return Buffer(row: shape.count)
    }
    return Buffer(row: channels * height, maximumRows: width, rows: columns)
  }

  /// A buffer for packed planes.
  func planes(_ layout: PlaneLayout, _ columns: SeriesLength) -> Buffer {
    guard layout.variesInWidth else { return Buffer(row: layout.count) }
    return Buffer(
      row: layout.rows * layout.packedChannels, maximumRows: layout.width, rows: columns,
      margin: layout.maximumMargin)
  }

  // MARK: Steps

  /// Makes a step of node `index`, from a buffer to a new one, or in its place.
  mutating func step(
    of index: Int, from input: Int, to output: Buffer? = nil
  ) -> TrainingNetwork.Step {
    var step = TrainingNetwork.Step(
      input: input, output: input, parameters: learntStarts[index] ?? 0,
      statistics: statisticsStarts[index] ?? 0)
    if let output {
      buffers.append(output)
      step.output = buffers.count - 1
    }
    return step
  }

  /// Adds a buffer; returns its number.
  mutating func add(_ buffer: Buffer) -> Int {
    buffers.append(buffer)
    return buffers.count - 1
  }

  /// Adds a step without parameters that writes a new buffer; returns that.
  mutating func addStep(_ kernel: some ExampleKernel, from input: Int, to output: Buffer) -> Int {
    let step = TrainingNetwork.Step(input: input, output: add(output))
    append(kernel, step)
    return step.output
  }

  /// Adds a step that takes one example at a time; `convolution` packs its weights and gradients.
  mutating func append(
    _ kernel: some ExampleKernel, _ step: TrainingNetwork.Step,
    packedBy convolution: (any PackedConvolution)? = nil
  ) {
    let step = reserving(
      kernel.gradientCount, scratch: kernel.scratchCount, for: step, isPacked: convolution != nil)
    if let convolution {
      packedConvolutions.append((convolution, step))
      weightPackings.append((convolution, step))
    }
    if case .examples(let steps)? = runs.last {
      runs[runs.count - 1] = .examples(steps + [(kernel, step)])
    } else {
      runs.append(.examples([(kernel, step)]))
    }
  }

  /// Adds a step that takes a slice of the batch at a time.
  mutating func append(slice kernel: some SliceKernel, _ step: TrainingNetwork.Step) {
    runs.append(
      .slice(
        kernel, reserving(kernel.gradientCount, scratch: kernel.scratchCount, for: step)))
  }

  /// Adds a step that takes the whole batch at a time.
  mutating func append(whole kernel: some BatchKernel, _ step: TrainingNetwork.Step) {
    close()
    phases.append(.whole(kernel, step))
  }

  /// Makes room for the gradients of a step in those of a slice, and for scratch memory.
  private mutating func reserving(
    _ count: Int, scratch: Int, for step: TrainingNetwork.Step, isPacked: Bool = false
  ) -> TrainingNetwork.Step {
    var step = step
    step.slice = sliceCount
    scratchCount = max(scratchCount, scratch)
    guard count > 0 else { return step }
    sliceSpans.append((slice: sliceCount, total: isPacked ? nil : step.parameters, count: count))
    sliceCount += count
    return step
  }

  private mutating func close() {
    if !runs.isEmpty { phases.append(.slices(runs)) }
    runs = []
  }
}
