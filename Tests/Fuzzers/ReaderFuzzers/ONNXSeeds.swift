import Foundation
import Fuzzing
import InkNetwork
import SwiftProtobuf

@testable import InkExchange

/// Files of ONNX, as other programs write them and as none should.
enum ONNXSeeds {
  private typealias Attribute = Onnx_AttributeProto
  private typealias Tensor = Onnx_TensorProto

  /// A folder with a file `weights`, beside which the inputs are.
  static let folder: String = {
    let path = InputPath("weights")
    _ = path(Data(repeating: 0x3F, count: 1000))
    return path.folder
  }()

  /// Whole networks, and files that differ from what can be read in one thing.
  static func files() throws -> [Data] {
    try Fuzzer.files(
      "Tests/InkExchangeTests/References/pytorch.onnx",
      "Tests/InkExchangeTests/References/keras.onnx",
      "Tests/InkExchangeTests/References/series-causal.onnx",
      "Tests/InkExchangeTests/References/series-script.onnx"
    ) + ExchangeSeeds.files(as: .onnx) + own() + graphs() + pictures() + vectors() + sequences()
      + recurrent() + constants()
  }

  // MARK: Chains of nodes

  /// A node that reads the one before it as `_`, first if not told otherwise.
  ///
  /// Its constants are named after what is in them: a letter and a shape, or for `i` integers.
  private static func node(
    _ operation: String, _ inputs: String..., with attributes: [Attribute] = []
  ) -> Onnx_NodeProto {
    .with {
      ($0.opType, $0.attribute) = (operation, attributes)
      $0.input = inputs.contains("_") ? inputs : ["_"] + inputs
    }
  }

  /// Zeros for `z`, integers for `i` (`I` for their bytes), and 0.5 everywhere for `f` (32 bits), `d` (64
  /// bits) and `h` (16 bits), of a shape; `s` has one value too few, and `w` is in the file `weights`.
  private static func constant(_ name: String) -> Tensor? {
    let numbers = name.dropFirst().split(separator: ",").map { Int64($0) }
    guard let kind = name.first, !numbers.contains(nil) else { return nil }
    let dims = numbers.compactMap { $0 }
    var tensor = Tensor.with { ($0.name, $0.dims) = (name, dims) }
    let count = max(0, Int(dims.reduce(1, *)))
    switch kind {
    case "i", "I":
      (tensor.dataType, tensor.dims) = (7, [Int64(dims.count)])
      if kind == "i" {
        tensor.int64Data = dims
      } else {
        tensor.rawData = dims.withUnsafeBytes { Data($0) }
      }
    case "f": (tensor.dataType, tensor.floatData) = (1, Array(repeating: 0.5, count: count))
    case "s": (tensor.dataType, tensor.floatData) = (1, Array(repeating: 0.5, count: count - 1))
    case "z": (tensor.dataType, tensor.rawData) = (1, Data(count: 4 * count))
    case "h": (tensor.dataType, tensor.int32Data) = (10, Array(repeating: 0x3800, count: count))
    case "d": (tensor.dataType, tensor.doubleData) = (11, Array(repeating: 0.5, count: count))
    case "w":
      (tensor.dataType, tensor.dataLocation) = (1, .external)
      tensor.externalData = [.with { ($0.key, $0.value) = ("location", "weights") }]
    default: return nil
    }
    return tensor
  }

  /// A network with an input of these lengths, 0 where they vary, and a chain of nodes.
  private static func chain(
    _ lengths: [Int64], _ nodes: [Onnx_NodeProto],
    _ change: (inout Onnx_GraphProto) -> Void = { _ in }
  ) throws -> Data {
    var file = Onnx_ModelProto()
    file.graph.input = [
      .with {
        $0.name = "x"
        $0.type.tensorType.elemType = 1
        $0.type.tensorType.shape.dim = lengths.map { length in .with { $0.dimValue = length } }
      }
    ]
    var last = "x"
    for (index, node) in nodes.enumerated() {
      var node = node
      (node.name, node.output) = ("\(index)", ["\(index)"])
      node.input = node.input.map { $0 == "_" ? last : $0 }
      last = "\(index)"
      file.graph.node.append(node)
    }
    file.graph.output = [.with { $0.name = last }]
    let names = Set(nodes.flatMap(\.input)).sorted()
    file.graph.initializer = names.compactMap { $0 == "x" ? nil : constant($0) }
    change(&file.graph)
    return try file.serializedData()
  }

  private static let softmax = node("Softmax")
  private static let relu = node("Relu")
  private static let flatten = node("Flatten")
  private static let convolution = node("Conv", "f2,1,3,3")
  private static func transpose(_ order: Int...) -> Onnx_NodeProto {
    node("Transpose", with: [.integers("perm", order)])
  }

  // MARK: Files of this package

  private static func own() throws -> [Data] {
    let changes: [(inout Onnx_ModelProto) -> Void] = [
      { $0.graph.input[0].type.tensorType.shape.dim[2].dimValue = 9 },
      { $0.graph.input[0].name = "another" },
      { file in file.metadataProps.removeAll { $0.key == "architecture" } },
      { file in file.metadataProps.removeAll { $0.key == "labels" } },
      { $0.metadataProps.append($0.metadataProps[0]) },
      { $0.graph.node[1].opType = "Identity" },
      {
        $0.graph.node.insert(node("Relu"), at: 1); rewire(&$0.graph, 1)
      },
      {
        // Another scale of pictures, and another temperature.
        $0.graph.node.insert(node("Mul", "_", "f1"), at: 0)
        $0.graph.initializer.append(constant("f1")!)
        rewire(&$0.graph, 0)
      },
      {
        $0.graph.node.insert(node("Mul", "_", "f1"), at: $0.graph.node.count - 1)
        $0.graph.initializer.append(constant("f1")!)
        rewire(&$0.graph, $0.graph.node.count - 2)
      },
      {
        // One more layer before the temperature.
        $0.graph.node.insert(node("Gemm", "_", "f3,3"), at: $0.graph.node.count - 2)
        $0.graph.initializer.append(constant("f3,3")!)
        rewire(&$0.graph, $0.graph.node.count - 3)
      },
    ]
    let whole = try Onnx_ModelProto(serializedBytes: ExchangeSeeds.picture().exported(as: .onnx))
    return try changes.map { change in
      var file = whole
      change(&file)
      return try file.serializedData()
    }
  }

  /// Makes node `index` read what the next one reads, and the next one read it.
  private static func rewire(_ graph: inout Onnx_GraphProto, _ index: Int) {
    graph.node[index].input[0] = graph.node[index + 1].input[0]
    graph.node[index].output = ["new"]
    graph.node[index + 1].input[0] = "new"
  }

  // MARK: Graphs

  private static func graphs() throws -> [Data] {
    let end = [node("Gemm", "f3,3"), softmax]
    let changes: [(inout Onnx_GraphProto) -> Void] = [
      { $0.node = [] }, { $0.input = [] }, { $0.node[0].domain = "com.example" },
      { $0.node[1].output = ["0"] }, { $0.node[0].input[0] = "elsewhere" },
      { $0.output[0].name = "elsewhere" }, { $0.output = [] },
      {
        $0.node.append(.with { ($0.opType, $0.input, $0.output) = ("Relu", ["x"], ["more"]) })
        $0.output.append(.with { $0.name = "more" })
      },
      { $0.node[1].opType = "Shape" },
      {
        $0.node[0].input.append(""); $0.node[0].domain = "ai.onnx"
      },
      {
        // A wire type that is not its own.
        $0.node[1].attribute = [
          try! .init(serializedBytes: [0x0A, 4, 0x61, 0x78, 0x69, 0x73, 0x1A, 1, 1] as [UInt8])
        ]
      },
    ]
    return try changes.map { try chain([0, 3], end, $0) } + [
      chain([0, 0], end), chain([0, 3, 0, 4097], end), chain([0, 1, 8, 9], end),
      chain([0, 2, 8, 8], end),
      chain([0, 1], end), chain([0], end), chain([0, 0, 5000], end), chain([0, 0, 3], []),
      chain([0, 0, 3], [relu, relu, relu]) { $0.node[0].input = [] },
      chain([0, 0, 3], Array(repeating: node("Identity"), count: 33) + end),
      chain([0, 0, 3], [node("Transpose", with: [.integers("perm", [0, 1])])]),
      chain([3, 0, 0], [node("Transpose"), node("ReduceMax", "i1"), flatten] + end),
      chain([0, 1, 4, 4], [flatten, node("Gemm", "f16,3"), softmax]),
    ]
  }

  // MARK: Pictures and vectors

  private static func pictures() throws -> [Data] {
    func pooling(_ attributes: Attribute...) -> Onnx_NodeProto {
      node(
        "MaxPool",
        with: attributes + [.integers("kernel_shape", [2, 2]), .integers("strides", [2, 2])])
    }
    func convolution(_ attributes: Attribute...) -> Onnx_NodeProto {
      node("Conv", "f2,1,3,3", with: attributes)
    }
    let normalization = node("BatchNormalization", "f2", "f2", "f2", "f2")
    let chains: [[Onnx_NodeProto]] = [
      [
        convolution(.text("auto_pad", "VALID")), node("Mul", "f2,1,1"), node("Add", "f1,2,1,1"),
        normalization, relu, pooling(), flatten, node("Gemm", "f18,3", "f1"),
        node("Mul", "f1"), softmax,
      ],
      [
        node("Div", "_", "f1"), convolution(.text("auto_pad", "SAME_UPPER")),
        pooling(.text("auto_pad", "SAME_UPPER")), transpose(0, 2, 3, 1), node("Reshape", "i-1,32"),
        relu, node("MatMul", "f32,3"), node("Add", "f3"), node("Div", "f1"), node("LogSoftmax"),
      ],
      [
        node("Reshape", "i-1,8,8,1"), node("Reshape", "I-1,1,8,8"), node("Reshape", "i-1,8,8,1"),
        convolution(.text("auto_pad", "")), node("Reshape"),
        node("Gemm", "f3,72", "f1", with: [.integer("transB", 1)]), node("Dropout"), softmax,
      ],
      [
        transpose(0, 3, 1, 2), node("Reshape", "i0,0,8"), node("ReduceMax", "i1"), flatten,
        node("Gemm", "f8,3"), softmax,
      ],
      [node("Cast", with: [.integer("to", 1)]), node("Cast", with: [.integer("to", 6)])],
      [node("Cast")], [node("Mul", "f2")], [node("Mul", "f1", "_", "f1")], [node("Div", "f1", "_")],
      [node("Conv")], [node("Conv", "f")], [node("Conv", "f70000,0")], [node("Conv", "f2,1,3")],
      [convolution(.text("auto_pad", "other"))], [convolution(.integers("strides", [1]))],
      [convolution(.integers("strides", [2, 1]))], [convolution(.integers("dilations", [2, 2]))],
      [convolution(.integer("group", 2))], [convolution(.integers("pads", [1, 0, 1, 1]))],
      [node("Conv", "f2,1,3,2")], [node("Conv", "f2,2,3,3")], [node("Conv", "f2,1,9,9")],
      [convolution(), transpose(0, 2, 3, 1), convolution()],
      [convolution(), transpose(0, 2, 3, 1), normalization],
      [convolution(), node("BatchNormalization", "f2", "f2", "f2", "f3")],
      [
        convolution(),
        node("BatchNormalization", "f2", "f2", "f2", "f2", with: [.integer("training_mode", 1)]),
      ],
      [convolution(), node("Mul", "f3")], [convolution(), flatten, node("Mul", "f72")],
      [convolution(), relu, node("Add", "f2,1,1")],
      [pooling(.integers("dilations", [2, 2]))], [pooling(.integers("pads", [1, 0, 0, 0]))],
      [node("MaxPool")], [node("MaxPool", with: [.integers("kernel_shape", [2, 2])])],
      [
        node(
          "MaxPool",
          with: [
            .integers("kernel_shape", [3, 3]), .integers("strides", [3, 3]),
            .integer("ceil_mode", 1),
          ])
      ],
      [node("Gemm", "f8,3")], [node("Flatten", with: [.integer("axis", 2)])],
      [transpose(0, 1, 3, 2), flatten], [transpose(0, 1, 3, 2), node("Reshape", "i-1,1,8,8")],
      [node("Reshape", "i-1,1,4,16")], [node("Reshape", "i-1,4,16")], [node("Reshape", "f2")],
      [transpose(0, 3, 1, 2), node("Reshape", "i0,0")], [transpose(0, 3, 1, 2), node("Reshape")],
      [transpose(0, 1)], [node("Sigmoid")],
      [node("Gather", "i0")], [node("Add", "f1")], [node("Add", "z1"), flatten],
      [node("Concat", with: [.integer("axis", 1)])], [node("GlobalMaxPool")],
      [convolution(), transpose(0, 2, 3, 1), flatten, normalization],
      [node("MatMul", "f8,3", "_")], [node("Unsqueeze", "i9")],
      [node("Unsqueeze", "i0,1,2,3,4")], [node("Squeeze", "i2")],
    ]
    return try chains.map { try chain([0, 1, 8, 8], $0) } + [
      chain([0, 8, 8, 1], [convolution(), flatten, node("Gemm", "f72,3"), softmax]),
      chain([0, 1, 8, 8], [node("Mul", "f1"), flatten, node("Gemm", "f64,3"), softmax]) {
        // Whole grey values.
        $0.input[0].type.tensorType.elemType = 2
      },
    ]
  }

  private static func vectors() throws -> [Data] {
    let dense = node("Gemm", "f3,3")
    let chains: [[Onnx_NodeProto]] = [
      [dense, node("Add", "f3", "_"), softmax],
      [node("Unsqueeze", "i-1"), node("Squeeze"), dense, softmax],
      [node("Unsqueeze", with: [.integers("axes", [1])]), node("Squeeze", "i1"), dense, softmax],
      [node("Gemm", "f3,1"), node("Mul", "f1"), softmax],
      [dense, softmax, node("Add", "f3")], [dense, softmax, relu], [dense, softmax, softmax],
      [dense, node("Mul", "f1"), relu], [dense, node("Mul", "f1"), node("Mul", "f3")],
      [dense, node("Mul", "z1")],
      [node("Flatten", with: [.integer("axis", 1), .integer("axis", 2)])],
      [dense, node("Softmax", with: [.integer("axis", 0)])],
      [softmax], [node("Gemm", "f3,3", with: [.number("alpha", 2)])], [node("Gemm", "f3,3,1")],
      [node("Gemm", "f3,0")], [node("Gemm", "f4,3")], [dense],
      [node("Mul", "f1")], [node("Concat", "_"), dense, softmax],
      [node("Concat", "_", "_"), node("Gemm", "f6,3"), softmax],
      [node("Concat", "_", "f3")], [node("Squeeze", "i7")], [node("Squeeze", "i0,0")],
      [node("Unsqueeze", "i-1"), dense], [node("Unsqueeze"), dense, softmax],
      [dense, node("Add", "f3"), node("Concat", "_", "0")], [transpose(1, 0), flatten],
      [node("Reshape", "i-1,3,1")],
    ]
    var many = node("Concat")
    many.input = Array(repeating: "_", count: 65)
    return try (chains + [[many]]).map { try chain([0, 3], $0) }
  }

  // MARK: Series

  private static func sequences() throws -> [Data] {
    let end = [node("Gemm", "f3,3"), softmax]
    let mean = node("ReduceMean", with: [.integers("axes", [1]), .integer("keepdims", 0)])
    func convolution(_ attributes: Attribute...) -> Onnx_NodeProto {
      node("Conv", "f3,3,3", with: attributes)
    }
    let pool = node("GlobalAveragePool")
    // The batch, the channels and the steps.
    let channelsFirst: [[Onnx_NodeProto]] = [
      [
        node("Pad", "i0,0,2,0,0,0"), convolution(), convolution(.integers("pads", [1, 1])),
        convolution(.integers("pads", [2, 0]), .integers("strides", [2])),
        convolution(.text("auto_pad", "SAME_LOWER")), convolution(.text("auto_pad", "SAME_UPPER")),
        node("BatchNormalization", "f3", "f3", "f3", "f3"), relu, pool, node("Squeeze", "i2"),
      ] + end,
      [convolution(), node("GlobalMaxPool"), flatten] + end,
      [
        convolution(), node("Unsqueeze", "i2"), node("Conv", "f3,3,1,3"), node("Squeeze", "i2"),
        node("ReduceMean", "i-1"), node("Squeeze", "i-1"),
      ] + end,
      [
        node(
          "Pad",
          with: [
            .integers("pads", [0, 0, 1, 0, 0, 1]), .text("mode", "constant"), .number("value", 0),
          ]
        ), convolution(.text("auto_pad", "SAME_UPPER")),
      ],
      [node("Pad", "i0,0,2,0,0,0", "f1"), pool], [node("Pad", "i0,2,0,0,0,0"), pool],
      [node("Pad", "i0,0,2,0,0,0", "", "i2"), pool], [node("Pad", "i0,0,2,0,0,0", ""), pool],
      [
        convolution(.text("auto_pad", "SAME_UPPER"), .integers("strides", [2])), pool,
      ],
      [convolution(.integers("pads", [1, 2]))], [convolution(.integers("dilations", [2]))],
      [convolution(.integer("group", 3))], [node("Conv", "f3,0,2000")], [node("Conv", "f3,3,0")],
      [node("Conv", "f3,2,3")], [convolution(.integers("strides", [0]))],
      [convolution(), node("Unsqueeze", "i2"), node("Conv", "f3,3,3,3")],
      [convolution(), transpose(0, 2, 1), pool],
      [convolution(), node("GlobalMaxPool"), node("GlobalMaxPool")],
      [convolution(), node("ReduceMax", "i1")], [convolution(), flatten],
      [convolution(), node("MatMul", "f3,3")],
    ]
    // The batch, the steps and the channels.
    let stepsFirst: [[Onnx_NodeProto]] = [
      [
        node("MatMul", "f3,3"), node("Add", "f3"), node("LayerNormalization", "f3"),
        node("LayerNormalization", "f3", "f3", with: [.integer("axis", 2)]), mean,
      ] + end,
      [node("MatMul", "f3,3"), softmax],
      [node("LayerNormalization", "f3", with: [.integer("axis", 1)])],
      [node("LayerNormalization", "f3", with: [.number("epsilon", 0.1)])],
      [mean, node("Reshape", "i-1,3")] + end,
      [
        node("Concat", "_", "_"), node("ReduceMax", "i1"), node("Reshape", "i0,6"),
        node("Gemm", "f6,3"), softmax,
      ],
      [node("Concat", with: [.integer("axis", 1)])], [node("Reshape", "i0,0,1,3")],
      [node("ReduceMax")], [node("ReduceMax", "i7")], [node("MaxPool")], [node("Mul", "f1")],
      [node("MatMul", "f3,1"), softmax],
      [node("MatMul", "f3,1"), node("Softmax", with: [.integer("axis", 1)])],
    ]
    func attention(_ change: (inout Onnx_GraphProto) -> Void = { _ in }) throws -> Data {
      try chain(
        [0, 0, 3],
        [
          node("MatMul", "f3,1"), node("Softmax", with: [.integer("axis", 1)]),
          node("Mul", "x", "_"),
          node("ReduceSum", "i1"), flatten, node("Gemm", "f3,3"), softmax,
        ], change)
    }
    return try channelsFirst.map { try chain([0, 3, 0], $0) }
      + stepsFirst.map { try chain([0, 0, 3], $0) } + [
        attention(),
        attention {
          $0.node[3].input[1] = "i0"
          $0.initializer.append(constant("i0")!)
        },
        attention { $0.node[2].input[0] = "f3,1" }, attention { $0.node[3].opType = "ReduceMean" },
        chain([0, 6, 3], [flatten, node("Gemm", "f18,3"), softmax]),
        chain([0, 6, 3], [node("Reshape"), node("Gemm", "f18,3"), softmax]),
        chain([0, 6, 3], [transpose(0, 2, 1), flatten, node("Gemm", "f18,3"), softmax]),
        chain([0, 6, 3], [transpose(0, 2, 1), node("Reshape", "i0,18"), softmax]),
        chain([0, 1, 3], [mean] + end), chain([0, 0, 1], [mean, node("Gemm", "f1,3"), softmax]),
        chain([0, 1 << 20, 1], [mean, node("Gemm", "f1,3"), softmax]),
      ]
  }

  private static func recurrent() throws -> [Data] {
    func gru(_ inputs: String..., with attributes: [Attribute] = []) -> Onnx_NodeProto {
      var gru = node(
        "GRU", "f1,6,3", "f1,6,2", with: attributes + [.integer("linear_before_reset", 1)])
      gru.input += inputs
      return gru
    }
    let pooled = [node("ReduceMean", "i1"), flatten, node("Gemm", "f2,3"), softmax]
    let layout = Attribute.integer("layout", 1)
    let both = [layout, .text("direction", "bidirectional")]
    func state(_ operation: String, _ inputs: [String], _ attributes: [Attribute] = [])
      -> (inout Onnx_GraphProto) -> Void
    {
      {
        let node = Onnx_NodeProto.with {
          ($0.opType, $0.input, $0.output) = (operation, inputs, ["state"])
          $0.attribute = attributes
        }
        $0.node.append(node)
      }
    }
    func filled(_ tensor: String) -> [Attribute] {
      [.with { ($0.name, $0.t) = ("value", constant(tensor)!) }]
    }
    let steps: [[Onnx_NodeProto]] = [
      // The steps before the batch.
      [gru("f1,12", "", "z1,1,2"), node("Squeeze", "i1"), transpose(1, 0, 2)] + pooled,
      [gru(), transpose(2, 0, 1, 3), node("Reshape", "i0,0,2")] + pooled,
      [
        node("LSTM", "f1,8,3", "f1,8,2", "", "", "z1,1,2", "z1,1,2"), node("Squeeze"),
        transpose(1, 0, 2),
      ] + pooled,
      [gru("f1,11")], [gru("", "i3")], [gru("", "", "f1,1,2")], [gru("", "", "i0")],
      [gru(with: [.text("direction", "up")])], [gru(with: [.number("clip", 1)])],
      [gru(with: [.with { ($0.name, $0.strings) = ("activations", [Data("Relu".utf8)]) }])],
      [node("GRU", "f1,6,3", "f1,6,2")],
      [node("GRU", "f1,7,3", "f1,6,2", with: [.integer("linear_before_reset", 1)])],
      [node("LSTM", "f1,8,3", "f1,8,2", with: [.integer("input_forget", 1)])],
      [node("LSTM", "f1,8,3", "f1,8,2", "", "", "", "", "f1,6")],
      [gru(), flatten], [gru(), node("Reshape", "i0,0")],
      [gru(), transpose(1, 0, 3, 2), node("Reshape", "i0,0,2")],
      [node("MatMul", "f3,3"), gru()],
      [node("MatMul", "f3,3"), transpose(1, 0, 2), gru(with: [layout])],
      [gru(), node("ReduceMean", "i0,1"), flatten, node("Gemm", "f2,3"), softmax],
    ]
    let batches: [[Onnx_NodeProto]] = [
      // The batch before the steps.
      [gru(with: [layout]), node("Reshape", "i0,0,2")] + pooled,
      [gru(with: [layout, .text("direction", "reverse")]), node("Squeeze", "i2")] + pooled,
      [
        node("LSTM", "f2,4,3", "f2,4,1", "f2,8", with: both), node("Reshape", "i0,0,-1"),
      ] + pooled,
      [
        node(
          "LSTM", "f1,4,3", "f1,4,1",
          with: [
            layout,
            .with {
              $0.name = "activations"
              $0.strings = ["Sigmoid", "Tanh", "Tanh"].map { Data($0.utf8) }
            },
          ]), node("Reshape"), node("ReduceMax", "i1"), flatten, node("Gemm", "f1,3"), softmax,
      ],
      [node("LSTM", "f2,4,3", "f2,4,1", with: both), node("Reshape", "i0,-1")],
      [
        node("LSTM", "f2,4,3", "f2,4,1", with: both), transpose(0, 2, 1, 3),
        node("Reshape", "i0,-1"),
      ],
      [node("LSTM", "f2,4,3", "f2,4,1", with: both), flatten],
    ]
    let states: [(inout Onnx_GraphProto) -> Void] = [
      state("ConstantOfShape", ["i1,1,2"]), state("ConstantOfShape", ["i1,1,2"], filled("z1")),
      state("ConstantOfShape", ["i1,1,2"], filled("f1")),
      state("ConstantOfShape", ["i1,1,2"], filled("i0")), state("Expand", ["z1,1,2", "i2"]),
      state("Expand", []), state("Expand", ["state"]), state("Relu", ["z1,1,2"]),
      { $0.input.append(.with { $0.name = "state" }) },
    ]
    let last = [node("Squeeze", "i1"), transpose(1, 0, 2)] + pooled
    return try steps.map { try chain([0, 0, 3], $0) }
      + batches.map { try chain([0, 6, 3], $0) }
      + states.map { state in
        try chain([0, 0, 3], [gru("", "", "state")] + last) {
          for name in ["z1,1,2", "i1,1,2", "i2"] { $0.initializer.append(constant(name)!) }
          state(&$0)
        }
      }
  }

  // MARK: Constants

  private static func constants() throws -> [Data] {
    func entry(_ key: String, _ value: String) -> Onnx_StringStringEntryProto {
      .with { ($0.key, $0.value) = (key, value) }
    }
    let tensors: [(inout Tensor) -> Void] = [
      { $0 = constant("h3,3")! }, { $0 = constant("d3,3")! }, { $0 = constant("w3,3")! },
      { $0 = constant("s3,3")! }, { $0.dims = [1 << 40, 1 << 40] }, { $0.dims = [-3, -3] },
      { $0.dims = [20_000, 20_000] }, { $0.dataType = 6 }, { $0.dataType = 7 },
      { $0.dataType = 99 },
      {
        $0.dataLocation = .external
        $0.externalData = [entry("location", "../weights"), entry("location", "weights")]
      },
      { $0.dataLocation = .external },
      {
        $0 = constant("w3,3")!; $0.externalData[0].value = "nothing"
      },
      {
        $0 = constant("w3,3")!; $0.externalData.append(entry("offset", "990"))
      },
      {
        $0 = constant("w3,3")!; $0.externalData.append(entry("offset", " 17"))
      },
      {
        $0 = constant("w3,3")!; $0.externalData.append(entry("length", "7"))
      },
      {
        $0 = constant("w3,3")!; $0.dims = [400, 3]
      },
      {
        $0 = constant("z3,3")!; $0.rawData.removeLast(4)
      },
    ]
    let end = [node("Gemm", "c"), node("Add", "b"), softmax]
    let values: [(inout Attribute) -> Void] = [
      { ($0.name, $0.t) = ("value", constant("f3")!) },
      { ($0.name, $0.floats) = ("value_floats", [1, 2, 3]) },
      { ($0.name, $0.f) = ("value_float", 1) }, { ($0.name, $0.i) = ("value_int", 1) },
      { ($0.name, $0.ints) = ("value_ints", [1, 2, 3]) }, { $0.name = "value_string" },
    ]
    func file(_ tensor: Tensor, _ attribute: Attribute) throws -> Data {
      try chain([0, 3], end) {
        var tensor = tensor
        tensor.name = "c"
        $0.initializer += [tensor, tensor]
        $0.node.insert(
          contentsOf: [
            .with { ($0.opType, $0.output, $0.attribute) = ("Constant", ["a"], [attribute]) },
            .with { ($0.opType, $0.input, $0.output) = ("Identity", ["a"], ["b"]) },
          ], at: 0)
      }
    }
    let number = Attribute.with { ($0.name, $0.t) = ("value", constant("f3")!) }
    return try tensors.map { change in
      var tensor = constant("f3,3")!
      change(&tensor)
      return try file(tensor, number)
    }
      + values.map { change in
        var attribute = Attribute()
        change(&attribute)
        return try file(constant("f3,3")!, attribute)
      }
  }
}
