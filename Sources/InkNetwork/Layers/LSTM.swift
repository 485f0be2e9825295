import Foundation

/// Long short-term memory (Hochreiter & Schmidhuber, 1997; with the forget gate of Gers et al., 2000),
/// with PyTorch's order of gates (i, f, g, o) and two biases.
///
/// `[length, C]` → `[length, units]`. With x the input, h′ the output and c′ the cell of the step before,
/// 0 at first, and a = W · x + b + V · h′ + d:
///
///     i = σ(aᵢ)    f = σ(a_f)    g = tanh(a_g)    o = σ(aₒ)
///     c = f ⊙ c′ + i ⊙ g
///     h = o ⊙ tanh(c)
///
/// The output of a step is h.
public struct LSTM: RecurrentLayer {
  /// The word for this kind in the JSON form.
  public static let kind = "lstm"
  package static let gates = 4
  package static let cell = RecurrentCell.Kind.lstm
  /// The number of values in the state.
  public let units: Int
  /// The order of the steps.
  public let direction: Direction

  package func states(_ inputs: [[Float]], multiply: ([Float]) -> [Float]) -> [[Float]] {
    var output = [Float](repeating: 0, count: units)
    var cell = output
    return inputs.map { input in
      let sums = zip(input, multiply(output)).map { $0 + $1 }
      for u in 0..<units {
        let (i, f) = (sigmoid(sums[u]), sigmoid(sums[units + u]))
        let (g, o) = (tanh(sums[2 * units + u]), sigmoid(sums[3 * units + u]))
        cell[u] = f * cell[u] + i * g
        output[u] = o * tanh(cell[u])
      }
      return output
    }
  }
}

extension Layer {
  /// Long short-term memory; see ``LSTM``.
  public static func lstm(units: Int, direction: Direction = .forward) -> Layer {
    .lstm(LSTM(units: units, direction: direction))
  }
}
