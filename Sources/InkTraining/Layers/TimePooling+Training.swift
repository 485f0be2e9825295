import CInkKernels
import Foundation
import InkNetwork

extension TimePooling: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let kernel = TimePoolingKernel(
      method: method, channels: node.shape.channelCount,
      maximumSteps: plan.buffers[node.input].maximumRows)
    let step = plan.step(
      of: node.index, from: node.input, to: TrainingPlan.Buffer(row: node.outputShape.count))
    plan.append(slice: kernel, step)
    return step.output
  }
}

/// Pooling over time with its gradients, example by example.
///
/// Legend: T steps of an example, C channels, g the gradient of the output `[C]`. Attention, with
/// weights w `[C]` and a = softmax over t of w · x[t]:
///
///     max        ∂x[t, c] = g[c] where t is the first step with the largest value, else 0
///     mean       ∂x[t]    = g / T
///     attention  with s[t] = a[t] · (g · x[t] − Σ a · (g · x)):
///                ∂x[t] = a[t] · g + s[t] · w        ∂w = Σ_t s[t] · x[t]
struct TimePoolingKernel: SliceKernel {
  let method: TimePooling.Method
  let channels: Int
  let maximumSteps: Int

  var gradientCount: Int { method == .attention ? channels : 0 }
  /// The shares of an example's steps, and their products with the gradient.
  ///
  /// For the largest values, these and their steps.
  var scratchCount: Int { 2 * max(maximumSteps, channels) }

  func forward(_ slice: SliceValues) {
    let steps = slice.steps
    for example in steps.examples {
      let first = slice.input + steps.input[example] * channels
      TimePooling.pool(
        first, count: steps.input[example + 1] - steps.input[example], channels: channels,
        row: channels, method, weight: slice.parameters, shares: slice.scratch,
        into: slice.output + example * channels)
    }
  }

  func backward(_ slice: SliceValues, gradients: UnsafeMutablePointer<Float>) {
    let (steps, parameters, scratch) = (slice.steps, slice.parameters, slice.scratch)
    gradients.update(repeating: 0, count: gradientCount)
    for example in steps.examples {
      let count = steps.input[example + 1] - steps.input[example]
      let start = steps.input[example] * channels
      let values = slice.input + start
      let gradient = slice.outputGradient + example * channels
      let target = slice.inputGradient.map { $0 + start }
      switch method {
      case .max:
        guard let target else { continue }
        target.update(repeating: 0, count: count * channels)
        (scratch + channels).withMemoryRebound(to: Int32.self, capacity: channels) { places in
          ink_largest_rows(count, channels, channels, values, scratch, places)
          for channel in 0..<channels {
            target[Int(places[channel]) * channels + channel] = gradient[channel]
          }
        }
      case .mean:
        guard let target else { continue }
        target.update(repeating: 0, count: count * channels)
        for step in 0..<count {
          ink_add_scaled(target + step * channels, gradient, 1 / Float(count), channels)
        }
      case .attention:
        TimePooling.shares(
          values, count: count, channels: channels, row: channels, weight: parameters,
          into: scratch)
        let products = scratch + count
        var mean: Float = 0
        for step in 0..<count {
          products[step] = ink_dot(gradient, values + step * channels, channels)
          mean += scratch[step] * products[step]
        }
        for step in 0..<count {
          let value = values + step * channels
          let slope = scratch[step] * (products[step] - mean)
          ink_add_scaled(gradients, value, slope, channels)
          guard let target else { continue }
          let place = target + step * channels
          place.update(repeating: 0, count: channels)
          ink_add_scaled(place, gradient, scratch[step], channels)
          ink_add_scaled(place, parameters, slope, channels)
        }
      }
    }
  }
}
