import InkNetwork

/// Networks that are no chains, for tests of what runs and trains them.
public enum Graphs {
  /// One of them.
  public struct Graph: Sendable, CustomStringConvertible {
    /// What it tests.
    public let description: String
    let inputs: [NetworkInput]
    let nodes: [Architecture.Node]

    /// The network.
    public func architecture() throws -> Architecture {
      try Architecture(name: description, inputs: inputs, nodes: nodes)
    }
  }

  /// Several sources, values that several nodes read, inputs of each form.
  public static let all: [Graph] = [
    Graph(
      description: "two branches of one picture", inputs: [.picture(size: 8)],
      nodes: [
        .init(.convolution(filters: 4, kernel: 3, padding: .same)),
        .init(.relu),
        .init(.maxPooling(size: 2)),
        .init(.flatten),
        .init(.convolution(filters: 3, kernel: 3, padding: .valid), from: [.node(1)]),
        .init(.flatten),
        .init(.dense(units: 5), from: [.node(3), .node(5)]),
        .init(.relu),
        .init(.dense(units: 3)),
      ]),
    Graph(
      description: "values changed in place and read before and after",
      inputs: [.picture(size: 6)],
      nodes: [
        .init(.convolution(filters: 3, kernel: 3, padding: .same)),
        .init(.relu),
        .init(.batchNormalization, from: [.node(0)]),
        .init(.relu),
        .init(.flatten, from: [.node(0)]),
        .init(.flatten, from: [.node(1)]),
        .init(.flatten, from: [.node(3)]),
        .init(.relu, from: [.node(4)]),
        .init(.dense(units: 4), from: [.node(4), .node(5), .node(6), .node(7)]),
        .init(.relu),
        .init(.dense(units: 3), from: [.node(8), .node(9), .node(8)]),
      ]),
    Graph(
      description: "a picture, a series and a vector",
      inputs: [
        NetworkInput(name: "image", form: .image(channels: 2, height: 6, width: .fixed(8))),
        NetworkInput(name: "pen", form: .series(channels: 3, length: .fixed(5))),
        NetworkInput(name: "size", form: .vector(count: 2)),
      ],
      nodes: [
        .init(.convolution(filters: 4, kernel: 3, padding: .same)),
        .init(.batchNormalization),
        .init(.relu),
        .init(.maxPooling(size: 2)),
        .init(.flatten),
        .init(.flatten, from: [.input(1)]),
        .init(.batchNormalization, from: [.input(2)]),
        .init(.dense(units: 6), from: [.node(4), .node(5), .node(6), .input(2)]),
        .init(.relu),
        .init(.dense(units: 3)),
      ]),
    Graph(
      description: "two convolutions that read one with batch normalisation",
      inputs: [.picture(size: 8)],
      nodes: [
        .init(.convolution(filters: 5, kernel: 3, padding: .same)),
        .init(.batchNormalization),
        .init(.relu),
        .init(.convolution(filters: 4, kernel: 3, padding: .same)),
        .init(.batchNormalization),
        .init(.relu),
        .init(.maxPooling(size: 2)),
        .init(.convolution(filters: 4, kernel: 5, padding: .same), from: [.node(2)]),
        .init(.relu),
        .init(.maxPooling(size: 2)),
        .init(.flatten, from: [.node(6)]),
        .init(.flatten, from: [.node(9)]),
        .init(.dense(units: 3), from: [.node(10), .node(11)]),
      ]),
  ]

  /// A pen of varying length, two channels.
  private static let pen = NetworkInput(
    name: "pen", form: .series(channels: 2, length: .variable(3...70)))

  /// Lines of writing of varying width.
  private static let line = NetworkInput(
    name: "line", form: .image(channels: 1, height: 8, width: .variable(9...41)))

  private static func series(
    _ description: String, _ nodes: [Architecture.Node], inputs: [NetworkInput] = [pen]
  ) -> Graph {
    Graph(description: description, inputs: inputs, nodes: nodes)
  }

  /// Networks over series of varying length, one or more for each kind of layer.
  public static let series: [Graph] =
    [SeriesConvolution.Padding.same, .valid, .causal].map { padding in
      series(
        "convolutions over time, \(padding)",
        [
          .init(.seriesConvolution(filters: 5, kernel: 3, padding: padding)),
          .init(.relu),
          .init(
            .seriesConvolution(
              filters: 20, kernel: padding == .valid ? 1 : 4, stride: 2, padding: padding)),
          .init(.timePooling(.mean)),
          .init(.dense(units: 3)),
        ])
    }
    + [TimePooling.Method.max, .mean, .attention].map { method in
      series(
        "\(method) over time",
        [
          .init(.dense(units: 17)), .init(.timePooling(method)), .init(.dropout(rate: 0.2)),
          .init(.dense(units: 3)),
        ])
    }
    + [Direction.forward, .backward, .both].flatMap { direction in
      [Layer.gru(units: 5, direction: direction), .lstm(units: 18, direction: direction)].map {
        series(
          "\($0.kind), \(direction)",
          [
            .init(.dense(units: 4)), .init($0), .init(.timePooling(.max)), .init(.dense(units: 3)),
          ])
      }
    }
    + [
      series(
        "recurrent layers, one after the other, of the input itself",
        [
          .init(.gru(units: 3, direction: .both)), .init(.dropout(rate: 0.3)),
          .init(.lstm(units: 4)), .init(.relu), .init(.timePooling(.mean)), .init(.relu),
          .init(.dense(units: 3)),
        ]),
      series(
        "normalisation of steps and over the batch",
        [
          .init(.seriesConvolution(filters: 6, kernel: 3, padding: .same)),
          .init(.batchNormalization), .init(.relu),
          .init(.seriesConvolution(filters: 19, kernel: 3, padding: .same)),
          .init(.layerNormalization), .init(.relu), .init(.batchNormalization),
          .init(.timePooling(.attention)), .init(.layerNormalization), .init(.dense(units: 3)),
        ]),
      series(
        "branches over time that meet again",
        [
          .init(.seriesConvolution(filters: 4, kernel: 3, padding: .same)),
          .init(.seriesConvolution(filters: 3, kernel: 5, padding: .causal), from: [.node(0)]),
          .init(.concatenation, from: [.node(0), .input(0), .node(1)]),
          .init(.gru(units: 4)),
          .init(.timePooling(.max), from: [.node(3)]),
          .init(.timePooling(.mean), from: [.node(3)]),
          .init(.concatenation, from: [.node(4), .node(5)]),
          .init(.dense(units: 3)),
        ]),
      series(
        "the columns of a picture as steps, and a series",
        [
          .init(.convolution(filters: 2, kernel: 3, padding: .same)), .init(.relu),
          .init(.columns), .init(.lstm(units: 4)), .init(.timePooling(.mean)),
          .init(.seriesConvolution(filters: 3, kernel: 3, padding: .same), from: [.input(1)]),
          .init(.timePooling(.max)), .init(.dense(units: 5), from: [.node(4), .node(6)]),
          .init(.relu), .init(.dense(units: 3)),
        ], inputs: [.picture(size: 7), pen]),
      series(
        "a series of one length as a vector",
        [
          .init(.seriesConvolution(filters: 3, kernel: 4, stride: 4, padding: .valid)),
          .init(.relu), .init(.flatten), .init(.dense(units: 3)),
        ], inputs: [NetworkInput(name: "pen", form: .series(channels: 2, length: .fixed(12)))]),
    ]

  /// Networks over pictures of varying width: convolutions that are fused and that are not, poolings of widths
  /// that they do not divide, places that several read.
  public static let lines: [Graph] = [
    series(
      "normalised convolutions over lines",
      [
        .init(.convolution(filters: 5, kernel: 3, padding: .same)), .init(.batchNormalization),
        .init(.relu), .init(.maxPooling(size: 2)),
        .init(.convolution(filters: 18, kernel: 3, padding: .same)), .init(.batchNormalization),
        .init(.relu), .init(.convolution(filters: 4, kernel: 5, padding: .same)),
        .init(.batchNormalization), .init(.relu), .init(.maxPooling(size: 2)), .init(.columns),
        .init(.gru(units: 5, direction: .both)), .init(.timePooling(.mean)),
        .init(.dense(units: 3)),
      ], inputs: [line]),
    series(
      "pooled convolutions over lines",
      [
        .init(.convolution(filters: 3, kernel: 5, padding: .same)), .init(.relu),
        .init(.maxPooling(size: 2)), .init(.convolution(filters: 17, kernel: 3, padding: .valid)),
        .init(.relu), .init(.maxPooling(size: 2)), .init(.columns), .init(.timePooling(.max)),
        .init(.dense(units: 3)),
      ], inputs: [line]),
    series(
      "layers over lines one by one",
      [
        .init(.convolution(filters: 3, kernel: 3, padding: .valid)), .init(.relu),
        .init(.dropout(rate: 0.2)), .init(.batchNormalization), .init(.maxPooling(size: 3)),
        .init(.convolution(filters: 2, kernel: 1, padding: .same)), .init(.batchNormalization),
        .init(.columns), .init(.lstm(units: 4)), .init(.timePooling(.mean)),
        .init(.dense(units: 3)),
      ], inputs: [line]),
    series(
      "branches over lines of several channels",
      [
        .init(.convolution(filters: 4, kernel: 3, padding: .same)), .init(.batchNormalization),
        .init(.relu), .init(.maxPooling(size: 2)),
        .init(.convolution(filters: 3, kernel: 3, padding: .same), from: [.node(3)]),
        .init(.relu), .init(.maxPooling(size: 2)), .init(.columns), .init(.timePooling(.max)),
        .init(.batchNormalization, from: [.node(3)]), .init(.columns), .init(.timePooling(.mean)),
        .init(.dense(units: 3), from: [.node(8), .node(11)]),
      ],
      inputs: [
        NetworkInput(
          name: "line", form: .image(channels: 2, height: 7, width: .variable(8...37)))
      ]),
  ]
}

extension Graphs.Graph {
  /// A length for each input of example `example`, from the shortest to the longest.
  public func length(of example: Int, input: Int) -> Int {
    let bounds = inputs[input].stepBounds
    return bounds.lowerBound + example * 23 % bounds.count
  }
}
