import Ink
import InkRaster

/// The ways in which the writing of a page may be divided into rows, with the measures by which they are judged
/// (``RowDivision/weights``), for fitting these.
package struct RowMeasures: Encodable, Sendable {
  /// A way in which writing may be divided.
  package struct Division: Encodable, Sendable {
    /// What is read then.
    let text: String
    let values: [Double]
  }

  /// The writing in a state or at an arrow.
  package struct Block: Encodable, Sendable {
    /// The corners of the upright rectangle around it, in pixels of ``DiagramPicture/page``.
    let low, high: [Double]
    /// The division that the strokes tell, and others unless that is read well.
    let divisions: [Division]
  }

  /// The name of the picture.
  let picture: String
  let blocks: [Block]

  /// Measures the writing of an upright picture as `recognizer` sees it.
  ///
  /// - Parameter picture: The picture, or `nil` for one without writing.
  package init(
    of picture: (some DiagramPicture)?, named name: String, with recognizer: DiagramRecognizer
  ) {
    self.picture = name
    guard let picture, case let drawing = picture.uprightDrawing, !drawing.traces.isEmpty else {
      blocks = []
      return
    }
    let page = PageSight(
      PageReading(of: picture.page, with: recognizer.network, workers: 1))
    let interpretation = Interpretation(of: drawing.traces, in: page, picture)
    let labelReader = LabelReader(
      reader: recognizer.reader, vocabulary: [], alphabet: [], workers: 1)
    let found = LabelSearch.ofPicture(interpretation).blocks
    let sorted = [found.names, found.labels].flatMap { $0.sorted { $0.key < $1.key } }
    blocks = sorted.map { _, block in
      let line = TextLine(traces: block.traces)
      let divisions = labelReader.divisions(of: block, in: interpretation.pageWriting) {
        interpretation.writing($0, in: drawing, turnedBy: 0)
      }
      func pixel(_ corner: Vector) -> [Double] {
        let place = picture.pixel(at: corner)
        return [place.x, place.y].map(PageMeasures.rounded)
      }
      return Block(
        low: pixel(line.low), high: pixel(line.high),
        divisions: divisions.map {
          .init(text: $0.text, values: $0.values.map(PageMeasures.rounded))
        })
    }
  }
}
