import InkNetwork

extension Columns: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    let steps = file.permute(node.read[0], CoreMLWriter.stepsAsColumns, "\(node.name).steps")
    return file.append(node.name, [steps]) { $0.flatten.mode = .channelFirst }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    let turned = file.transpose(node.read[0], [0, 3, 1, 2], "\(node.name).turned")
    let shape = file.integers("\(node.name).shape", [0, 0, node.outputShape.channelCount])
    return file.append("Reshape", node.name, [turned, shape])
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    file.call(.columns, "\(node.read[0]), rows: \(node.outputShape.channelCount)")
  }
}

extension SwiftFunction {
  static let columns = SwiftFunction(
    "columns",
    """

      /// The columns of planes as steps: out[x, y] = in[y, x]
      private static func columns(_ input: [Float], rows: Int) -> [Float] {
        let width = input.count / rows
        return (0..<width).flatMap { x in (0..<rows).map { input[$0 * width + x] } }
      }

    """)
}
