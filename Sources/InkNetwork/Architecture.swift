import Foundation

/// One step of a network, as a value.
///
/// Everything that trains, runs or exports a network reads these with an exhaustive `switch`.
public enum Layer: Hashable, Sendable {
  /// 2-D convolution with stride 1: `[batch, channels, height, width]` → `[batch, filters, …]`.
  ///
  /// The kernel is square and odd. `same` padding keeps height and width, `valid` padding takes
  /// `kernel − 1` off both.
  case convolution(filters: Int, kernel: Int, padding: Padding)
  /// Normalisation of every channel over the batch (Ioffe & Szegedy, 2015).
  case batchNormalization
  /// max(0, x), element by element.
  case relu
  /// The largest value of each `size` × `size` square, stride `size`; what does not fill a square
  /// at the right and lower edge is left out.
  case maxPooling(size: Int)
  /// `[batch, channels, height, width]` → `[batch, channels · height · width]`, channel first.
  case flatten
  /// Every output is a weighted sum of all inputs: `[batch, inputs]` → `[batch, units]`.
  case dense(units: Int)
  /// While training, each value is zeroed with probability `rate` and the others are divided by
  /// 1 − `rate` (Srivastava et al., 2014); otherwise nothing.
  case dropout(rate: Double)

  /// What lies outside the picture for a convolution.
  public enum Padding: String, Codable, Sendable {
    /// Zeros, so many that the output is as large as the input.
    case same
    /// Nothing: the kernel stays inside.
    case valid
  }
}

/// The shape of what flows between two layers, for one example.
public enum Shape: Hashable, Sendable, CustomStringConvertible {
  /// `[channels, height, width]`.
  case planes(channels: Int, height: Int, width: Int)
  /// `[count]`.
  case vector(Int)

  /// The number of values.
  public var count: Int {
    switch self {
    case .planes(let channels, let height, let width): channels * height * width
    case .vector(let count): count
    }
  }

  /// The shape in words, for example `16 × 28 × 28`.
  public var description: String {
    switch self {
    case .planes(let channels, let height, let width): "\(channels) × \(height) × \(width)"
    case .vector(let count): "\(count)"
    }
  }
}

/// A network without its weights: the input and the layers in order, ending in one logit a class.
public struct Architecture: Hashable, Sendable {
  /// What people call it, for example `drawing`.
  public let name: String
  /// The rows and columns of the one grey plane that goes in.
  public let inputSize: Int
  /// The layers from the input to the logits.
  public let layers: [Layer]
  /// `shapes[i]` goes into layer `i`; the last is the shape of the logits.
  public let shapes: [Shape]

  /// The most parameters that a network may have; more is a mistake in the description.
  public static let mostParameters = 50_000_000

  /// Makes an architecture and works out the shape between any two layers.
  ///
  /// - Throws: `ArchitectureError` naming the layer that does not fit what comes before it.
  public init(name: String, inputSize: Int, layers: [Layer]) throws(ArchitectureError) {
    guard (4...512).contains(inputSize) else {
      throw ArchitectureError(layer: nil, expected: "an input of 4 to 512", found: "\(inputSize)")
    }
    var shapes = [Shape.planes(channels: 1, height: inputSize, width: inputSize)]
    for (index, layer) in layers.enumerated() {
      shapes.append(try layer.outputShape(of: shapes[index], index: index))
      guard shapes[index + 1].count <= 1 << 24 else {
        throw ArchitectureError(
          layer: index, expected: "at most 2^24 values an example", found: "\(shapes[index + 1])")
      }
    }
    guard let last = shapes.last, case .vector(let count) = last, count > 0,
      case .dense = layers.last
    else {
      throw ArchitectureError(
        layer: layers.isEmpty ? nil : layers.count - 1, expected: "a dense layer at the end",
        found: layers.isEmpty ? "no layers" : layers[layers.count - 1].kind)
    }
    self.name = name
    self.inputSize = inputSize
    self.layers = layers
    self.shapes = shapes
    guard parameterCount <= Self.mostParameters else {
      throw ArchitectureError(
        layer: nil, expected: "at most \(Self.mostParameters) parameters",
        found: "\(parameterCount)")
    }
  }

  /// The number of classes: logits of the last layer.
  public var classCount: Int { shapes[layers.count].count }

  /// The number of learnt values.
  public var parameterCount: Int {
    parameters.reduce(0) { $0 + ($1.isLearnt ? $1.count : 0) }
  }

  /// The multiplications with addition that one example takes, layer by layer.
  public var multiplyAdds: [Int] {
    layers.indices.map { index in
      switch layers[index] {
      case .convolution(_, let kernel, _):
        guard case .planes(let channels, _, _) = shapes[index] else { return 0 }
        return shapes[index + 1].count * channels * kernel * kernel
      case .dense: return shapes[index].count * shapes[index + 1].count
      case .batchNormalization: return shapes[index].count
      case .relu, .maxPooling, .flatten, .dropout: return 0
      }
    }
  }

  /// Every stored array of the network, in layer order.
  public var parameters: [Parameter] {
    layers.indices.flatMap { index -> [Parameter] in
      switch layers[index] {
      case .convolution(let filters, let kernel, _):
        guard case .planes(let channels, _, _) = shapes[index] else { return [] }
        return [
          Parameter(layer: index, role: .weight, shape: [filters, channels, kernel, kernel]),
          Parameter(layer: index, role: .bias, shape: [filters]),
        ]
      case .dense(let units):
        return [
          Parameter(layer: index, role: .weight, shape: [units, shapes[index].count]),
          Parameter(layer: index, role: .bias, shape: [units]),
        ]
      case .batchNormalization:
        let channels = shapes[index].channelCount
        return [.weight, .bias, .runningMean, .runningVariance].map {
          Parameter(layer: index, role: $0, shape: [channels])
        }
      case .relu, .maxPooling, .flatten, .dropout: return []
      }
    }
  }

  /// The same network with another number of classes.
  ///
  /// - Throws: `ArchitectureError` where the number is not positive.
  public func with(classCount: Int) throws(ArchitectureError) -> Architecture {
    try Architecture(
      name: name, inputSize: inputSize,
      layers: layers.dropLast() + [.dense(units: classCount)])
  }
}

/// One stored array: which layer it belongs to, what it does there and its shape.
public struct Parameter: Hashable, Sendable {
  /// What an array does in its layer.
  public enum Role: String, Sendable {
    /// The factors: a convolution's `[filters, channels, kernel, kernel]`, a dense layer's
    /// `[units, inputs]`, a batch normalisation's scale `[channels]`.
    case weight
    /// What is added: `[filters]`, `[units]` or `[channels]`.
    case bias
    /// The mean of every channel over the training data, `[channels]`.
    case runningMean = "running_mean"
    /// The variance of every channel over the training data, `[channels]`.
    case runningVariance = "running_var"
  }

  /// The index of the layer.
  public let layer: Int
  /// What the array does there.
  public let role: Role
  /// The lengths of its axes, slowest first.
  public let shape: [Int]

  /// The name in the model file, as PyTorch's `nn.Sequential` has it: `0.weight`.
  public var name: String { "\(layer).\(role.rawValue)" }
  /// The number of values.
  public var count: Int { shape.reduce(1, *) }
  /// Whether the optimiser changes it.
  public var isLearnt: Bool { role == .weight || role == .bias }
}

extension Shape {
  /// What batch normalisation counts as channels: planes, or the values of a vector.
  public var channelCount: Int {
    switch self {
    case .planes(let channels, _, _): channels
    case .vector(let count): count
    }
  }
}

extension Layer {
  /// The word for this kind of layer, as the JSON description has it.
  public var kind: String {
    switch self {
    case .convolution: "convolution"
    case .batchNormalization: "batchNormalization"
    case .relu: "relu"
    case .maxPooling: "maxPooling"
    case .flatten: "flatten"
    case .dense: "dense"
    case .dropout: "dropout"
    }
  }

  /// The shape of what the layer makes of `input`; `index` is its place in the network, for errors.
  package func outputShape(of input: Shape, index: Int) throws(ArchitectureError) -> Shape {
    func refuse(_ expected: String, _ found: String) -> ArchitectureError {
      ArchitectureError(layer: index, expected: "\(kind) with \(expected)", found: found)
    }
    switch (self, input) {
    case (.convolution(let filters, let kernel, let padding), .planes(_, let height, let width)):
      guard (1...4096).contains(filters) else { throw refuse("1 to 4096 filters", "\(filters)") }
      guard kernel % 2 == 1, (1...31).contains(kernel) else {
        throw refuse("an odd kernel of 1 to 31", "\(kernel)")
      }
      let lost = padding == .same ? 0 : kernel - 1
      guard height > lost, width > lost else {
        throw refuse("an input larger than its kernel of \(kernel)", "\(input)")
      }
      return .planes(channels: filters, height: height - lost, width: width - lost)
    case (.maxPooling(let size), .planes(let channels, let height, let width)):
      guard size >= 2 else { throw refuse("a size of 2 or more", "\(size)") }
      guard height >= size, width >= size else {
        throw refuse("an input of at least \(size) × \(size)", "\(input)")
      }
      return .planes(channels: channels, height: height / size, width: width / size)
    case (.convolution, .vector), (.maxPooling, .vector):
      throw refuse("planes to work on", "a vector of \(input)")
    case (.dense(let units), .vector):
      guard (1...65536).contains(units) else { throw refuse("1 to 65536 units", "\(units)") }
      return .vector(units)
    case (.dense, .planes):
      throw refuse("a vector to work on (flatten first)", "planes of \(input)")
    case (.flatten, _): return .vector(input.count)
    case (.dropout(let rate), _):
      guard (0..<1).contains(rate) else { throw refuse("a rate from 0 to below 1", "\(rate)") }
      return input
    case (.relu, _), (.batchNormalization, _): return input
    }
  }
}

/// A description of a network that cannot be built.
public struct ArchitectureError: Error, Hashable, CustomStringConvertible {
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
