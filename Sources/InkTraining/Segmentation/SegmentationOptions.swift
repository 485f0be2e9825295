import Foundation
import InkDatasets

/// The options of a training with a class for each cell, besides ``TrainingOptions``.
public struct SegmentationOptions: Hashable, Sendable, Codable {
  /// The usual width and height of crops, in px.
  public static let usualSide = 384
  /// The width and height of crops, in px: a multiple of 32.
  public var side = usualSide
  /// The number of steps after which results are measured and a checkpoint is written: an epoch.
  public var stepsPerEpoch = 100
  /// The weight of the cells of each class; ``classWeights(shares:)`` makes it of frequencies.
  public var classWeights: [Double]
  /// The weight of the mean loss of the fields beside the mean loss of the classes.
  public var fieldWeight = 0.2
  /// The largest number of validation crops.
  public var validationCount = 128

  /// Creates the usual options for classes with these shares of all cells.
  public init(shares: [Double]) {
    classWeights = Self.classWeights(shares: shares)
  }

  /// Returns weights between equal cells and equal classes: the fourth root of what would make classes
  /// equal, with a mean of 1 over all classes but the background.
  ///
  /// With the square root and more, the thin classes grow wider than the ink.
  public static func classWeights(shares: [Double]) -> [Double] {
    let least = 1e-4
    let roots = shares.map { pow(1 / max(least, $0), 0.25) }
    let mean = roots.dropFirst().reduce(0, +) / Double(max(1, roots.count - 1))
    return roots.map { ($0 / mean * 100).rounded() / 100 }
  }

  /// Checks every number.
  ///
  /// - Throws: `TrainingError` that names the first number out of range.
  func validate(classCount: Int) throws(TrainingError) {
    func check(_ isValid: Bool, _ option: String, _ expected: String, _ found: some Any)
      throws(TrainingError)
    {
      guard isValid else {
        throw .invalidOption(name: option, expected: expected, found: "\(found)")
      }
    }
    try check((64...1024).contains(side) && side % 32 == 0, "side", "64 to 1024 in 32s", side)
    try check((1...100_000).contains(stepsPerEpoch), "steps", "1 to 100000", stepsPerEpoch)
    try check(
      classWeights.count == classCount
        && classWeights.allSatisfy { $0 >= 0 && $0.isFinite } && classWeights.contains { $0 > 0 },
      "class weights", "\(classCount) numbers, one a class, 0 or more", classWeights)
    try check((0...100).contains(fieldWeight), "field weight", "0 to 100", fieldWeight)
  }
}
