import InkNetwork

/// The form of a layer in each export format.
///
/// A new layer needs a case here to be exported.
struct ExportedLayer {
  /// Fills in the layer of Core ML.
  var coreML: (inout CoreML_Specification_NeuralNetworkLayer) -> Void
  /// The operation of ONNX and its attributes; the parameters are its inputs.
  var onnx: (operation: String, attributes: [Onnx_AttributeProto])
  /// Returns a statement in Swift that changes `values`, and the function that only some files contain.
  ///
  /// `store` adds values to the weights of the Swift file and returns the index of the first one.
  var swift: (_ store: ([Float]) -> Int) -> (statement: String, function: SwiftFunction?)

  /// Creates the forms of node `index` of `network`, or `nil` for a layer that does nothing in inference.
  init?(_ index: Int, of network: TrainedNetwork) {
    let architecture = network.architecture
    let shape = architecture.inputShape(of: index)
    func values(_ role: Parameter.Role) -> [Float] { network.values(index, role) }
    func weights(_ role: Parameter.Role) -> CoreML_Specification_WeightParams {
      .with { $0.floatValue = values(role) }
    }
    func planes() -> String {
      guard case .planes(let channels, let height, let width) = shape else {
        preconditionFailure("\(architecture.nodes[index].layer.kind) reads planes")
      }
      return "channels: \(channels), height: \(height), width: \(width)"
    }
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
        $0.convolution.weights = weights(.weight)
        $0.convolution.bias = weights(.bias)
      }
      onnx = (
        "Conv",
        [
          .integers("kernel_shape", [layer.kernel, layer.kernel]),
          .integers("pads", [Int](repeating: layer.pad, count: 4)),
        ]
      )
      swift = { store in
        let (weight, bias) = (store(values(.weight)), store(values(.bias)))
        return (
          "values = convolution(\n      values, \(planes()), filters: \(layer.filters), "
            + "kernel: \(layer.kernel),\n      edge: \(layer.pad), weight: \(weight), bias: \(bias))",
          .convolution
        )
      }
    case .batchNormalization:
      coreML = {
        $0.batchnorm.channels = UInt64(shape.channelCount)
        $0.batchnorm.epsilon = BatchNormalization.epsilon
        $0.batchnorm.gamma = weights(.weight)
        $0.batchnorm.beta = weights(.bias)
        $0.batchnorm.mean = weights(.runningMean)
        $0.batchnorm.variance = weights(.runningVariance)
      }
      onnx = ("BatchNormalization", [.number("epsilon", BatchNormalization.epsilon)])
      swift = { store in
        let normalization = network.batchNormalization(index)
        let (scale, shift) = (store(normalization.scale), store(normalization.shift))
        return (
          "values = scaleAndShift(\n      values, channels: \(shape.channelCount), scale: \(scale), "
            + "shift: \(shift))",
          .scaleAndShift
        )
      }
    case .relu:
      coreML = { $0.activation.reLu = .init() }
      onnx = ("Relu", [])
      swift = { _ in ("for index in values.indices { values[index] = max(0, values[index]) }", nil)
      }
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
      swift = { _ in
        ("values = maxPooling(\n      values, \(planes()), size: \(layer.size))", .maxPooling)
      }
    case .flatten:
      coreML = { $0.flatten.mode = .channelFirst }
      onnx = ("Flatten", [.integer("axis", 1)])
      swift = { _ in ("", nil) }
    case .dense(let layer):
      coreML = {
        $0.innerProduct.inputChannels = UInt64(shape.count)
        $0.innerProduct.outputChannels = UInt64(layer.units)
        $0.innerProduct.hasBias_p = true
        $0.innerProduct.weights = weights(.weight)
        $0.innerProduct.bias = weights(.bias)
      }
      onnx = ("Gemm", [.integer("transB", 1)])
      swift = { store in
        let (weight, bias) = (store(values(.weight)), store(values(.bias)))
        return (
          "values = dense(values, units: \(layer.units), weight: \(weight), bias: \(bias))", nil
        )
      }
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
