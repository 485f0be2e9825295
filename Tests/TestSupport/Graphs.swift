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
}
