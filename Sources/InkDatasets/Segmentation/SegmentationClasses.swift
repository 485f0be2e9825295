import Foundation
import Ink
import InkImageIO
import SafeFiles

/// A class of the pixels of a segmentation data set.
public struct SegmentationClass: Hashable, Sendable {
  /// The name.
  public var name: String
  /// The colour in previews.
  public var color: ColorPicture.Color

  /// Creates a class.
  public init(name: String, color: ColorPicture.Color) {
    (self.name, self.color) = (name, color)
  }

  /// The colour, such as `#d62728`.
  public var hexColor: String {
    "#"
      + [color.red, color.green, color.blue].map { sample in
        (sample < 16 ? "0" : "") + String(sample, radix: 16)
      }.joined()
  }

  /// The colours of classes without one, in order; the first is that of the background.
  private static let colors: [ColorPicture.Color] = [
    .init(255, 255, 255), .init(214, 39, 40), .init(44, 160, 44), .init(255, 127, 14),
    .init(31, 119, 180), .init(148, 103, 189), .init(140, 86, 75), .init(227, 119, 194),
    .init(23, 190, 207), .init(188, 189, 34),
  ]

  /// The classes of pages.
  public static let pages: [SegmentationClass] = PageClass.allCases.map {
    SegmentationClass(name: $0.name, color: colors[Int($0.rawValue)])
  }
}

/// The list of classes of a segmentation data set, `classes.tsv`: their indices, names and colours.
enum SegmentationClassTable {
  static let name = "classes.tsv"
  /// The largest number of classes: a mask has 8 bits, and 255 is no class (``SegmentationMask/ignored``).
  private static let maximumClasses = 255

  static func text(of classes: [SegmentationClass]) -> String {
    "index\tname\tcolor\n"
      + classes.enumerated().map { index, one in
        "\(index)\t\(one.name)\t\(one.hexColor)\n"
      }.joined()
  }

  /// Reads the classes; the colour may be missing.
  ///
  /// - Throws: `FileError` if the file is not such a list.
  static func read(_ path: String) throws(FileError) -> [SegmentationClass] {
    let rows = try SegmentationTable(path: path, columns: ["index", "name"], others: ["color"])
    var classes: [SegmentationClass] = []
    for row in rows.rows {
      guard Int(row["index"]) == classes.count, classes.count < maximumClasses else {
        throw FileError(
          path: row.place,
          expected: classes.count < maximumClasses
            ? "the index \(classes.count): they count from 0" : "at most \(maximumClasses) classes",
          found: "`\(row["index"])`")
      }
      let name = row["name"]
      guard !name.isEmpty, !classes.contains(where: { $0.name == name }) else {
        throw FileError(
          path: row.place, expected: "a name that no other class has", found: "`\(name)`")
      }
      let usual = SegmentationClass.usualColor(classes.count)
      classes.append(
        SegmentationClass(
          name: name,
          color: row["color"].isEmpty ? usual : try color(row["color"], place: row.place)))
    }
    guard classes.count > 1 else {
      throw FileError(
        path: path, expected: "two classes or more, the first for the background",
        found: "\(classes.count)")
    }
    return classes
  }

  private static func color(
    _ text: String, place: String
  ) throws(FileError) -> ColorPicture.Color {
    guard text.count == 7, text.hasPrefix("#"), let value = UInt32(text.dropFirst(), radix: 16)
    else {
      throw FileError(path: place, expected: "a colour such as #d62728", found: "`\(text)`")
    }
    return ColorPicture.Color(
      UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
  }
}

extension SegmentationClass {
  /// The colour of class number `index` where none is given.
  package static func usualColor(_ index: Int) -> ColorPicture.Color {
    index < colors.count ? colors[index] : colors[1 + (index - 1) % (colors.count - 1)]
  }
}
