import InkNetwork

extension LSTM: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    guard direction == .backward else {
      return file.addLSTM(self, node, node.read[0], node.name)
    }
    return file.reversing(node.read[0], as: node.name) { $0.addLSTM(self, node, $1, $2) }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    // i, o, f, c
    file.addRecurrent(
      self, node, as: "LSTM", gates: [0, 3, 1, 2], states: ["state", "cell"], [])
  }
}

extension CoreMLWriter {
  /// Adds an LSTM, which reads forwards or in both directions, or one direction of it; both biases of a gate
  /// are one in Core ML.
  fileprivate mutating func addLSTM(
    _ layer: LSTM, _ node: ExportedNode, _ input: String, _ name: String
  ) -> String {
    let inputs = node.channels
    let parameters = CoreML_Specification_LSTMParams.with {
      $0.sequenceOutput = true
      $0.hasBiasVectors_p = true
      $0.cellClipThreshold = Self.cellClip
    }
    let sides = layer.direction.passes.map { pass in
      let values = pass.roles.map(node.values)
      return Self.weights(values, bias: zip(values[2], values[3]).map { $0 + $1 })
    }
    guard layer.direction != .both else {
      return append(name, [input]) {
        $0.biDirectionalLstm.inputVectorSize = UInt64(inputs)
        $0.biDirectionalLstm.outputVectorSize = UInt64(layer.units)
        $0.biDirectionalLstm.activationsForwardLstm = [Self.sigmoid, Self.tanh, Self.tanh]
        $0.biDirectionalLstm.activationsBackwardLstm = [Self.sigmoid, Self.tanh, Self.tanh]
        $0.biDirectionalLstm.params = parameters
        $0.biDirectionalLstm.weightParams = sides
      }
    }
    var (before, after): ([String], [String]) = ([], [])
    if content.hasState {
      for state in ["state", "cell"] {
        before.append(stateInput("\(name).\(state)", layer.units))
        after.append(names.name("\(name).\(state).next"))
        stateOutput(after[after.count - 1], layer.units)
      }
    }
    return append(name, [input] + before, also: after) {
      $0.uniDirectionalLstm.inputVectorSize = UInt64(inputs)
      $0.uniDirectionalLstm.outputVectorSize = UInt64(layer.units)
      $0.uniDirectionalLstm.activations = [Self.sigmoid, Self.tanh, Self.tanh]
      $0.uniDirectionalLstm.params = parameters
      $0.uniDirectionalLstm.weightParams = sides[0]
    }
  }

  /// What Core ML limits cells to; this is its usual limit, which no cell reaches.
  private static let cellClip: Float = 50_000

  /// The weights of an LSTM over its input and its state, and its biases, gates in the order i, f, g, o.
  private static func weights(
    _ values: [[Float]], bias: [Float]
  ) -> CoreML_Specification_LSTMWeightParams {
    func gate(_ gate: Int, _ values: [Float]) -> CoreML_Specification_WeightParams {
      let length = values.count / 4
      return .with { $0.floatValue = Array(values[gate * length..<(gate + 1) * length]) }
    }
    return .with {
      $0.inputGateWeightMatrix = gate(0, values[0])
      $0.forgetGateWeightMatrix = gate(1, values[0])
      $0.blockInputWeightMatrix = gate(2, values[0])
      $0.outputGateWeightMatrix = gate(3, values[0])
      $0.inputGateRecursionMatrix = gate(0, values[1])
      $0.forgetGateRecursionMatrix = gate(1, values[1])
      $0.blockInputRecursionMatrix = gate(2, values[1])
      $0.outputGateRecursionMatrix = gate(3, values[1])
      $0.inputGateBiasVector = gate(0, bias)
      $0.forgetGateBiasVector = gate(1, bias)
      $0.blockInputBiasVector = gate(2, bias)
      $0.outputGateBiasVector = gate(3, bias)
    }
  }
}
