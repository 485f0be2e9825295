/// What a step computes, with the weights that it needs.
protocol Operation: Sendable {
  /// Computes it for `count` examples; `input` and `output` are the first one's.
  func run(
    count: Int, _ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>)
}

/// An operation that takes one example at a time.
protocol ExampleOperation: Operation {
  /// Computes it for one example.
  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>)
}

extension ExampleOperation {
  func run(
    count: Int, _ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>
  ) {
    for example in 0..<count { run(input[example], output[example], scratch: scratch) }
  }
}

/// An operation whose rows can be computed apart.
protocol RowOperation: ExampleOperation {
  /// What the first of some rows is a multiple of, an even number.
  var rowMultiple: Int { get }
  /// Computes `rows` of the output of one example; they begin with a multiple of ``rowMultiple``.
  func run(
    rows: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
    scratch: UnsafeMutablePointer<Float>)
}

extension RowOperation {
  var rowMultiple: Int { 2 }

  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
    run(rows: 0..<output.layout.height, input, output, scratch: scratch)
  }
}

/// An operation whose output is a series, the steps of which can be computed apart.
protocol StepOperation: ExampleOperation {
  /// Computes `steps` of the output of one example: two and more, unless it has one only.
  func run(
    steps: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
    scratch: UnsafeMutablePointer<Float>)
}

extension StepOperation {
  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
    run(steps: 0..<output.steps, input, output, scratch: scratch)
  }
}

/// An operation whose output is a vector with units that can be computed apart.
protocol UnitOperation: Operation {
  /// What the first of some units is a multiple of.
  var unitMultiple: Int { get }
  /// Computes `units` of the output of one example; they begin with a multiple of ``unitMultiple``.
  func run(
    units: Range<Int>, _ input: PlacedValues, _ output: PlacedValues,
    scratch: UnsafeMutablePointer<Float>)
}

/// A row operation that reads several values.
protocol JoiningOperation: Operation {
  /// Computes `rows` of the output of one example; they begin with an even one.
  func run(
    rows: Range<Int>, _ inputs: (Int) -> PlacedValues, _ output: PlacedValues,
    scratch: UnsafeMutablePointer<Float>)
}

extension JoiningOperation {
  func run(
    count: Int, _ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>
  ) {
    preconditionFailure("it reads several values")
  }
}

/// The values of an example in memory.
struct PlacedValues {
  /// The beginning of the layout's memory.
  let memory: UnsafeMutablePointer<Float>
  let layout: PlaneLayout
  /// The steps of a series.
  let steps: Int

  /// The first value that is used.
  var start: UnsafeMutablePointer<Float> { memory + layout.start }
  /// The number of values in use; a series can be shorter than its memory.
  var count: Int { layout.isSeries ? steps * layout.packedChannels : layout.count }

  /// Those of another example, whose memory follows.
  subscript(example: Int) -> PlacedValues {
    PlacedValues(memory: memory + example * layout.count, layout: layout, steps: steps)
  }
}

/// The same values in another layout.
struct Copy: ExampleOperation {
  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
    if input.layout.isSeries {
      output.memory.update(from: input.memory, count: input.count)
    } else {
      input.layout.copy(input.memory, into: output.memory, output.layout)
    }
  }
}

/// The values in order, from `start` on, in a vector.
struct Gather: ExampleOperation {
  let start: Int

  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
    if input.layout.isSeries {
      input.layout.unpack(
        input.memory, count: input.steps, into: output.start + start, row: input.layout.channels)
    } else {
      input.layout.unpack(input.memory, into: output.start + start)
    }
  }
}

/// The channels of each step, or of each place of planes, in those of a wider value, from `start` on.
struct Join: ExampleOperation {
  let start: Int

  func run(_ input: PlacedValues, _ output: PlacedValues, scratch: UnsafeMutablePointer<Float>) {
    guard input.layout.isSeries else {
      let (source, target) = (input.layout, output.layout)
      for y in 0..<source.height {
        for x in 0..<source.width {
          (output.start + y * target.row + x * target.packedChannels + start).update(
            from: input.start + y * source.row + x * source.packedChannels, count: source.channels)
        }
      }
      return
    }
    input.layout.unpack(
      input.memory, count: input.steps, into: output.memory + start,
      row: output.layout.packedChannels)
  }
}
