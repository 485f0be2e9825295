import CFreeType
import Foundation
import InkDatasets
import InkRaster
import SafeFiles

/// A font that prints lines of text, opened with FreeType.
///
/// An instance must not be used by two threads at once.
public final class Font {
  /// The file.
  public let path: String
  /// The name of the family, such as `DejaVu Sans`.
  public let family: String
  /// The name of the style, such as `Bold`.
  public let style: String

  private let library: FT_Library
  private let face: FT_Face

  /// Opens face number `index` of a file, or returns `nil` if there is none that can be scaled and has
  /// names and Unicode characters.
  init?(path: String, index: Int = 0) {
    var library: FT_Library?
    guard FT_Init_FreeType(&library) == 0, let library else { return nil }
    var face: FT_Face?
    guard FT_New_Face(library, path, FT_Long(index), &face) == 0, let face,
      face.pointee.face_flags & FT_Long(FT_FACE_FLAG_SCALABLE) != 0,
      FT_Select_Charmap(face, FT_ENCODING_UNICODE) == 0, let family = face.pointee.family_name
    else {
      FT_Done_FreeType(library)
      return nil
    }
    self.path = path
    self.library = library
    self.face = face
    self.family = String(cString: family)
    style = face.pointee.style_name.map { String(cString: $0) } ?? "Regular"
  }

  deinit {
    // The library frees its faces.
    FT_Done_FreeType(library)
  }

  /// The number of faces in the file.
  var faceCount: Int { Int(face.pointee.num_faces) }

  /// Returns whether the font has `character`; characters of several scalars are not printed.
  func has(_ character: Character) -> Bool {
    guard character.unicodeScalars.count == 1 else { return false }
    return FT_Get_Char_Index(face, FT_ULong(character.unicodeScalars.first!.value)) != 0
  }

  /// One glyph as grey values, and where it is relative to the pen on the baseline.
  struct Glyph: Hashable {
    var width = 0
    var height = 0
    /// The columns from the pen to the left edge.
    var left = 0
    /// The rows from the top edge to the baseline.
    var top = 0
    /// The pixels to the next glyph.
    var advance = 0.0
    var pixels: [UInt8] = []
  }

  /// Draws `character` with `size` pixels an em; `offset` is the share of a pixel that it is moved to
  /// the right.
  ///
  /// - Throws: `FileError` if FreeType cannot draw it.
  func glyph(_ character: Character, size: Double, offset: Double = 0) throws(FileError) -> Glyph {
    let code = FT_ULong(character.unicodeScalars.first!.value)
    var shift = FT_Vector(x: FT_Pos(offset * 64), y: 0)
    FT_Set_Transform(face, nil, &shift)
    guard FT_Set_Char_Size(face, 0, FT_F26Dot6(size * 64), 72, 72) == 0,
      FT_Load_Char(face, code, FT_Int32(FT_LOAD_RENDER | FT_LOAD_NO_HINTING)) == 0,
      let slot = face.pointee.glyph
    else {
      throw FileError(path: path, expected: "a glyph for `\(character)`", found: "none")
    }
    let bitmap = slot.pointee.bitmap
    var glyph = Glyph(
      width: Int(bitmap.width), height: Int(bitmap.rows), left: Int(slot.pointee.bitmap_left),
      top: Int(slot.pointee.bitmap_top), advance: Double(slot.pointee.advance.x) / 64)
    guard let buffer = bitmap.buffer, bitmap.pixel_mode == UInt8(FT_PIXEL_MODE_GRAY.rawValue)
    else { return glyph }
    glyph.pixels.reserveCapacity(glyph.width * glyph.height)
    for row in 0..<glyph.height {
      let start = buffer + row * Int(bitmap.pitch)
      glyph.pixels += UnsafeBufferPointer(start: start, count: glyph.width)
    }
    return glyph
  }

  /// The change of the distance between two characters, in pixels.
  private func kerning(_ first: Character, _ second: Character) -> Double {
    guard face.pointee.face_flags & FT_Long(FT_FACE_FLAG_KERNING) != 0 else { return 0 }
    func index(_ character: Character) -> FT_UInt {
      FT_Get_Char_Index(face, FT_ULong(character.unicodeScalars.first!.value))
    }
    var distance = FT_Vector()
    guard
      FT_Get_Kerning(
        face, index(first), index(second), FT_UInt(FT_KERNING_UNFITTED.rawValue), &distance) == 0
    else { return 0 }
    return Double(distance.x) / 64
  }

  /// Prints a line of text as bright ink on black, cropped to its ink, with `size` pixels an em.
  ///
  /// - Throws: `FileError` if a character cannot be drawn, or the text has no ink.
  func line(_ text: LineText, size: Double) throws(FileError) -> Bitmap {
    var placed: [(glyph: Glyph, left: Int, top: Int)] = []
    var x = 0.0
    var previous: Character?
    for (character, isSubscript) in text.characters {
      let small = isSubscript ? Self.subscriptSize * size : size
      let drop = isSubscript ? Self.subscriptDrop * size : 0
      if let previous { x += kerning(previous, character) * small / size }
      let start = x.rounded(.down)
      let glyph = try glyph(character, size: small, offset: x - start)
      if !glyph.pixels.isEmpty {
        placed.append((glyph, Int(start) + glyph.left, Int(drop.rounded()) - glyph.top))
      }
      x += glyph.advance
      previous = character
    }
    guard let left = placed.map(\.left).min(), let top = placed.map(\.top).min(),
      let right = placed.map({ $0.left + $0.glyph.width }).max(),
      let bottom = placed.map({ $0.top + $0.glyph.height }).max()
    else {
      throw FileError(path: path, expected: "a text with ink", found: "none")
    }
    var bitmap = Bitmap(width: right - left, height: bottom - top)
    for (glyph, x, y) in placed {
      for row in 0..<glyph.height {
        for column in 0..<glyph.width {
          let (line, place) = (y - top + row, x - left + column)
          bitmap[line, place] = max(bitmap[line, place], glyph.pixels[row * glyph.width + column])
        }
      }
    }
    return bitmap
  }

  private static let subscriptSize = 0.65
  private static let subscriptDrop = 0.2
}
