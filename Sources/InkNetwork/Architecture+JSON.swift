import Foundation

/// `{"name": …, "inputSize": 28, "layers": [{"kind": "convolution", "filters": 16, "kernel": 3,
/// "padding": "same"}, {"kind": "relu"}, {"kind": "maxPooling", "size": 2}, {"kind": "flatten"},
/// {"kind": "dense", "units": 3}]}`
extension Architecture: Codable {
  private enum CodingKeys: CodingKey {
    case name, inputSize, layers
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form, `ArchitectureError` where it does not fit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      name: container.decodeIfPresent(String.self, forKey: .name) ?? "custom",
      inputSize: container.decode(Int.self, forKey: .inputSize),
      layers: container.decode([Layer].self, forKey: .layers))
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(inputSize, forKey: .inputSize)
    try container.encode(layers, forKey: .layers)
  }
}

/// One object a layer, told apart by `kind`.
extension Layer: Codable {
  private enum CodingKeys: CodingKey {
    case kind, filters, kernel, padding, size, units, rate
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where a key is missing or the kind unknown.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let kind = try container.decode(String.self, forKey: .kind)
    switch kind {
    case "convolution":
      self = .convolution(
        filters: try container.decode(Int.self, forKey: .filters),
        kernel: try container.decode(Int.self, forKey: .kernel),
        padding: try container.decode(Padding.self, forKey: .padding))
    case "batchNormalization": self = .batchNormalization
    case "relu": self = .relu
    case "maxPooling": self = .maxPooling(size: try container.decode(Int.self, forKey: .size))
    case "flatten": self = .flatten
    case "dense": self = .dense(units: try container.decode(Int.self, forKey: .units))
    case "dropout": self = .dropout(rate: try container.decode(Double.self, forKey: .rate))
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: container, debugDescription: "no layer is called `\(kind)`")
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    switch self {
    case .convolution(let filters, let kernel, let padding):
      try container.encode(filters, forKey: .filters)
      try container.encode(kernel, forKey: .kernel)
      try container.encode(padding, forKey: .padding)
    case .maxPooling(let size): try container.encode(size, forKey: .size)
    case .dense(let units): try container.encode(units, forKey: .units)
    case .dropout(let rate): try container.encode(rate, forKey: .rate)
    case .batchNormalization, .relu, .flatten: break
    }
  }
}
