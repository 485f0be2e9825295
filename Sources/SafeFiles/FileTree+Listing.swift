import Foundation

extension FileTree {
  /// A file or folder that a listing leaves out.
  public struct LeftOut: Hashable, Sendable {
    /// Why it is left out.
    public enum Reason: Hashable, Sendable {
      /// Its name begins with a dot.
      case isHidden
      /// Its name is not UTF-8.
      case isNotUTF8
      /// It is a pipe, a device or a link to nothing.
      case isNoFile
      /// It is a folder that cannot be opened.
      case isClosed
      /// It is a link that leads out of the folder that is listed.
      case leadsOutside
    }

    /// The path; bytes of the name that are not UTF-8 are shown as `\xE9`.
    public var path: String
    /// The reason.
    public var reason: Reason
  }

  /// The files at or below a path, and what is not among them.
  public struct Listing: Equatable, Sendable {
    /// The regular files, sorted, as paths that start with the given path.
    public var files: [String] = []
    /// What is left out, sorted; what is in a folder that is left out is not listed.
    public var leftOut: [LeftOut] = []

    /// The links that lead out of the folder, as sentences for errors.
    public var refusals: [String] {
      leftOut.filter { $0.reason == .leadsOutside }.map { item in
        "\(item.path): expected a file of this folder, found a link that leads out of it"
      }
    }
  }

  /// What a listing may cost.
  public struct ListingLimits: Sendable {
    /// The maximum number of files and folders.
    public var count: Int
    /// The maximum time.
    public var time: Duration

    /// Creates limits, by default for the largest collections of drawings.
    public init(count: Int = 2_000_000, time: Duration = .seconds(300)) {
      (self.count, self.time) = (count, time)
    }
  }

  /// Returns the regular files at or below `path`, and what is left out.
  ///
  /// Links to what is below `path` are followed, each folder once, so that cyclic links are not followed
  /// forever. Links that lead elsewhere are left out: a folder of somebody else cannot show other files.
  ///
  /// - Throws: `FileError` if there are more files than `limits` allow, or listing them takes too long.
  public static func listing(
    below path: String, limits: ListingLimits = ListingLimits()
  ) throws(FileError) -> Listing {
    guard isFolder(path) else { return Listing(files: [path]) }
    var walk = Walk(path: path, limits: limits)
    try walk.visit(path)
    // Links are followed after all real folders are known.
    while let link = walk.links.popFirst() { try walk.visit(link) }
    return walk.sorted
  }

  /// Returns the regular files of ``listing(below:limits:)``.
  ///
  /// - Throws: `FileError` if there are too many.
  public static func files(below path: String) throws(FileError) -> [String] {
    try listing(below: path).files
  }

  /// A walk through a folder.
  private struct Walk {
    private enum Kind { case folder, file, link, other }

    let path: String
    let limits: ListingLimits
    private let root: String
    private let end: ContinuousClock.Instant
    private var listing = Listing()
    private var visited: Set<String> = []
    private var count = 0
    /// The links to folders that are not visited yet.
    var links: ArraySlice<String> = []

    init(path: String, limits: ListingLimits) {
      (self.path, self.limits) = (path, limits)
      let root = FileTree.resolved(path) ?? path
      self.root = root.hasSuffix("/") ? root : root + "/"
      end = .now + limits.time
    }

    var sorted: Listing {
      var result = listing
      result.files = listing.files.map { ($0, $0.split(separator: "/")) }
        .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
      result.leftOut.sort { $0.path < $1.path }
      return result
    }

    mutating func visit(_ folder: String) throws(FileError) {
      guard let real = FileTree.resolved(folder), visited.insert(real).inserted else { return }
      guard let names = FileTree.entries(of: folder) else {
        return leaveOut(folder, .isClosed)
      }
      for bytes in names {
        try countOne()
        guard let name = String(validating: bytes, as: UTF8.self) else {
          leaveOut(join(folder, FileTree.shown(bytes)), .isNotUTF8)
          continue
        }
        let child = join(folder, name)
        guard !name.hasPrefix(".") else {
          leaveOut(child, .isHidden)
          continue
        }
        switch Self.kind(of: child) {
        case .folder: try visit(child)
        case .file: listing.files.append(child)
        case .other: leaveOut(child, .isNoFile)
        case .link: add(link: child)
        }
      }
    }

    private mutating func countOne() throws(FileError) {
      count += 1
      guard count <= limits.count else {
        throw FileError(
          path: path, expected: "at most \(limits.count) files in a folder", found: "more")
      }
      guard ContinuousClock.now <= end else {
        throw FileError(
          path: path,
          expected: "a folder that can be listed within \(Int(limits.time / .seconds(1))) s",
          found: "\(count) files until then")
      }
    }

    private mutating func add(link: String) {
      guard let target = FileTree.resolved(link) else { return leaveOut(link, .isNoFile) }
      guard "\(target)/".hasPrefix(root) else { return leaveOut(link, .leadsOutside) }
      switch Self.kind(of: target) {
      case .folder: links.append(link)
      case .file: listing.files.append(link)
      case .link, .other: leaveOut(link, .isNoFile)
      }
    }

    private mutating func leaveOut(_ path: String, _ reason: LeftOut.Reason) {
      listing.leftOut.append(LeftOut(path: path, reason: reason))
    }

    private static func kind(of path: String) -> Kind {
      var status = stat()
      guard lstat(path, &status) == 0 else { return .other }
      return switch status.st_mode & S_IFMT {
      case S_IFDIR: .folder
      case S_IFREG: .file
      case S_IFLNK: .link
      default: .other
      }
    }
  }

  /// Returns the names in a folder, except `.` and `..`, as bytes; `nil` if it cannot be opened.
  private static func entries(of folder: String) -> [[UInt8]]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Returns the path of what a path leads to, without links; `nil` if there is nothing.
  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
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
}
