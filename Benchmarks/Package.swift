// swift-tools-version: 6.1
import PackageDescription

// Measurements, apart from the package so that its users never resolve what only measuring needs.
//
//   scripts/benchmark                                     Inkstate and its peers side by side
//   swift package --package-path Benchmarks benchmark     the kernels one by one

/// Training on several processes is measured as well where `scripts/benchmark` found Open MPI.
let traits: Set<Package.Dependency.Trait> =
  Context.environment["INKSTATE_MPI"] == nil ? [] : ["MPI"]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "inkstate", path: "..", traits: traits),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Rates",
      dependencies: [
        .product(name: "Automata", package: "inkstate"),
        .product(name: "AutomatonEditor", package: "inkstate"),
        .product(name: "InkRecognizer", package: "inkstate"),
        .product(name: "InkTraining", package: "inkstate"),
      ], path: "Rates"),
    .executableTarget(
      name: "Kernels",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "InkKernels", package: "inkstate"),
      ], path: "Kernels", plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ]
)
