import InkNetwork
import InkRecognizer

extension Dense: ExportableLayer {
  var isProduct: Bool { true }

  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    let input =
      node.read.count == 1
      ? node.read[0] : file.joined(node.read, file.names.name("\(node.name).inputs"))
    return file.append(node.name, [input]) {
      $0.innerProduct.inputChannels = UInt64(node.shapes.reduce(0) { $0 + $1.channelCount })
      $0.innerProduct.outputChannels = UInt64(units)
      $0.innerProduct.hasBias_p = true
      $0.innerProduct.weights = node.weights(.weight)
      $0.innerProduct.bias = node.weights(.bias)
    }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    guard node.isSeries else {
      let input =
        node.read.count == 1
        ? node.read[0] : file.joined(node.read, file.names.name("\(node.name).inputs"))
      return file.append(
        "Gemm", node.name, [input] + file.stored(node.index), [.integer("transB", 1)])
    }
    let weight = file.constant(
      "\(node.index).weight", [node.channels, units],
      WeightArchive.transposed(
        node.values(.weight), shape: [units, node.channels], axes: [1, 0]))
    let bias = file.constant("\(node.index).bias", [units], node.values(.bias))
    let product = file.append(
      "MatMul", file.names.name("\(node.name).product"), [node.read[0], weight])
    return file.append("Add", node.name, [product, bias])
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let (weight, bias) = (file.place(node.values(.weight)), file.place(node.values(.bias)))
    let inputs = node.shapes.reduce(0) { $0 + $1.channelCount }
    return file.call(
      .dense,
      "\(node.read.joined(separator: " + ")), inputs: \(inputs), units: \(units), "
        + "weight: \(weight), bias: \(bias)")
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    try graph.addDense(units: units, weight: arrays.weight, bias: arrays.bias, at: arrays.place)
  }
}

extension SwiftFunction {
  static let dense = SwiftFunction(
    "dense",
    """

      /// out[u] = bias[u] + Σ weight[u, i] · in[i], for each step of a series
      private static func dense(
        _ input: [Float], inputs: Int, units: Int, weight: Int, bias: Int
      ) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(input.count / inputs * units)
        for start in stride(from: 0, to: input.count, by: inputs) {
          for unit in 0..<units {
            var sum = weights[bias + unit]
            for index in 0..<inputs {
              sum += weights[weight + unit * inputs + index] * input[start + index]
            }
            output.append(sum)
          }
        }
        return output
      }

    """)
}
