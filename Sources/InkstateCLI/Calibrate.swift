import ArgumentParser
import InkDatasets
import InkRecognizer
import InkTraining

/// Fits how sure a model has to be.
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Fit temperature and rejection thresholds of a model.",
    discussion: """
      Takes examples that the model did not learn from: of a divided data set, the validation part. \
      The temperature makes probabilities true; the thresholds of each label refuse at most the \
      given share of its examples. Both are stored in the model. A label with too few examples for \
      that share keeps the thresholds that it has. It is named in a warning, and so is a label that \
      is refused more often than once in ten times, because the model takes it for another.

      Example: inkstate calibrate models/inkstate.safetensors datasets/synthetic.ndjson \
      --false-rejections 0.01 --output runs/calibrated.safetensors
      """)

  @Argument(help: "The model.")
  var model: String

  @Argument(help: "Divided data sets (their validation parts), or data sets in any form.")
  var data: [String]

  @Option(
    help: """
      The share of each label's examples that may be refused, of those that the model knows for \
      what they are.
      """)
  var falseRejections = 0.01

  @Option(
    name: .customLong("except"),
    help: ArgumentHelp("Another share for one label; may be repeated.", valueName: "label=share"))
  var exceptions: [String] = []

  @Option(help: "The cores to use. (default: all)")
  var threads: Int?

  @OptionGroup var output: OutputOptions
  @OptionGroup var loading: LoadingOptions

  /// A label of which more than this is refused is named in a warning.
  private static let alarmingShare = 0.1

  func validate() throws {
    guard (0...0.5).contains(falseRejections) else {
      throw ValidationError("--false-rejections: expected 0 to 0.5, found \(falseRejections)")
    }
    _ = try shares()
  }

  private func shares() throws -> [String: Double] {
    var shares: [String: Double] = [:]
    for exception in exceptions {
      let parts = exception.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let share = Double(parts[1]), (0...0.5).contains(share) else {
        throw ValidationError(
          "--except: expected label=share with a share from 0 to 0.5, found `\(exception)`")
      }
      let label = String(parts[0])
      if let other = shares.updateValue(share, forKey: label), other != share {
        throw ValidationError(
          "--except: expected one share for `\(label)`, found \(other) and \(share)")
      }
    }
    return shares
  }

  func run() throws {
    let shares = try shares()
    try output.check(inputs: [model] + data)
    var calibrated = try Recognizer(modelPath: model).model
    if let stranger = shares.keys.filter({ !calibrated.labels.contains($0) }).min() {
      throw ValidationError(
        "--except: expected a label of the model, \(calibrated.labels.words), found `\(stranger)`")
    }
    if let rejected = calibrated.decision.rejectedLabel, shares[rejected] != nil {
      throw ValidationError(
        "--except: expected a label that can be accepted, found `\(rejected)`, which never is")
    }
    var dataset = Dataset([])
    for path in data {
      dataset.add(try DataSource.load(path, part: .validation, loading: loading).dataset)
    }
    guard !dataset.examples.isEmpty else {
      throw DatasetError(
        path: data.joined(separator: ", "), expected: "examples to calibrate with", found: "none")
    }
    let calibration = try Calibration(
      of: calibrated, on: dataset, falseRejections: falseRejections, exceptions: shares,
      workers: workerCount(threads))
    calibrated.decision = calibration.decision
    calibrated.provenance["calibration_command"] =
      "inkstate calibrate MODEL \(data.joined(separator: " ")) --false-rejections "
      + "\(falseRejections)" + exceptions.map { " --except \($0)" }.joined()
    calibrated.provenance["calibration_fingerprint"] = dataset.fingerprint.description
    try FileTree.write(calibrated.encoded(), to: output.output)
    print("temperature \(calibration.decision.temperature.fixed(3))")
    for label in calibrated.labels {
      guard let refused = calibration.refused[label] else { continue }
      print(
        "\(label.padded(12)) probability at least "
          + "\((calibration.decision.leastProbabilities[label] ?? 0).fixed(3)), margin at least "
          + "\((calibration.decision.leastMargins[label] ?? 0).fixed(3)); refused "
          + refused.words)
    }
    for label in calibrated.labels {
      guard let needed = calibration.scarce[label] else { continue }
      let count = calibration.refused[label]?.total ?? 0
      Terminal.say(
        "warning: `\(label)` keeps its thresholds: \(count) of its examples are here, and at least "
          + "\(needed) are needed to refuse \((shares[label] ?? falseRejections).percent) of them")
    }
    for label in calibrated.labels {
      guard let refused = calibration.refused[label], refused.value > Self.alarmingShare else {
        continue
      }
      Terminal.say(
        "warning: \(refused.value.percent) of `\(label)` (\(refused.count) of \(refused.total)) is "
          + "refused; train longer, or with more examples of it")
    }
  }
}
