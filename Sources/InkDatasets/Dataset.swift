import Ink
import InkRaster
import InkSeries
import SafeFiles

/// A labelled example for training or testing.
public struct Example: Hashable, Sendable {
  /// The content of an example: ink, a picture or a recording of sensors.
  public enum Content: Hashable, Sendable {
    /// Strokes, which are rendered when needed.
    case drawing(Drawing)
    /// A picture with light ink on black.
    case bitmap(Bitmap)
    /// A recording of sensors.
    case series(Series)
    /// A strip with a line of writing, cut from a picture; dark on light or the reverse.
    case strip(Bitmap)

    /// The strokes, where there are some.
    public var drawing: Drawing? {
      if case .drawing(let drawing) = self { drawing } else { nil }
    }
  }

  /// The ink, picture, series or strip.
  ///
  /// A picture that is stored on disk is read each time.
  public var content: Content {
    get {
      switch storage {
      case .memory(let content): content
      case .disk(let pictures, let index): .bitmap(pictures.bitmap(index))
      }
    }
    set { (place, storage) = (origin, .memory(newValue)) }
  }

  /// The stored picture, if the example is one.
  public var stored: (pictures: StoredPictures, index: Int)? {
    if case .disk(let pictures, let index) = storage { (pictures, index) } else { nil }
  }

  private var storage: Storage

  private enum Storage: Hashable, Sendable {
    case memory(Content)
    case disk(StoredPictures, Int)
  }

  /// The label; empty if the labels are those of ``spans``.
  public var label: String
  /// The labelled parts of a series; other parts have no label.
  public var spans: [Span] = []
  /// The writer, or the person who was recorded; the same name in another `source` is another
  /// person.
  public var writer: String?
  /// The session of the recording; the same name of another writer is another session.
  public var session: String?
  /// The device, for example `finger`.
  public var device: String?
  /// The collection it comes from.
  public var source: String?
  /// The part of its data set that it belongs to, if its data set says so.
  public var part: Split.Part?
  /// Other attributes.
  public var attributes: [String: JSONValue]
  /// The origin in messages: a path, and a line if known.
  public var origin: String {
    get {
      // The text is computed, because a million texts would need too much memory.
      guard place.isEmpty, let stored else { return place }
      return "\(stored.pictures.path), item \(stored.index + 1)"
    }
    set { place = newValue }
  }

  private var place = ""

  /// Creates an example.
  public init(
    _ content: Content, label: String, writer: String? = nil, device: String? = nil,
    source: String? = nil, attributes: [String: JSONValue] = [:], origin: String
  ) {
    storage = .memory(content)
    self.label = label
    self.writer = writer
    self.device = device
    self.source = source
    self.attributes = attributes
    place = origin
  }

  /// Creates an example from picture `index` of `pictures`, which is stored on disk.
  init(_ pictures: StoredPictures, index: Int, label: String, source: String?) {
    storage = .disk(pictures, index)
    self.label = label
    self.source = source
    attributes = [:]
  }

  /// Creates an example from a recording with a label.
  public init(_ recording: Recording, label: String, origin: String) {
    self.init(
      .drawing(recording.drawing), label: label, writer: recording.writer,
      device: recording.device, source: recording.source, attributes: recording.attributes,
      origin: origin)
  }

  /// Whether the content has points, and not only pixels.
  package var isDrawing: Bool {
    if case .memory(.drawing) = storage { true } else { false }
  }

  /// Whether the content is a picture or a strip.
  package var isPicture: Bool {
    switch storage {
    case .memory(.bitmap), .memory(.strip), .disk: true
    case .memory(.drawing), .memory(.series): false
    }
  }

  /// Whether the content is a strip with a line of writing.
  public var isStrip: Bool {
    if case .memory(.strip) = storage { true } else { false }
  }

  /// Whether the content is a series.
  public var isSeries: Bool {
    if case .memory(.series) = storage { true } else { false }
  }

  /// The unique writer: source and writer name, or `nil` if the writer is unknown.
  public var hand: String? { writer.map { "\(source ?? "?")/\($0)" } }

  /// The unique session: source, writer and session name, or `nil` if the session is unknown.
  public var sitting: String? { session.map { "\(hand ?? "\(source ?? "?")/?")/\($0)" } }

  /// The labels of the whole or of its spans, each once; none for a series without a label.
  public var labels: Set<String> {
    if spans.isEmpty { return isSeries && label.isEmpty ? [] : [label] }
    return Set(spans.map(\.label))
  }

  /// The canvas points in one unit of the coordinates of a drawing, or `nil` if they are in points or
  /// unknown; it is stored as an attribute.
  public var pointsPerUnit: Double? {
    get { Recording.pointsPerUnit(in: attributes) }
    set { attributes[CanvasUnit.attributeName] = newValue.map { .number($0) } }
  }

  /// Whether the strokes were traced on a picture.
  package var isTraced: Bool { Recording.isTraced(attributes) }

  /// Returns the longer side below which the drawing is a tap, in its own unit, if `extent` is that of
  /// a model or a training.
  ///
  /// What says about its own unit is never judged by a larger one.
  public func minimumExtent(or extent: Double) -> Double {
    pointsPerUnit.map { min(extent, Stroke.minimumExtent / $0) } ?? extent
  }

  /// A more precise label: the attribute `kind`, or else the label.
  public var kind: String {
    if case .text(let kind)? = attributes["kind"] { kind } else { label }
  }

  /// Returns the picture, rendered by `rasterizer`.
  ///
  /// - Throws: `RasterError` if a coordinate is not finite, or if the example is a series.
  public func bitmap(_ rasterizer: Rasterizer) throws(RasterError) -> Bitmap {
    switch content {
    case .drawing(let drawing): try rasterizer.render(drawing)
    case .bitmap(let bitmap): rasterizer.fit(bitmap)
    case .strip(let strip): rasterizer.fit(strip.lightOnDark)
    case .series: throw RasterError.series
    }
  }

  /// Returns the picture of a line of writing, rendered by `rasterizer`.
  ///
  /// - Parameter hidesDirections: Whether the pen directions are left out, as those of traced strokes are.
  /// - Throws: `FileError` with the origin if there is no such picture.
  public func line(
    _ rasterizer: LineRasterizer, hidesDirections: Bool = false
  ) throws(FileError) -> LineImage {
    do {
      return switch content {
      case .drawing(let drawing):
        try rasterizer.render(drawing, isTraced: hidesDirections || isTraced)
      case .bitmap(let bitmap), .strip(let bitmap): try rasterizer.render(bitmap)
      case .series: throw RasterError.series
      }
    } catch {
      throw FileError(path: origin, expected: "a line of writing", found: "\(error)")
    }
  }

  /// Returns the picture, rendered by `rasterizer`, for a file of pictures.
  ///
  /// - Throws: `FileError` with the origin if there is no picture.
  func storablePicture(_ rasterizer: Rasterizer) throws(FileError) -> Bitmap {
    do {
      return try bitmap(rasterizer)
    } catch {
      throw FileError(
        path: origin, expected: "a drawing or picture that can be rasterised", found: "\(error)")
    }
  }

  /// A hash of the content without the label.
  public var contentFingerprint: Fingerprint {
    var fingerprint = Fingerprint()
    switch content {
    case .drawing(let drawing):
      for stroke in drawing.strokes {
        fingerprint.add(Double(stroke.points.count))
        for point in stroke.points {
          fingerprint.add(point.x)
          fingerprint.add(point.y)
        }
      }
    case .bitmap(let bitmap), .strip(let bitmap):
      fingerprint.add(Double(bitmap.width))
      fingerprint.add(bitmap.pixels)
    case .series(let series):
      for channel in series.channels { fingerprint.add(channel) }
      for value in series.values {
        // All gaps are the same.
        let bits = value.isNaN ? Float.nan.bitPattern : value.bitPattern
        withUnsafeBytes(of: bits.littleEndian) { fingerprint.add($0) }
      }
    }
    return fingerprint
  }
}

/// Examples with their labels in a fixed order.
public struct Dataset: Hashable, Sendable {
  /// The labels; an example's class is its label's position here.
  public var labels: [String]
  /// The examples.
  public var examples: [Example]

  /// Creates a data set; without `labels`, it has the labels of its examples in alphabetical order.
  public init(_ examples: [Example], labels: [String]? = nil) {
    self.examples = examples
    self.labels = labels ?? examples.reduce(into: Set()) { $0.formUnion($1.labels) }.sorted()
  }

  /// The class of every example.
  ///
  /// - Throws: `FileError` if the label of an example is not a label of the data set.
  public func classes() throws(FileError) -> [Int] {
    let indices = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    return try examples.map { example throws(FileError) in
      guard example.spans.isEmpty else {
        throw FileError(
          path: example.origin, expected: "one label for the whole recording",
          found: example.spans.count.counted("labelled span"))
      }
      guard let index = indices[example.label] else {
        throw FileError(
          path: example.origin, expected: "a label of \(labels.joined(separator: ", "))",
          found: "`\(example.label)`")
      }
      return index
    }
  }

  /// A hash of the contents and labels in order.
  public var fingerprint: Fingerprint {
    var fingerprint = Fingerprint()
    for label in labels { fingerprint.add(label) }
    for example in examples {
      fingerprint.add(example.label)
      for span in example.spans {
        fingerprint.add("\(span.range.lowerBound) \(span.range.upperBound) \(span.label)")
      }
      fingerprint.add(example.contentFingerprint.description)
    }
    return fingerprint
  }

  /// Adds the examples and labels of `other`; the labels are sorted alphabetically.
  public mutating func add(_ other: Dataset) {
    // Those of the first are shared, because a million need much memory.
    if examples.isEmpty { examples = other.examples } else { examples += other.examples }
    labels = Set(labels + other.labels).sorted()
  }

  /// Returns the examples at `indices`, with the same labels.
  public func subset(_ indices: [Int]) -> Dataset {
    Dataset(indices.map { examples[$0] }, labels: labels)
  }
}
