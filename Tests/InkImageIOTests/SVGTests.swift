import InkImageIO
import InkRaster
import Testing

@Suite(.timeLimit(.minutes(30))) struct SVGTests {
  private func picture(of text: String) throws -> Bitmap {
    try SVGRenderer.load().bitmap(
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="60" height="40" viewBox="0 0 60 40">
      <rect width="60" height="40" fill="#fff"/>
      <text x="30" y="28" font-family="sans-serif" font-size="24" text-anchor="middle">\(text)</text>
      </svg>
      """)
  }

  /// A font that lacks a letter draws the same box for all that it lacks.
  @Test func lettersOfNamesAndSymbolsAreDrawn() throws {
    let texts = [
      "0", "O", "∅", "a", "α", "ä", "ß", "ẞ", "′", "Ω", "ε", "λ", "q₀", "q₁", "ж", "é",
      "\u{10FFFD}",
    ]
    let pictures = try texts.map(picture)
    for (index, one) in pictures.enumerated() {
      for (other, text) in zip(pictures, texts).prefix(index) {
        #expect(one != other, "\(texts[index]) looks like \(text)")
      }
    }
  }

  @Test func inkIsDarkOnWhiteWhereTheDocumentSays() throws {
    let bitmap = try SVGRenderer.load().bitmap(
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 20 10" width="20" height="10">
      <rect x="-10" y="-10" width="20" height="10" fill="#fff"/>
      <rect x="-10" y="-10" width="5" height="5"/></svg>
      """, scale: 2)
    #expect(bitmap.width == 40 && bitmap.height == 20)
    for row in 0..<20 {
      for column in 0..<40 {
        #expect(bitmap[row, column] == (row < 10 && column < 10 ? 0 : 255))
      }
    }
  }

  @Test func whatTheDocumentDoesNotCoverIsWhite() throws {
    let bitmap = try SVGRenderer.load().bitmap(
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10.5 10" width="10.5" height="10">
      <rect width="10.5" height="10" fill="#fff"/></svg>
      """, scale: 1.3)
    #expect(bitmap.pixels.allSatisfy { $0 == 255 })
  }

  @Test(arguments: [(100_000.0, 50_000.0), (16_000, 16_000), (1, 100_000)])
  func hugeDocumentsAreDrawnSmaller(width: Double, height: Double) throws {
    let bitmap = try SVGRenderer.load().bitmap(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\"/>")
    #expect(bitmap.width * bitmap.height <= SVGRenderer.maximumPixels)
    #expect(max(bitmap.width, bitmap.height) <= SVGRenderer.longestSide)
  }

  @Test func aPDFHasThePageAndTheTextOfTheDocument() throws {
    let svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
      <text x="10" y="50" font-family="sans-serif" font-size="24">q0</text></svg>
      """
    let pdf = try SVGRenderer.load().pdf(svg)
    let text = String(decoding: pdf, as: UTF8.self)
    #expect(text.hasPrefix("%PDF-") && text.contains("%%EOF"))
    // 200 × 100 pixels of 1/96 inch, in units of 1/72 inch; letters, not outlines.
    #expect(text.contains("/MediaBox [ 0 0 150 75 ]") && text.contains("/Font"))
    #expect(throws: SVGError.unreadableDocument) { try SVGRenderer.load().pdf("<svg") }
  }

  @Test(arguments: ["", "<svg", "<html/>", "\0"]) func whatIsNoSVGIsAnError(text: String) throws {
    #expect(throws: SVGError.unreadableDocument) { try SVGRenderer.load().bitmap(text) }
  }
}
