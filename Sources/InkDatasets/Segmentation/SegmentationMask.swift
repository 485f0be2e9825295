/// The class of each cell of a picture.
public struct SegmentationMask: Hashable, Sendable {
  /// The number of cells of which no class is known: they count neither in training nor in measures.
  public static let ignored: UInt8 = 255
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The numbers of the classes, `[height, width]`.
  public var classes: [UInt8]

  /// Creates a mask.
  ///
  /// - Precondition: there are `width` · `height` numbers.
  public init(width: Int, height: Int, classes: [UInt8]) {
    precondition(classes.count == width * height, "a mask has a class for each cell")
    (self.width, self.height, self.classes) = (width, height, classes)
  }

  /// The class in `column` of `row`.
  public subscript(row: Int, column: Int) -> UInt8 { classes[row * width + column] }
}
