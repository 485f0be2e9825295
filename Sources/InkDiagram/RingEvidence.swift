import Foundation
import Ink
import InkRaster
import InkRecognizer

/// Tells from the picture in which strokes were traced whether rings are those of states.
struct RingEvidence {
  private let picture: any DiagramPicture
  private let model: Recognizer
  private let counts: Recognizer

  /// The largest logarithm of odds that is believed.
  private static let most = 5.0

  init(picture: any DiagramPicture, model: Recognizer, counts: Recognizer) {
    (self.picture, self.model, self.counts) = (picture, model, counts)
  }

  /// Returns the logarithm of the odds that a ring is that of a state.
  func odds(of ring: Ring) -> Double {
    let patch = StateRing.patch(
      of: picture, at: Point(ring.center.x, ring.center.y), radius: ring.radius)
    return odds(of: StateRing.labels.state, in: patch, model)
  }

  /// Returns the logarithm of the odds that a state has two rings.
  func odds(ofSecond ring: Ring) -> Double {
    let patch = StateRing.unrolled(
      of: picture, at: Point(ring.center.x, ring.center.y), radius: ring.radius)
    return odds(of: StateRing.counts.double, in: patch, counts)
  }

  private func odds(of label: String, in patch: Bitmap, _ model: Recognizer) -> Double {
    let ranked = (try? model.recognize(patch))?.ranked
    let probability = ranked?.first { $0.label == label }?.probability ?? 0
    return max(-Self.most, min(Self.most, log(probability / (1 - probability))))
  }
}
