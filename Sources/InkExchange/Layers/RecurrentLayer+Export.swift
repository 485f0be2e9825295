import InkNetwork
import InkRecognizer

extension ExportableLayer where Self: RecurrentLayer {
  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let sides = direction.passes.map { pass in
      let places = pass.roles.map { file.place(node.values($0)) }
      return file.call(
        .recurrence,
        "\(node.read[0]), channels: \(node.channels), units: \(units), cell: .\(Self.kind), "
          + "isBackward: \(pass.isBackward),\n      weight: \(places[0]), "
          + "recursion: \(places[1]), bias: \(places[2]), stateBias: \(places[3])")
    }
    return sides.count == 1 ? sides[0] : file.concatenation(sides.map { ($0, units) })
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    guard arrays.layout == .channelsFirst else {
      throw graph.mismatch(
        arrays.place, "PyTorch's arrays, whose gates have this package's order", "others")
    }
    let values = arrays.values
    let passes = stride(from: 0, to: values.count, by: 4).map { Array(values[$0..<$0 + 4]) }
    try graph.addRecurrent(arrays.layer, units: units, passes, at: arrays.place)
  }
}

extension ONNXWriter {
  /// Adds a recurrent layer; `gates` has the order of ONNX, and `states` names what goes from step to step.
  mutating func addRecurrent(
    _ layer: some RecurrentLayer, _ node: ExportedNode, as operation: String, gates: [Int],
    states: [String], _ attributes: [Onnx_AttributeProto]
  ) -> String {
    let (name, units, passes) = (node.name, layer.units, layer.direction.passes)
    func values(_ parts: [Int]) -> [Float] {
      passes.flatMap { pass in
        parts.flatMap { reordered(node.values(pass.roles[$0]), gates: gates) }
      }
    }
    let rows = gates.count * units
    let weight = constant("\(name).W", [passes.count, rows, node.channels], values([0]))
    let recursion = constant("\(name).R", [passes.count, rows, units], values([1]))
    let bias = constant("\(name).B", [passes.count, 2 * rows], values([2, 3]))
    let steps = transpose(node.read[0], [1, 0, 2], "\(name).steps")
    let directionName =
      switch layer.direction {
      case .forward: "forward"
      case .backward: "reverse"
      case .both: "bidirectional"
      }
    var read = [steps, weight, recursion, bias]
    var written = [names.name("\(name).outputs")]
    if content.hasState {
      // No lengths of series: all steps count.
      read.append("")
      for state in states {
        let lengths = [1, units].map { length in
          Onnx_TensorShapeProto.Dimension.with { $0.dimValue = Int64(length) }
        }
        let (before, after) = (names.name("\(name).\(state)"), names.name("\(name).\(state).next"))
        inputs.append(Self.description(before, lengths, batchAxis: 1))
        outputs.append(Self.description(after, lengths, batchAxis: 1))
        read.append(before)
        written.append(after)
      }
    }
    nodes.append(
      .with {
        $0.name = written[0]
        $0.opType = operation
        $0.input = read
        $0.output = written
        $0.attribute =
          [.integer("hidden_size", units), .text("direction", directionName)] + attributes
      })
    let turned = transpose(written[0], [2, 0, 1, 3], "\(name).turned")
    let shape = integers("\(name).shape", [0, 0, passes.count * units])
    return append("Reshape", name, [turned, shape])
  }
}

extension SwiftFunction {
  static let recurrence = SwiftFunction(
    "recurrence",
    """

      private enum Cell { case gru, lstm }

      /// Gated recurrent units with the gates r, z, n, or long short-term memory with i, f, g, o:
      ///
      ///     h = (1 − z) · n + z · h′, n = tanh(Wn · x + bn + r · (Vn · h′ + cn))
      ///     h = o · tanh(c), c = f · c′ + i · g
      private static func recurrence(
        _ input: [Float], channels: Int, units: Int, cell kind: Cell, isBackward: Bool, weight: Int,
        recursion: Int, bias: Int, stateBias: Int
      ) -> [Float] {
        let length = input.count / channels
        let rows = kind == .gru ? 3 * units : 4 * units
        var state = [Float](repeating: 0, count: units)
        var cell = state
        var output = [Float](repeating: 0, count: length * units)
        var (inputs, states) = ([Float](repeating: 0, count: rows), [Float](repeating: 0, count: rows))
        for index in 0..<length {
          let step = isBackward ? length - 1 - index : index
          for row in 0..<rows {
            var sum = weights[bias + row]
            for c in 0..<channels {
              sum += weights[weight + row * channels + c] * input[step * channels + c]
            }
            inputs[row] = sum
            sum = weights[stateBias + row]
            for unit in 0..<units { sum += weights[recursion + row * units + unit] * state[unit] }
            states[row] = sum
          }
          for unit in 0..<units {
            switch kind {
            case .gru:
              let r = sigmoid(inputs[unit] + states[unit])
              let z = sigmoid(inputs[units + unit] + states[units + unit])
              let n = tanh(inputs[2 * units + unit] + r * states[2 * units + unit])
              state[unit] = (1 - z) * n + z * state[unit]
            case .lstm:
              let i = sigmoid(inputs[unit] + states[unit])
              let f = sigmoid(inputs[units + unit] + states[units + unit])
              let g = tanh(inputs[2 * units + unit] + states[2 * units + unit])
              let o = sigmoid(inputs[3 * units + unit] + states[3 * units + unit])
              cell[unit] = f * cell[unit] + i * g
              state[unit] = o * tanh(cell[unit])
            }
            output[step * units + unit] = state[unit]
          }
        }
        return output
      }

      /// 1 / (1 + e⁻ˣ)
      private static func sigmoid(_ x: Float) -> Float {
        let power = exponential(-abs(x))
        return Float((x < 0 ? power : 1) / (1 + power))
      }

      /// (1 − e⁻²ˣ) / (1 + e⁻²ˣ)
      private static func tanh(_ x: Float) -> Float {
        let power = exponential(-2 * abs(x))
        let value = Float((1 - power) / (1 + power))
        return x < 0 ? -value : value
      }

    """)
}
