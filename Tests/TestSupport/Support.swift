import Foundation
import Ink
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import SeededRandom

/// A folder for one test, removed when the value goes away.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes a folder of its own.
  public init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("inkstate-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: Data) throws -> String {
    let file = "\(path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Writes a text file and returns its path.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try write(name, Data(text.utf8))
  }
}

/// The real recordings, which datasets/README.md describes; tests that need them are skipped where they
/// are absent.
public enum SharedData {
  /// Where they are: in the folder that `INKSTATE_DATA` names, or else in `../shared/data`, seen from the
  /// package's folder.
  public static let path: String = {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = ProcessInfo.processInfo.environment["INKSTATE_DATA"] ?? "../shared/data"
    return URL(fileURLWithPath: folder, relativeTo: package).path
  }()

  /// Whether they are there.
  public static var isPresent: Bool { FileManager.default.fileExists(atPath: path) }
}

/// Whether the tests run under the address or the thread sanitizer.
///
/// `scripts/check sanitize` says so. The sanitizers need more address space than any limit leaves, and
/// keep memory that was freed.
public let hasSanitizer = ProcessInfo.processInfo.environment["INKSTATE_SANITIZER"] != nil

/// Whether two lists of numbers agree to `tolerance`, relative for large numbers.
public func isClose(_ a: [Float], _ b: [Float], tolerance: Float) -> Bool {
  a.count == b.count
    && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($0), abs($1)) }
}

/// A recording with every field filled at random.
public func randomRecording(using generator: inout SeededGenerator) -> Recording {
  let hasTime = generator.chance(0.5)
  let hasPressure = generator.chance(0.5)
  let strokes = (0..<generator.index(below: 4)).map { _ in
    Stroke(
      (0..<generator.index(below: 12)).map { _ in
        Point(
          generator.normal() * 1000, generator.normal() * 1e-3,
          time: hasTime && generator.chance(0.9) ? (generator.uniform() * 1e13).rounded() : nil,
          pressure: hasPressure && generator.chance(0.9) ? generator.uniform() : nil)
      })
  }
  var recording = Recording(Drawing(strokes))
  let words = ["a", "ä \"quoted\" \\ 漢字", "line\nend", ""]
  if generator.chance(0.7) { recording.label = generator.pick(words) }
  if generator.chance(0.7) { recording.writer = generator.pick(words) }
  if generator.chance(0.7) { recording.device = generator.pick(words) }
  if generator.chance(0.7) { recording.source = generator.pick(words) }
  if generator.chance(0.7) {
    recording.attributes = [
      "recognized": .bool(generator.chance(0.5)), "key": .text(generator.pick(words)),
      "number": .number(generator.normal()),
    ]
  }
  return recording
}

/// A circle of `count` points.
public func circle(
  x: Double = 0, y: Double = 0, radius: Double, count: Int = 60, turns: Double = 1
) -> Drawing {
  Drawing([
    Stroke(
      (0..<count).map { index in
        let angle = 2 * .pi * turns * Double(index) / Double(count - 1)
        return Point(x + radius * cos(angle), y + radius * sin(angle))
      })
  ])
}

/// A network with random weights.
public func randomNetwork(_ architecture: Architecture, seed: UInt64 = 1) throws -> TrainedNetwork {
  var state = seed
  func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / Float(1 << 24) - 0.5
  }
  var weights: [String: Tensor] = [:]
  for parameter in architecture.parameters {
    let isVariance = parameter.role == .runningVariance
    weights[parameter.name] = Tensor(
      shape: parameter.shape,
      values: (0..<parameter.count).map { _ in isVariance ? abs(next()) + 0.1 : next() })
  }
  return try TrainedNetwork(architecture, weights: weights)
}

/// A model with random weights, thresholds and a calibration.
public func randomModel(_ layers: [Layer], inputSize: Int = 12, seed: UInt64 = 1) throws -> Model {
  let architecture = try Architecture(name: "test", inputSize: inputSize, layers: layers)
  return try Model(
    network: randomNetwork(architecture, seed: seed),
    labels: (0..<architecture.classCount).map { "class \($0)" },
    preprocessing: [.raster(Rasterizer(size: inputSize, margin: 1, penWidth: 1.5))],
    decision: .init(
      temperature: 1.5, minimumProbabilities: ["class 1": 0.5], minimumMargins: ["class 0": 0.1],
      minimumExtent: 9,
      rejectedLabel: "class 0"), provenance: ["seed": "7"])
}

/// A model with random weights that reads the picture and the strokes of a drawing.
public func randomFusionModel(seed: UInt64 = 1) throws -> Model {
  let channels = StrokeEncoder.standard.channels.map(\.rawValue)
  let architecture = try Architecture.fusion(classCount: 3, channels: channels.count)
  return try Model(
    network: randomNetwork(architecture, seed: seed), labels: ["a", "b", "other"],
    preprocessing: [
      .raster(.standard), .strokes(.standard, SeriesPreparation(channels: channels)),
    ], decision: .init(temperature: 100, minimumExtent: 9, rejectedLabel: "other"))
}
