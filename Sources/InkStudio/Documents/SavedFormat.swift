import AutomatonEditor
import InkImageIO

/// The format in which the studio saves a document: a file that can be opened again, a
/// picture, or the source of one.
enum SavedFormat: Hashable {
  case document(DocumentFormat)
  case picture(PictureFormat)
  case typesetting(TypesettingFormat)

  /// All formats, in the order of the page.
  static let all =
    DocumentFormat.allCases.filter(isDocument).map(SavedFormat.document)
    + PictureFormat.allCases.map(SavedFormat.picture)
    + TypesettingFormat.allCases.map(SavedFormat.typesetting)

  /// Whether the format is offered as a document, and not as typesetting.
  private static func isDocument(_ form: DocumentFormat) -> Bool {
    form.isWritten && TypesettingFormat(path: "file.\(form.endings[0])") == nil
  }

  /// The usual extension of file names.
  var ending: String {
    switch self {
    case .document(let form): form.endings[0]
    case .picture(let form): form.ending
    case .typesetting(let form): form.ending
    }
  }

  /// The name of the format for people.
  var title: String {
    switch self {
    case .document(let form): form.title
    case .picture: "picture"
    case .typesetting(let form): form.title
    }
  }

  /// Creates the format of files with the extension `ending`, or `nil` if the studio writes no such files.
  init?(ending: String) {
    if let form = DocumentFormat(writing: "file.\(ending)"), Self.isDocument(form) {
      self = .document(form)
    } else if let form = PictureFormat(path: "file.\(ending)") {
      self = .picture(form)
    } else if let form = TypesettingFormat(path: "file.\(ending)") {
      self = .typesetting(form)
    } else {
      return nil
    }
  }
}
