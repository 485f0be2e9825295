import InkNetwork

extension Concatenation: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    file.joined(node.read, node.name)
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    if case .planes = node.outputShape { return file.joined(node.read, node.name, axis: 1) }
    return file.joined(node.read, node.name)
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    guard node.isSeries else { return node.read.joined(separator: " + ") }
    return file.concatenation(zip(node.read, node.shapes.map(\.channelCount)).map { ($0, $1) })
  }
}

extension SwiftFunction {
  static let concatenation = SwiftFunction(
    "concatenation",
    """

      /// Several series as one, step by step.
      private static func concatenation(_ parts: [(values: [Float], channels: Int)]) -> [Float] {
        (0..<parts[0].values.count / parts[0].channels).flatMap { step in
          parts.flatMap { $0.values[step * $0.channels..<(step + 1) * $0.channels] }
        }
      }

    """)
}
