import ErrorText

/// One step of a network, as a value.
///
/// Each kind of layer is defined in a file of its own, by a ``LayerDefinition``. Every module that runs,
/// trains or exports networks has one exhaustive `switch` over them, so that the compiler names the places
/// that a new kind needs.
public enum Layer: Hashable, Sendable {
  /// A convolution over planes.
  case convolution(Convolution)
  /// Normalisation of every channel over the batch.
  case batchNormalization
  /// max(0, x), element by element.
  case relu
  /// The largest value of each square.
  case maxPooling(MaxPooling)
  /// Planes as one vector.
  case flatten
  /// Weighted sums of all inputs.
  case dense(Dense)
  /// Values left out while training.
  case dropout(Dropout)
  /// A convolution over time.
  case seriesConvolution(SeriesConvolution)
  /// Gated recurrent units.
  case gru(GRU)
  /// Long short-term memory.
  case lstm(LSTM)
  /// Pooling of all steps of a series.
  case timePooling(TimePooling)
  /// Normalisation of every step over its channels.
  case layerNormalization
  /// Concatenation.
  case concatenation
  /// Planes twice as high and wide.
  case upsampling
  /// The columns of planes as steps of a series.
  case columns

  /// What the layer is: formula, shapes, parameters, stored form.
  public var definition: any LayerDefinition { inference }

  /// The definition with what inference makes of the layer.
  var inference: any InferableLayer {
    switch self {
    case .convolution(let layer): layer
    case .batchNormalization: BatchNormalization()
    case .relu: ReLU()
    case .maxPooling(let layer): layer
    case .flatten: Flatten()
    case .dense(let layer): layer
    case .dropout(let layer): layer
    case .seriesConvolution(let layer): layer
    case .gru(let layer): layer
    case .lstm(let layer): layer
    case .timePooling(let layer): layer
    case .layerNormalization: LayerNormalization()
    case .concatenation: Concatenation()
    case .upsampling: Upsampling()
    case .columns: Columns()
    }
  }

  /// The kinds of layers, and how one is read.
  private static let readers: [(kind: String, read: @Sendable (any Decoder) throws -> Layer)] = [
    (Convolution.kind, { .convolution(try Convolution(from: $0)) }),
    (BatchNormalization.kind, { _ in .batchNormalization }),
    (ReLU.kind, { _ in .relu }),
    (MaxPooling.kind, { .maxPooling(try MaxPooling(from: $0)) }),
    (Flatten.kind, { _ in .flatten }),
    (Dense.kind, { .dense(try Dense(from: $0)) }),
    (Dropout.kind, { .dropout(try Dropout(from: $0)) }),
    (SeriesConvolution.kind, { .seriesConvolution(try SeriesConvolution(from: $0)) }),
    (GRU.kind, { .gru(try GRU(from: $0)) }),
    (LSTM.kind, { .lstm(try LSTM(from: $0)) }),
    (TimePooling.kind, { .timePooling(try TimePooling(from: $0)) }),
    (LayerNormalization.kind, { _ in .layerNormalization }),
    (Concatenation.kind, { _ in .concatenation }),
    (Upsampling.kind, { _ in .upsampling }),
    (Columns.kind, { _ in .columns }),
  ]
}

/// What a kind of layer is: everything about it that does not depend on how it is computed.
///
/// The coded form has one key for each stored property.
///
/// - Precondition: as many values as ``sourceCounts`` allows go into a layer.
public protocol LayerDefinition: Hashable, Sendable, Codable {
  /// The word for this kind in the JSON form.
  static var kind: String { get }
  /// The layer in a few words for people.
  var summary: String { get }
  /// How many values may go into it.
  static var sourceCounts: ClosedRange<Int> { get }

  /// The shape of what the layer makes of values of the shapes `inputs`, one example at a time.
  ///
  /// - Throws: ``LayerMismatch`` where the layer cannot work on them.
  func outputShape(of inputs: [Shape]) throws(LayerMismatch) -> Shape

  /// The arrays that the layer stores: what they do, and the lengths of their axes, slowest first.
  func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])]

  /// The multiplications with addition that one example takes.
  func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int

  /// Computes the layer for one example in plain loops, as at inference: slow, easy to read, and what
  /// the fast kernels are compared with.
  ///
  /// `stored` gives the values of a parameter.
  func apply(
    to inputs: [[Float]], shapes: [Shape], output: Shape, stored: (Parameter.Role) -> [Float]
  ) -> [Float]
}

extension LayerDefinition {
  /// One source, unless the layer says otherwise.
  public static var sourceCounts: ClosedRange<Int> { 1...1 }
  /// No parameters, unless the layer says otherwise.
  public func parameters(of inputs: [Shape]) -> [(role: Parameter.Role, shape: [Int])] { [] }
  /// None, unless the layer says otherwise.
  public func multiplyAdds(from inputs: [Shape], to output: Shape) -> Int { 0 }
}

/// Why a layer cannot work on what goes into it.
public struct LayerMismatch: DescribedError, Hashable {
  /// What was expected.
  public var expected: String
  /// What was there.
  public var found: String

  init(_ expected: String, found: String) {
    self.expected = expected
    self.found = found
  }

  /// The error in one line.
  public var description: String { "expected \(expected), found \(found)" }
}

extension Layer {
  /// The word for this kind of layer, as the JSON form has it.
  public var kind: String { type(of: definition).kind }
}

/// One object a layer, told apart by `kind`: `{"kind": "dense", "units": 128}`.
extension Layer: Codable {
  private enum CodingKeys: CodingKey {
    case kind
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where a key is missing or the kind unknown.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let kind = try container.decode(String.self, forKey: .kind)
    guard let reader = Self.readers.first(where: { $0.kind == kind }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: container,
        debugDescription: "expected "
          + Self.readers.dropLast().map { "`\($0.kind)`" }.joined(separator: ", ")
          + " or `\(Self.readers.last!.kind)`")
    }
    self = try reader.read(decoder)
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try definition.encode(to: encoder)
  }
}
