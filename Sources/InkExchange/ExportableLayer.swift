import InkNetwork
import InkRecognizer

/// A layer as other tools have it.
protocol ExportableLayer: Hashable, Sendable {
  /// Adds the layer to a Core ML network; returns the name of its value.
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String

  /// Adds the layer to an ONNX graph; returns the name of its value.
  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String

  /// Returns the Swift expression for the value, or `nil` if the layer changes nothing.
  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String?

  /// Adds the layer with its arrays from an archive to an imported network.
  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError)

  /// Whether it has weights `[outputs, …]` and a bias `[outputs]`.
  var isProduct: Bool { get }
  /// Whether it works value by value.
  var isElementwise: Bool { get }
  /// Whether it changes nothing of values of `shape` except, perhaps, the shape.
  func isIdentity(on shape: Shape) -> Bool
  /// Whether it computes the same as `other`.
  func isEquivalent(to other: any ExportableLayer) -> Bool
}

extension ExportableLayer {
  /// Adds a layer without arrays.
  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    try graph.add(arrays.layer, at: arrays.place)
  }

  var isProduct: Bool { false }
  var isElementwise: Bool { false }
  func isIdentity(on shape: Shape) -> Bool { false }
  func isEquivalent(to other: any ExportableLayer) -> Bool { other as? Self == self }
}

extension Layer {
  /// The layer as other tools have it.
  var export: any ExportableLayer {
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

/// A node of a network that is written to a file.
struct ExportedNode {
  let index: Int
  /// The name that its value gets.
  let name: String
  /// The names of the values that it reads, and their shapes.
  let read: [String]
  let shapes: [Shape]
  let outputShape: Shape
  let network: TrainedNetwork

  /// Creates node `index` of `network`, which reads some of `values`.
  init(
    _ index: Int, of network: TrainedNetwork, named name: String,
    reading values: [Architecture.Source: String]
  ) {
    let architecture = network.architecture
    self.index = index
    self.name = name
    self.network = network
    read = architecture.sources[index].map { values[$0]! }
    shapes = architecture.sourceShapes(of: index)
    outputShape = architecture.outputShapes[index]
  }

  /// The number of channels of the first value that it reads.
  var channels: Int { shapes[0].channelCount }
  /// Whether the first value that it reads is a series.
  var isSeries: Bool { if case .series = shapes[0] { true } else { false } }

  /// The values of a stored array.
  func values(_ role: Parameter.Role) -> [Float] { network.values(index, role) }

  /// The values of a stored array in Core ML's form.
  func weights(_ role: Parameter.Role) -> CoreML_Specification_WeightParams {
    .with { $0.floatValue = values(role) }
  }
}
