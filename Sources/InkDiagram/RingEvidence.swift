import Ink
import InkRecognizer

/// Tells from the picture in which strokes were traced whether rings are those of states.
struct RingEvidence {
  let picture: any DiagramPicture
  /// The models of the squares around rings, and of unrolled rings.
  let rings, counts: Recognizer

  /// The largest logarithm of odds that is believed.
  private static let most = 5.0

  /// Returns the logarithm of the odds that a ring is that of a state.
  func odds(of ring: Ring) -> Double {
    let patch = StateRing.patch(
      of: picture, at: Point(ring.center.x, ring.center.y), radius: ring.radius)
    return (rings.probabilities(of: patch)[StateRing.labels.state] ?? 0).logOdds(atMost: Self.most)
  }

  /// Returns the logarithm of the odds that the state with this ring has two rings.
  func odds(ofTwo ring: Ring) -> Double {
    let patch = StateRing.unrolled(
      of: picture, at: Point(ring.center.x, ring.center.y), radius: ring.radius)
    return (counts.probabilities(of: patch)[StateRing.counts.double] ?? 0)
      .logOdds(atMost: Self.most)
  }
}
