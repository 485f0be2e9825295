import Foundation
import Ink
import InkNetwork
import InkRaster
import InkRecognizer

/// Reads lines of writing with one model, from strokes or from pictures.
///
/// A line whose best text has a probability below 0.7 is looked at four times more, a little wider or narrower, sloping
/// and leaning; the probability of each text is then its mean over these views.
///
/// It is deterministic, reads no files after its creation, and can be shared between threads.
public struct Reader: Sendable {
  /// The model that reads.
  public let model: Model
  /// The characters that the model knows.
  public let alphabet: Alphabet
  /// The number of cores that look at a line.
  ///
  /// The answer is the same for any; more than two gain little.
  public var workers = 1
  private let network: InferenceNetwork
  private let letters: LetterSequences?

  /// The probability of a text from which the plain view is enough.
  package static let sureProbability = 0.7
  /// The number of texts of a view that count.
  private static let candidatesOfView = 16
  /// The views besides the plain one; models/README.md has what they and the probability give.
  package static let otherViews = [
    LineView(stretch: 0.87, slope: 0.05, slant: -0.12),
    LineView(stretch: 1.15, slope: -0.05, slant: 0.12),
    LineView(stretch: 0.93, slope: -0.07, slant: 0.1),
    LineView(stretch: 1.08, slope: 0.07, slant: -0.1),
  ]

  /// A line that was read.
  public struct Line: Hashable, Sendable {
    /// The text, its probability and other candidates.
    public var reading: Reading
    /// The indices of the strokes of each character of the best text, or `nil` if they cannot be told
    /// apart, as in joined writing, or if a picture was read.
    public var strokes: [[Int]]?
    /// The columns of the picture that each character of the best text covers, in pixels, or `nil` if they
    /// cannot be told apart, as in joined writing, or if strokes were read.
    public var columns: [ClosedRange<Double>]?

    /// Returns the line with its columns so many pixels further to the right.
    fileprivate func moved(by distance: Double) -> Line {
      var line = self
      line.columns = columns?.map { $0.lowerBound + distance...$0.upperBound + distance }
      return line
    }
  }

  /// Creates a reader with `model`.
  ///
  /// - Throws: `ModelError` if the model does not read text from lines.
  public init(model: Model, path: String = "model") throws(ModelError) {
    guard model.readsText, model.preprocessing.count == 1,
      case .line = model.preprocessing[0]
    else { throw ModelError(path: path, problem: "the model does not read lines of writing") }
    do { alphabet = try Alphabet(model.labels.joined()) } catch {
      throw ModelError(path: path, problem: "\(error)")
    }
    self.model = model
    network = InferenceNetwork(model.network)
    letters = model.letters.map { [alphabet] in LetterSequences($0, alphabet: alphabet) }
  }

  /// Creates a reader with the model file at `path`.
  ///
  /// - Throws: `ModelError` if the file is not a model that reads text from lines.
  public init(modelPath path: String) throws(ModelError) {
    try self.init(model: Model.read(path: path), path: path)
  }

  /// Creates a reader with the model file at `url`, such as a resource of an app.
  ///
  /// - Throws: `ModelError` if the file is not a model that reads text from lines.
  public init(modelURL url: URL) throws(ModelError) {
    try self.init(model: Model.read(url: url), path: url.path)
  }

  /// Creates a reader with the bytes of a model file; errors call it `name`.
  ///
  /// - Throws: `ModelError` if the bytes are not a model that reads text from lines.
  public init(modelData data: Data, name: String = "model") throws(ModelError) {
    try self.init(model: Model(data, path: name), path: name)
  }

  /// Creates a reader with the model that comes with this package, in the resources of the module `InkReader`.
  ///
  /// - Throws: `ModelError` if the file is missing, with the folders where it was looked for, or damaged.
  public static func released() throws(ModelError) -> Reader {
    try Reader(modelPath: ModuleResources(module: "InkReader").path(of: "reader.safetensors"))
  }

  /// Returns a decoder for the texts of `grammar` that prefers the words of `vocabulary`.
  ///
  /// With the grammar `text`, letters that follow each other as in the words that the model knows are likelier than
  /// others, so the probability of a reading is not that of CTC alone.
  public func decoder(grammar: Grammar = .text, vocabulary: [String] = []) -> CTCDecoder {
    var decoder = decoderWithoutLimits(grammar: grammar, vocabulary: vocabulary)
    let limits = model.decision.reading ?? .standard
    decoder.options.minimumEvidence = limits.minimumEvidence
    decoder.options.minimumProbability = limits.minimumProbability
    decoder.options.maximumNoWriting = limits.maximumNoWriting
    return decoder
  }

  /// Returns a decoder that rejects no text.
  package func decoderWithoutLimits(
    grammar: Grammar = .text, vocabulary: [String] = []
  ) -> CTCDecoder {
    CTCDecoder(
      alphabet: alphabet, grammar: grammar,
      vocabulary: vocabulary.isEmpty ? nil : Vocabulary(vocabulary, alphabet: alphabet),
      letters: grammar == .text ? letters : nil)
  }

  /// Reads `drawing`, one line of writing.
  ///
  /// - Parameter isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left
  ///   out.
  /// - Throws: `PreparationError` if the drawing cannot be rendered.
  public func read(
    _ drawing: Drawing, isTraced: Bool = false, with decoder: CTCDecoder
  ) throws(PreparationError) -> Line {
    var line = Line(
      reading: try reading(
        of: .drawing(drawing), isTraced: isTraced, with: decoder,
        temperature: model.decision.temperature))
    let extents = drawing.strokes.enumerated().compactMap { index, stroke in
      Drawing([stroke]).bounds.map { Extent(index: index, columns: $0.minX...$0.maxX) }
    }
    let groups = Self.groups(of: extents, height: drawing.bounds?.height ?? 0)
    if groups.count == line.reading.text.count {
      line.strokes = groups.map { $0.map(\.index).sorted() }
    }
    return line
  }

  /// Reads `page`, writing of one line or several: the words of each line from left to right, the lines from top
  /// to bottom.
  ///
  /// Texts of a grammar other than `text` are not divided into words. A label stays one word, and a blank page
  /// is one word that is rejected.
  ///
  /// - Parameter isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left
  ///   out.
  /// - Throws: `PreparationError` if the drawing cannot be rendered.
  public func readPage(
    _ page: Drawing, isTraced: Bool = false, with decoder: CTCDecoder
  ) throws(PreparationError) -> [[Line]] {
    let inked = page.strokes.indices.filter { !page.strokes[$0].points.isEmpty }
    let layout = WritingLayout(
      of: inked.map { Drawing([page.strokes[$0]]).bounds! }, dividesWords: decoder.grammar == .text)
    guard layout.lines.joined().count > 1 else {
      return [[try read(page, isTraced: isTraced, with: decoder)]]
    }
    return try layout.lines.map { words throws(PreparationError) in
      let texts = try words.map { word throws(PreparationError) in
        let strokes = word.map { inked[$0] }
        var line = try read(
          Drawing(strokes.map { page.strokes[$0] }), isTraced: isTraced, with: decoder)
        line.strokes = line.strokes?.map { $0.map { strokes[$0] } }
        return line
      }
      return Self.withoutBlanks(texts)
    }
  }

  /// Reads `page`, a picture with one line of writing or several: the words of each line from left to right, the
  /// lines from top to bottom.
  ///
  /// Lines that the upper or lower edge cuts off are left out.
  ///
  /// - Throws: `PreparationError` if the picture cannot be rendered.
  public func readPage(
    _ page: Bitmap, with decoder: CTCDecoder
  ) throws(PreparationError) -> [[Line]] {
    let (ink, parts, layout) = Self.layout(of: page, for: decoder)
    // What the edge cuts off is a remainder of another line beside a strip.
    let whole = layout.lines.filter { line in
      line.joined().allSatisfy { parts[$0].minY > 0 && parts[$0].maxY < Double(page.height) }
    }
    guard whole.count > 1 || layout.lines.count == 1 && layout.lines[0].count > 1 else {
      return [[try read(ink, height: page.height, with: decoder)]]
    }
    return try (whole.count > 1 ? whole : layout.lines).map { line throws(PreparationError) in
      let words = line.map { $0.map { parts[$0] } }
      if layout.lines.count > 1 {
        // The gaps in a line are seen better without the rest of a high page, which is made smaller.
        let (row, left) = page.part(around: Array(words.joined()))
        if let found = try self.words(of: row, with: decoder) {
          return found.map { $0.moved(by: left) }
        }
      }
      return try read(words, of: page, with: decoder)
    }
  }

  /// Finds the ink of a picture, the rectangles around its parts, and the lines and words that these make.
  private static func layout(
    of picture: Bitmap, for decoder: CTCDecoder
  ) -> (ink: StripInk?, parts: [Bounds], layout: WritingLayout) {
    let ink = StripInk(picture)
    let parts = ink?.boundsOfParts ?? []
    return (ink, parts, WritingLayout(of: parts, dividesWords: decoder.grammar == .text))
  }

  /// Reads the words of `row`, a line that was cut from a page, or returns `nil` if it seems to be several.
  private func words(
    of row: Bitmap, with decoder: CTCDecoder
  ) throws(PreparationError) -> [Line]? {
    let (ink, parts, layout) = Self.layout(of: row, for: decoder)
    guard layout.lines.count == 1 else { return nil }
    let words = layout.lines[0].map { $0.map { parts[$0] } }
    return words.count == 1
      ? [try read(ink, height: row.height, with: decoder)]
      : try read(words, of: row, with: decoder)
  }

  /// Reads the words of a line, given the rectangles around the parts of each.
  private func read(
    _ words: [[Bounds]], of page: Bitmap, with decoder: CTCDecoder
  ) throws(PreparationError) -> [Line] {
    let texts = try words.map { word throws(PreparationError) in
      let (part, left) = page.part(around: word)
      return try read(part, with: decoder).moved(by: left)
    }
    return Self.withoutBlanks(texts)
  }

  /// Returns the words of a line without those that are blank, such as a speck; the first one if all are.
  static func withoutBlanks(_ words: [Line]) -> [Line] {
    let inked = words.filter { $0.reading.rejection != .empty }
    return inked.isEmpty ? Array(words.prefix(1)) : inked
  }

  /// Reads `strip`, a line of writing that was cut from a picture.
  ///
  /// - Throws: `PreparationError` if the strip cannot be rendered.
  public func read(_ strip: Bitmap, with decoder: CTCDecoder) throws(PreparationError) -> Line {
    try read(StripInk(strip), height: strip.height, with: decoder)
  }

  /// Reads the ink of a strip of so many rows.
  private func read(
    _ ink: StripInk?, height: Int, with decoder: CTCDecoder
  ) throws(PreparationError) -> Line {
    var line = Line(
      reading: try reading(of: ink, with: decoder, temperature: model.decision.temperature))
    let extents = (ink?.boundsOfParts ?? []).enumerated().map {
      Extent(index: $0, columns: $1.minX...$1.maxX)
    }
    let groups = Self.groups(of: extents, height: Double(height))
    if groups.count == line.reading.text.count {
      line.columns = groups.map { group in
        group.map(\.columns.lowerBound).min()!...group.map(\.columns.upperBound).max()!
      }
    }
    return line
  }

  /// The horizontal extent of a stroke or of connected ink.
  private struct Extent {
    var index: Int
    var columns: ClosedRange<Double>
  }

  /// Groups what is above each other or touches, from left to right: the parts of one character.
  ///
  /// The steps of the network do not tell this: it may see a character early or late.
  private static func groups(of extents: [Extent], height: Double) -> [[Extent]] {
    var groups: [(parts: [Extent], low: Double, high: Double)] = []
    for one in extents.sorted(by: { $0.columns.lowerBound < $1.columns.lowerBound }) {
      let (low, high) = (one.columns.lowerBound, one.columns.upperBound)
      // More than half of the narrower one is above or below the other, or a stem touches it.
      if let last = groups.last,
        min(last.high, high) - low >= min(high - low, last.high - last.low) / 2
          || low - last.high <= 0.04 * height && high - low <= 0.15 * height
      {
        groups[groups.count - 1].parts.append(one)
        groups[groups.count - 1].high = max(last.high, high)
      } else {
        groups.append(([one], low, high))
      }
    }
    return groups.map(\.parts)
  }

  /// Returns the number of steps in which the network reads a picture of a line; 0 of a line that is too long.
  package func stepCount(of strip: Bitmap) -> Int {
    guard let values = try? model.preprocessing[0].values(of: .bitmap(strip), isTraced: false)
    else { return 0 }
    let architecture = model.architecture
    return architecture.outputSteps(of: [values.count / architecture.inputs[0].valuesPerStep]) ?? 0
  }

  /// Returns the logits of the network, `[steps, classes]`, or `nil` if there is no ink.
  ///
  /// - Parameters:
  ///   - isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left out.
  ///   - view: How the line is looked at.
  package func logits(
    of input: RecognitionInput, isTraced: Bool = false, view: LineView = .plain
  ) throws(PreparationError) -> [Float]? {
    logits(of: try model.preprocessing[0].values(of: input, isTraced: isTraced, view: view))
  }

  private func logits(of values: [Float]) -> [Float]? {
    values.contains { $0 > 0 } ? network.logits(of: [values], workers: workers) : nil
  }

  /// Returns the text of `input`, which is looked at in several views if the plain one leaves a doubt.
  ///
  /// - Parameter isTraced: Whether the strokes were traced on a picture; their directions are then unknown and left
  ///   out.
  package func reading(
    of input: RecognitionInput, isTraced: Bool = false, with decoder: CTCDecoder,
    temperature: Double
  ) throws(PreparationError) -> Reading {
    switch input {
    case .bitmap(let strip), .strip(let strip):
      return try reading(of: StripInk(strip), with: decoder, temperature: temperature)
    case .drawing, .series:
      let preprocessing = model.preprocessing[0]
      return try reading(with: decoder, temperature: temperature) {
        view throws(PreparationError) in
        try preprocessing.values(of: input, isTraced: isTraced, view: view)
      }
    }
  }

  /// Returns the text of the ink of a strip.
  private func reading(
    of ink: StripInk?, with decoder: CTCDecoder, temperature: Double
  ) throws(PreparationError) -> Reading {
    try reading(with: decoder, temperature: temperature) { view throws(PreparationError) in
      try model.preprocessing[0].values(of: ink, view: view)
    }
  }

  /// Returns the text of a line that `values` renders.
  private func reading(
    with decoder: CTCDecoder, temperature: Double,
    values: (LineView) throws(PreparationError) -> [Float]
  ) throws(PreparationError) -> Reading {
    // A text that is hardly seen in one view may be the best of all.
    var viewDecoder = decoder
    viewDecoder.options.maximumCandidates = max(
      Self.candidatesOfView, decoder.options.maximumCandidates)
    let logits = logits(of: try values(.plain))
    let first = reading(of: logits, with: viewDecoder, temperature: temperature)
    guard first.rejection != .empty else {
      return reading(of: logits, with: decoder, temperature: temperature)
    }
    var views = [first]
    if first.probability < Self.sureProbability {
      views += Self.otherViews.compactMap { view in
        // A line may be too long in a wider view.
        (try? values(view)).map {
          reading(of: self.logits(of: $0), with: viewDecoder, temperature: temperature)
        }
      }
    }
    return Reading(views: views, with: decoder)
  }

  /// Returns the text for the logits of a line.
  package func reading(
    of logits: [Float]?, with decoder: CTCDecoder, temperature: Double
  ) -> Reading {
    guard let logits else {
      return Reading(
        candidates: [.init(text: "", probability: 1)], evidence: 0, noWriting: 0,
        rejection: .empty)
    }
    let output = LogProbabilities(
      logits: logits, classCount: alphabet.classCount, temperature: temperature)
    do { return try decoder.read(output) } catch {
      preconditionFailure("a decoder of this reader: \(error)")
    }
  }
}

extension Bitmap {
  /// The part of the picture around `rectangles`, with a fifth of their height on each side, and its left edge.
  fileprivate func part(around rectangles: [Bounds]) -> (part: Bitmap, left: Double) {
    var bounds = rectangles[0]
    for other in rectangles {
      bounds = bounds.extended(to: Point(other.minX, other.minY))
        .extended(to: Point(other.maxX, other.maxY))
    }
    let margin = max(2, bounds.height / 5)
    let rows = max(0, Int(bounds.minY - margin))..<min(height, Int(bounds.maxY + margin) + 1)
    let columns = max(0, Int(bounds.minX - margin))..<min(width, Int(bounds.maxX + margin) + 1)
    let part = Bitmap(
      width: columns.count, height: rows.count,
      pixels: rows.flatMap { row in
        pixels[row * width + columns.lowerBound..<row * width + columns.upperBound]
      })
    return (part, Double(columns.lowerBound))
  }
}
