import Foundation
import InkRaster
import InkRecognizer

/// What a picture tells of the strokes that were traced in it.
struct PictureEvidence {
  let heads: HeadEvidence
  let rings: RingEvidence
  let arrows: ArrowEvidence
}

extension Recognizer {
  /// Returns the probability of each label for a part of a picture.
  func probabilities(of patch: Bitmap) -> [String: Double] {
    let ranked = (try? recognize(patch))?.ranked ?? []
    return Dictionary(ranked.map { ($0.label, $0.probability) }) { first, _ in first }
  }
}

extension Double {
  /// Returns the logarithm of the odds of this probability, from `-most` to `most`.
  func logOdds(atMost most: Double) -> Double {
    Swift.max(-most, Swift.min(most, log(self / (1 - self))))
  }
}
