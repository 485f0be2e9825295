import Foundation
import Ink
import InkRecognizer

/// Tells from the picture in which strokes were traced whether lines have heads.
final class HeadEvidence {
  private let picture: any DiagramPicture
  private let model: Recognizer
  /// The probabilities of heads that were asked for.
  private var known: [Question: Double] = [:]

  private struct Question: Hashable {
    var place, direction: Vector
    var scale: Double
  }

  /// The share of arrows without a head.
  private static let headless = 0.15
  /// The share of ends that look like heads and are none.
  private static let mistaken = 0.05
  /// How much a head that is seen speaks for an arrow, and against writing.
  private static let weight = 1.5

  init(picture: any DiagramPicture, model: Recognizer) {
    (self.picture, self.model) = (picture, model)
  }

  /// Returns the probability of a head at the last point of a line; `scale` is the usual radius of a state.
  func probability(at line: Shaft, scale: Double) -> Double {
    guard let end = line.path.last else { return 0 }
    let question = Question(place: end, direction: line.heading, scale: scale)
    if let probability = known[question] { return probability }
    let patch = ArrowEnd.patch(
      of: picture, at: Point(end.x, end.y),
      direction: Point(question.direction.x, question.direction.y), scale: scale)
    let probability = model.probabilities(of: patch)[ArrowEnd.labels.head] ?? 0
    known[question] = probability
    return probability
  }

  /// Returns the cost of a line that is an arrow to its last point, given the probabilities of heads at both
  /// of its ends; `trust` is how much a head that is seen counts, from 0 to 1.
  static func cost(atStart: Double, atEnd: Double, trust: Double) -> Double {
    -log((1 - headless) * atEnd + headless) - log((1 - mistaken) * (1 - atStart) + mistaken)
      - weight * trust * max(0, atEnd - atStart)
  }
}
