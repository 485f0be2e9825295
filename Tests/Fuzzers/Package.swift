// swift-tools-version: 6.1
import PackageDescription

// Coverage-guided fuzzers for everything that reads, apart from the package so that its tests need
// neither sanitizers nor a second build. `scripts/fuzz` builds and runs them.

let package = Package(
  name: "fuzzers",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "inkstate", path: "../.."),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
  ],
  targets: [
    .target(name: "CFuzzing", path: "CFuzzing"),
    .target(name: "Fuzzing", dependencies: ["CFuzzing"], path: "Fuzzing"),
    .executableTarget(
      name: "ReaderFuzzers",
      dependencies: [
        "Fuzzing",
        .product(name: "AutomatonEditor", package: "inkstate"),
        .product(name: "InkExchange", package: "inkstate"),
        .product(name: "InkTraining", package: "inkstate"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ], path: "ReaderFuzzers"),
    .executableTarget(
      name: "StudioFuzzers",
      dependencies: ["Fuzzing", .product(name: "InkStudio", package: "inkstate")],
      path: "StudioFuzzers"),
  ]
)
