import CInkKernels
import InkRaster
import Synchronization

/// What is added to a variance before its root is taken (PyTorch's default).
public let batchNormalizationEpsilon: Float = 1e-5

/// A model made ready to run: no system library, no allocation per call, safe to share between
/// threads.
///
/// The plan is made once: layers are fused, weights are laid out for the kernels, memory is reserved.
/// Each call takes a workspace from a shelf and puts it back, so that there are as many as calls ever
/// ran at the same time.
public struct InferenceNetwork: Sendable {
  /// The number of classes.
  public let classCount: Int
  /// The width and height of a picture.
  public let inputSize: Int
  private let inputScale: Float
  private let plan: InferencePlan
  // A caller that never asks for more than one picture need not pay for several.
  private let single = Shelf()
  private let several = Shelf()

  /// How many pictures go through the dense layers together: more only take memory.
  private static let mostTogether = 12

  /// Memory for one call.
  private final class Workspace: @unchecked Sendable {
    let values: [FloatBuffer]
    let scratch: FloatBuffer

    init(_ plan: InferencePlan, together: Int) {
      values = plan.layouts.map { FloatBuffer(count: $0.count * together) }
      scratch = FloatBuffer(count: plan.scratchCount)
    }
  }

  /// The workspaces that nobody uses.
  private final class Shelf: Sendable {
    let workspaces = Mutex<[Workspace]>([])
  }

  /// Prepares `model`.
  public init(_ model: Model) {
    let architecture = model.architecture
    classCount = architecture.classCount
    inputSize = architecture.inputSize
    inputScale = model.inputScale
    plan = InferencePlan(model)
  }

  /// The logits of one picture, one a class.
  ///
  /// - Precondition: the bitmap has the network's size.
  public func logits(of bitmap: Bitmap) -> [Float] {
    precondition(
      bitmap.width == inputSize && bitmap.height == inputSize,
      "the network takes \(inputSize) × \(inputSize), not \(bitmap.width) × \(bitmap.height)")
    return [Float](unsafeUninitializedCapacity: classCount) { logits, count in
      bitmap.pixels.withUnsafeBufferPointer { compute($0, count: 1, into: logits) }
      count = classCount
    }
  }

  /// Computes the logits of `count` pictures, on the calling thread and without allocating.
  ///
  /// Shapes: pixels `[count, inputSize, inputSize]`, logits `[count, classes]`.
  public func compute(
    _ pixels: UnsafeBufferPointer<UInt8>, count: Int, into logits: UnsafeMutableBufferPointer<Float>
  ) {
    let size = inputSize * inputSize
    precondition(pixels.count == count * size, "pixels for \(count) pictures")
    precondition(logits.count == count * classCount, "room for \(count) times the logits")
    guard count > 0 else { return }
    let together = count == 1 ? 1 : Self.mostTogether
    let shelf = count == 1 ? single : several
    let workspace =
      shelf.workspaces.withLock { $0.popLast() } ?? Workspace(plan, together: together)
    for start in stride(from: 0, to: count, by: together) {
      compute(
        pixels.baseAddress! + start * size, count: min(together, count - start),
        into: logits.baseAddress! + start * classCount, workspace)
    }
    shelf.workspaces.withLock { $0.append(workspace) }
  }

  /// Pictures go through the convolutions one by one, while their planes are in cache, and through
  /// the dense layers together, so that each weight is fetched once.
  private func compute(
    _ pixels: UnsafePointer<UInt8>, count: Int, into logits: UnsafeMutablePointer<Float>,
    _ workspace: Workspace
  ) {
    for example in 0..<count {
      write(pixels + example * inputSize * inputSize, example: example, workspace)
      for step in plan.planeSteps { run(step, examples: example..<example + 1, workspace) }
    }
    for step in plan.vectorSteps { run(step, examples: 0..<count, workspace) }
    let output = plan.layouts.count - 1
    let stride = plan.layouts[output].count
    for example in 0..<count {
      (logits + example * classCount).update(
        from: workspace.values[output].pointer + example * stride, count: classCount)
    }
  }

  private func write(_ pixels: UnsafePointer<UInt8>, example: Int, _ workspace: Workspace) {
    let layout = plan.layouts[0]
    let start = workspace.values[0].pointer + example * layout.count + layout.start
    for y in 0..<inputSize {
      let source = pixels + y * inputSize
      let target = start + y * layout.row
      for x in 0..<inputSize { target[x] = Float(source[x]) * inputScale }
    }
  }

  private func run(_ step: InferencePlan.Step, examples: Range<Int>, _ workspace: Workspace) {
    let (inputLayout, outputLayout) = (plan.layouts[step.input], plan.layouts[step.output])
    let input = workspace.values[step.input].pointer + examples.lowerBound * inputLayout.count
    let output = workspace.values[step.output].pointer + examples.lowerBound * outputLayout.count
    switch step.operation {
    case .convolution(let convolution, let product):
      convolution.forward(
        input: input, weight: product.weight.pointer, bias: product.bias.pointer,
        lowest: product.lowest, output: output + outputLayout.start, choices: nil,
        scratch: workspace.scratch.pointer)
    case .dense(let product):
      ink_dense(
        examples.count, inputLayout.count, outputLayout.count, input, product.weight.pointer,
        product.bias.pointer, product.lowest, output, workspace.scratch.pointer)
    case .scaleAndShift(let scale, let shift):
      for example in 0..<examples.count {
        let values = input + example * inputLayout.count
        for index in 0..<inputLayout.count {
          values[index] = values[index] * scale.pointer[index] + shift.pointer[index]
        }
      }
    case .relu: ink_relu(input, examples.count * inputLayout.count)
    case .maxPooling(let size):
      maxPool(input, inputLayout, size: size, into: output, outputLayout)
    }
  }

  /// Keeps the largest value of each square: `output[y, x, c] = max input[y·size + i, x·size + j, c]`.
  private func maxPool(
    _ input: UnsafePointer<Float>, _ inputLayout: PlaneLayout, size: Int,
    into output: UnsafeMutablePointer<Float>, _ outputLayout: PlaneLayout
  ) {
    let channels = inputLayout.packedChannels
    for y in 0..<outputLayout.height {
      for x in 0..<outputLayout.width {
        let square = input + inputLayout.start + y * size * inputLayout.row + x * size * channels
        let target = output + outputLayout.start + y * outputLayout.row + x * channels
        for channel in 0..<channels {
          var largest = square[channel]
          for i in 0..<size {
            for j in 0..<size {
              let value = square[i * inputLayout.row + j * channels + channel]
              largest = value > largest ? value : largest
            }
          }
          target[channel] = largest
        }
      }
    }
  }
}
