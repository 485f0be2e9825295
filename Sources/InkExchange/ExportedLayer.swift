import InkNetwork

/// A layer as other tools have it: everything that a new layer needs to leave the package.
struct ExportedLayer {
  /// Core ML's form; the weights are those of ``parameters``.
  var coreML: (inout CoreML_Specification_NeuralNetworkLayer) -> Void
  /// ONNX's operation and its attributes.
  var onnx: (operation: String, attributes: [Onnx_AttributeProto])
  /// A statement in Swift that changes `values`, and the function that it calls, if not every file has it.
  var swift: (statement: String, function: SwiftFunction?)
  /// What is stored beside it, in the order in which ONNX and Swift take it.
  var parameters: [(role: Parameter.Role, values: [Float])]

  /// Creates the forms of node `index` of `network`, or `nil` for a layer that does nothing at inference.
  ///
  /// `place` stores values among the weights of a Swift file and returns where they begin.
  init?(_ index: Int, of network: TrainedNetwork, placing place: ([Float]) -> Int) {
    let architecture = network.architecture
    let shape = architecture.inputShape(of: index)
    let stored = architecture.parameters.filter { $0.node == index }.map {
      (role: $0.role, values: network.values(index, $0.role))
    }
    let weights = Dictionary(
      uniqueKeysWithValues: stored.map { role, values in
        (role, CoreML_Specification_WeightParams.with { $0.floatValue = values })
      })
    func planes() -> String {
      guard case .planes(let channels, let height, let width) = shape else {
        preconditionFailure("\(architecture.nodes[index].layer.kind) reads planes")
      }
      return "channels: \(channels), height: \(height), width: \(width)"
    }
    parameters = stored
    switch architecture.nodes[index].layer {
    case .convolution(let layer):
      coreML = {
        $0.convolution.outputChannels = UInt64(layer.filters)
        $0.convolution.kernelChannels = UInt64(shape.channelCount)
        $0.convolution.nGroups = 1
        $0.convolution.kernelSize = [UInt64(layer.kernel), UInt64(layer.kernel)]
        $0.convolution.stride = [1, 1]
        $0.convolution.dilationFactor = [1, 1]
        switch layer.padding {
        case .same: $0.convolution.same = .init()
        case .valid: $0.convolution.valid = .init()
        }
        $0.convolution.hasBias_p = true
        $0.convolution.weights = weights[.weight]!
        $0.convolution.bias = weights[.bias]!
      }
      onnx = (
        "Conv",
        [
          .integers("kernel_shape", [layer.kernel, layer.kernel]),
          .integers("pads", [Int](repeating: layer.pad, count: 4)),
        ]
      )
      let (weight, bias) = (place(stored[0].values), place(stored[1].values))
      swift = (
        "values = convolution(\n      values, \(planes()), filters: \(layer.filters), "
          + "kernel: \(layer.kernel),\n      edge: \(layer.pad), weight: \(weight), bias: \(bias))",
        .convolution
      )
    case .batchNormalization:
      coreML = {
        $0.batchnorm.channels = UInt64(shape.channelCount)
        $0.batchnorm.epsilon = BatchNormalization.epsilon
        $0.batchnorm.gamma = weights[.weight]!
        $0.batchnorm.beta = weights[.bias]!
        $0.batchnorm.mean = weights[.runningMean]!
        $0.batchnorm.variance = weights[.runningVariance]!
      }
      onnx = ("BatchNormalization", [.number("epsilon", BatchNormalization.epsilon)])
      let normalization = network.batchNormalization(index)
      let (scale, shift) = (place(normalization.scale), place(normalization.shift))
      swift = (
        "values = scaleAndShift(\n      values, channels: \(shape.channelCount), scale: \(scale), "
          + "shift: \(shift))",
        .scaleAndShift
      )
    case .relu:
      coreML = { $0.activation.reLu = .init() }
      onnx = ("Relu", [])
      swift = ("for index in values.indices { values[index] = max(0, values[index]) }", nil)
    case .maxPooling(let layer):
      coreML = {
        $0.pooling.type = .max
        $0.pooling.kernelSize = [UInt64(layer.size), UInt64(layer.size)]
        $0.pooling.stride = [UInt64(layer.size), UInt64(layer.size)]
        $0.pooling.valid = .init()
      }
      onnx = (
        "MaxPool",
        [
          .integers("kernel_shape", [layer.size, layer.size]),
          .integers("strides", [layer.size, layer.size]),
        ]
      )
      swift = (
        "values = maxPooling(\n      values, \(planes()), size: \(layer.size))", .maxPooling
      )
    case .flatten:
      coreML = { $0.flatten.mode = .channelFirst }
      onnx = ("Flatten", [.integer("axis", 1)])
      swift = ("", nil)
    case .dense(let layer):
      coreML = {
        $0.innerProduct.inputChannels = UInt64(shape.count)
        $0.innerProduct.outputChannels = UInt64(layer.units)
        $0.innerProduct.hasBias_p = true
        $0.innerProduct.weights = weights[.weight]!
        $0.innerProduct.bias = weights[.bias]!
      }
      onnx = ("Gemm", [.integer("transB", 1)])
      let (weight, bias) = (place(stored[0].values), place(stored[1].values))
      swift = (
        "values = dense(values, units: \(layer.units), weight: \(weight), bias: \(bias))", nil
      )
    case .seriesConvolution, .gru, .lstm, .timePooling, .layerNormalization, .concatenation, .columns:
      preconditionFailure("series")
    case .dropout: return nil
    }
  }
}

extension Onnx_AttributeProto {
  static func integer(_ name: String, _ value: Int) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.i) = (name, .int, Int64(value)) }
  }

  static func integers(_ name: String, _ values: [Int]) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.ints) = (name, .ints, values.map(Int64.init)) }
  }

  static func number(_ name: String, _ value: Float) -> Onnx_AttributeProto {
    .with { ($0.name, $0.type, $0.f) = (name, .float, value) }
  }
}
