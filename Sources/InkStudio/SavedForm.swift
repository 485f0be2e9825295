import AutomatonEditor
import InkImageIO

/// The format in which the studio saves a document: a file that can be opened again, a
/// picture, or the source of one.
enum SavedForm: Hashable {
  case document(DocumentForm)
  case picture(PictureForm)
  case typesetting(TypesettingForm)

  /// All formats, in the order of the page.
  static let all =
    DocumentForm.allCases.filter(isDocument).map(SavedForm.document)
    + PictureForm.allCases.map(SavedForm.picture)
    + TypesettingForm.allCases.map(SavedForm.typesetting)

  /// Whether the format is offered as a document, and not as typesetting.
  private static func isDocument(_ form: DocumentForm) -> Bool {
    form.isWritten && TypesettingForm(path: "file.\(form.endings[0])") == nil
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
    if let form = DocumentForm(writing: "file.\(ending)"), Self.isDocument(form) {
      self = .document(form)
    } else if let form = PictureForm(path: "file.\(ending)") {
      self = .picture(form)
    } else if let form = TypesettingForm(path: "file.\(ending)") {
      self = .typesetting(form)
    } else {
      return nil
    }
  }
}
