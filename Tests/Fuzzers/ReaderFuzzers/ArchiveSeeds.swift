import Foundation
import Fuzzing
import InkNetwork

@testable import InkExchange

/// Archives of weights, and the networks that they are read for.
enum ArchiveSeeds {
  private static let small: [Layer] = [
    .convolution(filters: 2, kernel: 3, padding: .same), .batchNormalization, .relu,
    .maxPooling(size: 2), .flatten, .dense(units: 3), .batchNormalization, .dense(units: 3),
  ]
  private static let columns: [Layer] = [
    .columns, .seriesConvolution(filters: 2, kernel: 3, padding: .causal), .batchNormalization,
    .layerNormalization, .batchNormalization, .dropout(rate: 0.5), .lstm(units: 1),
    .gru(units: 1, direction: .both), .timePooling(.attention), .dense(units: 3),
  ]
  /// A dense layer of as many units as inputs, whose weights fit both layouts.
  private static let square: [Layer] = [
    .maxPooling(size: 4), .columns, .timePooling(.max), .dense(units: 2),
  ]

  private static func architecture(_ layers: [Layer]) -> Architecture {
    // These layers fit each other.
    try! Architecture(name: "small", inputSize: 8, layers: layers)
  }

  /// What each archive is read for: other networks, layouts, and what cannot be read without more.
  static let options: [ImportOptions] = {
    var networks: [(Architecture?, WeightLayout?)] = [
      (nil, nil), (try? ExchangeSeeds.recurrent(), nil), (architecture(small), nil),
      (architecture(square), nil), (architecture(columns), .channelsFirst),
      (architecture(columns), .channelsLast),
    ]
    // The network of the archives of other programs.
    let foreign = try? Fuzzer.files("Tests/InkExchangeTests/References/architecture.json").first
    networks.append(
      (foreign.flatMap { try? JSONDecoder().decode(Architecture.self, from: $0) }, nil))
    return networks.map { architecture, layout in
      var options = ImportOptions()
      (options.architecture, options.layout) = (architecture, layout)
      options.labels = (0..<(architecture?.classCount ?? 3)).map { "\($0)" }
      return options
    }
  }()

  /// A member of an archive; what its headers say of it may differ from what it is.
  private struct Member {
    var name: String
    var content: [UInt8]
    var method = 0
    var packed: [UInt8]?
    var packedCount: Int?
    var count: Int?
    var offset: Int?
    var nameCount: Int?
  }

  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func archive(_ members: [Member]) -> Data {
    var (data, directory): ([UInt8], [UInt8]) = ([], [])
    for member in members {
      let (name, packed) = (Array(member.name.utf8), member.packed ?? member.content)
      let common =
        bytes(0, 2) + bytes(member.method, 2) + bytes(0, 8)
        + bytes(member.packedCount ?? packed.count, 4)
        + bytes(member.count ?? member.content.count, 4) + bytes(member.nameCount ?? name.count, 2)
        + bytes(0, 2)
      directory +=
        bytes(0x0201_4B50, 4) + bytes(20, 4) + common + bytes(0, 10)
        + bytes(member.offset ?? data.count, 4) + name
      data += bytes(0x0403_4B50, 4) + bytes(20, 2) + common + name + packed
    }
    return Data(
      data + directory + bytes(0x0605_4B50, 4) + bytes(0, 4) + bytes(members.count, 2)
        + bytes(members.count, 2) + bytes(directory.count, 4) + bytes(data.count, 4) + bytes(0, 2))
  }

  /// An array as NumPy saves it.
  private static func array(
    _ name: String, _ shape: [Int], type: String = "<f4", width: Int = 4, isFortran: Bool = false
  ) -> Member {
    let axes = shape.map { "\($0)," }.joined(separator: " ")
    let header =
      "{'descr': '\(type)', 'fortran_order': \(isFortran ? "True" : "False"), 'shape': (\(axes)), }\n"
    let values = [UInt8](repeating: 0x30, count: width * shape.reduce(1, *))
    return Member(
      name: "\(name).npy",
      content: [0x93] + Array("NUMPY".utf8) + [1, 0] + bytes(header.utf8.count, 2)
        + Array(header.utf8) + values)
  }

  /// The arrays of a network, without those biases that `omit` names.
  private static func arrays(
    _ layers: [Layer], _ layout: WeightLayout = .channelsFirst, omit: Set<String> = [],
    _ change: (inout [Member]) -> Void = { _ in }
  ) -> Data {
    let parameters = architecture(layers).parameters.filter { !omit.contains($0.name) }
    var members = parameters.map { parameter in
      let axes: [Int] =
        switch (layout, parameter.shape.count) {
        case (.channelsFirst, 3): [0, 2, 1]
        case (.channelsLast, 3): [1, 2, 0]
        case (.channelsLast, 4): [2, 3, 1, 0]
        case (.channelsLast, 2): [1, 0]
        default: Array(parameter.shape.indices)
        }
      return array(parameter.name, axes.map { parameter.shape[$0] })
    }
    change(&members)
    return archive(members)
  }

  /// Whole archives, and archives that differ from them in one thing.
  static func files() throws -> [Data] {
    let stored = array("0.weight", [2, 1, 3, 3]).content
    let deflated = [1] + bytes(stored.count, 2) + bytes(~stored.count, 2) + stored
    return try Fuzzer.files(
      "Tests/InkExchangeTests/References/pytorch.npz", "Tests/InkExchangeTests/References/keras.npz"
    ) + [
      arrays(small), arrays(columns), arrays(square), arrays(small, .channelsLast),
      arrays(columns, .channelsLast),
      arrays(small, omit: ["0.bias", "5.bias"]) {
        ($0[0].method, $0[0].packed) = (8, deflated)
        $0[1] = array("1.weight", [2], type: "<f2", width: 2, isFortran: true)
        $0[2] = array("1.bias", [2], type: "<f8", width: 8)
        $0.append(array("1.num_batches_tracked", [], type: "<i8", width: 8))
      },
      // The layer normalisation keeps its bias.
      arrays(columns, omit: ["1.bias"]), arrays(columns, omit: ["1.bias", "3.bias"]),
      arrays(small) { $0[0] = array("0.weight", [2, 1, 3]) },
      arrays(small) { $0[0] = array("0.weight", [3, 3, 1, 2]) },
      arrays(columns) { $0[0] = array("0.weight", [2, 1, 3]) },
      arrays(small) { $0[1].name = "0.kernel" },
      arrays(small) { $0[1].name = "other" },
      arrays(small) { $0[0] = array("0.weight", [2, 1, 3, 3], type: "<i4") },
      arrays(small) { $0[0].content.removeLast() },
      arrays(small) { $0[0].content = Array("nothing".utf8) },
      arrays(small) { $0[0].count = 1 << 30 },
      arrays(small) { $0[0].count = 9 },
      arrays(small) { $0[0].offset = 7 },
      arrays(small) {
        $0[7].packed = [1]; $0[7].method = 8
      },
      arrays(small) { $0[0].method = 1 },
      arrays(small) { $0[0].nameCount = 60_000 },
      arrays(small) { $0[0].packedCount = 1 << 20 },
      // No directory, half of one, and something else.
      Data(archive([]).dropLast()), Data(arrays(square).suffix(22)), Data(count: 40),
    ]
  }
}
