import Foundation
import Ink
import InkNetwork
import InkRecognizer

/// Writes a network as one Swift file without dependencies: the layers as calls, the weights as text.
struct SwiftWriter {
  private let content: NetworkExport
  private let name: String
  private var statements: [String] = []
  private var weights: [Float] = []
  /// The functions that the statements and the result call.
  private var functions: Set<SwiftFunction> = [.dense, .softmax]
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
    if content.cellFields != nil { functions.insert(.distributions) }
    let architecture = content.architecture
    let isNamed = architecture.inputs.allSatisfy {
      $0.name.wholeMatch(of: /[a-z][A-Za-z]*/) != nil && !Self.reserved.contains($0.name)
    }
    inputs = architecture.inputs.enumerated().map { isNamed ? $1.name : "input\($0)" }
    for index in inputs.indices { values[.input(index)] = inputs[index] }
    for (index, layer) in architecture.layers.enumerated() {
      let node = ExportedNode(
        index, of: content.network, named: "value\(index)", reading: values)
      guard let expression = layer.export.expression(node, in: &self) else {
        values[.node(index)] = node.read[0]
        continue
      }
      values[.node(index)] = node.name
      statements.append("let \(node.name) = \(expression)")
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
    ] + SwiftFunction.all.map(\.name))

  // MARK: Layers

  /// Stores values among the weights and returns where they begin.
  mutating func place(_ values: [Float]) -> Int {
    weights += values
    return weights.count - values.count
  }

  /// The sizes of planes that a node reads; a width that varies follows from the number of values.
  func planes(_ node: ExportedNode) -> String {
    guard case .planes(let channels, let height, let width) = node.shapes[0] else {
      preconditionFailure("\(node.name) reads planes")
    }
    if content.readsPages,
      case .planes(_, let rows, let columns) = content.architecture.inputShapes[0]
    {
      // Planes are shares of a page.
      func share(_ name: String, _ length: Int, of whole: Int) -> String {
        length == whole
          ? name
          : length < whole
            ? "\(name) / \(whole / length)"
            : "\(name) * \(length / whole)"
      }
      return "channels: \(channels), height: \(share("height", height, of: rows)), "
        + "width: \(share("width", width, of: columns))"
    }
    let columns =
      content.hasVariableWidth ? "\(node.read[0]).count / \(channels * height)" : "\(width)"
    return "channels: \(channels), height: \(height), width: \(columns)"
  }

  /// Returns a call of `function`, which the file then contains.
  mutating func call(
    _ function: SwiftFunction, _ arguments: String, inOneLine: Bool = false
  ) -> String {
    precondition(SwiftFunction.all.contains(function), "a function that files can contain")
    functions.insert(function)
    return "\(function.name)(\(inOneLine ? "" : "\n      ")\(arguments))"
  }

  /// Returns an expression for the channels of several series one after the other, step by step.
  mutating func concatenation(_ parts: [(value: String, channels: Int)]) -> String {
    let parts = parts.map { "(\($0.value), \($0.channels))" }
    return call(.concatenation, "[\(parts.joined(separator: ", "))]")
  }

  // MARK: The file

  /// The text of the file.
  var text: String {
    let architecture = content.architecture
    let labels = content.labels.map { $0.debugDescription }.joined(separator: ", ")
    let isPerStep = architecture.output == .distributionPerStep
    var parameters = inputs.enumerated().map { index, input in
      index == 0 ? "of \(input): [Float]" : "\(input): [Float]"
    }
    if content.readsPages { parameters += ["height: Int", "width: Int"] }
    let logits = values[.node(architecture.nodes.count - 1)]!
    let temperature = "temperature: \(Float(content.temperature))"
    let isPerCell = content.cellFields != nil
    let result =
      isPerCell
      ? "return distributions(\(logits), classes: \(architecture.classCount), of: "
        + "\(architecture.classCount + (content.cellFields ?? 0)), \(temperature))"
      : isPerStep
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
        /// Returns the probability of each label\(isPerCell ? " for each cell, `[labels, rows, columns]`, and the fields" : isPerStep ? ", step after step" : "").
        ///
      \(zip(inputs, architecture.inputs).map { "  /// - \(Self.comment($0, $1))" }.joined(separator: "\n"))
        public static func probabilities(\(parameters.joined(separator: ", "))) -> \(isPerCell ? "(probabilities: [Float], fields: [Float])" : isPerStep ? "[[Float]]" : "[Float]") {
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
    case .page(let channels, let heights, let widths):
      return
        "\(name): \(channels.counted("plane")) of \(heights.lowerBound) to \(heights.upperBound) rows of "
        + "\(widths.lowerBound) to \(widths.upperBound) values, prepared as the model's metadata say."
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
      case .page(let channels, _, _):
        let multiple = content.architecture.sideMultiple
        return "precondition(\n      height % \(multiple) == 0 && width % \(multiple) == 0 && "
          + "\(name).count == \(channels) * height * width,\n      \"expected sides that are multiples "
          + "of \(multiple) and as many values, found \\(\(name).count) for \\(height) × \\(width)\")"
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
    SwiftFunction.all.filter(functions.contains).map(\.source).joined()
  }
}

/// A function of an exported Swift file.
///
/// A file contains only the functions that its statements call.
struct SwiftFunction: Hashable {
  let name: String
  /// The text of the function, with the smaller functions that it calls.
  let source: String

  init(_ name: String, _ source: String) {
    self.name = name
    self.source = source
  }

  /// All functions, in the order of their declaration.
  static let all: [SwiftFunction] = [
    .convolution, .stridedConvolution, .maxPooling, .upsampling, .scaleAndShift, .seriesConvolution,
    .recurrence, .maxOverTime,
    .meanOverTime, .attention, .layerNormalization, .concatenation, .columns, .dense,
    .distributions, .softmax,
  ]

  static let distributions = SwiftFunction(
    "distributions",
    """

      /// The softmax of the first planes, place by place, and the other planes
      private static func distributions(
        _ planes: [Float], classes: Int, of count: Int, temperature: Float
      ) -> (probabilities: [Float], fields: [Float]) {
        let length = planes.count / count
        var probabilities = [Float](repeating: 0, count: classes * length)
        for place in 0..<length {
          let logits = (0..<classes).map { planes[$0 * length + place] }
          for (index, probability) in softmax(logits, temperature: temperature).enumerated() {
            probabilities[index * length + place] = probability
          }
        }
        return (probabilities, Array(planes[(classes * length)...]))
      }

    """)

  static let softmax = SwiftFunction(
    "softmax",
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

    """)
}
