import CInkKernels
import Foundation

extension TimePooling: InferableLayer {
  func addSteps(of index: Int, to plan: inout InferencePlan) -> Int {
    let input = plan.input(of: index)
    let weight = FloatBuffer(count: plan.layouts[input].packedChannels)
    if method == .attention {
      let stored = plan.network.values(index, .weight)
      weight.pointer.update(from: stored, count: stored.count)
    }
    let output = plan.addLayout(
      of: .node(index), packedChannels: plan.layouts[input].packedChannels)
    plan.append(Inference(method: method, weight: weight), from: input, to: output)
    return output
  }

  private struct Inference: ExampleOperation {
    let method: Method
    let weight: FloatBuffer

    func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
      TimePooling.pool(
        input.memory, count: input.steps, channels: input.layout.packedChannels,
        row: input.layout.packedChannels, method, weight: weight.pointer, shares: scratch,
        into: output.memory)
    }
  }

  /// Pools `count` steps that begin `row` values after each other into `[channels]`.
  ///
  /// `shares` is memory for one value a step, and `weight` is read for attention only.
  package static func pool(
    _ input: UnsafePointer<Float>, count: Int, channels: Int, row: Int, _ method: Method,
    weight: UnsafePointer<Float>, shares: UnsafeMutablePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    switch method {
    case .max:
      output.update(from: input, count: channels)
      for step in 1..<max(1, count) { ink_take_larger(output, input + step * row, channels) }
    case .mean, .attention:
      if method == .attention {
        Self.shares(
          input, count: count, channels: channels, row: row, weight: weight, into: shares)
      } else {
        shares.update(repeating: 1 / Float(count), count: count)
      }
      output.update(repeating: 0, count: channels)
      for step in 0..<count { ink_add_scaled(output, input + step * row, shares[step], channels) }
    }
  }

  /// What attention gives each step: a softmax of the products with `weight`.
  package static func shares(
    _ input: UnsafePointer<Float>, count: Int, channels: Int, row: Int,
    weight: UnsafePointer<Float>, into shares: UnsafeMutablePointer<Float>
  ) {
    var highest = -Float.infinity
    for step in 0..<count {
      shares[step] = ink_dot(input + step * row, weight, channels)
      highest = max(highest, shares[step])
    }
    var sum: Float = 0
    for step in 0..<count {
      shares[step] = exp(shares[step] - highest)
      sum += shares[step]
    }
    for step in 0..<count { shares[step] /= sum }
  }
}
