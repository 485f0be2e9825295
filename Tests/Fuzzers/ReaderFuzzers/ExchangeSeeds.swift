import Foundation
import Fuzzing
import InkNetwork
import InkRaster
import InkRecognizer
import InkSeries
import SeededRandom

@testable import InkExchange

/// Files of networks with every layer, for the readers of Core ML and ONNX.
enum ExchangeSeeds {
  /// A network with random weights.
  static func network(_ architecture: Architecture, seed: UInt64 = 1) throws -> TrainedNetwork {
    var generator = SeededGenerator(seed: seed)
    var weights: [String: Tensor] = [:]
    for parameter in architecture.parameters {
      weights[parameter.name] = Tensor(
        shape: parameter.shape,
        values: (0..<parameter.count).map { _ in Float(0.1 + 0.5 * generator.uniform()) })
    }
    return try TrainedNetwork(architecture, weights: weights)
  }

  static let series = NetworkInput(
    name: "series", form: .series(channels: 3, length: .variable(6...20)))
  static let fixed = NetworkInput(name: "series", form: .series(channels: 3, length: .fixed(9)))
  static let vector = NetworkInput(name: "facts", form: .vector(count: 3))
  private static let line = NetworkInput(
    name: "line", form: .image(channels: 1, height: 6, width: .variable(6...24)))
  static let colours = NetworkInput(
    name: "colours", form: .image(channels: 2, height: 4, width: .fixed(5)))

  private typealias Network = (
    inputs: [NetworkInput], nodes: [Architecture.Node], output: Architecture.Output
  )

  /// Over a series, with attention and layer normalisation.
  static func recurrent() throws -> Architecture {
    try Architecture(
      name: "recurrent", inputs: [series],
      nodes: [
        .init(.gru(units: 5)), .init(.dense(units: 4)), .init(.relu), .init(.layerNormalization),
        .init(.timePooling(.attention)), .init(.layerNormalization), .init(.dense(units: 3)),
      ])
  }

  /// With states that can be continued.
  static func steps() throws -> Architecture {
    try Architecture(
      name: "steps", inputs: [series],
      nodes: [
        .init(.gru(units: 4)), .init(.lstm(units: 4)),
        .init(.concatenation, from: [.node(0), .node(1)]), .init(.dense(units: 3)),
      ], output: .distributionPerStep)
  }

  private static let networks: [Network] = [
    (
      [series],
      [
        .init(.seriesConvolution(filters: 4, kernel: 4, stride: 2, padding: .same)), .init(.relu),
        .init(.seriesConvolution(filters: 5, kernel: 3, padding: .causal)),
        .init(.batchNormalization), .init(.dropout(rate: 0.2)),
        .init(.seriesConvolution(filters: 3, kernel: 2, padding: .valid)),
        .init(.seriesConvolution(filters: 6, kernel: 1, stride: 1, padding: .same)),
        .init(.timePooling(.max)), .init(.flatten), .init(.dense(units: 3)),
      ], .distribution
    ),
    (
      [fixed],
      [
        .init(.lstm(units: 4, direction: .both)), .init(.lstm(units: 3)), .init(.flatten),
        .init(.dense(units: 2)), .init(.batchNormalization), .init(.relu), .init(.dense(units: 3)),
      ], .distribution
    ),
    (
      [series],
      [
        .init(.gru(units: 3, direction: .both)), .init(.gru(units: 4, direction: .backward)),
        .init(.lstm(units: 3, direction: .backward)), .init(.timePooling(.mean)),
        .init(.dense(units: 3)),
      ], .distribution
    ),
    (
      [.picture(size: 8), fixed, vector, colours],
      [
        .init(.convolution(filters: 2, kernel: 1, padding: .same)), .init(.columns),
        .init(.gru(units: 3)), .init(.timePooling(.attention)),
        .init(.seriesConvolution(filters: 3, kernel: 3, padding: .same), from: [.input(1)]),
        .init(.concatenation, from: [.node(4), .input(1)]), .init(.timePooling(.max)),
        .init(.timePooling(.mean), from: [.node(5)]), .init(.flatten, from: [.input(3)]),
        .init(.dense(units: 6), from: [.node(3), .node(6), .node(7), .input(2), .node(8)]),
        .init(.relu), .init(.concatenation, from: [.node(10), .input(2)]),
        .init(.layerNormalization), .init(.dense(units: 3)),
      ], .distribution
    ),
    (
      [line],
      [
        .init(.convolution(filters: 2, kernel: 3, padding: .same)), .init(.batchNormalization),
        .init(.relu), .init(.maxPooling(size: 2)), .init(.columns), .init(.dense(units: 4)),
        .init(.relu), .init(.dropout(rate: 0.2)), .init(.gru(units: 5, direction: .both)),
        .init(.dense(units: 3)),
      ], .distributionPerStep
    ),
  ]

  /// A file of a network; without its architecture, it is as one of another program.
  static func file(
    _ architecture: Architecture, as form: ExportForm, isOwn: Bool = true, hasState: Bool = false
  ) throws -> Data {
    let text = String(decoding: try JSONEncoder().encode(architecture), as: UTF8.self)
    return try NetworkExport(
      network: network(architecture), labels: ["a", "b", "c"], temperature: 1.25,
      metadata: isOwn ? ["inkstate_format": "3", "architecture": text] : [:], hasState: hasState
    ).encoded(as: form, name: "")
  }

  /// Files of all networks here, of this package and of others, and of whole models.
  static func files(as form: ExportForm) throws -> [Data] {
    let architectures =
      try [recurrent(), steps()]
      + networks.map {
        try Architecture(name: "network", inputs: $0.inputs, nodes: $0.nodes, output: $0.output)
      }
    return try architectures.flatMap { architecture in
      try [true, false].map { try file(architecture, as: form, isOwn: $0) }
    } + [
      file(steps(), as: form, hasState: true),
      file(recurrent(), as: form, isOwn: false, hasState: true),
      file(strokes().architecture, as: form, isOwn: false),
      picture().exported(as: form), strokes().exported(as: form), recordings().exported(as: form),
    ]
  }

  /// A model of pictures.
  static func picture() throws -> Model {
    try Model(
      network: network(
        Architecture(
          name: "small", inputSize: 8,
          layers: [
            .convolution(filters: 2, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
            .flatten, .dense(units: 3),
          ])), labels: ["a", "b", "other"], preprocessing: [.raster(Rasterizer(size: 8))],
      decision: .init(
        temperature: 1.5, minimumProbabilities: ["b": 0.5], minimumMargins: ["a": 0.1],
        minimumExtent: 9, rejectedLabel: "other"), provenance: ["author": "me", "license": "MIT"])
  }

  /// A model of pictures and their strokes.
  private static func strokes() throws -> Model {
    let channels = StrokeEncoder.standard.channels.map(\.rawValue)
    let architecture = try Architecture(
      name: "two",
      inputs: [
        .picture(size: 8),
        NetworkInput(
          name: "series", form: .series(channels: channels.count, length: .variable(1...99))),
      ],
      nodes: [
        .init(.flatten, from: [.input(0)]), .init(.timePooling(.max), from: [.input(1)]),
        .init(.dense(units: 3), from: [.node(0), .node(1)]),
      ])
    return try Model(
      network: network(architecture), labels: ["a", "b", "c"],
      preprocessing: [
        .raster(Rasterizer(size: 8)), .strokes(.standard, SeriesPreparation(channels: channels)),
      ])
  }

  /// A model of recordings, with four labels.
  private static func recordings() throws -> Model {
    let architecture = try Architecture(
      name: "sensors", inputs: [series],
      nodes: [.init(.timePooling(.mean)), .init(.dense(units: 4))])
    return try Model(
      network: network(architecture), labels: ["a", "b", "c", "d"],
      preprocessing: [.series(SeriesPreparation(channels: ["x", "y", "z"]), window: nil)])
  }
}
