import InkNetwork
import InkRecognizer

extension Model {
  /// Returns this reader with outputs for `characters` that it does not know yet, after those it knows.
  ///
  /// Their weights are 0 and their bias is the lowest of the others, so that the reader reads as before until it
  /// learns them.
  ///
  /// - Throws: `TrainingError` if the model does not read text or does not end in a dense layer, and `ModelError` for
  ///   a label that is not one character.
  public func adding(characters: [String]) throws -> Model {
    let added = characters.filter { !labels.contains($0) }
    guard !added.isEmpty else { return self }
    let last = architecture.nodes.count - 1
    guard readsText, case .dense(let dense) = architecture.nodes[last].layer else {
      throw TrainingError.unsuitableData(
        "characters can be added to a network that reads text only")
    }
    let units = dense.units
    var nodes = architecture.nodes
    nodes[last].layer = .dense(units: units + added.count)
    var weights = network.weights
    let bias = network.values(last, .bias)
    let factors = network.values(last, .weight)
    let inputCount = factors.count / units
    weights[Parameter.name(node: last, .bias)] = Tensor(
      shape: [units + added.count],
      values: bias + [Float](repeating: bias.min() ?? 0, count: added.count))
    weights[Parameter.name(node: last, .weight)] = Tensor(
      shape: [units + added.count, inputCount],
      values: factors + [Float](repeating: 0, count: added.count * inputCount))
    let wider = try Architecture(
      name: architecture.name, inputs: architecture.inputs, nodes: nodes,
      output: architecture.output)
    return try Model(
      network: TrainedNetwork(wider, weights: weights), labels: labels + added,
      preprocessing: preprocessing, decision: decision, provenance: provenance, letters: letters)
  }
}
