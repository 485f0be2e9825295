import CInkKernels
import InkNetwork

extension MaxPooling: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let step = plan.step(
      of: node.index, from: node.input,
      to: plan.planes(node.outputShape, plan.columns(of: node.input, dividedBy: size)))
    plan.append(PoolingKernel(self, of: node.shape, maximumExamples: plan.maximumExamples), step)
    return step.output
  }
}

/// Max-pooling with its gradient, for one example at a time.
///
/// Shapes: input `[channels, height, width]`, output `[channels, height / size, width / size]`.
/// The output is the largest value of each square, or the first of several equal ones. `choices` is its
/// index in the plane. It receives the gradient; the gradient of all other values is 0.
struct PoolingKernel: ExampleKernel {
  let channels: Int
  let height: Int
  let width: Int
  let size: Int
  /// The values that were chosen, of all examples.
  private let choices: ChoiceBuffer<Int32>
  private let choiceCount: Int

  init(_ layer: MaxPooling, of shape: Shape, maximumExamples: Int) {
    guard case .planes(let channels, let height, let width) = shape else {
      preconditionFailure("a pooling reads planes")
    }
    (self.channels, self.height, self.width, size) = (channels, height, width, layer.size)
    choiceCount = channels * (height / size) * (width / size)
    choices = ChoiceBuffer(count: choiceCount * maximumExamples)
  }

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    let width = example.width ?? width
    let outputs = (height / size) * (width / size)
    let choices = choices.pointer + example.index * choiceCount
    for channel in 0..<channels {
      let plane = example.input + channel * height * width
      let target = channel * outputs
      if size == 2 {
        ink_max_pool_2x2(plane, height, width, example.output + target, choices + target)
      } else {
        pool(plane, width: width, output: example.output + target, choices: choices + target)
      }
    }
  }

  /// Pools a plane with squares of any size.
  private func pool(
    _ plane: UnsafePointer<Float>, width: Int, output: UnsafeMutablePointer<Float>,
    choices: UnsafeMutablePointer<Int32>
  ) {
    for y in 0..<height / size {
      for x in 0..<width / size {
        var place = y * size * width + x * size
        for i in 0..<size {
          for j in 0..<size {
            let candidate = (y * size + i) * width + x * size + j
            if plane[candidate] > plane[place] { place = candidate }
          }
        }
        output[y * (width / size) + x] = plane[place]
        choices[y * (width / size) + x] = Int32(truncatingIfNeeded: place)
      }
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard let inputGradient = example.inputGradient else { return }
    let width = example.width ?? width
    let outputs = (height / size) * (width / size)
    let choices = choices.pointer + example.index * choiceCount
    inputGradient.update(repeating: 0, count: channels * height * width)
    for channel in 0..<channels {
      let plane = inputGradient + channel * height * width
      for index in channel * outputs..<(channel + 1) * outputs {
        plane[Int(choices[index])] = example.outputGradient[index]
      }
    }
  }
}
