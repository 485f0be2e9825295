extension Architecture {
  /// The names that ``named(_:classCount:inputSize:)`` knows.
  public static let names = ["drawing", "lenet", "sketch"]

  /// The network of that name, or `nil` where there is none.
  ///
  /// - Throws: `ArchitectureError` where the input is too small for it.
  public static func named(
    _ name: String, classCount: Int, inputSize: Int = 28
  ) throws(ArchitectureError) -> Architecture? {
    switch name {
    case "drawing": try drawing(classCount: classCount, inputSize: inputSize)
    case "lenet": try leNet(classCount: classCount, inputSize: inputSize)
    case "sketch": try sketch(classCount: classCount, inputSize: inputSize)
    default: nil
    }
  }

  /// The network of the reference editor: three 3×3 convolutions and a dense layer of 128.
  ///
  /// With 3 classes and 28 × 28 pixels it has 97,539 parameters.
  public static func drawing(
    classCount: Int, inputSize: Int = 28
  ) throws(ArchitectureError) -> Architecture {
    try Architecture(
      name: "drawing", inputSize: inputSize,
      layers: [
        .convolution(filters: 16, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 32, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 64, kernel: 3, padding: .same), .relu, .maxPooling(size: 2),
        .flatten,
        .dense(units: 128), .relu,
        .dense(units: classCount),
      ])
  }

  /// The network of the LeNet digit app, after LeCun and others (1998) with today's widths.
  ///
  /// With 10 classes and 28 × 28 pixels it has 3,274,634 parameters.
  public static func leNet(
    classCount: Int, inputSize: Int = 28
  ) throws(ArchitectureError) -> Architecture {
    try Architecture(
      name: "lenet", inputSize: inputSize,
      layers: [
        .convolution(filters: 32, kernel: 5, padding: .same), .relu, .maxPooling(size: 2),
        .convolution(filters: 64, kernel: 5, padding: .same), .relu, .maxPooling(size: 2),
        .flatten,
        .dense(units: 1024), .relu, .dropout(rate: 0.5),
        .dense(units: classCount),
      ])
  }

  /// The network of the released model: four 3×3 convolutions with batch normalisation and a dense
  /// layer of 128.
  ///
  /// With 4 classes and 28 × 28 pixels it has 121,076 parameters; chosen on validation writers among
  /// small networks (`models/README.md`).
  public static func sketch(
    classCount: Int, inputSize: Int = 28
  ) throws(ArchitectureError) -> Architecture {
    try Architecture(
      name: "sketch", inputSize: inputSize,
      layers: sketchFeatures + [.dense(units: 128), .relu, .dense(units: classCount)])
  }

  /// The layers from a picture to the vector that the dense layers of ``sketch(classCount:inputSize:)``
  /// read.
  private static var sketchFeatures: [Layer] {
    func convolution(_ filters: Int) -> [Layer] {
      [.convolution(filters: filters, kernel: 3, padding: .same), .batchNormalization, .relu]
    }
    return convolution(16) + [.maxPooling(size: 2)]
      + convolution(32) + [.maxPooling(size: 2)]
      + convolution(48) + convolution(64) + [.maxPooling(size: 2), .flatten]
  }
}

extension Architecture {
  /// The allowed widths of lines of writing that ``reader(classCount:height:)`` reads.
  public static let lineWidths = 8...8192

  /// A network that reads lines of writing: four convolutions with batch normalisation, and two GRU in both
  /// directions over the columns.
  ///
  /// It reads grey lines of `height` rows and any of ``lineWidths``, and has a distribution for every four
  /// columns. The last layer reads both GRU, the second of which sees what the first one made of the whole
  /// line. `classCount` is the number of characters and one more for the blank. With 100 classes and a
  /// height of 32, it has 633,588 parameters.
  ///
  /// - Throws: `ArchitectureError` where the height does not fit it.
  public static func reader(
    classCount: Int, height: Int = 32
  ) throws(ArchitectureError) -> Architecture {
    func convolution(_ filters: Int) -> [Layer] {
      [.convolution(filters: filters, kernel: 3, padding: .same), .batchNormalization, .relu]
    }
    let line = NetworkInput(
      name: "line", form: .image(channels: 1, height: height, width: .variable(lineWidths)))
    let recurrence: [Layer] = [.gru(units: 120, direction: .both), .dropout(rate: 0.3)]
    let layers =
      convolution(16) + [.maxPooling(size: 2)]
      + convolution(40) + [.maxPooling(size: 2)]
      + convolution(64) + convolution(72)
      + [.columns, .dense(units: 128), .relu, .dropout(rate: 0.2)]
      + recurrence + recurrence
    let last = layers.count - 1
    let nodes =
      layers.map { Node($0) } + [
        Node(.concatenation, from: [.node(last - recurrence.count), .node(last)]),
        Node(.dense(units: classCount)),
      ]
    return try Architecture(
      name: "reader", inputs: [line], nodes: nodes, output: .distributionPerStep)
  }
}

extension Architecture {
  /// The names that ``named(_:classCount:channels:shortest:)`` knows.
  public static let seriesNames = ["activity", "gesture"]

  /// The most steps of a series that the named networks read.
  public static let maximumSteps = 1 << 16

  /// The network of that name over series of `channels` channels, or `nil` where there is none.
  ///
  /// `shortest` is the number of steps of the shortest series.
  ///
  /// - Throws: `ArchitectureError` where the series do not fit it.
  public static func named(
    _ name: String, classCount: Int, channels: Int, shortest: Int
  ) throws(ArchitectureError) -> Architecture? {
    switch name {
    case "activity":
      try activity(classCount: classCount, channels: channels, window: max(1, shortest / 5))
    case "gesture": try gesture(classCount: classCount, channels: channels)
    default: nil
    }
  }

  private static func series(
    channels: Int, shortest: Int
  ) -> NetworkInput {
    NetworkInput(
      name: "series", form: .series(channels: channels, length: .variable(shortest...maximumSteps)))
  }

  /// The network of Turi Create's activity classifier (Apple, 2017), layer by layer, for comparison: a
  /// convolution over windows side by side, LSTM, and dense layers.
  ///
  /// There, each window has an answer of its own; here, the states are averaged, so that a series has
  /// one.
  public static func activity(
    classCount: Int, channels: Int, window: Int
  ) throws(ArchitectureError) -> Architecture {
    try Architecture(
      name: "activity", inputs: [series(channels: channels, shortest: window)],
      nodes: [
        .seriesConvolution(filters: 64, kernel: window, stride: window, padding: .valid), .relu,
        .dropout(rate: 0.2), .lstm(units: 200), .timePooling(.mean), .dense(units: 128),
        .batchNormalization, .relu, .dropout(rate: 0.5), .dense(units: classCount),
      ].map { Node($0) })
  }

  /// A small network for strokes and sensors: two convolutions with layer normalisation and GRU in both
  /// directions, whose states are pooled by their largest values and by attention.
  ///
  /// With 7 channels and 10 classes it has 69,994 parameters; chosen on validation writers of pen digits
  /// among small networks, where batch normalisation read writers with other habits worse.
  public static func gesture(
    classCount: Int, channels: Int
  ) throws(ArchitectureError) -> Architecture {
    try Architecture(
      name: "gesture", inputs: [series(channels: channels, shortest: 1)],
      nodes: [
        Node(.seriesConvolution(filters: 48, kernel: 5, padding: .same)),
        Node(.layerNormalization), Node(.relu),
        Node(.seriesConvolution(filters: 64, kernel: 5, padding: .same)),
        Node(.layerNormalization), Node(.relu), Node(.dropout(rate: 0.2)),
        Node(.gru(units: 64, direction: .both)),
        Node(.timePooling(.max), from: [.node(7)]),
        Node(.timePooling(.attention), from: [.node(7)]),
        Node(.concatenation, from: [.node(8), .node(9)]), Node(.dropout(rate: 0.4)),
        Node(.dense(units: classCount)),
      ])
  }
}

extension Architecture {
  /// The names that ``named(_:classCount:inputSize:channels:)`` knows.
  public static let pairedNames = ["fusion"]

  /// The network of that name over a picture and a series of `channels` channels, which are of the same
  /// drawing, or `nil` where there is none.
  ///
  /// - Throws: `ArchitectureError` where the picture is too small for it.
  public static func named(
    _ name: String, classCount: Int, inputSize: Int, channels: Int
  ) throws(ArchitectureError) -> Architecture? {
    switch name {
    case "fusion": try fusion(classCount: classCount, inputSize: inputSize, channels: channels)
    default: nil
    }
  }

  /// A network that sees a drawing and follows its strokes: the convolutions of
  /// ``sketch(classCount:inputSize:)`` on the picture, smaller ones than those of
  /// ``gesture(classCount:channels:)`` with GRU on the series, and dense layers on both.
  ///
  /// GRU reads forwards only, because Core ML has no GRU in both directions. With 4 classes, 28 × 28
  /// pixels and 7 channels it has 156,564 parameters.
  public static func fusion(
    classCount: Int, inputSize: Int = 28, channels: Int
  ) throws(ArchitectureError) -> Architecture {
    var nodes = sketchFeatures.map { Node($0) }
    let picture = nodes.count - 1
    nodes += [
      Node(.seriesConvolution(filters: 32, kernel: 5, padding: .same), from: [.input(1)]),
      Node(.layerNormalization), Node(.relu),
      Node(.seriesConvolution(filters: 48, kernel: 5, padding: .same)),
      Node(.layerNormalization), Node(.relu), Node(.dropout(rate: 0.2)),
      Node(.gru(units: 48)),
    ]
    let strokes = nodes.count - 1
    nodes += [
      Node(.timePooling(.max), from: [.node(strokes)]),
      Node(.timePooling(.attention), from: [.node(strokes)]),
      Node(
        .dense(units: 128), from: [.node(picture), .node(strokes + 1), .node(strokes + 2)]),
      Node(.relu), Node(.dense(units: classCount)),
    ]
    return try Architecture(
      name: "fusion",
      inputs: [.picture(size: inputSize), series(channels: channels, shortest: 1)], nodes: nodes)
  }
}

extension Architecture {
  /// The names that ``named(_:classCount:fields:)`` knows.
  public static let pageNames = ["page"]

  /// The allowed heights and widths of pictures that ``page(classCount:fields:)`` reads, in multiples of 32.
  public static let pageSides = 32...4096

  /// The network of that name over pictures of any size, or `nil` where there is none.
  ///
  /// - Throws: `ArchitectureError` where there are too few classes.
  public static func named(
    _ name: String, classCount: Int, fields: Int
  ) throws(ArchitectureError) -> Architecture? {
    switch name {
    case "page": try page(classCount: classCount, fields: fields)
    default: nil
    }
  }

  /// A network that sees a whole page: a U-Net (Ronneberger et al., 2015) whose answer is a distribution for
  /// each cell of 2 × 2 pixels, and `fields` numbers beside it.
  ///
  /// Five levels, each begun by a convolution of stride 2, and back by nearest upsampling and joins with the
  /// level's own planes. The widths are whole vectors of the kernels, for which 20 planes cost as much as 32.
  /// With 5 classes and no fields, it has 571,669 parameters.
  ///
  /// - Throws: `ArchitectureError` where there are too few classes.
  public static func page(
    classCount: Int, fields: Int = 0
  ) throws(ArchitectureError) -> Architecture {
    let widths = [16, 48, 64, 80, 80]
    var nodes: [Node] = []
    func add(_ filters: Int, stride: Int = 1) {
      nodes += [
        Node(.convolution(filters: filters, kernel: 3, stride: stride, padding: .same)),
        Node(.batchNormalization), Node(.relu),
      ]
    }
    var levels: [Int] = []
    for width in widths {
      add(width, stride: 2)
      add(width)
      levels.append(nodes.count - 1)
    }
    for level in widths.indices.dropLast().reversed() {
      nodes.append(Node(.upsampling))
      nodes.append(
        Node(.concatenation, from: [.node(nodes.count - 1), .node(levels[level])]))
      add(widths[level])
    }
    nodes.append(Node(.convolution(filters: classCount + fields, kernel: 1, padding: .same)))
    return try Architecture(
      name: "page",
      inputs: [
        NetworkInput(
          name: "page", form: .page(channels: 1, heights: pageSides, widths: pageSides))
      ], nodes: nodes, output: .distributionPerCell(fields: fields))
  }
}
