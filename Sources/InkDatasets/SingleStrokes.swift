import Ink

extension Dataset {
  /// Each stroke of the drawings with several strokes as an example of its own.
  ///
  /// An editor receives such single strokes. The label is the drawing's label and the form of the
  /// stroke, such as `null/curve`; see `StrokeKind`. Taps are left out, and so are drawings with
  /// only one other stroke.
  public var singleStrokes: Dataset {
    Dataset(
      examples.flatMap { example -> [Example] in
        guard let drawing = example.content.drawing else { return [] }
        let forms = drawing.strokes.map { $0.form(pointsPerUnit: example.pointsPerUnit ?? 1) }
        guard forms.count(where: { $0 != .dot }) > 1 else { return [] }
        return zip(drawing.strokes, forms).enumerated().compactMap { index, stroke in
          guard stroke.1 != .dot else { return nil }
          var single = example
          single.content = .drawing(Drawing([stroke.0]))
          single.label = "\(example.label)/\(stroke.1.rawValue)"
          single.attributes["kind"] = .text("stroke of \(example.label)")
          single.origin = "\(example.origin), stroke \(index + 1)"
          return single
        }
      })
  }
}
