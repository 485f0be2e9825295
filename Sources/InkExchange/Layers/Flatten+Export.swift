import InkNetwork
import InkRecognizer

extension Flatten: ExportableLayer {
  func isIdentity(on shape: Shape) -> Bool { if case .vector = shape { true } else { false } }

  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    var value = node.read[0]
    if node.isSeries {
      value = file.permute(value, CoreMLWriter.stepsAsChannels, "\(node.name).steps")
    }
    return file.append(node.name, [value]) { $0.flatten.mode = .channelFirst }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    file.append("Flatten", node.name, node.read, [.integer("axis", 1)])
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? { nil }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    try graph.addFlatten(exchanged: arrays.layout == .channelsLast, at: arrays.place)
  }
}
