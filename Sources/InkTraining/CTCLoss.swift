import CInkKernels
import InkEvaluation
import InkNetwork

/// The loss of a reader: connectionist temporal classification (Graves et al., 2006).
///
/// A network has a distribution over characters and the blank, class 0, for each step. The loss is
/// −log of the probability of all paths that become the text when repetitions are merged and then blanks
/// left out, divided by the number of characters; that of a batch is the mean. This is PyTorch's
/// `CTCLoss` with its defaults. `CInkKernels.h` has the formulas.
public struct CTCLoss: Hashable, Sendable, TrainingLoss {
  /// The number of classes: the characters and the blank.
  public let classCount: Int
  /// The class of the space between two words, or `nil` if every text is one word.
  public let spaceClass: Int?

  /// Creates a loss.
  public init(classCount: Int, spaceClass: Int? = nil) {
    self.classCount = classCount
    self.spaceClass = spaceClass
  }

  /// Returns the least number of steps that `target` needs: one a character, and one for the blank between
  /// two equal ones.
  public static func minimumSteps(for target: some Collection<some Equatable>) -> Int {
    max(1, target.count + zip(target, target.dropFirst()).count { $0 == $1 })
  }

  func weight(of target: [Int]) -> Double { 1 }

  func evaluate(
    logits: UnsafePointer<Float>, steps: Int, target: [Int], batchWeight: Double,
    gradient: UnsafeMutablePointer<Float>?
  ) -> AnswerSums {
    precondition(Self.minimumSteps(for: target) <= steps, "a label that fits its line")
    let length = Double(max(1, target.count))
    let label = target.map(Int32.init)
    let loss = withUnsafeTemporaryAllocation(
      of: Float.self, capacity: ink_ctc_scratch(steps, classCount, target.count)
    ) {
      ink_ctc(
        steps, classCount, logits, target.count, label, Float(1 / (length * batchWeight)), gradient,
        $0.baseAddress!)
    }
    let read = bestPath(of: logits, steps: steps, classCount: classCount)
    let edits = EditScript(from: read.classes, to: target).count
    func words(_ classes: [Int]) -> [ArraySlice<Int>] { classes.split { $0 == spaceClass } }
    return AnswerSums(
      loss: loss / length, rightCount: edits == 0 ? 1 : 0,
      reading: ReadingCounts(
        characters: target.count, edits: edits, words: words(target).count,
        wordEdits: EditScript(from: words(read.classes), to: words(target)).count, steps: steps,
        blanks: read.blankCount))
  }
}
