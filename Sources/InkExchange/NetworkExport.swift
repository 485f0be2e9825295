import Foundation
import InkNetwork
import InkRecognizer

/// The content of an exported model file.
struct NetworkExport {
  let network: TrainedNetwork
  /// The class labels, in order.
  let labels: [String]
  /// The divisor of the logits before the softmax.
  let temperature: Double
  /// The factors for grey values of 0 to 255, of each input; those of other inputs are not used.
  let imageScales: [Float]
  /// One sentence that describes the network.
  let summary: String
  /// Texts for people: `author`, `license`, `version` and more.
  let provenance: [String: String]
  /// The metadata stored beside the network.
  let metadata: [String: String]
  /// Whether the states of recurrent layers are inputs and outputs of the file.
  var hasState: Bool

  var architecture: Architecture { network.architecture }

  /// Whether the width of a picture varies.
  var hasVariableWidth: Bool {
    architecture.inputs.contains {
      if case .image(_, _, .variable) = $0.form { true } else { false }
    }
  }

  init(
    network: TrainedNetwork, labels: [String], temperature: Double = 1, imageScales: [Float]? = nil,
    summary: String = "", provenance: [String: String] = [:], metadata: [String: String] = [:],
    hasState: Bool = false
  ) {
    self.network = network
    self.labels = labels
    self.temperature = temperature
    self.imageScales =
      imageScales ?? [Float](repeating: 1 / 255, count: network.architecture.inputs.count)
    self.summary = summary
    self.provenance = provenance
    self.metadata = metadata
    self.hasState = hasState
  }

  /// Returns the error for node `index`, which `format` cannot represent.
  func refuse(_ index: Int, to format: String, _ expected: String, _ found: String) -> ModelError {
    ModelError(
      path: format, field: "layer \(index + 1) (\(architecture.layers[index].kind))",
      expected: expected, found: found)
  }

  /// The bytes of a file.
  ///
  /// - Throws: `ModelError` naming the layer that `form` does not have.
  func encoded(as form: ExportForm, name: String) throws -> Data {
    try checkState()
    switch form {
    case .coreml: return try CoreMLWriter(self).data()
    case .onnx: return try ONNXWriter(self).data()
    case .safetensors:
      return try Safetensors(metadata: metadata, tensors: network.weights).encoded()
    case .swift:
      guard !hasState else {
        throw ModelError(
          path: "swift", field: "state", expected: "Core ML or ONNX, whose files can have states",
          found: "Swift")
      }
      try checkPaddingOfPages()
      return Data(SwiftWriter(self, name: name).text.utf8)
    }
  }

  /// Whether pictures of any size go in.
  var readsPages: Bool {
    architecture.inputs.contains { if case .page = $0.form { true } else { false } }
  }

  /// The number of fields, if there is a distribution for each cell.
  var cellFields: Int? {
    if case .distributionPerCell(let fields) = architecture.output { fields } else { nil }
  }

  /// Checks that the sizes of planes are shares of that of a page, which Swift files count with.
  private func checkPaddingOfPages() throws(ModelError) {
    guard readsPages else { return }
    for (index, layer) in architecture.layers.enumerated() {
      if case .convolution(let convolution) = layer, 2 * convolution.pad != convolution.kernel - 1 {
        throw refuse(
          index, to: "swift", "`same` padding, with which planes are shares of a page",
          "`\(convolution.padding.rawValue)`")
      }
    }
  }

  /// Checks that the states of all recurrent layers can be continued, if they are asked for.
  func checkState() throws(ModelError) {
    guard hasState else { return }
    var count = 0
    for (index, layer) in architecture.layers.enumerated() {
      guard let direction = layer.recurrent?.direction else { continue }
      count += 1
      guard direction == .forward else {
        throw refuse(
          index, to: "state",
          "a layer that reads forwards, because only its state can be continued", direction.rawValue
        )
      }
    }
    guard count > 0 else {
      throw ModelError(
        path: "state", field: "network", expected: "a GRU or an LSTM, which have states",
        found: "none")
    }
  }
}

extension NetworkInput.Extent {
  /// The length for people: `9`, or `6 to 20`.
  var text: String {
    bounds.count == 1 ? "\(bounds.lowerBound)" : "\(bounds.lowerBound) to \(bounds.upperBound)"
  }
}

extension Data {
  /// Creates the bytes of `values`, little-endian.
  init(littleEndian values: [Float]) {
    self = values.map(\.bitPattern.littleEndian).withUnsafeBytes { Data($0) }
  }
}

/// Names that do not repeat.
struct UniqueNames {
  private var taken: Set<String> = []

  /// Returns `name`, or a longer one if there is this name already.
  mutating func name(_ name: String) -> String {
    var name = name
    while !taken.insert(name).inserted { name += "_" }
    return name
  }
}

/// The values of gates, `[gates, …]`, in another order.
func reordered(_ values: [Float], gates order: [Int]) -> [Float] {
  let length = values.count / order.count
  return order.flatMap { values[$0 * length..<($0 + 1) * length] }
}
