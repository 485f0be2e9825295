extension Sequence where Element: Comparable {
  /// The middle element in order, the upper one of two; `nil` if there is none.
  @inlinable package func median() -> Element? {
    let sorted = sorted()
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}

extension [Int] {
  /// The value with `rank` values before it in their order, where the elements count the values 0, 1, 2 and so on; `nil` if
  /// there is none.
  @inlinable package func value(atRank rank: Int) -> Int? {
    guard rank >= 0 else { return nil }
    var left = rank
    return firstIndex { count in
      left -= count
      return left < 0
    }
  }
}

/// The value in the middle of the total weight, the lower one of two; `nil` if there is no weight.
package func weightedMedian(_ values: [(value: Double, weight: Double)]) -> Double? {
  let sorted = values.filter { $0.weight > 0 }.sorted { $0.value < $1.value }
  let half = sorted.reduce(0) { $0 + $1.weight } / 2
  var sum = 0.0
  for (value, weight) in sorted {
    sum += weight
    if sum >= half { return value }
  }
  return sorted.last?.value
}
