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

  /// Returns the answers to the mirror image of the picture as answers to the picture.
  ///
  /// - Parameter negated: The fields whose sign is another one in a mirror, by their numbers.
  public func mirrored(negating negated: Set<Int>) -> CellAnswers {
    var result = self
    for row in 0..<rows {
      result.classes[row * columns..<(row + 1) * columns].reverse()
    }
    func mirror(_ plane: Int, _ values: inout [Float], sign: Float) {
      for row in 0..<rows {
        let start = (plane * rows + row) * columns
        values[start..<start + columns].reverse()
        if sign < 0 { for index in start..<start + columns { values[index].negate() } }
      }
    }
    for one in 0..<classCount { mirror(one, &result.probabilities, sign: 1) }
    for one in 0..<fieldCount {
      mirror(one, &result.fields, sign: negated.contains(one) ? -1 : 1)
    }
    return result
  }

  /// Returns the mean of these answers and of others to the same picture.
  ///
  /// - Precondition: both have as many rows, columns, classes and fields.
  public func averaged(with other: CellAnswers) -> CellAnswers {
    precondition(
      rows == other.rows && columns == other.columns && classCount == other.classCount
        && fieldCount == other.fieldCount, "the answers have other sizes")
    var mean = self
    for index in probabilities.indices {
      mean.probabilities[index] = 0.5 * (probabilities[index] + other.probabilities[index])
    }
    for index in fields.indices { mean.fields[index] = 0.5 * (fields[index] + other.fields[index]) }
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
