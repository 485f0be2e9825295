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

extension Model {
  /// The values that layer `index` has in that role.
  func stored(_ index: Int, _ role: Parameter.Role) -> [Float] {
    weights["\(index).\(role.rawValue)"]!.values
  }

  /// The batch normalisation of layer `index` with its statistics as constants.
  package func batchNormalization(_ index: Int) -> ScaleAndShift {
    let scale = zip(stored(index, .weight), stored(index, .runningVariance)).map {
      $0 / ($1 + batchNormalizationEpsilon).squareRoot()
    }
    let shift = zip(stored(index, .bias), zip(stored(index, .runningMean), scale)).map {
      $0 - $1.0 * $1.1
    }
    return ScaleAndShift(scale: scale, shift: shift)
  }

  /// The same function with fewer layers: a batch normalisation that follows a convolution or a dense
  /// layer becomes part of its weights.
  ///
  /// - Throws: `ModelError` where a folded weight is too large for a number.
  public func foldingBatchNormalization() throws(ModelError) -> Model {
    var layers: [Layer] = []
    var folded: [String: Tensor] = [:]
    // The convolution or dense layer that still stands right before, but for dropout.
    var product: Int?
    for (index, layer) in architecture.layers.enumerated() {
      switch layer {
      case .batchNormalization:
        guard let product else { break }
        var weight = folded["\(product).weight"]!
        var bias = folded["\(product).bias"]!
        batchNormalization(index).fold(into: &weight.values, bias: &bias.values)
        (folded["\(product).weight"], folded["\(product).bias"]) = (weight, bias)
        continue
      case .convolution, .dense: product = layers.count
      case .dropout: break
      case .relu, .maxPooling, .flatten: product = nil
      }
      for parameter in architecture.parameters where parameter.layer == index {
        folded["\(layers.count).\(parameter.role.rawValue)"] = weights[parameter.name]
      }
      layers.append(layer)
    }
    let architecture: Architecture
    do {
      architecture = try Architecture(
        name: self.architecture.name, inputSize: self.architecture.inputSize, layers: layers)
    } catch {
      throw ModelError(
        path: "model", field: "architecture", expected: error.expected, found: error.found)
    }
    return try Model(
      architecture: architecture, labels: labels, rasterizer: rasterizer, inputScale: inputScale,
      decision: decision, provenance: provenance, weights: folded)
  }
}
