import Ink
import InkRecognizer

/// Reads a handwritten number of one or two digits.
struct DigitReader: Sendable {
  /// A number that was read.
  struct Reading: Sendable {
    /// A digit: its strokes, and all labels with their probabilities, the most likely first.
    struct Digit: Sendable {
      var drawing: Drawing
      var ranked: [Recognition.Candidate]

      var label: String { ranked[0].label }
      var probability: Double { ranked[0].probability }
    }

    /// One or two digits from left to right.
    var digits: [Digit]

    var text: String { digits.map(\.label).joined() }
    /// The probability of the least sure digit.
    var probability: Double { digits.map(\.probability).min() ?? 0 }
    /// Whether the number is certain enough not to ask the learner.
    var isSure: Bool { probability >= DigitReader.sure }

    /// Whether each digit of `text` is plausible.
    func isConsistent(with text: String) -> Bool {
      let labels = text.map(String.init)
      return labels.count == digits.count
        && zip(digits, labels).allSatisfy { digit, label in
          digit.ranked.contains { $0.label == label && $0.probability >= DigitReader.plausible }
        }
    }
  }

  /// The model for digits.
  var recognizer: Recognizer

  /// The minimum probability at which the learner is not asked.
  static let sure = 0.8
  /// The minimum probability at which a drawing can show a digit.
  static let plausible = 0.05
  /// The maximum number of strokes in two digits.
  private static let maximumStrokes = 12
  /// The minimum gap between two digits, as a share of the height of the drawing.
  private static let gap = 0.08
  /// The maximum overlap of two digits, as a share of the width of the narrower one.
  private static let overlap = 0.35
  /// The minimum difference in probability by which two digits without a gap are preferred to one.
  private static let bonus = 0.2

  /// Returns the number in `drawing`, or `nil` if the drawing is empty.
  ///
  /// - Throws: `RasterError` if a coordinate is not finite.
  func read(_ drawing: Drawing) throws -> Reading? {
    let strokes = drawing.strokes.filter { !$0.points.isEmpty }
      .sorted { Self.middle($0) < Self.middle($1) }
    guard let bounds = Drawing(strokes).bounds else { return nil }
    guard strokes.count <= Self.maximumStrokes else {
      throw StudioError(
        "The drawing has \(strokes.count) strokes. Write one or two digits with at most "
          + "\(Self.maximumStrokes).", .unprocessableContent)
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
      // A gap is stronger evidence than the probabilities of the model.
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

  private func digit(_ strokes: [Stroke]) throws -> Reading.Digit {
    // The strokes in the order of writing.
    let drawing = Drawing(
      strokes.sorted { ($0.points[0].time ?? 0) < ($1.points[0].time ?? 0) })
    return Reading.Digit(drawing: drawing, ranked: try recognizer.recognize(drawing).ranked)
  }

  private static func middle(_ stroke: Stroke) -> Double {
    let xs = stroke.points.map(\.x)
    return (xs.min()! + xs.max()!) / 2
  }
}
