import Foundation

/// What a network says about each cell of a picture.
public struct CellAnswers: Hashable, Sendable {
  /// The rows of cells.
  public let rows: Int
  /// The columns of cells.
  public let columns: Int
  /// The number of classes.
  public let classCount: Int
  /// The number of fields.
  public let fieldCount: Int
  /// The most likely class of each cell, the first of several, `[rows, columns]`.
  public private(set) var classes: [UInt8]
  /// The probability of each class, `[classes, rows, columns]`.
  public private(set) var probabilities: [Float]
  /// The fields, `[fields, rows, columns]`.
  public private(set) var fields: [Float]

  init(rows: Int, columns: Int, classCount: Int, fieldCount: Int) {
    (self.rows, self.columns) = (rows, columns)
    (self.classCount, self.fieldCount) = (classCount, fieldCount)
    classes = [UInt8](repeating: 0, count: rows * columns)
    probabilities = [Float](repeating: 0, count: classCount * rows * columns)
    fields = [Float](repeating: 0, count: fieldCount * rows * columns)
  }

  /// The share of cells of each class.
  public var shares: [Double] {
    var counts = [Int](repeating: 0, count: classCount)
    for one in classes { counts[Int(one)] += 1 }
    return counts.map { Double($0) / Double(max(1, classes.count)) }
  }

  /// Returns the mean of these answers and of those to the mirror image of the picture.
  ///
  /// - Parameter negated: The fields whose sign is another one in a mirror, by their numbers.
  /// - Precondition: both have as many rows, columns, classes and fields.
  public func averaged(withMirrored other: CellAnswers, negating negated: Set<Int>) -> CellAnswers {
    precondition(
      rows == other.rows && columns == other.columns && classCount == other.classCount
        && fieldCount == other.fieldCount, "the answers have other sizes")
    var mean = self
    func average(_ plane: Int, _ own: inout [Float], _ others: [Float], sign: Float) {
      for row in 0..<rows {
        let start = (plane * rows + row) * columns
        for column in 0..<columns {
          let mirrored = others[start + columns - 1 - column]
          own[start + column] = 0.5 * (own[start + column] + sign * mirrored)
        }
      }
    }
    for one in 0..<classCount { average(one, &mean.probabilities, other.probabilities, sign: 1) }
    for one in 0..<fieldCount {
      average(one, &mean.fields, other.fields, sign: negated.contains(one) ? -1 : 1)
    }
    for cell in mean.classes.indices {
      var best = 0
      for one in 1..<classCount
      where mean.probabilities[one * rows * columns + cell]
        > mean.probabilities[best * rows * columns + cell]
      {
        best = one
      }
      mean.classes[cell] = UInt8(best)
    }
    return mean
  }

  /// The memory of all planes.
  struct Planes {
    fileprivate let classes: UnsafeMutablePointer<UInt8>
    fileprivate let probabilities: UnsafeMutablePointer<Float>
    fileprivate let fields: UnsafeMutablePointer<Float>?
    fileprivate let rowLength: Int
    fileprivate let planeLength: Int

    /// Writes a row of answers from logits and fields that lie `stride` values apart.
    ///
    /// The probabilities are the softmax of logits times `scale`.
    func write(
      _ source: UnsafePointer<Float>, stride: Int, row: Int, columns: Range<Int>, classCount: Int,
      fieldCount: Int, scale: Float
    ) {
      for (index, column) in columns.enumerated() {
        let cell = source + index * stride
        let place = row * rowLength + column
        var best = 0
        for one in 1..<classCount where cell[one] > cell[best] { best = one }
        var sum: Float = 0
        for one in 0..<classCount {
          let power = expf((cell[one] - cell[best]) * scale)
          probabilities[one * planeLength + place] = power
          sum += power
        }
        for one in 0..<classCount { probabilities[one * planeLength + place] /= sum }
        classes[place] = UInt8(best)
        guard let fields else { continue }
        for field in 0..<fieldCount {
          fields[field * planeLength + place] = cell[classCount + field]
        }
      }
    }
  }

  mutating func withUnsafeMutablePlanes(_ body: (Planes) -> Void) {
    let (rowLength, planeLength) = (columns, rows * columns)
    classes.withUnsafeMutableBufferPointer { classes in
      probabilities.withUnsafeMutableBufferPointer { probabilities in
        fields.withUnsafeMutableBufferPointer { fields in
          body(
            Planes(
              classes: classes.baseAddress!, probabilities: probabilities.baseAddress!,
              fields: fieldCount == 0 ? nil : fields.baseAddress, rowLength: rowLength,
              planeLength: planeLength))
        }
      }
    }
  }
}
