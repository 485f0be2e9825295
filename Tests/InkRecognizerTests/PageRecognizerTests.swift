import InkNetwork
import InkRaster
import InkRecognizer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct PageRecognizerTests {
  private func model(fields: [String] = ["x", "y"]) throws -> Model {
    try Model(
      network: randomNetwork(Architecture.page(classCount: 3, fields: 2), seed: 6),
      labels: ["nothing", "ring", "line"],
      preprocessing: [.page(PagePreparation(longerSide: 100, radius: 8))], fields: fields)
  }

  private var picture: Bitmap {
    Bitmap(
      width: 150, height: 77, pixels: (0..<150 * 77).map { UInt8(truncatingIfNeeded: $0 &* 37) })
  }

  @Test func aModelFileAnswersLikeItsModel() throws {
    let model = try model()
    let read = try Model(model.encoded(), path: "file")
    #expect(read == model)
    #expect(read.fields == ["x", "y"])
    let answer = try PageRecognizer(model: read).recognize(picture)
    #expect(try PageRecognizer(model: model).recognize(picture, workers: 2) == answer)
    // The longer side of 100 pixels, cells of 2.
    #expect((answer.picture.width, answer.picture.height) == (100, 51))
    #expect((answer.cells.columns, answer.cells.rows) == (50, 26))
    #expect(answer.cells.fields.count == 2 * 50 * 26)
    #expect(abs(answer.cells.shares.reduce(0, +) - 1) < 1e-12)
    let larger = try PageRecognizer(model: model).recognize(picture, longerSide: 300)
    #expect((larger.cells.columns, larger.cells.rows) == (150, 77))
  }

  @Test func aRecognizerOfDrawingsRefusesIt() throws {
    let data = try model().encoded()
    #expect(throws: ModelError.self) { try Recognizer(modelData: data) }
    #expect(throws: ModelError.self) {
      try PageRecognizer(model: randomModel([.flatten, .dense(units: 2)]))
    }
  }

  @Test func preprocessingAndFieldsFitTheNetwork() throws {
    #expect(throws: ModelError.self) { try self.model(fields: []) }
    #expect(throws: ModelError.self) { try self.model(fields: ["x", "x"]) }
    #expect(throws: ModelError.self) {
      try Model(
        network: randomNetwork(Architecture.page(classCount: 3), seed: 6),
        labels: ["nothing", "ring", "line"], preprocessing: [.raster(.standard)])
    }
    #expect(throws: ModelError.self) {
      try Model(
        network: randomNetwork(
          Architecture(
            name: "drawing", inputSize: 28, layers: [.flatten, .dense(units: 2)])),
        labels: ["a", "b"], preprocessing: [.page(.standard)])
    }
  }
}
