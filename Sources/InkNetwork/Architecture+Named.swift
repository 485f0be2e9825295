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
  /// With 3 classes and 28 × 28 pixels it has 97,539 parameters
  ///.
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
  /// With 10 classes and 28 × 28 pixels it has 3,274,634 parameters
  ///.
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
    func convolution(_ filters: Int) -> [Layer] {
      [.convolution(filters: filters, kernel: 3, padding: .same), .batchNormalization, .relu]
    }
    return try Architecture(
      name: "sketch", inputSize: inputSize,
      layers: convolution(16) + [.maxPooling(size: 2)]
        + convolution(32) + [.maxPooling(size: 2)]
        + convolution(48) + convolution(64) + [.maxPooling(size: 2)]
        + [.flatten, .dense(units: 128), .relu, .dense(units: classCount)])
  }
}
