extension Convolution: InferableLayer {
  var takesNormalization: Bool { true }

  func extent(reading shape: Shape) -> PlaneConvolution.Extent? {
    guard stride == 1 else { return nil }
    return PlaneConvolution.Extent(self, reading: shape)
  }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    guard stride == 1 else { return addStridedSteps(of: index, to: &plan) }
    let epilogue = plan.takeEpilogue(of: index)
    let extent = PlaneConvolution.Extent(self, reading: plan.architecture.inputShape(of: index))
    let input = plan.input(of: index, readBy: extent)
    let output = plan.addLayout(
      of: .node(epilogue.end), packedChannels: PlaneLayout.packed(filters),
      plan.length(
        of: input, narrowedBy: kernel - 1 - 2 * pad, dividedBy: epilogue.pools ? 2 : 1))
    let convolution = PlaneConvolution(
      extent, filters: filters, pools: epilogue.pools, from: plan.layouts[input],
      to: plan.layouts[output])
    plan.reserveScratch(convolution.scratchCount)
    plan.append(Inference(convolution, epilogue), from: input, to: output)
    return output
  }

  private func addStridedSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let input = plan.input(of: index)
    let output = plan.addLayout(
      of: .node(index), packedChannels: PlaneLayout.packed(filters),
      plan.length(of: input, narrowedBy: kernel - stride - 2 * pad, dividedBy: stride))
    plan.append(
      StridedInference(
        layer: self, weight: plan.network.values(index, .weight),
        bias: plan.network.values(index, .bias)), from: input, to: output)
    return output
  }

  /// A convolution of stride 2 in plain loops.
  private struct StridedInference: ExampleOperation {
    let layer: Convolution
    let weight: [Float]
    let bias: [Float]

    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      func shape(_ layout: PlaneLayout) -> Shape {
        .planes(channels: layout.channels, height: layout.height, width: layout.width)
      }
      let (source, target) = (shape(input.layout), shape(output.layout))
      var values = [Float](repeating: 0, count: source.count)
      values.withUnsafeMutableBufferPointer {
        input.layout.unpack(input.memory, into: $0.baseAddress!)
      }
      let result = layer.apply(to: [values], shapes: [source], output: target) {
        $0 == .weight ? weight : bias
      }
      result.withUnsafeBufferPointer {
        output.layout.pack($0.baseAddress!, into: output.memory)
      }
    }
  }

  /// A convolution with what follows it, and its packed weights and bias.
  private struct Inference: ExampleOperation {
    let convolution: PlaneConvolution
    let weight: FloatBuffer
    let bias: FloatBuffer
    /// The lowest value that is kept.
    let lowest: Float

    init(_ convolution: PlaneConvolution, _ epilogue: Epilogue) {
      self.convolution = convolution
      lowest = epilogue.lowest
      weight = FloatBuffer(count: convolution.packedCount)
      bias = FloatBuffer(count: convolution.packedBiasCount)
      let scratch = FloatBuffer(count: convolution.scratchCount)
      convolution.pack(epilogue.weight, into: weight.pointer, scratch: scratch.pointer)
      bias.pointer.update(from: epilogue.bias, count: epilogue.bias.count)
    }

    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      let convolution =
        input.layout.variesInWidth
        ? convolution.from(input.layout, to: output.layout) : convolution
      convolution.forward(
        input: input.memory, weight: weight.pointer, bias: bias.pointer, lowest: lowest,
        output: output.start, choices: nil, scratch: scratch)
    }
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
