import Foundation
import InkDatasets
import InkNetwork
import InkRecognizer

/// How the axes of weights lie.
public enum WeightLayout: String, Sendable, CaseIterable {
  /// PyTorch's and BNNS's: `[out, in, height, width]`, `[out, in]`, planes flattened channel by channel.
  case channelsFirst = "channels-first"
  /// Keras': `[height, width, in, out]`, `[in, out]`, planes flattened pixel by pixel.
  case channelsLast = "channels-last"
}

/// NumPy's `.npz`: the arrays of a network in layer order, weight, bias, and for batch normalisation
/// scale, shift, mean and variance.
enum WeightArchive {
  /// An array in C order.
  private struct Array {
    var name: String
    var shape: [Int]
    var values: [Float]
  }

  static func model(
    _ data: Data, path: String, _ options: ImportOptions
  ) throws(ModelError) -> Model {
    func refuse(_ field: String, _ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: field, expected: expected, found: found)
    }
    guard let architecture = options.architecture else {
      throw refuse("architecture", "--architecture, which this form does not have", "none")
    }
    guard architecture.isChain, let size = architecture.pictureSize else {
      throw refuse("architecture", "a chain of layers that reads a square picture", "another")
    }
    var parameters = architecture.parameters
    let arrays = try arrays(in: data, for: architecture, path: path)
    if arrays.count < parameters.count {
      // What a batch normalisation follows needs no bias, and often has none.
      parameters.removeAll { parameter in
        parameter.role == .bias && parameter.node + 1 < architecture.layers.count
          && architecture.layers[parameter.node] != .batchNormalization
          && architecture.layers[parameter.node + 1] == .batchNormalization
      }
    }
    guard arrays.count == parameters.count else {
      throw refuse(
        "arrays", "\(parameters.count), those of the network `\(architecture.name)`",
        "\(arrays.count): "
          + arrays.prefix(8).map { "\($0.name) \($0.shape)" }.joined(separator: ", "))
    }
    let layout =
      if let given = options.layout { given } else {
        try layout(of: arrays, for: parameters, path: path)
      }
    for (array, parameter) in zip(arrays, parameters) where array.shape != layout.shape(parameter) {
      throw refuse(
        array.name, "\(layout.shape(parameter)), for \(parameter.name) of `\(architecture.name)`",
        "\(array.shape)")
    }

    for (array, parameter) in zip(arrays, parameters) {
      if let role = role(of: array.name), role != parameter.role {
        throw refuse(
          array.name,
          "the \(parameter.role.rawValue) of layer \(parameter.node + 1) at this place",
          "the \(role.rawValue)")
      }
    }

    var chain = LayerChain(inputSize: size, path: path)
    for (index, layer) in architecture.layers.enumerated() {
      let own = zip(parameters, arrays).filter { $0.0.node == index }.map(\.1)
      let place = own.first.map { "array `\($0.name)`" } ?? "layer \(index + 1)"
      switch layer {
      case .convolution(let layer):
        var window = LayerChain.Window(kernel: [layer.kernel, layer.kernel])
        if layer.padding == .same { window.edges = nil }
        try chain.addConvolution(
          filters: layer.filters, window, weight: layout.channelsFirst(own[0].values, own[0].shape),
          bias: own.count > 1 ? own[1].values : nil, at: place)
      case .dense(let layer):
        try chain.addDense(
          units: layer.units, weight: layout.channelsFirst(own[0].values, own[0].shape),
          bias: own.count > 1 ? own[1].values : nil, at: place)
      case .batchNormalization:
        // PyTorch's usual ε is this package's; Keras' is 1e-3.
        try chain.addBatchNormalization(
          scale: own[0].values, shift: own[1].values, mean: own[2].values,
          variance: own[3].values,
          epsilon: options.epsilon ?? (layout == .channelsLast ? 1e-3 : 1e-5), at: place)
      case .flatten: try chain.addFlatten(channelsLast: layout == .channelsLast, at: place)
      case .dropout: break
      default: try chain.add(layer, at: place)
      }
    }
    return try chain.model(.init(labels: nil, inputScale: 1 / 255), options)
  }

  /// What an array's name says that it does in its layer, where it says something.
  private static func role(of name: String) -> Parameter.Role? {
    let words: [(Parameter.Role, [String])] = [
      (.runningMean, ["running_mean", "moving_mean"]),
      (.runningVariance, ["running_var", "moving_var", "moving_variance"]),
      (.bias, ["bias", "beta"]), (.weight, ["weight", "kernel", "gamma"]),
    ]
    return words.first { $0.1.contains(where: name.hasSuffix) }?.0
  }

  /// The layout in which all arrays have the shapes that they should have.
  private static func layout(
    of arrays: [Array], for parameters: [Parameter], path: String
  ) throws(ModelError) -> WeightLayout {
    let fitting = WeightLayout.allCases.filter { layout in
      zip(arrays, parameters).allSatisfy { $0.shape == layout.shape($1) }
    }
    if fitting.count == 1 { return fitting[0] }
    guard fitting.isEmpty else {
      throw ModelError(
        path: path, field: "layout", expected: "--layout, for both fit the shapes", found: "none")
    }
    // The first that fits neither says most.
    let (array, parameter) =
      zip(arrays, parameters).first { array, parameter in
        WeightLayout.allCases.allSatisfy { array.shape != $0.shape(parameter) }
      } ?? (arrays[0], parameters[0])
    let shapes = WeightLayout.allCases.map { "\($0.shape(parameter))" }
    throw ModelError(
      path: path, field: array.name,
      expected: "\(Set(shapes).sorted().joined(separator: " or ")), for \(parameter.name)",
      found: "\(array.shape)")
  }

  /// The arrays of numbers in the order in which they were saved.
  private static func arrays(
    in data: Data, for architecture: Architecture, path: String
  ) throws(ModelError) -> [Array] {
    let archive = try ZipArchive(data, path: path)
    var arrays: [Array] = []
    // In double precision, and a header for each of them and of those that are passed over.
    let parameters = architecture.parameters
    var room = 8 * parameters.reduce(0) { $0 + $1.count } + 1024 * (2 * parameters.count + 8)
    for member in archive.members {
      let name = member.name.hasSuffix(".npy") ? String(member.name.dropLast(4)) : member.name
      let bytes = try archive.content(of: member, most: room)
      room -= bytes.count
      let array = try array(bytes, name: name, path: path)
      // PyTorch counts the batches that a normalisation has seen in an array without axes.
      if !array.shape.isEmpty { arrays.append(array) }
    }
    return arrays
  }

  private static func array(
    _ bytes: [UInt8], name: String, path: String
  ) throws(ModelError) -> Array {
    func refuse(_ expected: String, _ found: String) -> ModelError {
      ModelError(path: path, field: name, expected: expected, found: found)
    }
    let header: NPY.Header
    do { header = try NPY.header(in: bytes, path: path) } catch {
      throw refuse(error.expected, error.found)
    }
    guard !header.shape.isEmpty else { return Array(name: name, shape: [], values: []) }
    let widths = ["<f2": 2, "<f4": 4, "<f8": 8]
    guard let width = widths[header.type] else {
      throw refuse("numbers of type <f2, <f4 or <f8", header.type)
    }
    guard header.count <= Architecture.mostParameters,
      bytes.count - header.offset == header.count * width
    else { throw refuse("\(header.shape) values of \(width) bytes", "\(bytes.count) bytes in all") }
    let body = bytes[header.offset...]
    var values: [Float] = body.withUnsafeBytes { body in
      (0..<header.count).map { index in
        let place = index * width
        return switch width {
        case 4:
          Float(
            bitPattern: UInt32(
              littleEndian: body.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
        case 8:
          Float(
            Double(
              bitPattern: UInt64(
                littleEndian: body.loadUnaligned(fromByteOffset: place, as: UInt64.self))))
        default:
          HalfPrecision.float(
            UInt16(littleEndian: body.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
        }
      }
    }
    if header.isFortran {
      // The axes the other way round, in C order.
      values = transposed(
        values, shape: header.shape.reversed(), axes: header.shape.indices.reversed())
    }
    return Array(name: name, shape: header.shape, values: values)
  }

  /// The values of an array in C order with its axes in another order: axis `i` of the result is axis
  /// `axes[i]` of `shape`.
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

extension WeightLayout {
  /// The shape that `parameter` has in this layout.
  fileprivate func shape(_ parameter: Parameter) -> [Int] {
    switch (self, parameter.shape.count) {
    case (.channelsLast, 4): [2, 3, 1, 0].map { parameter.shape[$0] }
    case (.channelsLast, 2): parameter.shape.reversed()
    default: parameter.shape
    }
  }

  /// Weights of this layout, channels first.
  fileprivate func channelsFirst(_ values: [Float], _ shape: [Int]) -> [Float] {
    switch (self, shape.count) {
    case (.channelsLast, 4): WeightArchive.transposed(values, shape: shape, axes: [3, 2, 0, 1])
    case (.channelsLast, 2): WeightArchive.transposed(values, shape: shape, axes: [1, 0])
    default: values
    }
  }
}
