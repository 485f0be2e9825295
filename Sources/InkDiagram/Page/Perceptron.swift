/// A network of one hidden layer: `o(x) = W₂ max(0, W₁ x)`, where `x` and the hidden values begin with 1.
struct Perceptron: Sendable, Decodable {
  /// `W₁`, a row for each hidden value: its offset, and its weights.
  let hidden: [[Double]]
  /// `W₂`, a row for each answer: its offset, and its weights.
  let output: [[Double]]

  /// Returns the answers to values.
  func callAsFunction(_ values: [Double]) -> [Double] {
    let hidden = hidden.map { max(0, Self.sum($0, values)) }
    return output.map { Self.sum($0, hidden) }
  }

  /// Whether it takes `count` values and gives one answer.
  func takes(_ count: Int) -> Bool {
    hidden.allSatisfy { $0.count == count + 1 } && output.map(\.count) == [hidden.count + 1]
  }

  /// Returns an offset, which is first, and the weighted sum of values.
  static func sum(_ row: [Double], _ values: [Double]) -> Double {
    var sum = row[0]
    for index in values.indices { sum += row[index + 1] * values[index] }
    return sum
  }
}
