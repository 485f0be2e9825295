import Foundation
import InkNetwork
import SeededRandom

/// The seeds of random cases.
///
/// `scripts/stress numbers` asks for more of them, and says where they begin.
public enum RandomCases {
  /// `usual` seeds, unless others are asked for.
  public static func seeds(_ usual: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["INKSTATE_FIRST_CASE"].flatMap { UInt64($0) } ?? 1
    let count = environment["INKSTATE_CASES"].flatMap { UInt64($0) } ?? UInt64(usual)
    return first..<first + count
  }
}

extension Architecture {
  /// A small network with random inputs, layers of all kinds, and connections.
  ///
  /// With `isPerStep`, it is a chain that ends with a distribution for each step. Without
  /// `hasDropout`, nothing in it is random while it learns.
  public static func random(
    seed: UInt64, isPerStep: Bool = false, hasDropout: Bool = true
  ) throws -> Architecture {
    var builder = ArchitectureBuilder(
      seed: seed, isPerStep: isPerStep, dropoutRate: hasDropout ? 0.3 : 0)
    return try builder.build(name: "random \(seed)")
  }

  /// A length for each input of an example, `nil` for the longest.
  public func randomLengths(_ generator: inout SeededGenerator) -> [Int] {
    inputs.map { $0.stepBounds.lowerBound + generator.index(below: $0.stepBounds.count) }
  }
}

/// Adds one random layer after the other, each to something that was computed before.
private struct ArchitectureBuilder {
  private struct Value {
    var source: Architecture.Source
    var shortest: Shape
    var longest: Shape
    /// Whether it is an input whose length is given by bounds.
    var isVariable = false
    var isRead = false
  }

  private var generator: SeededGenerator
  private let isPerStep: Bool
  private let dropoutRate: Double
  private var nodes: [Architecture.Node] = []
  private var values: [Value] = []

  init(seed: UInt64, isPerStep: Bool, dropoutRate: Double) {
    generator = SeededGenerator(seed: seed, stream: 0xa2c)
    self.isPerStep = isPerStep
    self.dropoutRate = dropoutRate
  }

  mutating func build(name: String) throws -> Architecture {
    let inputs = (0..<(isPerStep || generator.chance(0.7) ? 1 : 2 + generator.index(below: 2))).map
    {
      randomInput("input \($0)")
    }
    for (index, input) in inputs.enumerated() {
      values.append(
        Value(
          source: .input(index), shortest: shape(input, input.stepBounds.lowerBound),
          longest: shape(input, input.stepBounds.upperBound), isVariable: isVariable(input)))
    }
    for _ in 0..<1 + generator.index(below: 8) { addRandomLayers() }
    let classCount = 2 + generator.index(below: 4)
    if isPerStep {
      if case .planes = values[values.count - 1].longest { add(.columns, [values.count - 1]) }
      // Files of other tools are read again if a dense layer makes the logits.
      add(.dense(units: classCount), [values.count - 1])
      return try Architecture(
        name: name, inputs: inputs, nodes: nodes, output: .distributionPerStep)
    }
    // Everything that nothing has read yet becomes a vector, and all of them go into one layer.
    var vectors: [Int] = []
    for index in values.indices where !values[index].isRead { vectors.append(vector(of: index)) }
    if generator.chance(0.5), add(.dense(units: units()), vectors) {
      if generator.chance(0.7) { add(.relu, [values.count - 1]) }
      vectors = [values.count - 1]
    }
    add(.dense(units: classCount), vectors)
    return try Architecture(name: name, inputs: inputs, nodes: nodes)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + generator.index(below: range.count)
  }

  /// A number of channels: below, at and above what kernels take at once.
  private mutating func units() -> Int {
    generator.pick([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 32, 33])
  }

  private mutating func randomInput(_ name: String) -> NetworkInput {
    let channels = generator.pick([1, 1, 2, 3, 5])
    switch generator.index(below: isPerStep ? 4 : 9) {
    case 0, 1:
      let least = number(1...20)
      return NetworkInput(
        name: name, form: .series(channels: channels, length: .variable(least...number(least...60)))
      )
    case 2: return NetworkInput(name: name, form: .series(channels: 4, length: .fixed(17)))
    case 3, 4:
      let least = number(4...20)
      return NetworkInput(
        name: name,
        form: .image(
          channels: channels, height: number(4...16), width: .variable(least...number(least...40))))
    case 5, 6, 7:
      return NetworkInput(
        name: name,
        form: .image(channels: channels, height: number(4...20), width: .fixed(number(4...20))))
    default: return NetworkInput(name: name, form: .vector(count: number(1...40)))
    }
  }

  private func isVariable(_ input: NetworkInput) -> Bool {
    switch input.form {
    case .series(_, .variable), .image(_, _, .variable): true
    default: false
    }
  }

  private func shape(_ input: NetworkInput, _ steps: Int) -> Shape {
    switch input.form {
    case .series(let channels, _): .series(length: steps, channels: channels)
    case .image(let channels, let height, .variable):
      .planes(channels: channels, height: height, width: steps)
    case .image(let channels, let height, .fixed(let width)):
      .planes(channels: channels, height: height, width: width)
    case .page(let channels, let heights, let widths):
      .planes(channels: channels, height: heights.upperBound, width: widths.upperBound)
    case .vector(let count): .vector(count)
    }
  }

  /// Adds a node unless its layer does not fit; returns whether it did.
  @discardableResult
  private mutating func add(_ layer: Layer, _ sources: [Int]) -> Bool {
    let definition = layer.definition
    guard type(of: definition).sourceCounts.contains(sources.count),
      let shortest = try? definition.outputShape(of: sources.map { values[$0].shortest }),
      let longest = try? definition.outputShape(of: sources.map { values[$0].longest }),
      longest.count <= 12_000,
      definition.parameters(of: sources.map { values[$0].longest })
        .reduce(0, { $0 + $1.shape.reduce(1, *) }) <= 1_000_000
    else { return false }
    for source in sources { values[source].isRead = true }
    nodes.append(.init(layer, from: sources.map { values[$0].source }))
    values.append(Value(source: .node(nodes.count - 1), shortest: shortest, longest: longest))
    return true
  }

  private mutating func addRandomLayers() {
    let last = values.count - 1
    let source = isPerStep || generator.chance(0.75) ? last : generator.index(below: values.count)
    if generator.chance(0.1) && !isPerStep {
      let other = generator.index(below: values.count)
      if add(.concatenation, [source, other]) { return }
    }
    switch values[source].longest {
    case .planes: addToPlanes(source)
    case .series: addToSeries(source)
    case .vector:
      add(
        generator.pick([
          .dense(units: units()), .relu, .batchNormalization, .layerNormalization,
          .dropout(rate: dropoutRate),
        ]), [source])
    }
  }

  private mutating func addToPlanes(_ source: Int) {
    let convolution = Layer.convolution(
      filters: units(), kernel: generator.pick([1, 3, 3, 3, 5, 5, 7]),
      padding: generator.chance(0.5) ? .same : .valid)
    if generator.chance(0.5), add(convolution, [source]) {
      // What follows a convolution can be computed with it.
      if generator.chance(0.5) { add(.batchNormalization, [values.count - 1]) }
      if generator.chance(0.7) { add(.relu, [values.count - 1]) }
      if generator.chance(0.6) { add(.maxPooling(size: number(2...3)), [values.count - 1]) }
      return
    }
    add(
      generator.pick([
        convolution, .relu, .batchNormalization, .maxPooling(size: number(2...4)),
        .dropout(rate: dropoutRate), .columns,
      ]), [source])
  }

  private mutating func addToSeries(_ source: Int) {
    let direction = generator.pick([Direction.forward, .forward, .backward, .both])
    var layers: [Layer] = [
      .seriesConvolution(
        filters: units(), kernel: number(1...5), stride: generator.pick([1, 1, 2, 3]),
        padding: generator.pick([.same, .valid, .causal])),
      .gru(units: units(), direction: direction), .lstm(units: units(), direction: direction),
      .relu, .batchNormalization, .layerNormalization, .dropout(rate: dropoutRate),
      .dense(units: units()),
    ]
    layers.append(layers[0])
    if !isPerStep { layers.append(.timePooling(.max)) }
    add(generator.pick(layers), [source])
  }

  /// The number of a value that is a vector made of value number `index`.
  private mutating func vector(of index: Int) -> Int {
    let value = values[index]
    if case .vector = value.longest { return index }
    // So they are if no length varies, even one that makes no difference.
    if values.allSatisfy({ $0.shortest == $0.longest && !$0.isVariable }), generator.chance(0.6),
      add(.flatten, [index])
    {
      return values.count - 1
    }
    var series = index
    if case .planes = value.longest {
      add(.columns, [index])
      series = values.count - 1
    }
    add(.timePooling(generator.pick([.max, .mean, .attention])), [series])
    return values.count - 1
  }
}
