import Foundation

extension Model {
  /// Returns the path of a file that a module of this package brings along.
  package static func path(
    ofResource name: String, module: String, in bundle: @autoclosure () -> Bundle
  ) -> String {
    #if os(Linux)
      // Usually beside the program. Foundation's bundles look in many places, which takes a millisecond.
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      if let program, let slash = program.lastIndex(of: "/") {
        let path = program[...slash] + "inkstate_\(module).resources/\(name)"
        if FileManager.default.fileExists(atPath: String(path)) { return String(path) }
      }
    #endif
    return bundle().bundleURL.appendingPathComponent(name).path
  }
}
