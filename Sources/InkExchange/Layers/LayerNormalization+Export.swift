import InkNetwork
import InkRecognizer

extension LayerNormalization: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    let columns = file.permute(
      node.read[0], CoreMLWriter.channelsAsColumns, "\(node.name).columns")
    let one = CoreML_Specification_WeightParams.with { $0.floatValue = [1] }
    let zero = CoreML_Specification_WeightParams.with { $0.floatValue = [0] }
    let normalized = file.append(file.names.name("\(node.name).normalized"), [columns]) {
      $0.batchnorm.channels = 1
      $0.batchnorm.computeMeanVar = true
      $0.batchnorm.instanceNormalization = true
      $0.batchnorm.epsilon = Self.epsilon
      ($0.batchnorm.gamma, $0.batchnorm.beta) = (one, zero)
      ($0.batchnorm.mean, $0.batchnorm.variance) = (zero, one)
    }
    let turned = file.permute(normalized, CoreMLWriter.channelsAsColumns, "\(node.name).turned")
    return file.append(node.name, [turned]) {
      $0.scale.shapeScale = [UInt64(node.channels)]
      $0.scale.scale = node.weights(.weight)
      $0.scale.hasBias_p = true
      $0.scale.shapeBias = [UInt64(node.channels)]
      $0.scale.bias = node.weights(.bias)
    }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    file.append(
      "LayerNormalization", node.name, node.read + file.stored(node.index),
      [.integer("axis", -1), .number("epsilon", Self.epsilon)])
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let (weight, bias) = (file.place(node.values(.weight)), file.place(node.values(.bias)))
    return file.call(
      .layerNormalization,
      "\(node.read[0]), channels: \(node.channels), weight: \(weight), bias: \(bias)")
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    try graph.addLayerNormalization(
      scale: arrays.values[0], shift: arrays.values[1], epsilon: Self.epsilon, at: arrays.place)
  }
}

extension SwiftFunction {
  static let layerNormalization = SwiftFunction(
    "layerNormalization",
    """

      /// out[c] = (in[c] − μ) / √(σ² + ε) · weight[c] + bias[c], step by step
      private static func layerNormalization(
        _ input: [Float], channels: Int, weight: Int, bias: Int
      ) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(input.count)
        for start in stride(from: 0, to: input.count, by: channels) {
          let step = input[start..<start + channels]
          let mean = step.reduce(0, +) / Float(channels)
          let variance = step.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(channels)
          let deviation = squareRoot(variance + \(LayerNormalization.epsilon))
          for c in 0..<channels {
            output.append((input[start + c] - mean) / deviation * weights[weight + c] + weights[bias + c])
          }
        }
        return output
      }

      /// √x for x > 0, without a mathematics library: Newton's method from half the exponent on
      private static func squareRoot(_ x: Float) -> Float {
        var root = Double(sign: .plus, exponent: x.exponent / 2, significand: 1)
        for _ in 0..<6 { root = (root + Double(x) / root) / 2 }
        return Float(root)
      }

    """)
}
