import InkNetwork

/// A layer as training knows it.
protocol TrainableLayer: Sendable {
  /// Adds the steps of `node`; returns the buffer with its value.
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int

  /// What a learnt array begins with.
  func initialValues(of parameter: Parameter) -> InitialValues
}

extension TrainableLayer {
  /// Biases begin at 0 and weights `[outputs, …]` by the number of values in a sum, unless the layer says
  /// otherwise.
  func initialValues(of parameter: Parameter) -> InitialValues {
    parameter.role == .weight
      ? .uniform(inputs: parameter.count / parameter.shape[0]) : .constant(0)
  }
}

extension Layer {
  /// The layer as training knows it.
  var training: any TrainableLayer {
    switch self {
    case .convolution(let layer): layer
    case .batchNormalization: BatchNormalization()
    case .relu: ReLU()
    case .maxPooling(let layer): layer
    case .flatten: Flatten()
    case .dense(let layer): layer
    case .dropout(let layer): layer
    case .seriesConvolution(let layer): layer
    case .gru(let layer): layer
    case .lstm(let layer): layer
    case .timePooling(let layer): layer
    case .layerNormalization: LayerNormalization()
    case .concatenation: Concatenation()
    case .upsampling: Upsampling()
    case .columns: Columns()
    }
  }
}

/// What a learnt array begins with.
enum InitialValues {
  case constant(Float)
  /// Random values between ±1 / √inputs.
  case uniform(inputs: Int)
}
