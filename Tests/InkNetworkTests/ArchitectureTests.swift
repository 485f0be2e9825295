import Foundation
import InkNetwork
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct ArchitectureTests {
  @Test func theNamedNetworksHaveTheParametersThatTheSpecificationCounts() throws {
    let drawing = try Architecture.drawing(classCount: 3)
    #expect(drawing.parameterCount == 97_539)
    #expect(drawing.multiplyAdds.reduce(0, +) == 1_993_344)
    #expect(
      drawing.outputShapes.map(\.description).joined(separator: ", ").hasSuffix("576, 128, 128, 3"))
    #expect(try Architecture.leNet(classCount: 10).parameterCount == 3_274_634)
    #expect(try Architecture.fusion(classCount: 4, channels: 7).parameterCount == 156_564)
    #expect(try Architecture.named("nonsense", classCount: 3) == nil)
  }

  @Test func aDescriptionSurvivesJSON() throws {
    let all = try Architecture(
      name: "all", inputSize: 20,
      layers: [
        .convolution(filters: 4, kernel: 5, padding: .valid), .batchNormalization, .relu,
        .maxPooling(size: 2), .flatten, .dropout(rate: 0.25), .dense(units: 3),
      ])
    let data = try JSONEncoder().encode(all)
    #expect(try JSONDecoder().decode(Architecture.self, from: data) == all)
    for graph in Graphs.all {
      let graph = try graph.architecture()
      let data = try JSONEncoder().encode(graph)
      #expect(try JSONDecoder().decode(Architecture.self, from: data) == graph)
    }
  }

  private static let pen = NetworkInput(
    name: "pen", form: .series(channels: 2, length: .variable(1...100)))

  /// A length may vary as long as no parameter depends on it.
  @Test func lengthsMayVary() throws {
    let steps = try Architecture(
      name: "steps", inputs: [Self.pen],
      nodes: [.init(.batchNormalization), .init(.relu)], output: .distributionPerStep)
    #expect(steps.classCount == 2 && steps.outputShapes[1] == .series(length: 100, channels: 2))
    let data = try JSONEncoder().encode(steps)
    #expect(try JSONDecoder().decode(Architecture.self, from: data) == steps)
    #expect {
      try Architecture(
        name: "flat", inputs: [Self.pen], nodes: [.init(.flatten), .init(.dense(units: 3))])
    } throws: { "\($0)".contains("layer 1: expected dense with an input of one length") }
    // A picture 12 to 13 wide loses what does not fill a square: both become 6.
    let picture = NetworkInput(
      name: "line", form: .image(channels: 1, height: 12, width: .variable(12...13)))
    let pooled = try Architecture(
      name: "pooled", inputs: [picture],
      nodes: [.init(.maxPooling(size: 2)), .init(.flatten), .init(.dense(units: 3))])
    #expect(pooled.parameters[0].shape == [3, 36])
  }

  @Test(arguments: [
    (
      [Architecture.Node(.dense(units: 3), from: [.node(0)])], "layer 0: expected sources that come"
    ),
    ([.init(.dense(units: 3), from: [.input(1)])], "layer 0: expected sources that come before it"),
    ([.init(.dense(units: 3), from: [])], "layer 0: expected dense with 1 to 64 sources, found 0"),
    (
      [.init(.flatten), .init(.relu, from: [.node(0), .node(0)]), .init(.dense(units: 3))],
      "layer 1: expected relu with 1 source, found 2"
    ),
    (
      [.init(.flatten), .init(.relu), .init(.dense(units: 3), from: [.node(0)])],
      "layer 1: expected a node that reads what it computes, found none"
    ),
  ])
  func sourcesHaveToFit(nodes: [Architecture.Node], message: String) {
    #expect {
      try Architecture(name: "a", inputs: [.picture(size: 12)], nodes: nodes)
    } throws: { "\($0)".contains(message) }
  }

  @Test(arguments: [
    ([Layer.dense(units: 3)], "layer 0: expected dense with a vector to work on (flatten first)"),
    ([.flatten, .relu], "layer 1: expected a dense layer at the end, found relu"),
    ([], "expected a dense layer at the end, found no layers"),
    (
      [.convolution(filters: 2, kernel: 4, padding: .same)],
      "layer 0: expected convolution with an odd kernel"
    ),
    (
      [.convolution(filters: 0, kernel: 3, padding: .same)],
      "layer 0: expected convolution with 1 to 4096 filters"
    ),
    (
      [.convolution(filters: 2, kernel: 13, padding: .valid)],
      "layer 0: expected convolution with an input larger than its kernel"
    ),
    ([.maxPooling(size: 13)], "layer 0: expected maxPooling with an input of at least 13 × 13"),
    ([.flatten, .maxPooling(size: 2)], "layer 1: expected maxPooling with planes to work on"),
    (
      [.flatten, .dropout(rate: 1), .dense(units: 2)],
      "layer 1: expected dropout with a rate from 0 to below 1"
    ),
    (
      [.flatten, .dense(units: 65536), .dense(units: 65536)], "expected at most 50000000 parameters"
    ),
  ])
  func whatDoesNotFitNamesTheLayer(layers: [Layer], message: String) {
    #expect {
      try Architecture(name: "a", inputSize: 12, layers: layers)
    } throws: { "\($0)".contains(message) }
  }
}
