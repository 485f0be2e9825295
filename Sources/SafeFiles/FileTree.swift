import Foundation

/// Functions for files and folders: sorted listings, and atomic writing.
public enum FileTree {
  /// Returns whether there is a folder at `path`.
  public static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Returns whether there is a file or folder at `path`.
  public static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Returns the sorted names in a folder, without those that start with a dot.
  public static func names(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Returns whether there is a regular file, or a link to one, at `path`.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the path without links and dots.
  package static func realPath(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// Returns the path of `name` in `folder`.
  public static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Returns the last component of a path.
  public static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Returns the folder of a path.
  public static func folder(of path: String) -> String {
    let path = trimmed(path)
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the path without slashes at its end.
  package static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Throws if `path` is a pipe or device, or a link to one.
  package static func refuseDevice(_ path: String) throws(FileError) {
    guard !exists(path) || isFolder(path) || isRegular(path) else {
      throw FileError(
        path: path, expected: "a path for a file or folder", found: "a pipe or device")
    }
  }

  /// Throws if writing to `path` would replace `input` or a folder that contains it.
  ///
  /// - Throws: `FileError` if it would.
  public static func refuseReplacing(_ input: String, by path: String) throws(FileError) {
    let (source, target) = (realPath(input), realPath(path))
    guard source == target || source.hasPrefix(target + "/") else { return }
    throw FileError(
      path: path, expected: "an output other than the input", found: "the input itself")
  }
}
