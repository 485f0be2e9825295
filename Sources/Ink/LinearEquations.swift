/// Small systems of linear equations.
package enum LinearEquations {
  /// Solves equations by elimination with pivots.
  ///
  /// - Parameter matrix: `[equations, unknowns + 1]`, with the right sides last; it is changed.
  /// - Returns: The unknowns, or `nil` if they are not determined.
  package static func solution(_ matrix: inout [[Double]]) -> [Double]? {
    let count = matrix.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(matrix[$0][column]) < abs(matrix[$1][column]) }!
      guard abs(matrix[pivot][column]) > 1e-9 else { return nil }
      matrix.swapAt(pivot, column)
      for row in 0..<count where row != column {
        let factor = matrix[row][column] / matrix[column][column]
        for k in column...count { matrix[row][k] -= factor * matrix[column][k] }
      }
    }
    return (0..<count).map { matrix[$0][count] / matrix[$0][$0] }
  }
}
