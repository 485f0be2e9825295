import Foundation
import SafeFiles

/// Fonts by family.
public struct FontCollection {
  /// The families in alphabetical order, each with its fonts.
  public let families: [[Font]]
  /// The files that were left out, each with the reason.
  public let leftOut: [String]

  /// The folders in which the fonts of this machine are.
  public static let systemFolders = [
    "/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts",
    NSHomeDirectory() + "/.local/share/fonts", NSHomeDirectory() + "/.fonts",
    NSHomeDirectory() + "/Library/Fonts",
  ]

  private static let endings = ["ttf", "otf", "ttc", "pfb"]

  /// Opens the fonts in files and folders, which must have all Latin letters and digits.
  ///
  /// Other fonts, and those whose small letters are capitals, are left out.
  ///
  /// - Throws: `FileError` if a path does not exist, or no font can be used.
  public init(paths: [String]) throws(FileError) {
    var leftOut: [String] = []
    var fonts: [Font] = []
    for path in paths {
      guard FileTree.exists(path) else {
        throw FileError(path: path, expected: "a font, or a folder with fonts", found: "none")
      }
      let listing = try FileTree.listing(below: path)
      leftOut += listing.refusals
      for file in listing.files
      where Self.endings.contains(where: { file.lowercased().hasSuffix("." + $0) }) {
        guard let first = Font(path: file) else {
          leftOut.append("\(file): expected a font that can be scaled, found none")
          continue
        }
        for index in 0..<first.faceCount {
          guard let font = index == 0 ? first : Font(path: file, index: index) else { continue }
          if let reason = Self.reason(against: font) {
            leftOut.append("\(file): \(reason)")
          } else {
            fonts.append(font)
          }
        }
      }
    }
    guard !fonts.isEmpty else {
      throw FileError(
        path: paths.joined(separator: ", "),
        expected: "a font with Latin letters and digits (\(Self.endings.joined(separator: ", ")))",
        found: leftOut.first ?? "none")
    }
    let groups = Dictionary(grouping: fonts, by: \.family)
    families = groups.keys.sorted().map { groups[$0]! }
    self.leftOut = leftOut
  }

  /// Opens the fonts of this machine.
  ///
  /// - Throws: `FileError` if there are none.
  public static func system() throws(FileError) -> FontCollection {
    let folders = systemFolders.filter(FileTree.exists)
    guard !folders.isEmpty else {
      throw FileError(
        path: systemFolders[0], expected: "the fonts of this machine (--fonts names others)",
        found: "none")
    }
    return try FontCollection(paths: folders)
  }

  /// Returns why lines in this font would not show their text.
  private static func reason(against font: Font) -> String? {
    let small = Array("abcdefghijklmnopqrstuvwxyz")
    let needed = small + Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var glyphs: [Character: Font.Glyph] = [:]
    for character in needed {
      guard font.has(character), let glyph = try? font.glyph(character, size: 32),
        glyph.pixels.contains(where: { $0 > 0 })
      else { return "expected Latin letters and digits, found no `\(character)`" }
      glyphs[character] = glyph
    }
    for letter in "aegq" where glyphs[letter] == glyphs[Character(letter.uppercased())] {
      return "expected small letters, found capitals for `\(letter)`"
    }
    return nil
  }
}
