extension Convolution: InferableLayer {
  var takesNormalization: Bool { true }

  func extent(reading shape: Shape) -> PlaneConvolution.Extent? {
    PlaneConvolution.Extent(self, reading: shape)
  }

  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let epilogue = plan.takeEpilogue(of: index, canPool: stride == 1)
    if let parts = plan.parts(readBy: index) {
      return addJoinedSteps(of: index, reading: parts, epilogue, to: &plan)
    }
    let extent = PlaneConvolution.Extent(self, reading: plan.architecture.inputShape(of: index))
    let input = plan.input(of: index, readBy: extent)
    let output = plan.addLayout(
      of: .node(epilogue.end), packedChannels: PlaneLayout.packed(filters),
      plan.length(
        of: input, narrowedBy: kernel - stride - 2 * pad,
        dividedBy: epilogue.pools ? 2 : stride))
    let convolution = PlaneConvolution(
      extent, filters: filters, stride: stride, pools: epilogue.pools,
      // The answers of other networks keep their bytes.
      isWide: plan.layouts[input].variesInWidth, from: plan.layouts[input],
      to: plan.layouts[output])
    plan.reserveScratch(convolution.scratchCount)
    plan.append(Inference(convolution, epilogue), from: input, to: output)
    return output
  }

  /// A convolution with what follows it, and its packed weights and bias.
  private struct Inference: RowOperation {
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

    var rowMultiple: Int { convolution.rowMultiple }

    func run(
      rows: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
      scratch: UnsafeMutablePointer<Float>
    ) {
      let convolution =
        input.layout.variesInWidth
        ? convolution.from(input.layout, to: output.layout) : convolution
      convolution.forward(
        rows: rows, input: input.memory, weight: weight.pointer, bias: bias.pointer,
        lowest: lowest, output: output.start, scratch: scratch)
    }
  }

  // MARK: Joined planes

  /// Adds the step of a convolution over joined planes, some of which are made twice as large on the way.
  private func addJoinedSteps(
    of index: Int, reading parts: [InferencePlan.JoinedPart], _ epilogue: Epilogue,
    to plan: inout InferencePlan
  ) -> Int {
    let output = plan.addLayout(
      of: .node(epilogue.end), packedChannels: PlaneLayout.packed(filters))
    // Those that are doubled come first, and the weights in the same order.
    let order = parts.indices.sorted {
      (parts[$0].isDoubled ? 0 : 1, $0) < (parts[$1].isDoubled ? 0 : 1, $1)
    }
    var starts = [0]
    for part in parts {
      starts.append(starts.last! + plan.architecture.shape(of: part.source).channelCount)
    }
    let inputs = order.map { plan.input(parts[$0].source, readBy: plan.extent(of: parts[$0])) }
    let convolution = JoinedConvolution(
      Array(zip(order.map { parts[$0].isDoubled }, inputs.map { plan.layouts[$0] })),
      to: plan.layouts[output], pools: epilogue.pools)
    plan.reserveScratch(convolution.scratchCount)
    plan.append(
      JoinedInference(convolution, epilogue, firstChannels: order.map { starts[$0] }),
      from: inputs, to: output)
    return output
  }

  /// A convolution over joined planes with what follows it, and its packed weights and bias.
  private struct JoinedInference: JoiningOperation {
    let convolution: JoinedConvolution
    let weight: FloatBuffer
    let bias: FloatBuffer
    let lowest: Float

    init(_ convolution: JoinedConvolution, _ epilogue: Epilogue, firstChannels: [Int]) {
      self.convolution = convolution
      lowest = epilogue.lowest
      weight = convolution.packed(epilogue.weight, firstChannels: firstChannels)
      bias = FloatBuffer(count: convolution.packedBiasCount)
      bias.pointer.update(from: epilogue.bias, count: epilogue.bias.count)
    }

    func run(
      rows: Range<Int>, _ inputs: (Int) -> PlacedValues, _ output: PlacedValues,
      scratch: UnsafeMutablePointer<Float>
    ) {
      convolution.forward(
        rows: rows, input: { UnsafePointer(inputs($0).memory) }, weight: weight.pointer,
        bias: bias.pointer, lowest: lowest, output: output.start, scratch: scratch)
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
