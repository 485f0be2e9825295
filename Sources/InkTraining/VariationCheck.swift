import InkDatasets
import InkRaster
import SeededRandom

/// Quick tests of which variations keep the class of the examples; they compare small pictures.
struct VariationCheck {
  /// The maximum number of unrotated examples per class and in total.
  private static let (maximumReferences, maximumReferencesOfAll) = (100, 2000)
  /// The maximum number of rotated examples per class and in total.
  private static let (maximumQueries, maximumQueriesOfAll) = (50, 600)
  /// The minimum number of examples per class; the test needs as many.
  private static let minimumCount = 20
  /// The width and height of the compared pictures.
  private static let side = 14
  /// The share of the examples of a class whose distance counts as near.
  private static let nearShare = 0.9
  /// The maximum share of mistaken examples of a class.
  ///
  /// In 32 samples, it was at most 0.22 for `automata-images`, and at least 0.36 for digits and gestures.
  private static let maximumMistaken = 0.3

  /// The minimum share of examples of each class whose nearest picture has their label.
  private static let minimumTold = 0.7

  private let classCount: Int
  private var references: [(pixels: [Float], label: Int)] = []
  private var queries: [(pixels: [Float], label: Int)] = []

  /// Takes a sample of the examples; fails if a class has too few.
  init?(_ dataset: Dataset, seed: UInt64) {
    guard let classes = try? dataset.classes() else { return nil }
    classCount = dataset.labels.count
    var members = [[Int]](repeating: [], count: dataset.labels.count)
    var generator = SeededGenerator(seed: seed, stream: 0x7047)
    for index in generator.permutation(dataset.examples.count) {
      members[classes[index]].append(index)
    }
    guard members.allSatisfy({ $0.count >= Self.minimumCount }) else { return nil }
    for (label, indices) in members.enumerated() {
      let queryCount = min(
        Self.maximumQueries, max(1, Self.maximumQueriesOfAll / members.count), indices.count / 3)
      let referenceCount = min(
        Self.maximumReferences, max(1, Self.maximumReferencesOfAll / members.count))
      for (position, index) in indices.prefix(queryCount + referenceCount).enumerated() {
        guard let pixels = Self.pixels(of: dataset.examples[index]) else { continue }
        if position < queryCount {
          queries.append((pixels, label))
        } else {
          references.append((pixels, label))
        }
      }
    }
    let queries = queries
    guard members.indices.allSatisfy({ label in queries.contains { $0.label == label } }) else {
      return nil
    }
  }

  private func nearest(_ pixels: [Float]) -> (distance: Float, label: Int) {
    var best: (distance: Float, label: Int) = (.infinity, 0)
    for reference in references {
      let distance = Self.distance(reference.pixels, pixels)
      if distance < best.distance { best = (distance, reference.label) }
    }
    return best
  }

  /// Whether few rotated or mirrored examples look like another class.
  ///
  /// Each rotated example is compared with unrotated ones. It counts as mistaken if the nearest one has
  /// another label, and is as near as examples of that label are to each other. For example, a rotated
  /// 6 looks like a 9.
  var allowsRotation: Bool {
    let usual = (0..<classCount).map { label in
      let distances = queries.filter { $0.label == label }.map { nearest($0.pixels).distance }
      return distances.sorted()[Int(Self.nearShare * Double(distances.count - 1))]
    }
    let changes: [([Float]) -> [Float]] = [
      Self.rotated, { Self.rotated(Self.rotated($0)) },
      { Self.rotated(Self.rotated(Self.rotated($0))) }, Self.mirrored,
    ]
    return changes.allSatisfy { change in
      var mistaken = [Double](repeating: 0, count: classCount)
      var total = mistaken
      for query in queries {
        let (distance, label) = nearest(change(query.pixels))
        total[query.label] += 1
        if label != query.label, distance <= usual[label] { mistaken[query.label] += 1 }
      }
      return zip(mistaken, total).allSatisfy { $0 <= Self.maximumMistaken * $1 }
    }
  }

  /// Whether pictures tell the classes, so that the order and direction of strokes do not.
  var allowsOtherOrder: Bool {
    var told = [Double](repeating: 0, count: classCount)
    var total = told
    for query in queries {
      total[query.label] += 1
      if nearest(query.pixels).label == query.label { told[query.label] += 1 }
    }
    return zip(told, total).allSatisfy { $0 >= Self.minimumTold * $1 }
  }

  /// Returns a small picture of the example as a vector of length 1, so that brightness does not matter.
  private static func pixels(of example: Example) -> [Float]? {
    guard let fitted = try? example.bitmap(.standard) else { return nil }
    let block = fitted.width / side
    let sums = (0..<side * side).map { place in
      var sum: Float = 0
      for row in 0..<block {
        for column in 0..<block {
          sum += Float(fitted[place / side * block + row, place % side * block + column])
        }
      }
      return sum
    }
    let length = sums.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return length > 0 ? sums.map { $0 / length } : nil
  }

  private static func distance(_ left: [Float], _ right: [Float]) -> Float {
    var sum: Float = 0
    for index in left.indices { sum += (left[index] - right[index]) * (left[index] - right[index]) }
    return sum
  }

  private static func rotated(_ pixels: [Float]) -> [Float] {
    (0..<side * side).map { pixels[(side - 1 - $0 % side) * side + $0 / side] }
  }

  private static func mirrored(_ pixels: [Float]) -> [Float] {
    (0..<side * side).map { pixels[$0 / side * side + side - 1 - $0 % side] }
  }
}
