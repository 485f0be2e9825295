import Foundation
import InkNetwork
import InkRecognizer

/// A function that an exported Swift file contains only if one of its statements calls it.
enum SwiftFunction {
  case convolution, maxPooling, scaleAndShift
}

/// Writes a model as one Swift file without dependencies: the layers as calls, the weights as text.
struct SwiftWriter {
  private let model: Model
  private let name: String
  private var calls: [String] = []
  private let weights: [Float]
  private var functions: Set<SwiftFunction> = []

  /// Creates a writer of `model`, whose batch normalisations are already folded where possible.
  ///
  /// `name` is the name of the Swift type.
  init(_ model: Model, name: String) {
    self.model = model
    self.name = name
    var weights: [Float] = []
    for index in model.architecture.layers.indices {
      guard let exported = ExportedLayer(index, of: model.network) else { continue }
      let (statement, function) = exported.swift { values in
        weights += values
        return weights.count - values.count
      }
      guard !statement.isEmpty else { continue }
      calls.append(statement)
      if let function { functions.insert(function) }
    }
    self.weights = weights
  }

  /// The text of the file.
  var text: String {
    let size = (model.rasterizer ?? .standard).size
    let labels = model.labels.map { $0.debugDescription }.joined(separator: ", ")
    return """
      // Made by `inkstate export`: \(Self.line(model.summary))
      // \(Self.line(Self.about(model)))

      /// The network `\(Self.line(model.architecture.name))`: layers, weights and labels, without any dependency.
      public enum \(name) {
        /// The labels of the probabilities, in order.
        public static let labels = [\(labels)]

        /// The width and height of a picture.
        public static let size = \(size)

        /// The factor for grey values, 0 (paper) to 255 (ink), before they are passed to
        /// ``probabilities(of:)``.
        public static let inputScale: Float = \(model.pictureScale ?? 1)

        /// Returns the probability of each label for `image`: \(size * size) grey values times ``inputScale``, row by row.
        public static func probabilities(of image: [Float]) -> [Float] {
          precondition(image.count == size * size, "expected \\(size * size) values, found \\(image.count)")
          var values = image
          \(calls.joined(separator: "\n    "))
          return softmax(values, temperature: \(Float(model.decision.temperature)))
        }
      \(kernels)
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

  private static func about(_ model: Model) -> String {
    let known = [
      ("author", "Author"), ("license", "Licence"), ("version", "Inkstate"), ("command", "Command"),
    ].compactMap { key, title in model.provenance[key].map { "\(title): \($0)." } }
    return known.isEmpty ? "Its origin is unknown." : known.joined(separator: " ")
  }

  /// Returns the text without line ends, for a comment.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private var encodedWeights: String {
    let bytes = weights.map(\.bitPattern.littleEndian).withUnsafeBytes { Data($0) }
    return bytes.base64EncodedString(options: .lineLength76Characters)
      .split(whereSeparator: \.isNewline).map { "    \($0)\\" }.joined(separator: "\n") + "\n    "
  }

  /// The functions that the layers call.
  private var kernels: String {
    var texts: [String] = []
    if functions.contains(.convolution) {
      texts.append(
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

        """)
    }
    if functions.contains(.maxPooling) {
      texts.append(
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

        """)
    }
    if functions.contains(.scaleAndShift) {
      texts.append(
        """

          /// out = in · scale + shift, channel by channel
          private static func scaleAndShift(
            _ input: [Float], channels: Int, scale: Int, shift: Int
          ) -> [Float] {
            let length = input.count / channels
            return input.indices.map {
              input[$0] * weights[scale + $0 / length] + weights[shift + $0 / length]
            }
          }

        """)
    }
    texts.append(
      """

        /// out[u] = bias[u] + Σ weight[u, i] · in[i]
        private static func dense(_ input: [Float], units: Int, weight: Int, bias: Int) -> [Float] {
          (0..<units).map { unit in
            var sum = weights[bias + unit]
            for index in input.indices { sum += weights[weight + unit * input.count + index] * input[index] }
            return sum
          }
        }

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
    return texts.joined()
  }
}
