import AutomatonEditor
import Foundation
import Ink
import InkDatasets
import InkNetwork
import InkRecognizer
import SafeFiles
import Synchronization

/// The models that there are; one of them is in use, everywhere at once.
///
/// They are the released one, one from the command line, and those that were trained here.
final class Models: DrawingRecognizer {
  /// A model as the page shows it.
  struct Entry: Encodable, Equatable {
    var name: String
    var labels: [String]
    var isUsed: Bool
    /// Whether it was trained here, so that it can be saved.
    var isOwn: Bool
  }

  /// What is not trained here has this name.
  static let released = "released"
  private static let most = 100

  private struct Known {
    var recognizers: [String: Recognizer]
    var used: String
  }

  private let folder: String
  /// The name of the one from the command line.
  private let given: String?
  private let known: Mutex<Known>
  private var choicePath: String { "\(folder)/used.txt" }

  /// Opens the models of `folder`; `path` names one to use at first.
  ///
  /// - Throws: `ModelError` where the model at `path` cannot be used. Files in `folder` that are no models
  ///   are passed over.
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
      used = FileName.free(
        FileTree.name(of: path), or: "given",
        taken: Set(recognizers.keys).union(Self.names(in: folder)))
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

  /// The names that files in `folder` have, whether they hold models or not.
  private static func names(in folder: String) -> [String] {
    FileName.all(in: folder, ending: "safetensors")
  }

  /// The one in use.
  var used: Recognizer { known.withLock { $0.recognizers[$0.used]! } }

  /// The name of the one in use.
  var usedName: String { known.withLock { $0.used } }

  func recognition(of drawing: Drawing) -> Recognition? { used.recognition(of: drawing) }

  /// All of them, the released one first.
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

  /// The model of that name.
  func model(named name: String) throws(Problem) -> Model {
    guard let model = known.withLock({ $0.recognizers[name]?.model }) else {
      throw Problem("There is no model `\(name.prefix(80))`.", .notFound)
    }
    return model
  }

  /// Uses the model of that name from now on, and after the next start.
  func use(_ name: String) throws {
    _ = try model(named: name)
    try FileTree.write(Data(name.utf8), to: choicePath)
    known.withLock { $0.used = name }
  }

  /// Keeps a model under a name that is free; returns the name.
  func add(_ model: Model, named wish: String) throws -> String {
    try makeRoom()
    let taken = known.withLock { Set($0.recognizers.keys) }.union(Self.names(in: folder))
    let name = FileName.free(wish, or: "model", taken: taken)
    try FileTree.write(model.encoded(), to: path(of: name))
    known.withLock { $0.recognizers[name] = Recognizer(model: model) }
    return name
  }

  /// Refuses where there are too many models.
  func makeRoom() throws(Problem) {
    guard Self.names(in: folder).count < Self.most else {
      throw Problem("There are \(Self.most) models in \(folder). Delete some of them.", .conflict)
    }
  }

  /// The file of a model that was trained here.
  func data(of name: String) throws -> Data {
    guard FileName.isFine(name), let data = FileManager.default.contents(atPath: path(of: name))
    else {
      throw Problem("No model `\(name.prefix(80))` was trained here.", .notFound)
    }
    return data
  }

  private func path(of name: String) -> String { Self.path(of: name, in: folder) }

  private static func path(of name: String, in folder: String) -> String {
    FileName.path(of: name, in: folder, ending: "safetensors")
  }
}
