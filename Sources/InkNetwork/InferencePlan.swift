/// A network laid out for inference: what follows a product is done in the same pass, weights lie as
/// the kernels read them.
///
/// Layers that do nothing at inference are left out.
struct InferencePlan: Sendable {
  /// A layer with its weights; it reads one of ``layouts`` and writes another or the same.
  struct Step: Sendable {
    let operation: any Operation
    let input: Int
    let output: Int
  }

  /// The steps that take one example at a time, and then those that take several together.
  private(set) var planeSteps: [Step] = []
  private(set) var vectorSteps: [Step] = []
  /// What the steps read and write for each example; the first ones take the inputs.
  private(set) var layouts: [PlaneLayout] = []
  /// Where the steps of each of ``layouts`` come from.
  private(set) var lengths: [SeriesLength] = []
  /// The number of inputs.
  var inputCount: Int { network.architecture.inputs.count }
  /// The layout that the output is in.
  private(set) var output = 0
  private(set) var scratchCount = 0

  let network: TrainedNetwork
  /// Where the value of each input and node lies, once it is computed.
  private var places: [Architecture.Source: Int] = [:]
  /// The layouts that vector steps write.
  private var vectors: Set<Int> = []
  /// The nodes that a product before them has taken with it.
  private var taken: Set<Int> = []
  /// The last of the nodes that each product has taken.
  private var ends: [Int: Int] = [:]

  init(_ network: TrainedNetwork) {
    self.network = network
    for index in architecture.inputs.indices {
      let channels = architecture.inputShapes[index].channelCount
      var isPicture = false
      var length = SeriesLength.fixed
      switch architecture.inputShapes[index] {
      case .planes:
        isPicture = channels == 1
        if architecture.inputs[index].stepBounds.count > 1 { length = .input(index) }
      case .series: length = .input(index)
      case .vector: break
      }
      places[.input(index)] = addLayout(
        of: .input(index), packedChannels: isPicture ? 1 : PlaneLayout.packed(channels), length)
    }
    for index in architecture.nodes.indices where !taken.contains(index) {
      let place = architecture.nodes[index].layer.inference.addSteps(of: index, to: &self)
      places[.node(ends[index] ?? index)] = place
    }
    output = places[.node(architecture.nodes.count - 1)]!
  }

  var architecture: Architecture { network.architecture }

  /// What follows the product of node `index` and is done in the same pass; its nodes have no other steps.
  mutating func takeEpilogue(of index: Int) -> Epilogue {
    let epilogue = Epilogue(of: index, in: network)
    taken.formUnion(epilogue.taken)
    ends[index] = epilogue.end
    return epilogue
  }

  /// Makes room for `count` values of scratch memory.
  mutating func reserveScratch(_ count: Int) { scratchCount = max(scratchCount, count) }

  /// Where the first value that node `index` reads lies.
  func input(of index: Int) -> Int { places[architecture.sources[index][0]]! }

  /// Where all values that node `index` reads lie, step by step one after the other.
  mutating func joined(readBy index: Int) -> Int {
    let sources = architecture.sources[index]
    if case .vector = architecture.outputShapes[index] { return vector(of: sources) }
    let channels = architecture.outputShapes[index].channelCount
    let first = places[sources[0]]!
    let output = addLayout(
      of: .node(index), packedChannels: PlaneLayout.packed(channels),
      lengths[first].isFixed ? .fixed : .same(as: first))
    var start = 0
    for source in sources {
      append(Join(start: start), from: places[source]!, to: output)
      start += architecture.shape(of: source).channelCount
    }
    return output
  }

  // MARK: Layouts

  /// Adds the layout of the value of `source`, as the convolution that reads it wants it.
  mutating func addLayout(
    of source: Architecture.Source, packedChannels: Int, _ length: SeriesLength = .fixed
  ) -> Int {
    lengths.append(length)
    layouts.append(
      layout(
        architecture.shape(of: source), packedChannels: packedChannels,
        readBy: extent(reading: source), length))
    return layouts.count - 1
  }

  private func layout(
    _ shape: Shape, packedChannels: Int, readBy extent: PlaneConvolution.Extent?,
    _ length: SeriesLength
  ) -> PlaneLayout {
    var isOfPlanes = false
    if case .planes = shape { isOfPlanes = true }
    return PlaneLayout(
      shape, packedChannels: packedChannels, readBy: extent,
      variesInWidth: isOfPlanes && !length.isFixed)
  }

  /// The columns that are left of planes.
  func length(of place: Int, narrowedBy lost: Int, dividedBy size: Int) -> SeriesLength {
    lengths[place].isFixed ? .fixed : .narrowed(by: lost, dividedBy: size, of: place)
  }

  /// What the one convolution that reads `source`, or what is computed in the same place, reads.
  private func extent(reading source: Architecture.Source) -> PlaneConvolution.Extent? {
    let readers = architecture.readers(of: source)
    guard let reader = readers.first, readers.count == 1 else { return nil }
    let layer = architecture.nodes[reader].layer.inference
    return layer.isInPlace
      ? extent(reading: .node(reader)) : layer.extent(reading: architecture.inputShape(of: reader))
  }

  /// Where the value that node `index` reads lies with the zeros around it that a convolution wants.
  mutating func input(of index: Int, readBy extent: PlaneConvolution.Extent) -> Int {
    let place = input(of: index)
    let wanted = layout(
      architecture.inputShape(of: index), packedChannels: layouts[place].packedChannels,
      readBy: extent, lengths[place])
    if layouts[place] == wanted { return place }
    add(wanted, like: place)
    append(Copy(), from: place, to: layouts.count - 1)
    return layouts.count - 1
  }

  /// A place with the value that node `index` reads and may change: another one where the value is read
  /// by others as well.
  mutating func ownInput(of index: Int) -> Int {
    let place = input(of: index)
    if valuesIn(place).flatMap(architecture.readers).allSatisfy({ $0 == index || hasRead($0) }) {
      return place
    }
    let layout = layouts[place]
    let shape =
      layout.isSeries
      ? Shape.series(length: layout.width, channels: layout.channels)
      : .planes(channels: layout.channels, height: layout.height, width: layout.width)
    add(
      self.layout(
        shape, packedChannels: layout.packedChannels, readBy: extent(reading: .node(index)),
        lengths[place]),
      like: place)
    if vectors.contains(place) { vectors.insert(layouts.count - 1) }
    append(Copy(), from: place, to: layouts.count - 1)
    return layouts.count - 1
  }

  /// Adds a layout with as many steps as that of another place.
  private mutating func add(_ layout: PlaneLayout, like place: Int) {
    layouts.append(layout)
    lengths.append(lengths[place].isFixed ? .fixed : .same(as: place))
  }

  /// Everything that lies in one place, for layers that do nothing pass on where it is.
  private func valuesIn(_ place: Int) -> [Architecture.Source] {
    places.filter { $0.value == place }.map(\.key)
  }

  /// Whether a step for node `index` comes before the next one, whichever that is.
  private func hasRead(_ index: Int) -> Bool {
    guard let place = places[.node(index)] else { return false }
    return !vectors.contains(place)
  }

  /// Where the values of `sources` lie as one vector.
  mutating func vector(of sources: [Architecture.Source]) -> Int {
    if sources.count == 1, !layouts[places[sources[0]]!].isSeries { return places[sources[0]]! }
    let count = sources.reduce(0) { $0 + architecture.shape(of: $1).count }
    layouts.append(
      PlaneLayout(.vector(count), packedChannels: PlaneLayout.packed(count), readBy: nil))
    lengths.append(.fixed)
    let output = layouts.count - 1
    vectors.insert(output)
    var start = 0
    for source in sources {
      append(Gather(start: start), from: places[source]!, to: output)
      start += architecture.shape(of: source).count
    }
    return output
  }

  /// Adds a step; `together` says that it takes several examples at a time.
  mutating func append(
    _ operation: some Operation, from input: Int, to output: Int, together: Bool = false
  ) {
    let step = Step(operation: operation, input: input, output: output)
    if together { vectors.insert(output) }
    if vectors.contains(output) { vectorSteps.append(step) } else { planeSteps.append(step) }
  }
}

/// The fused epilogue of a product: batch normalisation and ReLU, and 2 × 2 max-pooling after a
/// convolution.
struct Epilogue {
  /// What a product does to its sums.
  enum Part {
    /// A factor and a shift for each output, which become part of the weights.
    case normalization
    /// max(0, ·).
    case rectifier
    /// The largest of 2 × 2 sums.
    case pooling
    case nothing
  }

  var weight: [Float]
  var bias: [Float]
  var lowest = -Float.infinity
  var pools = false
  /// The last node that is taken, or the product itself.
  var end: Int
  var taken: [Int] = []

  init(of index: Int, in network: TrainedNetwork) {
    let architecture = network.architecture
    weight = network.values(index, .weight)
    bias = network.values(index, .bias)
    end = index
    while !pools {
      let readers = architecture.readers(of: .node(end))
      guard readers.count == 1 else { return }
      switch architecture.nodes[readers[0]].layer.inference.epilogue {
      case .normalization?:
        guard lowest == -.infinity else { return }
        network.batchNormalization(readers[0]).fold(into: &weight, bias: &bias)
      case .rectifier?: lowest = 0
      case .pooling?: pools = true
      case .nothing?: break
      case nil: return
      }
      end = readers[0]
      taken.append(end)
    }
  }
}
