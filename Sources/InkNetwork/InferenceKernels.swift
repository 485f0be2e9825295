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
