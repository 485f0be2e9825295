import Ink
import InkNetwork
import InkRaster
import InkRecognizer

/// Reads lines of writing with one model, from strokes or from pictures.
///
/// It is deterministic, reads no files after its creation, and can be shared between threads.
public struct Reader: Sendable {
  /// The model that reads.
  public let model: Model
  /// The characters that the model knows.
  public let alphabet: Alphabet
  private let rasterizer: LineRasterizer
  private let scale: Float
  private let network: InferenceNetwork

  /// A line that was read.
  public struct Line: Hashable, Sendable {
    /// The text, its probability and other candidates.
    public var reading: Reading
    /// The horizontal extent of each character of the best text, on the canvas or in the picture.
    public var extents: [ClosedRange<Double>]
    /// The indices of the strokes of each character of the best text; none for a picture.
    public var strokes: [[Int]]
  }

  /// Creates a reader with `model`.
  ///
  /// - Throws: `ModelError` if the model does not read text from lines.
  public init(model: Model, path: String = "model") throws(ModelError) {
    guard model.readsText, model.preprocessing.count == 1,
      case .line(let rasterizer, let scale) = model.preprocessing[0]
    else { throw ModelError(path: path, problem: "the model does not read lines of writing") }
    do { alphabet = try Alphabet(model.labels.joined()) } catch {
      throw ModelError(path: path, problem: "\(error)")
    }
    self.model = model
    self.rasterizer = rasterizer
    self.scale = scale
    network = InferenceNetwork(model.network)
  }

  /// Creates a reader with the model file at `path`.
  ///
  /// - Throws: `ModelError` if the file is not a model that reads text from lines.
  public init(modelPath path: String) throws(ModelError) {
    try self.init(model: Model.read(path: path), path: path)
  }

  /// Returns a decoder for the texts of `grammar` that prefers the words of `vocabulary`.
  public func decoder(grammar: Grammar = .text, vocabulary: [String] = []) -> CTCDecoder {
    CTCDecoder(
      alphabet: alphabet, grammar: grammar,
      vocabulary: vocabulary.isEmpty ? nil : Vocabulary(vocabulary, alphabet: alphabet))
  }

  /// Reads `drawing`, one line of writing.
  ///
  /// - Throws: `RasterError` if the drawing cannot be rendered.
  public func read(_ drawing: Drawing, with decoder: CTCDecoder) throws(RasterError) -> Line {
    var line = read(try rasterizer.render(drawing), with: decoder)
    line.strokes = line.extents.map { _ in [] }
    guard !line.extents.isEmpty else { return line }
    for (index, stroke) in drawing.strokes.enumerated() {
      guard let bounds = Drawing([stroke]).bounds else { continue }
      // The nearest character, because strokes may reach beyond what the network looked at.
      let distances = line.extents.map { extent in
        max(extent.lowerBound - bounds.center.x, bounds.center.x - extent.upperBound, 0)
      }
      line.strokes[distances.indices.min { distances[$0] < distances[$1] }!].append(index)
    }
    return line
  }

  /// Reads `strip`, a line of writing that was cut from a picture.
  ///
  /// - Throws: `RasterError` if the strip cannot be rendered.
  public func read(_ strip: Bitmap, with decoder: CTCDecoder) throws(RasterError) -> Line {
    read(try rasterizer.render(strip), with: decoder)
  }

  private func read(_ image: LineImage, with decoder: CTCDecoder) -> Line {
    guard !image.isBlank else {
      return Line(
        reading: Reading(
          candidates: [.init(text: "", probability: 1)], steps: [], evidence: 0, rejection: .empty),
        extents: [], strokes: [])
    }
    let logits = network.logits(of: [image.bitmap.pixels.map { Float($0) * scale }])
    let output = LogProbabilities(
      logits: logits, classCount: alphabet.classCount, temperature: model.decision.temperature)
    let reading: Reading
    do { reading = try decoder.read(output) } catch {
      preconditionFailure("a decoder of this reader: \(error)")
    }
    let columns = Double(image.bitmap.width) / Double(output.stepCount)
    func x(_ step: Int) -> Double {
      image.left + Double(step) * columns * image.unitsPerColumn
    }
    return Line(
      reading: reading, extents: reading.steps.map { x($0.lowerBound)...x($0.upperBound) },
      strokes: [])
  }
}
