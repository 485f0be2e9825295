import InkNetwork
import InkRecognizer

extension TimePooling: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    let (name, read) = (node.name, node.read)
    guard method == .attention else {
      let columns = file.permute(read[0], CoreMLWriter.stepsAsColumns, "\(name).columns")
      return file.append(name, [columns]) {
        $0.pooling.type = method == .max ? .max : .average
        $0.pooling.valid = .init()
        $0.pooling.globalPooling = true
      }
    }
    let scores = file.append(file.names.name("\(name).scores"), read) {
      $0.innerProduct.inputChannels = UInt64(node.channels)
      $0.innerProduct.outputChannels = 1
      $0.innerProduct.weights = node.weights(.weight)
    }
    // Softmax works on channels.
    let logits = file.permute(scores, CoreMLWriter.stepsAsChannels, "\(name).logits")
    let shares = file.append(file.names.name("\(name).shares"), [logits]) { $0.softmax = .init() }
    let steps = file.permute(read[0], CoreMLWriter.stepsAsChannels, "\(name).steps")
    let parts = file.append(file.names.name("\(name).parts"), [steps, shares]) {
      $0.multiply = .init()
    }
    let sum = file.append(file.names.name("\(name).sum"), [parts]) {
      $0.reduce.mode = .sum
      $0.reduce.axis = .c
    }
    return file.permute(sum, CoreMLWriter.channelsAsColumns, as: name)
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    let (name, read) = (node.name, node.read)
    switch method {
    case .max, .mean:
      return file.append(
        method == .max ? "ReduceMax" : "ReduceMean", name, read,
        [.integers("axes", [1]), .integer("keepdims", 0)])
    case .attention:
      let weight = file.constant(
        "\(node.index).weight", [node.channels, 1], node.values(.weight))
      let scores = file.append("MatMul", file.names.name("\(name).scores"), [read[0], weight])
      let shares = file.append(
        "Softmax", file.names.name("\(name).shares"), [scores], [.integer("axis", 1)])
      let parts = file.append("Mul", file.names.name("\(name).parts"), [read[0], shares])
      let axes = file.integers("\(name).axes", [1])
      return file.append("ReduceSum", name, [parts, axes], [.integer("keepdims", 0)])
    }
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let arguments = "\(node.read[0]), channels: \(node.channels)"
    switch method {
    case .max: return file.call(.maxOverTime, arguments, inOneLine: true)
    case .mean: return file.call(.meanOverTime, arguments, inOneLine: true)
    case .attention:
      let weight = file.place(node.values(.weight))
      return file.call(.attention, "\(arguments), weight: \(weight)", inOneLine: true)
    }
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    switch method {
    case .attention: try graph.addAttention(weight: arrays.values[0], at: arrays.place)
    case .max, .mean: try graph.add(arrays.layer, at: arrays.place)
    }
  }
}

extension SwiftFunction {
  static let maxOverTime = SwiftFunction(
    "maxOverTime",
    """

      /// out[c] = the largest of in[t, c]
      private static func maxOverTime(_ input: [Float], channels: Int) -> [Float] {
        var output = Array(input[..<channels])
        for index in input.indices {
          output[index % channels] = max(output[index % channels], input[index])
        }
        return output
      }

    """)

  static let meanOverTime = SwiftFunction(
    "meanOverTime",
    """

      /// out[c] = Σ in[t, c] / length
      private static func meanOverTime(_ input: [Float], channels: Int) -> [Float] {
        var output = [Float](repeating: 0, count: channels)
        for index in input.indices { output[index % channels] += input[index] }
        return output.map { $0 / Float(input.count / channels) }
      }

    """)

  static let attention = SwiftFunction(
    "attention",
    """

      /// out[c] = Σ a[t] · in[t, c], a = softmax of Σ weight[c] · in[t, c]
      private static func attention(_ input: [Float], channels: Int, weight: Int) -> [Float] {
        let steps = input.count / channels
        let scores = (0..<steps).map { step in
          var sum: Float = 0
          for c in 0..<channels { sum += weights[weight + c] * input[step * channels + c] }
          return sum
        }
        let shares = softmax(scores, temperature: 1)
        var output = [Float](repeating: 0, count: channels)
        for step in 0..<steps {
          for c in 0..<channels { output[c] += shares[step] * input[step * channels + c] }
        }
        return output
      }

    """)
}
