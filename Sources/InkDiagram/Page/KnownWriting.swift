import Ink
import InkRaster
import InkRecognizer

/// Writing in a picture whose texts are known, for training readers on it.
package struct KnownWriting {
  /// The places along each stroke of each text, on the page.
  private let texts: [[[Vector]]]

  /// The share of the places of a stroke that is in marks, at least; a smaller part cannot be read.
  private static let seenShare = 0.6
  /// A mark belongs to a text if at least this share of its cells is near it; others join it to something else.
  private static let ownShare = 0.7

  /// Creates writing from the points of the strokes of each text, in pixels of the page.
  package init(texts: [[[Vector]]]) {
    self.texts = texts.map { strokes in strokes.map { $0.resampled(spacing: 1) } }
  }

  /// Cuts the texts out of a picture as ``DiagramRecognizer`` cuts writing out to read it.
  ///
  /// - Parameters:
  ///   - angle: How far the writing is turned clockwise on the page, in radians.
  ///   - workers: The number of cores that look at the page.
  /// - Returns: The strip of each text, or `nil` if the network does not see all its writing, or not apart from
  ///   something else.
  package func strips(
    in picture: some DiagramPicture, turnedBy angle: Double, with network: PageNetwork,
    workers: Int
  ) -> [Bitmap?] {
    let page = PageReading(of: picture.page, with: network, workers: workers)
    let marks = page.marks
    let writing = PageWriting(marks, of: page, traces: [], in: picture)
    // The cells of each stroke of each text.
    let cells = texts.map { $0.map { $0.map { page.cells.cell(at: page.cell($0)) } } }
    func around(_ cells: some Sequence<Int>) -> [Int] {
      cells.flatMap { [$0] + page.cells.surroundings(of: $0) }
    }
    // A cell near two texts counts for the later one.
    var textOfCell: [Int: Int] = [:]
    for (text, strokes) in cells.enumerated() {
      for cell in around(strokes.joined()) { textOfCell[cell] = text }
    }
    var marksOfTexts = [[Int]](repeating: [], count: texts.count)
    var joined: Set<Int> = []
    for (mark, group) in marks.enumerated() {
      var counts: [Int: Int] = [:]
      for cell in group { textOfCell[cell].map { counts[$0, default: 0] += 1 } }
      let least = Self.ownShare * Double(group.count)
      if let owner = counts.first(where: { Double($0.value) >= least })?.key {
        marksOfTexts[owner].append(mark)
      } else {
        joined.formUnion(counts.keys)
      }
    }
    // The direction of the writing in the drawing.
    let right =
      picture.drawingPlace(ofPixel: Vector(angle: angle, length: 1))
      - picture.drawingPlace(ofPixel: Vector(0, 0))
    return texts.indices.map { text in
      let seen = Set(around(marksOfTexts[text].flatMap { marks[$0] }))
      let isWhole = cells[text].allSatisfy { stroke in
        Double(stroke.count(where: seen.contains)) >= Self.seenShare * Double(stroke.count)
      }
      guard isWhole, !seen.isEmpty, !joined.contains(text) else { return nil }
      let line = TextLine(traces: marksOfTexts[text].map { writing.marks[$0] })
      return writing.strip(of: line, turnedBy: -right.angle)
    }
  }
}
