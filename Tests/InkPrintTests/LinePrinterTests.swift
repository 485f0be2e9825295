import Foundation
import InkDatasets
import InkRaster
import SafeFiles
import TestSupport
import Testing

@testable import InkPrint

/// Printed lines, in the fonts of this machine; scripts/set-up installs some.
@Suite(.timeLimit(.minutes(30))) struct LinePrinterTests {
  private let fonts: FontCollection

  init() throws {
    fonts = try FontCollection.system()
  }

  private var font: Font { fonts.families[0][0] }

  @Test func theSameSeedGivesTheSameStrips() throws {
    let printer = LinePrinter(fonts: fonts, seed: 4)
    let strips = try (0..<30).map { try printer.strip($0) }
    #expect(try LinePrinter(fonts: fonts, seed: 4).strip(7) == strips[7])
    #expect(try LinePrinter(fonts: fonts, seed: 5).strip(7) != strips[7])
    #expect(Set(strips.map(\.contentFingerprint)).count == 30)
    // The families take turns, so that splits by writer keep fonts apart.
    #expect(
      strips.map(\.writer)
        == (0..<30).map { fonts.families[$0 % fonts.families.count][0].family })
  }

  @Test func textsAreOfManyKindsAndAllTheirInkIsOnTheStrip() throws {
    let printer = LinePrinter(fonts: fonts, seed: 1)
    var kinds = Set<String>()
    var darkCount = 0
    for index in 0..<200 {
      let example = try printer.strip(index)
      kinds.insert(example.kind)
      #expect(!example.label.isEmpty && !example.label.hasPrefix(" "))
      guard case .strip(let strip) = example.content else {
        Issue.record("a strip is expected")
        continue
      }
      if strip.isDarkOnLight { darkCount += 1 }
      let paper = strip[0, 0]
      // The border is paper, and the inside is not.
      let border =
        (0..<strip.width).flatMap { [strip[0, $0], strip[strip.height - 1, $0]] }
        + (0..<strip.height).flatMap { [strip[$0, 0], strip[$0, strip.width - 1]] }
      #expect(border.allSatisfy { $0 == paper })
      #expect(strip.pixels.contains { abs(Int($0) - Int(paper)) > 60 })
      #expect(try !example.line(.standard).isBlank)
    }
    #expect(kinds.isSuperset(of: ["printed phrase", "printed characters", "printed name"]))
    #expect((140...190).contains(darkCount))
  }

  @Test func glyphsFollowEachOtherOnTheBaseline() throws {
    let wide = try font.line(LineText("ww"), size: 40)
    let single = try font.line(LineText("w"), size: 40)
    #expect(wide.width > single.width * 3 / 2 && wide.height == single.height)
    // Twice the size has twice the height.
    let large = try font.line(LineText("w"), size: 80)
    #expect(abs(large.height - 2 * single.height) <= 2)
    // A letter below the line makes it higher, and a subscript is small and low.
    #expect(try font.line(LineText("wp"), size: 40).height > single.height)
    let plain = try font.line(LineText("q0"), size: 40)
    let subscripted = try font.line(LineText("q").followed(by: "0", subscripted: true), size: 40)
    #expect(subscripted.width < plain.width && subscripted.height < plain.height)
    // Its lowest ink is below the line, where the letter before it has none.
    let low = try font.line(LineText("x").followed(by: "0", subscripted: true), size: 40)
    let lowest = (0..<low.width).filter { low[low.height - 1, $0] > 0 }
    #expect(!lowest.isEmpty && lowest.allSatisfy { $0 > low.width / 2 })
    #expect(throws: FileError.self) { try font.line(LineText(" "), size: 40) }
  }

  @Test func fontsThatCannotBeUsedAreNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write("broken.ttf", "no font")
    try folder.write("notes.txt", "no font")
    let copy = "\(folder.path)/font.\(font.path.split(separator: ".").last!)"
    try FileManager.default.copyItem(atPath: font.path, toPath: copy)
    let read = try FontCollection(paths: [folder.path])
    #expect(read.families.map { $0.map(\.family) } == [[font.family]])
    #expect(
      read.leftOut == ["\(folder.path)/broken.ttf: expected a font that can be scaled, found none"])
    try FileManager.default.removeItem(atPath: copy)
    #expect(throws: FileError.self) { try FontCollection(paths: [folder.path]) }
    #expect(throws: FileError.self) { try FontCollection(paths: ["\(folder.path)/none"]) }
  }
}
