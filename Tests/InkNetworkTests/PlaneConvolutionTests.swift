import SeededRandom
import TestSupport
import Testing

@testable import InkNetwork

@Suite(.timeLimit(.minutes(5))) struct PlaneConvolutionTests {
  private static let (channels, filters) = (20, 40)

  /// The largest of the sums of a kernel of 3 × 3 over one place, or over 2 × 2, and 0.
  private static func plain(
    _ input: [Float], height: Int, width: Int, weight: [Float], bias: [Float], pools: Bool
  ) -> [Float] {
    func sum(_ f: Int, _ y: Int, _ x: Int) -> Float {
      var sum = bias[f]
      for c in 0..<channels {
        for i in max(0, 1 - y)..<min(3, height + 1 - y) {
          for j in max(0, 1 - x)..<min(3, width + 1 - x) {
            sum +=
              input[(c * height + y + i - 1) * width + x + j - 1]
              * weight[((f * channels + c) * 3 + i) * 3 + j]
          }
        }
      }
      return sum
    }
    let factor = pools ? 2 : 1
    return (0..<filters).flatMap { f in
      (0..<height / factor).flatMap { y in
        (0..<width / factor).map { x in
          var largest: Float = 0
          for i in 0..<factor {
            for j in 0..<factor { largest = max(largest, sum(f, y * factor + i, x * factor + j)) }
          }
          return largest
        }
      }
    }
  }

  /// Sides that tiles divide, and sides with one, two and three rows and columns over.
  @Test(arguments: [(8, 16), (7, 9), (5, 6), (12, 3), (2, 2), (4, 21), (10, 1)], [false, true])
  func tilesOfAnySizeAgreeWithThePlainLoops(size: (Int, Int), pools: Bool) throws {
    let (height, width) = size
    if pools && width < 2 { return }
    let extent = PlaneConvolution.Extent(height: height, width: width, kernel: 3, padding: .same)
    let input = PlaneLayout(
      .planes(channels: Self.channels, height: height, width: width), packedChannels: 32,
      readBy: extent)
    let factor = pools ? 2 : 1
    let output = PlaneLayout(
      .planes(channels: Self.filters, height: height / factor, width: width / factor),
      packedChannels: 48, readBy: nil)
    var generator = SeededGenerator(seed: UInt64(height * 100 + width))
    func numbers(_ count: Int) -> [Float] { (0..<count).map { _ in Float(generator.normal()) } }
    let values = numbers(Self.channels * height * width)
    let weight = numbers(Self.filters * Self.channels * 9)
    let bias = numbers(Self.filters)
    let expected = Self.plain(
      values, height: height, width: width, weight: weight, bias: bias, pools: pools)
    let planes = FloatBuffer(count: input.count)
    input.pack(values, into: planes.pointer)
    for isWide in [false, true] {
      let convolution = PlaneConvolution(
        extent, filters: Self.filters, pools: pools, isWide: isWide, from: input, to: output)
      let packed = FloatBuffer(count: convolution.packedCount)
      let packedBias = FloatBuffer(count: convolution.packedBiasCount)
      let scratch = FloatBuffer(count: convolution.scratchCount)
      convolution.pack(weight, into: packed.pointer, scratch: scratch.pointer)
      packedBias.pointer.update(from: bias, count: bias.count)
      func results(_ bands: [Range<Int>]) -> [Float] {
        let memory = FloatBuffer(count: output.count)
        for rows in bands {
          convolution.forward(
            rows: rows, input: planes.pointer, weight: packed.pointer, bias: packedBias.pointer,
            lowest: 0, output: memory.pointer + output.start, scratch: scratch.pointer)
        }
        var values = [Float](repeating: 0, count: expected.count)
        values.withUnsafeMutableBufferPointer {
          output.unpack(memory.pointer, into: $0.baseAddress!)
        }
        return values
      }
      let found = results([0..<output.height])
      let difference = zip(found, expected).map { abs($0 - $1) }.max()!
      #expect(difference < 1e-5 * expected.max()!, "\(isWide ? "wide" : "narrow") tiles")
      let bands = stride(from: 0, to: output.height, by: convolution.rowMultiple).map {
        $0..<min(output.height, $0 + convolution.rowMultiple)
      }
      #expect(results(bands) == found, "\(isWide ? "wide" : "narrow") tiles in bands")
    }
  }
}
