import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRecognizer
import SafeFiles
import Synchronization

/// The models of the studio, of which one is in use.
///
/// They are the released model, the model of the command line, and the models trained in the studio.
final class Models: DrawingRecognizer {
  /// A model as the page shows it.
  struct Entry: Encodable, Equatable {
    var name: String
    var labels: [String]
    var isUsed: Bool
    /// Whether it was trained in the studio, so that it can be saved.
    var isOwn: Bool
  }

  /// The name of the released model.
  static let released = "released"
  private static let most = 100

  private struct Known {
    var recognizers: [String: Recognizer]
    var used: String
  }

  private let folder: String
  /// The name of the model of the command line.
  private let given: String?
  private let known: Mutex<Known>
  private var choicePath: String { "\(folder)/used.txt" }

  /// Opens the models of `folder`; `path` is that of the model of the command line.
  ///
  /// Files in `folder` that are not models are skipped.
  ///
  /// - Throws: `ModelError` if the model at `path` cannot be read.
  init(folder: String, using path: String?) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    self.folder = folder
    var recognizers = [Self.released: try Recognizer.released()]
    for name in Self.names(in: folder).prefix(Self.most) {
      guard recognizers[name] == nil else { continue }
      recognizers[name] = try? Recognizer(modelPath: Self.path(of: name, in: folder))
    }
    var used = Self.released
    var given: String?
    if let path {
      used = FileName.unused(
        FileTree.name(of: path), or: "given",
        used: Set(recognizers.keys).union(Self.names(in: folder)))
      given = used
      recognizers[used] = try Recognizer(modelPath: path)
    } else if let choice = try? String(contentsOfFile: "\(folder)/used.txt", encoding: .utf8),
      recognizers[choice] != nil
    {
      used = choice
    }
    self.given = given
    known = Mutex(Known(recognizers: recognizers, used: used))
  }

  /// Returns the names of the model files in `folder`, including those that cannot be read.
  private static func names(in folder: String) -> [String] {
    FileName.all(in: folder, ending: "safetensors")
  }

  /// The model in use.
  var used: Recognizer { known.withLock { $0.recognizers[$0.used]! } }

  /// The name of the model in use.
  var usedName: String { known.withLock { $0.used } }

  /// The model in use and its name, both from one moment.
  var usedWithName: (Recognizer, String) {
    known.withLock { ($0.recognizers[$0.used]!, $0.used) }
  }

  func recognition(of drawing: Drawing) -> Recognition? { used.recognition(of: drawing) }

  /// All models, the released one first.
  var all: [Entry] {
    known.withLock { known in
      let others = known.recognizers.keys.filter { $0 != Self.released }.sorted()
      return ([Self.released] + others).compactMap { name in
        known.recognizers[name].map {
          Entry(
            name: name, labels: $0.model.labels, isUsed: name == known.used,
            isOwn: name != Self.released && name != given)
        }
      }
    }
  }

  /// Returns the model with a name.
  func model(named name: String) throws(StudioError) -> Model {
    guard let model = known.withLock({ $0.recognizers[name]?.model }) else {
      throw StudioError("There is no model `\(name.prefix(80))`.", .notFound)
    }
    return model
  }

  /// Uses the model with a name from now on and after the next start.
  func use(_ name: String) throws {
    _ = try model(named: name)
    try FileTree.write(Data(name.utf8), to: choicePath)
    known.withLock { $0.used = name }
  }

  /// Adds a model with an unused name, and returns the name.
  func add(_ model: Model, named wish: String) throws -> String {
    try makeRoom()
    let used = known.withLock { Set($0.recognizers.keys) }.union(Self.names(in: folder))
    let name = FileName.unused(wish, or: "model", used: used)
    try FileTree.write(model.encoded(), to: path(of: name))
    known.withLock { $0.recognizers[name] = Recognizer(model: model) }
    return name
  }

  /// Throws `NameProblem` if a new model cannot have a name.
  func checkNewName(_ name: String) throws(NameProblem) {
    let used = known.withLock { Set($0.recognizers.keys) }.union(Self.names(in: folder))
    try FileName.checkNew(name, of: "model", used: used)
  }

  /// Throws if there are too many models.
  func makeRoom() throws(StudioError) {
    guard Self.names(in: folder).count < Self.most else {
      throw StudioError(
        "\(folder) has \(Self.most) models, the maximum. Delete some of them.", .conflict)
    }
  }

  /// Returns the file of a model that was trained in the studio.
  func data(of name: String) throws -> Data {
    guard FileName.isValid(name), let data = FileManager.default.contents(atPath: path(of: name))
    else {
      throw StudioError("No model `\(name.prefix(80))` was trained in the studio.", .notFound)
    }
    return data
  }

  private func path(of name: String) -> String { Self.path(of: name, in: folder) }

  private static func path(of name: String, in folder: String) -> String {
    FileName.path(of: name, in: folder, ending: "safetensors")
  }
}
