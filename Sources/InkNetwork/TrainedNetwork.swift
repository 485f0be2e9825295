/// An architecture with its weights.
public struct TrainedNetwork: Hashable, Sendable {
  /// The inputs, nodes and output.
  public let architecture: Architecture
  /// The stored arrays, by `Parameter.name`.
  public let weights: [String: Tensor]

  /// Makes a network; `path` is how errors call it.
  ///
  /// - Throws: ``ModelError`` where the weights do not fit the architecture.
  public init(
    _ architecture: Architecture, weights: [String: Tensor], path: String = "model"
  ) throws(ModelError) {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    for parameter in architecture.parameters {
      guard let tensor = weights[parameter.name] else {
        throw refuse(parameter.name, "a tensor of \(parameter.shape)", "none")
      }
      guard tensor.shape == parameter.shape else {
        throw refuse(parameter.name, "a tensor of \(parameter.shape)", "\(tensor.shape)")
      }
      guard tensor.values.allSatisfy(\.isFinite) else {
        throw refuse(parameter.name, "finite numbers", "NaN or infinity")
      }
      guard parameter.role != .runningVariance || tensor.values.allSatisfy({ $0 >= 0 }) else {
        throw refuse(parameter.name, "variances of 0 or more", "\(tensor.values.min() ?? 0)")
      }
    }
    let known = Set(architecture.parameters.map(\.name))
    if let unknown = weights.keys.filter({ !known.contains($0) }).min() {
      throw refuse(unknown, "only the network's own tensors", "one more")
    }
    self.architecture = architecture
    self.weights = weights
  }

  /// The values of the array that does `role` in node `node`.
  package func values(_ node: Int, _ role: Parameter.Role) -> [Float] {
    weights[Parameter.name(node: node, role)]!.values
  }

  /// Computes the output for one example in plain loops: slow, easy to read, and what the fast kernels
  /// of inference and training are compared with.
  ///
  /// `inputs` has the values of each input, of a series as many steps as there are; the result is
  /// `[classes]`, or `[length, classes]`.
  ///
  /// - Throws: ``LayerMismatch`` where a series is too short or too long for a layer.
  package func plainOutput(of inputs: [[Float]]) throws(LayerMismatch) -> [Float] {
    let inputShapes = zip(architecture.inputs, inputs).map {
      $0.shape(steps: $1.count / $0.valuesPerStep)
    }
    var outputs: [(values: [Float], shape: Shape)] = []
    for (index, node) in architecture.nodes.enumerated() {
      let read = architecture.sources[index].map { source in
        switch source {
        case .input(let input): (values: inputs[input], shape: inputShapes[input])
        case .node(let other): outputs[other]
        }
      }
      let layer = node.layer.definition
      let shape = try layer.outputShape(of: read.map(\.shape))
      outputs.append(
        (
          layer.apply(
            to: read.map(\.values), shapes: read.map(\.shape), output: shape,
            stored: { values(index, $0) }), shape
        ))
    }
    return outputs[outputs.count - 1].values
  }
}
