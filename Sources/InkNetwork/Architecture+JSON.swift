/// `{"name": …, "inputs": [{"name": "image", …}], "nodes": [{"kind": "convolution", "filters": 16,
/// "kernel": 3, "padding": "same"}, {"kind": "relu"}, …, {"kind": "dense", "units": 3}],
/// "output": "distribution"}`
///
/// Also read is the form of before, `{"name": …, "inputSize": 28, "layers": […]}`.
extension Architecture: Codable {
  private enum CodingKeys: CodingKey {
    case name, inputs, nodes, output, inputSize, layers
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form, ``ArchitectureError`` where it does not fit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decodeIfPresent(String.self, forKey: .name) ?? "custom"
    let isOlder =
      container.contains(.inputSize)
      || container.contains(.layers) && !container.contains(.inputs)
    if !isOlder {
      let inputs = try container.decode([NetworkInput].self, forKey: .inputs)
      try self.init(
        name: name, inputs: inputs,
        nodes: container.decode([CodedNode].self, forKey: .nodes).map { try $0.node(inputs) },
        output: container.decodeIfPresent(Output.self, forKey: .output) ?? .distribution)
    } else {
      try self.init(
        name: name, inputSize: container.decode(Int.self, forKey: .inputSize),
        layers: container.decode([Layer].self, forKey: .layers))
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(inputs, forKey: .inputs)
    try container.encode(nodes.map { CodedNode($0, inputs) }, forKey: .nodes)
    try container.encode(output, forKey: .output)
  }

  /// A layer, with `"sources": ["image", 3]` where it reads something else than the node before: names
  /// of inputs and numbers of nodes.
  private struct CodedNode: Codable {
    private let layer: Layer
    private let sources: [CodedSource]?

    private enum CodingKeys: CodingKey {
      case sources
    }

    private enum CodedSource: Codable {
      case input(String)
      case node(Int)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let index = try? container.decode(Int.self) {
          self = .node(index)
        } else {
          self = .input(try container.decode(String.self))
        }
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .input(let name): try container.encode(name)
        case .node(let index): try container.encode(index)
        }
      }
    }

    init(_ node: Node, _ inputs: [NetworkInput]) {
      layer = node.layer
      sources = node.sources?.map { source in
        switch source {
        case .input(let index): .input(inputs[index].name)
        case .node(let index): .node(index)
        }
      }
    }

    init(from decoder: any Decoder) throws {
      layer = try Layer(from: decoder)
      sources = try decoder.container(keyedBy: CodingKeys.self)
        .decodeIfPresent([CodedSource].self, forKey: .sources)
    }

    func encode(to encoder: any Encoder) throws {
      try layer.encode(to: encoder)
      guard let sources else { return }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(sources, forKey: .sources)
    }

    func node(_ inputs: [NetworkInput]) throws(ArchitectureError) -> Node {
      guard let sources else { return Node(layer) }
      var result: [Source] = []
      for source in sources {
        switch source {
        case .node(let index): result.append(.node(index))
        case .input(let name):
          guard let index = inputs.firstIndex(where: { $0.name == name }) else {
            throw ArchitectureError(
              layer: nil, expected: "sources that are inputs or nodes", found: "`\(name)`")
          }
          result.append(.input(index))
        }
      }
      return Node(layer, from: result)
    }
  }
}

/// `"distribution"`, `"distributionPerStep"` or `"distributionPerCell"`, the last one with numbers beside as
/// `{"kind": "distributionPerCell", "fields": 2}`.
extension Architecture.Output: Codable {
  private enum CodingKeys: CodingKey {
    case kind, fields
  }

  private enum Kind: String, Codable, CaseIterable {
    case distribution, distributionPerStep, distributionPerCell
  }

  /// Reads the JSON form.
  ///
  /// - Throws: `DecodingError` where it is not that form.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodingKeys.self) {
      let kind = try container.decode(Kind.self, forKey: .kind)
      guard kind == .distributionPerCell else {
        throw DecodingError.dataCorruptedError(
          forKey: .kind, in: container, debugDescription: "expected `distributionPerCell`")
      }
      self = .distributionPerCell(fields: try container.decode(Int.self, forKey: .fields))
      return
    }
    switch try decoder.singleValueContainer().decode(Kind.self) {
    case .distribution: self = .distribution
    case .distributionPerStep: self = .distributionPerStep
    case .distributionPerCell: self = .distributionPerCell()
    }
  }

  /// Writes the JSON form.
  public func encode(to encoder: any Encoder) throws {
    if case .distributionPerCell(let fields) = self, fields > 0 {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Kind.distributionPerCell, forKey: .kind)
      try container.encode(fields, forKey: .fields)
      return
    }
    let kind: Kind =
      switch self {
      case .distribution: .distribution
      case .distributionPerStep: .distributionPerStep
      case .distributionPerCell: .distributionPerCell
      }
    var container = encoder.singleValueContainer()
    try container.encode(kind)
  }
}
