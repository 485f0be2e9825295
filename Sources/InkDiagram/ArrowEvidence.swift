import Ink
import InkRecognizer

/// Tells from the picture in which strokes were traced whether lines are arrows.
final class ArrowEvidence {
  private let picture: any DiagramPicture
  private let model: Recognizer
  /// The logarithms of the odds of each label, for the lines that were asked about.
  private var known: [Question: [String: Double]] = [:]

  private struct Question: Hashable {
    var path: [Vector]
    var scale: Double
  }

  /// The largest logarithm of odds that is believed.
  static let most = 6.0

  init(picture: any DiagramPicture, model: Recognizer) {
    (self.picture, self.model) = (picture, model)
  }

  /// Returns the logarithm of the odds that a line is an arrow of a kind; `scale` is the usual radius of a state.
  func odds(of path: [Vector], as kind: DrawnArrow.Kind, scale: Double) -> Double {
    let question = Question(path: path, scale: scale)
    if let odds = known[question] { return odds[kind.rawValue] ?? -Self.most }
    let patch = DrawnArrow.patch(of: picture, along: path, scale: scale)
    let odds = model.probabilities(of: patch).mapValues { $0.logOdds(atMost: Self.most) }
    known[question] = odds
    return odds[kind.rawValue] ?? -Self.most
  }
}
