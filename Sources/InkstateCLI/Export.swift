import ArgumentParser
import Foundation
import Ink
import InkDatasets
import InkExchange
import InkNetwork
import InkRecognizer

/// Writes a model in another tool's form.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a model for another tool: Core ML, ONNX, safetensors or Swift.",
    discussion: """
      All forms give the same probabilities, calibration included. Core ML takes a grey picture of \
      0 to 255; ONNX and Swift take grey values times the input scale (1/255). Labels, preprocessing \
      and the thresholds that refuse an answer go along as metadata. Batch normalisation is folded \
      into the other layers.

      Example: inkstate export models/inkstate.safetensors --to coreml --output runs/Strokes.mlmodel
      """)

  @Argument(help: "The model; without it, the released one.")
  var model: String?

  @Option(help: "The form: \(ExportForm.allCases.words). (default: what the output's name tells)")
  var to: ExportForm?

  @Option(
    name: .shortAndLong,
    help: "Where to write. (default: the model's name with the form's ending, in this folder)")
  var output: String?

  @Flag(help: "Replace what is at the output.")
  var force = false

  @Option(help: "What the type is called in Swift. (default: the output's name)")
  var name: String?

  @OptionGroup var about: AboutOptions

  func validate() throws {
    guard to != nil || form(of: output ?? "") != nil else {
      throw ValidationError(
        output == nil
          ? "--to: name the form: \(ExportForm.allCases.words)"
          : "--to: the ending of --output names no form; give \(ExportForm.allCases.words)")
    }
    if let to, let output, let other = form(of: output), other != to {
      throw ValidationError(
        "--output: `\(output)` has the ending of \(other.rawValue), and --to says \(to.rawValue)")
    }
    if let name, !name.isSwiftName {
      throw ValidationError("--name: `\(name)` cannot be the name of a type in Swift")
    }
  }

  private func form(of path: String) -> ExportForm? {
    ExportForm.allCases.first { path.lowercased().hasSuffix("." + $0.fileExtension) }
  }

  func run() throws {
    let path = model ?? Recognizer.releasedModelPath
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
      "\(output): \(form.rawValue), \(data.count.counted("byte")), \(model.labels.joined(separator: ", "))"
    )
  }
}

/// What a model says about itself to people.
struct AboutOptions: ParsableArguments {
  @Option(help: "Who made the model, for its metadata.")
  var author: String?

  @Option(help: "What others may do with the model, for its metadata.")
  var license: String?

  @Option(help: "What the model is, for its metadata.")
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
  /// Whether it can be the name of a type.
  fileprivate var isSwiftName: Bool {
    // The language's own words, and the types that the file uses.
    let taken: Set = [
      "Any", "Array", "Bool", "Double", "Float", "Int", "Protocol", "Self", "StaticString",
      "String",
      "Type", "UInt32", "UInt8", "as", "associatedtype", "break", "case", "catch", "class",
      "continue",
      "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
      "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
      "is",
      "let", "nil", "open", "operator", "precondition", "private", "protocol", "public", "repeat",
      "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
      "throws", "true", "try", "typealias", "var", "where", "while",
    ]
    return !taken.contains(self) && wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil
  }
}

extension ExportForm: ExpressibleByArgument {}
