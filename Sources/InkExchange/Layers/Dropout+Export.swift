import InkNetwork
import InkRecognizer

extension Dropout: ExportableLayer {
  var isElementwise: Bool { true }
  func isIdentity(on shape: Shape) -> Bool { true }

  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String { node.read[0] }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String { node.read[0] }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? { nil }

  /// Adds nothing.
  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {}
}
