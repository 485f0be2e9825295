import CInkKernels

/// A network laid out for inference: what follows a product is done in the same pass, weights lie as
/// the kernels read them.
///
/// Layers that do nothing at inference are left out.
struct InferencePlan: Sendable {
  /// A layer with its weights; it reads one of ``layouts`` and writes another or the same.
  struct Step: Sendable {
    var operation: Operation
    var input: Int
    var output: Int
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

  private let network: TrainedNetwork
  /// Where the value of each input and node lies, once it is computed.
  private var places: [Architecture.Source: Int] = [:]
  /// The layouts that vector steps write.
  private var vectors: Set<Int> = []
  /// The nodes that a product before them has taken with it.
  private var taken: Set<Int> = []

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
    for index in architecture.nodes.indices where !taken.contains(index) { add(index) }
    output = places[.node(architecture.nodes.count - 1)]!
  }

  private var architecture: Architecture { network.architecture }

  /// Adds the steps of node `index` and of the nodes that are computed with it.
  private mutating func add(_ index: Int) {
    let source = architecture.sources[index][0]
    switch architecture.nodes[index].layer {
    case .convolution(let layer):
      let epilogue = Epilogue(of: index, in: network)
      taken.formUnion(epilogue.taken)
      let extent = PlaneConvolution.Extent(layer, reading: architecture.inputShape(of: index))
      let input = place(of: source, readBy: extent)
      let output = addLayout(
        of: .node(epilogue.end), packedChannels: PlaneLayout.packed(layer.filters),
        length(
          of: input, narrowedBy: layer.kernel - 1 - 2 * layer.pad,
          dividedBy: epilogue.pools ? 2 : 1))
      let convolution = PlaneConvolution(
        extent, filters: layer.filters, pools: epilogue.pools, from: layouts[input],
        to: layouts[output]
      )
      scratchCount = max(scratchCount, convolution.scratchCount)
      let product = Product(
        weight: FloatBuffer(count: convolution.packedCount),
        bias: FloatBuffer(count: convolution.packedBiasCount), lowest: epilogue.lowest)
      let scratch = FloatBuffer(count: convolution.scratchCount)
      convolution.pack(epilogue.weight, into: product.weight.pointer, scratch: scratch.pointer)
      product.bias.pointer.update(from: epilogue.bias, count: layer.filters)
      append(.convolution(convolution, product), from: input, to: output)
      places[.node(epilogue.end)] = output
    case .dense(let layer):
      if case .series = architecture.inputShape(of: index) {
        let convolution = SeriesConvolution(
          filters: layer.units, kernel: 1, padding: .valid)
        addSeriesConvolution(convolution, index, from: source)
        return
      }
      let epilogue = Epilogue(of: index, in: network)
      taken.formUnion(epilogue.taken)
      let input = vector(of: architecture.sources[index])
      let output = addLayout(
        of: .node(epilogue.end), packedChannels: PlaneLayout.packed(layer.units))
      scratchCount = max(scratchCount, ink_dense_scratch(layouts[input].count))
      let inputCount = architecture.sourceShapes(of: index).reduce(0) { $0 + $1.count }
      append(
        .dense(packed(epilogue, inputCount: inputCount, from: layouts[input], to: layouts[output])),
        from: input, to: output)
      places[.node(epilogue.end)] = output
    case .batchNormalization:
      let place = ownPlace(of: source, for: index)
      let normalization = network.batchNormalization(index)
      let layout = layouts[place]
      let shape = architecture.inputShape(of: index)
      // The steps of a series, and the places of planes of different widths, share one row of factors.
      let isShared = layout.isSeries || layout.variesInWidth
      let count = isShared ? shape.channelCount : shape.count
      let scales = FloatBuffer(count: isShared ? layout.packedChannels : layout.count)
      let shifts = FloatBuffer(count: scales.count)
      let length = count / shape.channelCount
      for value in 0..<count {
        let place = isShared ? value : layout.place(of: value)
        scales.pointer[place] = normalization.scale[value / length]
        shifts.pointer[place] = normalization.shift[value / length]
      }
      append(.scaleAndShift(scale: scales, shift: shifts), from: place, to: place)
      places[.node(index)] = place
    case .relu:
      let place = ownPlace(of: source, for: index)
      append(.relu, from: place, to: place)
      places[.node(index)] = place
    case .maxPooling(let layer):
      let input = places[source]!
      let output = addLayout(
        of: .node(index), packedChannels: layouts[input].packedChannels,
        length(of: input, narrowedBy: 0, dividedBy: layer.size))
      append(.maxPooling(size: layer.size), from: input, to: output)
      places[.node(index)] = output
    case .dropout: places[.node(index)] = places[source]
    case .flatten:
      places[.node(index)] =
        layouts[places[source]!].isSeries ? joined([source], as: index) : places[source]
    case .seriesConvolution(let layer): addSeriesConvolution(layer, index, from: source)
    case .gru(let layer): addRecurrence(.gru, layer.units, layer.direction, index, from: source)
    case .lstm(let layer): addRecurrence(.lstm, layer.units, layer.direction, index, from: source)
    case .timePooling(let layer):
      let input = places[source]!
      let weight = FloatBuffer(count: layouts[input].packedChannels)
      if layer.method == .attention {
        let stored = network.values(index, .weight)
        weight.pointer.update(from: stored, count: stored.count)
      }
      let output = addLayout(of: .node(index), packedChannels: layouts[input].packedChannels)
      append(.timePooling(layer.method, weight: weight), from: input, to: output)
      places[.node(index)] = output
    case .layerNormalization:
      let place = ownPlace(of: source, for: index)
      let stored = [network.values(index, .weight), network.values(index, .bias)]
      let (weight, bias) = (
        FloatBuffer(count: stored[0].count), FloatBuffer(count: stored[0].count)
      )
      (weight.values, bias.values) = (stored[0], stored[1])
      append(.layerNormalization(weight: weight, bias: bias), from: place, to: place)
      places[.node(index)] = place
    case .concatenation: places[.node(index)] = joined(architecture.sources[index], as: index)
    case .columns:
      let output = addLayout(
        of: .node(index),
        packedChannels: PlaneLayout.packed(architecture.outputShapes[index].channelCount),
        lengths[places[source]!].isFixed ? .fixed : .same(as: places[source]!))
      append(.columns, from: places[source]!, to: output)
      places[.node(index)] = output
    }
  }

  /// Adds a convolution over time, or a dense layer step by step, with what follows it.
  private mutating func addSeriesConvolution(
    _ layer: SeriesConvolution, _ index: Int, from source: Architecture.Source
  ) {
    let epilogue = Epilogue(of: index, in: network)
    taken.formUnion(epilogue.taken)
    let input = places[source]!
    let output = addLayout(
      of: .node(epilogue.end), packedChannels: PlaneLayout.packed(layer.filters),
      .convolved(layer, of: input))
    let row = layouts[input].packedChannels
    let channels = layouts[input].channels
    let panels = DensePanels(inputs: layer.kernel * row, units: layouts[output].packedChannels)
    epilogue.weight.withUnsafeBufferPointer { weight in
      for step in 0..<layer.kernel {
        panels.set(
          units: 0..<layer.filters, to: weight.baseAddress! + step * channels,
          row: layer.kernel * channels, count: channels, first: step * row)
      }
    }
    panels.bias.pointer.update(from: epilogue.bias, count: layer.filters)
    let windows = SeriesWindows(layer, row: row)
    scratchCount = max(scratchCount, windows.scratchCount + panels.scratchCount)
    append(.seriesConvolution(windows, panels, lowest: epilogue.lowest), from: input, to: output)
    places[.node(epilogue.end)] = output
  }

  /// Adds the directions of a recurrent layer.
  private mutating func addRecurrence(
    _ kind: RecurrentCell.Kind, _ units: Int, _ direction: Direction, _ index: Int,
    from source: Architecture.Source
  ) {
    let input = places[source]!
    let output = addLayout(
      of: .node(index),
      packedChannels: PlaneLayout.packed(architecture.outputShapes[index].channelCount),
      .same(as: input))
    for (number, pass) in direction.passes.enumerated() {
      let cell = RecurrentCell(
        kind, inputs: layouts[input].channels, inputRow: layouts[input].packedChannels,
        units: units, isBackward: pass.isBackward)
      cell.pack(pass.roles.flatMap { network.values(index, $0) })
      scratchCount = max(scratchCount, Recurrence.scratchCount(cell))
      append(.recurrence(cell, start: number * units), from: input, to: output)
    }
    places[.node(index)] = output
  }

  /// Where the values of `sources` lie, step by step one after the other.
  private mutating func joined(_ sources: [Architecture.Source], as index: Int) -> Int {
    guard case .series = architecture.outputShapes[index] else { return vector(of: sources) }
    let channels = architecture.outputShapes[index].channelCount
    let output = addLayout(
      of: .node(index), packedChannels: PlaneLayout.packed(channels),
      .same(as: places[sources[0]]!))
    var start = 0
    for source in sources {
      append(.join(start: start), from: places[source]!, to: output)
      start += architecture.shape(of: source).channelCount
    }
    return output
  }

  /// The weights of a dense layer over what lies in `input`, in the panels that the kernel reads.
  private func packed(
    _ epilogue: Epilogue, inputCount: Int, from input: PlaneLayout, to output: PlaneLayout
  ) -> Product {
    let units = epilogue.bias.count
    let product = Product(
      weight: FloatBuffer(count: input.count * output.count),
      bias: FloatBuffer(count: output.count), lowest: epilogue.lowest)
    for start in stride(from: 0, to: output.count, by: ink_dense_panel()) {
      let width = min(ink_dense_panel(), output.count - start)
      let panel = product.weight.pointer + start * input.count
      for value in 0..<inputCount {
        let row = panel + input.place(of: value) * width
        for unit in start..<min(start + width, units) {
          row[unit - start] = epilogue.weight[unit * inputCount + value]
        }
      }
    }
    product.bias.pointer.update(from: epilogue.bias, count: units)
    return product
  }

  // MARK: Layouts

  /// Adds the layout of the value of `source`, as the convolution that reads it wants it.
  private mutating func addLayout(
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
  private func length(of place: Int, narrowedBy lost: Int, dividedBy size: Int) -> SeriesLength {
    lengths[place].isFixed ? .fixed : .narrowed(by: lost, dividedBy: size, of: place)
  }

  /// What the one convolution that reads `source`, or what is computed in the same place, reads.
  private func extent(reading source: Architecture.Source) -> PlaneConvolution.Extent? {
    let readers = architecture.readers(of: source)
    guard let reader = readers.first, readers.count == 1 else { return nil }
    switch architecture.nodes[reader].layer {
    case .relu, .batchNormalization, .dropout: return extent(reading: .node(reader))
    case .convolution(let layer):
      return PlaneConvolution.Extent(layer, reading: architecture.inputShape(of: reader))
    case .maxPooling, .flatten, .dense, .seriesConvolution, .gru, .lstm, .timePooling,
      .layerNormalization, .concatenation, .columns:
      return nil
    }
  }

  /// Where the value of `source` lies with the zeros around it that a convolution wants.
  private mutating func place(
    of source: Architecture.Source, readBy extent: PlaneConvolution.Extent
  ) -> Int {
    let place = places[source]!
    let wanted = layout(
      architecture.shape(of: source), packedChannels: layouts[place].packedChannels,
      readBy: extent, lengths[place])
    if layouts[place] == wanted { return place }
    add(wanted, like: place)
    append(.copy, from: place, to: layouts.count - 1)
    return layouts.count - 1
  }

  /// A place with the value of `source` that node `index` may change: another one where the value is
  /// read by others as well.
  private mutating func ownPlace(of source: Architecture.Source, for index: Int) -> Int {
    let place = places[source]!
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
    append(.copy, from: place, to: layouts.count - 1)
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
  private mutating func vector(of sources: [Architecture.Source]) -> Int {
    if sources.count == 1, !layouts[places[sources[0]]!].isSeries { return places[sources[0]]! }
    let count = sources.reduce(0) { $0 + architecture.shape(of: $1).count }
    layouts.append(
      PlaneLayout(.vector(count), packedChannels: PlaneLayout.packed(count), readBy: nil))
    lengths.append(.fixed)
    let output = layouts.count - 1
    vectors.insert(output)
    var start = 0
    for source in sources {
      append(.gather(start: start), from: places[source]!, to: output)
      start += architecture.shape(of: source).count
    }
    return output
  }

  private mutating func append(_ operation: Operation, from input: Int, to output: Int) {
    let step = Step(operation: operation, input: input, output: output)
    if case .dense = operation { vectors.insert(output) }
    if vectors.contains(output) { vectorSteps.append(step) } else { planeSteps.append(step) }
  }
}

extension PlaneConvolution.Extent {
  /// What `layer` reads of planes of the shape `shape`.
  package init(_ layer: Convolution, reading shape: Shape) {
    guard case .planes(_, let height, let width) = shape else {
      preconditionFailure("a convolution reads planes")
    }
    self.init(height: height, width: width, kernel: layer.kernel, padding: layer.padding)
  }
}

/// The fused epilogue of a product: batch normalisation and ReLU, and 2 × 2 max-pooling after a
/// convolution.
private struct Epilogue {
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
      switch architecture.nodes[readers[0]].layer {
      case .batchNormalization:
        guard lowest == -.infinity else { return }
        network.batchNormalization(readers[0]).fold(into: &weight, bias: &bias)
      case .relu: lowest = 0
      case .dropout: break
      case .maxPooling(let layer):
        guard layer.size == 2 else { return }
        pools = true
      case .convolution, .flatten, .dense, .seriesConvolution, .gru, .lstm, .timePooling,
        .layerNormalization, .concatenation, .columns:
        return
      }
      end = readers[0]
      taken.append(end)
    }
  }
}

/// Packed weights and bias, and the lowest value that is kept.
struct Product: Sendable {
  var weight: FloatBuffer
  var bias: FloatBuffer
  var lowest: Float
}

/// What a step computes.
enum Operation: Sendable {
  case convolution(PlaneConvolution, Product)
  case dense(Product)
  /// A batch normalisation with its statistics folded in, value by value: x · scale + shift.
  case scaleAndShift(scale: FloatBuffer, shift: FloatBuffer)
  case relu
  case maxPooling(size: Int)
  /// The same values in another layout.
  case copy
  /// The values in order, from `start` on, in a vector.
  case gather(start: Int)
  /// The windows of a series times weights.
  case seriesConvolution(SeriesWindows, DensePanels, lowest: Float)
  /// One direction of a recurrent layer; its states are the channels from `start` on.
  case recurrence(RecurrentCell, start: Int)
  case timePooling(TimePooling.Method, weight: FloatBuffer)
  case layerNormalization(weight: FloatBuffer, bias: FloatBuffer)
  /// The channels of each step in those of a wider series, from `start` on.
  case join(start: Int)
  /// The columns of planes as steps.
  case columns

  /// Computes it for `count` examples; `input` and `output` begin with the memory of the first one.
  ///
  /// `steps` and `outputSteps` are the numbers of steps of a series.
  func run(
    count: Int, input: UnsafeMutablePointer<Float>, _ inputLayout: PlaneLayout, steps: Int,
    output: UnsafeMutablePointer<Float>, _ outputLayout: PlaneLayout, outputSteps: Int,
    scratch: UnsafeMutablePointer<Float>
  ) {
    // The number of values in use; a series can be shorter than its memory.
    let used = inputLayout.isSeries ? steps * inputLayout.packedChannels : inputLayout.count
    switch self {
    case .dense(let product):
      ink_dense(
        count, inputLayout.count, outputLayout.count, input, product.weight.pointer,
        product.bias.pointer, product.lowest, output, scratch)
    case .relu:
      for example in 0..<count { ink_relu(input + example * inputLayout.count, used) }
    case .convolution(let convolution, let product):
      let convolution =
        inputLayout.variesInWidth ? convolution.from(inputLayout, to: outputLayout) : convolution
      for example in 0..<count {
        convolution.forward(
          input: input + example * inputLayout.count, weight: product.weight.pointer,
          bias: product.bias.pointer, lowest: product.lowest,
          output: output + example * outputLayout.count + outputLayout.start, choices: nil,
          scratch: scratch)
      }
    case .scaleAndShift(let scale, let shift) where inputLayout.variesInWidth:
      for example in 0..<count {
        for y in 0..<inputLayout.height {
          let first = example * inputLayout.count + inputLayout.start + y * inputLayout.row
          for x in 0..<inputLayout.width {
            let values = input + first + x * scale.count
            for index in 0..<scale.count {
              values[index] = values[index] * scale.pointer[index] + shift.pointer[index]
            }
          }
        }
      }
    case .scaleAndShift(let scale, let shift):
      for example in 0..<count {
        for start in stride(from: 0, to: used, by: scale.count) {
          let values = input + example * inputLayout.count + start
          for index in 0..<scale.count {
            values[index] = values[index] * scale.pointer[index] + shift.pointer[index]
          }
        }
      }
    case .maxPooling(let size):
      for example in 0..<count {
        Self.maxPool(
          input + example * inputLayout.count, inputLayout, size: size,
          into: output + example * outputLayout.count, outputLayout)
      }
    case .copy where inputLayout.isSeries:
      for example in 0..<count {
        (output + example * outputLayout.count).update(
          from: input + example * inputLayout.count, count: used)
      }
    case .copy:
      for example in 0..<count {
        inputLayout.copy(
          input + example * inputLayout.count, into: output + example * outputLayout.count,
          outputLayout)
      }
    case .gather(let start):
      for example in 0..<count {
        let target = output + example * outputLayout.count + outputLayout.start + start
        if inputLayout.isSeries {
          inputLayout.unpack(
            input + example * inputLayout.count, count: steps, into: target,
            row: inputLayout.channels)
        } else {
          inputLayout.unpack(input + example * inputLayout.count, into: target)
        }
      }
    case .seriesConvolution(let windows, let panels, let lowest):
      for example in 0..<count {
        windows.forEachBlock(
          of: input + example * inputLayout.count, steps: steps, outputSteps: outputSteps,
          scratch: scratch
        ) { values, first, count in
          panels.multiply(
            values, count: count, lowest: lowest,
            into: output + example * outputLayout.count + first * outputLayout.packedChannels,
            scratch: scratch + windows.scratchCount)
        }
      }
    case .recurrence(let cell, let start):
      for example in 0..<count {
        Recurrence.run(
          cell, steps: steps, input: input + example * inputLayout.count,
          inputRow: inputLayout.packedChannels,
          output: output + example * outputLayout.count + start,
          outputRow: outputLayout.packedChannels, scratch: scratch)
      }
    case .timePooling(let method, let weight):
      for example in 0..<count {
        TimePooling.pool(
          input + example * inputLayout.count, count: steps, channels: inputLayout.packedChannels,
          row: inputLayout.packedChannels, method, weight: weight.pointer, shares: scratch,
          into: output + example * outputLayout.count)
      }
    case .layerNormalization(let weight, let bias):
      for example in 0..<count {
        let values = input + example * inputLayout.count
        ink_layer_normalization(
          inputLayout.isSeries ? steps : 1, weight.count, inputLayout.packedChannels, values,
          weight.pointer, bias.pointer, LayerNormalization.epsilon, nil, nil, values)
      }
    case .join(let start):
      for example in 0..<count {
        inputLayout.unpack(
          input + example * inputLayout.count, count: steps,
          into: output + example * outputLayout.count + start, row: outputLayout.packedChannels)
      }
    case .columns:
      for example in 0..<count {
        let (source, target) = (
          input + example * inputLayout.count, output + example * outputLayout.count
        )
        let height = inputLayout.height
        for x in 0..<inputLayout.width {
          for y in stride(from: 0, to: height, by: PlaneLayout.lanes) {
            ink_transpose(
              min(PlaneLayout.lanes, height - y), inputLayout.channels,
              source + inputLayout.start + y * inputLayout.row + x * inputLayout.packedChannels,
              inputLayout.row, target + x * outputLayout.packedChannels + y, height)
          }
        }
      }
    }
  }

  /// Keeps the largest value of each square: `output[y, x, c] = max input[y·size + i, x·size + j, c]`.
  private static func maxPool(
    _ input: UnsafePointer<Float>, _ inputLayout: PlaneLayout, size: Int,
    into output: UnsafeMutablePointer<Float>, _ outputLayout: PlaneLayout
  ) {
    let channels = inputLayout.packedChannels
    for y in 0..<outputLayout.height {
      for x in 0..<outputLayout.width {
        let square = input + inputLayout.start + y * size * inputLayout.row + x * size * channels
        let target = output + outputLayout.start + y * outputLayout.row + x * channels
        for channel in 0..<channels {
          var largest = square[channel]
          for i in 0..<size {
            for j in 0..<size {
              let value = square[i * inputLayout.row + j * channels + channel]
              largest = value > largest ? value : largest
            }
          }
          target[channel] = largest
        }
      }
    }
  }
}
