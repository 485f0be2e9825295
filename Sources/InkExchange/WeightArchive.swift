import Foundation
import InkDatasets
import InkNetwork
import InkRecognizer

/// The order of the axes of weights.
public enum WeightLayout: String, Sendable, CaseIterable {
  /// The layout of PyTorch and BNNS: `[out, in, height, width]` and `[out, in]`; planes are flattened
  /// channel by channel.
  case channelsFirst = "channels-first"
  /// The layout of Keras: `[height, width, in, out]` and `[in, out]`; planes are flattened pixel by
  /// pixel.
  case channelsLast = "channels-last"
}

/// Reads the weights of a network from an `.npz` file of NumPy.
///
/// The arrays are in the order of the layers. A layer has weight and bias; a batch normalisation has
/// scale, shift, mean and variance.
struct WeightArchive: ModelFileReader {
  let path: String

  /// An array in C order.
  private struct Array {
    var name: String
    var shape: [Int]
    var values: [Float]
  }

  func model(_ data: Data, _ options: ImportOptions) throws(ModelError) -> Model {
    guard let architecture = options.architecture else {
      throw mismatch(
        "architecture", "the option --architecture, because the file does not contain the layers",
        "none")
    }
    guard architecture.isChain, let size = architecture.pictureSize else {
      throw mismatch("architecture", "a chain of layers that reads a square picture", "another")
    }
    var parameters = architecture.parameters
    let arrays = try arrays(in: data, for: architecture)
    if arrays.count < parameters.count {
      // A convolution or a dense layer before a batch normalisation needs no bias, and often has none.
      parameters.removeAll { parameter in
        parameter.role == .bias && parameter.node + 1 < architecture.layers.count
          && architecture.layers[parameter.node + 1] == .batchNormalization
          && architecture.layers[parameter.node].export.isProduct
      }
    }
    guard arrays.count == parameters.count else {
      throw mismatch(
        "arrays", "\(parameters.count), those of the network `\(architecture.name)`",
        "\(arrays.count): "
          + arrays.prefix(8).map { "\($0.name) \($0.shape)" }.joined(separator: ", "))
    }
    let layout =
      if let given = options.layout { given } else {
        try layout(of: arrays, for: parameters)
      }
    for (array, parameter) in zip(arrays, parameters) where array.shape != layout.shape(parameter) {
      throw mismatch(
        array.name, "\(layout.shape(parameter)), for \(parameter.name) of `\(architecture.name)`",
        "\(array.shape)")
    }

    for (array, parameter) in zip(arrays, parameters) {
      if let role = Self.role(of: array.name), role != parameter.role {
        throw mismatch(
          array.name,
          "the \(parameter.role.rawValue) of layer \(parameter.node + 1) at this place",
          "the \(role.rawValue)")
      }
    }

    var graph = LayerGraph(inputs: [.picture(size: size)], path: path)
    for (index, layer) in architecture.layers.enumerated() {
      let own = zip(parameters, arrays).filter { $0.0.node == index }.map(\.1)
      let place = own.first.map { "array `\($0.name)`" } ?? "layer \(index + 1)"
      let arrays = LayerArrays(
        layer: layer, values: own.map(\.values), shapes: own.map(\.shape), layout: layout,
        // The default ε is 1e-5 in PyTorch and 1e-3 in Keras.
        epsilon: options.epsilon ?? (layout == .channelsLast ? 1e-3 : 1e-5), place: place)
      try layer.export.add(arrays, to: &graph)
    }
    return try graph.model(.init(labels: nil, inputScale: 1 / 255), options)
  }

  /// Returns the role of an array in its layer, if its name contains the role.
  private static func role(of name: String) -> Parameter.Role? {
    let suffixes: [(Parameter.Role, [String])] = [
      (.runningMean, ["running_mean", "moving_mean"]),
      (.runningVariance, ["running_var", "moving_var", "moving_variance"]),
      (.bias, ["bias", "beta"]), (.weight, ["weight", "kernel", "gamma"]),
    ]
    return suffixes.first { $0.1.contains(where: name.hasSuffix) }?.0
  }

  /// Returns the layout in which all arrays have the shapes of the parameters.
  private func layout(
    of arrays: [Array], for parameters: [Parameter]
  ) throws(ModelError) -> WeightLayout {
    let fitting = WeightLayout.allCases.filter { layout in
      zip(arrays, parameters).allSatisfy { $0.shape == layout.shape($1) }
    }
    if fitting.count == 1 { return fitting[0] }
    guard fitting.isEmpty else {
      throw mismatch("layout", "the option --layout, because both layouts fit the shapes", "none")
    }
    // Report the first array that fits neither layout.
    let (array, parameter) =
      zip(arrays, parameters).first { array, parameter in
        WeightLayout.allCases.allSatisfy { array.shape != $0.shape(parameter) }
      } ?? (arrays[0], parameters[0])
    let shapes = WeightLayout.allCases.map { "\($0.shape(parameter))" }
    throw mismatch(
      array.name, "\(Set(shapes).sorted().joined(separator: " or ")), for \(parameter.name)",
      "\(array.shape)")
  }

  /// Returns the arrays in the order in which they were saved.
  private func arrays(
    in data: Data, for architecture: Architecture
  ) throws(ModelError) -> [Array] {
    let archive = try ZipArchive(data, path: path)
    var arrays: [Array] = []
    // The size in double precision, with a header for each array and for arrays that are skipped.
    let parameters = architecture.parameters
    var room = 8 * parameters.reduce(0) { $0 + $1.count } + 1024 * (2 * parameters.count + 8)
    for member in archive.members {
      let name = member.name.hasSuffix(".npy") ? String(member.name.dropLast(4)) : member.name
      let bytes = try archive.content(of: member, most: room)
      room -= bytes.count
      let array = try array(bytes, name: name)
      // Skip PyTorch's count of the batches of a normalisation, which is an array without axes.
      if !array.shape.isEmpty { arrays.append(array) }
    }
    return arrays
  }

  private func array(_ bytes: [UInt8], name: String) throws(ModelError) -> Array {
    let header: NPY.Header
    do { header = try NPY.header(in: bytes, path: path) } catch {
      throw mismatch(name, error.expected, error.found)
    }
    guard !header.shape.isEmpty else { return Array(name: name, shape: [], values: []) }
    let widths = ["<f2": 2, "<f4": 4, "<f8": 8]
    guard let width = widths[header.type] else {
      throw mismatch(name, "numbers of type <f2, <f4 or <f8", header.type)
    }
    guard header.count <= Architecture.maximumParameters,
      bytes.count - header.offset == header.count * width
    else {
      throw mismatch(
        name, "\(header.shape) values of \(width) bytes", "\(bytes.count) bytes in all")
    }
    var values = bytes[header.offset...].floats(width: width)
    if header.isFortran {
      // The values have the reversed shape in C order.
      values = Self.transposed(
        values, shape: header.shape.reversed(), axes: header.shape.indices.reversed())
    }
    return Array(name: name, shape: header.shape, values: values)
  }

  /// Returns the values of an array in C order with its axes in another order.
  ///
  /// Axis `i` of the result is axis `axes[i]` of `shape`.
  static func transposed(_ values: [Float], shape: [Int], axes: [Int]) -> [Float] {
    var steps = [Int](repeating: 1, count: shape.count)
    for axis in shape.indices.dropLast().reversed() {
      steps[axis] = steps[axis + 1] * shape[axis + 1]
    }
    let lengths = axes.map { shape[$0] }
    let strides = axes.map { steps[$0] }
    var result: [Float] = []
    result.reserveCapacity(values.count)
    var position = [Int](repeating: 0, count: shape.count)
    var place = 0
    for _ in values.indices {
      result.append(values[place])
      for axis in lengths.indices.reversed() {
        position[axis] += 1
        place += strides[axis]
        if position[axis] < lengths[axis] { break }
        place -= strides[axis] * lengths[axis]
        position[axis] = 0
      }
    }
    return result
  }
}

/// The arrays of a layer in an archive.
struct LayerArrays {
  let layer: Layer
  let values: [[Float]]
  let shapes: [[Int]]
  let layout: WeightLayout
  /// The ε of batch normalisation.
  let epsilon: Float
  /// The place of the layer in the archive, for errors.
  let place: String

  /// The first array with the channels first.
  var weight: [Float] { layout.channelsFirst(values[0], shapes[0]) }
  /// The second array, if there is one.
  var bias: [Float]? { values.count > 1 ? values[1] : nil }
}

extension WeightLayout {
  /// Returns the shape of `parameter` in this layout.
  fileprivate func shape(_ parameter: Parameter) -> [Int] {
    switch (self, parameter.shape.count) {
    case (.channelsLast, 4): [2, 3, 1, 0].map { parameter.shape[$0] }
    case (.channelsFirst, 3): [0, 2, 1].map { parameter.shape[$0] }
    case (.channelsLast, 3): [1, 2, 0].map { parameter.shape[$0] }
    case (.channelsLast, 2): parameter.shape.reversed()
    case (.channelsFirst, _), (.channelsLast, 0...1): parameter.shape
    case (.channelsLast, let rank): preconditionFailure("weights with \(rank) axes have no order")
    }
  }

  /// Returns weights of this layout with the channels first.
  fileprivate func channelsFirst(_ values: [Float], _ shape: [Int]) -> [Float] {
    switch (self, shape.count) {
    case (.channelsLast, 4): WeightArchive.transposed(values, shape: shape, axes: [3, 2, 0, 1])
    case (.channelsLast, 3): WeightArchive.transposed(values, shape: shape, axes: [2, 1, 0])
    case (.channelsLast, 2): WeightArchive.transposed(values, shape: shape, axes: [1, 0])
    case (.channelsFirst, _), (.channelsLast, 0...1): values
    case (.channelsLast, let rank): preconditionFailure("weights with \(rank) axes have no order")
    }
  }
}
