import Ink

extension Dataset {
  /// Every stroke of the drawings that have several, as an example by itself.
  ///
  /// It is what an editor meets that looks at one stroke at a time. The label is that of the drawing
  /// with the stroke's form behind it, such as `null/curve`; see `StrokeForm`. Taps are left out,
  /// and so are drawings that are one stroke but for taps.
  public var singleStrokes: Dataset {
    Dataset(
      examples.flatMap { example -> [Example] in
        guard case .drawing(let drawing) = example.content else { return [] }
        let forms = drawing.strokes.map(\.form)
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
