extension Sequence where Element: Comparable {
  /// The middle element in order, the upper one of two; `nil` if there is none.
  @inlinable package func median() -> Element? {
    let sorted = sorted()
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}
