import XMLTree

/// Which annotations of InkML have the label and the writer.
///
/// The names of types are compared without regard to case, hyphens and underscores.
struct InkMLAnnotations {
  /// The types with the label, the most telling first: those of the FA database and CROHME (`truth`), of
  /// MathWriting (`normalizedLabel`, which its authors train on, and `label`), and of other collections.
  private static let labels = [
    "truth", "normalizedlabel", "label", "groundtruth", "gt", "transcription", "transcript",
    "equationintex", "text", "class",
  ]
  private static let writers: Set = [
    "writer", "writerid", "author", "authorid", "subject", "subjectid", "user", "userid",
  ]

  /// The types with the label, the most telling first.
  private let labels: [String]

  /// `label` is the only type with a label; `nil` for the usual ones.
  init(label: String?) {
    labels = label.map { [Self.plain($0)] } ?? Self.labels
  }

  private static func plain(_ type: String) -> String {
    type.lowercased().filter { !"-_ ".contains($0) }
  }

  /// The label among an element's own annotations, with its type as written.
  func label(of element: XMLElementTree) -> (type: String, text: String)? {
    var found: (rank: Int, type: String, text: String)?
    for annotation in element.children(named: "annotation") {
      guard let type = annotation.attributes["type"],
        let rank = labels.firstIndex(of: Self.plain(type)), rank < found?.rank ?? .max
      else { continue }
      let text = annotation.trimmedText
      if !text.isEmpty { found = (rank, type, text) }
    }
    return found.map { ($0.type, $0.text) }
  }

  /// Copies the annotations of the document to `recording`.
  func apply(from root: XMLElementTree, to recording: inout Recording) {
    for annotation in root.children(named: "annotation") {
      guard let type = annotation.attributes["type"] else { continue }
      let text = annotation.trimmedText
      switch Self.plain(type) {
      case "device": recording.device = text
      case "source": recording.source = text
      case "truth": break
      case let name where Self.writers.contains(name): break
      default: recording.attributes[type] = .text(text)
      }
    }
    applyWriter(from: root, to: &recording)
  }

  /// Sets the writer if an annotation of `element` names one.
  func applyWriter(from element: XMLElementTree, to recording: inout Recording) {
    let annotation = element.children(named: "annotation").last {
      $0.attributes["type"].map { Self.writers.contains(Self.plain($0)) } == true
    }
    if let annotation { recording.writer = annotation.trimmedText }
  }
}
