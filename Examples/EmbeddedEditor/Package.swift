// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "EmbeddedEditor",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "inkstate", path: "../..")],
  targets: [
    .executableTarget(
      name: "EmbeddedEditor",
      dependencies: [.product(name: "AutomatonEditor", package: "inkstate")])
  ]
)
