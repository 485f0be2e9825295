import ParallelLoops
import Synchronization

/// A network with an answer for each cell of a picture, made ready to run on pictures of any size: no
/// system library, safe to share between threads.
///
/// The network is laid out for each size that comes: memory is shared by values that are not needed at the
/// same time, joined and doubled planes are not made, and rows are spread over cores. Answers have the same
/// bytes for any number of cores. A large picture is looked at in tiles, with so much around each that the
/// answers are those of the whole.
public struct CellNetwork: Sendable {
  /// The number of classes.
  public let classCount: Int
  /// The number of fields.
  public let fieldCount: Int
  /// The rows and columns of pixels in a cell.
  public let cellSize: Int
  private let network: TrainedNetwork
  /// The sides of what goes in are multiples of it.
  private let sideMultiple: Int
  /// How far around a tile the network sees, as a multiple of ``sideMultiple``.
  private let reach: Int
  /// The most pixels that are looked at together.
  private let maximumPixels: Int
  private let recent = Recent()

  /// The usual most pixels that are looked at together: their memory stays below 100 MB for `page`.
  public static let usualMaximumPixels = 2_100_000

  /// Networks laid out for the last sizes.
  private final class Recent: Sendable {
    let networks = Mutex<[LaidOut]>([])
    static let maximumCount = 2
  }

  /// Prepares `network`.
  ///
  /// - Precondition: its output is a distribution for each cell of one picture, and a cell has whole pixels.
  public init(_ network: TrainedNetwork, maximumPixels: Int = usualMaximumPixels) {
    guard case .distributionPerCell(let fields) = network.architecture.output,
      let cellSize = network.architecture.cellSize
    else { preconditionFailure("a distribution for each cell of pixels") }
    self.network = network
    self.maximumPixels = maximumPixels
    classCount = network.architecture.classCount
    fieldCount = fields
    sideMultiple = network.architecture.sideMultiple
    self.cellSize = cellSize
    let reach = network.architecture.reach
    self.reach = (reach + sideMultiple - 1) / sideMultiple * sideMultiple
  }

  /// The answers for the cells of a picture of numbers, `[channels, height, width]`, on `workers` cores.
  ///
  /// The logits are divided by `temperature`. What lies outside the picture counts as 0.
  ///
  /// - Precondition: there are as many values as the picture has, and at least one pixel.
  public func answers(
    to values: [Float], height: Int, width: Int, temperature: Double = 1, workers: Int = 1
  ) -> CellAnswers {
    let channels = network.architecture.inputShapes[0].channelCount
    precondition(
      height > 0 && width > 0 && values.count == channels * height * width,
      "values of a picture of \(height) × \(width)")
    var answers = CellAnswers(
      rows: (height + cellSize - 1) / cellSize, columns: (width + cellSize - 1) / cellSize,
      classCount: classCount, fieldCount: fieldCount)
    let loop = ParallelLoop(workers: max(1, workers))
    let (rows, columns) = (tiles(of: height, beside: width), tiles(of: width, beside: height))
    values.withUnsafeBufferPointer { values in
      for tile in rows {
        for other in columns {
          let shape = (height: tile.seen.count, width: other.seen.count)
          let laidOut = take(height: padded(shape.height), width: padded(shape.width), loop.workers)
          laidOut.compute(loop) { layout, memory in
            memory.update(repeating: 0, count: layout.count)
            for channel in 0..<channels {
              for row in tile.seen {
                let source =
                  values.baseAddress! + (channel * height + row) * width + other.seen.lowerBound
                let target =
                  memory + layout.start + (row - tile.seen.lowerBound) * layout.row + channel
                for column in 0..<shape.width {
                  target[column * layout.packedChannels] = source[column]
                }
              }
            }
          }
          laidOut.copy(
            rows: cells(tile), columns: cells(other),
            from: (tile.seen.lowerBound / cellSize, other.seen.lowerBound / cellSize),
            temperature: Float(temperature), into: &answers, loop)
          give(back: laidOut)
        }
      }
    }
    return answers
  }

  /// The bytes of memory that values of a picture of this size, looked at as a whole, take at the same time.
  func memory(height: Int, width: Int) -> Int {
    let laidOut = take(height: padded(height), width: padded(width), 1)
    defer { give(back: laidOut) }
    return laidOut.byteCount
  }

  private func padded(_ side: Int) -> Int {
    max(smallestSide, (side + sideMultiple - 1) / sideMultiple * sideMultiple)
  }

  private var smallestSide: Int {
    guard case .page(_, let heights, let widths) = network.architecture.inputs[0].form else {
      return sideMultiple
    }
    let least = max(heights.lowerBound, widths.lowerBound)
    return (least + sideMultiple - 1) / sideMultiple * sideMultiple
  }

  // MARK: Tiles

  /// A part of a side: the pixels that are answered for, and those that are looked at.
  private struct Tile {
    var answered: Range<Int>
    var seen: Range<Int>
  }

  /// Divides a side of a picture into tiles that begin with multiples of ``sideMultiple``.
  private func tiles(of side: Int, beside other: Int) -> [Tile] {
    let most = Int(Double(maximumPixels).squareRoot())
    // A side that is short leaves more room for the other one.
    let room = max(most, maximumPixels / max(1, padded(min(other, most))))
    guard padded(side) > room || side > longestSide else {
      return [Tile(answered: 0..<side, seen: 0..<side)]
    }
    let inner = max(
      sideMultiple, (min(room, longestSide) - 2 * reach) / sideMultiple * sideMultiple)
    return stride(from: 0, to: side, by: inner).map { start in
      let end = min(side, start + inner)
      return Tile(
        answered: start..<end, seen: max(0, start - reach)..<min(side, end + reach))
    }
  }

  private var longestSide: Int {
    guard case .page(_, let heights, let widths) = network.architecture.inputs[0].form else {
      return .max
    }
    return min(heights.upperBound, widths.upperBound) / sideMultiple * sideMultiple
  }

  private func cells(_ tile: Tile) -> Range<Int> {
    tile.answered.lowerBound / cellSize..<(tile.answered.upperBound + cellSize - 1) / cellSize
  }

  // MARK: Memory

  private func take(height: Int, width: Int, _ workers: Int) -> LaidOut {
    let known = recent.networks.withLock { networks in
      networks.firstIndex { $0.height == height && $0.width == width }
        .map { networks.remove(at: $0) }
    }
    if let known {
      known.makeRoom(workers: workers)
      return known
    }
    do {
      let sized = try TrainedNetwork(
        network.architecture.sized(height: height, width: width), weights: network.weights)
      return LaidOut(sized, height: height, width: width, workers: workers)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func give(back network: LaidOut) {
    recent.networks.withLock { networks in
      networks.insert(network, at: 0)
      if networks.count > Recent.maximumCount { networks.removeLast() }
    }
  }

  /// A network for one size, with its memory; one call uses it at a time.
  private final class LaidOut: @unchecked Sendable {
    let height: Int
    let width: Int
    private let plan: InferencePlan
    private let fieldCount: Int
    private let classCount: Int
    private let memory: FloatBuffer
    /// Where each layout begins in ``memory``.
    private let places: [Int]
    /// What each step writes for the first time, and whether all of it or its margins are to be cleared.
    private let firsts: [(layout: Int, isPartial: Bool)?]
    private var scratch: [FloatBuffer]

    init(_ network: TrainedNetwork, height: Int, width: Int, workers: Int) {
      (self.height, self.width) = (height, width)
      let plan = InferencePlan(network)
      self.plan = plan
      classCount = network.architecture.classCount
      fieldCount = network.architecture.outputShapes.last!.channelCount - classCount
      let (places, firsts) = Self.places(of: plan)
      (self.places, self.firsts) = (places, firsts)
      let count = plan.layouts.indices.map { places[$0] + plan.layouts[$0].count }.max() ?? 0
      memory = FloatBuffer(count: count)
      scratch = []
      makeRoom(workers: workers)
    }

    var byteCount: Int {
      (memory.count + scratch.reduce(0) { $0 + $1.count }) * MemoryLayout<Float>.stride
    }

    func makeRoom(workers: Int) {
      while scratch.count < workers { scratch.append(FloatBuffer(count: plan.scratchCount)) }
    }

    /// Gives layouts that are never used at the same time the same memory, the largest first.
    private static func places(
      of plan: InferencePlan
    ) -> (places: [Int], firsts: [(layout: Int, isPartial: Bool)?]) {
      var lives = plan.layouts.map { _ in (first: Int.max, last: -1) }
      lives[0].first = -1
      var firsts: [(layout: Int, isPartial: Bool)?] = []
      for (index, step) in plan.planeSteps.enumerated() {
        for layout in step.inputs { lives[layout].last = index }
        let isFirst = lives[step.output].first == .max
        lives[step.output] = (min(lives[step.output].first, index), index)
        // A join writes its own channels only.
        firsts.append(isFirst ? (step.output, step.operation is Join) : nil)
      }
      lives[plan.output].last = .max
      var places = plan.layouts.map { _ in 0 }
      var placed: [Int] = []
      for layout in plan.layouts.indices.sorted(by: {
        (-plan.layouts[$0].count, $0) < (-plan.layouts[$1].count, $1)
      }) where lives[layout].first < .max {
        let others = placed.filter {
          lives[$0].first <= lives[layout].last && lives[layout].first <= lives[$0].last
        }.sorted { places[$0] < places[$1] }
        var place = 0
        for other in others {
          if place + plan.layouts[layout].count <= places[other] { break }
          place = max(place, places[other] + plan.layouts[other].count)
        }
        places[layout] = (place + PlaneLayout.lanes - 1) / PlaneLayout.lanes * PlaneLayout.lanes
        placed.append(layout)
      }
      return (places, firsts)
    }

    private func values(_ layout: Int) -> PlacedValues {
      PlacedValues(
        memory: memory.pointer + places[layout], layout: plan.layouts[layout], steps: 1)
    }

    /// Computes all steps for the picture that `write` writes to its layout.
    func compute(
      _ loop: ParallelLoop, write: (PlaneLayout, UnsafeMutablePointer<Float>) -> Void
    ) {
      write(plan.layouts[0], memory.pointer + places[0])
      for (index, step) in plan.planeSteps.enumerated() {
        let output = values(step.output)
        if let first = firsts[index] {
          if first.isPartial {
            output.memory.update(repeating: 0, count: output.layout.count)
          } else {
            output.layout.clearMargins(output.memory)
          }
        }
        if let operation = step.rows {
          forEachBand(output, multiple: operation.rowMultiple, loop) { rows, scratch in
            operation.run(
              rows: rows, self.values(step.input), self.values(step.output), scratch: scratch)
          }
        } else if let operation = step.joins {
          forEachBand(output, loop) { rows, scratch in
            operation.run(
              rows: rows, { self.values(step.inputs[$0]) }, self.values(step.output),
              scratch: scratch)
          }
        } else {
          step.operation.run(
            count: 1, values(step.input), output, scratch: scratch[0].pointer)
        }
      }
    }

    /// The least rows that are worth a task.
    private static let leastRows = 8

    /// Runs `body` for bands of rows that begin with a multiple of `multiple`, on several cores.
    private func forEachBand(
      _ output: PlacedValues, multiple: Int = 2, _ loop: ParallelLoop,
      _ body: @Sendable (Range<Int>, UnsafeMutablePointer<Float>) -> Void
    ) {
      let height = output.layout.height
      let tasks = loop.workers == 1 ? 1 : max(1, min(4 * loop.workers, height / Self.leastRows))
      loop.run(tasks) { task, worker in
        func bound(_ task: Int) -> Int {
          task == tasks ? height : height * task / tasks / multiple * multiple
        }
        body(bound(task)..<bound(task + 1), self.scratch[worker].pointer)
      }
    }

    /// Writes the answers for a rectangle of cells; `origin` is the first row and column of cells of the
    /// picture that was looked at.
    func copy(
      rows: Range<Int>, columns: Range<Int>, from origin: (row: Int, column: Int),
      temperature: Float, into answers: inout CellAnswers, _ loop: ParallelLoop
    ) {
      let scale = 1 / temperature
      let (classCount, fieldCount) = (classCount, fieldCount)
      answers.withUnsafeMutablePlanes { all in
        // Each task writes rows of its own.
        nonisolated(unsafe) let all = all
        loop.run(rows.count) { task, _ in
          let row = rows.lowerBound + task
          let output = self.values(self.plan.output)
          let source =
            output.start + (row - origin.row) * output.layout.row
            + (columns.lowerBound - origin.column) * output.layout.packedChannels
          all.write(
            source, stride: output.layout.packedChannels, row: row, columns: columns,
            classCount: classCount, fieldCount: fieldCount, scale: scale)
        }
      }
    }
  }
}

extension Architecture {
  /// The rows and columns of pixels that a value of each node stands for.
  private var scales: [Double] {
    var scales: [Double] = []
    for (index, node) in nodes.enumerated() {
      let scale = if case .node(let source) = sources[index][0] { scales[source] } else { 1.0 }
      switch node.layer {
      case .convolution(let layer): scales.append(scale * Double(layer.stride))
      case .maxPooling(let layer): scales.append(scale * Double(layer.size))
      case .upsampling: scales.append(scale / Double(Upsampling.factor))
      default: scales.append(scale)
      }
    }
    return scales
  }

  /// The rows and columns of pixels in a cell of the output, or `nil` where it is no whole number.
  package var cellSize: Int? { Int(exactly: scales[nodes.count - 1]) }

  /// How far from a cell lie the pixels that its answer can depend on, at most.
  var reach: Int {
    var reaches: [Double] = []
    let scales = scales
    for (index, node) in nodes.enumerated() {
      var (reach, scale) = (0.0, 1.0)
      for case .node(let source) in sources[index] {
        (reach, scale) = (max(reach, reaches[source]), scales[source])
      }
      switch node.layer {
      case .convolution(let layer): reaches.append(reach + Double(layer.kernel / 2) * scale)
      case .maxPooling(let layer): reaches.append(reach + Double(layer.size - 1) * scale)
      case .upsampling: reaches.append(reach + scale)
      default: reaches.append(reach)
      }
    }
    return Int((reaches[nodes.count - 1] + scales[nodes.count - 1]).rounded(.up))
  }
}
