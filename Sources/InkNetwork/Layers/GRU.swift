import Foundation

/// Gated recurrent units (Cho et al., 2014), with PyTorch's order of gates (r, z, n) and two biases.
///
/// `[length, C]` → `[length, units]`. With x the input and h′ the state of the step before, 0 at first:
///
///     r = σ(Wr · x + br + Vr · h′ + cr)
///     z = σ(Wz · x + bz + Vz · h′ + cz)
///     n = tanh(Wn · x + bn + r ⊙ (Vn · h′ + cn))
///     h = (1 − z) ⊙ n + z ⊙ h′
///
/// The output of a step is its state h.
public struct GRU: RecurrentLayer {
  /// The word for this kind in the JSON form.
  public static let kind = "gru"
  package static let gates = 3
  package static let cell = RecurrentCell.Kind.gru
  /// The number of values in the state.
  public let units: Int
  /// The order of the steps.
  public let direction: Direction

  package func states(_ inputs: [[Float]], multiply: ([Float]) -> [Float]) -> [[Float]] {
    var state = [Float](repeating: 0, count: units)
    return inputs.map { input in
      let hidden = multiply(state)
      state = (0..<units).map { u in
        let r = sigmoid(input[u] + hidden[u])
        let z = sigmoid(input[units + u] + hidden[units + u])
        let n = tanh(input[2 * units + u] + r * hidden[2 * units + u])
        return (1 - z) * n + z * state[u]
      }
      return state
    }
  }
}

extension Layer {
  /// Gated recurrent units; see ``GRU``.
  public static func gru(units: Int, direction: Direction = .forward) -> Layer {
    .gru(GRU(units: units, direction: direction))
  }
}
