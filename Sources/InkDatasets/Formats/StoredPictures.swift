import Foundation
import Ink
import InkRaster
import SafeFiles

/// Pictures in a memory-mapped file of bytes, `[count, height, width]` after an offset.
///
/// Only the pictures that are used are read. The file must not be modified meanwhile; replacing it
/// by a new file of the same name is safe.
public final class StoredPictures: Hashable, Sendable {
  /// The file.
  public let path: String
  /// The number of pictures.
  public let count: Int
  /// The rows of a picture.
  public let height: Int
  /// The columns of a picture.
  public let width: Int
  /// Whether pictures are inverted when they are read.
  public let isInverted: Bool
  private let offset: Int
  private let mapped: Mapped

  /// The mapped file, which is never written and is unmapped after its last use.
  private final class Mapped: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init?(path: String) {
      let descriptor = open(path, O_RDONLY)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_size > 0,
        let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0),
        start != MAP_FAILED
      else { return nil }
      madvise(start, Int(status.st_size), MADV_SEQUENTIAL)
      bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count) }
  }

  /// Maps `count` pictures of `height` × `width` from byte `offset` of the file at `path` on.
  ///
  /// - Throws: `FileError` if the file cannot be read or is too short.
  init(path: String, offset: Int, count: Int, height: Int, width: Int) throws(FileError) {
    guard let mapped = Mapped(path: path) else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    guard mapped.bytes.count >= offset + count * height * width else {
      throw FileError(
        path: path, expected: "\(count.counted("picture")) of \(height) × \(width)",
        found: (mapped.bytes.count - offset).counted("byte"))
    }
    self.path = path
    self.offset = offset
    self.count = count
    self.height = height
    self.width = width
    self.mapped = mapped
    isInverted = false
  }

  private init(inverting pictures: StoredPictures) {
    path = pictures.path
    offset = pictures.offset
    count = pictures.count
    height = pictures.height
    width = pictures.width
    mapped = pictures.mapped
    isInverted = !pictures.isInverted
  }

  /// Returns the same pictures, inverted.
  func inverted() -> StoredPictures { StoredPictures(inverting: self) }

  /// Calls a function with picture `index` as it is stored, `[height, width]`, not inverted.
  public func withPixels<Result>(
    _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    precondition((0..<count).contains(index), "there are \(count) pictures")
    let size = height * width
    let start = offset + index * size
    return try body(
      UnsafeRawBufferPointer(rebasing: mapped.bytes[start..<start + size])
        .assumingMemoryBound(to: UInt8.self))
  }

  /// Returns picture `index` with light ink on black.
  public func bitmap(_ index: Int) -> Bitmap {
    let bitmap = withPixels(index) { Bitmap(width: width, height: height, pixels: Array($0)) }
    return isInverted ? bitmap.inverted() : bitmap
  }

  /// Whether both are the same pictures of the same file.
  public static func == (one: StoredPictures, other: StoredPictures) -> Bool {
    one.path == other.path && one.offset == other.offset && one.isInverted == other.isInverted
  }

  /// Adds what makes them the same to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(offset)
  }

  /// Turns off read-ahead, because pictures are read in random order.
  public func willBeReadAnywhere() {
    madvise(
      UnsafeMutableRawPointer(mutating: mapped.bytes.baseAddress!), mapped.bytes.count, MADV_RANDOM)
  }

  /// Starts to read picture `index` in the background.
  public func willNeed(_ index: Int) {
    let page = Int(getpagesize())
    let start = (offset + index * height * width) / page * page
    let end = min(mapped.bytes.count, offset + (index + 1) * height * width)
    madvise(
      UnsafeMutableRawPointer(mutating: mapped.bytes.baseAddress! + start), end - start,
      MADV_WILLNEED)
  }
}
