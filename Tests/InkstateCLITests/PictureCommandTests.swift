import Foundation
import InkImageIO
import InkNetwork
import InkRaster
import InkRecognizer
import Testing
import TestSupport

/// Commands on pictures and ink in the forms that other people have them.
@Suite(.timeLimit(.minutes(30))) struct PictureCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ words: String, input: String = "") throws -> CommandResult {
    try inkstate(words.split(separator: " ").map(String.init), in: folder, input: input)
  }

  /// A hook or a line of `size` units at `place`, with small differences.
  private func recording(_ label: String, _ number: Int, size: Double, place: Double) -> String {
    let points =
      label == "hook"
      ? [(0.0, 0.0), (0.1, 0.9), (0.5, 1), (0.9, 0.8 - 0.02 * Double(number))]
      : [(0.0, 0.02 * Double(number)), (0.5, 0.1), (1, 0.2)]
    let xs = points.map { "\(place + size * $0.0)" }.joined(separator: ",")
    let ys = points.map { "\(place + size * $0.1)" }.joined(separator: ",")
    return #"{"word":"\#(label)","drawing":[[[\#(xs)],[\#(ys)]]]}"# + "\n"
  }

  private func writeInk(_ name: String, size: Double, place: Double) throws {
    var text = ""
    for number in 0..<16 {
      for label in ["hook", "line"] {
        text += recording(label, number, size: size, place: place)
      }
    }
    try folder.write(name, text)
  }

  // MARK: Units

  @Test(arguments: [(0.8, 0.1), (0.3, 11), (3, 180)])
  func everyCommandAgreesAboutSmallUnits(size: Double, place: Double) throws {
    try writeInk("ink.ndjson", size: size, place: place)
    let said = "ink.ndjson: the drawings are too small to be in canvas points"
    for command in [
      "dataset describe ink.ndjson", "dataset split ink.ndjson -o parts",
      "train ink.ndjson --epochs 8 --augment none -o m.safetensors",
      "evaluate ink.ndjson --model m.safetensors --json",
      "calibrate m.safetensors ink.ndjson -o c.safetensors",
      "cross-validate ink.ndjson --folds 2 --epochs 1", "classify ink.ndjson",
      "dataset import ink.ndjson -o imported.ndjson",
    ] {
      let result = try run(command)
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(result.errors.contains(said), "\(command): \(result.errors)")
      #expect(!result.errors.contains("tap"), "\(command): \(result.errors)")
      #expect(!result.output.contains("tooSmall"), "\(command): \(result.output)")
    }
    // The parts and the model keep the unit, and one drawing is judged by it.
    for command in [
      "dataset describe parts", "train parts --epochs 1 -o p.safetensors",
      "evaluate parts --model m.safetensors", "classify --model m.safetensors one.ndjson",
      "dataset describe imported.ndjson",
    ] {
      try folder.write("one.ndjson", recording("hook", 3, size: size, place: place))
      let result = try run(command)
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(!result.errors.contains("too small"), "\(command): \(result.errors)")
      #expect(!result.errors.contains("tap"), "\(command): \(result.errors)")
      #expect(!result.output.contains("tooSmall"), "\(command): \(result.output)")
    }
    let tap = try run(
      "classify --model m.safetensors",
      input: recording("hook", 3, size: size / 100, place: place))
    #expect(tap.output.contains("tooSmall"))
    let described = try run("dataset describe parts/train.ndjson")
    #expect(described.output.contains(#/longer side, canvas points +1[12]\d/#), "\(described)")
  }

  @Test func theUnitCanBeSaid() throws {
    let small = recording("hook", 0, size: 5, place: 300)
    try folder.write("a.ndjson", small)
    for words in ["classify a.ndjson", "classify --scale 1 a.ndjson"] {
      #expect(try run(words).output.contains("tooSmall"))
    }
    for (words, input) in [("classify --scale 38 a.ndjson", ""), ("classify --scale 38", small)] {
      let result = try run(words, input: input)
      #expect(result.status == 0 && !result.output.contains("tooSmall"), "\(result)")
    }
    let own = small.replacing("{\"word\"", with: "{\"pointsPerUnit\":38,\"word\"")
    #expect(try !run("classify", input: own).output.contains("tooSmall"))
    try writeInk("b.ndjson", size: 5, place: 300)
    let forced = try run("train b.ndjson --scale 1 --epochs 1 -o m.safetensors")
    #expect(forced.status != 0 && forced.errors.contains("taps not counted"), "\(forced)")
    let given = try run("train b.ndjson --scale 38 --epochs 1 -o m.safetensors")
    #expect(given.status == 0 && !given.errors.contains("too small"), "\(given)")
    let inspected = try run("inspect m.safetensors")
    #expect(inspected.output.contains("extent at least 0.315"), "\(inspected.output)")
    for value in ["0", "-1", "nan"] {
      #expect(try run("classify --scale=\(value) a.ndjson").status == 64)
    }
  }

  // MARK: Pictures

  private func jpeg(_ bitmap: Bitmap) throws -> Data {
    try JPEG.encode(
      Photograph(
        width: bitmap.width, height: bitmap.height, channels: 1, samples: bitmap.pixels),
      quality: 92)
  }

  @Test func jpegsAreClassifiedReadAndLearnt() throws {
    for number in 0..<6 {
      let ring = try Rasterizer(size: 64, penWidth: 4).render(circle(radius: 40 + Double(number)))
      let part = try Rasterizer(size: 64, penWidth: 4).render(
        circle(radius: 40, turns: 0.4 + 0.01 * Double(number)))
      try folder.write("p/ring/\(number).jpg", jpeg(number % 2 == 0 ? ring : ring.inverted()))
      try folder.write("p/part/\(number).png", PNG.encode(part))
    }
    try folder.write("p/part/blank.jpg", jpeg(Bitmap(width: 64, height: 64, filledWith: 255)))
    let trained = try run("train p --epochs 1 -o m.safetensors")
    #expect(trained.status == 0, "\(trained.errors)")
    #expect(trained.errors.contains("left out: 1 blank picture in p"), "\(trained.errors)")
    #expect(
      trained.errors.contains(
        "p: dark ink on a light background in 3 of 12 pictures, inverted"), "\(trained.errors)")
    #expect(trained.errors.contains("12 examples of part, ring"))
    let classified = try run("classify p/ring/0.jpg p/ring/1.jpg")
    #expect(classified.status == 0 && classified.output.matches(of: /state/).count == 2)
    #expect(try run("read p/ring/1.jpg").status == 0)
    try folder.write("bad.jpg", jpeg(Bitmap(width: 64, height: 64)).prefix(200))
    #expect(try run("classify bad.jpg").status == 2)
  }

  @Test func anImportSaysWhatItAssumes() throws {
    let model = try randomModel([.flatten, .dense(units: 2)], inputSize: 28)
    try folder.write("m.safetensors", model.encoded())
    _ = try run("export m.safetensors --output own.onnx")
    let own = try run("import own.onnx -o own.safetensors")
    #expect(own.status == 0 && !own.errors.contains("assumed"), "\(own.errors)")
    try folder.write(
      "w.npz",
      Data(
        contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
          .appendingPathComponent("../InkExchangeTests/References/turi-create.mlmodel")))
    try FileManager.default.moveItem(
      atPath: "\(folder.path)/w.npz", toPath: "\(folder.path)/t.mlmodel")
    var result = try run("import t.mlmodel -o a.safetensors")
    #expect(
      result.errors.contains(
        "assumed: drawings get margin 1.0 and pen width 1.75 pixels, and pictures of every size "
          + "are scaled as a whole (--margin and --pen-width override this, or --pictures"),
      "\(result.errors)")
    result = try run("import t.mlmodel --margin 0 --pen-width 1 -o b.safetensors")
    #expect(result.errors.contains("assumed: drawings get margin 0.0 and pen width 1.0 pixels"))
    for number in 0..<4 {
      let drawing = circle(radius: 40, turns: 0.9 + 0.02 * Double(number))
      try folder.write(
        "p/a/\(number).png",
        PNG.encode(Rasterizer(size: 28, margin: 4, penWidth: 3).render(drawing)))
    }
    result = try run("import t.mlmodel --pictures p -o c.safetensors")
    #expect(result.errors.contains("measured on p: drawings get margin"), "\(result.errors)")
    let frame = try Model.read(path: "\(folder.path)/c.safetensors").rasterizer?.pictures
    #expect(try #require(frame).side < 22)
  }
}
