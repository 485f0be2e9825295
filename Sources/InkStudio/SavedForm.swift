import AutomatonEditor

/// What the studio saves a document as: a file that can be opened again, or a picture.
enum SavedForm: Hashable {
  case document(DocumentForm)
  case svg
  case png

  /// All of them, in the order in which the page shows them.
  static let all = DocumentForm.allCases.map(SavedForm.document) + [.svg, .png]

  /// The usual ending of file names in this form.
  var ending: String {
    switch self {
    case .document(let form): form.endings[0]
    case .svg: "svg"
    case .png: "png"
    }
  }

  /// What the form is, for people who choose one.
  var title: String {
    switch self {
    case .document(let form): form.title
    case .svg, .png: "picture"
    }
  }

  /// Returns the form of files that end in `.ending`; `nil` where the studio writes no such files.
  init?(ending: String) {
    if let form = DocumentForm(path: "file.\(ending)") {
      self = .document(form)
    } else if let picture = [SavedForm.svg, .png].first(where: { $0.ending == ending }) {
      self = picture
    } else {
      return nil
    }
  }
}
