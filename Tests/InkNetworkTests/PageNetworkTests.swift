import Foundation
import InkNetwork
import TestSupport
import Testing

/// Networks with a distribution for each cell, and the layers that they are made of.
@Suite(.timeLimit(.minutes(30))) struct PageNetworkTests {
  private func shape(_ layer: Layer, _ inputs: Shape...) throws -> Shape {
    try layer.definition.outputShape(of: inputs)
  }

  @Test func theNamedNetworkHasLevelsOfHalvedSides() throws {
    let page = try Architecture.page(classCount: 5, fields: 7)
    #expect(page.parameterCount <= 600_000)
    #expect(try Architecture.page(classCount: 5).parameterCount == 571_669)
    #expect((page.classCount, page.labelCount, page.sideMultiple) == (5, 5, 32))
    #expect(try Architecture.named("page", classCount: 5, fields: 7) == page)
    let sized = try page.sized(height: 384, width: 768)
    #expect(sized.outputShapes.last == .planes(channels: 12, height: 192, width: 384))
    #expect(sized.parameters == page.parameters)
    #expect(
      sized.outputShapes.contains { $0 == .planes(channels: 80, height: 12, width: 24) })
    #expect(try page.with(classCount: 3) == Architecture.page(classCount: 3, fields: 7))
  }

  @Test func sidesThatCannotBeHalvedAreRefused() throws {
    let page = try Architecture.page(classCount: 2)
    #expect {
      try page.sized(height: 384, width: 100)
    } throws: { "\($0)".contains("padded to sides that are multiples of 32, found 384 × 100") }
    #expect { try page.sized(height: 8192, width: 32) } throws: { "\($0)".contains("32 to 4096") }
    // Three rows are halved to two, which are doubled to four.
    #expect {
      try Architecture(
        name: "odd",
        inputs: [
          NetworkInput(name: "page", form: .image(channels: 1, height: 7, width: .fixed(8)))
        ],
        nodes: [
          .init(.convolution(filters: 2, kernel: 3, stride: 2, padding: .same)),
          .init(.upsampling), .init(.concatenation, from: [.node(1), .input(0)]),
          .init(.convolution(filters: 2, kernel: 1, padding: .same)),
        ], output: .distributionPerCell())
    } throws: { "\($0)".contains("sides are even, found planes of 1 × 7 × 8") }
  }

  @Test func onlyAConvolutionOfOneCellCanEndIt() throws {
    func make(_ last: Layer, fields: Int = 0) throws -> Architecture {
      try Architecture(
        name: "a", inputs: [.picture(size: 8)],
        nodes: [.init(.convolution(filters: 4, kernel: 3, padding: .same)), .init(last)],
        output: .distributionPerCell(fields: fields))
    }
    #expect(
      try make(.convolution(filters: 4, kernel: 1, padding: .same), fields: 2).classCount == 2)
    for (last, fields) in [
      (Layer.relu, 0), (.convolution(filters: 4, kernel: 3, padding: .same), 0),
      (.convolution(filters: 4, kernel: 1, stride: 2, padding: .same), 0),
    ] {
      #expect { try make(last, fields: fields) } throws: {
        "\($0)".contains("expected a convolution of 1 × 1 at the end")
      }
    }
    #expect { try make(.convolution(filters: 4, kernel: 1, padding: .same), fields: 3) } throws: {
      "\($0)".contains("two classes and more beside 3 fields, found 4")
    }
    #expect {
      try Architecture(
        name: "line",
        inputs: [
          NetworkInput(name: "line", form: .image(channels: 1, height: 8, width: .variable(8...99)))
        ], nodes: [.init(.upsampling), .init(.columns)], output: .distributionPerStep)
    } throws: {
      "\($0)".contains("layer 0: expected no upsampling of pictures of different widths")
    }
  }

  /// PyTorch's `Conv2d(kernel_size=3, stride=2, padding=1)`.
  @Test(arguments: [(7, 4), (8, 4), (1, 1)]) func aStrideOfTwoHalvesRoundedUp(size: Int, half: Int)
    throws
  {
    let layer = Convolution(filters: 1, kernel: 3, stride: 2, padding: .same)
    let planes = Shape.planes(channels: 1, height: size, width: size)
    let output = try layer.outputShape(of: [planes])
    #expect(output == .planes(channels: 1, height: half, width: half))
    // A kernel that only reads its middle keeps every other value.
    let input = (0..<size * size).map(Float.init)
    let kept = layer.apply(to: [input], shapes: [planes], output: output) {
      $0 == .weight ? [0, 0, 0, 0, 1, 0, 0, 0, 0] : [0.5]
    }
    for y in 0..<half {
      for x in 0..<half { #expect(kept[y * half + x] == input[2 * y * size + 2 * x] + 0.5) }
    }
    // One that reads the corner before reads zeros at the edge.
    let before = layer.apply(to: [input], shapes: [planes], output: output) {
      $0 == .weight ? [1, 0, 0, 0, 0, 0, 0, 0, 0] : [0]
    }
    #expect(before[0] == 0 && (half < 2 || before[half + 1] == input[size + 1]))
  }

  @Test func upsamplingRepeatsAndJoinsKeepOrder() throws {
    let planes = Shape.planes(channels: 2, height: 1, width: 2)
    let doubled = try shape(.upsampling, planes)
    #expect(doubled == .planes(channels: 2, height: 2, width: 4))
    let values = Layer.upsampling.definition.apply(
      to: [[1, 2, 3, 4]], shapes: [planes], output: doubled, stored: { _ in [] })
    #expect(values == [1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4])
    let one = Shape.planes(channels: 1, height: 1, width: 2)
    let joined = try shape(.concatenation, planes, one)
    #expect(joined == .planes(channels: 3, height: 1, width: 2))
    #expect(
      Layer.concatenation.definition.apply(
        to: [[1, 2, 3, 4], [5, 6]], shapes: [planes, one], output: joined, stored: { _ in [] })
        == [1, 2, 3, 4, 5, 6])
  }

  @Test func whatIsNewHasKeysOfItsOwnInJSON() throws {
    func text(_ value: some Encodable) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    func back<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
      try JSONDecoder().decode(Value.self, from: Data(text(value).utf8)) == value
    }
    let plain = Layer.convolution(filters: 2, kernel: 3, padding: .same)
    let strided = Layer.convolution(filters: 2, kernel: 3, stride: 2, padding: .same)
    #expect(
      try text(plain) == #"{"filters":2,"kernel":3,"kind":"convolution","padding":"same"}"#)
    #expect(
      try text(strided)
        == #"{"filters":2,"kernel":3,"kind":"convolution","padding":"same","stride":2}"#)
    #expect(try text(Layer.upsampling) == #"{"kind":"upsampling"}"#)
    let outputs: [(Architecture.Output, String)] = [
      (.distribution, #""distribution""#), (.distributionPerStep, #""distributionPerStep""#),
      (.distributionPerCell(), #""distributionPerCell""#),
      (.distributionPerCell(fields: 3), #"{"fields":3,"kind":"distributionPerCell"}"#),
    ]
    for (output, expected) in outputs {
      #expect(try text(output) == expected)
      #expect(try back(output))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Architecture.Output.self, from: Data(#""other""#.utf8))
    }
    #expect(
      try text(Architecture.page(classCount: 2).inputs[0])
        == #"{"channels":1,"form":"image","height":{"least":32,"most":4096},"name":"page","#
        + #""width":{"least":32,"most":4096}}"#)
    #expect(try back(plain) && back(strided))
    #expect(try back(Architecture.page(classCount: 4, fields: 2)))
  }

  @Test func plainOutputIsThatOfEveryCell() throws {
    let network = try randomNetwork(
      Architecture.page(classCount: 2, fields: 1).sized(height: 32, width: 64), seed: 3)
    let output = try network.plainOutput(of: [(0..<2048).map { Float($0 % 7) / 7 }])
    #expect(output.count == 3 * 16 * 32 && output.allSatisfy(\.isFinite))
  }
}
