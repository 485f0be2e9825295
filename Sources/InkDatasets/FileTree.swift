import Foundation

/// Folders and files as data sets use them: sorted, and written beside their place first.
public enum FileTree {
  /// Whether there is a folder at `path`.
  public static func isFolder(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Whether there is anything at `path`.
  public static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// The names in a folder, sorted; those that begin with a dot are left out.
  public static func names(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Every regular file at or below `path`, sorted, as paths that begin with `path`.
  ///
  /// Links to folders are followed once: never to a folder that is visited anyway, so that links that
  /// lead back come to an end.
  public static func files(below path: String) -> [String] {
    guard isFolder(path) else { return [path] }
    var files: [String] = []
    var visited = Set<String>()
    // Links are followed when all real folders are known.
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

  /// Whether there is a file at `path`, perhaps behind a link, that is neither folder, pipe nor device.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func realPath(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// The path of `name` in `folder`.
  public static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The last part of a path.
  public static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The folder that a path lies in.
  public static func folder(of path: String) -> String {
    let path = trimmed(path)
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path without slashes at its end.
  static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Refuses to go on where something is at `path` already, unless `force` is given; even then, a
  /// folder is only replaced where it is empty or a data set.
  ///
  /// - Throws: `DatasetError` where something is there.
  public static func refuseExisting(_ path: String, force: Bool) throws(DatasetError) {
    guard exists(path) else { return }
    try refuseDevice(path)
    guard force else {
      throw DatasetError(
        path: path, expected: "no file of that name (--force replaces it)", found: "one")
    }
    guard !isFolder(path) || isDataset(path) else {
      throw DatasetError(
        path: path, expected: "a file or a data set to replace", found: "a folder of other things")
    }
  }

  /// Refuses to put a file or folder in the place of a pipe or device, perhaps behind a link.
  static func refuseDevice(_ path: String) throws(DatasetError) {
    guard !exists(path) || isFolder(path) || isRegular(path) else {
      throw DatasetError(
        path: path, expected: "a place for a file or folder", found: "a pipe or device")
    }
  }

  /// Whether a folder holds nothing but what data sets are made of; hidden files count too.
  private static func isDataset(_ folder: String) -> Bool {
    let ownFile =
      /split\.json|classes\.txt|(train|validation|test)\.ndjson|(images|labels)(\.npy|-idx[13]-ubyte(\.gz)?)/
    func allNames(in folder: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
    return allNames(in: folder).allSatisfy { name in
      let path = join(folder, name)
      if isFolder(path) {
        return allNames(in: path).allSatisfy { $0.hasSuffix(".png") }
          || (Split.Part(rawValue: name) != nil && isDataset(path))
      }
      return name.wholeMatch(of: ownFile) != nil
    }
  }

  /// Refuses to write to `path` where that would replace `input` or a folder that holds it.
  ///
  /// - Throws: `DatasetError` where it would.
  public static func refuseReplacing(_ input: String, by path: String) throws(DatasetError) {
    let (source, target) = (realPath(input), realPath(path))
    guard source == target || source.hasPrefix(target + "/") else { return }
    throw DatasetError(path: path, expected: "a place beside the input", found: "the input itself")
  }
}
