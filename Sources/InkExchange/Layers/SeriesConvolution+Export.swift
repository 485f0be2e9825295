import InkNetwork
import InkRecognizer

extension SeriesConvolution: ExportableLayer {
  var isProduct: Bool { true }

  /// Padding does not matter for a kernel of 1.
  func isEquivalent(to other: any ExportableLayer) -> Bool {
    guard let other = other as? SeriesConvolution else { return false }
    return kernel == 1
      ? other.kernel == 1 && filters == other.filters && stride == other.stride : self == other
  }

  /// Weights `[filters, channels, kernel]`.
  private func weight(_ node: ExportedNode) -> [Float] {
    WeightArchive.transposed(
      node.values(.weight), shape: [filters, kernel, node.channels], axes: [0, 2, 1])
  }

  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    let columns = file.permute(
      node.read[0], CoreMLWriter.stepsAsColumns, "\(node.name).columns")
    let convolved = file.append(file.names.name("\(node.name).convolved"), [columns]) {
      $0.convolution.outputChannels = UInt64(filters)
      $0.convolution.kernelChannels = UInt64(node.channels)
      $0.convolution.nGroups = 1
      $0.convolution.kernelSize = [1, UInt64(kernel)]
      $0.convolution.stride = [1, UInt64(stride)]
      $0.convolution.dilationFactor = [1, 1]
      $0.convolution.valid.paddingAmounts.borderAmounts = [
        .init(),
        .with { ($0.startEdgeSize, $0.endEdgeSize) = (UInt64(before), UInt64(after)) },
      ]
      $0.convolution.hasBias_p = true
      $0.convolution.weights.floatValue = weight(node)
      $0.convolution.bias = node.weights(.bias)
    }
    return file.permute(convolved, CoreMLWriter.stepsAsColumns, as: node.name)
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    let weight = file.constant(
      "\(node.index).weight", [filters, node.channels, kernel], weight(node))
    let bias = file.constant("\(node.index).bias", [filters], node.values(.bias))
    let columns = file.transpose(node.read[0], [0, 2, 1], "\(node.name).channels")
    let convolved = file.append(
      "Conv", file.names.name("\(node.name).convolved"), [columns, weight, bias],
      [
        .integers("kernel_shape", [kernel]), .integers("strides", [stride]),
        .integers("pads", [before, after]),
      ])
    return file.transpose(convolved, [0, 2, 1], as: node.name)
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let (weight, bias) = (file.place(node.values(.weight)), file.place(node.values(.bias)))
    return file.call(
      .seriesConvolution,
      "\(node.read[0]), channels: \(node.channels), filters: \(filters), kernel: \(kernel),"
        + "\n      stride: \(stride), before: \(before), after: \(after), "
        + "weight: \(weight), bias: \(bias)")
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    var window = LayerGraph.SeriesWindow(kernel: kernel, stride: stride)
    window.edges = [before, after]
    try graph.addSeriesConvolution(
      filters: filters, window, weight: arrays.weight, bias: arrays.bias, at: arrays.place)
  }
}

extension SwiftFunction {
  static let seriesConvolution = SwiftFunction(
    "seriesConvolution",
    """

      /// out[t, f] = bias[f] + Σ weight[f, j, c] · in[t · stride + j − before, c]
      private static func seriesConvolution(
        _ input: [Float], channels: Int, filters: Int, kernel: Int, stride: Int, before: Int, after: Int,
        weight: Int, bias: Int
      ) -> [Float] {
        let length = input.count / channels
        precondition(length + before + after >= kernel, "the series is too short")
        let steps = (length + before + after - kernel) / stride + 1
        var output: [Float] = []
        output.reserveCapacity(steps * filters)
        for step in 0..<steps {
          for filter in 0..<filters {
            var sum = weights[bias + filter]
            for j in 0..<kernel {
              let t = step * stride + j - before
              guard t >= 0, t < length else { continue }
              let row = weight + (filter * kernel + j) * channels
              for c in 0..<channels { sum += weights[row + c] * input[t * channels + c] }
            }
            output.append(sum)
          }
        }
        return output
      }

    """)
}
