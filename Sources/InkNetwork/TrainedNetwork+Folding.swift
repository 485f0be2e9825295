/// A batch normalisation at inference: x · scale + shift, channel by channel (Ioffe & Szegedy, 2015).
package struct ScaleAndShift {
  package var scale: [Float]
  package var shift: [Float]

  /// Folds it, output by output, into what comes before it: `weight` `[outputs, …]` and `bias`.
  func fold(into weight: inout [Float], bias: inout [Float]) {
    let length = weight.count / bias.count
    for output in bias.indices {
      for index in output * length..<(output + 1) * length { weight[index] *= scale[output] }
      bias[output] = bias[output] * scale[output] + shift[output]
    }
  }
}

extension TrainedNetwork {
  /// The batch normalisation of node `node` with its statistics as constants.
  package func batchNormalization(_ node: Int) -> ScaleAndShift {
    let scale = zip(values(node, .weight), values(node, .runningVariance)).map {
      $0 / ($1 + BatchNormalization.epsilon).squareRoot()
    }
    let shift = zip(values(node, .bias), zip(values(node, .runningMean), scale)).map {
      $0 - $1.0 * $1.1
    }
    return ScaleAndShift(scale: scale, shift: shift)
  }

  /// The same function with fewer nodes: a batch normalisation that alone reads a convolution or a dense
  /// layer becomes part of its weights.
  ///
  /// Exports use it; inference folds in `Epilogue`.
  ///
  /// - Throws: ``ModelError`` where a folded weight is too large for a number.
  public func foldingBatchNormalization() throws(ModelError) -> TrainedNetwork {
    var nodes: [Architecture.Node] = []
    var folded: [String: Tensor] = [:]
    // The new number of each node; a node that is left out has that of what it read.
    var numbers: [Int] = []
    for (index, node) in architecture.nodes.enumerated() {
      if node.layer == .batchNormalization, let product = product(readBy: index) {
        let (weightName, biasName) = (
          Parameter.name(node: numbers[product], .weight),
          Parameter.name(node: numbers[product], .bias)
        )
        var weight = folded[weightName]!
        var bias = folded[biasName]!
        batchNormalization(index).fold(into: &weight.values, bias: &bias.values)
        (folded[weightName], folded[biasName]) = (weight, bias)
        guard case .node(let source) = architecture.sources[index][0] else {
          preconditionFailure("a product is a node")
        }
        numbers.append(numbers[source])
        continue
      }
      for parameter in architecture.parameters where parameter.node == index {
        folded[Parameter.name(node: nodes.count, parameter.role)] = weights[parameter.name]
      }
      numbers.append(nodes.count)
      let sources = architecture.sources[index].map { source in
        if case .node(let other) = source {
          Architecture.Source.node(numbers[other])
        } else {
          source
        }
      }
      nodes.append(.init(node.layer, from: sources))
    }
    do {
      let architecture = try Architecture(
        name: architecture.name, inputs: architecture.inputs, nodes: nodes,
        output: architecture.output)
      return try TrainedNetwork(architecture, weights: folded)
    } catch let error as ArchitectureError {
      throw ModelError(
        path: "model", field: "architecture", expected: error.expected, found: error.found)
    } catch let error as ModelError {
      throw error
    } catch {
      preconditionFailure("no other error is thrown")
    }
  }

  /// The convolution or dense layer whose values only node `index` reads, with nothing but dropout and
  /// folded batch normalisations between them.
  private func product(readBy index: Int) -> Int? {
    guard case .node(let source) = architecture.sources[index][0],
      architecture.readers(of: .node(source)).count == 1
    else { return nil }
    let layer = architecture.nodes[source].layer.inference
    if layer.takesNormalization { return source }
    switch layer.epilogue {
    case .normalization?, .nothing?: return product(readBy: source)
    case .rectifier?, .pooling?, nil: return nil
    }
  }
}
