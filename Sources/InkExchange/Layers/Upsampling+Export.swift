import InkNetwork

extension Upsampling: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    preconditionFailure("refused before")
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    preconditionFailure("refused before")
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    preconditionFailure("refused before")
  }
}
