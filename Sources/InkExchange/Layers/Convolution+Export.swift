import InkNetwork
import InkRecognizer

extension Convolution: ExportableLayer {
  var isProduct: Bool { true }

  /// Padding does not matter for a kernel of 1.
  func isEquivalent(to other: any ExportableLayer) -> Bool {
    guard let other = other as? Convolution else { return false }
    return kernel == 1 ? other.kernel == 1 && filters == other.filters : self == other
  }

  func add(_ node: ExportedNode, to file: inout CoreMLWriter) -> String {
    file.append(node.name, node.read) {
      $0.convolution.outputChannels = UInt64(filters)
      $0.convolution.kernelChannels = UInt64(node.channels)
      $0.convolution.nGroups = 1
      $0.convolution.kernelSize = [UInt64(kernel), UInt64(kernel)]
      $0.convolution.stride = [UInt64(stride), UInt64(stride)]
      $0.convolution.dilationFactor = [1, 1]
      switch padding {
      case .same where stride > 1:
        // Core ML's own way has other edges.
        let edge = CoreML_Specification_BorderAmounts.EdgeSizes.with {
          ($0.startEdgeSize, $0.endEdgeSize) = (UInt64(pad), UInt64(pad))
        }
        $0.convolution.valid.paddingAmounts.borderAmounts = [edge, edge]
      case .same: $0.convolution.same = .init()
      case .valid: $0.convolution.valid = .init()
      }
      $0.convolution.hasBias_p = true
      $0.convolution.weights = node.weights(.weight)
      $0.convolution.bias = node.weights(.bias)
    }
  }

  func add(_ node: ExportedNode, to file: inout ONNXWriter) -> String {
    file.append(
      "Conv", node.name, [node.read[0]] + file.stored(node.index),
      [
        .integers("kernel_shape", [kernel, kernel]),
        .integers("pads", [Int](repeating: pad, count: 4)),
      ] + (stride == 1 ? [] : [.integers("strides", [stride, stride])]))
  }

  func expression(_ node: ExportedNode, in file: inout SwiftWriter) -> String? {
    let (weight, bias) = (file.place(node.values(.weight)), file.place(node.values(.bias)))
    let step = stride == 1 ? "" : ", step: \(stride)"
    return file.call(
      stride == 1 ? .convolution : .stridedConvolution,
      "\(node.read[0]), \(file.planes(node)), filters: \(filters), kernel: \(kernel),\n      "
        + "edge: \(pad)\(step), weight: \(weight), bias: \(bias)")
  }

  func add(_ arrays: LayerArrays, to graph: inout LayerGraph) throws(ModelError) {
    var window = LayerGraph.Window(kernel: [kernel, kernel])
    if padding == .same { window.edges = nil }
    try graph.addConvolution(
      filters: filters, window, weight: arrays.weight, bias: arrays.bias, at: arrays.place)
  }
}

extension SwiftFunction {
  static let stridedConvolution = SwiftFunction(
    "stridedConvolution",
    """

      /// out[f, y, x] = bias[f] + Σ weight[f, c, i, j] · in[c, step · y + i − edge, step · x + j − edge]
      private static func stridedConvolution(
        _ input: [Float], channels: Int, height: Int, width: Int, filters: Int, kernel: Int, edge: Int,
        step: Int, weight: Int, bias: Int
      ) -> [Float] {
        let rows = (height + 2 * edge - kernel) / step + 1
        let columns = (width + 2 * edge - kernel) / step + 1
        var output = [Float](repeating: 0, count: filters * rows * columns)
        for filter in 0..<filters {
          for row in 0..<rows {
            for column in 0..<columns {
              var sum = weights[bias + filter]
              for channel in 0..<channels {
                for i in 0..<kernel {
                  let y = step * row + i - edge
                  guard y >= 0, y < height else { continue }
                  for j in 0..<kernel {
                    let x = step * column + j - edge
                    guard x >= 0, x < width else { continue }
                    sum +=
                      weights[weight + ((filter * channels + channel) * kernel + i) * kernel + j]
                      * input[(channel * height + y) * width + x]
                  }
                }
              }
              output[(filter * rows + row) * columns + column] = sum
            }
          }
        }
        return output
      }

    """)

  static let convolution = SwiftFunction(
    "convolution",
    """

      /// out[f, y, x] = bias[f] + Σ weight[f, c, i, j] · in[c, y + i − edge, x + j − edge]
      private static func convolution(
        _ input: [Float], channels: Int, height: Int, width: Int, filters: Int, kernel: Int, edge: Int,
        weight: Int, bias: Int
      ) -> [Float] {
        let rows = height + 2 * edge - kernel + 1
        let columns = width + 2 * edge - kernel + 1
        var output = [Float](repeating: 0, count: filters * rows * columns)
        for filter in 0..<filters {
          let start = filter * rows * columns
          for index in start..<start + rows * columns { output[index] = weights[bias + filter] }
          for channel in 0..<channels {
            for i in 0..<kernel {
              for j in 0..<kernel {
                let factor = weights[weight + ((filter * channels + channel) * kernel + i) * kernel + j]
                let first = max(0, edge - j)
                let last = min(columns, width + edge - j)
                for row in max(0, edge - i)..<min(rows, height + edge - i) {
                  let from = (channel * height + row + i - edge) * width + j - edge
                  let to = start + row * columns
                  for column in first..<last { output[to + column] += factor * input[from + column] }
                }
              }
            }
          }
        }
        return output
      }

    """)
}
