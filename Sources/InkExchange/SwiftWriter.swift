import Foundation
import InkNetwork
import InkRecognizer

/// Writes a network as one Swift file without dependencies: the layers as calls, the weights as text.
struct SwiftWriter {
  private let content: NetworkExport
  private let name: String
  private var statements: [String] = []
  private var weights: [Float] = []
  /// The functions that the statements and the result call.
  private var functions: Set<Function> = [.dense, .softmax]
  /// The expression for each value.
  private var values: [Architecture.Source: String] = [:]
  /// The names of the inputs in the function.
  private let inputs: [String]

  /// Creates a writer of `content`, whose batch normalisations are already folded where possible.
  ///
  /// `name` is the name of the Swift type.
  init(_ content: NetworkExport, name: String) {
    self.content = content
    self.name = name
    let architecture = content.architecture
    let isNamed = architecture.inputs.allSatisfy {
      $0.name.wholeMatch(of: /[a-z][A-Za-z]*/) != nil && !Self.reserved.contains($0.name)
    }
    inputs = architecture.inputs.enumerated().map { isNamed ? $1.name : "input\($0)" }
    for index in inputs.indices { values[.input(index)] = inputs[index] }
    for index in architecture.nodes.indices {
      let read = architecture.sources[index].map { values[$0]! }
      guard let expression = expression(index, read) else {
        values[.node(index)] = read[0]
        continue
      }
      values[.node(index)] = "value\(index)"
      statements.append("let value\(index) = \(expression)")
    }
  }

  /// The names that an input cannot have: Swift's keywords, the functions of Swift that the statements
  /// call, and the names of the file.
  private static let reserved = Set(
    [
      "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
      "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
      "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
      "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
      "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
      "true", "try", "typealias", "var", "where", "while",
      "max", "precondition", "stride",
      "exponential", "sigmoid", "size", "squareRoot", "tanh", "values", "weights",
    ] + Function.allCases.map(\.rawValue))

  // MARK: Layers

  /// Stores values among the weights and returns where they begin.
  private mutating func place(_ values: [Float]) -> Int {
    weights += values
    return weights.count - values.count
  }

  /// Stores an array of node `index` and returns where it begins.
  private mutating func place(_ index: Int, _ role: Parameter.Role) -> Int {
    place(content.network.values(index, role))
  }

  /// The call that computes node `index` from the values `read`; `nil` where nothing changes.
  private mutating func expression(_ index: Int, _ read: [String]) -> String? {
    let architecture = content.architecture
    let shapes = architecture.sourceShapes(of: index)
    let channels = shapes[0].channelCount
    /// The sizes of planes; a width that varies follows from the number of values.
    func planes() -> String {
      guard case .planes(let channels, let height, let width) = shapes[0] else {
        preconditionFailure("\(architecture.layers[index].kind) reads planes")
      }
      let columns =
        content.hasVariableWidth ? "\(read[0]).count / \(channels * height)" : "\(width)"
      return "channels: \(channels), height: \(height), width: \(columns)"
    }
    switch architecture.nodes[index].layer {
    case .convolution(let layer):
      let (weight, bias) = (place(index, .weight), place(index, .bias))
      return call(
        .convolution,
        "\(read[0]), \(planes()), filters: \(layer.filters), kernel: \(layer.kernel),\n      "
          + "edge: \(layer.pad), weight: \(weight), bias: \(bias)")
    case .batchNormalization:
      let normalization = content.network.batchNormalization(index)
      let (scale, shift) = (place(normalization.scale), place(normalization.shift))
      let isSeries = if case .series = shapes[0] { true } else { false }
      return call(
        .scaleAndShift,
        "\(read[0]), channels: \(channels), run: "
          + (isSeries ? "1" : "\(read[0]).count / \(channels)")
          + ", scale: \(scale), shift: \(shift)")
    case .relu: return "\(read[0]).map { max(0, $0) }"
    case .maxPooling(let layer):
      return call(.maxPooling, "\(read[0]), \(planes()), size: \(layer.size)")
    case .flatten, .dropout: return nil
    case .dense(let layer):
      let (weight, bias) = (place(index, .weight), place(index, .bias))
      let inputs = shapes.reduce(0) { $0 + $1.channelCount }
      return call(
        .dense,
        "\(read.joined(separator: " + ")), inputs: \(inputs), units: \(layer.units), "
          + "weight: \(weight), bias: \(bias)")
    case .seriesConvolution(let layer):
      let (weight, bias) = (place(index, .weight), place(index, .bias))
      return call(
        .seriesConvolution,
        "\(read[0]), channels: \(channels), filters: \(layer.filters), kernel: \(layer.kernel),"
          + "\n      stride: \(layer.stride), before: \(layer.before), after: \(layer.after), "
          + "weight: \(weight), bias: \(bias)")
    case .gru(let layer):
      return recurrence(index, read[0], channels, layer.units, layer.direction, "gru")
    case .lstm(let layer):
      return recurrence(index, read[0], channels, layer.units, layer.direction, "lstm")
    case .timePooling(let layer):
      switch layer.method {
      case .max: return call(.maxOverTime, "\(read[0]), channels: \(channels)", inOneLine: true)
      case .mean: return call(.meanOverTime, "\(read[0]), channels: \(channels)", inOneLine: true)
      case .attention:
        return call(
          .attention, "\(read[0]), channels: \(channels), weight: \(place(index, .weight))",
          inOneLine: true)
      }
    case .layerNormalization:
      let (weight, bias) = (place(index, .weight), place(index, .bias))
      return call(
        .layerNormalization,
        "\(read[0]), channels: \(channels), weight: \(weight), bias: \(bias)")
    case .concatenation:
      guard case .series = shapes[0] else { return read.joined(separator: " + ") }
      return concatenation(zip(read, shapes.map(\.channelCount)).map { ($0, $1) })
    case .columns:
      return call(.columns, "\(read[0]), rows: \(architecture.outputShapes[index].channelCount)")
    }
  }

  /// Returns a call of `function`, which the file then contains.
  private mutating func call(
    _ function: Function, _ arguments: String, inOneLine: Bool = false
  ) -> String {
    functions.insert(function)
    return "\(function)(\(inOneLine ? "" : "\n      ")\(arguments))"
  }

  private mutating func concatenation(_ parts: [(value: String, channels: Int)]) -> String {
    let parts = parts.map { "(\($0.value), \($0.channels))" }
    return call(.concatenation, "[\(parts.joined(separator: ", "))]")
  }

  private mutating func recurrence(
    _ index: Int, _ input: String, _ channels: Int, _ units: Int, _ direction: Direction,
    _ cell: String
  ) -> String {
    let sides = direction.passes.map { pass in
      let places = pass.roles.map { place(index, $0) }
      return call(
        .recurrence,
        "\(input), channels: \(channels), units: \(units), cell: .\(cell), "
          + "isBackward: \(pass.isBackward),\n      weight: \(places[0]), "
          + "recursion: \(places[1]), bias: \(places[2]), stateBias: \(places[3])")
    }
    return sides.count == 1 ? sides[0] : concatenation(sides.map { ($0, units) })
  }

  // MARK: The file

  /// The text of the file.
  var text: String {
    let architecture = content.architecture
    let labels = content.labels.map { $0.debugDescription }.joined(separator: ", ")
    let isPerStep = architecture.output == .distributionPerStep
    let parameters = inputs.enumerated().map { index, input in
      index == 0 ? "of \(input): [Float]" : "\(input): [Float]"
    }
    let logits = values[.node(architecture.nodes.count - 1)]!
    let temperature = "temperature: \(Float(content.temperature))"
    let result =
      isPerStep
      ? "return stride(from: 0, to: \(logits).count, by: \(architecture.classCount)).map { step in\n"
        + "      softmax(Array(\(logits)[step..<step + \(architecture.classCount)]), \(temperature))\n"
        + "    }"
      : "return softmax(\(logits), \(temperature))"
    return """
      // Made by `inkstate export`: \(Self.line(content.summary))
      // \(Self.line(Self.about(content)))

      /// The network `\(Self.line(architecture.name))`: layers, weights and labels, without any dependency.
      public enum \(name) {
        /// The labels of the probabilities, in order.
        public static let labels = [\(labels)]
      \(sizes)
        /// Returns the probability of each label\(isPerStep ? ", step after step" : "").
        ///
      \(zip(inputs, architecture.inputs).map { "  /// - \(Self.comment($0, $1))" }.joined(separator: "\n"))
        public static func probabilities(\(parameters.joined(separator: ", "))) -> \(isPerStep ? "[[Float]]" : "[Float]") {
          \((checks + statements + [result]).joined(separator: "\n    "))
        }
      \(sources)
        /// All weights, in the order in which the layers read them.
        private static let weights: [Float] = {
          var weights: [Float] = []
          weights.reserveCapacity(\(weights.count))
          var bits: UInt32 = 0
          var count = 0
          var bytes: UInt32 = 0
          var byteCount = 0
          encodedWeights.withUTF8Buffer { text in
            for character in text {
              let digit: UInt32
              switch character {
              case 65...90: digit = UInt32(character) - 65
              case 97...122: digit = UInt32(character) - 71
              case 48...57: digit = UInt32(character) + 4
              case 43: digit = 62
              case 47: digit = 63
              default: continue
              }
              bits = bits << 6 | digit
              count += 6
              guard count >= 8 else { continue }
              count -= 8
              // Little-endian: the first of four bytes is the lowest.
              bytes = bytes >> 8 | (bits >> UInt32(count) & 0xFF) << 24
              byteCount += 1
              if byteCount % 4 == 0 { weights.append(Float(bitPattern: bytes)) }
            }
          }
          return weights
        }()

        /// \(weights.count) numbers of 32 bits, little-endian, in base 64.
        private static let encodedWeights: StaticString = \"\"\"
      \(encodedWeights)
          \"\"\"
      }

      """
  }

  /// The size of the picture, if one square picture goes in, and the scale of pictures.
  private var sizes: String {
    var text = ""
    if let size = content.architecture.pictureSize {
      text += """

          /// The width and height of a picture.
          public static let size = \(size)

        """
    }
    let image = content.architecture.inputs.firstIndex {
      if case .image = $0.form { true } else { false }
    }
    if let image {
      text += """

          /// The factor for grey values, 0 (paper) to 255 (ink), before they are passed to the network.
          public static let inputScale: Float = \(content.imageScales[image])

        """
    }
    return text
  }

  /// Returns the comment about an input.
  private static func comment(_ name: String, _ input: NetworkInput) -> String {
    switch input.form {
    case .image(1, let height, let width):
      return "\(name): \(height) rows of \(width.text) grey values times ``inputScale``."
    case .image(let channels, let height, let width):
      return "\(name): \(channels) planes of \(height) rows of \(width.text) values times "
        + "``inputScale``."
    case .series(let channels, let length):
      return "\(name): \(length.text) steps of \(channels) values, step after step."
    case .vector(let count): return "\(name): \(count) values."
    }
  }

  /// Statements that stop on inputs of another size.
  private var checks: [String] {
    zip(inputs, content.architecture.inputs).map { name, input in
      /// Values come in groups of `unit`; the number of groups is in `extent`.
      func check(_ unit: Int, _ extent: NetworkInput.Extent) -> String {
        let bounds = extent.bounds
        guard bounds.count > 1 else {
          let count = unit * bounds.lowerBound
          return "precondition(\(name).count == \(count), "
            + "\"expected \(count) values, found \\(\(name).count)\")"
        }
        return "precondition(\n      \(name).count % \(unit) == 0 "
          + "&& (\(bounds.lowerBound)...\(bounds.upperBound)).contains(\(name).count / \(unit)),\n      "
          + "\"expected \(bounds.lowerBound) to \(bounds.upperBound) times \(unit) values, "
          + "found \\(\(name).count)\")"
      }
      switch input.form {
      case .image(let channels, let height, let width): return check(channels * height, width)
      case .series(let channels, let length): return check(channels, length)
      case .vector(let count): return check(1, .fixed(count))
      }
    }
  }

  private static func about(_ content: NetworkExport) -> String {
    let known = [
      ("author", "Author"), ("license", "Licence"), ("version", "Inkstate"), ("command", "Command"),
    ].compactMap { key, title in content.provenance[key].map { "\(title): \($0)." } }
    return known.isEmpty ? "Its origin is unknown." : known.joined(separator: " ")
  }

  /// Returns the text without line ends, for a comment.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private var encodedWeights: String {
    Data(littleEndian: weights).base64EncodedString(options: .lineLength76Characters)
      .split(whereSeparator: \.isNewline).map { "    \($0)\\" }.joined(separator: "\n") + "\n    "
  }

  /// The functions that the file contains, in the order of their declaration.
  private var sources: String {
    Function.allCases.filter(functions.contains).map(\.source).joined()
  }
}

/// A function of an exported Swift file.
///
/// A file contains only the functions that its statements call.
private enum Function: String, CaseIterable {
  case convolution, maxPooling, scaleAndShift, seriesConvolution, recurrence, maxOverTime
  case meanOverTime, attention, layerNormalization, concatenation, columns, dense, softmax

  /// The text of the function, with the smaller functions that it calls.
  var source: String {
    switch self {
    case .convolution:
      """

        /// out[f, y, x] = bias[f] + Σ weight[f, c, i, j] · in[c, y + i − edge, x + j − edge]
        private static func convolution(
          _ input: [Float], channels: Int, height: Int, width: Int, filters: Int, kernel: Int, edge: Int,
          weight: Int, bias: Int
        ) -> [Float] {
          let rows = height + 2 * edge - kernel + 1
          let columns = width + 2 * edge - kernel + 1
          var output = [Float](repeating: 0, count: filters * rows * columns)
          for filter in 0..<filters {
            let start = filter * rows * columns
            for index in start..<start + rows * columns { output[index] = weights[bias + filter] }
            for channel in 0..<channels {
              for i in 0..<kernel {
                for j in 0..<kernel {
                  let factor = weights[weight + ((filter * channels + channel) * kernel + i) * kernel + j]
                  let first = max(0, edge - j)
                  let last = min(columns, width + edge - j)
                  for row in max(0, edge - i)..<min(rows, height + edge - i) {
                    let from = (channel * height + row + i - edge) * width + j - edge
                    let to = start + row * columns
                    for column in first..<last { output[to + column] += factor * input[from + column] }
                  }
                }
              }
            }
          }
          return output
        }

      """
    case .maxPooling:
      """

        /// The largest value of each square; incomplete squares are left out.
        private static func maxPooling(
          _ input: [Float], channels: Int, height: Int, width: Int, size: Int
        ) -> [Float] {
          var output: [Float] = []
          for channel in 0..<channels {
            for row in 0..<height / size {
              for column in 0..<width / size {
                var highest = -Float.infinity
                for i in 0..<size {
                  let from = (channel * height + row * size + i) * width + column * size
                  for j in 0..<size { highest = max(highest, input[from + j]) }
                }
                output.append(highest)
              }
            }
          }
          return output
        }

      """
    case .scaleAndShift:
      """

        /// out = in · scale + shift, channel by channel; `run` values of one follow each other
        private static func scaleAndShift(
          _ input: [Float], channels: Int, run: Int, scale: Int, shift: Int
        ) -> [Float] {
          input.indices.map {
            let channel = $0 / run % channels
            return input[$0] * weights[scale + channel] + weights[shift + channel]
          }
        }

      """
    case .seriesConvolution:
      """

        /// out[t, f] = bias[f] + Σ weight[f, j, c] · in[t · stride + j − before, c]
        private static func seriesConvolution(
          _ input: [Float], channels: Int, filters: Int, kernel: Int, stride: Int, before: Int, after: Int,
          weight: Int, bias: Int
        ) -> [Float] {
          let length = input.count / channels
          precondition(length + before + after >= kernel, "the series is too short")
          let steps = (length + before + after - kernel) / stride + 1
          var output: [Float] = []
          output.reserveCapacity(steps * filters)
          for step in 0..<steps {
            for filter in 0..<filters {
              var sum = weights[bias + filter]
              for j in 0..<kernel {
                let t = step * stride + j - before
                guard t >= 0, t < length else { continue }
                let row = weight + (filter * kernel + j) * channels
                for c in 0..<channels { sum += weights[row + c] * input[t * channels + c] }
              }
              output.append(sum)
            }
          }
          return output
        }

      """
    case .recurrence:
      """

        private enum Cell { case gru, lstm }

        /// Gated recurrent units with the gates r, z, n, or long short-term memory with i, f, g, o:
        ///
        ///     h = (1 − z) · n + z · h′, n = tanh(Wn · x + bn + r · (Vn · h′ + cn))
        ///     h = o · tanh(c), c = f · c′ + i · g
        private static func recurrence(
          _ input: [Float], channels: Int, units: Int, cell kind: Cell, isBackward: Bool, weight: Int,
          recursion: Int, bias: Int, stateBias: Int
        ) -> [Float] {
          let length = input.count / channels
          let rows = kind == .gru ? 3 * units : 4 * units
          var state = [Float](repeating: 0, count: units)
          var cell = state
          var output = [Float](repeating: 0, count: length * units)
          var (inputs, states) = ([Float](repeating: 0, count: rows), [Float](repeating: 0, count: rows))
          for index in 0..<length {
            let step = isBackward ? length - 1 - index : index
            for row in 0..<rows {
              var sum = weights[bias + row]
              for c in 0..<channels {
                sum += weights[weight + row * channels + c] * input[step * channels + c]
              }
              inputs[row] = sum
              sum = weights[stateBias + row]
              for unit in 0..<units { sum += weights[recursion + row * units + unit] * state[unit] }
              states[row] = sum
            }
            for unit in 0..<units {
              switch kind {
              case .gru:
                let r = sigmoid(inputs[unit] + states[unit])
                let z = sigmoid(inputs[units + unit] + states[units + unit])
                let n = tanh(inputs[2 * units + unit] + r * states[2 * units + unit])
                state[unit] = (1 - z) * n + z * state[unit]
              case .lstm:
                let i = sigmoid(inputs[unit] + states[unit])
                let f = sigmoid(inputs[units + unit] + states[units + unit])
                let g = tanh(inputs[2 * units + unit] + states[2 * units + unit])
                let o = sigmoid(inputs[3 * units + unit] + states[3 * units + unit])
                cell[unit] = f * cell[unit] + i * g
                state[unit] = o * tanh(cell[unit])
              }
              output[step * units + unit] = state[unit]
            }
          }
          return output
        }

        /// 1 / (1 + e⁻ˣ)
        private static func sigmoid(_ x: Float) -> Float {
          let power = exponential(-abs(x))
          return Float((x < 0 ? power : 1) / (1 + power))
        }

        /// (1 − e⁻²ˣ) / (1 + e⁻²ˣ)
        private static func tanh(_ x: Float) -> Float {
          let power = exponential(-2 * abs(x))
          let value = Float((1 - power) / (1 + power))
          return x < 0 ? -value : value
        }

      """
    case .maxOverTime:
      """

        /// out[c] = the largest of in[t, c]
        private static func maxOverTime(_ input: [Float], channels: Int) -> [Float] {
          var output = Array(input[..<channels])
          for index in input.indices {
            output[index % channels] = max(output[index % channels], input[index])
          }
          return output
        }

      """
    case .meanOverTime:
      """

        /// out[c] = Σ in[t, c] / length
        private static func meanOverTime(_ input: [Float], channels: Int) -> [Float] {
          var output = [Float](repeating: 0, count: channels)
          for index in input.indices { output[index % channels] += input[index] }
          return output.map { $0 / Float(input.count / channels) }
        }

      """
    case .attention:
      """

        /// out[c] = Σ a[t] · in[t, c], a = softmax of Σ weight[c] · in[t, c]
        private static func attention(_ input: [Float], channels: Int, weight: Int) -> [Float] {
          let steps = input.count / channels
          let scores = (0..<steps).map { step in
            var sum: Float = 0
            for c in 0..<channels { sum += weights[weight + c] * input[step * channels + c] }
            return sum
          }
          let shares = softmax(scores, temperature: 1)
          var output = [Float](repeating: 0, count: channels)
          for step in 0..<steps {
            for c in 0..<channels { output[c] += shares[step] * input[step * channels + c] }
          }
          return output
        }

      """
    case .layerNormalization:
      """

        /// out[c] = (in[c] − μ) / √(σ² + ε) · weight[c] + bias[c], step by step
        private static func layerNormalization(
          _ input: [Float], channels: Int, weight: Int, bias: Int
        ) -> [Float] {
          var output: [Float] = []
          output.reserveCapacity(input.count)
          for start in stride(from: 0, to: input.count, by: channels) {
            let step = input[start..<start + channels]
            let mean = step.reduce(0, +) / Float(channels)
            let variance = step.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(channels)
            let deviation = squareRoot(variance + \(LayerNormalization.epsilon))
            for c in 0..<channels {
              output.append((input[start + c] - mean) / deviation * weights[weight + c] + weights[bias + c])
            }
          }
          return output
        }

        /// √x for x > 0, without a mathematics library: Newton's method from half the exponent on
        private static func squareRoot(_ x: Float) -> Float {
          var root = Double(sign: .plus, exponent: x.exponent / 2, significand: 1)
          for _ in 0..<6 { root = (root + Double(x) / root) / 2 }
          return Float(root)
        }

      """
    case .concatenation:
      """

        /// Several series as one, step by step.
        private static func concatenation(_ parts: [(values: [Float], channels: Int)]) -> [Float] {
          (0..<parts[0].values.count / parts[0].channels).flatMap { step in
            parts.flatMap { $0.values[step * $0.channels..<(step + 1) * $0.channels] }
          }
        }

      """
    case .columns:
      """

        /// The columns of planes as steps: out[x, y] = in[y, x]
        private static func columns(_ input: [Float], rows: Int) -> [Float] {
          let width = input.count / rows
          return (0..<width).flatMap { x in (0..<rows).map { input[$0 * width + x] } }
        }

      """
    case .dense:
      """

        /// out[u] = bias[u] + Σ weight[u, i] · in[i], for each step of a series
        private static func dense(
          _ input: [Float], inputs: Int, units: Int, weight: Int, bias: Int
        ) -> [Float] {
          var output: [Float] = []
          output.reserveCapacity(input.count / inputs * units)
          for start in stride(from: 0, to: input.count, by: inputs) {
            for unit in 0..<units {
              var sum = weights[bias + unit]
              for index in 0..<inputs {
                sum += weights[weight + unit * inputs + index] * input[start + index]
              }
              output.append(sum)
            }
          }
          return output
        }

      """
    case .softmax:
      """

        /// eᶻ / Σ eᶻ of the logits divided by the temperature
        private static func softmax(_ logits: [Float], temperature: Float) -> [Float] {
          let highest = logits.max() ?? 0
          let powers = logits.map { exponential(($0 - highest) / temperature) }
          let sum = powers.reduce(0, +)
          return powers.map { Float($0 / sum) }
        }

        /// eˣ for x ≤ 0, without a mathematics library: (e^(x / 2¹⁰))^(2¹⁰) with six terms of Taylor's series.
        private static func exponential(_ x: Float) -> Double {
          let y = max(Double(x), -700) / 1024
          var power = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))))
          for _ in 0..<10 { power *= power }
          return power
        }

      """
    }
  }
}
