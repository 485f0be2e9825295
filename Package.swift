// swift-tools-version: 6.1
import PackageDescription

// How data flows: Ink → InkRaster → InkDatasets → InkTraining → model file → InkRecognizer.
// InkEvaluation measures models.
// InkExchange takes model files to and from other tools. InkStudio shows most of it in a browser.
// InkReader turns the outputs of a network into text; InkDiagram turns whole drawings into automata.
// InkTracing finds strokes in photographs, and InkPrint prints lines of text to train on.
// The app's side (Ink, InkRaster, InkSeries, InkNetwork, InkRecognizer, InkReader, InkDiagram,
// Automata, AutomatonEditor) links no system library.

let package = Package(
  name: "inkstate",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "inkstate", targets: ["InkstateCLI"]),
    .executable(name: "inkstate-studio", targets: ["StudioCommand"]),
    .library(
      name: "InkRecognizer",
      targets: ["Ink", "InkRaster", "InkSeries", "InkNetwork", "InkRecognizer"]),
    .library(
      name: "InkReader",
      targets: ["Ink", "InkRaster", "InkNetwork", "InkRecognizer", "InkReader"]),
    .library(name: "Automata", targets: ["Automata"]),
    .library(
      name: "AutomatonEditor",
      targets: [
        "Ink", "InkRaster", "InkNetwork", "InkRecognizer", "InkReader", "InkDiagram", "Automata",
        "AutomatonEditor",
      ]),
    .library(
      name: "InkTraining",
      targets: ["SeededRandom", "InkImageIO", "InkDatasets", "InkEvaluation", "InkTraining"]),
    .library(name: "InkExchange", targets: ["InkExchange"]),
    // The loops alone, for Benchmarks, and the web app without its command, for Tests/Fuzzers.
    .library(name: "InkKernels", targets: ["CInkKernels"]),
    .library(name: "InkStudio", targets: ["InkStudio"]),
  ],
  traits: [
    .trait(name: "MPI", description: "Training on several processes (Debian: libopenmpi-dev)."),
    .trait(name: "Sharing", description: "TLS, to share the studio with other devices."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    // Without swift-configuration.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
  ],
  targets: [
    // The app's side.
    .target(name: "ErrorText"),
    .target(name: "XMLTree", dependencies: ["ErrorText"]),
    .target(name: "JSONReading"),
    .target(name: "DisjointSets"),
    .target(name: "Ink", dependencies: ["ErrorText", "JSONReading", "XMLTree"]),
    .target(
      name: "Automata", dependencies: ["DisjointSets", "ErrorText", "JSONReading", "XMLTree"]),
    .target(
      name: "AutomatonEditor",
      dependencies: [
        "Automata", "ErrorText", "Ink", "InkDiagram", "InkRecognizer", "JSONReading", "XMLTree",
      ]),
    .target(name: "InkRaster", dependencies: ["DisjointSets", "ErrorText", "Ink"]),
    .target(name: "InkSeries", dependencies: ["ErrorText", "Ink"]),
    .target(name: "CInkKernels"),
    .target(name: "ParallelLoops"),
    .target(
      name: "InkNetwork",
      dependencies: ["CInkKernels", "ErrorText", "JSONReading", "ParallelLoops"]),
    .target(
      name: "InkRecognizer",
      dependencies: ["ErrorText", "Ink", "InkRaster", "InkSeries", "InkNetwork", "JSONReading"],
      resources: [.copy("Resources/inkstate.safetensors")]),
    .target(
      name: "InkReader",
      dependencies: [
        "DisjointSets", "ErrorText", "Ink", "InkRaster", "InkNetwork", "InkRecognizer",
      ],
      resources: [.copy("Resources/reader.safetensors")]),
    .target(
      name: "InkDiagram",
      dependencies: [
        "DisjointSets", "Ink", "InkNetwork", "InkRaster", "InkReader", "InkRecognizer",
        "JSONReading", "ParallelLoops",
      ],
      resources: [.copy("Resources/page.safetensors"), .copy("Resources/arrows.json")]),

    // The workshop.
    .target(name: "SeededRandom"),
    .target(name: "SafeFiles", dependencies: ["ErrorText"]),
    .systemLibrary(
      name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
    .systemLibrary(
      name: "CJPEG", pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["libpng-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CFreeType", pkgConfig: "freetype2",
      providers: [.apt(["libfreetype-dev"]), .brew(["freetype"])]),
    .systemLibrary(
      name: "COpenBLAS", providers: [.apt(["libopenblas-dev"]), .brew(["openblas"])]),
    .systemLibrary(name: "CMPI", pkgConfig: "ompi-c", providers: [.apt(["libopenmpi-dev"])]),
    .target(
      name: "InkImageIO",
      dependencies: ["CJPEG", "CPNG", "ErrorText", "InkRaster", "ParallelLoops"]),
    .target(
      name: "InkTracing",
      dependencies: [
        "DisjointSets", "ErrorText", "Ink", "InkDiagram", "InkImageIO", "InkRaster",
        "InkRecognizer", "ParallelLoops",
      ]),
    .target(
      name: "InkDatasets",
      dependencies: [
        "CZlib", "Ink", "InkDiagram", "InkRaster", "InkSeries", "InkImageIO", "JSONReading",
        "SafeFiles", "SeededRandom",
      ]),
    .target(
      name: "InkPrint",
      dependencies: ["CFreeType", "InkRaster", "InkDatasets", "SafeFiles", "SeededRandom"]),
    .target(
      name: "InkEvaluation",
      dependencies: [
        "Ink", "InkRaster", "InkImageIO", "InkDatasets", "InkDiagram", "InkNetwork",
        "InkRecognizer", "InkReader", "InkSeries", "JSONReading", "ParallelLoops", "SafeFiles",
        "SeededRandom", "XMLTree",
      ]),
    .target(
      name: "InkTraining",
      dependencies: [
        "CInkKernels", .target(name: "COpenBLAS", condition: .when(platforms: [.linux])),
        .target(name: "CMPI", condition: .when(traits: ["MPI"])), "ErrorText", "Ink",
        "InkRaster", "InkSeries", "InkDatasets", "InkNetwork", "InkRecognizer", "InkEvaluation",
        "JSONReading", "ParallelLoops", "SafeFiles", "SeededRandom",
      ]),

    // Models of other tools, in and out.
    .target(
      name: "InkExchange",
      dependencies: [
        "CZlib", "Ink", "InkRaster", "InkNetwork", "InkSeries", "InkRecognizer", "InkDatasets",
        "JSONReading", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      exclude: ["CoreML.proto", "ONNX.proto"]),

    // The web app.
    .target(
      name: "InkStudio",
      dependencies: [
        "ErrorText", "Ink", "InkRaster", "InkSeries", "InkImageIO", "InkDatasets", "InkNetwork",
        "InkTraining", "InkRecognizer", "InkDiagram", "InkTracing", "InkEvaluation", "Automata",
        "AutomatonEditor", "JSONReading", "SafeFiles", "XMLTree",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(
          name: "HummingbirdTLS", package: "hummingbird",
          condition: .when(traits: ["Sharing"])),
      ],
      resources: [.copy("Page"), .copy("Resources/digits.safetensors")]),
    .executableTarget(
      name: "StudioCommand",
      dependencies: [
        "InkStudio", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // The command.
    .executableTarget(
      name: "InkstateCLI",
      dependencies: [
        "ErrorText", "Ink", "InkRaster", "InkSeries", "InkImageIO", "InkDatasets", "InkNetwork",
        "InkTraining",
        "InkExchange", "InkRecognizer", "InkReader", "InkDiagram", "InkEvaluation", "InkPrint",
        "InkTracing", "Automata", "AutomatonEditor", "JSONReading", "ParallelLoops", "SafeFiles",
        "SeededRandom",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Tests: one folder a module.
    .target(
      name: "TestSupport",
      dependencies: [
        "Automata", "Ink", "InkNetwork", "InkRaster", "InkRecognizer", "InkSeries", "SeededRandom",
      ],
      path: "Tests/TestSupport"),
    .testTarget(
      name: "AutomatonEditorTests",
      dependencies: [
        "Automata", "AutomatonEditor", "InkDatasets", "InkEvaluation", "TestSupport",
      ]),
    .testTarget(name: "JSONReadingTests", dependencies: ["JSONReading"]),
    .testTarget(name: "AutomataTests", dependencies: ["Automata", "SeededRandom", "TestSupport"]),
    .testTarget(
      name: "InkTests", dependencies: ["DisjointSets", "Ink", "SeededRandom", "TestSupport"]),
    .testTarget(
      name: "InkRasterTests", dependencies: ["InkDatasets", "InkRaster", "TestSupport"],
      resources: [.copy("References")]),
    .testTarget(
      name: "InkSeriesTests", dependencies: ["InkSeries", "SeededRandom", "TestSupport"]),
    .testTarget(name: "InkImageIOTests", dependencies: ["CJPEG", "InkImageIO", "TestSupport"]),
    .testTarget(
      name: "InkTracingTests",
      dependencies: ["InkDiagram", "InkTracing", "SeededRandom", "TestSupport"]),
    .testTarget(name: "InkDatasetsTests", dependencies: ["InkDatasets", "TestSupport"]),
    .testTarget(name: "InkPrintTests", dependencies: ["InkPrint", "TestSupport"]),
    .testTarget(
      name: "InkNetworkTests", dependencies: ["InkNetwork", "InkTraining", "TestSupport"]),
    .testTarget(
      name: "InkExchangeTests",
      dependencies: [
        "InkExchange", "InkRecognizer", "TestSupport",
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      resources: [.copy("References")]),
    .testTarget(
      name: "InkStudioTests",
      dependencies: [
        "InkStudio", "StudioCommand", "InkDatasets", "InkSeries", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "InkTrainingTests", dependencies: ["InkTraining", "TestSupport"],
      resources: [.copy("References")]),
    .testTarget(
      name: "InkEvaluationTests",
      dependencies: ["InkEvaluation", "InkReader", "InkSeries", "InkTraining", "TestSupport"]),
    .testTarget(
      name: "InkReaderTests",
      dependencies: ["InkNetwork", "InkReader", "SeededRandom", "TestSupport"]),
    .testTarget(
      name: "InkDiagramTests",
      dependencies: [
        "InkDiagram", "InkDatasets", "InkEvaluation", "SeededRandom", "TestSupport",
      ]),
    .testTarget(
      name: "InkRecognizerTests", dependencies: ["InkDatasets", "InkRecognizer", "TestSupport"]),
    .testTarget(
      name: "InkstateCLITests",
      dependencies: [
        "InkstateCLI", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

// For the tests, `scripts/swift-for-tests` builds without optimisation, which takes half of the time. Only the
// targets that compute most are optimised: otherwise, they would be a hundred times slower. This depends on a
// variable because other packages cannot depend on one with such flags. `-Onone` of the script is for the driver, and
// would come last; `-Xfrontend -O` comes after it.
if Context.environment["INKSTATE_BUILD"] == "tests" {
  let computing: Set = [
    "Automata", "DisjointSets", "Ink", "InkDatasets", "InkDiagram", "InkImageIO", "InkNetwork",
    "InkRaster", "InkReader", "InkSeries", "InkTracing", "InkTraining", "ParallelLoops",
    "SeededRandom", "XMLTree",
  ]
  for target in package.targets where computing.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-Xfrontend", "-O"])]
  }
}

// `scripts/build` optimises neither the module that reads options and prints answers nor the one that exports and
// imports models, whose work is mostly done by other modules: optimising these two takes a sixth of the build.
if Context.environment["INKSTATE_BUILD"] == "commands" {
  for target in package.targets where ["InkExchange", "InkstateCLI"].contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-Onone"])]
  }
}
