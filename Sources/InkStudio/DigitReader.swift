import Ink
import InkRecognizer

/// Reads a number of one or two digits that was written with a pen or a finger.
struct DigitReader: Sendable {
  /// What was read.
  struct Reading: Sendable {
    /// A digit: its strokes, and every label with its probability, most likely first.
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
    /// Whether nobody needs to be asked.
    var isSure: Bool { probability >= DigitReader.sure }

    /// Whether the drawing may well show `text`, digit by digit.
    func isConsistent(with text: String) -> Bool {
      let labels = text.map(String.init)
      return labels.count == digits.count
        && zip(digits, labels).allSatisfy { digit, label in
          digit.ranked.contains { $0.label == label && $0.probability >= DigitReader.plausible }
        }
    }
  }

  /// A model that tells digits apart.
  var recognizer: Recognizer

  /// Below this probability a person is asked what was written.
  static let sure = 0.8
  /// Below this probability a drawing does not show a digit, whatever a person says.
  static let plausible = 0.05
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
        "The drawing has \(strokes.count) strokes. Write one or two digits with at most "
          + "\(Self.mostStrokes).", .unprocessableContent)
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

  private func digit(_ strokes: [Stroke]) throws -> Reading.Digit {
    // In the order in which they were written.
    let drawing = Drawing(
      strokes.sorted { ($0.points[0].time ?? 0) < ($1.points[0].time ?? 0) })
    return Reading.Digit(drawing: drawing, ranked: try recognizer.recognize(drawing).ranked)
  }

  private static func middle(_ stroke: Stroke) -> Double {
    let xs = stroke.points.map(\.x)
    return (xs.min()! + xs.max()!) / 2
  }
}
