import ErrorText

/// A network without its weights: named inputs, nodes that compute one value each, and an output.
public struct Architecture: Hashable, Sendable {
  /// A layer with what it reads.
  public struct Node: Hashable, Sendable {
    /// What it computes.
    public var layer: Layer
    /// What it reads, in order; `nil` for the node before, or the first input where there is none.
    public var sources: [Source]?

    /// Makes a node.
    public init(_ layer: Layer, from sources: [Source]? = nil) {
      self.layer = layer
      self.sources = sources
    }
  }

  /// A value that a node reads.
  public enum Source: Hashable, Sendable {
    /// Input number `index`, from 0.
    case input(Int)
    /// What node number `index`, from 0, computes.
    case node(Int)
  }

  /// What the last node's values stand for.
  public enum Output: Hashable, Sendable {
    /// One logit a class, for the whole example: `[classes]`.
    case distribution
    /// One logit a class, for each step of a series: `[length, classes]`.
    ///
    /// The first class is the blank, which stands for no label (Graves et al., 2006).
    case distributionPerStep
    /// One logit a class, and after them so many numbers, for each cell of a picture:
    /// `[classes + fields, rows, columns]`.
    ///
    /// A cell is a square of pixels, and the numbers are what is measured there, for example the direction of
    /// a line.
    case distributionPerCell(fields: Int = 0)
  }

  /// What people call it, for example `drawing`.
  public let name: String
  /// What goes in.
  public let inputs: [NetworkInput]
  /// The nodes; each reads inputs and nodes before it, and the last one makes the output.
  public let nodes: [Node]
  /// What comes out.
  public let output: Output
  /// What each node reads.
  public let sources: [[Source]]
  /// The shape of each input at its longest.
  public let inputShapes: [Shape]
  /// The shape of what each node makes of inputs at their longest.
  public let outputShapes: [Shape]
  /// Every stored array of the network, in the order of nodes.
  public let parameters: [Parameter]

  /// The most parameters that a network may have; more is a mistake in the description.
  public static let maximumParameters = 50_000_000
  /// A layer has at most two to this power values for an example; a page at its largest has more than any other
  /// input.
  package static let maximumValueExponents = (page: 28, other: 24)

  /// Makes an architecture and works out all shapes.
  ///
  /// - Throws: ``ArchitectureError`` naming the node that does not fit what it reads.
  public init(
    name: String, inputs: [NetworkInput], nodes: [Node], output: Output = .distribution
  ) throws(ArchitectureError) {
    guard !inputs.isEmpty, Set(inputs.map(\.name)).count == inputs.count else {
      throw ArchitectureError(
        layer: nil, expected: "inputs of different names",
        found: inputs.map(\.name).joined(separator: ", "))
    }
    for input in inputs { try input.check() }
    let sources = try Self.sources(of: nodes, inputCount: inputs.count)
    inputShapes = inputs.map { $0.shape(steps: $0.stepBounds.upperBound) }
    outputShapes = try Self.outputShapes(of: nodes, sources, inputShapes, output)
    parameters = Self.parameters(of: nodes, sources, inputShapes, outputShapes)
    // What varies in length must not reach a layer whose parameters depend on it.
    let shortest = inputs.map(\.smallestShape)
    let shortestOutputs = try Self.outputShapes(of: nodes, sources, shortest, output)
    let others = Self.parameters(of: nodes, sources, shortest, shortestOutputs)
    if let (parameter, _) = zip(parameters, others).first(where: { $0 != $1 }) {
      throw ArchitectureError(
        layer: parameter.node,
        expected: "\(nodes[parameter.node].layer.kind) with an input of one length",
        found: "one of many lengths")
    }
    try Self.check(output, of: nodes, inputs, shape: outputShapes.last)
    self.name = name
    self.inputs = inputs
    self.nodes = nodes.enumerated().map { index, node in
      Node(node.layer, from: node.sources == Self.usualSources(of: index) ? nil : node.sources)
    }
    self.output = output
    self.sources = sources
    guard parameterCount <= Self.maximumParameters else {
      throw ArchitectureError(
        layer: nil, expected: "at most \(Self.maximumParameters) parameters",
        found: "\(parameterCount)")
    }
  }

  /// Makes a chain of layers that begins with one grey picture of `inputSize` × `inputSize`.
  ///
  /// - Throws: ``ArchitectureError`` naming the layer that does not fit what comes before it.
  public init(name: String, inputSize: Int, layers: [Layer]) throws(ArchitectureError) {
    guard (4...512).contains(inputSize) else {
      throw ArchitectureError(layer: nil, expected: "an input of 4 to 512", found: "\(inputSize)")
    }
    try self.init(
      name: name, inputs: [.picture(size: inputSize)], nodes: layers.map { Node($0) })
  }

  /// The node before, or the first input where there is none.
  private static func usualSources(of index: Int) -> [Source] {
    [index == 0 ? .input(0) : .node(index - 1)]
  }

  /// What each of `nodes` reads.
  private static func sources(
    of nodes: [Node], inputCount: Int
  ) throws(ArchitectureError) -> [[Source]] {
    var result: [[Source]] = []
    for (index, node) in nodes.enumerated() {
      let sources = node.sources ?? usualSources(of: index)
      let counts = type(of: node.layer.definition).sourceCounts
      guard counts.contains(sources.count) else {
        throw ArchitectureError(
          layer: index,
          expected: "\(node.layer.kind) with \(counts.lowerBound)"
            + (counts.count == 1 ? " source" : " to \(counts.upperBound) sources"),
          found: "\(sources.count)")
      }
      for source in sources {
        let exists =
          switch source {
          case .input(let input): (0..<inputCount).contains(input)
          case .node(let other): (0..<index).contains(other)
          }
        guard exists else {
          throw ArchitectureError(
            layer: index, expected: "sources that come before it", found: "another")
        }
      }
      result.append(sources)
    }
    let used = Set(result.joined())
    if let unused = nodes.indices.dropLast().first(where: { !used.contains(.node($0)) }) {
      throw ArchitectureError(
        layer: unused, expected: "a node that reads what it computes", found: "none")
    }
    if let unused = (0..<inputCount).first(where: { !used.contains(.input($0)) }),
      !nodes.isEmpty
    {
      throw ArchitectureError(
        layer: nil, expected: "a node that reads input \(unused + 1)", found: "none")
    }
    return result
  }

  private static func shape(
    of source: Source, _ inputs: [Shape], _ outputs: [Shape]
  ) -> Shape {
    switch source {
    case .input(let index): inputs[index]
    case .node(let index): outputs[index]
    }
  }

  /// The shapes of what `nodes` make of values of the shapes `inputs`.
  private static func outputShapes(
    of nodes: [Node], _ sources: [[Source]], _ inputs: [Shape], _ output: Output
  ) throws(ArchitectureError) -> [Shape] {
    let exponent =
      if case .distributionPerCell = output { maximumValueExponents.page } else {
        maximumValueExponents.other
      }
    var outputs: [Shape] = []
    for (index, node) in nodes.enumerated() {
      let read = sources[index].map { shape(of: $0, inputs, outputs) }
      do {
        outputs.append(try node.layer.definition.outputShape(of: read))
      } catch {
        throw ArchitectureError(
          layer: index, expected: "\(node.layer.kind) with \(error.expected)", found: error.found)
      }
      guard outputs[index].count <= 1 << exponent else {
        throw ArchitectureError(
          layer: index, expected: "at most 2^\(exponent) values an example",
          found: "\(outputs[index])")
      }
    }
    return outputs
  }

  private static func parameters(
    of nodes: [Node], _ sources: [[Source]], _ inputs: [Shape], _ outputs: [Shape]
  ) -> [Parameter] {
    nodes.indices.flatMap { index in
      nodes[index].layer.definition.parameters(
        of: sources[index].map { shape(of: $0, inputs, outputs) }
      ).map { Parameter(node: index, role: $0.role, shape: $0.shape) }
    }
  }

  private static func check(
    _ output: Output, of nodes: [Node], _ inputs: [NetworkInput], shape: Shape?
  ) throws(ArchitectureError) {
    let found = nodes.last?.layer.kind ?? "no layers"
    let last = nodes.isEmpty ? nil : nodes.count - 1
    switch (output, shape) {
    case (.distribution, .vector?):
      guard case .dense = nodes.last?.layer else { fallthrough }
    case (.distribution, _):
      throw ArchitectureError(layer: last, expected: "a dense layer at the end", found: found)
    case (.distributionPerStep, .series?): break
    case (.distributionPerStep, _):
      throw ArchitectureError(layer: last, expected: "a series at the end", found: found)
    case (.distributionPerCell(let fields), .planes(let channels, _, _)?):
      guard case .convolution(let layer) = nodes.last?.layer, layer.kernel == 1, layer.stride == 1
      else { fallthrough }
      guard fields >= 0, channels - fields >= 2 else {
        throw ArchitectureError(
          layer: last, expected: "filters for two classes and more beside \(fields) fields",
          found: "\(channels)")
      }
      guard inputs.count == 1 else {
        throw ArchitectureError(
          layer: nil, expected: "one picture", found: "\(inputs.count) inputs")
      }
    case (.distributionPerCell, _):
      throw ArchitectureError(
        layer: last, expected: "a convolution of 1 × 1 at the end", found: found)
    }
    // Elsewhere, what was halved and doubled need not be as wide as what it is joined with.
    if case .distributionPerCell = output {
    } else {
      for input in inputs {
        switch input.form {
        case .image(_, _, .variable):
          guard let index = nodes.firstIndex(where: { $0.layer == .upsampling }) else { continue }
          throw ArchitectureError(
            layer: index, expected: "no upsampling of pictures of different widths", found: "one")
        case .page:
          throw ArchitectureError(
            layer: nil, expected: "a distribution for each cell of pictures of any size",
            found: "another output")
        case .image, .series, .vector: continue
        }
      }
    }
  }

  /// The layers in the order of nodes.
  public var layers: [Layer] { nodes.map(\.layer) }

  /// The number of classes.
  public var classCount: Int {
    let channels = outputShapes[nodes.count - 1].channelCount
    if case .distributionPerCell(let fields) = output { return channels - fields }
    return channels
  }

  /// The class of a distribution per step that stands for no label.
  public static let blank = 0

  /// The number of labels: one a class, without the blank of a distribution per step.
  public var labelCount: Int { output == .distributionPerStep ? classCount - 1 : classCount }

  /// The number of learnt values.
  public var parameterCount: Int {
    parameters.reduce(0) { $0 + ($1.isLearnt ? $1.count : 0) }
  }

  /// The number of values in all inputs of an example, at their longest.
  public var inputCount: Int { inputShapes.reduce(0) { $0 + $1.count } }

  /// The maximum number of steps of each input.
  package var longestInputs: [Int] { inputs.map(\.stepBounds.upperBound) }

  /// The same network for pictures with at most so many columns, input by input.
  package func limited(to longest: [Int]) -> Architecture {
    // What fits the narrowest and the widest picture fits all others.
    try! Architecture(
      name: name, inputs: zip(inputs, longest).map { $0.limited(to: $1) }, nodes: nodes,
      output: output)
  }

  /// How much smaller the smallest planes are than the picture: the sides of a picture are multiples of it where
  /// there is a distribution for each cell.
  public var sideMultiple: Int {
    var factors: [Int] = []
    var largest = 1
    for (index, node) in nodes.enumerated() {
      let factor =
        if case .node(let source) = sources[index][0] { factors[source] } else { 1 }
      let own: Int =
        switch node.layer {
        case .convolution(let layer): factor * layer.stride
        case .maxPooling(let layer): factor * layer.size
        case .upsampling: max(1, factor / Upsampling.factor)
        default: factor
        }
      factors.append(own)
      largest = max(largest, own)
    }
    return largest
  }

  /// The same network for pictures of one size, where it reads pictures of any; all its weights stay.
  ///
  /// - Throws: ``ArchitectureError`` where the sides are not multiples of ``sideMultiple``, which whoever feeds
  ///   the network pads pictures to, or out of its bounds.
  public func sized(height: Int, width: Int) throws(ArchitectureError) -> Architecture {
    if case .page(_, let heights, let widths) = inputs[0].form {
      let multiple = sideMultiple
      guard height % multiple == 0, width % multiple == 0 else {
        throw ArchitectureError(
          layer: nil, expected: "a picture padded to sides that are multiples of \(multiple)",
          found: "\(height) × \(width)")
      }
      guard heights.contains(height), widths.contains(width) else {
        throw ArchitectureError(
          layer: nil,
          expected: "a picture of \(heights.lowerBound) to \(heights.upperBound) rows and "
            + "\(widths.lowerBound) to \(widths.upperBound) columns", found: "\(height) × \(width)")
      }
    }
    return try Architecture(
      name: name, inputs: inputs.map { $0.sized(height: height, width: width) }, nodes: nodes,
      output: output)
  }

  /// Returns the number of steps that come out of inputs with `steps` steps, or `nil` if a layer cannot work
  /// on so few.
  package func outputSteps(of steps: [Int]) -> Int? {
    let shapes = zip(inputs, steps).map { $0.shape(steps: $1) }
    guard let outputs = try? Self.outputShapes(of: nodes, sources, shapes, output) else {
      return nil
    }
    if case .series(let length, _) = outputs.last { return length }
    return 1
  }

  /// The shape of `source` at its longest.
  public func shape(of source: Source) -> Shape {
    Self.shape(of: source, inputShapes, outputShapes)
  }

  /// The shapes of what node `index` reads.
  public func sourceShapes(of index: Int) -> [Shape] { sources[index].map(shape(of:)) }

  /// The shape of the first value that node `index` reads.
  public func inputShape(of index: Int) -> Shape { shape(of: sources[index][0]) }

  /// The multiplications with addition that one example takes, node by node.
  public var multiplyAdds: [Int] {
    nodes.indices.map {
      nodes[$0].layer.definition.multiplyAdds(from: sourceShapes(of: $0), to: outputShapes[$0])
    }
  }

  /// The rows and columns of the picture that goes in, where one square grey picture does.
  public var pictureSize: Int? {
    guard inputs.count == 1, case .image(1, let height, .fixed(let width)) = inputs[0].form,
      width == height
    else { return nil }
    return height
  }

  /// Whether every node reads the one before it, and nothing else.
  public var isChain: Bool { nodes.allSatisfy { $0.sources == nil } }

  /// The nodes that read `source`.
  package func readers(of source: Source) -> [Int] {
    nodes.indices.filter { sources[$0].contains(source) }
  }

  /// The same network with another number of classes.
  ///
  /// - Throws: ``ArchitectureError`` where the number is not positive.
  public func with(classCount: Int) throws(ArchitectureError) -> Architecture {
    var nodes = nodes
    nodes[nodes.count - 1].layer =
      if case .distributionPerCell(let fields) = output {
        .convolution(filters: classCount + fields, kernel: 1, padding: .same)
      } else {
        .dense(units: classCount)
      }
    return try Architecture(name: name, inputs: inputs, nodes: nodes, output: output)
  }
}

/// A description of a network that cannot be built.
public struct ArchitectureError: DescribedError, Hashable {
  /// The index of the layer, from 0, or `nil` where the whole is meant.
  public var layer: Int?
  /// What was expected there.
  public var expected: String
  /// What was there.
  public var found: String

  /// The error in one line.
  public var description: String {
    "architecture\(layer.map { ", layer \($0)" } ?? ""): expected \(expected), found \(found)"
  }
}
