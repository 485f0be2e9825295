import Ink
import InkRecognizer

/// Reads a number of one or two digits that was written with a pen or a finger.
struct DigitReader: Sendable {
  /// What was read.
  struct Reading: Sendable {
    /// One or two digits from left to right: the strokes, what they show, and how sure that is.
    var digits: [(drawing: Drawing, label: String, probability: Double)]

    var text: String { digits.map(\.label).joined() }
    /// How sure the least sure digit is.
    var probability: Double { digits.map(\.probability).min() ?? 0 }
    /// Whether nobody needs to be asked.
    var isSure: Bool { probability >= DigitReader.sure }
  }

  /// A model that tells digits apart.
  var recognizer: Recognizer

  /// Below this probability a person is asked what was written.
  static let sure = 0.8
  /// Nobody needs more for two digits.
  private static let mostStrokes = 12
  /// Wider than this, as a share of the writing's height, a gap parts two digits.
  private static let gap = 0.08
  /// Digits overlap at most by this share of the narrower one.
  private static let overlap = 0.35
  /// How much likelier two digits have to be than one where no gap parts them.
  private static let bonus = 0.2

  /// What `drawing` says, or `nil` where it holds nothing.
  ///
  /// - Throws: `RasterError` where the drawing has coordinates that are not finite.
  func read(_ drawing: Drawing) throws -> Reading? {
    let strokes = drawing.strokes.filter { !$0.points.isEmpty }
      .sorted { Self.middle($0) < Self.middle($1) }
    guard let bounds = Drawing(strokes).bounds else { return nil }
    guard strokes.count <= Self.mostStrokes else {
      throw Problem(
        "expected a number of at most \(Self.mostStrokes) strokes, found \(strokes.count)")
    }
    let whole = Reading(digits: [try digit(strokes)])
    var best: (reading: Reading, isApart: Bool)?
    for count in 1..<max(1, strokes.count) {
      let parts = (Array(strokes[..<count]), Array(strokes[count...]))
      guard let left = Drawing(parts.0).bounds, let right = Drawing(parts.1).bounds else {
        continue
      }
      let space = right.minX - left.maxX
      let narrower = min(left.width, right.width)
      let isApart = space > Self.gap * bounds.height
      guard isApart || -space <= Self.overlap * narrower else { continue }
      let reading = Reading(digits: [try digit(parts.0), try digit(parts.1)])
      // A gap tells more than a model's confidence.
      let isBetter =
        best.map { best in
          isApart == best.isApart
            ? reading.probability > best.reading.probability : isApart
        } ?? true
      if isBetter { best = (reading, isApart) }
    }
    guard let best else { return whole }
    let isPair = best.isApart || best.reading.probability > whole.probability + Self.bonus
    return isPair ? best.reading : whole
  }

  private func digit(
    _ strokes: [Stroke]
  ) throws -> (drawing: Drawing, label: String, probability: Double) {
    // In the order in which they were written.
    let drawing = Drawing(
      strokes.sorted { ($0.points[0].time ?? 0) < ($1.points[0].time ?? 0) })
    let top = try recognizer.recognize(drawing).top
    return (drawing, top.label, top.probability)
  }

  private static func middle(_ stroke: Stroke) -> Double {
    let xs = stroke.points.map(\.x)
    return (xs.min()! + xs.max()!) / 2
  }
}
