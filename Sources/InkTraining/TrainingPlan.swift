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
  /// The values of one example in each buffer; buffer 0 is the input.
  private(set) var bufferCounts: [Int]
  /// The buffer that holds the logits.
  var output: Int { bufferCounts.count - 1 }
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
  /// The first layer behind the last of them.
  private var packedEnd = 0
  private(set) var scratchCount = 0

  /// Where each of `parameters` begins when they lie one after the other.
  static func offsets(_ parameters: [Parameter]) -> [(Parameter, Int)] {
    var next = 0
    return parameters.map { parameter in
      defer { next += parameter.count }
      return (parameter, next)
    }
  }

  init(_ architecture: Architecture, mostExamples: Int, blas: BLAS) {
    let learnt = architecture.parameters.filter(\.isLearnt)
    let statistics = architecture.parameters.filter { !$0.isLearnt }
    learntCount = learnt.reduce(0) { $0 + $1.count }
    statisticsCount = statistics.reduce(0) { $0 + $1.count }
    bufferCounts = [architecture.shapes[0].count]
    var offsets: [Parameter: Int] = [:]
    for (parameter, offset) in Self.offsets(learnt) + Self.offsets(statistics) {
      offsets[parameter] = offset
    }

    var runs: [TrainingNetwork.Run] = []
    var index = 0
    while index < architecture.layers.count {
      let shape = architecture.shapes[index]
      let outputShape = architecture.shapes[index + 1]
      let isReLUNext =
        index + 1 < architecture.layers.count && architecture.layers[index + 1] == .relu
      var step = TrainingNetwork.Step(
        operation: .relu, input: bufferCounts.count - 1, inputCount: shape.count,
        output: bufferCounts.count - 1, outputCount: outputShape.count)
      step.place(offsets, of: index)

      switch (architecture.layers[index], shape) {
      case (
        .convolution(let filters, let kernel, let padding),
        .planes(let channels, let height, let width)
      ):
        if let fusion = Fusion(index, of: architecture) {
          addPackedConvolution(
            fusion, of: architecture, offsets, mostExamples: mostExamples, to: &runs)
          index = fusion.end
          continue
        }
        let kernel = ConvolutionKernel(
          geometry: ConvolutionGeometry(
            channels: channels, height: height, width: width, kernel: kernel, padding: padding),
          filters: filters, hasReLU: isReLUNext, blas: blas)
        scratchCount = max(scratchCount, kernel.scratchCount)
        step.operation = .convolution(kernel)
        addBuffer(outputShape.count, writtenBy: &step)
        reserveSlice(weights: filters * kernel.geometry.patchLength, biases: filters, for: &step)
        append(step, to: &runs)
        if isReLUNext { index += 1 }
      case (.maxPooling(let size), .planes(let channels, let height, let width)):
        step.operation = .pooling(
          PoolingKernel(channels: channels, height: height, width: width, size: size),
          choices: ChoiceBuffer(count: outputShape.count * mostExamples))
        addBuffer(outputShape.count, writtenBy: &step)
        append(step, to: &runs)
      case (.dense(let units), _):
        let kernel = DenseKernel(
          inputs: shape.count, units: units, hasReLU: isReLUNext, blas: blas)
        step.operation = .dense(kernel)
        addBuffer(outputShape.count, writtenBy: &step)
        if shape.count * units > Self.mostSlicedWeights {
          close(&runs)
          phases.append(.whole(step))
        } else {
          reserveSlice(weights: shape.count * units, biases: units, for: &step)
          runs.append(.dense(step, kernel))
        }
        if isReLUNext { index += 1 }
      case (.batchNormalization, _):
        let channels = shape.channelCount
        step.operation = .batchNormalization(
          BatchNormalizationKernel(channels: channels, length: shape.count / channels),
          statistics: FloatBuffer(count: 2 * channels))
        addBuffer(outputShape.count, writtenBy: &step)
        close(&runs)
        phases.append(.whole(step))
      case (.relu, _): append(step, to: &runs)
      case (.dropout(let rate), _):
        step.operation = .dropout(
          rate: Float(rate), layer: index, mask: FloatBuffer(count: shape.count * mostExamples))
        append(step, to: &runs)
      case (.flatten, _): break
      case (.convolution, .vector), (.maxPooling, .vector):
        preconditionFailure("an architecture has planes before \(architecture.layers[index].kind)")
      }
      index += 1
    }
    close(&runs)
  }

  /// A convolution with the layers behind it that are computed together with it.
  struct Fusion {
    let index: Int
    let kernel: Int
    let extent: PlaneConvolution.Extent
    let normalizes: Bool
    let hasReLU: Bool
    let pools: Bool
    /// The first layer that is not taken.
    let end: Int

    /// Fails where the layer at `index` is none, or where what follows leaves too little to gain.
    init?(_ index: Int, of architecture: Architecture) {
      let layers = architecture.layers
      guard index < layers.count, case .convolution(_, let kernel, let padding) = layers[index],
        case .planes(_, let height, let width) = architecture.shapes[index]
      else { return nil }
      var end = index + 1
      func takes(_ layer: Layer) -> Bool {
        guard end < layers.count, layers[end] == layer else { return false }
        end += 1
        return true
      }
      normalizes = takes(.batchNormalization)
      hasReLU = takes(.relu)
      pools = takes(.maxPooling(size: 2))
      guard normalizes ? index == 0 || ink_has_winograd(kernel) : hasReLU && pools else {
        return nil
      }
      self.index = index
      self.kernel = kernel
      self.end = end
      extent = PlaneConvolution.Extent(
        height: height, width: width, kernel: kernel, padding: padding)
    }
  }

  /// Adds a fused convolution, and what brings the planes into its order and, where no other follows,
  /// back.
  private mutating func addPackedConvolution(
    _ fusion: Fusion, of architecture: Architecture, _ offsets: [Parameter: Int],
    mostExamples: Int, to runs: inout [TrainingNetwork.Run]
  ) {
    let shape = architecture.shapes[fusion.index]
    let outputShape = architecture.shapes[fusion.end]
    let input = PlaneLayout(
      shape, packedChannels: fusion.index == 0 ? 1 : PlaneLayout.packed(shape.channelCount),
      readBy: fusion.extent)
    if packedEnd < fusion.index || fusion.index == 0 {
      var step = TrainingNetwork.Step(
        operation: .pack(input), input: bufferCounts.count - 1, inputCount: shape.count, output: 0,
        outputCount: input.count)
      addBuffer(input.count, writtenBy: &step)
      append(step, to: &runs)
    }
    packedEnd = fusion.end
    let next = Fusion(fusion.end, of: architecture)
    let filters = outputShape.channelCount
    let output = PlaneLayout(
      outputShape, packedChannels: PlaneLayout.packed(filters), readBy: next?.extent)
    var step = TrainingNetwork.Step(
      operation: .relu, input: bufferCounts.count - 1, inputCount: input.count, output: 0,
      outputCount: output.count, sliceWeight: sliceCount)
    step.place(offsets, of: fusion.index)
    addBuffer(output.count, writtenBy: &step)
    let packed: any PackedConvolution
    if fusion.normalizes {
      let kernel = NormalizedConvolutionKernel(
        fusion, filters: filters, from: input, to: output, mostExamples: mostExamples)
      step.operation = .normalizedConvolution(kernel, .convolve)
      append(step, to: &runs)
      close(&runs)
      var normalization = step
      normalization.place(offsets, of: fusion.index + 1)
      normalization.operation = .normalizedConvolution(kernel, .gather)
      phases.append(.whole(normalization))
      normalization.operation = .normalizedConvolution(kernel, .normalize)
      append(normalization, to: &runs)
      packed = kernel
    } else {
      let kernel = PooledConvolutionKernel(
        fusion.extent, kernel: fusion.kernel, filters: filters, from: input, to: output)
      step.operation = .pooledConvolution(
        kernel, choices: ChoiceBuffer(count: kernel.choiceCount * mostExamples))
      append(step, to: &runs)
      packed = kernel
    }
    scratchCount = max(scratchCount, packed.scratchCount)
    sliceSpans.append((slice: sliceCount, total: nil, count: packed.gradientCount))
    sliceCount += packed.gradientCount
    packedConvolutions.append((packed, step))
    if next == nil {
      var step = TrainingNetwork.Step(
        operation: .unpack(output), input: bufferCounts.count - 1, inputCount: output.count,
        output: 0, outputCount: outputShape.count)
      addBuffer(outputShape.count, writtenBy: &step)
      append(step, to: &runs)
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

  private func append(_ step: TrainingNetwork.Step, to runs: inout [TrainingNetwork.Run]) {
    if case .examples(let steps)? = runs.last {
      runs[runs.count - 1] = .examples(steps + [step])
    } else {
      runs.append(.examples([step]))
    }
  }

  private mutating func close(_ runs: inout [TrainingNetwork.Run]) {
    if !runs.isEmpty { phases.append(.slices(runs)) }
    runs = []
  }
}
