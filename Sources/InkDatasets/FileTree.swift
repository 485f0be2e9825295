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
  /// Links to folders below `path` are not followed, for they may lead back.
  public static func files(below path: String) -> [String] {
    guard isFolder(path) else { return [path] }
    return names(in: path).flatMap { name -> [String] in
      let child = join(path, name)
      let type = try? FileManager.default.attributesOfItem(atPath: child)[.type]
      switch type as? FileAttributeType {
      case .typeDirectory: return files(below: child)
      case .typeRegular: return [child]
      case .typeSymbolicLink: return isFolder(child) || !exists(child) ? [] : [child]
      default: return []
      }
    }
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
  private static func trimmed(_ path: String) -> String {
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
    let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
    guard isFolder(path) || [.typeRegular, .typeSymbolicLink].contains(type as? FileAttributeType)
    else {
      throw DatasetError(
        path: path, expected: "a place for a file or folder", found: "a pipe or device")
    }
    guard force else {
      throw DatasetError(
        path: path, expected: "no file of that name (--force replaces it)", found: "one")
    }
    guard !isFolder(path) || isDataset(path) else {
      throw DatasetError(
        path: path, expected: "a file or a data set to replace", found: "a folder of other things")
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
    func resolved(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
    let (source, target) = (resolved(input), resolved(path))
    guard source == target || source.hasPrefix(target + "/") else { return }
    throw DatasetError(path: path, expected: "a place beside the input", found: "the input itself")
  }

  /// Writes `data` beside `path` and renames it into place, so that an error or a full disk leaves
  /// what was there before.
  ///
  /// - Throws: `DatasetError` where the folder or the file cannot be written.
  public static func write(_ data: Data, to path: String) throws(DatasetError) {
    guard !isFolder(path) else {
      throw DatasetError(path: path, expected: "a place for a file", found: "a folder")
    }
    try replace(path) { temporary in
      try data.write(to: URL(fileURLWithPath: temporary))
    }
  }

  /// Lets `make` write a file or folder beside `path` and renames it into place when it is whole.
  ///
  /// - Throws: `DatasetError` where something cannot be written; what was at `path` is still there.
  public static func replace(
    _ path: String, by make: (_ temporary: String) throws -> Void
  ) throws(DatasetError) {
    let files = FileManager.default
    // With its slash at the end, what is written beside it would lie in it.
    let path = trimmed(path)
    let temporary = "\(path).part-\(ProcessInfo.processInfo.processIdentifier)"
    do {
      try files.createDirectory(atPath: folder(of: path), withIntermediateDirectories: true)
      try make(temporary)
      if isFolder(path) {
        let old = "\(path).old-\(ProcessInfo.processInfo.processIdentifier)"
        try files.moveItem(atPath: path, toPath: old)
        try files.moveItem(atPath: temporary, toPath: path)
        try files.removeItem(atPath: old)
      } else {
        guard rename(temporary, path) == 0 else {
          throw CocoaError(.fileWriteUnknown)
        }
      }
    } catch {
      try? files.removeItem(atPath: temporary)
      if let error = error as? DatasetError { throw error }
      throw DatasetError(
        path: path, expected: "room and permission to write", found: reason(error))
    }
  }

  private static func reason(_ error: any Error) -> String {
    if let code = (error as? CocoaError)?.code {
      switch code {
      case .fileWriteOutOfSpace: return "a full disk"
      case .fileWriteNoPermission: return "no permission"
      case .fileWriteFileExists: return "a file where a folder has to be"
      default: break
      }
    }
    return (error as NSError).localizedDescription.replacing("\n", with: " ")
  }
}
