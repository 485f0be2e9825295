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
    try refuseDevice(path)
    guard force else {
      throw FileError(
        path: path, expected: "no file of that name (--force replaces it)", found: "one")
    }
    guard !isFolder(path) || isDataset(path) else {
      throw FileError(
        path: path, expected: "a file or a data set to replace", found: "a folder with other files")
    }
  }

  /// Returns whether all files in a folder, including hidden ones, are those of a data set.
  private static func isDataset(_ folder: String) -> Bool {
    let ownFile =
      /split\.json|classes\.txt|(labels|classes|pages)\.tsv|truth\.ndjson|(train|validation|test)\.ndjson|(images|labels)(\.npy|-idx[13]-ubyte(\.gz)?)/
    func allNames(in folder: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
    return allNames(in: folder).allSatisfy { name in
      let path = join(folder, name)
      if isFolder(path) {
        return allNames(in: path).allSatisfy { $0.hasSuffix(".png") }
          || (Split.Part(rawValue: name) != nil && isDataset(path))
          // Masks of single classes, and pages of cameras.
          || (name == "masks" && exists(join(folder, "classes.tsv"))
            && allNames(in: path).allSatisfy { isFolder(join(path, $0)) || $0.hasSuffix(".png") })
          || (name == "pictures" && exists(join(folder, "classes.tsv"))
            && allNames(in: path).allSatisfy(Photograph.isName))
          // Simulated photographs and their truth.
          || (name == "pictures" && exists(join(folder, "truth.ndjson"))
            && allNames(in: path).allSatisfy { $0.hasSuffix(".jpg") })
      }
      return name.wholeMatch(of: ownFile) != nil
    }
  }
}
