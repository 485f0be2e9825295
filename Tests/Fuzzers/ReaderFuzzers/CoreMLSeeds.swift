import Foundation
import Fuzzing
import InkNetwork
import SwiftProtobuf

@testable import InkExchange

/// Files of Core ML, as other programs write them and as none should.
enum CoreMLSeeds {
  private typealias File = CoreML_Specification_Model
  private typealias Layer = CoreML_Specification_NeuralNetworkLayer
  private typealias Input = CoreML_Specification_FeatureDescription
  /// Makes one layer of an empty one, which reads the layer before it.
  private typealias Fill = @Sendable (inout Layer) throws -> Void

  /// Whole networks, and files that differ from what can be read in one thing.
  static func files() throws -> [Data] {
    try Fuzzer.files(
      "Tests/InkExchangeTests/References/pytorch.mlmodel",
      "Tests/InkExchangeTests/References/create-ml-activity.mlmodel",
      "Tests/InkExchangeTests/References/turi-activity.mlmodel",
      "Tests/InkExchangeTests/References/turi-create.mlmodel"
    ) + ExchangeSeeds.files(as: .coreml) + descriptions() + pictures() + sequences()
      + changedRecurrent()
  }

  // MARK: Chains of layers

  private static func input(_ input: NetworkInput) -> Input {
    CoreMLWriter.feature(input, named: input.name)
  }

  /// A classifier of one input with a chain of layers.
  private static func chain(
    _ input: Input, _ fills: [Fill], _ change: (inout File) throws -> Void = { _ in }
  ) throws -> Data {
    var file = File()
    file.description_p.input = [input]
    file.neuralNetworkClassifier.stringClassLabels.vector = ["a", "b", "c"]
    for (index, fill) in fills.enumerated() {
      var layer = Layer()
      layer.name = "\(index)"
      layer.input = [index == 0 ? input.name : "\(index - 1)"]
      layer.output = ["\(index)"]
      try fill(&layer)
      file.neuralNetworkClassifier.layers.append(layer)
    }
    try change(&file)
    return try file.serializedData()
  }

  /// An empty field of a message that this package does not know, or of a wire type that is not its own.
  private static func unknown<Content: Message>(_ number: Int, in message: Content) throws
    -> Content
  {
    let tag = number << 3 | 2
    return try Content(serializedBytes: [UInt8(tag & 0x7F | 0x80), UInt8(tag >> 7), 0] as [UInt8])
  }

  private static func weights(_ count: Int) -> CoreML_Specification_WeightParams {
    .with { $0.floatValue = (0..<count).map { 0.1 + Float($0 % 7) / 8 } }
  }

  private static let picture = input(.picture(size: 8))
  private static let vector = input(ExchangeSeeds.vector)
  private static let series = input(ExchangeSeeds.series)

  private static let convolution: Fill = {
    $0.convolution.outputChannels = 2
    $0.convolution.kernelChannels = 1
    $0.convolution.weights = weights(18)
  }
  private static let normalization: Fill = {
    $0.batchnorm.channels = 2
    $0.batchnorm.mean = weights(2)
    $0.batchnorm.variance = weights(2)
  }
  private static let pooling: Fill = {
    $0.pooling.kernelSize = [2, 2]
    $0.pooling.stride = [2, 2]
  }
  private static func dense(_ inputs: Int, _ units: Int = 3) -> Fill {
    {
      $0.innerProduct.inputChannels = UInt64(inputs)
      $0.innerProduct.outputChannels = UInt64(units)
      $0.innerProduct.weights = weights(inputs * units)
    }
  }
  private static let softmax: Fill = { $0.softmax = .init() }
  private static let flatten: Fill = { $0.flatten = .init() }
  private static func permute(_ axes: [UInt64]) -> Fill { { $0.permute.axis = axes } }
  /// A first state of one unit.
  private static func constant(_ value: Float) -> Fill {
    {
      $0.input = []
      $0.loadConstant.shape = [1, 1, 1]
      $0.loadConstant.data.floatValue = [value]
    }
  }

  // MARK: Descriptions

  private static func descriptions() throws -> [Data] {
    let layers: [Fill] = [flatten, dense(64), softmax]
    let files: [(inout File) throws -> Void] = [
      { $0.neuralNetworkClassifier.int64ClassLabels.vector = [3, 1, 2] },
      { $0.neuralNetworkClassifier.classLabels = nil },
      { $0.neuralNetworkClassifier.labelProbabilityLayerName = "elsewhere" },
      { $0.neuralNetworkClassifier.layers.removeLast() },
      { $0.neuralNetworkClassifier.preprocessing = [.with { $0.featureName = "elsewhere" }] },
      { $0.neuralNetworkClassifier.preprocessing = [.init(), .with { $0.scaler.grayBias = 1 }] },
      { $0.neuralNetworkClassifier.preprocessing = [.with { $0.meanImage = .init() }] },
      { $0.neuralNetworkClassifier.preprocessing = [.with { $0.scaler.channelScale = 0.5 }] },
      {
        // Two pictures that are scaled differently.
        $0.description_p.input.append(input(.init(name: "other", form: picture8)))
        $0.neuralNetworkClassifier.preprocessing = [
          .with { ($0.featureName, $0.scaler.channelScale) = ("other", 0.5) }
        ]
      },
      { $0.neuralNetwork.layers = $0.neuralNetworkClassifier.layers },
      { $0 = try unknown(502, in: $0) },
      { $0 = try unknown(300, in: $0) },
      { $0 = try unknown(20, in: $0) },
      { $0.description_p.input = [] },
      { $0.description_p.input[0].type.imageType.colorSpace = .rgb },
      { $0.description_p.input[0].type.imageType.height = 99_999 },
      { $0.description_p.input[0].type.stringType = .init() },
      { $0.description_p.input[0].type.multiArrayType.shape = [0] },
      { $0.description_p.input[0].type.multiArrayType.shape = [1, 2] },
      { $0.description_p.input[0].type.multiArrayType.shape = [65, 8, 8] },
      { $0.description_p.input[0].type.multiArrayType.shape = [2, 8, 4] },
      { $0.description_p.input[0].type.multiArrayType.shape = [64] },
      { $0.description_p.metadata.userDefined = ["inkstate_format": "3", "architecture": "?"] },
      { ($0.description_p.metadata.author, $0.description_p.metadata.license) = ("me", "MIT") },
    ]
    var own = try File(serializedBytes: ExchangeSeeds.picture().exported(as: .coreml))
    own.description_p.input[0].name = "another"
    return try files.map { try chain(picture, layers, $0) } + [
      own.serializedData(), Data(), Data([8]),
      chain(series, [{ $0.gru = .init() }]) {
        $0.description_p.input[0].type.multiArrayType.shape = [5000]
      },
    ]
  }

  private static let picture8 = NetworkInput.Form.image(channels: 1, height: 8, width: .fixed(8))

  // MARK: Pictures and vectors

  private static func pictures() throws -> [Data] {
    func activation(_ fill: (inout CoreML_Specification_ActivationParams) throws -> Void) rethrows
      -> Fill
    {
      var parameters = CoreML_Specification_ActivationParams()
      try fill(&parameters)
      return { [parameters] in $0.activation = parameters }
    }
    func changed(
      _ fill: @escaping Fill, _ change: @escaping @Sendable (inout Layer) throws -> Void
    ) -> [Fill] {
      [
        {
          try fill(&$0)
          try change(&$0)
        }
      ]
    }
    let relu = activation { $0.reLu = .init() }
    let whole: [[Fill]] = [
      [
        convolution, normalization, relu, pooling, { $0.flatten.mode = .channelLast }, dense(18),
        relu, flatten, dense(3), activation { $0.linear.alpha = 0.5 }, softmax,
      ],
      changed(convolution) {
        $0.convolution.kernelSize = [3, 3]
        $0.convolution.nGroups = 1
        $0.convolution.hasBias_p = true
        $0.convolution.weights = .with { $0.float16Value = Data(count: 36) }
        $0.convolution.bias = weights(2)
        $0.convolution.valid.paddingAmounts.borderAmounts = [.init(), .init()]
      } + [{ $0.flattenTo2D.axis = 1 }, dense(72), { $0.softmaxNd.axis = -1 }],
      changed(convolution) { $0.convolution.same = .init() }
        + changed(normalization) {
          $0.batchnorm.epsilon = 0.01
          ($0.batchnorm.gamma, $0.batchnorm.beta) = (weights(2), weights(2))
        }
        + changed(pooling) { $0.pooling.includeLastPixel.paddingAmounts = [0, 0] }
        + changed(pooling) { $0.pooling.same = .init() }
        + changed(pooling) { $0.pooling.valid = .init() }
        + [{ $0.reshapeStatic.targetShape = [1, 1, 2] }, dense(2), { $0.softmaxNd.axis = 1 }],
      [{ $0.reshape.targetShape = [64, 1, 1] }, dense(64), softmax],
    ]
    let broken: [[Fill]] = [
      [{ $0.output = [] }],
      [{ $0.input = ["elsewhere"] }],
      [{ $0.output = ["image"] }],
      [relu, { $0.input = [] }, relu],
      [{ _ in }],
      [
        {
          $0 = try unknown(180, in: $0); ($0.input, $0.output) = (["image"], ["0"])
        }
      ],
      [
        {
          $0 = try unknown(999, in: $0); ($0.input, $0.output) = (["image"], ["0"])
        }
      ],
      [activation { $0.tanh = .init() }], [activation { $0.sigmoid = .init() }],
      [{ $0.activation = .init() }], [try activation { $0 = try unknown(15, in: $0) }],
      [try activation { $0 = try unknown(16, in: $0) }],
      [activation { $0.linear.beta = 1 }], [activation { $0.linear.alpha = 2 }],
      [{ $0.flattenTo2D.axis = 2 }], [{ $0.reshapeStatic.targetShape = [2, 32] }],
      [{ $0.reshape.targetShape = [2, 32] }], [{ $0.softmaxNd.axis = 0 }],
      [permute([0, 1])], [permute([1, 0, 2, 3]), softmax], [permute([0, 1, 3, 2]), flatten],
      [permute([0, 1, 3, 2]), convolution], [permute([0, 1, 3, 2]), pooling],
      [permute([1, 0, 2, 3]), normalization], [{ $0.reverse.reverseDim = [true] }],
      [{ $0.concat = .init() }], [{ $0.concat.sequenceConcat = true }],
      [
        constant(1),
        {
          $0.input = ["image", "0"]; $0.concat = .init()
        },
      ],
      [{ $0.multiply = .init() }], [{ $0.scale = .init() }], [{ $0.reduce = .init() }],
      [{ $0.loadConstant = .init() }], [{ $0.slice = .init() }],
      [{ $0.convolution = try unknown(1, in: $0.convolution) }],
      changed(convolution) { $0.convolution.isDeconvolution = true },
      changed(convolution) { $0.convolution.kernelSize = [3, 3, 3] },
      changed(convolution) { $0.convolution.kernelSize = [3, 70_000] },
      changed(convolution) { $0.convolution.kernelChannels = 2 },
      changed(convolution) { $0.convolution.outputChannels = 0 },
      changed(convolution) { $0.convolution.nGroups = 70_000 },
      changed(convolution) { $0.convolution.valid.paddingAmounts.borderAmounts = [.init()] },
      changed(convolution) {
        $0.convolution.weights = try unknown(30, in: $0.convolution.weights)
      },
      changed(pooling) { $0.pooling.type = .average },
      changed(pooling) { $0.pooling.globalPooling = true },
      changed(normalization) { $0.batchnorm.computeMeanVar = true },
      [dense(0)], [{ $0.gru = .init() }],
    ]
    return try (whole + broken).map { try chain(picture, $0) } + [
      chain(vector, [dense(3), { $0.softmaxNd.axis = 1 }]),
      // A concatenation of one vector.
      chain(vector, [{ $0.concat = .init() }, dense(3), softmax]),
    ]
  }

  // MARK: Series

  private static let sigmoid = CoreML_Specification_ActivationParams.with { $0.sigmoid = .init() }
  private static let tanh = CoreML_Specification_ActivationParams.with { $0.tanh = .init() }

  private static let gates = CoreML_Specification_LSTMWeightParams.with {
    $0.inputGateWeightMatrix = weights(3)
    $0.forgetGateWeightMatrix = weights(3)
    $0.blockInputWeightMatrix = weights(3)
    $0.outputGateWeightMatrix = weights(3)
    $0.inputGateRecursionMatrix = weights(1)
    $0.forgetGateRecursionMatrix = weights(1)
    $0.blockInputRecursionMatrix = weights(1)
    $0.outputGateRecursionMatrix = weights(1)
  }

  /// An LSTM of one unit.
  private static let lstm: Fill = {
    $0.uniDirectionalLstm.outputVectorSize = 1
    $0.uniDirectionalLstm.activations = [sigmoid, tanh, tanh]
    $0.uniDirectionalLstm.params.sequenceOutput = true
    $0.uniDirectionalLstm.params.cellClipThreshold = 50_000
    $0.uniDirectionalLstm.weightParams = gates
  }
  private static let bidirectional: Fill = {
    $0.biDirectionalLstm.outputVectorSize = 1
    $0.biDirectionalLstm.activationsForwardLstm = [sigmoid, tanh, tanh]
    $0.biDirectionalLstm.activationsBackwardLstm = [sigmoid, tanh, tanh]
    $0.biDirectionalLstm.params.sequenceOutput = true
    $0.biDirectionalLstm.params.cellClipThreshold = 50_000
    $0.biDirectionalLstm.weightParams = [gates, gates]
  }
  /// A GRU of one unit.
  private static let gru: Fill = {
    $0.gru.outputVectorSize = 1
    $0.gru.activations = [sigmoid, tanh]
    $0.gru.sequenceOutput = true
    $0.gru.resetGateWeightMatrix = weights(3)
    $0.gru.updateGateWeightMatrix = weights(3)
    $0.gru.outputGateWeightMatrix = weights(3)
    $0.gru.resetGateRecursionMatrix = weights(1)
    $0.gru.updateGateRecursionMatrix = weights(1)
    $0.gru.outputGateRecursionMatrix = weights(1)
  }
  private static let reverse: Fill = { $0.reverse.reverseDim = CoreMLWriter.reversedSteps }

  private static func sequences() throws -> [Data] {
    func changed(_ fill: @escaping Fill, _ change: @escaping @Sendable (inout Layer) -> Void)
      -> [Fill]
    {
      [
        {
          try fill(&$0)
          change(&$0)
        }
      ]
    }
    func pooled(_ inputs: Int) -> [Fill] {
      [
        permute(CoreMLWriter.stepsAsColumns),
        { ($0.pooling.type, $0.pooling.globalPooling) = (.max, true) }, dense(inputs), softmax,
      ]
    }
    let steps = permute(CoreMLWriter.stepsAsColumns)
    let overSteps: Fill = {
      $0.convolution.outputChannels = 2
      $0.convolution.kernelChannels = 3
      $0.convolution.kernelSize = [1, 2]
      $0.convolution.weights = weights(12)
    }
    let chains: [[Fill]] = [
      [lstm] + pooled(1), [bidirectional] + pooled(2), [gru] + pooled(1),
      [reverse, gru, reverse] + pooled(1), [reverse, lstm, reverse] + pooled(1),
      [steps, overSteps, { $0.pooling.globalPooling = true }, dense(2), softmax],
      changed(lstm) { $0.uniDirectionalLstm.params.forgetBias = true } + pooled(1),
      [constant(0)] + changed(lstm) { $0.input = ["series", "0"] } + pooled(1),
      [constant(0)] + changed(gru) { $0.input = ["series", "0"] } + pooled(1),
      [constant(0), { $0.slice = .init() }] + changed(gru) { $0.input = ["series", "1"] }
        + pooled(1),
      [gru, { $0.concat = .init() }] + pooled(1),
      [gru, dense(1), { $0.softmaxNd.axis = 1 }],
      [lstm, flatten], [reverse, reverse, reverse, bidirectional],
      [reverse, dense(3)], [steps, gru], [gru, convolution],
      [reverse, flatten],
      [constant(1)] + changed(lstm) { $0.input = ["series", "0"] },
      changed(lstm) { $0.uniDirectionalLstm.reverseInput = true },
      changed(lstm) { $0.uniDirectionalLstm.activations = [] },
      changed(lstm) { $0.uniDirectionalLstm.activations = [sigmoid, .init(), tanh] },
      changed(lstm) { $0.uniDirectionalLstm.outputVectorSize = 0 },
      changed(lstm) { $0.uniDirectionalLstm.outputVectorSize = 5000 },
      changed(lstm) { $0.uniDirectionalLstm.params.sequenceOutput = false },
      changed(lstm) { $0.uniDirectionalLstm.params.hasPeepholeVectors_p = true },
      changed(lstm) { $0.uniDirectionalLstm.params.cellClipThreshold = 1 },
      changed(lstm) { $0.uniDirectionalLstm.params.hasBiasVectors_p = true },
      changed(bidirectional) { $0.biDirectionalLstm.weightParams.removeLast() },
      changed(gru) { $0.gru.reverseInput = true },
      changed(gru) { $0.gru.activations.swapAt(0, 1) },
      changed(gru) { $0.gru.sequenceOutput = false },
      changed(gru) { $0.gru.outputVectorSize = 5000 },
      changed(gru) { $0.gru.outputVectorSize = 2 },
      changed(gru) { $0.gru.hasBiasVectors_p = true },
      changed(gru) { $0.input.append("state") } + pooled(1),
    ]
    // One step, as Turi Create's activity classifiers have it.
    let step = Input.with {
      $0.name = "series"
      $0.type.multiArrayType.shape = [1, 1, 3]
    }
    let turned = permute([0, 3, 1, 2])
    return try chains.map { try chain(series, $0) } + [
      chain(step, [turned, dense(3), softmax]), chain(step, [turned, gru, flatten, dense(1)]),
      chain(step, [turned] + changed(lstm) { $0.uniDirectionalLstm.params.sequenceOutput = false }),
    ]
      + [[flatten], [permute([0, 1, 3, 2]), flatten], [permute([0, 2, 1, 3]), flatten]].map {
        fills in
        try chain(step, [turned] + fills + [dense(12), softmax]) {
          $0.description_p.input[0].type.multiArrayType.shape = [1, 4, 3]
        }
      }
  }

  /// A network with a GRU whose state has a bias, with attention and with layer normalisations, in
  /// which one layer is another.
  private static func changedRecurrent() throws -> [Data] {
    let changes: [(inout [Layer]) -> Void] = [
      { $0[1].gru.updateGateBiasVector.floatValue[5] = 1 },
      { $0[0].loadConstant.data.floatValue[0] = 1 },
      { $0[2].slice.endIndex = 4 },
      { $0[1].output.removeLast() },
      { $0[6].batchnorm.instanceNormalization = false },
      { $0[6].batchnorm.gamma.floatValue = [2] },
      { $0[8].scale.hasBias_p = false },
      { $0[8].scale.shapeScale = [1] },
      { $0[14].reduce.mode = .avg },
      { $0[9].innerProduct.hasBias_p = true },
      {
        // Another layer reads the scores, too.
        var other = $0[10]
        other.output = ["other"]
        $0.insert(other, at: 11)
      },
    ]
    let whole = try File(
      serializedBytes: ExchangeSeeds.file(ExchangeSeeds.recurrent(), as: .coreml, isOwn: false))
    return try changes.map { change in
      var file = whole
      change(&file.neuralNetworkClassifier.layers)
      return try file.serializedData()
    }
  }
}
