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

  /// Every file at or below `path`, sorted, as paths that begin with `path`.
  public static func files(below path: String) -> [String] {
    guard isFolder(path) else { return [path] }
    return names(in: path).flatMap { files(below: join(path, $0)) }
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
    let parent = (path as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }

  /// Refuses to go on where something is at `path` already, unless `force` is given; even then, a
  /// folder is only replaced where it is empty or a data set.
  ///
  /// - Throws: `DatasetError` where something is there.
  public static func refuseExisting(_ path: String, force: Bool) throws(DatasetError) {
    guard exists(path) else { return }
    guard force else {
      throw DatasetError(
        path: path, expected: "no file of that name (--force replaces it)", found: "one")
    }
    let names = isFolder(path) ? names(in: path) : []
    let isDataset =
      names.isEmpty || names.contains("split.json") || names.contains("classes.txt")
      || ImageFolder.isOne(path)
    guard isDataset else {
      throw DatasetError(
        path: path, expected: "a file or a data set to replace", found: "a folder of other things")
    }
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
