import CInkKernels
import ErrorText
import Foundation

/// A network over a series that takes one step at a time and keeps its state.
///
/// After each step the output is that of ``InferenceNetwork`` for all steps so far. No layer may read later
/// steps: convolutions have `causal` or `valid` padding, recurrent layers go forward, and pooling over time is
/// that of the steps so far. A step takes the same time however many came before it, and nothing is
/// allocated.
public final class StreamingNetwork {
  /// The number of classes.
  public let classCount: Int
  /// The number of values of a step.
  public let channelCount: Int
  /// The number of steps until the first output.
  public let stepsToFirstOutput: Int

  private let steps: [Step]
  private let layouts: [PlaneLayout]
  private let output: Int
  /// The current step of each series, and the current vectors.
  private let values: [FloatBuffer]
  private let scratch: FloatBuffer
  /// Whether this step changed each of ``values``, and whether each has a value yet.
  private var isNew: [Bool]
  private var exists: [Bool]

  /// An operation with its state.
  private struct Step {
    var operation: Operation
    var input: Int
    var output: Int
    /// All values that are gathered in the same vector, where this is one of them.
    var inputs: [Int]
    var memory: Memory
  }

  private enum Memory {
    case none
    case window(Window)
    case state(RecurrentState)
    case pool(RunningPool)
  }

  /// Prepares `network` for a series that begins.
  ///
  /// - Throws: ``StreamingError`` for the first node that needs later steps.
  public init(_ network: TrainedNetwork) throws(StreamingError) {
    let architecture = network.architecture
    stepsToFirstOutput = try Rhythm.firstOutput(of: architecture)
    classCount = architecture.classCount
    channelCount = architecture.inputShapes[0].channelCount
    let plan = InferencePlan(network)
    let planned = plan.planeSteps + plan.vectorSteps
    steps = planned.map { step in
      let memory: Memory =
        switch step.operation {
        case .seriesConvolution(let windows, _, _): .window(Window(windows))
        case .recurrence(let cell, _): .state(RecurrentState(cell))
        case .timePooling(let method, _):
          .pool(RunningPool(method, channels: plan.layouts[step.input].packedChannels))
        case .convolution, .dense, .scaleAndShift, .relu, .maxPooling, .copy, .gather,
          .layerNormalization, .join, .columns:
          .none
        }
      var inputs: [Int] = []
      if case .gather = step.operation {
        inputs = planned.filter { $0.output == step.output && $0.input != step.output }.map(\.input)
      }
      return Step(
        operation: step.operation, input: step.input, output: step.output, inputs: inputs,
        memory: memory)
    }
    layouts = plan.layouts
    output = plan.output
    values = plan.layouts.map { FloatBuffer(count: $0.isSeries ? $0.packedChannels : $0.count) }
    scratch = FloatBuffer(count: plan.scratchCount)
    isNew = [Bool](repeating: false, count: plan.layouts.count)
    exists = isNew
  }

  /// Forgets all steps.
  public func reset() {
    for step in steps {
      switch step.memory {
      case .none: break
      case .window(let window): window.reset()
      case .state(let state): state.reset()
      case .pool(let pool): pool.reset()
      }
    }
    for index in exists.indices { exists[index] = false }
  }

  /// Takes the next step; returns whether an output came out.
  ///
  /// The logits, `[classes]`, are those of the series so far, or, with a distribution for each step, those of
  /// the step that came out.
  ///
  /// - Precondition: `step` has a value for each channel, and `logits` room for each class.
  public func take(
    _ step: UnsafeBufferPointer<Float>, into logits: UnsafeMutableBufferPointer<Float>
  ) -> Bool {
    precondition(step.count == channelCount, "a step of \(channelCount) values")
    precondition(logits.count == classCount, "room for \(classCount) logits")
    for index in isNew.indices { isNew[index] = false }
    values[0].pointer.update(from: step.baseAddress!, count: channelCount)
    (isNew[0], exists[0]) = (true, true)
    for step in steps where step.inputs.isEmpty ? isNew[step.input] : isReady(step) {
      if run(step) { (isNew[step.output], exists[step.output]) = (true, true) }
    }
    guard isNew[output] else { return false }
    logits.baseAddress!.update(from: values[output].pointer, count: classCount)
    return true
  }

  /// Takes the next step; returns the logits where an output came out.
  ///
  /// - Precondition: `step` has a value for each channel.
  public func logits(after step: [Float]) -> [Float]? {
    var isOutput = false
    let logits = [Float](unsafeUninitializedCapacity: classCount) { logits, count in
      isOutput = step.withUnsafeBufferPointer { take($0, into: logits) }
      count = isOutput ? classCount : 0
    }
    return isOutput ? logits : nil
  }

  /// Whether something of what `step` gathers is new, and all of it is there.
  private func isReady(_ step: Step) -> Bool {
    var isAnyNew = false
    for input in step.inputs {
      guard exists[input] else { return false }
      isAnyNew = isAnyNew || isNew[input]
    }
    return isAnyNew
  }

  /// Runs an operation; returns whether it wrote its output.
  private func run(_ step: Step) -> Bool {
    let (input, output) = (values[step.input].pointer, values[step.output].pointer)
    switch (step.operation, step.memory) {
    case (.seriesConvolution(_, let panels, let lowest), .window(let window)):
      guard let values = window.take(input) else { return false }
      panels.multiply(values, count: 1, lowest: lowest, into: output, scratch: scratch.pointer)
    case (.recurrence(let cell, let start), .state(let state)):
      state.step(cell, input: input, scratch: scratch.pointer)
      (output + start).update(from: state.state.pointer, count: cell.units)
    case (.timePooling(_, let weight), .pool(let pool)):
      pool.take(input, weight: weight.pointer, into: output)
    case (.seriesConvolution, _), (.recurrence, _), (.timePooling, _):
      preconditionFailure("an operation over several steps has its memory")
    case (.convolution, _), (.dense, _), (.scaleAndShift, _), (.relu, _), (.maxPooling, _),
      (.copy, _), (.gather, _), (.layerNormalization, _), (.join, _), (.columns, _):
      step.operation.run(
        count: 1, input: input, layouts[step.input], steps: 1, output: output,
        layouts[step.output], outputSteps: 1, scratch: scratch.pointer)
    }
    return true
  }
}

/// A network that needs later steps of a series.
public struct StreamingError: DescribedError, Hashable {
  /// The index of the node, from 0, or `nil` where the inputs are meant.
  public var node: Int?
  /// What was expected there.
  public var expected: String
  /// What was there.
  public var found: String

  /// The error in one line.
  public var description: String {
    "streaming\(node.map { ", layer \($0)" } ?? ""): expected \(expected), found \(found)"
  }
}

/// When the steps of a value come out: after `first` steps of the input, and then after every `stride` more.
private struct Rhythm: Hashable {
  var first: Int
  var stride: Int

  /// The steps until the first output.
  ///
  /// - Throws: ``StreamingError`` for the first node that needs later steps.
  static func firstOutput(of architecture: Architecture) throws(StreamingError) -> Int {
    guard architecture.inputs.count == 1, case .series = architecture.inputs[0].form else {
      throw StreamingError(
        node: nil, expected: "one series as input",
        found: architecture.inputShapes.map(\.words).joined(separator: ", "))
    }
    var rhythms: [Rhythm] = []
    for (index, sources) in architecture.sources.enumerated() {
      let read = sources.map { source in
        if case .node(let node) = source { rhythms[node] } else { Rhythm(first: 1, stride: 1) }
      }
      rhythms.append(try after(index, of: architecture, read))
    }
    return rhythms[rhythms.count - 1].first
  }

  private static func after(
    _ index: Int, of architecture: Architecture, _ read: [Rhythm]
  ) throws(StreamingError) -> Rhythm {
    let layer = architecture.layers[index]
    func refuse(_ expected: String) -> StreamingError {
      StreamingError(node: index, expected: expected, found: layer.definition.summary)
    }
    var rhythm = read[0]
    switch layer {
    case .seriesConvolution(let layer):
      switch layer.padding {
      case .same where layer.kernel > 1: throw refuse("a convolution of causal or valid padding")
      case .same, .causal: break
      case .valid: rhythm.first += (layer.kernel - 1) * rhythm.stride
      }
      rhythm.stride *= layer.stride
    case .gru(let layer):
      guard layer.direction == .forward else { throw refuse("a layer that goes forward") }
    case .lstm(let layer):
      guard layer.direction == .forward else { throw refuse("a layer that goes forward") }
    case .flatten:
      if case .series = architecture.inputShape(of: index) {
        throw refuse("a layer that does not need the whole series")
      }
    case .concatenation:
      // Vectors are there from some step on; steps have to come together.
      if case .series = architecture.outputShapes[index], Set(read).count > 1 {
        throw refuse("series whose steps come out together")
      }
      rhythm.first = read.map(\.first).max()!
    case .convolution, .maxPooling, .columns: throw refuse("a layer over series")
    case .dense:
      rhythm.first = read.map(\.first).max()!
    case .batchNormalization, .layerNormalization, .relu, .dropout, .timePooling: break
    }
    return rhythm
  }
}

/// The last steps that a convolution reads.
private final class Window {
  private let layer: SeriesConvolution
  private let row: Int
  private let rows: FloatBuffer
  /// The rows that are used, and the steps until the next output.
  private var count = 0
  private var wait = 0

  init(_ windows: SeriesWindows) {
    layer = windows.layer
    row = windows.row
    // Twice the kernel, so that rows are moved to the front once a kernel.
    rows = FloatBuffer(count: 2 * layer.kernel * row)
    reset()
  }

  func reset() {
    count = layer.kernel - 1
    rows.pointer.update(repeating: 0, count: count * row)
    wait = layer.padding == .valid ? layer.kernel : 1
  }

  /// Adds a step; returns the window that ends there, where there is an output.
  func take(_ step: UnsafePointer<Float>) -> UnsafePointer<Float>? {
    if count == 2 * layer.kernel {
      count = layer.kernel - 1
      rows.pointer.update(from: rows.pointer + (layer.kernel + 1) * row, count: count * row)
    }
    (rows.pointer + count * row).update(from: step, count: row)
    count += 1
    wait -= 1
    guard wait == 0 else { return nil }
    wait = layer.stride
    return UnsafePointer(rows.pointer + (count - layer.kernel) * row)
  }
}

/// The state of a recurrent layer.
private final class RecurrentState {
  let state: FloatBuffer
  private let cell: FloatBuffer

  init(_ cell: RecurrentCell) {
    state = FloatBuffer(count: cell.packedUnits)
    self.cell = FloatBuffer(count: cell.packedUnits)
  }

  func reset() {
    state.pointer.update(repeating: 0, count: state.count)
    cell.pointer.update(repeating: 0, count: cell.count)
  }

  func step(
    _ layer: RecurrentCell, input: UnsafePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    let hidden = scratch + layer.gateCount
    let dense = hidden + layer.gateCount
    layer.inputPanels.multiply(input, count: 1, into: scratch, scratch: dense)
    layer.statePanels.multiplyRow(state.pointer, into: hidden)
    layer.step(
      input: scratch, hidden: hidden, state: state.pointer, cell: cell.pointer, saved: nil)
  }
}

/// The pool of the steps so far, in double precision because there can be many.
///
/// Of attention, the sums are those of the softmax divided by that of the highest score so far; where a higher
/// one comes, they are scaled down (Milakov & Gimelshein, 2018).
private final class RunningPool {
  private let method: TimePooling.Method
  private let channels: Int
  /// The sums, or the largest values.
  private let sums: UnsafeMutablePointer<Double>
  private var weightSum = 0.0
  private var highest = -Double.infinity

  init(_ method: TimePooling.Method, channels: Int) {
    self.method = method
    self.channels = channels
    sums = .allocate(capacity: channels)
    sums.initialize(repeating: 0, count: channels)
  }

  deinit { sums.deallocate() }

  func reset() {
    sums.update(repeating: 0, count: channels)
    (weightSum, highest) = (0, -.infinity)
  }

  /// Adds a step and writes what is pooled.
  func take(
    _ step: UnsafePointer<Float>, weight: UnsafePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    if method == .max {
      for channel in 0..<channels {
        let value = Double(step[channel])
        sums[channel] = weightSum == 0 ? value : max(sums[channel], value)
        output[channel] = Float(sums[channel])
      }
      weightSum = 1
      return
    }
    var share = 1.0
    if method == .attention {
      let score = Double(ink_dot(step, weight, channels))
      if score > highest {
        let scale = exp(highest - score)
        for channel in 0..<channels { sums[channel] *= scale }
        weightSum *= scale
        highest = score
      }
      share = exp(score - highest)
    }
    weightSum += share
    for channel in 0..<channels {
      sums[channel] += share * Double(step[channel])
      output[channel] = Float(sums[channel] / weightSum)
    }
  }
}
