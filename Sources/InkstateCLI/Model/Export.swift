import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkExchange
import InkNetwork
import InkRecognizer
import SafeFiles

/// Exports a model to another tool's format.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export a model to Core ML, ONNX, safetensors or Swift.",
    discussion: """
      All formats give the same probabilities, including calibration. Core ML takes a grey image \
      with values from 0 to 255. ONNX and Swift take grey values multiplied by the input scale, \
      1/255. Labels, preprocessing and rejection thresholds are stored as metadata. Batch \
      normalisation is folded into the neighbouring layers.

      A model that reads text gives a probability of each class for every fourth column of the line: \
      first the blank, which is no new character, then the labels. The simplest decoder takes the most \
      likely class of each step, keeps one of equal neighbours and leaves out blanks; U+FFFD is no \
      writing. Temperature and limits are in the metadata.

      A model that answers for each cell takes a page as its metadata prepare it, with sides that are \
      multiples of a number, usually 32; fill it up with zeros below and to the right.

      Example: inkstate export models/inkstate.safetensors --to coreml --output runs/Strokes.mlmodel
      """)

  @Argument(help: "The model. (default: the released model)")
  var model: String?

  @Option(
    help: "The format. (default: from the output's name)")
  var to: ExportForm?

  @Option(
    name: .shortAndLong,
    help: "The output file. (default: the model's name with the format's extension, in this folder)"
  )
  var output: String?

  @Flag(help: "Overwrite the output if it exists.")
  var force = false

  @Option(help: "The name of the Swift type. (default: from the output's name)")
  var name: String?

  @OptionGroup var about: AboutOptions

  func validate() throws {
    guard to != nil || form(of: output ?? "") != nil else {
      throw ValidationError(
        output == nil
          ? "name the format with --to: \(ExportForm.allCases.alternatives)"
          : "--output: its extension is not that of a format; name the format with --to: "
            + "\(ExportForm.allCases.alternatives)")
    }
    if let to, let output, let other = form(of: output), other != to {
      throw ValidationError(
        "--output: `\(output)` has the extension of \(other.rawValue), but --to is \(to.rawValue)")
    }
    if let name, !name.isSwiftName {
      throw ValidationError("--name: `\(name)` cannot be the name of a Swift type")
    }
  }

  private func form(of path: String) -> ExportForm? {
    ExportForm.allCases.first { path.lowercased().hasSuffix("." + $0.fileExtension) }
  }

  func run() throws {
    let path = try model ?? Recognizer.releasedModelPath
    var model = try Model.read(path: path)
    about.add(to: &model.provenance)
    let form = to ?? form(of: output ?? "")!
    let stem = FileTree.name(of: path).split(separator: ".").first.map(String.init) ?? "model"
    let output = output ?? "\(stem).\(form.fileExtension)"
    try FileTree.refuseReplacing(path, by: output)
    try FileTree.refuseExisting(output, force: force)
    let file = FileTree.name(of: output).split(separator: ".").first.map(String.init) ?? stem
    let capitalized = file.prefix(1).uppercased() + file.dropFirst()
    let typeName = name ?? (capitalized.isSwiftName ? capitalized : "InkModel")
    let data = try model.exported(as: form, name: typeName)
    try FileTree.write(data, to: output)
    print(
      "\(output): \(form.rawValue), \(data.count.counted("byte")), \(model.labelList)"
    )
  }
}

/// Metadata of a model that people read.
struct AboutOptions: ParsableArguments {
  @Option(help: "The author, for the model's metadata.")
  var author: String?

  @Option(help: "The licence, for the model's metadata.")
  var license: String?

  @Option(help: "A description, for the model's metadata.")
  var description: String?

  func add(to provenance: inout [String: String]) {
    for (key, value) in [
      ("author", author), ("license", license), ("description", description),
    ] where value != nil {
      provenance[key] = value
    }
  }
}

extension String {
  /// Whether the text can be the name of a Swift type.
  fileprivate var isSwiftName: Bool {
    // Swift's keywords, and the types that the exported file uses.
    let reserved = """
      Any Array Bool Double Float Int Protocol Self StaticString String Type UInt32 UInt8 as \
      associatedtype break case catch class continue default defer deinit do else enum extension \
      fallthrough false fileprivate for func guard if import in init inout internal is let nil open \
      operator precondition private protocol public repeat rethrows return self static struct \
      subscript super switch throw throws true try typealias var where while
      """.split(separator: " ")
    return !reserved.contains(Substring(self)) && wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil
  }
}

extension ExportForm: ExpressibleByArgument {}
