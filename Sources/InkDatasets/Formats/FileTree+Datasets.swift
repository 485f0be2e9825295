import Foundation
import InkImageIO
import SafeFiles

extension FileTree {
  /// Returns the name of the folder in `folder` that contains the file, or `nil` if there is none.
  ///
  /// It is the label of what is in class folders.
  static func className(of path: String, below folder: String) -> String? {
    let parts = path.dropFirst(folder.count).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : nil
  }

  /// Throws if `path` exists, unless `force` is true; a folder must then be empty or a data set.
  ///
  /// - Throws: `FileError` if `path` cannot be replaced.
  public static func refuseExisting(_ path: String, force: Bool) throws(FileError) {
    guard exists(path) else { return }
    try refuseExistingWithoutForce(path, force: force)
    guard !isFolder(path) || isDataset(path) else {
      throw FileError(
        path: path, expected: "a file or a data set to replace", found: "a folder with other files")
    }
  }

  /// Throws if `path` exists, unless `force` is true and it is a folder with nothing but `contents`: the
  /// endings of the files, by the name of the folder that they are in.
  ///
  /// - Throws: `FileError` if `path` cannot be replaced.
  public static func refuseExisting(
    _ path: String, force: Bool, unlessFolderOf contents: [String: String], named kind: String
  ) throws(FileError) {
    guard exists(path) else { return }
    guard isFolder(path) else {
      throw FileError(path: path, expected: "a path for a folder", found: "a file")
    }
    try refuseExistingWithoutForce(path, force: force)
    let isOwn = allNames(in: path).allSatisfy { name in
      guard let ending = contents[name] else { return false }
      let inside = join(path, name)
      return isFolder(inside)
        && allNames(in: inside).allSatisfy {
          $0.hasSuffix(ending) && isRegular(join(inside, $0))
        }
    }
    guard isOwn else {
      throw FileError(
        path: path, expected: "a folder with nothing but \(kind) to replace",
        found: "one with other files")
    }
  }

  private static func refuseExistingWithoutForce(
    _ path: String, force: Bool
  ) throws(FileError) {
    try refuseDevice(path)
    guard force else {
      throw FileError(
        path: path,
        expected: "no \(isFolder(path) ? "folder" : "file") of that name (--force replaces it)",
        found: "one")
    }
  }

  /// Returns the names of everything in a folder, including what is hidden.
  private static func allNames(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Returns whether everything in a folder, and in the folders in it, is a folder or a file that `isOwn`.
  private static func holdsOnly(_ folder: String, _ isOwn: (String) -> Bool) -> Bool {
    allNames(in: folder).allSatisfy { name in
      let path = join(folder, name)
      return isFolder(path) ? holdsOnly(path, isOwn) : isOwn(name)
    }
  }

  /// Returns whether all files in a folder, including hidden ones, are those of a data set.
  private static func isDataset(_ folder: String) -> Bool {
    let ownFile =
      /split\.json|classes\.txt|(labels|classes|pages)\.tsv|truth\.ndjson|(train|validation|test)\.ndjson|(images|labels)(\.npy|-idx[13]-ubyte(\.gz)?)/
    // A data set of pages, and what is composed with it.
    let ownPagesFile = /truth\.json|drawings\.ndjson/
    let hasPages = exists(join(folder, "classes.tsv"))
    return allNames(in: folder).allSatisfy { name in
      let path = join(folder, name)
      if isFolder(path) {
        return allNames(in: path).allSatisfy { $0.hasSuffix(".png") }
          || (Split.Part(rawValue: name) != nil && isDataset(path))
          // Masks of single classes, and pages of cameras.
          || (hasPages && name == "masks" && holdsOnly(path) { $0.hasSuffix(".png") })
          || (hasPages && name == "pictures" && holdsOnly(path, Photograph.isName))
          // Simulated photographs and their truth.
          || (name == "pictures" && exists(join(folder, "truth.ndjson"))
            && allNames(in: path).allSatisfy { $0.hasSuffix(".jpg") })
      }
      return name.wholeMatch(of: ownFile) != nil
        || hasPages && name.wholeMatch(of: ownPagesFile) != nil
    }
  }
}
