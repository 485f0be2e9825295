import Foundation
import InkNetwork

/// The files that a module of this package brings along, in a folder of its own beside the program.
///
/// The folder is found without `Bundle.module`, which ends the program where it is missing.
package struct ModuleResources: Sendable {
  /// The module.
  let module: String
  #if os(Linux)
    private static let ending = "resources"
  #else
    private static let ending = "bundle"
  #endif

  /// Creates the resources of `module`.
  package init(module: String) { self.module = module }

  /// The name of the folder, which has to be shipped with a program.
  package var folder: String { "inkstate_\(module).\(Self.ending)" }

  /// Returns the path of the file `name`.
  ///
  /// - Throws: `ModelError` that says where the file was looked for.
  package func path(of name: String) throws(ModelError) -> String {
    var searched: [String] = []
    for place in Self.places {
      let path = "\(place)/\(folder)"
      for file in ["\(path)/\(name)", "\(path)/Contents/Resources/\(name)"]
      where FileManager.default.fileExists(atPath: file) {
        return file
      }
      if !searched.contains(path) { searched.append(path) }
    }
    throw ModelError(
      path: "\(folder)/\(name)",
      problem: "the file is missing: it was looked for in \(searched.joined(separator: " and ")). "
        + "Copy the folder \(folder) from the build beside the program")
  }

  /// The folders that can hold the folder of a module, the likeliest first.
  private static var places: some Sequence<String> {
    #if os(Linux)
      // Foundation's bundles look in many places, which takes a millisecond at the start of a program.
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return [program ?? CommandLine.arguments[0]].map {
        $0.contains("/") ? String($0[..<$0.lastIndex(of: "/")!]) : "."
      }
    #else
      // In an app, in a framework or an extension, beside a command, and beside the bundle of tests.
      let bundles = [Bundle.main, Bundle(for: Anchor.self)]
      let urls = bundles.flatMap {
        [$0.resourceURL, $0.bundleURL, $0.bundleURL.deletingLastPathComponent()].compactMap { $0 }
      }
      // Xcode's previews run elsewhere.
      let preview = ProcessInfo.processInfo.environment["PACKAGE_RESOURCE_BUNDLE_PATH"]
      return [preview].compactMap { $0 } + urls.map(\.path)
    #endif
  }

  #if !os(Linux)
    private final class Anchor {}
  #endif
}
