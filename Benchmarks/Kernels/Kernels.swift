import Benchmark
import CInkKernels

/// The kernels one by one, with the shapes of the networks `drawing` and `lenet`, one image each.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock], warmupIterations: 100, scalingFactor: .kilo,
    maxDuration: .milliseconds(500))

  let shapes: [(name: String, size: Int, channels: Int, kernel: Int, filters: Int)] = [
    ("drawing 1: 28 × 28, 1 → 16, 3 × 3", 28, 1, 3, 16),
    ("drawing 2: 14 × 14, 16 → 32, 3 × 3", 14, 16, 3, 32),
    ("drawing 3: 7 × 7, 32 → 64, 3 × 3", 7, 32, 3, 64),
    ("lenet 1: 28 × 28, 1 → 32, 5 × 5", 28, 1, 5, 32),
    ("lenet 2: 14 × 14, 32 → 64, 5 × 5", 14, 32, 5, 64),
  ]
  for shape in shapes {
    let planes = Planes(
      size: shape.size, channels: shape.channels, kernel: shape.kernel, filters: shape.filters)
    Benchmark("\(shape.name), forwards, direct") { benchmark in
      for _ in benchmark.scaledIterations { planes.convolve() }
    }
    if shape.channels > 1 {
      Benchmark("\(shape.name), forwards, Winograd") { benchmark in
        for _ in benchmark.scaledIterations { planes.convolveByWinograd() }
      }
    }
    Benchmark("\(shape.name), gradients") { benchmark in
      for _ in benchmark.scaledIterations { planes.computeGradients() }
    }
  }
  for (name, inputs, units) in [("drawing", 576, 128), ("lenet", 3136, 1024)] {
    for examples in [1, 12] {
      let dense = Dense(examples: examples, inputs: inputs, units: units)
      Benchmark("\(name) dense: \(inputs) → \(units), \(examples) together") { benchmark in
        for _ in benchmark.scaledIterations { dense.multiply() }
      }
    }
  }
  let adam = Adam(count: 1 << 16)
  Benchmark("Adam: 65,536 weights") { benchmark in
    for _ in benchmark.scaledIterations { adam.step() }
  }
}

/// Random numbers that live as long as the process.
private func numbers(_ count: Int) -> UnsafeMutablePointer<Float> {
  let pointer = UnsafeMutableRawPointer.allocate(byteCount: count * 4 + 64, alignment: 64)
    .bindMemory(to: Float.self, capacity: count)
  for index in 0..<count { pointer[index] = .random(in: -0.5...0.5) }
  return pointer
}

/// A convolution that pools, with its memory.
private struct Planes: @unchecked Sendable {
  var shape: ink_convolution
  let input, inputGradient, weight, transformed, bias, output: UnsafeMutablePointer<Float>
  let outputGradient, weightGradient, biasGradient, scratch: UnsafeMutablePointer<Float>
  let choices: UnsafeMutablePointer<UInt8>

  init(size: Int, channels: Int, kernel: Int, filters: Int) {
    shape = ink_convolution(
      rows: size, columns: size, channels: channels, kernel: kernel, filters: filters, pools: true,
      input_row: 0, output_row: size / 2 * filters)
    shape.input_row = ink_padded_columns(&shape) * channels
    let inputCount = ink_padded_rows(&shape) * shape.input_row
    let outputCount = size / 2 * shape.output_row
    input = numbers(inputCount)
    inputGradient = numbers(inputCount)
    weight = numbers(kernel * kernel * channels * filters)
    transformed = numbers(ink_winograd_points(kernel) * channels * filters)
    bias = numbers(filters)
    output = numbers(outputCount)
    outputGradient = numbers(outputCount)
    weightGradient = numbers(kernel * kernel * channels * filters)
    biasGradient = numbers(filters)
    scratch = numbers(max(ink_winograd_scratch(&shape), ink_pooled_gradients_scratch(&shape)))
    choices = .allocate(capacity: outputCount)
    convolve()
  }

  func convolve() {
    withUnsafePointer(to: shape) { ink_convolve($0, input, weight, bias, 0, output, choices) }
  }

  func convolveByWinograd() {
    withUnsafePointer(to: shape) {
      ink_convolve_winograd($0, input, transformed, bias, 0, output, choices, scratch)
    }
  }

  func computeGradients() {
    withUnsafePointer(to: shape) {
      ink_pooled_gradients(
        $0, input, weight, output, choices, outputGradient, weightGradient, biasGradient,
        inputGradient, scratch)
    }
  }
}

/// A dense layer with its memory.
private struct Dense: @unchecked Sendable {
  let examples, inputs, units: Int
  let input, weight, bias, output, scratch: UnsafeMutablePointer<Float>

  init(examples: Int, inputs: Int, units: Int) {
    (self.examples, self.inputs, self.units) = (examples, inputs, units)
    input = numbers(examples * inputs)
    weight = numbers(inputs * units)
    bias = numbers(units)
    output = numbers(examples * units)
    scratch = numbers(ink_dense_scratch(inputs))
  }

  func multiply() { ink_dense(examples, inputs, units, input, weight, bias, 0, output, scratch) }
}

/// An optimiser with its memory.
private struct Adam: @unchecked Sendable {
  let count: Int
  let weights, gradient, mean, square: UnsafeMutablePointer<Float>

  init(count: Int) {
    self.count = count
    weights = numbers(count)
    gradient = numbers(count)
    mean = numbers(count)
    square = numbers(count)
    for index in 0..<count { square[index] = abs(square[index]) }
  }

  func step() {
    var adam = ink_adam(
      beta1: 0.9, beta2: 0.999, epsilon: 1e-8, gradient_scale: 1, coupled_decay: 0, kept: 1,
      step_size: 1e-3, root_scale: 1)
    ink_adam_step(&adam, weights, gradient, mean, square, count)
  }
}
