import Foundation
import InkImageIO
import InkRaster
import SafeFiles

/// A picture on disk with the class of each pixel or cell.
public struct SegmentationPage: Hashable, Sendable {
  /// Where the classes are.
  enum Masks: Hashable, Sendable {
    /// One mask of class indices.
    case indices(String)
    /// Masks of single classes, by their index; every sample but 0 is of the class.
    case single([Int: String])

    /// The paths.
    var paths: [String] {
      switch self {
      case .indices(let path): [path]
      case .single(let paths): paths.values.sorted()
      }
    }
  }

  /// The path of the picture in the folder `pictures`.
  public let name: String
  /// The path of the picture.
  public let picture: String
  /// Who drew it, if known.
  public internal(set) var writer: String?
  /// The collection it comes from, if known.
  public internal(set) var source: String?
  /// The part of the data set, if it is split.
  public internal(set) var part: Split.Part?
  let masks: Masks

  /// The largest picture, in pixels.
  public static let maximumPixels = 50_000_000
  /// The widths and heights of cells, in pixels.
  private static let cells = [1, 2, 4]

  /// Reads the picture, with dark ink as it is, and its mask.
  ///
  /// The mask has the size of the picture, or a cell for 2 × 2 or 4 × 4 pixels.
  ///
  /// - Throws: `FileError` if one cannot be read, or they do not fit together.
  public func read(classCount: Int) throws(FileError) -> (
    picture: Photograph, mask: SegmentationMask
  ) {
    let data = try contents(of: picture)
    if let size = Photograph.size(of: data) { try check(size.width, size.height) }
    let photograph = try FileError.converting { () throws(PictureError) in
      try Photograph.decode(data, path: picture)
    }
    guard !photograph.isDamaged else {
      throw FileError(path: picture, expected: "a whole JPEG", found: "the start of one")
    }
    let mask =
      switch masks {
      case .indices(let path): try indices(path, beside: photograph, classCount: classCount)
      case .single(let paths): try joined(paths, beside: photograph)
      }
    return (photograph, mask)
  }

  private func check(_ width: Int, _ height: Int) throws(FileError) {
    guard width * height <= Self.maximumPixels else {
      throw FileError(
        path: picture, expected: "at most \(Self.maximumPixels / 1_000_000) megapixels",
        found: "\(width) × \(height)")
    }
  }

  private func contents(of path: String) throws(FileError) -> Data {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FileError(path: path, expected: "a readable file", found: "none")
    }
    return data
  }

  private func numbers(_ path: String, beside picture: Photograph) throws(FileError) -> Bitmap {
    let data = try contents(of: path)
    let numbers = try FileError.converting { () throws(PictureError) in
      try PNG.numbers(data, path: path)
    }
    let sizes = Self.cells.map { cell in
      ((picture.width + cell - 1) / cell, (picture.height + cell - 1) / cell)
    }
    guard sizes.contains(where: { $0 == (numbers.width, numbers.height) }) else {
      throw FileError(
        path: path,
        expected: "a mask of "
          + sizes.map { "\($0.0) × \($0.1)" }.joined(separator: " or ") + " as its picture has",
        found: "\(numbers.width) × \(numbers.height)")
    }
    return numbers
  }

  private func indices(
    _ path: String, beside picture: Photograph, classCount: Int
  ) throws(FileError) -> SegmentationMask {
    let numbers = try numbers(path, beside: picture)
    if let place = numbers.pixels.firstIndex(where: {
      $0 >= classCount && $0 != SegmentationMask.ignored
    }) {
      let (row, column) = (place / numbers.width, place % numbers.width)
      throw FileError(
        path: path,
        expected:
          "class indices from 0 to \(classCount - 1), or \(SegmentationMask.ignored) for what is left out",
        found: "\(numbers.pixels[place]) in row \(row), column \(column)")
    }
    return SegmentationMask(width: numbers.width, height: numbers.height, classes: numbers.pixels)
  }

  /// Joins masks of single classes; where several are set, the last class is seen.
  private func joined(
    _ paths: [Int: String], beside picture: Photograph
  ) throws(FileError) -> SegmentationMask {
    var mask: SegmentationMask?
    for index in paths.keys.sorted() {
      let numbers = try numbers(paths[index]!, beside: picture)
      if mask == nil {
        mask = SegmentationMask(
          width: numbers.width, height: numbers.height,
          classes: [UInt8](repeating: 0, count: numbers.pixels.count))
      }
      guard mask?.width == numbers.width, mask?.height == numbers.height else {
        throw FileError(
          path: paths[index]!, expected: "\(mask!.width) × \(mask!.height) as the other masks have",
          found: "\(numbers.width) × \(numbers.height)")
      }
      for (place, number) in numbers.pixels.enumerated() where number != 0 {
        mask!.classes[place] = UInt8(index)
      }
    }
    return mask!
  }
}

extension FileError {
  /// Returns what `body` returns, and throws its errors as those of a file.
  fileprivate static func converting<Value>(
    _ body: () throws(PictureError) -> Value
  ) throws(FileError) -> Value {
    do throws(PictureError) { return try body() } catch {
      throw FileError(path: error.path, expected: error.expected, found: error.found)
    }
  }
}
