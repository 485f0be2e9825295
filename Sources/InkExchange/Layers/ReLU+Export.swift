import InkNetwork

extension ReLU: ExportableLayer {
  var isElementwise: Bool { true }

  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    file.append(node.name, node.read) { $0.activation.reLu = .init() }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    file.append("Relu", node.name, node.read)
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    "\(node.read[0]).map { max(0, $0) }"
  }
}
