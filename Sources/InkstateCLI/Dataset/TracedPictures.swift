import Foundation
import Ink
import InkDatasets
import InkImageIO
import InkTracing
import SafeFiles

/// Labelled pictures whose strokes become ink.
enum TracedPictures {
  /// Traces a picture, or all pictures in a folder; their labels are the names of the folders in which they are.
  ///
  /// The strokes keep the size of the picture and their widths as attributes.
  static func load(_ path: String, labels: LabelMap, source: String?) throws -> LoadedDataset {
    var (examples, found) = ([Example](), Set<String>())
    var loaded = LoadedDataset(dataset: Dataset([], labels: []))
    let listing = try FileTree.listing(below: path)
    let files = listing.files
    loaded.failures = listing.refusals
    guard files.contains(where: Photograph.isName) else {
      let isMissing = !FileManager.default.fileExists(atPath: path)
      throw FileError(
        path: path, expected: "pictures (PNG or JPEG)",
        found: isMissing ? "nothing of that name" : "none")
    }
    for file in files {
      guard Photograph.isName(file) else {
        loaded.skipped.append(file)
        continue
      }
      let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
      let label = folder.lastPathComponent
      found.insert(label)
      guard let name = labels.apply(to: label) else {
        loaded.droppedCount += 1
        continue
      }
      do {
        let traced = try Tracer().trace(Photograph.read(path: file))
        for remark in traced.remarks { Terminal.say("\(file): \(remark.message)") }
        guard !traced.drawing.strokes.isEmpty else {
          loaded.failures.append("\(file): expected a drawing, found no ink")
          continue
        }
        var recording = traced.recording
        recording.source = source ?? folder.deletingLastPathComponent().lastPathComponent
        examples.append(Example(recording, label: name, origin: file))
      } catch let error as TracingError {
        loaded.failures.append("\(file): \(error)")
      } catch {
        loaded.failures.append("\(error)")
      }
    }
    loaded.labelsFound = found.sorted()
    loaded.dataset = Dataset(examples, labels: Set(examples.map(\.label)).sorted())
    return loaded
  }
}
