import CInkKernels
import InkNetwork

extension GRU: TrainableLayer {}
extension LSTM: TrainableLayer {}

extension TrainableLayer where Self: RecurrentLayer {
  /// Adds the directions.
  func addSteps(of node: TrainingPlan.Node, to plan: inout TrainingPlan) -> Int {
    let input = plan.buffers[node.input]
    var output = input
    output.row = units * direction.passes.count
    output.rows = .same(as: node.input)
    var step = plan.step(of: node.index, from: node.input, to: output)
    for (number, pass) in direction.passes.enumerated() {
      let kernel = RecurrentKernel(
        Self.cell, inputs: input.row, units: units, pass: pass, outputRow: output.row,
        outputStart: number * units,
        // In the backward pass, the last one comes first.
        addsInputGradient: number + 1 < direction.passes.count,
        maximumExamples: plan.maximumSliceExamples,
        maximumSteps: input.maximumRows * plan.maximumExamples,
        blas: plan.blas)
      plan.append(slice: kernel, step)
      plan.weightPackings.append((kernel, step))
      plan.batchSums.append((kernel, step))
      step.parameters += kernel.parameterCount
    }
    return step.output
  }

  /// The bound of weights depends on the size of the state, as in PyTorch.
  func initialValues(of parameter: Parameter) -> InitialValues {
    parameter.shape.count == 2 ? .uniform(inputs: parameter.shape[0] / Self.gates) : .constant(0)
  }
}

/// One direction of a recurrent layer, with its gradients (backpropagation through time,
/// Werbos, 1990).
///
/// Legend: S steps of a slice, C channels, U units, G gates. For each step, with input x, state h′ and the
/// gradients a and b of the products W · x and V · h′:
///
///     weights  ∂W = Σ_S a · xᵀ   ∂V = Σ_S b · h′ᵀ   biases  Σ_S a, Σ_S b
///     input    ∂x = Wᵀ · a        state  ∂h′ = Vᵀ · b + what the gates pass on
///
/// The products with the input are one matrix product for the slice, and the sums over steps for the whole
/// batch: to add up large weights' gradients slice by slice costs more than to compute them. The state
/// goes through the steps of all examples of the slice together; the longest come first, so that those
/// which still have steps lie together.
struct RecurrentKernel: SliceKernel, WeightPacking, BatchSums {
  private let cell: RecurrentCell
  /// The number of values of an output step, and the first one of this direction.
  private let outputRow: Int
  private let outputStart: Int
  private let maximumExamples: Int
  private let blas: BLAS
  /// Whether the other direction has written its gradient of the input already.
  private let addsInputGradient: Bool
  /// The weights over the state, for the way back: `[units, gates · units]`.
  private let backPanels: DensePanels
  /// For each step of the batch: the products with the input, then their gradients, `[G, U]`.
  private let products: FloatBuffer
  /// For each step: the gates, the state before it and, of LSTM, the cell before it.
  private let saved: FloatBuffer
  /// For each step of GRU: the gradient of the products with the state, `[G, U]`.
  private let hiddenGradients: FloatBuffer

  init(
    _ kind: RecurrentCell.Kind, inputs: Int, units: Int, pass: Direction.Pass, outputRow: Int,
    outputStart: Int, addsInputGradient: Bool, maximumExamples: Int, maximumSteps: Int, blas: BLAS
  ) {
    cell = RecurrentCell(
      kind, inputs: inputs, inputRow: inputs, units: units, isBackward: pass.isBackward)
    self.outputRow = outputRow
    self.outputStart = outputStart
    self.addsInputGradient = addsInputGradient
    self.maximumExamples = maximumExamples
    self.blas = blas
    backPanels = DensePanels(inputs: cell.gateCount, units: cell.packedUnits)
    products = FloatBuffer(count: maximumSteps * cell.gateCount)
    saved = FloatBuffer(count: maximumSteps * Self.savedCount(cell))
    hiddenGradients = FloatBuffer(count: kind == .gru ? maximumSteps * cell.gateCount : 0)
  }

  private static func savedCount(_ cell: RecurrentCell) -> Int {
    (cell.kind == .gru ? 5 : 7) * cell.packedUnits
  }

  private var savedCount: Int { Self.savedCount(cell) }
  /// Where the state and the cell before a step are saved.
  private var savedState: Int { (cell.kind == .gru ? 4 : 5) * cell.packedUnits }
  private var savedCell: Int { 6 * cell.packedUnits }

  /// The number of values of the learnt arrays.
  var parameterCount: Int { cell.parameterCount }

  var gradientCount: Int { 0 }

  /// Two sets of states, one of cells, the products of a step, and what a dense product needs.
  var scratchCount: Int {
    maximumExamples * (3 * cell.packedUnits + cell.gateCount)
      + max(cell.inputPanels.scratchCount, backPanels.scratchCount, cell.statePanels.scratchCount)
  }

  func pack(_ parameters: UnsafePointer<Float>) {
    cell.pack(parameters)
    let units = cell.units
    let stateWeight = parameters + cell.gates * units * cell.inputs
    for gate in 0..<cell.gates {
      for unit in 0..<units {
        backPanels.set(
          input: gate * cell.packedUnits + unit, to: stateWeight + (gate * units + unit) * units,
          count: units)
      }
    }
  }

  /// The memory of a worker, in parts.
  private struct Scratch {
    let states: UnsafeMutablePointer<Float>
    let others: UnsafeMutablePointer<Float>
    let cells: UnsafeMutablePointer<Float>
    let products: UnsafeMutablePointer<Float>
    let dense: UnsafeMutablePointer<Float>

    init(_ start: UnsafeMutablePointer<Float>, _ kernel: RecurrentKernel) {
      let count = kernel.maximumExamples * kernel.cell.packedUnits
      states = start
      others = states + count
      cells = others + count
      products = cells + count
      dense = products + kernel.maximumExamples * kernel.cell.gateCount
      start.update(repeating: 0, count: 3 * count)
    }
  }

  /// Calls `body` for every step in turn with the examples that have it, the longest first.
  ///
  /// Before the first step of an example, its state is 0.
  /// `row` gives the step of the batch that each of them is at.
  @inline(__always)
  private func forEachStep(
    _ steps: SliceSteps, reversed: Bool,
    _ body: (_ active: Int, _ isFirst: Bool, _ row: (_ position: Int) -> Int) -> Void
  ) {
    let (input, first) = (steps.input, steps.examples.lowerBound)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: steps.examples.count) { order in
      for position in order.indices {
        // Insertion sort, because slices are short.
        let length = input[first + position + 1] - input[first + position]
        var place = position
        while place > 0, input[order[place - 1] + 1] - input[order[place - 1]] < length {
          order[place] = order[place - 1]
          place -= 1
        }
        order[place] = first + position
      }
      guard let longest = order.first.map({ input[$0 + 1] - input[$0] }) else { return }
      var active = reversed ? 0 : order.count
      for count in 0..<longest {
        let step = reversed ? longest - 1 - count : count
        if reversed {
          while active < order.count, input[order[active] + 1] - input[order[active]] > step {
            active += 1
          }
        } else {
          while input[order[active - 1] + 1] - input[order[active - 1]] <= step { active -= 1 }
        }
        body(active, step == 0) { position in
          let example = order[position]
          return cell.isBackward ? input[example + 1] - 1 - step : input[example] + step
        }
      }
    }
  }

  func forward(_ slice: SliceValues) {
    let (steps, scratch) = (slice.steps, Scratch(slice.scratch, self))
    let (packed, gateCount) = (cell.packedUnits, cell.gateCount)
    cell.inputPanels.multiply(
      slice.input + steps.firstInput * cell.inputs, count: steps.inputCount,
      into: products.pointer + steps.firstInput * gateCount, scratch: scratch.dense)
    forEachStep(steps, reversed: false) { active, isFirst, row in
      if isFirst {
        for position in 0..<active {
          (scratch.products + position * gateCount).update(
            from: cell.statePanels.bias.pointer, count: gateCount)
        }
      } else {
        cell.statePanels.multiply(
          scratch.states, count: active, into: scratch.products, scratch: scratch.dense)
      }
      for position in 0..<active {
        let row = row(position)
        let state = scratch.states + position * packed
        let cells = scratch.cells + position * packed
        let saved = saved.pointer + row * savedCount
        (saved + savedState).update(from: state, count: packed)
        if cell.kind == .lstm { (saved + savedCell).update(from: cells, count: packed) }
        cell.step(
          input: products.pointer + row * gateCount,
          hidden: scratch.products + position * gateCount, state: state, cell: cells,
          saved: saved)
        (slice.output + row * outputRow + outputStart).update(from: state, count: cell.units)
      }
    }
  }

  func backward(_ slice: SliceValues, gradients: UnsafeMutablePointer<Float>) {
    let (steps, scratch) = (slice.steps, Scratch(slice.scratch, self))
    let (packed, gateCount) = (cell.packedUnits, cell.gateCount)
    let hidden = cell.kind == .gru ? hiddenGradients.pointer : products.pointer
    forEachStep(steps, reversed: true) { active, isFirst, row in
      for position in 0..<active {
        let row = row(position)
        let saved = saved.pointer + row * savedCount
        let product = products.pointer + row * gateCount
        let gradient = scratch.states + position * packed
        ink_add(gradient, slice.outputGradient + row * outputRow + outputStart, cell.units)
        switch cell.kind {
        case .gru:
          ink_gru_step_gradient(
            packed, saved, saved + savedState, gradient, product, hidden + row * gateCount,
            gradient)
        case .lstm:
          ink_lstm_step_gradient(
            packed, saved, saved + savedCell, gradient, scratch.cells + position * packed, product)
          gradient.update(repeating: 0, count: packed)
        }
        (scratch.products + position * gateCount).update(
          from: hidden + row * gateCount, count: gateCount)
      }
      // The gradient of the state before the first step is not needed.
      if isFirst { return }
      backPanels.multiply(
        scratch.products, count: active, into: scratch.others, scratch: scratch.dense)
      ink_add(scratch.states, scratch.others, active * packed)
    }
    if let inputGradient = slice.inputGradient {
      writeInputGradient(steps, parameters: slice.parameters, to: inputGradient)
    }
  }

  private func writeInputGradient(
    _ steps: SliceSteps, parameters: UnsafePointer<Float>, to gradient: UnsafeMutablePointer<Float>
  ) {
    let (inputs, first) = (cell.inputs, steps.firstInput)
    for gates in gatesTogether {
      let place = first * cell.gateCount + gates.lowerBound * cell.packedUnits
      blas.multiply(
        .init(values: products.pointer + place, stride: cell.gateCount),
        .init(values: parameters + gates.lowerBound * cell.units * inputs, stride: inputs),
        rows: steps.inputCount, inner: gates.count * cell.units, columns: inputs,
        beta: gates.lowerBound == 0 && !addsInputGradient ? 0 : 1, into: gradient + first * inputs,
        outputStride: inputs)
    }
  }

  /// The gates that a product takes together: where whole vectors are filled up with zeros, each is taken by
  /// itself.
  private var gatesTogether: [Range<Int>] {
    if cell.units == cell.packedUnits { return [0..<cell.gates] }
    return (0..<cell.gates).map { $0..<$0 + 1 }
  }

  /// Those of each weight over the input, those over the state, and the biases.
  var batchSumCount: Int { 2 * gatesTogether.count + 2 }

  func addUp(
    _ index: Int, _ steps: SliceSteps, input: UnsafePointer<Float>,
    gradients: UnsafeMutablePointer<Float>
  ) {
    let (units, inputs, rows) = (cell.units, cell.inputs, cell.gates * cell.units)
    let (isOfState, part) = (index % 2 == 1, index / 2)
    let (count, columns) = (steps.inputCount, isOfState ? units : inputs)
    let source = isOfState && cell.kind == .gru ? hiddenGradients.pointer : products.pointer
    guard part < gatesTogether.count else {
      let biases = gradients + rows * (inputs + units) + (isOfState ? rows : 0)
      for gate in 0..<cell.gates {
        ink_add_rows(
          count, cell.gateCount, units, source + gate * cell.packedUnits, biases + gate * units)
      }
      return
    }
    let gates = gatesTogether[part]
    blas.multiply(
      .init(
        values: source + gates.lowerBound * cell.packedUnits, stride: cell.gateCount,
        isTransposed: true),
      isOfState
        ? .init(values: saved.pointer + savedState, stride: savedCount)
        : .init(values: input, stride: inputs),
      rows: gates.count * units, inner: count, columns: columns, beta: 0,
      into: gradients + (isOfState ? rows * inputs : 0) + gates.lowerBound * units * columns,
      outputStride: columns)
  }
}
