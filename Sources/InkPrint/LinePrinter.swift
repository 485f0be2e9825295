import Foundation
import InkDatasets
import InkRaster
import SafeFiles
import SeededRandom

/// Prints lines of text as strips, in fonts of several families and in many sizes.
///
/// The texts are those that people write on automata, and words, phrases and random characters.
/// The writer of a strip is the family of its font, so that splits by writer keep fonts apart.
public struct LinePrinter {
  /// The sizes of an em, in pixels.
  public static let sizes = 14.0...72.0
  /// The characters that are printed, where a font has them.
  public static let characters: [Character] =
    (33...126).map { Character(Unicode.Scalar(UInt8($0))) } + Array("αβγδελμπσωΔΣ∅→")

  private let fonts: FontCollection
  private let seed: UInt64

  /// Creates a printer with a random seed.
  public init(fonts: FontCollection, seed: UInt64) {
    self.fonts = fonts
    self.seed = seed
  }

  /// Returns strip number `index`; the families take turns.
  ///
  /// - Throws: `FileError` if a font cannot print a text.
  public func strip(_ index: Int) throws(FileError) -> Example {
    var generator = SeededGenerator(seed: seed, stream: 0x9417, UInt64(index))
    let font = generator.pick(fonts.families[index % fonts.families.count])
    let characters = Set(Self.characters.filter(font.has))
    // Some kinds need punctuation that a font may not have; words need only letters.
    var kind = LineKind.word
    var text: LineText?
    for candidate in [generator.pick(Self.kinds), .word] where text == nil {
      kind = candidate
      text = LineTexts(kind, recorded: characters, drawn: []).next(using: &generator)
    }
    guard let text else {
      throw FileError(path: font.path, expected: "Latin letters", found: "too few")
    }
    let size = exp(generator.uniform(log(Self.sizes.lowerBound)...log(Self.sizes.upperBound)))
    let ink = try font.line(text, size: size)
    var example = Example(
      .strip(strip(of: ink, size: size, using: &generator)),
      label: text.spelled(markingSubscripts: false), writer: font.family,
      origin: "printed in \(font.family) \(font.style)")
    example.attributes = ["kind": .text("printed \(kind.rawValue)")]
    return example
  }

  /// Half of the texts are those on automata.
  private static let kinds: [LineKind] =
    LineKind.handwritten + [.phrase, .phrase, .phrase, .word, .word, .word, .letters]
    + [.characters, .characters, .characters]

  /// Puts the ink on paper with a border, mostly dark on light.
  private func strip(
    of ink: Bitmap, size: Double, using generator: inout SeededGenerator
  ) -> Bitmap {
    func border() -> Int { Int(size * generator.uniform(0.05...0.5)) + 1 }
    let (left, right, top, bottom) = (border(), border(), border(), border())
    var (paper, color) = (generator.uniform(190...255), generator.uniform(0...90))
    if generator.chance(0.15) { swap(&paper, &color) }
    let (width, height) = (
      max(StripFolder.minimumWidth, left + ink.width + right),
      max(StripFolder.minimumHeight, top + ink.height + bottom)
    )
    var strip = Bitmap(width: width, height: height, filledWith: UInt8(paper))
    for row in 0..<ink.height {
      for column in 0..<ink.width {
        let share = Double(ink[row, column]) / 255
        strip[top + row, left + column] = UInt8(paper + (color - paper) * share)
      }
    }
    return strip
  }
}
