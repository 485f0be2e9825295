/// Where the number of steps of a value comes from.
package enum SeriesLength: Sendable {
  /// The same for all examples; a value that is no series has one.
  case fixed
  /// The steps of an input.
  case input(Int)
  /// Those of another value.
  case same(as: Int)
  /// What a convolution makes of those of another value.
  case convolved(SeriesConvolution, of: Int)

  /// The steps of an example, from those of its inputs and of other values; `nil` where they are fixed.
  @inline(__always)
  package func steps(inputs: (Int) -> Int, values: (Int) -> Int) -> Int? {
    switch self {
    case .fixed: nil
    case .input(let input): inputs(input)
    case .same(let other): values(other)
    case .convolved(let layer, let other): layer.outputLength(of: values(other))
    }
  }
}
