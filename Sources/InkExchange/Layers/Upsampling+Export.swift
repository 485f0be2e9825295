import InkNetwork

extension Upsampling: ExportableLayer {
  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    file.append(node.name, node.read) {
      $0.upsample.scalingFactor = [UInt64(Self.factor), UInt64(Self.factor)]
      $0.upsample.mode = .nn
    }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    let factor = Float(Self.factor)
    let scales = file.constant("\(node.name).scales", [4], [1, 1, factor, factor])
    return file.append(
      "Resize", node.name, [node.read[0], "", scales],
      [
        .text("mode", "nearest"), .text("coordinate_transformation_mode", "asymmetric"),
        .text("nearest_mode", "floor"),
      ])
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    file.call(.upsampling, "\(node.read[0]), \(file.planes(node))")
  }
}

extension SwiftFunction {
  static let upsampling = SwiftFunction(
    "upsampling",
    """

      /// Planes twice as high and wide: out[c, y, x] = in[c, y / 2, x / 2]
      private static func upsampling(
        _ input: [Float], channels: Int, height: Int, width: Int
      ) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(4 * input.count)
        for row in 0..<channels * height {
          for _ in 0..<2 {
            for column in 0..<2 * width { output.append(input[row * width + column / 2]) }
          }
        }
        return output
      }

    """)
}
