import InkNetwork

extension MaxPooling: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    file.append(node.name, node.read) {
      $0.pooling.type = .max
      $0.pooling.kernelSize = [UInt64(size), UInt64(size)]
      $0.pooling.stride = [UInt64(size), UInt64(size)]
      $0.pooling.valid = .init()
    }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    file.append(
      "MaxPool", node.name, node.read,
      [.integers("kernel_shape", [size, size]), .integers("strides", [size, size])])
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    file.call(.maxPooling, "\(node.read[0]), \(file.planes(node)), size: \(size)")
  }
}

extension SwiftFunction {
  static let maxPooling = SwiftFunction(
    "maxPooling",
    """

      /// The largest value of each square; incomplete squares are left out.
      private static func maxPooling(
        _ input: [Float], channels: Int, height: Int, width: Int, size: Int
      ) -> [Float] {
        var output: [Float] = []
        for channel in 0..<channels {
          for row in 0..<height / size {
            for column in 0..<width / size {
              var highest = -Float.infinity
              for i in 0..<size {
                let from = (channel * height + row * size + i) * width + column * size
                for j in 0..<size { highest = max(highest, input[from + j]) }
              }
              output.append(highest)
            }
          }
        }
        return output
      }

    """)
}
