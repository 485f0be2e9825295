import CInkKernels
import InkNetwork

extension TrainingPlan {
  /// Whether there is a distribution for each cell of a picture; planes then stay packed from layer to layer.
  var hasCells: Bool {
    if case .distributionPerCell = architecture.output { true } else { false }
  }

  /// The layout of the value of node `index` where it stays packed, since all that reads it can: convolutions
  /// that want the same zeros around it, joins and upsamplings whose values stay packed, too, and the last
  /// node of a network with cells.
  func packedLayout(of index: Int, variesInWidth: Bool = false) -> PlaneLayout? {
    var extent: PlaneConvolution.Extent?
    let readers = architecture.readers(of: .node(index))
    guard hasCells || readers.count == 1, !readers.isEmpty else { return nil }
    for reader in readers {
      switch architecture.nodes[reader].layer {
      case .convolution where hasCells && reader == architecture.nodes.count - 1: continue
      case .convolution:
        guard let fusion = Fusion(reader, of: architecture),
          extent ?? fusion.extent == fusion.extent
        else { return nil }
        extent = fusion.extent
      case .concatenation where hasCells, .upsampling where hasCells:
        guard packedLayout(of: reader) != nil else { return nil }
        guard let wanted = extentOfDoubledJoin(reader) else { continue }
        guard extent ?? wanted == wanted else { return nil }
        extent = wanted
      default: return nil
      }
    }
    let shape = architecture.outputShapes[index]
    return PlaneLayout(
      shape, packedChannels: PlaneLayout.packed(shape.channelCount), readBy: extent,
      variesInWidth: variesInWidth)
  }

  /// A join of planes with doubled ones, which one convolution reads part by part.
  struct DoubledJoin {
    /// The convolution.
    let fusion: Fusion
    /// The number of the source that is doubled; the other one is not.
    let position: Int
  }

  /// The join of node `index` as a convolution reads it without the doubled planes being made, or `nil`.
  private func doubledJoin(_ index: Int) -> DoubledJoin? {
    let sources = architecture.sources[index]
    guard hasCells, architecture.nodes[index].layer == .concatenation, sources.count == 2,
      sources[0] != sources[1], let reader = reader(of: index),
      let fusion = Fusion(reader, of: architecture), fusion.normalization != nil,
      fusion.layer.kernel == 3, fusion.layer.stride == 1, fusion.layer.padding == .same
    else { return nil }
    let positions = sources.indices.filter {
      guard case .node(let node) = sources[$0] else { return false }
      return architecture.nodes[node].layer == .upsampling
        && architecture.readers(of: sources[$0]) == [index]
        && architecture.readers(of: architecture.sources[node][0]) == [node]
    }
    return positions.count == 1 ? DoubledJoin(fusion: fusion, position: positions[0]) : nil
  }

  /// What the convolution behind node `index`, such a join or its upsampling, reads of the value before it.
  private func extentOfDoubledJoin(_ index: Int) -> PlaneConvolution.Extent? {
    if architecture.nodes[index].layer == .concatenation {
      return doubledJoin(index)?.fusion.extent
    }
    guard let reader = architecture.readers(of: .node(index)).first, doubledJoin(reader) != nil,
      case .planes(_, let height, let width) = architecture.inputShape(of: index)
    else { return nil }
    return PlaneConvolution.Extent(height: height, width: width, kernel: 3, padding: .same)
  }

  /// Leaves the join of node `index` to the convolution that reads it; returns the buffer with the planes that
  /// are not doubled, or `nil` where the join has to be made.
  mutating func leaveDoubledJoin(_ index: Int) -> Int? {
    guard let join = doubledJoin(index) else { return nil }
    let sources = architecture.sources[index]
    guard case .node(let small) = sources[join.position], doubled.contains(small),
      let input = layouts[small], input.pad > 0,
      case .node(let other) = sources[1 - join.position], let layout = layouts[other],
      layout
        == PlaneLayout(
          architecture.outputShapes[other], packedChannels: layout.packedChannels,
          readBy: join.fusion.extent)
    else { return nil }
    layouts[index] = layout
    leftJoins[index] = join
    return place(of: index, 1 - join.position)
  }

  /// The parts of the weights that read the doubled planes, and the others, of the join of node `index`.
  func parts(
    of index: Int, _ join: DoubledJoin
  ) -> (doubled: NormalizedConvolutionKernel.Part, other: NormalizedConvolutionKernel.Part) {
    let counts = architecture.sourceShapes(of: index).map(\.channelCount)
    let parts = [0, counts[0]].map {
      NormalizedConvolutionKernel.Part(first: $0, all: counts[0] + counts[1])
    }
    return (parts[join.position], parts[1 - join.position])
  }

  /// Whether the step of node `index` can add to the gradient of what it reads.
  func addsGradients(_ index: Int) -> Bool {
    switch architecture.nodes[index].layer {
    case .concatenation: doubledJoin(index) == nil
    case .convolution(let layer):
      layer.stride > 1 && Fusion(index, of: architecture) != nil
    default: false
    }
  }

  /// The buffer and the layout of source number `position` of node `index`, packed before where it is not.
  mutating func packedInput(
    of index: Int, _ position: Int = 0
  ) -> (buffer: Int, layout: PlaneLayout) {
    let buffer = place(of: index, position)
    let source = architecture.sources[index][position]
    if case .node(let node) = source, let layout = layouts[node] { return (buffer, layout) }
    let shape = architecture.shape(of: source)
    let layout = PlaneLayout(
      shape, packedChannels: PlaneLayout.packed(shape.channelCount), readBy: nil)
    return (
      addStep(
        PlanePacking(layout: layout, unpacks: false), from: buffer, to: planes(layout, .fixed)),
      layout
    )
  }

  /// Adds the join of the planes that node `index` reads; those of an upsampling are doubled on the way.
  mutating func addPlaneJoin(_ index: Int, to output: PlaneLayout) -> Int {
    let buffer = add(planes(output, .fixed))
    var channel = 0
    for (position, source) in architecture.sources[index].enumerated() {
      let (input, layout) = packedInput(of: index, position)
      let isDoubled = if case .node(let node) = source { doubled.contains(node) } else { false }
      append(
        JoiningKernel(
          from: layout, to: output, channel: channel, scale: isDoubled ? Upsampling.factor : 1,
          adds: isAdding(index, position)),
        TrainingNetwork.Step(input: input, output: buffer))
      channel += layout.channels
    }
    return buffer
  }

  /// Adds the upsampling of node `index`, unless the join that alone reads it can double the planes.
  mutating func addPlaneUpsampling(_ index: Int, to output: PlaneLayout) -> Int {
    let (input, layout) = packedInput(of: index)
    if let reader = architecture.readers(of: .node(index)).first,
      architecture.readers(of: .node(index)).count == 1,
      architecture.sources[reader].count(where: { $0 == .node(index) }) == 1,
      architecture.nodes[reader].layer == .concatenation,
      architecture.readers(of: architecture.sources[index][0]) == [index]
    {
      doubled.insert(index)
      layouts[index] = layout
      return input
    }
    layouts[index] = output
    let buffer = add(planes(output, .fixed))
    append(
      JoiningKernel(
        from: layout, to: output, channel: 0, scale: Upsampling.factor, adds: false),
      TrainingNetwork.Step(input: input, output: buffer))
    return buffer
  }

  /// Adds the convolution of 1 × 1 whose value is the distribution for each cell, `[rows, columns, packed]`.
  mutating func addCellConvolution(_ layer: Convolution, of index: Int) -> Int {
    let (input, layout) = packedInput(of: index)
    let shape = architecture.outputShapes[index]
    let output = PlaneLayout(
      shape, packedChannels: PlaneLayout.packed(shape.channelCount), readBy: nil)
    let kernel = CellConvolutionKernel(layer, from: layout, to: output)
    let step = step(of: index, from: input, to: planes(output, .fixed))
    append(kernel, step, packedBy: kernel)
    return step.output
  }
}

/// Planes among the channels of packed planes, doubled before or not, with their gradient.
///
/// `CInkKernels.h` has the formulas.
struct JoiningKernel: ExampleKernel {
  private let shape: ink_joint
  private let source: Int
  private let target: Int
  private let adds: Bool

  /// Makes a step that writes channels from `channel` on; `adds` says that the gradient is added to that of
  /// others that read the same.
  init(from input: PlaneLayout, to output: PlaneLayout, channel: Int, scale: Int, adds: Bool) {
    shape = ink_joint(
      rows: output.height, columns: output.width, channels: input.channels, scale: scale,
      source_channels: input.packedChannels, source_row: input.row,
      target_channels: output.packedChannels, target_row: output.row)
    source = input.start
    target = output.start + channel
    self.adds = adds
  }

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    withUnsafePointer(to: shape) {
      ink_join($0, example.input + source, example.output + target)
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    withUnsafePointer(to: shape) {
      ink_join_gradient($0, example.outputGradient + target, adds, inputGradient + source)
    }
  }
}

/// A convolution of 1 × 1 over packed planes with its gradients, for one example at a time.
///
/// Legend: C channels, F filters, P places. With the input X `[P, C]`, weights W `[C, F]` and the output's
/// gradient G `[P, F]`: Y = X · W + b, ∂W += Xᵀ · G, ∂b += Σₚ G, ∂X = G · Wᵀ.
final class CellConvolutionKernel: ExampleKernel, PackedConvolution {
  private let convolution: StridedConvolution
  private let input: PlaneLayout
  private let output: PlaneLayout
  private let weight: FloatBuffer
  private let backwards: FloatBuffer
  private let bias: FloatBuffer

  init(_ layer: Convolution, from input: PlaneLayout, to output: PlaneLayout) {
    convolution = StridedConvolution(layer, from: input, to: output)
    (self.input, self.output) = (input, output)
    weight = FloatBuffer(count: convolution.packedCount)
    backwards = FloatBuffer(count: convolution.packedCount)
    bias = FloatBuffer(count: output.packedChannels)
  }

  private var weightCount: Int { input.channels * output.channels }

  /// The packed gradients are `[P(C), P(F)]` and `[P(F)]`.
  var gradientCount: Int { convolution.packedCount + output.packedChannels }

  func pack(_ parameters: UnsafePointer<Float>) {
    convolution.pack(parameters, into: weight.pointer)
    convolution.pack(parameters, filtersFirst: true, into: backwards.pointer)
    bias.pointer.update(from: parameters + weightCount, count: output.channels)
  }

  func unpack(
    gradients: UnsafePointer<Float>, into parameterGradients: UnsafeMutablePointer<Float>
  ) {
    convolution.unpack(gradients, into: parameterGradients)
    (parameterGradients + weightCount).update(
      from: gradients + convolution.packedCount, count: output.channels)
  }

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    convolution.forward(
      input: example.input, weight: weight.pointer, bias: bias.pointer, output: example.output)
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    let (gradient, row) = (example.outputGradient, output.row)
    withUnsafePointer(to: convolution.shape) { shape in
      ink_strided_weight_gradient(
        shape, example.input + convolution.start, gradient, row, gradients)
      ink_channel_sums(
        output.height, output.width, output.packedChannels, gradient, row,
        gradients + convolution.packedCount)
      guard let inputGradient = example.inputGradient else { return }
      ink_strided_input_gradient(
        shape, 0, input.height, input.width, backwards.pointer, gradient, row, false,
        inputGradient + input.start)
    }
  }
}
