import ArgumentParser
import Ink
import InkEvaluation
import InkNetwork
import InkRecognizer
import InkTraining

/// Shows the contents of a model file, or the machine's BLAS.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show a model's layers, labels, preprocessing and provenance.",
    discussion: """
      --machine shows the BLAS kernels that training uses on this machine, the reason for this choice, \
      and their speed. To use other kernels of OpenBLAS, set the environment variable \
      INKSTATE_BLAS_CORE to their name, for example Haswell or SkylakeX.

      Example: inkstate inspect models/inkstate.safetensors
      """)

  @Argument(help: "The model. (default: the released model)")
  var model: String?

  @Flag(help: "Show the machine's BLAS instead of a model.")
  var machine = false

  func validate() throws {
    guard !machine || model == nil else {
      throw ValidationError("--machine does not show a model; leave out \(model!)")
    }
  }

  func run() throws {
    if machine { try showMachine() } else { try showModel() }
  }

  private func showMachine() throws {
    let cores = try workerCount(nil)
    let blas = try BLAS.load()
    let one = blas.matrixProductRate(threads: 1)
    let all = blas.matrixProductRate(threads: cores)
    print("cores         \(cores)")
    print("BLAS          \(blas.name)")
    print("              \(blas.reason)")
    print("kernels       \(blas.kernels)")
    print(
      "products      \((one / 1e9).fixed(0)) GFLOP/s on one core, "
        + "\((all / 1e9).fixed(0)) on all (1024 × 1024 × 1024, one on each)")
  }

  /// Returns the network of a model, with series that are at most as long as drawings are, and pages of a
  /// usual size.
  private static func architecture(of model: Model) throws -> Architecture {
    let network = model.architecture
    if model.answersCells, let sized = try? network.sized(height: 768, width: 1024) { return sized }
    let inputs = zip(network.inputs, model.preprocessing).map { input, preprocessing in
      guard case .strokes(let encoder, _) = preprocessing,
        case .series(let channels, .variable(let bounds)) = input.form
      else { return input }
      let longest = max(bounds.lowerBound, min(bounds.upperBound, encoder.maxSteps))
      return NetworkInput(
        name: input.name,
        form: .series(channels: channels, length: .variable(bounds.lowerBound...longest)))
    }
    return try Architecture(
      name: network.name, inputs: inputs, nodes: network.nodes, output: network.output)
  }

  private func showModel() throws {
    let path = try model ?? Recognizer.releasedModelPath
    let model = try Model.read(path: path)
    let architecture = try Self.architecture(of: model)
    print("\(path): \(architecture.name)\n")
    // Two columns after the longest name, and no fewer than 32.
    let width = architecture.layers.reduce(32) { max($0, $1.definition.summary.count + 2) }
    print(
      "layer".padded(width) + "output".padded(18) + "parameters".leftPadded(12)
        + "multiply-adds".leftPadded(15))
    let multiplyAdds = architecture.multiplyAdds
    for (input, shape) in zip(architecture.inputs, architecture.inputShapes) {
      print("input \(input.name)".padded(width) + "\(shape)")
    }
    for (index, layer) in architecture.layers.enumerated() {
      let parameters = architecture.parameters.filter { $0.node == index && $0.isLearnt }
        .reduce(0) { $0 + $1.count }
      print(
        layer.definition.summary.padded(width) + "\(architecture.outputShapes[index])".padded(18)
          + "\(parameters)".leftPadded(12) + "\(multiplyAdds[index])".leftPadded(15))
    }
    print(
      "total".padded(width + 18) + "\(architecture.parameterCount)".leftPadded(12)
        + "\(multiplyAdds.reduce(0, +))".leftPadded(15))

    let decision = model.decision
    if model.answersCells {
      print(
        "\npictures      any size, filled up to multiples of \(architecture.sideMultiple); the numbers "
          + "above are for \(architecture.inputShapes[0])")
    }
    print((model.readsText ? "\ncharacters    " : "\nlabels        ") + model.labelList)
    for (index, preprocessing) in model.preprocessing.enumerated() {
      print((index == 0 ? "preprocessing " : "              ") + preprocessing.summary)
    }
    print(
      "decision      temperature \(decision.temperature.fixed(3))"
        + (model.recordings == nil && !model.answersCells
          ? ", extent at least " + extent(decision.minimumExtent) : "")
        + (decision.rejectedLabel.map { ", \($0) is rejected" } ?? ""))
    if let limits = decision.reading {
      print(
        "              evidence at least \(limits.minimumEvidence.fixed(3)), probability at least "
          + "\(limits.minimumProbability.fixed(3)), no writing at most "
          + "\(limits.maximumNoWriting.fixed(3))")
    }
    if let decoding = decision.decoding {
      print("              \(decoding.count.counted("number")) with which pages are decoded")
    }
    if let letters = model.letters {
      print(
        "letters       \(letters.sequenceCount - 1) sequences of up to "
          + "\(LetterCounts.maximumLength), as they follow each other in words")
    }
    if !model.fields.isEmpty {
      print("fields        " + model.fields.joined(separator: ", "))
    }
    for label in model.labels
    where !model.readsText && !model.answersCells && label != decision.rejectedLabel {
      print(
        "              \(label): probability at least "
          + "\((decision.minimumProbabilities[label] ?? 0).fixed(3)), margin at least "
          + "\((decision.minimumMargins[label] ?? 0).fixed(3))")
    }
    for key in model.provenance.keys.sorted() {
      print("\(key.padded(24))\(model.provenance[key]!)")
    }
  }

  /// Returns the least extent of drawings as text.
  private func extent(_ extent: Double) -> String {
    guard extent > 0, extent < Stroke.minimumExtent else { return "\(extent.fixed(1)) points" }
    return "\(extent) of the unit of its drawings"
  }
}
