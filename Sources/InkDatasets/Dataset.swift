import Ink
import InkRaster

/// One thing to learn from or to be tested with.
public struct Example: Hashable, Sendable {
  /// Ink where the points are known, otherwise a picture.
  public enum Content: Hashable, Sendable {
    /// Strokes, rasterised when they are needed.
    case drawing(Drawing)
    /// Bright ink on black.
    case bitmap(Bitmap)
  }

  /// What to look at.
  ///
  /// A picture that stays on disk is read each time.
  public var content: Content {
    get {
      switch storage {
      case .memory(let content): content
      case .disk(let pictures, let index): .bitmap(pictures.bitmap(index))
      }
    }
    set { (place, storage) = (origin, .memory(newValue)) }
  }

  /// The picture on disk that it is, if it is one.
  public var stored: (pictures: StoredPictures, index: Int)? {
    if case .disk(let pictures, let index) = storage { (pictures, index) } else { nil }
  }

  private var storage: Storage

  private enum Storage: Hashable, Sendable {
    case memory(Content)
    case disk(StoredPictures, Int)
  }

  /// What it shows.
  public var label: String
  /// Who drew it; comparable only within one `source`.
  public var writer: String?
  /// What it was drawn with.
  public var device: String?
  /// The collection it comes from.
  public var source: String?
  /// Anything else that is known about it.
  public var attributes: [String: Recording.Attribute]
  /// Where it stands, for messages: a path, perhaps with a line.
  public var origin: String {
    get {
      // A million places in words would take more memory than anything else.
      guard place.isEmpty, let stored else { return place }
      return "\(stored.pictures.path), item \(stored.index + 1)"
    }
    set { place = newValue }
  }

  private var place = ""

  /// Makes an example.
  public init(
    _ content: Content, label: String, writer: String? = nil, device: String? = nil,
    source: String? = nil, attributes: [String: Recording.Attribute] = [:], origin: String
  ) {
    storage = .memory(content)
    self.label = label
    self.writer = writer
    self.device = device
    self.source = source
    self.attributes = attributes
    place = origin
  }

  /// Makes an example of picture `index` of `pictures`, which stays on disk.
  init(_ pictures: StoredPictures, index: Int, label: String, source: String?) {
    storage = .disk(pictures, index)
    self.label = label
    self.source = source
    attributes = [:]
  }

  /// Makes an example of a recording with a label.
  public init(_ recording: Recording, label: String, origin: String) {
    self.init(
      .drawing(recording.drawing), label: label, writer: recording.writer,
      device: recording.device, source: recording.source, attributes: recording.attributes,
      origin: origin)
  }

  /// Whose hand: source and writer together, or `nil` where the writer is unknown.
  public var hand: String? { writer.map { "\(source ?? "?")/\($0)" } }

  /// What it shows more precisely than its label: the attribute `kind`, or else the label.
  public var kind: String {
    if case .text(let kind)? = attributes["kind"] { kind } else { label }
  }

  /// The picture that `rasterizer` makes of it.
  ///
  /// - Throws: `RasterError` where a coordinate is not finite.
  public func bitmap(_ rasterizer: Rasterizer) throws(RasterError) -> Bitmap {
    switch content {
    case .drawing(let drawing): try rasterizer.render(drawing)
    case .bitmap(let bitmap): rasterizer.fit(bitmap)
    }
  }

  /// A hash of the content alone.
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
    case .bitmap(let bitmap):
      fingerprint.add(Double(bitmap.width))
      fingerprint.add(bitmap.pixels)
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

  /// Makes a data set; without `labels`, those that occur, in alphabetical order.
  public init(_ examples: [Example], labels: [String]? = nil) {
    self.examples = examples
    self.labels = labels ?? Set(examples.map(\.label)).sorted()
  }

  /// The class of every example.
  ///
  /// - Throws: `DatasetError` where an example has a label that the data set has not.
  public func classes() throws(DatasetError) -> [Int] {
    let indices = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    return try examples.map { example throws(DatasetError) in
      guard let index = indices[example.label] else {
        throw DatasetError(
          path: example.origin, expected: "a label of \(labels.joined(separator: ", "))",
          found: "`\(example.label)`")
      }
      return index
    }
  }

  /// A hash of contents and labels, in order.
  public var fingerprint: Fingerprint {
    var fingerprint = Fingerprint()
    for label in labels { fingerprint.add(label) }
    for example in examples {
      fingerprint.add(example.label)
      fingerprint.add(example.contentFingerprint.description)
    }
    return fingerprint
  }

  /// Adds the examples of `other`; the labels become those of both, in alphabetical order.
  public mutating func add(_ other: Dataset) {
    examples += other.examples
    labels = Set(labels + other.labels).sorted()
  }

  /// The examples at `indices`, with the same labels.
  public func subset(_ indices: [Int]) -> Dataset {
    Dataset(indices.map { examples[$0] }, labels: labels)
  }
}

/// A data set that is not what it has to be: where, what was expected and what was there.
public struct DatasetError: Error, Hashable, CustomStringConvertible {
  /// The file or folder, perhaps with a place in it.
  public var path: String
  /// What was expected there.
  public var expected: String
  /// What was there.
  public var found: String

  /// Makes the error of having `found` something else than was `expected` in `path`.
  public init(path: String, expected: String, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  public var description: String { "\(path): expected \(expected), found \(found)" }
}
