import InkRecognizer

/// A label with its probability: `["walk", 0.98]`.
struct JSONPair: Encodable {
  var label: String
  var probability: Double

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(label)
    try container.encode(probability)
  }
}

extension Recognition {
  /// The answer as text: `walk 0.987`, or the rejection with the two most likely labels.
  var text: String {
    let answer = "\(top.label) \(top.probability.fixed(3))"
    guard let rejection else { return answer }
    let second = ranked.dropFirst().first
    let others = second.map { ", then \($0.label) \($0.probability.fixed(3))" } ?? ""
    return "rejected (\(rejection.rawValue)): \(answer)\(others)"
  }
}
