import Foundation
import InkImageIO
import InkRaster
import SafeFiles

/// Writes a segmentation data set page by page.
public struct SegmentationWriter {
  private let folder: String
  private let classes: [SegmentationClass]
  private var pages: [SegmentationPage] = []

  /// A page as its two files.
  public struct EncodedPage: Sendable {
    fileprivate let picture: Data
    fileprivate let mask: Data
    fileprivate let writer: String?
    fileprivate let source: String?

    /// Encodes a picture and its mask as PNGs.
    ///
    /// - Throws: `PictureError` if libpng refuses.
    public init(
      _ picture: Photograph, mask: SegmentationMask, writer: String?, source: String?
    ) throws(PictureError) {
      self.picture = try PNG.encode(picture)
      self.mask = try PNG.encode(
        Bitmap(width: mask.width, height: mask.height, pixels: mask.classes))
      (self.writer, self.source) = (writer, source)
    }
  }

  /// Writes a data set to `path`, which is replaced as a whole; `body` adds the pages.
  ///
  /// - Throws: `FileError` if it cannot be written, and what `body` throws.
  public static func write(
    to path: String, classes: [SegmentationClass], _ body: (inout SegmentationWriter) throws -> Void
  ) throws {
    try FileTree.replace(path) { temporary in
      var writer = SegmentationWriter(folder: temporary, classes: classes)
      for name in ["pictures", "masks"] {
        try FileManager.default.createDirectory(
          atPath: FileTree.join(temporary, name), withIntermediateDirectories: true)
      }
      try body(&writer)
      try SegmentationDataset.writeTables(classes: classes, pages: writer.pages, to: temporary)
    }
  }

  /// Adds a file beside the tables.
  ///
  /// - Throws: an error of the file system.
  public func add(_ data: Data, named name: String) throws {
    try data.write(to: URL(fileURLWithPath: FileTree.join(folder, name)))
  }

  /// Adds data at the end of a file beside the tables, which is made if it is missing.
  ///
  /// - Throws: an error of the file system.
  public func append(_ data: Data, to name: String) throws {
    let url = URL(fileURLWithPath: FileTree.join(folder, name))
    guard FileManager.default.fileExists(atPath: url.path) else { return try data.write(to: url) }
    let file = try FileHandle(forWritingTo: url)
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: data)
  }

  /// Adds a page, and returns the name of its files.
  ///
  /// - Throws: an error of the file system.
  @discardableResult
  public mutating func add(_ page: EncodedPage) throws -> String {
    let number = String(pages.count + 1)
    let name = String(repeating: "0", count: max(0, 6 - number.count)) + number + ".png"
    let picture = FileTree.join(FileTree.join(folder, "pictures"), name)
    let mask = FileTree.join(FileTree.join(folder, "masks"), name)
    try page.picture.write(to: URL(fileURLWithPath: picture))
    try page.mask.write(to: URL(fileURLWithPath: mask))
    var entry = SegmentationPage(name: name, picture: picture, masks: .indices(mask))
    (entry.writer, entry.source) = (page.writer, page.source)
    pages.append(entry)
    return name
  }
}
