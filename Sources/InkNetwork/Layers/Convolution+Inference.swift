extension Convolution: InferableLayer {
  var takesNormalization: Bool { true }

  func extent(reading shape: Shape) -> PlaneConvolution.Extent? {
    PlaneConvolution.Extent(self, reading: shape)
  }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
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
