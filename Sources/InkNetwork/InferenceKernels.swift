/// Adds a bias to a matrix product: `output[r, c] = bias[r] + Σₖ left[r, k] · right[k, c]`.
///
/// Shapes: left `[rows, inner]`, right `[inner, columns]` with rows of `stride` (a multiple of 16),
/// output `[rows, columns]`. Four rows and sixteen columns are summed in registers at a time.
func multiply(
  _ left: [Float], rows: Int, inner: Int, _ right: UnsafePointer<Float>, columns: Int, stride: Int,
  bias: [Float], into output: UnsafeMutablePointer<Float>
) {
  left.withUnsafeBufferPointer { left in
    let left = left.baseAddress!
    for row in Swift.stride(from: 0, to: rows, by: 4) {
      let count = min(4, rows - row)
      // Past the last row, the last row is computed again and dropped.
      let a0 = left + row * inner
      let a1 = left + (row + min(1, count - 1)) * inner
      let a2 = left + (row + min(2, count - 1)) * inner
      let a3 = left + (row + min(3, count - 1)) * inner
      for column in Swift.stride(from: 0, to: columns, by: 16) {
        var sum0 = SIMD16<Float>(repeating: bias[row])
        var sum1 = SIMD16<Float>(repeating: bias[row + min(1, count - 1)])
        var sum2 = SIMD16<Float>(repeating: bias[row + min(2, count - 1)])
        var sum3 = SIMD16<Float>(repeating: bias[row + min(3, count - 1)])
        var b = UnsafeRawPointer(right + column)
        for k in 0..<inner {
          let vector = b.loadUnaligned(as: SIMD16<Float>.self)
          sum0 += vector * a0[k]
          sum1 += vector * a1[k]
          sum2 += vector * a2[k]
          sum3 += vector * a3[k]
          b += stride * MemoryLayout<Float>.stride
        }
        for (index, sum) in [sum0, sum1, sum2, sum3].prefix(count).enumerated() {
          let target = output + (row + index) * columns + column
          for lane in 0..<min(16, columns - column) { target[lane] = sum[lane] }
        }
      }
    }
  }
}

/// Multiplies a matrix with a vector: `output[u] = bias[u] + Σᵢ weight[u, i] · input[i]`.
///
/// Shapes: weight `[units, inputs]`, input `[inputs]`, output `[units]`.
func multiply(
  _ weight: [Float], vector input: UnsafePointer<Float>, inputs: Int, bias: [Float],
  into output: UnsafeMutablePointer<Float>
) {
  weight.withUnsafeBufferPointer { weight in
    let input = UnsafeRawPointer(input)
    for unit in bias.indices {
      let row = UnsafeRawPointer(weight.baseAddress! + unit * inputs)
      var sums = SIMD16<Float>.zero
      var index = 0
      while index + 16 <= inputs {
        let offset = index * MemoryLayout<Float>.stride
        sums +=
          row.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
          * input.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
        index += 16
      }
      var sum = bias[unit] + sums.sum()
      while index < inputs {
        let offset = index * MemoryLayout<Float>.stride
        sum +=
          row.load(fromByteOffset: offset, as: Float.self)
          * input.load(fromByteOffset: offset, as: Float.self)
        index += 1
      }
      output[unit] = sum
    }
  }
}

/// Keeps the largest value of each square: `output[c, y, x] = max input[c, y·size + i, x·size + j]`.
///
/// Shapes: input `[channels, height, width]`, output `[channels, height / size, width / size]`.
func maxPool(
  _ input: UnsafePointer<Float>, channels: Int, height: Int, width: Int, size: Int,
  into output: UnsafeMutablePointer<Float>
) {
  let (outputHeight, outputWidth) = (height / size, width / size)
  for channel in 0..<channels {
    for y in 0..<outputHeight {
      let top = input + (channel * height + y * size) * width
      let target = output + (channel * outputHeight + y) * outputWidth
      for x in 0..<outputWidth {
        var largest = top[x * size]
        for i in 0..<size {
          for j in 0..<size {
            let value = top[i * width + x * size + j]
            largest = value > largest ? value : largest
          }
        }
        target[x] = largest
      }
    }
  }
}
