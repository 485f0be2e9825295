import InkNetwork
import InkRecognizer

extension BatchNormalization: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    file.append(node.name, node.read) {
      $0.batchnorm.channels = UInt64(node.channels)
      $0.batchnorm.epsilon = Self.epsilon
      $0.batchnorm.gamma = node.weights(.weight)
      $0.batchnorm.beta = node.weights(.bias)
      $0.batchnorm.mean = node.weights(.runningMean)
      $0.batchnorm.variance = node.weights(.runningVariance)
    }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    let parameters = file.stored(node.index)
    let epsilon = [Onnx_AttributeProto.number("epsilon", Self.epsilon)]
    guard node.isSeries else {
      return file.append("BatchNormalization", node.name, node.read + parameters, epsilon)
    }
    let columns = file.transpose(node.read[0], [0, 2, 1], "\(node.name).channels")
    let normalized = file.append(
      "BatchNormalization", file.names.name("\(node.name).normalized"), [columns] + parameters,
      epsilon)
    return file.transpose(normalized, [0, 2, 1], as: node.name)
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let normalization = node.network.batchNormalization(node.index)
    let (scale, shift) = (file.place(normalization.scale), file.place(normalization.shift))
    return file.call(
      .scaleAndShift,
      "\(node.read[0]), channels: \(node.channels), run: "
        + (node.isSeries ? "1" : "\(node.read[0]).count / \(node.channels)")
        + ", scale: \(scale), shift: \(shift)")
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    try graph.addBatchNormalization(
      scale: arrays.values[0], shift: arrays.values[1], mean: arrays.values[2],
      variance: arrays.values[3], epsilon: arrays.epsilon, at: arrays.place)
  }
}

extension SwiftFunction {
  static let scaleAndShift = SwiftFunction(
    "scaleAndShift",
    """

      /// out = in · scale + shift, channel by channel; `run` values of one follow each other
      private static func scaleAndShift(
        _ input: [Float], channels: Int, run: Int, scale: Int, shift: Int
      ) -> [Float] {
        input.indices.map {
          let channel = $0 / run % channels
          return input[$0] * weights[scale + channel] + weights[shift + channel]
        }
      }

    """)
}
