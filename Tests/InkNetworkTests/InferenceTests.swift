import Foundation
import InkRaster
import TestSupport
import Testing

@testable import InkNetwork

@Suite(.timeLimit(.minutes(2))) struct InferenceTests {
  @Test(arguments: [
    ([Layer.flatten, .dense(units: 5), .relu, .dense(units: 2)], 9),
    (
      [
        .convolution(filters: 3, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
        .dense(units: 3),
      ], 13
    ),
    (
      [
        .convolution(filters: 7, kernel: 5, padding: .valid), .batchNormalization, .relu,
        .maxPooling(size: 3), .flatten, .dense(units: 4),
      ], 17
    ),
    (
      [
        .convolution(filters: 5, kernel: 1, padding: .same),
        .convolution(filters: 6, kernel: 7, padding: .same), .flatten, .dropout(rate: 0.5),
        .dense(units: 33), .batchNormalization, .relu, .dense(units: 3),
      ], 11
    ),
    (
      [
        .convolution(filters: 1, kernel: 3, padding: .valid), .maxPooling(size: 2), .relu,
        .convolution(filters: 20, kernel: 3, padding: .same), .batchNormalization, .relu,
        .convolution(filters: 40, kernel: 3, padding: .same), .relu, .batchNormalization,
        .maxPooling(size: 2), .convolution(filters: 48, kernel: 3, padding: .valid), .flatten,
        .batchNormalization, .dense(units: 2),
      ], 19
    ),
    (
      [
        .batchNormalization, .maxPooling(size: 2),
        .convolution(filters: 64, kernel: 5, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 17, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .flatten, .dense(units: 50), .relu, .dropout(rate: 0.2), .dense(units: 40),
        .dense(units: 9),
      ], 30
    ),
    ([.flatten, .dense(units: 300), .relu, .dense(units: 128), .relu, .dense(units: 70)], 12),
  ])
  func theFastNetworkAgreesWithThePlainOne(layers: [Layer], size: Int) throws {
    let model = try randomModel(layers, inputSize: size, seed: 5)
    let network = InferenceNetwork(model)
    let plain = PlainNetwork(architecture: model.architecture, weights: model.weights)
    for example in 0..<5 {
      let pixels = (0..<size * size).map { UInt8(truncatingIfNeeded: $0 &* (31 + example) ^ 85) }
      let fast = network.logits(of: Bitmap(width: size, height: size, pixels: pixels))
      let expected = plain.logits(pixels.map { Float($0) / 255 })
      #expect(zip(fast, expected).allSatisfy { abs($0 - $1) < 1e-4 * max(1, abs($1)) })
    }
  }

  @Test(arguments: Architecture.names)
  func namedNetworksAgreeWithThePlainOne(name: String) throws {
    let architecture = try #require(try Architecture.named(name, classCount: 10))
    let model = try randomModel(architecture.layers, inputSize: 28, seed: 7)
    let pixels = (0..<784).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ 85) }
    let fast = InferenceNetwork(model).logits(of: Bitmap(width: 28, height: 28, pixels: pixels))
    let expected = PlainNetwork(architecture: model.architecture, weights: model.weights)
      .logits(pixels.map { Float($0) / 255 })
    let largest = expected.map(abs).max() ?? 0
    #expect(zip(fast, expected).allSatisfy { abs($0 - $1) < 1e-5 * largest })
  }

  @Test(arguments: [0, 1, 2, 13, 30])
  func manyPicturesAtOnceAreAnsweredAsOneByOne(count: Int) throws {
    let model = try randomModel(
      [
        .convolution(filters: 5, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
        .dense(units: 40), .relu, .batchNormalization, .dense(units: 3),
      ], inputSize: 9)
    let network = InferenceNetwork(model)
    let pixels = (0..<count * 81).map { UInt8(truncatingIfNeeded: $0 &* 97 ^ ($0 >> 3)) }
    var together = [Float](repeating: .nan, count: count * 3)
    pixels.withUnsafeBufferPointer { pixels in
      together.withUnsafeMutableBufferPointer { network.compute(pixels, count: count, into: $0) }
    }
    for index in 0..<count {
      let bitmap = Bitmap(
        width: 9, height: 9, pixels: Array(pixels[index * 81..<(index + 1) * 81]))
      for (one, other) in zip(together[index * 3..<index * 3 + 3], network.logits(of: bitmap)) {
        #expect(abs(one - other) < 1e-4 * max(1, abs(other)))
      }
    }
  }

  @Test func threadsShareANetwork() async throws {
    let model = try randomModel(
      [.convolution(filters: 4, kernel: 3, padding: .same), .relu, .flatten, .dense(units: 3)])
    let network = InferenceNetwork(model)
    let bitmap = Bitmap(
      width: 12, height: 12, pixels: (0..<144).map { UInt8(truncatingIfNeeded: $0 * 7) })
    let expected = network.logits(of: bitmap)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 { group.addTask { network.logits(of: bitmap) == expected } }
      for await isSame in group { #expect(isSame) }
    }
  }

  @Test func softmaxDoesNotOverflow() {
    #expect(softmax([1000, 1000]) == [0.5, 0.5])
    let probabilities = softmax([2, 1, 0], temperature: 2)
    #expect(abs(probabilities.reduce(0, +) - 1) < 1e-12)
    #expect(abs(probabilities[0] / probabilities[1] - exp(0.5)) < 1e-12)
  }
}
