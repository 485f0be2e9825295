import Foundation
import InkNetwork
import Testing

@Suite(.timeLimit(.minutes(2))) struct ArchitectureTests {
  @Test func theNamedNetworksHaveTheParametersThatTheSpecificationCounts() throws {
    let drawing = try Architecture.drawing(classCount: 3)
    #expect(drawing.parameterCount == 97_539)
    #expect(drawing.multiplyAdds.reduce(0, +) == 1_993_344)
    #expect(drawing.shapes.map(\.description).joined(separator: ", ").hasSuffix("576, 128, 128, 3"))
    #expect(try Architecture.leNet(classCount: 10).parameterCount == 3_274_634)
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
