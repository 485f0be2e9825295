/// The network in plain loops over indices: slow, easy to read, and what the fast kernels of
/// inference and training are compared with.
struct PlainNetwork {
  let architecture: Architecture
  let weights: [String: Tensor]

  /// The logits of one example, `[channels, height, width]` → `[classes]`.
  func logits(_ input: [Float]) -> [Float] {
    var values = input
    for index in architecture.layers.indices {
      values = apply(index, to: values)
    }
    return values
  }

  private func apply(_ index: Int, to input: [Float]) -> [Float] {
    let inputShape = architecture.shapes[index]
    let outputShape = architecture.shapes[index + 1]
    func stored(_ role: Parameter.Role) -> [Float] { weights["\(index).\(role.rawValue)"]!.values }
    var output = [Float](repeating: 0, count: outputShape.count)

    switch architecture.layers[index] {
    case .convolution(_, let kernel, let padding):
      guard case .planes(let channels, let height, let width) = inputShape,
        case .planes(let filters, let outputHeight, let outputWidth) = outputShape
      else { preconditionFailure("a convolution works on planes") }
      let pad = padding == .same ? kernel / 2 : 0
      let (weight, bias) = (stored(.weight), stored(.bias))
      for f in 0..<filters {
        for y in 0..<outputHeight {
          for x in 0..<outputWidth {
            var sum = bias[f]
            for c in 0..<channels {
              for i in 0..<kernel {
                for j in 0..<kernel {
                  let (row, column) = (y + i - pad, x + j - pad)
                  guard (0..<height).contains(row), (0..<width).contains(column) else { continue }
                  sum +=
                    weight[((f * channels + c) * kernel + i) * kernel + j]
                    * input[(c * height + row) * width + column]
                }
              }
            }
            output[(f * outputHeight + y) * outputWidth + x] = sum
          }
        }
      }
    case .batchNormalization:
      let length = inputShape.count / inputShape.channelCount
      let (weight, bias) = (stored(.weight), stored(.bias))
      let (mean, variance) = (stored(.runningMean), stored(.runningVariance))
      for i in input.indices {
        let c = i / length
        let deviation = (variance[c] + batchNormalizationEpsilon).squareRoot()
        output[i] = (input[i] - mean[c]) / deviation * weight[c] + bias[c]
      }
    case .relu: output = input.map { max(0, $0) }
    case .maxPooling(let size):
      guard case .planes(_, let height, let width) = inputShape,
        case .planes(let channels, let outputHeight, let outputWidth) = outputShape
      else { preconditionFailure("pooling works on planes") }
      for c in 0..<channels {
        for y in 0..<outputHeight {
          for x in 0..<outputWidth {
            var largest = -Float.infinity
            for i in 0..<size {
              for j in 0..<size {
                largest = max(largest, input[(c * height + y * size + i) * width + x * size + j])
              }
            }
            output[(c * outputHeight + y) * outputWidth + x] = largest
          }
        }
      }
    case .flatten, .dropout: output = input
    case .dense(let units):
      let (weight, bias) = (stored(.weight), stored(.bias))
      for u in 0..<units {
        output[u] = bias[u]
        for i in input.indices { output[u] += weight[u * input.count + i] * input[i] }
      }
    }
    return output
  }
}
