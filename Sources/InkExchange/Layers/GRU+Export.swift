import InkNetwork

extension GRU: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    let sides = direction.passes.map { pass in
      let side =
        direction == .both
        ? file.names.name("\(node.name).\(pass.isBackward ? "backward" : "forward")") : node.name
      guard pass.isBackward else {
        return file.addGRU(node, units, pass, node.read[0], side)
      }
      return file.reversing(node.read[0], as: side) { $0.addGRU(node, units, pass, $1, $2) }
    }
    return sides.count == 1 ? sides[0] : file.joined(sides, node.name)
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    // z, r, h
    file.addRecurrent(
      self, node, as: "GRU", gates: [1, 0, 2], states: ["state"],
      [.integer("linear_before_reset", 1)])
  }
}

extension CoreMLWriter {
  /// Adds one direction of a GRU.
  ///
  /// Core ML has one bias for each gate:
  ///
  ///     n = tanh(Wn · x + bn + r ⊙ (Vn · h′))
  ///
  /// The bias cn of the state, where there is one, is the product with one more unit, whose state is
  /// always 1: it begins with 1, and its gate z is 1.
  fileprivate mutating func addGRU(
    _ node: ExportedNode, _ units: Int, _ pass: Direction.Pass, _ input: String, _ name: String
  ) -> String {
    let values = pass.roles.map(node.values)
    let inputs = values[0].count / (3 * units)
    func rows(_ gate: Int, _ values: [Float]) -> [Float] {
      let length = values.count / 3
      return Array(values[gate * length..<(gate + 1) * length])
    }
    let stateBias = rows(2, values[3])
    let hasConstant = stateBias.contains { $0 != 0 }
    let size = units + (hasConstant ? 1 : 0)
    let weights = (0..<3).map { gate -> [Float] in
      rows(gate, values[0]) + [Float](repeating: 0, count: (size - units) * inputs)
    }
    let recursions = (0..<3).map { gate -> [Float] in
      let own = rows(gate, values[1])
      guard hasConstant else { return own }
      var recursion: [Float] = []
      for unit in 0..<units {
        recursion += own[unit * units..<(unit + 1) * units]
        recursion.append(gate == 2 ? stateBias[unit] : 0)
      }
      return recursion + [Float](repeating: 0, count: size)
    }
    let biases = (0..<3).map { gate -> [Float] in
      let own = rows(gate, values[2])
      let sums = gate == 2 ? own : zip(own, rows(gate, values[3])).map { $0 + $1 }
      // σ(100) is 1.
      return hasConstant ? sums + [gate == 1 ? 100 : 0] : sums
    }
    var state: String?
    if content.hasState { state = stateInput("\(name).state", units) }
    if hasConstant {
      let count = state == nil ? size : 1
      let constant = append(names.name("\(name).one"), []) {
        $0.loadConstant.shape = [UInt64(count), 1, 1]
        $0.loadConstant.data.floatValue = [Float](repeating: 0, count: count - 1) + [1]
      }
      state = state.map { joined([$0, constant], names.name("\(name).start")) } ?? constant
    }
    let output = hasConstant ? names.name("\(name).outputs") : name
    let next = hasConstant ? names.name("\(name).last") : names.name("\(name).state.next")
    append(output, [input] + (state.map { [$0] } ?? []), also: state == nil ? [] : [next]) {
      $0.gru.inputVectorSize = UInt64(inputs)
      $0.gru.outputVectorSize = UInt64(size)
      $0.gru.activations = [Self.sigmoid, Self.tanh]
      $0.gru.sequenceOutput = true
      $0.gru.hasBiasVectors_p = true
      $0.gru.resetGateWeightMatrix.floatValue = weights[0]
      $0.gru.updateGateWeightMatrix.floatValue = weights[1]
      $0.gru.outputGateWeightMatrix.floatValue = weights[2]
      $0.gru.resetGateRecursionMatrix.floatValue = recursions[0]
      $0.gru.updateGateRecursionMatrix.floatValue = recursions[1]
      $0.gru.outputGateRecursionMatrix.floatValue = recursions[2]
      $0.gru.resetGateBiasVector.floatValue = biases[0]
      $0.gru.updateGateBiasVector.floatValue = biases[1]
      $0.gru.outputGateBiasVector.floatValue = biases[2]
    }
    guard hasConstant else {
      if content.hasState { stateOutput(next, units) }
      return name
    }
    func slice(_ value: String, as name: String) -> String {
      append(name, [value]) {
        $0.slice.endIndex = Int64(units)
        $0.slice.stride = 1
        $0.slice.axis = .channelAxis
      }
    }
    if content.hasState {
      let after = names.name("\(name).state.next")
      stateOutput(slice(next, as: after), units)
    }
    return slice(output, as: name)
  }
}
