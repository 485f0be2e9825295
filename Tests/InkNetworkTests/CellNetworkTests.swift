import Foundation
import SeededRandom
import TestSupport
import Testing

@testable import InkNetwork

@Suite(.timeLimit(.minutes(30))) struct CellNetworkTests {
  private typealias Node = Architecture.Node

  /// A network of these nodes over pictures of any size.
  private func network(
    _ nodes: [Architecture.Node], channels: Int = 1, fields: Int = 0
  ) throws -> TrainedNetwork {
    try randomNetwork(
      Architecture(
        name: "cells",
        inputs: [
          NetworkInput(
            name: "page", form: .page(channels: channels, heights: 32...256, widths: 32...256))
        ], nodes: nodes, output: .distributionPerCell(fields: fields)), seed: 3)
  }

  private func picture(_ count: Int, seed: UInt64 = 1) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Float(generator.uniform(-0.3...1.5)) }
  }

  /// What the plain loops make of a picture with zeros up to a multiple of `side`: probabilities, then fields.
  private func plain(
    _ network: TrainedNetwork, _ values: [Float], height: Int, width: Int, channels: Int = 1,
    side: Int
  ) throws -> (probabilities: [Float], fields: [Float], rows: Int, columns: Int) {
    let (rows, columns) = ((height + side - 1) / side * side, (width + side - 1) / side * side)
    var padded = [Float](repeating: 0, count: channels * rows * columns)
    for channel in 0..<channels {
      for y in 0..<height {
        for x in 0..<width {
          padded[(channel * rows + y) * columns + x] = values[(channel * height + y) * width + x]
        }
      }
    }
    let sized = try TrainedNetwork(
      network.architecture.sized(height: rows, width: columns), weights: network.weights)
    let output = try sized.plainOutput(of: [padded])
    guard
      case .planes(let all, let cellRows, let cellColumns) = sized.architecture.outputShapes.last
    else { preconditionFailure("planes") }
    let classes = network.architecture.classCount
    let plane = cellRows * cellColumns
    let scale = rows / cellRows
    let (height, width) = ((height + scale - 1) / scale, (width + scale - 1) / scale)
    var (probabilities, fields) = ([Float](), [Float]())
    for channel in 0..<all {
      for y in 0..<height {
        for x in 0..<width {
          let place = y * cellColumns + x
          if channel < classes {
            let logits = (0..<classes).map { output[$0 * plane + place] }
            probabilities.append(Float(softmax(logits)[channel]))
          } else {
            fields.append(output[channel * plane + place])
          }
        }
      }
    }
    return (probabilities, fields, height, width)
  }

  /// The network with answers that are `factor` times as large.
  private func scaled(_ network: TrainedNetwork, by factor: Float) throws -> TrainedNetwork {
    var weights = network.weights
    for role in [Parameter.Role.weight, .bias] {
      let name = Parameter.name(node: network.architecture.nodes.count - 1, role)
      weights[name]!.values = weights[name]!.values.map { $0 * factor }
    }
    return try TrainedNetwork(network.architecture, weights: weights)
  }

  /// The largest difference, infinite where there are not as many.
  private func difference(_ a: [Float], _ b: [Float]) -> Float {
    a.count == b.count ? zip(a, b).map { abs($0 - $1) }.max() ?? 0 : .infinity
  }

  private func check(
    _ network: TrainedNetwork, height: Int, width: Int, channels: Int = 1, side: Int
  ) throws {
    let values = picture(channels * height * width)
    let wild = try plain(
      network, values, height: height, width: width, channels: channels, side: side)
    let calm = try scaled(network, by: 3 / wild.fields.map { abs($0) }.max()!)
    let fast = CellNetwork(calm).answers(to: values, height: height, width: width)
    let expected = try plain(
      calm, values, height: height, width: width, channels: channels, side: side)
    #expect((fast.rows, fast.columns) == (expected.rows, expected.columns))
    let differences = [
      difference(fast.probabilities, expected.probabilities),
      difference(fast.fields, expected.fields),
    ]
    #expect(differences[0] < 1e-4)
    #expect(differences[1] < 1e-4)
    let plane = fast.rows * fast.columns
    for place in 0..<plane {
      let chosen = Int(fast.classes[place])
      let most = (0..<fast.classCount).map { fast.probabilities[$0 * plane + place] }.max()!
      #expect(fast.probabilities[chosen * plane + place] == most)
    }
  }

  @Test func theMeanWithAMirrorImageIsThatOfEachCell() throws {
    let network = CellNetwork(
      try randomNetwork(Architecture.page(classCount: 3, fields: 2), seed: 7))
    let values = picture(32 * 64)
    let mirror = (0..<32).flatMap { values[$0 * 64..<($0 + 1) * 64].reversed() }
    let (own, other) = (
      network.answers(to: values, height: 32, width: 64),
      network.answers(to: mirror, height: 32, width: 64)
    )
    let mean = own.averaged(with: other.mirrored(negating: [1]))
    let (rows, columns) = (own.rows, own.columns)
    func place(_ plane: Int, _ row: Int, _ column: Int) -> Int {
      (plane * rows + row) * columns + column
    }
    for row in 0..<rows {
      for column in 0..<columns {
        let mirrored = columns - 1 - column
        for one in 0..<3 {
          let sum =
            own.probabilities[place(one, row, column)]
            + other.probabilities[place(one, row, mirrored)]
          #expect(abs(mean.probabilities[place(one, row, column)] - sum / 2) < 1e-6)
        }
        for (one, sign) in [(0, Float(1)), (1, -1)] {
          let sum =
            own.fields[place(one, row, column)] + sign * other.fields[place(one, row, mirrored)]
          #expect(abs(mean.fields[place(one, row, column)] - sum / 2) < 1e-6)
        }
        let shares = (0..<3).map { mean.probabilities[place($0, row, column)] }
        #expect(shares[Int(mean.classes[row * columns + column])] == shares.max())
      }
    }
  }

  @Test func thePageNetworkAgreesWithPlainLoops() throws {
    let network = try randomNetwork(Architecture.page(classCount: 5, fields: 3), seed: 7)
    try check(network, height: 50, width: 90, side: 32)
  }

  @Test(arguments: [1, 3]) func joinsOfAllKindsAgreeWithPlainLoops(channels: Int) throws {
    func convolution(_ filters: Int, _ kernel: Int = 3, stride: Int = 1) -> Layer {
      .convolution(filters: filters, kernel: kernel, stride: stride, padding: .same)
    }
    // Three parts, two of them doubled, in another order than the kernel's; one is read twice.
    try check(
      network(
        [
          Node(convolution(5, stride: 2)), Node(.relu), Node(convolution(20, 5, stride: 2)),
          Node(.batchNormalization), Node(.relu), Node(.upsampling),
          Node(convolution(18), from: [.node(1)]), Node(convolution(7), from: [.node(4)]),
          Node(.upsampling), Node(.concatenation, from: [.node(5), .node(6), .node(8)]),
          Node(convolution(33)), Node(.relu), Node(convolution(6, 1)),
        ], channels: channels, fields: 2), height: 37, width: 42, channels: channels, side: 4)
    // What is joined is changed first, pooled after, and read by two.
    try check(
      network(
        [
          Node(convolution(4)), Node(.maxPooling(size: 2)), Node(.upsampling),
          Node(.concatenation, from: [.node(2), .node(0)]), Node(.batchNormalization), Node(.relu),
          Node(convolution(9)), Node(.relu), Node(convolution(3, 5), from: [.node(5)]),
          Node(.concatenation, from: [.node(7), .node(8)]), Node(convolution(8)),
          Node(.maxPooling(size: 2)), Node(convolution(3, 1)),
        ], channels: channels, fields: 1), height: 34, width: 36, channels: channels, side: 2)
    // The picture itself is joined, and doubled.
    try check(
      network(
        [
          Node(.upsampling), Node(.maxPooling(size: 2)),
          Node(.concatenation, from: [.node(1), .input(0)]), Node(convolution(5)),
          Node(.upsampling), Node(convolution(6)), Node(.relu), Node(.maxPooling(size: 2)),
          Node(convolution(4, 1)),
        ], channels: channels, fields: 2), height: 33, width: 40, channels: channels, side: 2)
  }

  @Test func coresTilesAndFormerPicturesChangeNothing() throws {
    let network = try randomNetwork(Architecture.page(classCount: 4, fields: 1), seed: 9)
    let (height, width) = (500, 700)
    let values = picture(height * width)
    let whole = CellNetwork(network)
    let answers = whole.answers(to: values, height: height, width: width)
    _ = whole.answers(to: picture(64 * 300, seed: 2), height: 64, width: 300)
    for workers in 1...3 {
      #expect(
        whole.answers(to: values, height: height, width: width, workers: workers) == answers)
    }
    let tiled = CellNetwork(network, maximumPixels: 450 * 450)
    #expect(tiled.answers(to: values, height: height, width: width, workers: 2) == answers)
  }

  @Test func aPageAtItsWorkingSizeStaysSmall() throws {
    let network = CellNetwork(try randomNetwork(Architecture.page(classCount: 5, fields: 7)))
    // The longest side of 12 megapixels made smaller; all values together would take 250 MB.
    let memory = network.memory(height: 1080, width: 1440)
    #expect(memory < 100_000_000, "\(memory)")
  }

  @Test func aTemperatureFlattensTheProbabilities() throws {
    let network = CellNetwork(
      try scaled(randomNetwork(Architecture.page(classCount: 2), seed: 4), by: 1e-4))
    let values = picture(32 * 32)
    let sharp = network.answers(to: values, height: 32, width: 32)
    let flat = network.answers(to: values, height: 32, width: 32, temperature: 3)
    #expect(sharp.classes == flat.classes)
    let expected = sharp.probabilities.map { probability in
      let odds = Double(probability) / Double(1 - probability)
      return Float(1 / (1 + Foundation.pow(odds, -1 / 3)))
    }
    let largest = difference(flat.probabilities, expected)
    #expect(largest < 1e-4)
    #expect(difference(flat.probabilities, sharp.probabilities) > 0.01)
  }
}
