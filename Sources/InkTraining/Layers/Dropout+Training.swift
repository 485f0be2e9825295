import InkNetwork

extension Dropout: TrainableLayer {
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let kernel = DropoutKernel(
      rate: Float(rate), node: node.index,
      mask: FloatBuffer(count: plan.buffers[node.input].count * plan.maximumExamples))
    plan.append(kernel, plan.step(of: node.index, from: node.input))
    return node.input
  }
}

/// Dropout in its place: y = x · m and ∂x = ∂y · m, with the mask m of 0 and 1 / (1 − rate).
struct DropoutKernel: ExampleKernel {
  let rate: Float
  let node: Int
  let mask: FloatBuffer

  func forward(_ example: ExampleValues, _ randomness: Randomness?) {
    guard let randomness, rate > 0 else { return }
    var generator = randomness.generator(node: node, example: example.index)
    let factors = mask.pointer + example.inputStart
    let kept = 1 / (1 - rate)
    // Numbers first, and then vectors of them: a branch each would be guessed wrong too often.
    for index in 0..<example.count { factors[index] = Float(generator.uniform()) }
    for index in 0..<example.count {
      factors[index] = factors[index] < rate ? 0 : kept
      example.output[index] *= factors[index]
    }
  }

  func backward(_ example: ExampleValues, gradients: UnsafeMutablePointer<Float>) {
    guard rate > 0 else { return }
    let factors = mask.pointer + example.inputStart
    for index in 0..<example.count { example.outputGradient[index] *= factors[index] }
  }
}
