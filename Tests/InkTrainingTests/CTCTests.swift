import Foundation
import InkEvaluation
import InkNetwork
import SeededRandom
import Testing
import TestSupport

@testable import InkTraining

@Suite(.timeLimit(.minutes(30))) struct CTCTests {
  /// Labels with what makes them hard: empty, repeated characters, the longest that fits.
  static let labels: [[Int]] = [
    [], [1], [1, 1], [1, 2], [2, 1, 2], [1, 1, 1], [1, 2, 2, 1], [2, 2, 2, 2],
  ]

  private static func logits(
    steps: Int, classes: Int, seed: UInt64, scale: Double = 2
  ) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return (0..<steps * classes).map { _ in Float(scale * generator.normal()) }
  }

  private static func evaluate(
    _ logits: [Float], classes: Int, label: [Int], batchWeight: Double = 1
  ) -> (sums: AnswerSums, gradient: [Float]) {
    var gradient = [Float](repeating: .nan, count: logits.count)
    let sums = CTCLoss(classCount: classes, spaceClass: 1).evaluate(
      logits: logits, steps: logits.count / classes, target: label, batchWeight: batchWeight,
      gradient: &gradient)
    return (sums, gradient)
  }

  private static func logSoftmax(_ row: ArraySlice<Float>) -> [Double] {
    let largest = Double(row.max() ?? 0)
    let sum = largest + log(row.reduce(0) { $0 + exp(Double($1) - largest) })
    return row.map { Double($0) - sum }
  }

  /// The definition: the sum over all paths that become the label.
  private static func sumOverPaths(_ logits: [Float], classes: Int, label: [Int]) -> Double {
    let steps = logits.count / classes
    let rows = (0..<steps).map { logSoftmax(logits[$0 * classes..<($0 + 1) * classes]) }
    var sum = 0.0
    var path = [Int](repeating: 0, count: steps)
    while true {
      var merged: [Int] = []
      for (index, one) in path.enumerated() where index == 0 || path[index - 1] != one {
        merged.append(one)
      }
      if merged.filter({ $0 != 0 }) == label {
        sum += exp(path.indices.reduce(0) { $0 + rows[$1][path[$1]] })
      }
      guard let next = path.lastIndex(where: { $0 < classes - 1 }) else { break }
      path[next] += 1
      for index in next + 1..<max(steps, next + 1) { path[index] = 0 }
    }
    return -log(sum)
  }

  /// The recursion of Graves and others in plain loops and double precision.
  static func plainLoss(_ logits: [Float], classes: Int, label: [Int]) -> Double {
    let states = [0] + label.flatMap { [$0, 0] }
    func logSum(_ values: [Double]) -> Double {
      let largest = values.max() ?? -.infinity
      guard largest > -.infinity else { return largest }
      return largest + log(values.reduce(0) { $0 + exp($1 - largest) })
    }
    var forward = [Double](repeating: -.infinity, count: states.count)
    for step in 0..<logits.count / classes {
      let row = logSoftmax(logits[step * classes..<(step + 1) * classes])
      forward = states.indices.map { state in
        if step == 0 { return state < 2 ? row[states[state]] : -.infinity }
        var before = [forward[state]]
        if state > 0 { before.append(forward[state - 1]) }
        if state > 1, states[state] != 0, states[state] != states[state - 2] {
          before.append(forward[state - 2])
        }
        return row[states[state]] + logSum(before)
      }
    }
    return -logSum(Array(forward.suffix(2)))
  }

  @Test(arguments: labels) func theLossSumsOverAllPaths(label: [Int]) {
    let least = CTCLoss.minimumSteps(for: label)
    for steps in least...least + 2 {
      let logits = Self.logits(steps: steps, classes: 3, seed: UInt64(steps))
      let expected = Self.sumOverPaths(logits, classes: 3, label: label)
      let loss = Self.evaluate(logits, classes: 3, label: label).sums.loss
      #expect(abs(loss * Double(max(1, label.count)) - expected) < 1e-5 * max(1, expected))
      #expect(abs(Self.plainLoss(logits, classes: 3, label: label) - expected) < 1e-9)
    }
  }

  @Test func aBlankLineAndTheLongestLabelHaveOnePath() {
    let logits = Self.logits(steps: 7, classes: 40, seed: 3)
    let rows = (0..<7).map { Self.logSoftmax(logits[$0 * 40..<($0 + 1) * 40]) }
    let empty = Self.evaluate(logits, classes: 40, label: [])
    #expect(abs(empty.sums.loss + rows.reduce(0) { $0 + $1[0] }) < 1e-4)
    let label = [7, 7, 39, 1, 1]
    let path = [7, 0, 7, 39, 1, 0, 1]
    let longest = Self.evaluate(logits, classes: 40, label: label)
    let expected = -zip(rows, path).reduce(0) { $0 + $1.0[$1.1] } / 5
    #expect(abs(longest.sums.loss - expected) < 1e-5 * expected)
    for (step, one) in path.enumerated() {
      for index in 0..<40 {
        let slope = (exp(rows[step][index]) - (index == one ? 1 : 0)) / 5
        #expect(abs(Double(longest.gradient[step * 40 + index]) - slope) < 1e-6)
      }
    }
  }

  /// Lines of many steps and classes, beside the plain loops and their slopes.
  @Test(arguments: [(5, 2, 3), (30, 17, 9), (64, 100, 12), (90, 33, 44)])
  func gradientsAreThoseOfThePlainLoops(steps: Int, classes: Int, length: Int) {
    var generator = SeededGenerator(seed: UInt64(steps))
    var label = (0..<length).map { _ in 1 + generator.index(below: classes - 1) }
    label[length - 1] = label[length - 2]
    while CTCLoss.minimumSteps(for: label) > steps { label.removeFirst() }
    let logits = Self.logits(steps: steps, classes: classes, seed: 8)
    let (sums, gradient) = Self.evaluate(logits, classes: classes, label: label, batchWeight: 3)
    let expected = Self.plainLoss(logits, classes: classes, label: label)
    #expect(abs(sums.loss * Double(label.count) - expected) < 1e-5 * expected)
    for _ in 0..<60 {
      let position = generator.index(below: logits.count)
      func loss(_ change: Float) -> Double {
        var logits = logits
        logits[position] += change
        return Self.plainLoss(logits, classes: classes, label: label)
      }
      let slope =
        (loss(1.0 / 256) - loss(-1.0 / 256)) * 128 / (3 * Double(label.count))
      #expect(abs(slope - Double(gradient[position])) < 1e-5)
    }
  }

  /// Logits far apart, and lines of thousands of steps, give finite numbers.
  @Test func extremeLogitsStayFinite() {
    for (steps, scale) in [(6, 1e4), (3000, 30)] {
      let label = [1, 1, 2]
      let logits = Self.logits(steps: steps, classes: 5, seed: 2, scale: scale)
      let (sums, gradient) = Self.evaluate(logits, classes: 5, label: label)
      let expected = Self.plainLoss(logits, classes: 5, label: label) / 3
      #expect(abs(sums.loss - expected) < 1e-5 * expected)
      // The shares of each step add up to 1, as its probabilities do.
      for step in 0..<steps {
        #expect(abs(gradient[step * 5..<step * 5 + 5].reduce(0, +)) < 1e-4)
      }
    }
  }

  /// Numbers made by `scripts/reference/make-network-references.py`.
  @Test func lossAndGradientAgreeWithPyTorch() throws {
    struct Case: Decodable {
      var classes: Int
      var label: [Int]
      var logits: [Float]
      var loss: Double
      var gradient: [Float]
    }
    struct File: Decodable {
      var torch: String
      var cases: [Case]
    }
    let url = Bundle.module.bundleURL.appendingPathComponent("References/ctc.json")
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    #expect(file.cases.count == 10)
    #expect(file.cases.contains { $0.label.isEmpty })
    #expect(
      file.cases.contains { CTCLoss.minimumSteps(for: $0.label) == $0.logits.count / $0.classes })
    for reference in file.cases {
      let (sums, gradient) = Self.evaluate(
        reference.logits, classes: reference.classes, label: reference.label)
      #expect(abs(sums.loss - reference.loss) < 1e-5 * max(1, reference.loss))
      #expect(isClose(gradient, reference.gradient, tolerance: 1e-5), "\(reference.label)")
    }
  }

  @Test func linesAreReadGreedily() {
    func read(_ path: [Int], _ text: [Int]) -> AnswerSums {
      let logits = path.flatMap { one in (0..<4).map { Float($0 == one ? 3 : 0) } }
      return Self.evaluate(logits, classes: 4, label: text).sums
    }
    let right = read([0, 1, 1, 0, 1, 2, 0, 0], [1, 1, 2])
    #expect(right.rightCount == 1)
    #expect(right.reading == ReadingCounts(characters: 3, words: 1, steps: 8, blanks: 4))
    // Class 1 is the space: `3 2` for `3 22`.
    let wrong = read([3, 0, 0, 2, 2, 0, 0, 0], [3, 1, 2, 2])
    #expect(wrong.rightCount == 0)
    #expect(
      wrong.reading
        == ReadingCounts(characters: 4, edits: 2, words: 2, wordEdits: 2, steps: 8, blanks: 5))
    var both = right
    both += wrong
    #expect(
      both.reading.record
        == ReadingRecord(
          characterErrorRate: 2 / 7.0, wordErrorRate: 2 / 3.0, blankShare: 9 / 16.0))
  }

  @Test func editsAreCounted() {
    let cases: [([Int], [Int], Int)] = [
      ([], [], 0), ([1], [], 1), ([], [1, 2], 2), ([1, 2, 3], [1, 3], 1), ([1, 2], [2, 1], 2),
      ([1, 2, 3, 4], [5, 1, 2, 4, 4], 2),
    ]
    for (a, b, count) in cases {
      #expect(EditScript(from: a, to: b).count == count)
      #expect(EditScript(from: b, to: a).count == count)
    }
  }
}
