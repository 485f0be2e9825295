import CInkKernels

/// A model laid out for inference: what follows a product is done in the same pass, weights lie as
/// the kernels read them.
///
/// Layers that do nothing at inference are left out.
struct InferencePlan: Sendable {
  /// Layers with their weights; each reads one of ``layouts`` and writes another or the same.
  struct Step: Sendable {
    enum Operation: Sendable {
      case convolution(PlaneConvolution, Product)
      case dense(Product)
      /// A batch normalisation with its statistics folded in, value by value: x · scale + shift.
      case scaleAndShift(scale: FloatBuffer, shift: FloatBuffer)
      case relu
      case maxPooling(size: Int)
    }

    var operation: Operation
    var input: Int
    var output: Int
  }

  /// Packed weights and bias, and the lowest value that is kept.
  struct Product: Sendable {
    var weight: FloatBuffer
    var bias: FloatBuffer
    var lowest: Float
  }

  /// The steps up to the first dense layer, and those from there on.
  private(set) var planeSteps: [Step] = []
  private(set) var vectorSteps: [Step] = []
  /// What the steps read and write for each example; the first takes the picture, the last the logits.
  private(set) var layouts: [PlaneLayout] = []
  private(set) var scratchCount = 0

  init(_ model: Model) {
    let architecture = model.architecture
    layouts = [
      PlaneLayout(
        architecture.shapes[0], packedChannels: 1,
        readBy: Self.extent(readingFrom: 0, in: architecture))
    ]
    var index = 0
    while index < architecture.layers.count { index = addStep(index, of: model) }
  }

  /// Adds what layer `index` and those that it takes with it do; returns the next one.
  private mutating func addStep(_ index: Int, of model: Model) -> Int {
    let architecture = model.architecture
    let input = layouts.count - 1
    let shape = architecture.shapes[index]
    switch (architecture.layers[index], shape) {
    case (.convolution(let filters, let kernel, let padding), .planes(_, let height, let width)):
      let tail = Tail(of: index, in: model)
      addLayout(after: tail.end, of: architecture, packedChannels: PlaneLayout.packed(filters))
      let convolution = PlaneConvolution(
        .init(height: height, width: width, kernel: kernel, padding: padding), filters: filters,
        pools: tail.pools, from: layouts[input], to: layouts[input + 1])
      scratchCount = max(scratchCount, convolution.scratchCount)
      let product = Product(
        weight: FloatBuffer(count: convolution.packedCount),
        bias: FloatBuffer(count: convolution.packedBiasCount), lowest: tail.lowest)
      let scratch = FloatBuffer(count: convolution.scratchCount)
      convolution.pack(tail.weight, into: product.weight.pointer, scratch: scratch.pointer)
      product.bias.pointer.update(from: tail.bias, count: filters)
      append(.convolution(convolution, product))
      return tail.end
    case (.dense(let units), _):
      let tail = Tail(of: index, in: model)
      addLayout(after: tail.end, of: architecture, packedChannels: PlaneLayout.packed(units))
      scratchCount = max(scratchCount, ink_dense_scratch(layouts[input].count))
      let product = Product(
        weight: FloatBuffer(count: layouts[input].count * layouts[input + 1].count),
        bias: FloatBuffer(count: layouts[input + 1].count), lowest: tail.lowest)
      let packedUnits = layouts[input + 1].count
      for start in stride(from: 0, to: packedUnits, by: ink_dense_panel()) {
        let width = min(ink_dense_panel(), packedUnits - start)
        let panel = product.weight.pointer + start * layouts[input].count
        for value in 0..<shape.count {
          let row = panel + layouts[input].place(of: value) * width
          for unit in start..<min(start + width, units) {
            row[unit - start] = tail.weight[unit * shape.count + value]
          }
        }
      }
      product.bias.pointer.update(from: tail.bias, count: units)
      append(.dense(product))
      return tail.end
    case (.batchNormalization, _):
      let normalization = model.batchNormalization(index)
      let scales = FloatBuffer(count: layouts[input].count)
      let shifts = FloatBuffer(count: layouts[input].count)
      let length = shape.count / shape.channelCount
      for value in 0..<shape.count {
        scales.pointer[layouts[input].place(of: value)] = normalization.scale[value / length]
        shifts.pointer[layouts[input].place(of: value)] = normalization.shift[value / length]
      }
      append(.scaleAndShift(scale: scales, shift: shifts))
    case (.relu, _): append(.relu)
    case (.maxPooling(let size), .planes):
      addLayout(after: index + 1, of: architecture, packedChannels: layouts[input].packedChannels)
      append(.maxPooling(size: size))
    case (.flatten, _), (.dropout, _): break
    case (.convolution, .vector), (.maxPooling, .vector):
      preconditionFailure("an architecture has planes before \(architecture.layers[index].kind)")
    }
    return index + 1
  }

  /// What a product takes with it: batch normalisation and ReLU behind it, and 2 × 2 max-pooling
  /// behind a convolution.
  private struct Tail {
    var weight: [Float]
    var bias: [Float]
    var lowest = -Float.infinity
    var pools = false
    /// The first layer that is not taken.
    var end: Int

    init(of index: Int, in model: Model) {
      weight = model.stored(index, .weight)
      bias = model.stored(index, .bias)
      end = index + 1
      let layers = model.architecture.layers
      while end < layers.count, !pools {
        switch layers[end] {
        case .batchNormalization where lowest == -.infinity:
          model.batchNormalization(end).fold(into: &weight, bias: &bias)
        case .relu: lowest = 0
        case .dropout: break
        case .maxPooling(size: 2): pools = true
        case .batchNormalization, .maxPooling, .flatten, .convolution, .dense: return
        }
        end += 1
      }
    }
  }

  /// What the next convolution from layer `index` on reads, where no other layer comes before it
  /// that writes elsewhere.
  private static func extent(
    readingFrom index: Int, in architecture: Architecture
  ) -> PlaneConvolution.Extent? {
    for next in index..<architecture.layers.count {
      switch (architecture.layers[next], architecture.shapes[next]) {
      case (.relu, _), (.batchNormalization, _), (.dropout, _): continue
      case (.convolution(_, let kernel, let padding), .planes(_, let height, let width)):
        return .init(height: height, width: width, kernel: kernel, padding: padding)
      case (.convolution, _), (.maxPooling, _), (.flatten, _), (.dense, _): return nil
      }
    }
    return nil
  }

  private mutating func addLayout(
    after index: Int, of architecture: Architecture, packedChannels: Int
  ) {
    layouts.append(
      PlaneLayout(
        architecture.shapes[index], packedChannels: packedChannels,
        readBy: Self.extent(readingFrom: index, in: architecture)))
  }

  /// Adds a step that reads the last layout but one and writes the last, or works on the last.
  private mutating func append(_ operation: Step.Operation) {
    let output = layouts.count - 1
    switch operation {
    case .convolution, .maxPooling:
      planeSteps.append(Step(operation: operation, input: output - 1, output: output))
    case .dense: vectorSteps.append(Step(operation: operation, input: output - 1, output: output))
    case .scaleAndShift, .relu:
      let step = Step(operation: operation, input: output, output: output)
      if vectorSteps.isEmpty { planeSteps.append(step) } else { vectorSteps.append(step) }
    }
  }
}
