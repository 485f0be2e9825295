import Foundation

/// Turns logits into probabilities: `pᵢ = exp(zᵢ / T) / Σⱼ exp(zⱼ / T)`, without overflow.
///
/// Shapes: `[classes]` → `[classes]`. T is the temperature of Guo et al. (2017).
public func softmax(_ logits: [Float], temperature: Double = 1) -> [Double] {
  let highest = logits.max() ?? 0
  let powers = logits.map { exp(Double($0 - highest) / temperature) }
  let sum = powers.reduce(0, +)
  return powers.map { $0 / sum }
}
