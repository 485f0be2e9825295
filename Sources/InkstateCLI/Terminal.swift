import Foundation
import Ink
import InkDatasets
import InkEvaluation
import InkTraining
import SafeFiles
import Synchronization

/// The output of the command: results on stdout, messages on stderr.
///
/// Control characters are escaped, because names and labels come from files.
enum Terminal {
  static let isInteractive = isatty(STDERR_FILENO) == 1

  /// Prints one line to stderr.
  static func say(_ line: String) { write(line.printable() + "\n") }

  /// Prints one line to stdout.
  static func show(_ line: String) { Swift.print(line.printable()) }

  /// Prints a value as JSON to stdout, on one line or indented.
  static func show(json value: some Encodable, indented: Bool = true) throws {
    print(try JSONText.text(of: value, indented: indented))
  }

  /// Writes data to the file at `path`, or to standard output for `-`.
  static func write(_ data: Data, to path: String) throws(FileError) {
    if path == "-" {
      output(data)
    } else {
      try FileTree.write(data, to: path)
    }
  }

  /// Writes data to standard output; control characters are escaped on a terminal.
  private static func output(_ data: Data) {
    guard isatty(STDOUT_FILENO) == 1 else {
      FileHandle.standardOutput.write(data)
      return
    }
    let text = String(decoding: data, as: UTF8.self).printable(keepingLines: true)
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  private static let isSilent = Atomic(false)

  /// Stops all messages, because another process prints the same ones.
  static func silence() { isSilent.store(true, ordering: .relaxed) }

  static func write(_ text: String) {
    guard !isSilent.load(ordering: .relaxed) else { return }
    FileHandle.standardError.write(Data(text.utf8))
  }

  static func bar(_ done: Int, of count: Int) -> String {
    let filled = 24 * done / max(1, count)
    return String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
  }

  static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Prints the first 20 lines about what was left out of a data set or chosen for it.
  static func say(notes: [String]) {
    for note in notes.prefix(20) { say(note) }
    if notes.count > 20 { say("and \((notes.count - 20).counted("line")) more like these") }
  }

  /// Reports what was left out of a data set, with the first 20 failures by name.
  static func report(_ loaded: LoadedDataset, path: String) {
    for failure in loaded.failures.prefix(20) { say("left out: \(failure)") }
    if loaded.failures.count > 20 { say("left out: \(loaded.failures.count - 20) more") }
    for line in loaded.skippedDescriptions { say("skipped: \(line)") }
    for line in loaded.ignoredDescriptions { say("ignored: \(line)") }
    say(notes: loaded.notes)
    if loaded.unlabelledCount > 0 {
      say("left out: \(loaded.unlabelledCount.counted("recording")) without a label in \(path)")
    }
    if loaded.droppedCount > 0 {
      let dropped = loaded.droppedCount.counted(
        "example whose label is dropped", "examples whose labels are dropped")
      say("left out: \(dropped) in \(path)")
    }
    if let points = loaded.pointsPerUnit { sayUnit(points, path: path) }
    if loaded.blankCount > 0 {
      say("left out: \(loaded.blankCount.counted("blank picture")) in \(path)")
    }
    if loaded.isTransposed {
      say(
        "\(path): EMNIST stores its pictures with rows and columns exchanged; --transpose turns them "
          + "upright")
    }
    if loaded.pictureCount > 0 {
      let (count, inverted) = (loaded.pictureCount, loaded.invertedCount)
      let polarity =
        switch inverted {
        case 0: "light ink on a dark background"
        case count: "dark ink on a light background, inverted"
        default: "dark ink on a light background in \(inverted) of \(count) pictures, inverted"
        }
      say("\(path): \(polarity)")
    }
  }
}

extension Terminal {
  /// Reports that drawings are not in canvas points, which their sizes show.
  static func sayUnit(_ pointsPerUnit: Double, path: String) {
    say(
      "\(path): the drawings are too small to be in canvas points; a unit counts as "
        + "\(pointsPerUnit) points (--scale overrides this)")
  }
}

/// Encodes values as JSON with sorted keys.
enum JSONText {
  static func text(of value: some Encodable, indented: Bool = true) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if indented { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// Prints text to stdout with control characters escaped.
///
/// It replaces Swift's `print` in this module, because text may come from files.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let text = items.map { "\($0)" }.joined(separator: separator)
  Swift.print(text.printable(keepingLines: true), terminator: terminator)
}

extension String {
  /// Returns the text with control and bidirectional characters as JSON escapes.
  ///
  /// Line ends and tabs are escaped unless `keepingLines`, so that a name cannot look like a new
  /// line.
  func printable(keepingLines: Bool = false) -> String {
    func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x09, 0x0A: !keepingLines
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    guard unicodeScalars.contains(where: isUnseen) else { return self }
    return unicodeScalars.map { scalar in
      guard isUnseen(scalar) else { return String(scalar) }
      switch scalar {
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      default:
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }.joined()
  }
}

/// Shows progress: a bar on a terminal, otherwise a line every ten seconds.
final class WorkProgress {
  private let count: Int
  private let unit: String
  private let start = Date()
  private var done = 0
  private var lastShown = Date()

  init(count: Int, unit: String) {
    self.count = count
    self.unit = unit
  }

  func add(_ number: Int) { reach(done + number) }

  func reach(_ number: Int) {
    done = number
    guard Date().timeIntervalSince(lastShown) > (Terminal.isInteractive ? 0.1 : 10) else { return }
    lastShown = Date()
    let rate = Double(done) / max(1e-9, Date().timeIntervalSince(start))
    let state =
      "\(done) of \(count) \(unit), \(rate < 10 ? rate.fixed(1) : "\(Int(rate))") a second, "
      + "\(Terminal.clock(Double(count - done) / rate)) left"
    if Terminal.isInteractive {
      Terminal.write("\r\u{1B}[K\(Terminal.bar(done, of: count)) \(state)")
    } else {
      Terminal.say(state)
    }
  }

  /// Removes the bar.
  func end() {
    if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
  }
}

/// Shows the progress of a training: a bar on a terminal, and one line per epoch.
final class TrainingProgress {
  private let prefix: String
  private let start = Date()
  private var epochs = 0
  private var stepsDoneBefore = 0
  private var stepsPerEpoch = 1
  private var examples = 0
  private var lastDrawn = Date.distantPast
  private var epochStart = Date()
  private var epochExamples = 0

  init(prefix: String = "") {
    self.prefix = prefix
  }

  func show(_ event: TrainingEvent) {
    switch event {
    case .started(let steps, let epochs, let epochsDone, let stepsDone, let blas):
      self.epochs = epochs
      stepsPerEpoch = steps
      stepsDoneBefore = epochsDone * steps + stepsDone
      Terminal.say("\(prefix)\(epochs.counted("epoch")) of \(steps.counted("step")) on \(blas)")
      if stepsDoneBefore > 0 {
        Terminal.say("\(prefix)resuming in epoch \(epochsDone + 1) after step \(stepsDone)")
      }
      epochStart = Date()
    case .step(let epoch, let step, _, let count, let loss, let accuracy):
      examples += count
      epochExamples += count
      guard Terminal.isInteractive, Date().timeIntervalSince(lastDrawn) > 0.1 else { return }
      lastDrawn = Date()
      draw(epoch: epoch, step: step, loss: loss, accuracy: accuracy)
    case .epoch(let record, let isBest):
      end()
      let rate = Double(epochExamples) / max(1e-9, Date().timeIntervalSince(epochStart))
      var line = "\(prefix)epoch \(record.epoch)/\(epochs)  "
      line += "loss \(record.trainingLoss.fixed(4))  accuracy \(record.trainingAccuracy.percent)"
      if let loss = record.validationLoss, let accuracy = record.validationAccuracy {
        line += "  validation \(loss.fixed(4))  \(accuracy.percent)\(isBest ? " *" : "")"
      }
      if let reading = record.validationReading ?? record.trainingReading {
        line += "  character errors \(reading.characterErrorRate.percent)"
        line += "  word errors \(reading.wordErrorRate.percent)"
      }
      if let overlaps = record.validationOverlaps ?? record.trainingOverlaps {
        line += "  IoU " + overlaps.map { "\($0.name) \($0.value.fixed(3))" }.joined(separator: " ")
        if let loss = record.validationFieldLoss ?? record.trainingFieldLoss {
          line += "  fields \(loss.fixed(4))"
        }
        line += "  \(rate.fixed(1)) examples/s"
      } else {
        line += "  \(Int(rate)) examples/s"
      }
      Terminal.say(line)
      epochStart = Date()
      epochExamples = 0
    case .checkpoint: break
    case .stoppedEarly(let epoch, let bestEpoch):
      Terminal.say(
        "\(prefix)stopped after epoch \(epoch): no improvement since epoch \(bestEpoch)")
    case .unsettled(let share, let count):
      Terminal.say(
        "\(prefix)warning: \(count == 1 ? "the last epoch" : "the last \(count) epochs") still changed "
          + "whether \(share.percent) of the answers are right, so another seed can give another result; "
          + "train for more epochs with --epochs")
    }
  }

  /// Removes the bar, so that a message has a line of its own.
  func end() {
    if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
  }

  private func draw(epoch: Int, step: Int, loss: Double, accuracy: Double) {
    let done = (epoch - 1) * stepsPerEpoch + step
    let elapsed = Date().timeIntervalSince(start)
    let left =
      elapsed / Double(max(1, done - stepsDoneBefore))
      * Double(epochs * stepsPerEpoch - done)
    let bar = Terminal.bar(step, of: stepsPerEpoch)
    Terminal.write(
      "\r\u{1B}[K\(prefix)epoch \(epoch)/\(epochs) \(bar) loss \(loss.fixed(4))  "
        + "accuracy \(accuracy.percent)  \(Int(Double(examples) / max(1e-9, elapsed))) examples/s  "
        + "\(Terminal.clock(left)) left")
  }
}
