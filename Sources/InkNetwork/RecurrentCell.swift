import CInkKernels

/// What a recurrent layer computes at each step, laid out for the kernels: each gate has as many values
/// as whole vectors hold.
package struct RecurrentCell: Sendable {
  /// The kinds of gates.
  package enum Kind: Sendable {
    case gru
    case lstm
  }

  package let kind: Kind
  /// The values that go in at each step.
  package let inputs: Int
  /// The values of the state.
  package let units: Int
  /// Whether the last step comes first.
  package let isBackward: Bool
  package let gates: Int
  /// ``units`` in whole vectors.
  package let packedUnits: Int
  /// The weights over the input and over the state.
  package let inputPanels: DensePanels
  package let statePanels: DensePanels

  package init(_ kind: Kind, inputs: Int, inputRow: Int, units: Int, isBackward: Bool) {
    self.kind = kind
    self.inputs = inputs
    self.units = units
    self.isBackward = isBackward
    gates = kind == .gru ? GRU.gates : LSTM.gates
    packedUnits = PlaneLayout.packed(units)
    inputPanels = DensePanels(inputs: inputRow, units: gates * packedUnits)
    statePanels = DensePanels(inputs: packedUnits, units: gates * packedUnits)
  }

  /// The values of all gates of a step.
  package var gateCount: Int { gates * packedUnits }

  /// The values of weights and biases, as they are stored: one array after the other.
  package var parameterCount: Int { gates * units * (inputs + units + 2) }

  /// Lays out weights and biases, which lie one after the other as ``RecurrentLayer`` stores them.
  package func pack(_ parameters: UnsafePointer<Float>) {
    let rows = gates * units
    let stateWeight = parameters + rows * inputs
    let inputBias = stateWeight + rows * units
    let stateBias = inputBias + rows
    for gate in 0..<gates {
      let (row, place) = (gate * units, gate * packedUnits)
      let range = place..<place + units
      inputPanels.set(units: range, to: parameters + row * inputs, row: inputs, count: inputs)
      statePanels.set(units: range, to: stateWeight + row * units, row: units, count: units)
      (inputPanels.bias.pointer + place).update(from: inputBias + row, count: units)
      (statePanels.bias.pointer + place).update(from: stateBias + row, count: units)
    }
  }

  /// Computes a step of one example from the products of its input and its state, and changes the state
  /// (`[packedUnits]`) and, of LSTM, the cell.
  @inline(__always)
  package func step(
    input: UnsafePointer<Float>, hidden: UnsafePointer<Float>,
    state: UnsafeMutablePointer<Float>, cell: UnsafeMutablePointer<Float>?,
    saved: UnsafeMutablePointer<Float>?
  ) {
    switch kind {
    case .gru: ink_gru_step(packedUnits, input, hidden, state, saved, state)
    case .lstm: ink_lstm_step(packedUnits, input, hidden, cell!, saved, state)
    }
  }
}
