extension [Float] {
  /// Returns the value that would be at `index` if the values were sorted, and changes their order
  /// (quickselect; Hoare, 1961).
  mutating func selectSorted(at index: Int) -> Float {
    withUnsafeMutableBufferPointer { values in
      var (low, high) = (0, values.count - 1)
      while low < high {
        let pivot = values[(low + high) / 2]
        var (left, right) = (low, high)
        while left <= right {
          while values[left] < pivot { left += 1 }
          while values[right] > pivot { right -= 1 }
          if left <= right {
            values.swapAt(left, right)
            left += 1
            right -= 1
          }
        }
        if index <= right {
          high = right
        } else if index >= left {
          low = left
        } else {
          break
        }
      }
      return values[index]
    }
  }
}
