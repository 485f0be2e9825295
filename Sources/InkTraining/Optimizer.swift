import CInkKernels
import Foundation
import InkNetwork
import ParallelLoops

/// The optimiser, which updates the weights from their gradients.
public struct Optimizer: Hashable, Sendable, Codable {
  /// An update rule.
  public enum Method: String, Hashable, Sendable, Codable, CaseIterable {
    /// Stochastic gradient descent with momentum (Sutskever et al., 2013).
    case sgd
    /// Adaptive moments (Kingma & Ba, 2015); weight decay is part of the gradient.
    case adam
    /// Adaptive moments with decoupled weight decay (Loshchilov & Hutter, 2019).
    case adamW = "adamw"
  }

  /// The update rule.
  public var method: Method
  /// SGD: the share of the last step that is kept.
  public var momentum: Double
  /// SGD: whether to use Nesterov momentum (1983).
  public var isNesterov: Bool
  /// The weight decay.
  public var weightDecay: Double
  /// Adam: the share of the mean of gradients that is kept.
  public var beta1 = 0.9
  /// Adam: the share of the mean of squared gradients that is kept.
  public var beta2 = 0.999
  /// Adam: the summand to the root of the mean of squares.
  public var epsilon = 1e-8

  /// Creates an optimiser.
  public init(
    _ method: Method, momentum: Double = 0.9, isNesterov: Bool = false, weightDecay: Double = 0
  ) {
    self.method = method
    self.momentum = momentum
    self.isNesterov = isNesterov
    self.weightDecay = weightDecay
  }
}

/// An optimiser with its averages of past gradients.
final class OptimizerState: Sendable {
  let optimizer: Optimizer
  /// SGD's velocity, or Adam's mean of gradients.
  let first: FloatBuffer
  /// Adam's mean of squared gradients.
  let second: FloatBuffer
  private let loop: ParallelLoop

  private static let blockSize = 16384

  init(_ optimizer: Optimizer, count: Int, workers: Int) {
    self.optimizer = optimizer
    first = FloatBuffer(count: count)
    second = FloatBuffer(count: optimizer.method == .sgd ? 0 : count)
    loop = ParallelLoop(workers: workers)
  }

  /// Updates `weights` in step number `step`, which starts at 1.
  ///
  /// A gradient whose norm exceeds `maxGradientNorm` is scaled down first.
  func update(
    _ weights: FloatBuffer, gradient: FloatBuffer, step: Int, learningRate: Double,
    maxGradientNorm: Double?
  ) {
    let blocks = stride(from: 0, to: weights.count, by: Self.blockSize).map {
      $0..<min($0 + Self.blockSize, weights.count)
    }
    var scale: Float = 1
    if let maxGradientNorm {
      let squares = blocks.map { block in
        block.reduce(0.0) { $0 + Double(gradient.pointer[$1]) * Double(gradient.pointer[$1]) }
      }
      let length = squares.reduce(0, +).squareRoot()
      if length > maxGradientNorm { scale = Float(maxGradientNorm / (length + 1e-6)) }
    }
    let finalScale = scale
    loop.run(blocks.count) { task, _ in
      switch optimizer.method {
      case .sgd:
        moveBySGD(
          weights.pointer, gradient.pointer, blocks[task], rate: Float(learningRate),
          scale: finalScale, isFirst: step == 1)
      case .adam, .adamW:
        moveByAdam(
          weights.pointer, gradient.pointer, blocks[task], rate: learningRate, scale: finalScale,
          step: step)
      }
    }
  }

  /// Updates weights by SGD: v ← μ·v + g; w ← w − η·v, or w − η·(g + μ·v) with Nesterov momentum.
  ///
  /// In the first step, v = g.
  private func moveBySGD(
    _ weights: UnsafeMutablePointer<Float>, _ gradient: UnsafePointer<Float>, _ range: Range<Int>,
    rate: Float, scale: Float, isFirst: Bool
  ) {
    let momentum = Float(optimizer.momentum)
    let decay = Float(optimizer.weightDecay)
    let velocity = first.pointer
    for index in range {
      let slope = gradient[index] * scale + decay * weights[index]
      let speed = isFirst ? slope : momentum * velocity[index] + slope
      velocity[index] = speed
      weights[index] -= rate * (optimizer.isNesterov ? slope + momentum * speed : speed)
    }
  }

  /// Updates weights by Adam: m ← β₁·m + (1 − β₁)·g; v ← β₂·v + (1 − β₂)·g²;
  /// w ← w − η · m/(1 − β₁ᵗ) / (√(v/(1 − β₂ᵗ)) + ε), after w ← w − η·λ·w in AdamW.
  private func moveByAdam(
    _ weights: UnsafeMutablePointer<Float>, _ gradient: UnsafePointer<Float>, _ range: Range<Int>,
    rate: Double, scale: Float, step: Int
  ) {
    var adam = ink_adam(
      beta1: Float(optimizer.beta1), beta2: Float(optimizer.beta2),
      epsilon: Float(optimizer.epsilon), gradient_scale: scale,
      coupled_decay: optimizer.method == .adam ? Float(optimizer.weightDecay) : 0,
      kept: optimizer.method == .adamW ? Float(1 - rate * optimizer.weightDecay) : 1,
      step_size: Float(rate / (1 - pow(optimizer.beta1, Double(step)))),
      root_scale: Float(1 / (1 - pow(optimizer.beta2, Double(step))).squareRoot()))
    let start = range.lowerBound
    ink_adam_step(
      &adam, weights + start, gradient + start, first.pointer + start, second.pointer + start,
      range.count)
  }
}
