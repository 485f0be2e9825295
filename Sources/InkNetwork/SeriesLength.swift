/// Where the number of steps of a value comes from; the steps of planes of different widths are their columns.
package enum SeriesLength: Sendable {
  /// The same for all examples; a value that is neither a series nor planes of different widths has one.
  case fixed
  /// The steps of an input.
  case input(Int)
  /// Those of another value.
  case same(as: Int)
  /// What a convolution makes of those of another value.
  case convolved(SeriesConvolution, of: Int)
  /// The columns that a convolution, which takes away some of them, and a pooling leave of those of another
  /// value.
  case narrowed(by: Int, dividedBy: Int, of: Int)
  /// So many for each step of another value.
  case repeated(Int, of: Int)

  /// Whether all examples have the same number of steps.
  package var isFixed: Bool { if case .fixed = self { true } else { false } }

  /// The steps of an example, from those of its inputs and of other values; `nil` where they are fixed.
  @inline(__always)
  package func steps(inputs: (Int) -> Int, values: (Int) -> Int) -> Int? {
    switch self {
    case .fixed: nil
    case .input(let input): inputs(input)
    case .same(let other): values(other)
    case .convolved(let layer, let other): layer.outputLength(of: values(other))
    case .narrowed(let lost, let size, let other): (values(other) - lost) / size
    case .repeated(let count, let other): count * values(other)
    }
  }
}
