import Foundation
import TestSupport
import Testing

@testable import InkNetwork

@Suite(.timeLimit(.minutes(30))) struct StreamingTests {
  private static func pen(_ length: ClosedRange<Int> = 1...200) -> NetworkInput {
    NetworkInput(name: "pen", form: .series(channels: 2, length: .variable(length)))
  }

  private struct Case: CustomTestStringConvertible {
    let testDescription: String
    let nodes: [Architecture.Node]
    var shortest = 1
    var output = Architecture.Output.distribution

    func network() throws -> TrainedNetwork {
      try randomNetwork(
        Architecture(name: "stream", inputs: [pen(shortest...200)], nodes: nodes, output: output),
        seed: 5)
    }
  }

  private static let cases: [Case] = [
    Case(
      testDescription: "causal convolutions with strides and normalisation, the mean",
      nodes: [
        .init(.seriesConvolution(filters: 5, kernel: 3, padding: .causal)),
        .init(.batchNormalization), .init(.relu),
        .init(.seriesConvolution(filters: 20, kernel: 4, stride: 3, padding: .causal)),
        .init(.layerNormalization), .init(.dropout(rate: 0.2)), .init(.dense(units: 7)),
        .init(.timePooling(.mean)), .init(.dense(units: 3)),
      ]),
    Case(
      testDescription: "valid convolutions, GRU, attention",
      nodes: [
        .init(.seriesConvolution(filters: 5, kernel: 4, stride: 2, padding: .valid)), .init(.relu),
        .init(.seriesConvolution(filters: 6, kernel: 2, padding: .valid)), .init(.gru(units: 18)),
        .init(.timePooling(.attention)), .init(.layerNormalization), .init(.dense(units: 3)),
      ], shortest: 6),
    Case(
      testDescription: "windows side by side, LSTM, the largest",
      nodes: [
        .init(.seriesConvolution(filters: 5, kernel: 5, stride: 5, padding: .valid)), .init(.relu),
        .init(.lstm(units: 7)), .init(.timePooling(.max)), .init(.relu),
        .init(.batchNormalization), .init(.dense(units: 3)),
      ], shortest: 5),
    Case(
      testDescription: "a stride longer than the kernel",
      nodes: [
        .init(.seriesConvolution(filters: 5, kernel: 2, stride: 7, padding: .valid)),
        .init(.seriesConvolution(filters: 5, kernel: 1, stride: 2, padding: .causal)),
        .init(.timePooling(.mean)), .init(.dense(units: 3)),
      ], shortest: 2),
    Case(
      testDescription: "a value that several read, side by side; pools of different rhythm",
      nodes: [
        .init(.relu, from: [.input(0)]),
        .init(.seriesConvolution(filters: 3, kernel: 3, padding: .causal), from: [.input(0)]),
        .init(.concatenation, from: [.node(1), .node(0), .input(0)]), .init(.batchNormalization),
        .init(.gru(units: 4)),
        .init(.timePooling(.max), from: [.node(4)]), .init(.batchNormalization),
        .init(
          .seriesConvolution(filters: 3, kernel: 4, stride: 4, padding: .valid), from: [.node(4)]),
        .init(.timePooling(.mean)),
        .init(.concatenation, from: [.node(6), .node(8)]), .init(.batchNormalization),
        .init(.dense(units: 4), from: [.node(10), .node(8)]), .init(.relu),
        .init(.dense(units: 3)),
      ], shortest: 4),
    Case(
      testDescription: "a distribution for each step",
      nodes: [
        .init(.seriesConvolution(filters: 4, kernel: 3, stride: 2, padding: .causal)), .init(.relu),
        .init(.lstm(units: 17)), .init(.dense(units: 3)),
      ], output: .distributionPerStep),
  ]

  /// Fed row by row, after each of them; and again after it has forgotten everything.
  @Test(arguments: cases.indices) func stepsAgreeWithTheWholeSeries(index: Int) throws {
    let (pattern, channels) = (Self.cases[index], 2)
    let network = try pattern.network()
    let whole = InferenceNetwork(network)
    let stream = try StreamingNetwork(network)
    for length in [70, 45] {
      let series = (0..<length * channels).map { Float(($0 &* 37 &+ length) % 19) / 8 - 1 }
      var (outputs, last): (Int, [Float]?) = (0, nil)
      for step in 0..<length {
        let logits = stream.logits(after: Array(series[step * channels..<(step + 1) * channels]))
        if logits != nil {
          outputs += 1
          last = logits
        }
        #expect((outputs > 0) == (step + 1 >= stream.stepsToFirstOutput))
        guard step + 1 >= pattern.shortest else { continue }
        let expected = whole.logits(of: [Array(series[..<((step + 1) * channels)])])
        if pattern.output == .distributionPerStep { #expect(expected.count == 3 * outputs) }
        #expect(
          isClose(try #require(last), Array(expected.suffix(3)), tolerance: 1e-4),
          "\(pattern.testDescription), after \(step + 1) steps")
      }
      stream.reset()
    }
  }

  @Test(
    arguments: [
      ([.init(.gru(units: 4, direction: .both)), .init(.timePooling(.max))], 0, "GRU 4, both"),
      (
        [
          .init(.seriesConvolution(filters: 3, kernel: 3, padding: .causal)),
          .init(.lstm(units: 4, direction: .backward)), .init(.timePooling(.max)),
        ], 1, "LSTM 4, backward"
      ),
      (
        [
          .init(.seriesConvolution(filters: 3, kernel: 1, padding: .same)),
          .init(.seriesConvolution(filters: 3, kernel: 2, padding: .same)),
          .init(.timePooling(.max)),
        ], 1, "series convolution 2×3, same"
      ),
    ] as [([Architecture.Node], Int, String)])
  func theFirstNodeThatNeedsLaterStepsIsNamed(
    nodes: [Architecture.Node], node: Int, found: String
  ) throws {
    let network = try randomNetwork(
      Architecture(
        name: "late", inputs: [Self.pen()], nodes: nodes + [.init(.dense(units: 3))]), seed: 1)
    let error = #expect(throws: StreamingError.self) { try StreamingNetwork(network) }
    #expect(error?.node == node)
    #expect(error?.found == found)
  }

  @Test func picturesDoNotStream() throws {
    let network = try randomNetwork(
      Architecture(name: "picture", inputSize: 6, layers: [.flatten, .dense(units: 2)]), seed: 1)
    let error = #expect(throws: StreamingError.self) { try StreamingNetwork(network) }
    #expect(error?.node == nil)
  }
}
