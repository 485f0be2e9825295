import Foundation
import InkRaster
import TestSupport
import Testing

@testable import InkNetwork

@Suite(.timeLimit(.minutes(30))) struct InferenceTests {
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
    let plain = try randomNetwork(
      Architecture(name: "test", inputSize: size, layers: layers), seed: 5)
    let network = InferenceNetwork(plain)
    for example in 0..<5 {
      let pixels = (0..<size * size).map { UInt8(truncatingIfNeeded: $0 &* (31 + example) ^ 85) }
      let fast = network.logits(of: pixels)
      let expected = try plain.plainOutput(of: [pixels.map { Float($0) / 255 }])
      #expect(zip(fast, expected).allSatisfy { abs($0 - $1) < 1e-4 * max(1, abs($1)) })
    }
  }

  @Test(arguments: Architecture.names)
  func namedNetworksAgreeWithThePlainOne(name: String) throws {
    let architecture = try #require(try Architecture.named(name, classCount: 10))
    let network = try randomNetwork(architecture, seed: 7)
    let pixels = (0..<784).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ 85) }
    let fast = InferenceNetwork(network).logits(of: pixels)
    let expected = try network.plainOutput(of: [pixels.map { Float($0) / 255 }])
    let largest = expected.map(abs).max() ?? 0
    #expect(zip(fast, expected).allSatisfy { abs($0 - $1) < 1e-5 * largest })
  }

  @Test(arguments: Architecture.pairedNames)
  func namedNetworksOfTwoInputsAgreeWithThePlainOne(name: String) throws {
    let architecture = try #require(
      try Architecture.named(name, classCount: 4, inputSize: 28, channels: 7))
    #expect(architecture.inputs.map(\.name) == ["image", "series"])
    let network = try randomNetwork(architecture, seed: 7)
    for length in [1, 9, 60] {
      let inputs = [28 * 28, 7 * length].map { count in
        (0..<count).map { Float(($0 &* 37 &+ length) % 17) / 8 - 1 }
      }
      let expected = try network.plainOutput(of: inputs)
      let fast = InferenceNetwork(network).logits(of: inputs)
      #expect(isClose(fast, expected, tolerance: 1e-4), "\(length)")
    }
  }

  private func chain(_ layers: [Layer], inputSize: Int) throws -> InferenceNetwork {
    try InferenceNetwork(
      randomNetwork(Architecture(name: "test", inputSize: inputSize, layers: layers)))
  }

  /// Returns numbers from -1 to 1, others for each example.
  private func values(_ count: Int, of example: Int) -> [Float] {
    (0..<count).map { index -> Float in
      let number = (index &* 37 &+ example &* 11) % 17
      return Float(number) / 8 - 1
    }
  }

  /// Several inputs and sources, values that several nodes read, layers that work in place.
  @Test(arguments: Graphs.all) func graphsAgreeWithThePlainLoops(graph: Graphs.Graph) throws {
    let plain = try randomNetwork(graph.architecture(), seed: 3)
    let network = InferenceNetwork(plain)
    for example in 0..<3 {
      let inputs = plain.architecture.inputShapes.map { shape in
        values(shape.count, of: example)
      }
      let expected = try plain.plainOutput(of: inputs)
      let fast = network.logits(of: Array(inputs.joined()))
      #expect(isClose(fast, expected, tolerance: 1e-4), "\(graph)")
    }
    // And the same once what can be folded is folded.
    let folded = try plain.foldingBatchNormalization()
    let inputs = plain.architecture.inputShapes.map { shape in
      (0..<shape.count).map { Float($0 % 5) / 4 }
    }
    #expect(
      try isClose(
        folded.plainOutput(of: inputs), plain.plainOutput(of: inputs), tolerance: 1e-4), "\(graph)")
  }

  /// Series of every length between the shortest and the longest, longer ones after shorter ones.
  @Test(arguments: Graphs.series + Graphs.lines) func seriesAgreeWithThePlainLoops(
    graph: Graphs.Graph
  ) throws {
    let plain = try randomNetwork(graph.architecture(), seed: 3)
    let network = InferenceNetwork(plain)
    for example in 0..<12 {
      let inputs = plain.architecture.inputs.enumerated().map { index, input in
        let count = input.valuesPerStep * graph.length(of: example, input: index)
        return values(count, of: example)
      }
      let expected = try plain.plainOutput(of: inputs)
      #expect(isClose(network.logits(of: inputs), expected, tolerance: 1e-4), "\(graph)")
    }
    // At their longest, they can follow each other.
    let longest = plain.architecture.inputShapes.map { shape in
      (0..<shape.count).map { Float($0 % 5) / 4 }
    }
    let expected = try plain.plainOutput(of: longest)
    #expect(isClose(network.logits(of: Array(longest.joined())), expected, tolerance: 1e-4))
  }

  #if os(Linux)
    /// Networks have room for the longest series and the widest pictures, which few examples need.
    @Test(.disabled(if: hasSanitizer)) func memoryIsTakenWhereItIsUsed() throws {
      func pages() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(Int(text.split(separator: " ")[1]))
      }
      let before = try pages()
      let buffer = FloatBuffer(count: 1 << 29)
      buffer.pointer[buffer.count - 1] = 1
      #expect(buffer.pointer[0] == 0 && Int(bitPattern: buffer.pointer) % 64 == 0)
      // Of 2 GiB; other tests run meanwhile.
      #expect(try pages() - before < (1 << 30) / 4096)
    }
  #endif

  /// One distribution for each step.
  @Test func stepsHaveTheirDistributions() throws {
    let architecture = try Architecture(
      name: "steps",
      inputs: [NetworkInput(name: "pen", form: .series(channels: 2, length: .variable(1...90)))],
      nodes: [
        .init(.seriesConvolution(filters: 4, kernel: 3, stride: 2, padding: .same)),
        .init(.gru(units: 5, direction: .both)), .init(.dense(units: 3)),
      ], output: .distributionPerStep)
    let plain = try randomNetwork(architecture, seed: 3)
    let network = InferenceNetwork(plain)
    for length in [1, 2, 90, 7] {
      let pen = (0..<2 * length).map { Float($0 % 7) / 5 - 0.5 }
      let steps = network.logits(of: [pen])
      #expect(steps.count == (length + 1) / 2 * 3)
      #expect(try isClose(steps, plain.plainOutput(of: [pen]), tolerance: 1e-4))
    }
  }

  /// A series of which one reader changes its copy, shorter than the longest.
  @Test func aSeriesThatSeveralReadIsCopiedAsFarAsItGoes() throws {
    let network = try randomNetwork(
      Architecture(
        name: "copies",
        inputs: [
          NetworkInput(name: "pen", form: .series(channels: 2, length: .variable(1...60_000)))
        ],
        nodes: [
          .init(.relu, from: [.input(0)]),
          .init(.concatenation, from: [.input(0), .node(0)]), .init(.timePooling(.mean)),
          .init(.dense(units: 3)),
        ]), seed: 1)
    let series: [Float] = [1, -2, -3, 4, 5, -6]
    #expect(
      try isClose(
        InferenceNetwork(network).logits(of: [series]), network.plainOutput(of: [series]),
        tolerance: 1e-5))
  }

  @Test(arguments: [0, 1, 2, 13, 30])
  func manyPicturesAtOnceAreAnsweredAsOneByOne(count: Int) throws {
    let network = try chain(
      [
        .convolution(filters: 5, kernel: 3, padding: .same), .relu, .maxPooling(size: 2), .flatten,
        .dense(units: 40), .relu, .batchNormalization, .dense(units: 3),
      ], inputSize: 9)
    let pixels = (0..<count * 81).map { UInt8(truncatingIfNeeded: $0 &* 97 ^ ($0 >> 3)) }
    var together = [Float](repeating: .nan, count: count * 3)
    pixels.withUnsafeBufferPointer { pixels in
      together.withUnsafeMutableBufferPointer { network.compute(pixels, count: count, into: $0) }
    }
    for index in 0..<count {
      let picture = Array(pixels[index * 81..<(index + 1) * 81])
      for (one, other) in zip(together[index * 3..<index * 3 + 3], network.logits(of: picture)) {
        #expect(abs(one - other) < 1e-4 * max(1, abs(other)))
      }
    }
  }

  /// Widths that leave single columns, rows and steps over, in any order: memory is used again.
  @Test(arguments: [0, 1, 2, 3]) func linesOfAnyWidthAreReadAlikeOnAnyNumberOfCores(
    workers: Int
  ) throws {
    let plain = try randomNetwork(.reader(classCount: 30), seed: 3)
    let network = InferenceNetwork(plain, inputScale: 1)
    for width in [128, 64, 197, 75, 640, 66] {
      let line = values(32 * width, of: width)
      let logits = network.logits(of: [line], workers: workers)
      #expect(logits == InferenceNetwork(plain, inputScale: 1).logits(of: [line]))
      guard width < 100 else { continue }
      let expected = try plain.plainOutput(of: [line])
      #expect(logits.count == expected.count)
      let difference = zip(logits, expected).map { abs($0 - $1) }.max()!
      #expect(difference < 1e-4 * expected.map(abs).max()!, "\(width) columns")
    }
  }

  /// A network that is large enough for several cores, with units that leave some over.
  @Test(arguments: [2, 3, 8]) func aPictureHasTheSameAnswerOnAnyNumberOfCores(workers: Int) throws {
    let plain = try randomNetwork(
      Architecture(
        name: "large", inputSize: 40,
        layers: [
          .convolution(filters: 24, kernel: 5, padding: .same), .relu, .maxPooling(size: 2),
          .convolution(filters: 40, kernel: 5, padding: .same), .relu, .flatten,
          .dense(units: 200), .relu, .dense(units: 7),
        ]), seed: 5)
    let network = InferenceNetwork(plain, inputScale: 1)
    let picture = values(1600, of: 2)
    let logits = network.logits(of: [picture], workers: workers)
    #expect(logits == network.logits(of: [picture]))
    let expected = try plain.plainOutput(of: [picture])
    let difference = zip(logits, expected).map { abs($0 - $1) }.max()!
    #expect(difference < 1e-4 * expected.map(abs).max()!)
  }

  @Test func threadsShareANetwork() async throws {
    let network = try chain(
      [.convolution(filters: 4, kernel: 3, padding: .same), .relu, .flatten, .dense(units: 3)],
      inputSize: 12)
    let picture = (0..<144).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let expected = network.logits(of: picture)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 { group.addTask { network.logits(of: picture) == expected } }
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
