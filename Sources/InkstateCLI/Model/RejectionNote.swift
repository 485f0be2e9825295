import InkReader
import InkRecognizer

/// The sentence on a model that learns nothing to reject.
struct RejectionNote: CustomStringConvertible {
  let description: String

  /// Creates the note, or `nil` if one of `labels` is for what the model rejects.
  ///
  /// `restLabels` are the labels that make no events, of a model of recordings.
  init?(labels: [String], readsText: Bool, restLabels: Set<String>) {
    let other = Model.Decision.otherLabel
    if readsText {
      guard !labels.contains(String(Alphabet.noWriting)) else { return nil }
      description =
        "no drawing has the label U+FFFD, so the reader does not learn to reject what is no writing; add "
        + "some drawings of other things with this label"
    } else {
      guard restLabels.union([other]).isDisjoint(with: labels) else { return nil }
      description =
        "no class is `\(other)`, so the model answers everything with one of its classes; add examples of "
        + "other things with the label `\(other)` (or --others other), so that it learns to reject them"
    }
  }

  /// Creates the note for `model`.
  init?(_ model: Model) {
    self.init(
      labels: model.labels, readsText: model.readsText,
      restLabels: model.recordings == nil ? [] : model.eventRestLabels)
  }
}
