import CInkKernels
import InkNetwork

/// What is known of the cells of a picture.
public struct CellTruth: Hashable, Sendable {
  /// The class that stands for no answer.
  public static let ignored: UInt8 = 255

  /// The class of each cell, `[rows, columns]`, or ``ignored``.
  public var classes: [UInt8]
  /// The numbers of each cell, `[rows, columns, fields]`; empty where the network has none.
  public var fields: [Float]
  /// Which groups of fields are known in a cell, `[rows, columns, groups]`, 0 or 1; empty where there are no
  /// fields.
  public var masks: [UInt8]

  /// Makes the truth of a picture.
  public init(classes: [UInt8], fields: [Float] = [], masks: [UInt8] = []) {
    self.classes = classes
    self.fields = fields
    self.masks = masks
  }
}

/// The loss of a network with a distribution for each cell: softmax and cross-entropy, and Huber's loss of the
/// fields beside.
///
/// For the cells n of a batch that are not ignored, of class y and with logits z `[C]`, weights w `[C]`, and for
/// the fields f that are known, with d = value − truth:
///
///     answers  A = Σ w_y · (log Σ exp z − z_y) / Σ w_y
///     fields   H = Σ (d² / 2 where |d| < 1, else |d| − 1/2) / the number of known fields
///     batch    L = A + fieldWeight · H
///
/// These are PyTorch's `CrossEntropyLoss(weight, ignore_index)` and `HuberLoss` (1964) of the known fields.
public struct CellLoss: Hashable, Sendable, TrainingLoss {
  /// The weight of each class.
  public var classWeights: [Double]
  /// The fields that are known together, in order; each group has a mask.
  public var fieldGroups: [Range<Int>]
  /// The factor of the loss of the fields.
  public var fieldWeight: Double
  /// The number of known fields in the batch.
  private var knownFields: Int?

  /// Creates a loss.
  public init(
    classWeights: [Double], fieldGroups: [Range<Int>] = [], fieldWeight: Double = 1
  ) {
    self.classWeights = classWeights
    self.fieldGroups = fieldGroups
    self.fieldWeight = fieldWeight
  }

  var noSums: AnswerSums {
    AnswerSums(confusion: [Int](repeating: 0, count: classWeights.count * classWeights.count))
  }

  /// The number of fields.
  private var fieldCount: Int { fieldGroups.last?.upperBound ?? 0 }

  /// The number of fields that are known in `target`.
  private func knownFields(in target: CellTruth) -> Int {
    guard !fieldGroups.isEmpty else { return 0 }
    var counts = [Int](repeating: 0, count: fieldGroups.count)
    for start in stride(from: 0, to: target.masks.count, by: fieldGroups.count) {
      for group in fieldGroups.indices where target.masks[start + group] != 0 {
        counts[group] += 1
      }
    }
    return zip(counts, fieldGroups).reduce(0) { $0 + $1.0 * $1.1.count }
  }

  func prepared(for targets: [CellTruth]) -> CellLoss {
    var loss = self
    loss.knownFields = targets.reduce(0) { $0 + knownFields(in: $1) }
    return loss
  }

  func weight(of target: CellTruth) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for cell in target.classes { counts[Int(cell)] += 1 }
    return zip(counts, classWeights).reduce(0) { $0 + Double($1.0) * $1.1 }
  }

  /// `logits` is `[cells, row]`, whose rows are whole vectors.
  ///
  /// Where the loss is not ``prepared(for:)`` a batch, the fields are only in sums of their own.
  func evaluate(
    logits: UnsafePointer<Float>, steps: Int, target: CellTruth, batchWeight: Double,
    gradient: UnsafeMutablePointer<Float>?
  ) -> AnswerSums {
    let (classes, cells) = (classWeights.count, target.classes.count)
    let row = PlaneLayout.packed(classes + fieldCount)
    precondition(
      target.fields.count == cells * fieldCount
        && target.masks.count == cells * fieldGroups.count, "fields of every cell")
    guard let gradient else {
      return withUnsafeTemporaryAllocation(of: Float.self, capacity: cells * row) {
        evaluate(
          logits: logits, steps: steps, target: target, batchWeight: batchWeight,
          gradient: $0.baseAddress!)
      }
    }
    // Where all cells are ignored, there is nothing to learn.
    let scale = batchWeight > 0 ? 1 / batchWeight : 0
    var shape = ink_cells(cells: cells, classes: classes, fields: fieldCount, row: row)
    var counts = [UInt64](repeating: 0, count: classes * classes)
    var sums = AnswerSums()
    sums.loss = ink_cell_entropy(
      &shape, logits, target.classes, classWeights.map { Float($0) }, Float(scale), gradient,
      &counts)
    sums.confusion = counts.map { Int($0) }
    sums.rightCount = (0..<classes).reduce(0) { $0 + sums.confusion[$1 * (classes + 1)] }
    guard !fieldGroups.isEmpty else { return sums }
    let factor = knownFields.map { fieldWeight / Double(max(1, $0)) } ?? 0
    target.masks.withUnsafeBufferPointer { masks in
      for (group, fields) in fieldGroups.enumerated() {
        sums.fieldLoss += ink_cell_huber(
          &shape, logits, target.fields, masks.baseAddress! + group, fieldGroups.count,
          fields.lowerBound, fields.count, Float(factor), gradient)
      }
    }
    sums.fieldCount = knownFields(in: target)
    // The sum is divided by the weight of the batch later.
    sums.loss += factor * sums.fieldLoss * (batchWeight > 0 ? batchWeight : 1)
    return sums
  }
}
