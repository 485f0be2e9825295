/// A network laid out for inference: what follows a product is done in the same pass, weights lie as
/// the kernels read them.
///
/// Layers that do nothing at inference are left out.
struct InferencePlan: Sendable {
  /// A layer with its weights; it reads one of ``layouts``, or several, and writes another or the same.
  ///
  /// A class, for copies of the operations would cost a short network several percent.
  final class Step: Sendable {
    let operation: any Operation
    /// The same, if its rows can be computed apart.
    let rows: (any RowOperation)?
    /// The same, if its steps can be computed apart.
    let steps: (any StepOperation)?
    /// The same, if its units can be computed apart.
    let units: (any UnitOperation)?
    /// The same, if it reads several values.
    let joins: (any JoiningOperation)?
    let inputs: [Int]
    let output: Int

    init(_ operation: some Operation, from inputs: [Int], to output: Int) {
      self.operation = operation
      rows = operation as? any RowOperation
      steps = operation as? any StepOperation
      units = operation as? any UnitOperation
      joins = operation as? any JoiningOperation
      (self.inputs, self.output) = (inputs, output)
    }

    /// The first, and for most the only one, that it reads.
    var input: Int { inputs[0] }
  }

  /// A part of what a convolution over joined planes reads.
  struct JoinedPart {
    let source: Architecture.Source
    /// Whether it is made twice as high and wide.
    let isDoubled: Bool
  }

  /// The steps that take one example at a time, and then those that take several together.
  private(set) var planeSteps: [Step] = []
  private(set) var vectorSteps: [Step] = []
  /// The same steps, in stages that can be spread over cores: the steps of a stage write different parts of the
  /// same value, and read others.
  private(set) var stages: [[Step]] = []
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
    for index in architecture.nodes.indices { taken.formUnion(joints(readBy: index)) }
    for index in architecture.inputs.indices {
      let channels = architecture.inputShapes[index].channelCount
      var packedChannels = PlaneLayout.packed(channels)
      var length = SeriesLength.fixed
      switch architecture.inputShapes[index] {
      case .planes:
        if channels == 1 { packedChannels = 1 }
        if architecture.inputs[index].stepBounds.count > 1 { length = .input(index) }
      case .series:
        length = .input(index)
        // Products with zeros would be made for nothing.
        if isReadByWindowsAlone(.input(index)) { packedChannels = channels }
      case .vector: break
      }
      places[.input(index)] = addLayout(
        of: .input(index), packedChannels: packedChannels, length)
    }
    for index in architecture.nodes.indices where !taken.contains(index) {
      let place = architecture.nodes[index].layer.inference.addSteps(of: index, to: &self)
      places[.node(ends[index] ?? index)] = place
    }
    output = places[.node(architecture.nodes.count - 1)]!
    for step in planeSteps + vectorSteps {
      if let last = stages.last?.last, last.output == step.output,
        !step.inputs.contains(step.output)
      {
        stages[stages.count - 1].append(step)
      } else {
        stages.append([step])
      }
    }
  }

  var architecture: Architecture { network.architecture }

  /// What follows the product of node `index` and is done in the same pass; its nodes have no other steps.
  ///
  /// `canPool` tells whether that may be max-pooling.
  mutating func takeEpilogue(of index: Int, canPool: Bool = true) -> Epilogue {
    let epilogue = Epilogue(of: index, in: network, canPool: canPool)
    taken.formUnion(epilogue.taken)
    ends[index] = epilogue.end
    return epilogue
  }

  /// Makes room for `count` values of scratch memory.
  mutating func reserveScratch(_ count: Int) { scratchCount = max(scratchCount, count) }

  /// Whether only convolutions over series, which read windows of any number of values, read `source`.
  private func isReadByWindowsAlone(_ source: Architecture.Source) -> Bool {
    architecture.readers(of: source).allSatisfy {
      if case .seriesConvolution = architecture.nodes[$0].layer { true } else { false }
    }
  }

  // MARK: Joined planes

  /// The nodes before convolution `index` whose values it makes on the way: those that join and double
  /// planes that it alone reads.
  private func joints(readBy index: Int) -> [Int] {
    guard case .convolution(let layer) = architecture.nodes[index].layer,
      layer.kernel == JoinedConvolution.kernel, layer.stride == 1, layer.padding == .same,
      !variesInWidth
    else { return [] }
    var joints: [Int] = []
    func add(_ source: Architecture.Source, joins: Bool) {
      guard case .node(let node) = source, architecture.readers(of: source).count == 1 else {
        return
      }
      switch architecture.nodes[node].layer {
      // A picture alone does not lie in whole vectors.
      case .upsampling where architecture.shape(of: source).channelCount > 1: joints.append(node)
      case .concatenation
      where joins
        && architecture.sourceShapes(of: node).allSatisfy { $0.channelCount > 1 }:
        joints.append(node)
        for part in architecture.sources[node] { add(part, joins: false) }
      default: return
      }
    }
    add(architecture.sources[index][0], joins: true)
    return joints
  }

  /// Whether pictures of different widths go in.
  private var variesInWidth: Bool {
    architecture.inputs.contains { $0.stepBounds.count > 1 }
  }

  /// The planes that convolution `index` joins, or `nil` if it reads planes as they are.
  func parts(readBy index: Int) -> [JoinedPart]? {
    let joints = joints(readBy: index)
    guard let first = joints.first else { return nil }
    let sources =
      architecture.nodes[first].layer == .upsampling
      ? [.node(first)] : architecture.sources[first]
    return sources.map { source in
      guard case .node(let node) = source, joints.contains(node) else {
        return JoinedPart(source: source, isDoubled: false)
      }
      return JoinedPart(source: architecture.sources[node][0], isDoubled: true)
    }
  }

  /// What a convolution over joined planes reads of one of them.
  func extent(of part: JoinedPart) -> PlaneConvolution.Extent { extent(ofJoined: part.source) }

  private func extent(ofJoined source: Architecture.Source) -> PlaneConvolution.Extent {
    guard case .planes(_, let height, let width) = architecture.shape(of: source) else {
      preconditionFailure("planes are joined")
    }
    return PlaneConvolution.Extent(
      height: height, width: width, kernel: JoinedConvolution.kernel, padding: .same)
  }

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

  /// What all convolutions that read `source`, or what is computed in the same place, read alike.
  private func extent(reading source: Architecture.Source) -> PlaneConvolution.Extent? {
    let readers = architecture.readers(of: source)
    guard let first = readers.first else { return nil }
    let extent = extent(reading: source, by: first)
    return readers.allSatisfy { self.extent(reading: source, by: $0) == extent } ? extent : nil
  }

  private func extent(
    reading source: Architecture.Source, by reader: Int
  ) -> PlaneConvolution.Extent? {
    // A convolution takes these with it.
    switch architecture.nodes[reader].layer {
    case .concatenation where taken.contains(reader), .upsampling where taken.contains(reader):
      return extent(ofJoined: source)
    default: break
    }
    let layer = architecture.nodes[reader].layer.inference
    return layer.isInPlace
      ? extent(reading: .node(reader)) : layer.extent(reading: architecture.shape(of: source))
  }

  /// Where the value that node `index` reads lies with the zeros around it that a convolution wants.
  mutating func input(of index: Int, readBy extent: PlaneConvolution.Extent) -> Int {
    input(architecture.sources[index][0], readBy: extent)
  }

  /// Where the value of `source` lies with the zeros around it that a convolution wants.
  mutating func input(
    _ source: Architecture.Source, readBy extent: PlaneConvolution.Extent
  ) -> Int {
    let place = places[source]!
    let wanted = layout(
      architecture.shape(of: source), packedChannels: layouts[place].packedChannels,
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
    append(operation, from: [input], to: output, together: together)
  }

  /// Adds a step that may read several values.
  mutating func append(
    _ operation: some Operation, from inputs: [Int], to output: Int, together: Bool = false
  ) {
    let step = Step(operation, from: inputs, to: output)
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

  init(of index: Int, in network: TrainedNetwork, canPool: Bool) {
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
      case .pooling?:
        guard canPool else { return }
        pools = true
      case .nothing?: break
      case nil: return
      }
      end = readers[0]
      taken.append(end)
    }
  }
}
