import CInkKernels
import InkNetwork

/// A convolution over planes with the channels last, fused with the layers after it.
///
/// The kernels use packed weights and gradients. Weights are packed after each change. Gradients are
/// added up over the batch and then unpacked.
protocol PackedConvolution: WeightPacking {
  /// Unpacks gradients into those of weights `[F, C, k, k]` and, after them, bias `[F]`.
  func unpack(
    gradients: UnsafePointer<Float>, into parameterGradients: UnsafeMutablePointer<Float>)
}

extension TrainingPlan {
  /// A convolution with the nodes behind it that are computed together with it.
  struct Fusion {
    /// The convolution.
    let index: Int
    let layer: Convolution
    /// What the convolution reads; with a stride, what the same one without would read.
    let extent: PlaneConvolution.Extent
    /// The shape of what the convolution computes.
    let valueShape: Shape
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

    /// Fails where node `index` is none, or where what follows leaves too little to gain; a stride is taken
    /// before a normalisation in networks with cells, whose planes have one size.
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
      if layer.stride > 1 {
        guard case .distributionPerCell = architecture.output, normalization != nil, !pools,
          layer.kernel == 3, layer.padding == .same
        else { return nil }
      }
      valueShape = architecture.outputShapes[index]
      self.index = index
      self.layer = layer
      self.taken = taken
      extent = PlaneConvolution.Extent(layer, reading: shape)
    }
  }

  /// Adds a fused convolution, and what brings the planes into its order and, where no other follows,
  /// back; returns the buffer with its value.
  mutating func addPackedConvolution(_ fusion: Fusion, from source: Int) -> Int {
    let shape = architecture.inputShape(of: fusion.index)
    let outputShape = architecture.outputShapes[fusion.end]
    take(fusion.taken, with: fusion.index)
    let isVariable = isOfVariablePlanes(source, shape)
    var input = PlaneLayout(
      shape, packedChannels: fusion.readsPicture ? 1 : PlaneLayout.packed(shape.channelCount),
      readBy: fusion.extent, variesInWidth: isVariable)
    var place = source
    if case .node(let node) = architecture.sources[fusion.index][0], let layout = layouts[node] {
      input = layout
    } else {
      place = addStep(
        PlanePacking(layout: input, unpacks: false), from: source,
        to: planes(input, columns(of: source)))
    }
    let next = packedLayout(of: fusion.end, variesInWidth: isVariable)
    let filters = fusion.layer.filters
    let output =
      next
      ?? PlaneLayout(
        outputShape, packedChannels: PlaneLayout.packed(filters), readBy: nil,
        variesInWidth: isVariable)
    let columns = columns(
      of: place, without: fusion.layer.kernel - 1 - 2 * fusion.layer.pad,
      dividedBy: fusion.pools ? 2 : 1)
    let step = step(of: fusion.index, from: place, to: planes(output, columns))
    if let node = fusion.normalization {
      var left: (node: Int, join: DoubledJoin)?
      if case .node(let node) = architecture.sources[fusion.index][0], let join = leftJoins[node] {
        left = (node, join)
      }
      let kernel = NormalizedConvolutionKernel(
        fusion, filters: filters, from: input, to: output, maximumExamples: maximumExamples,
        adds: isAdding(fusion.index), part: left.map { parts(of: $0.node, $0.join).other })
      append(NormalizedConvolutionKernel.Convolving(kernel: kernel), step, packedBy: kernel)
      if let (node, join) = left {
        let (small, layout) = packedInput(of: node, join.position)
        let doubled = DoubledConvolutionKernel(
          of: kernel, filters: filters, from: layout, part: parts(of: node, join).doubled)
        var other = self.step(of: fusion.index, from: small)
        other.output = step.output
        append(doubled, other, packedBy: doubled)
      }
      var normalization = self.step(of: node, from: place)
      normalization.output = step.output
      append(whole: NormalizedConvolutionKernel.Gathering(kernel: kernel), normalization)
      append(NormalizedConvolutionKernel.Normalizing(kernel: kernel), normalization)
    } else {
      let kernel = PooledConvolutionKernel(
        fusion.extent, kernel: fusion.layer.kernel, filters: filters, from: input, to: output,
        maximumExamples: maximumExamples)
      append(kernel, step, packedBy: kernel)
    }
    guard next == nil else {
      layouts[fusion.end] = output
      return step.output
    }
    return addStep(
      PlanePacking(layout: output, unpacks: true), from: step.output,
      to: planes(outputShape, self.columns(of: step.output)))
  }
}

/// Brings planes `[C, height, width]` into the order of a packed convolution, or, if it `unpacks`, back.
struct PlanePacking: ExampleKernel {
  let layout: PlaneLayout
  let unpacks: Bool

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    let layout = layout(of: example)
    if unpacks {
      layout.unpack(example.input, into: example.output)
    } else {
      if layout.variesInWidth { layout.clearMargins(example.output) }
      layout.pack(example.input, into: example.output)
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    if unpacks {
      layout(of: example).pack(example.outputGradient, into: inputGradient)
    } else {
      layout(of: example).unpack(example.outputGradient, into: inputGradient)
    }
  }

  private func layout(of example: ExampleValues) -> PlaneLayout {
    layout.variesInWidth ? layout.with(width: example.rows) : layout
  }
}
