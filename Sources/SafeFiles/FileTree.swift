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

  /// Returns the regular files at or below `path`, sorted, as paths that start with `path`.
  ///
  /// Each folder is visited once, so cyclic links are not followed forever.
  public static func files(below path: String) -> [String] {
    guard isFolder(path) else { return [path] }
    var files: [String] = []
    var visited = Set<String>()
    // Links are followed after all real folders are known.
    var links: [String] = []
    func visit(_ folder: String) {
      guard visited.insert(realPath(folder)).inserted else { return }
      for name in names(in: folder) {
        let child = join(folder, name)
        let type = try? FileManager.default.attributesOfItem(atPath: child)[.type]
        switch type as? FileAttributeType {
        case .typeDirectory: visit(child)
        case .typeRegular: files.append(child)
        case .typeSymbolicLink where isFolder(child): links.append(child)
        case .typeSymbolicLink where isRegular(child): files.append(child)
        default: break
        }
      }
    }
    visit(path)
    while !links.isEmpty { visit(links.removeFirst()) }
    return files.map { ($0, $0.split(separator: "/")) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }

  /// Returns whether there is a regular file, or a link to one, at `path`.
  package static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// A file or folder that ``files(below:)`` does not find.
  public struct LeftOut: Hashable, Sendable {
    /// Why it is not found.
    public enum Reason: Hashable, Sendable {
      /// Its name begins with a dot.
      case isHidden
      /// Its name is not UTF-8.
      case isNotUTF8
      /// It is a pipe, a device or a link to nothing.
      case isNoFile
      /// It is a folder that cannot be opened.
      case isClosed
    }

    /// The path; bytes of the name that are not UTF-8 are shown as `\xE9`.
    public var path: String
    /// The reason.
    public var reason: Reason
  }

  /// Returns what ``files(below:)`` does not find at or below `path`, sorted; what is in a folder that is
  /// left out is not listed.
  public static func leftOut(below path: String) -> [LeftOut] {
    guard isFolder(path) else { return [] }
    var found: [LeftOut] = []
    var visited: Set<String> = []
    func visit(_ folder: String) {
      guard visited.insert(realPath(folder)).inserted else { return }
      guard let stream = opendir(folder) else {
        found.append(LeftOut(path: folder, reason: .isClosed))
        return
      }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        guard let name = String(validating: bytes, as: UTF8.self) else {
          found.append(LeftOut(path: join(folder, shown(bytes)), reason: .isNotUTF8))
          continue
        }
        guard name != ".", name != ".." else { continue }
        let child = join(folder, name)
        if name.hasPrefix(".") {
          found.append(LeftOut(path: child, reason: .isHidden))
        } else if isFolder(child) {
          visit(child)
        } else if !isRegular(child) {
          found.append(LeftOut(path: child, reason: .isNoFile))
        }
      }
    }
    visit(path)
    return found.sorted { $0.path < $1.path }
  }

  /// Returns the bytes of a name as text, with those that are not UTF-8 as `\xE9`.
  private static func shown(_ bytes: [UInt8]) -> String {
    var text = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = (1...4).first {
        rest.count >= $0 && String(validating: rest.prefix($0), as: UTF8.self) != nil
      }
      if let length {
        text += String(decoding: rest.prefix(length), as: UTF8.self)
      } else {
        text += "\\x" + String(rest.first!, radix: 16, uppercase: true)
      }
      rest = rest.dropFirst(length ?? 1)
    }
    return text
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
