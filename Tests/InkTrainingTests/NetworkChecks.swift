import InkNetwork
import SeededRandom
import Testing

@testable import InkTraining

/// A tensor in a file of references.
struct StoredTensor: Decodable {
  var shape: [Int]
  var values: [Float]
  var tensor: Tensor { Tensor(shape: shape, values: values) }
}

/// Compares `count` values of the gradient with (L(w + h) − L(w − h)) / 2h, where h is `step` and `value` learns
/// from the same batch each time.
func expectGradients(
  of network: TrainingNetwork, named name: String, count: Int, step: Float, loss value: () -> Double
) {
  let here = value()
  let gradient = network.gradient.values
  var generator = SeededGenerator(seed: 9)
  var (checked, off) = (0, 0)
  for _ in 0..<count {
    let position = generator.index(below: network.learnt.count)
    let weight = network.learnt.pointer[position]
    func loss(at change: Float) -> Double {
      network.learnt.pointer[position] = weight + change
      defer { network.learnt.pointer[position] = weight }
      return value()
    }
    let (below, above) = (loss(at: -step), loss(at: step))
    let numeric = Float(above - below) / (2 * step)
    // At a kink of ReLU or max the slopes on both sides differ and their mean says nothing.
    guard abs(Float(above - here) - Float(here - below)) < 2e-3 * step else { continue }
    checked += 1
    if abs(numeric - gradient[position]) > 1e-3 + 0.02 * abs(numeric) { off += 1 }
  }
  #expect(checked > 60, "\(name)")
  #expect(off == 0, "\(name): \(off) of \(checked) gradients are off")
}
